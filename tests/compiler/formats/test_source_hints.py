"""Pins as hints for the source: dims have one name wherever they are walked, and what has no hint is named."""

from __future__ import annotations

import ast

import pytest
from frozendict import frozendict

from compiler.emit import export, ready
from compiler.emit.named_dims import NamedDims
from compiler.errors import InputError
from compiler.pins import Pins
from compiler.pipeline import compile_problem
from compiler.problem import Problem
from tests.compiler.formats.exported import example


def test_dims_are_named_through_the_graph() -> None:
    program = example("mlp").problem.program
    dims = NamedDims(program)
    hidden = dims.of_loop("up.linear/matmul", "n")
    assert hidden is not None
    assert dims.of_loop("act.gelu", "j") == dims.of_loop("down.linear/matmul", "k") == hidden
    assert dims.of_input["up.weight"][0] == dims.of_input["down.weight"][1] == hidden
    assert dims.size[hidden] == 4096
    rows = dims.of_loop("up.linear/matmul", "m")
    assert rows == dims.of_loop("down.linear/matmul", "m") == dims.of_input["x"][0] != hidden


def test_every_division_of_a_plan_is_a_hint_of_its_source_line() -> None:
    made = example("mlp")
    text = export(made, "hints", {"ops": "all"})
    ast.parse(text)
    names = {name: name.split()[0] for name in made.plan.divisions}
    assert all(f"# {name}\n" in text for name in names)
    assert "# mlp.py:17; take it apart into 2 statements, one for each hint" in text
    dims = NamedDims(made.problem.program)
    split = made.plan.divisions["up.linear/matmul"].splits
    inside = ", ".join(f'"{dims.of_loop("up.linear/matmul", one.loop)}": {one.factor}' for one in split)
    assert f"with spyre_hint(work_div={{{inside}}}):\n    ...  # up.linear/matmul\n" in text


def test_pins_are_written_back_and_what_has_no_hint_is_named() -> None:
    made = example("mlp")
    pins = Pins(
        division=frozendict({"act.gelu": frozendict(i=16)}),
        placement=frozendict({"act.gelu": "hbm"}),
    )
    problem = Problem(made.problem.program, made.problem.device, pins)
    pinned = compile_problem(made.graph, problem)
    assert ready(pinned, "hints").limits == ("act.gelu: torch-spyre has no hint for its pinned placement",)
    text = "".join(part.text for part in ready(pinned, "hints").parts(partial=True))
    assert text.count("with spyre_hint") == 1
    assert ": 16}):\n    ...  # act.gelu\n" in text


def test_without_pins_there_is_nothing_to_write() -> None:
    with pytest.raises(InputError, match="mlp as hints: no op has a pinned division; pin a division"):
        export(example("mlp"), "hints")
    with pytest.raises(InputError, match="no op has a pinned division"):
        ready(example("mlp"), "hints").parts(partial=True)


def test_a_loop_over_no_dim_of_an_input_is_named() -> None:
    limits = ready(example("decoder"), "hints", {"ops": "all"}).limits
    assert "self_attn.sdpa/matmul: a loop that is divided walks no dim of an input" in limits
