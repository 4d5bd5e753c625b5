"""Random programs come back as they were exported; what is spoiled on the way is imported or refused in a sentence."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from compiler.codec import from_json, to_json
from compiler.compilation import Compilation
from compiler.device import load_device
from compiler.emit.ktir import ktir_module
from compiler.emit.ktir_document import ktir_parts
from compiler.emit.op_specs import op_specs
from compiler.emit.opspec_json import opspec_lines
from compiler.errors import StudioError
from compiler.graph import ModelGraph
from compiler.pipeline import compile_problem
from compiler.read.imported import imported
from compiler.read.ktir_document import read_ktir_document
from compiler.read.opspec_json import read_opspecs
from tests.compiler.formats.exported import example
from tests.compiler.formats.imports import divisions, kernels, layouts, moves, places, violations
from tests.programs import problem_of
from tests.random_programs import DEFAULT, random_program

FAMILIES = ("unary", "binary", "cast", "matmul", "bmm", "reshape", "where", "cat", "reduce")
"""Those that have op functions, mostly."""
SAID = replace(DEFAULT, families=FAMILIES)


def _compiled(seed: int, size: int) -> Compilation | None:
    program = random_program(seed, size, SAID)
    try:
        return compile_problem(ModelGraph(program.name, (), (), ()), problem_of(program))
    except StudioError:
        return None


@cache
def _softmax() -> str:
    return "".join(opspec_lines(op_specs(example("softmax", pipeline="co-optimized")).kernels, "model"))


def _places(data: object, way: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Ways to all numbers, texts and lists of a document."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield from _places(value, (*way, key))
    if way and not isinstance(data, dict):
        yield way


def _spoiled(data: Any, way: tuple[str | int, ...], draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:  # noqa: ANN401
    *outer, last = way
    for key in outer:
        data = data[key]
    value = data[last]
    if isinstance(value, bool):
        data[last] = not value
    elif isinstance(value, int):
        data[last] = draw(st.sampled_from([-1, 0, 1, 2, 63, 65, 128, 2**40, value + 1, value * 2]))
    elif isinstance(value, str):
        data[last] = draw(st.sampled_from(["0", "c0", "c1", "floor(c0/64)", "Mod(c0, 64)", "c0 + 1", "shuffle", "x"]))
    elif isinstance(value, list) and value:
        data[last] = draw(st.sampled_from([value[1:], value[:-1], [*value, value[0]], value[::-1]]))


@settings(max_examples=120)
@given(st.data())
def test_spoiled_specifications_are_imported_or_refused(data: st.DataObject) -> None:
    document = json.loads(_softmax())
    ways = sorted(_places(document["kernels"], ("kernels",)), key=str)
    for way in data.draw(st.lists(st.sampled_from(ways), min_size=1, max_size=2)):
        with contextlib.suppress(LookupError):  # the first change may have taken the second one's place away
            _spoiled(document, way, data.draw)
    refused = ""
    try:
        kernels_ = read_opspecs(json.dumps(document), "a file").kernels
        made = imported(kernels_, "model", load_device("spyre")).compilation
    except StudioError as error:
        refused = error.sentence
    else:
        assert from_json(Compilation, to_json(made), "a file") == made
    assert "\n" not in refused


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.integers(1, 4))
def test_random_programs_come_back(seed: int, size: int) -> None:
    ours = _compiled(seed, size)
    assume(ours is not None)
    assert ours is not None
    said = op_specs(ours)
    assume(not said.limits)
    name, back, _ = read_opspecs("".join(opspec_lines(said.kernels, "model")), "a file")
    assert (name, back) == ("model", said.kernels)
    module = ktir_module(said.kernels, ours.plan.cores)
    specs, differences = read_ktir_document("".join(ktir_parts(module, ours.plan)), "a file")
    assert (specs.kernels, specs.cores, differences) == (module.kernels, ours.plan.cores, ())
    assert module.limits or module.kernels == said.kernels
    made = imported(back, ours.problem.program.name, ours.problem.device)
    theirs = made.compilation
    assert made.findings == ()
    assert not violations(theirs)
    for alike in (moves, divisions, layouts, places, kernels):
        assert alike(theirs) == alike(ours)
    assert theirs.cost.total_us == pytest.approx(ours.cost.total_us, rel=1e-12)
