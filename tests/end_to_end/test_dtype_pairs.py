"""Conversions executed: what a planned conversion computes on the simulated device is what PyTorch computes."""

import pytest
import torch

from compiler.device import load_device
from compiler.dtypes import DType
from compiler.graph import ModelGraph
from compiler.pins import Pins
from compiler.pipeline import compile_problem
from compiler.problem import Problem
from simulator.functional.elements import torch_dtype
from simulator.functional.verify import verify
from tests.dtype_pairs import PAIRS, conversion, has_step


@pytest.mark.parametrize(("source", "target"), [pair for pair in PAIRS if has_step(*pair)])
def test_a_planned_conversion_computes_what_pytorch_does(source: DType, target: DType) -> None:
    loops = conversion(source, target, 3, 40)  # rows end within a stick in every width
    problem = Problem(loops, load_device("spyre").with_cores(3), Pins())
    program = compile_problem(ModelGraph(loops.name, (), (), ()), problem).program
    x = (torch.arange(3 * 40) % 7 * 16).reshape(3, 40).to(torch_dtype(source))
    report = verify(program, {"x": x}, {"out0": x.to(torch_dtype(target))})
    assert report.fault == ""
    assert report.ok
    assert report.outputs[0].comparison.differing == 0
