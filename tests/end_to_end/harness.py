"""One trace and one eager run per model, shared by the tests that go from a model to verified numbers."""

from __future__ import annotations

from functools import cache

from compiler.captured import Captured
from compiler.compilation import Compilation
from compiler.device import load_device
from compiler.frontend.capture import capture_program, tensor_inputs, trace
from compiler.frontend.eager import Reference, reference, run
from compiler.frontend.load import load
from compiler.loops import ModelSource
from compiler.pins import Pins
from compiler.pipeline import compile_problem
from compiler.problem import Problem
from simulator.functional.verify import verify
from simulator.report import VerifyReport
from tests.casebook import CASES


@cache
def model(name: str) -> tuple[Captured, Reference]:
    """A case of the casebook or a bundled example: captured, and run by PyTorch itself."""
    if name not in CASES:
        return load(name), reference(name)
    module, inputs = CASES[name]()
    traced = trace(module, inputs, {})
    users = [entry[0] for entry in tensor_inputs(traced) if entry[1].kind.name == "USER_INPUT"]
    return capture_program(traced, name, ModelSource(name)), run(traced, dict(zip(users, inputs, strict=True)), 0)


def compiled(name: str, cores: int, pins: Pins | None = None, pipeline: str = "staged") -> Compilation:
    """The compilation of a model for some cores of a Spyre."""
    captured = model(name)[0]
    problem = Problem(captured.program, load_device("spyre").with_cores(cores), pins or Pins())
    return compile_problem(captured.graph, problem, pipeline=pipeline)


def verified(name: str, compilation: Compilation, poison: bool = True) -> VerifyReport:
    """The compiled program run on the simulator and compared with PyTorch."""
    numbers = model(name)[1]
    return verify(compilation.program, numbers.inputs, numbers.outputs, poison=poison)
