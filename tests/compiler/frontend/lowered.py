"""Helpers for tests: small models captured, their loop nests run, their ops found by name."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.utils import _pytree as pytree

from compiler.captured import Captured
from compiler.frontend.capture import capture_program, trace
from compiler.frontend.eager import run
from compiler.loops import Apply, LoopOp, LoopProgram, ModelSource
from simulator.functional.reference import interpret

HALF = torch.float16


class Function(nn.Module):
    """A module around a function of tensors."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: object) -> object:
        return self.function(*inputs)


Model = nn.Module | Callable[..., object]


def noise(*shape: int, dtype: torch.dtype = torch.float32, seed: int = 0) -> Tensor:
    """Normal values, the same in each run."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def numbers(below: int, *shape: int, seed: int = 0) -> Tensor:
    """Whole numbers from 0, the same in each run."""
    return torch.randint(0, below, shape, generator=torch.Generator().manual_seed(seed))


def traced(model: Model, *inputs: object) -> ExportedProgram:
    """The model (a module, or a function of tensors) traced on inputs."""
    module = model if isinstance(model, nn.Module) else Function(model)
    return trace(module.eval(), inputs, {})


def captured(model: Model, *inputs: object) -> Captured:
    """The model captured."""
    return capture_program(traced(model, *inputs), "model", ModelSource("model"))


def loops(model: Model, *inputs: object) -> LoopProgram:
    """The loop nests of the model."""
    return captured(model, *inputs).program


def names(program: LoopProgram) -> list[str]:
    """Names of all ops in order."""
    return [op.name for op in program.ops]


def primitives(op: LoopOp) -> list[str]:
    """What the body of an op applies, in order."""
    return [step.primitive for step in op.body if isinstance(step, Apply)]


def results(program: LoopProgram, inputs: dict[str, Tensor]) -> dict[str, Tensor]:
    """What the loop nests compute, by name of the output."""
    used = {buffer.name for buffer in program.buffers}
    values = interpret(program.ops, program.buffers, {name: inputs[name] for name in inputs if name in used})
    return {
        view.name: values[view.buffer].as_strided(view.shape, view.strides, view.offset) for view in program.outputs
    }


def assert_agrees(model: Model, *inputs: object, slack: float = 1.0) -> LoopProgram:
    """The loop nests compute what PyTorch computes, up to the rounding of a few steps in the type of the result."""
    program = traced(model, *inputs)
    found = capture_program(program, "model", ModelSource("model")).program
    lifted = {**program.state_dict, **program.constants}
    leaves = iter(pytree.tree_leaves((inputs, {})))
    given: dict[str, Tensor] = {}
    for spec in program.graph_signature.input_specs:
        value = next(leaves) if spec.kind is InputKind.USER_INPUT else lifted[str(spec.target)]
        if isinstance(value, Tensor):
            given[str(spec.target) if spec.target else str(spec.arg.name)] = value
    known = run(program, given, seed=0)
    for name, value in results(found, dict(known.inputs)).items():
        expected = known.outputs[name]
        assert (value.shape, value.dtype) == (expected.shape, expected.dtype), name
        finite = expected.double()[expected.double().isfinite()].abs()
        size = float(finite.mean()) if finite.numel() else 1.0
        relative = slack * (2e-3 if expected.dtype == HALF else 1e-4)
        torch.testing.assert_close(value, expected, rtol=relative, atol=relative * size, equal_nan=True, msg=name)
    return found
