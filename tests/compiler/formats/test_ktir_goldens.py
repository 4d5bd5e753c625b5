"""The KTIR of a sum, softmax, a product, an MLP and attention on 4 cores, as files that a person can read."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from compiler.device import load_device
from compiler.emit.ktir import ktir_module
from compiler.emit.op_specs import op_specs
from compiler.frontend.capture import capture_program, trace
from compiler.loops import ModelSource
from compiler.pins import Pins
from compiler.pipeline import compile_problem
from compiler.problem import Problem
from tests.simulator.ktir.exported import MOVED, exported


class Add(torch.nn.Module):
    """A sum."""

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return x + y


class Matmul(torch.nn.Module):
    """A product of matrices."""

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return x @ y


def written(module: torch.nn.Module, *shapes: tuple[int, int]) -> str:
    """The KTIR of a module that takes tensors of these shapes."""
    inputs = tuple(torch.zeros(shape, dtype=torch.float16) for shape in shapes)
    captured = capture_program(trace(module, inputs, {}), "golden", ModelSource("golden"))
    problem = Problem(captured.program, load_device("spyre").with_cores(4), Pins())
    specified = op_specs(compile_problem(captured.graph, problem, pipeline="staged"))
    found = ktir_module(specified.kernels, 4)
    assert not specified.limits
    assert not found.limits
    return found.text


def test_a_sum(golden: Callable[[str, str], None]) -> None:
    golden("ktir/add.mlir", written(Add(), (512, 1024), (512, 1024)))


def test_a_product(golden: Callable[[str, str], None]) -> None:
    golden("ktir/matmul.mlir", written(Matmul(), (512, 1024), (1024, 256)))


@pytest.mark.parametrize("name", ["softmax", "mlp", "attention"])
def test_an_example(name: str, golden: Callable[[str, str], None]) -> None:
    golden(f"ktir/{name}.mlir", exported(name, 4).text)


def test_a_relayout(golden: Callable[[str, str], None]) -> None:
    golden("ktir/relayout.mlir", exported("mismatch", 4, MOVED).text)
