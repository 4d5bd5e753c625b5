"""Rounding is never called corruption, and corruption is not taken for rounding: models that are right, and the same
with one per cent added to what PyTorch returns."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import pytest
import torch
from torch import Tensor, nn

from compiler.device import load_device
from compiler.errors import UnsupportedError
from compiler.frontend.capture import capture_program, tensor_inputs, trace
from compiler.frontend.eager import Reference, run
from compiler.loops import ModelSource
from compiler.pipeline import compile_problem
from compiler.problem import Problem
from compiler.program import Program
from simulator.functional.verify import verify
from simulator.report import Agreement, describe
from tests.end_to_end.rounding_models import HALF, NAMES, model, random_expression

SURE = (
    *("mean of six", "residual", "products of columns", "transposed convolution", "encoder"),
    *("unit rows", "rotation"),
)
"""Models that are far from having lost a per cent to rounding in f16."""
SEEDS = range(40)


def prepared(module: nn.Module, inputs: tuple[Tensor, ...]) -> tuple[Program, Reference]:
    """The program for three cores, and what PyTorch makes of the inputs."""
    traced = trace(module, inputs, {})
    users = [entry[0] for entry in tensor_inputs(traced) if entry[1].kind.name == "USER_INPUT"]
    captured = capture_program(traced, "model", ModelSource("model"))
    problem = Problem(captured.program, load_device("spyre").with_cores(3))
    program = compile_problem(captured.graph, problem).program
    return program, run(traced, dict(zip(users, inputs, strict=True)), 0)


@cache
def named(name: str, dtype: torch.dtype) -> tuple[Program, Reference]:
    return prepared(*model(name, dtype))


@pytest.mark.parametrize("dtype", [HALF, torch.bfloat16, torch.float32], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_a_right_model_is_not_corrupted(name: str, dtype: torch.dtype) -> None:
    program, known = named(name, dtype)
    report = verify(program, known.inputs, known.outputs)
    assert report.ok, describe(report)


@cache
def expression(seed: int) -> tuple[Program, Reference] | None:
    """None where the compiler refuses it."""
    try:
        return prepared(*random_expression(seed))
    except UnsupportedError:
        return None


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_expression_is_not_corrupted(seed: int) -> None:
    made = expression(seed)
    if made is None:
        return  # nearly all of them compile
    program, known = made
    report = verify(program, known.inputs, known.outputs)
    assert report.ok, describe(report)


def test_nearly_all_random_expressions_compile() -> None:
    assert sum(expression(seed) is None for seed in SEEDS) <= 2


def changed(outputs: Mapping[str, Tensor], factor: float) -> dict[str, Tensor]:
    return {name: (value * factor).to(value.dtype) for name, value in outputs.items()}


@pytest.mark.parametrize("name", SURE)
def test_one_per_cent_is_corruption(name: str) -> None:
    program, known = named(name, HALF)
    for factor in (0.99, 1.01):
        report = verify(program, known.inputs, changed(known.outputs, factor))
        assert report.agreement is Agreement.CORRUPTED


@pytest.mark.parametrize("name", [name for name in NAMES if name != "near a pole"])
def test_an_element_that_is_off_by_a_half_is_corruption(name: str) -> None:
    """Half of the largest value, in the middle of each output."""
    program, known = named(name, torch.float32)
    outputs = {name: value.clone() for name, value in known.outputs.items()}
    value = next(iter(outputs.values()))
    middle = value.view(-1)[value.numel() // 2 :][:1]
    if value.dtype is torch.bool:
        middle.logical_not_()
    else:
        middle.add_((value.abs().max() / 2 + 1).to(value.dtype))
    report = verify(program, known.inputs, outputs)
    assert report.agreement is Agreement.CORRUPTED
