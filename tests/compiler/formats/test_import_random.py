"""Random programs come back as they were exported: steps, moves, divisions, layouts, places and time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from compiler.compilation import Compilation
from compiler.emit.op_specs import op_specs
from compiler.emit.opspec_json import opspec_lines
from compiler.errors import StudioError
from compiler.graph import ModelGraph
from compiler.pipeline import compile_problem
from compiler.read.imported import imported
from compiler.read.opspec_json import read_opspecs
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


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.integers(1, 4))
def test_random_programs_come_back(seed: int, size: int) -> None:
    ours = _compiled(seed, size)
    assume(ours is not None)
    assert ours is not None
    said = op_specs(ours)
    assume(not said.limits)
    name, back = read_opspecs("".join(opspec_lines(said.kernels, "model")), "a file")
    assert (name, back) == ("model", said.kernels)
    made = imported(back, ours.problem.program.name, ours.problem.device)
    theirs = made.compilation
    assert made.findings == ()
    assert not violations(theirs)
    for alike in (moves, divisions, layouts, places, kernels):
        assert alike(theirs) == alike(ours)
    assert theirs.cost.total_us == pytest.approx(ours.cost.total_us, rel=1e-12)
