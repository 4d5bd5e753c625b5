"""An imported plan computes on the simulated device, bit for bit, what the plan does that it was exported from."""

from __future__ import annotations

import pytest
import torch

from compiler.compilation import Compilation
from compiler.emit.op_specs import op_specs
from compiler.loops import BufferKind
from compiler.read.imported import imported
from simulator.functional.execute import Execution
from tests.compiler.formats.exported import example


def results(compilation: Compilation, values: dict[str, torch.Tensor]) -> list[torch.Tensor]:
    given = [tensor.name for tensor in compilation.program.tensors if tensor.kind is not BufferKind.COMPUTED]
    execution = Execution(compilation.program, {name: values[name] for name in given})
    for _ in execution.steps:
        execution.run()
    return [execution.output(view) for view in compilation.program.outputs]


@pytest.mark.parametrize(
    ("name", "pipeline"), [("softmax", "co-optimized"), ("rmsnorm", "staged"), ("mismatch", "staged")]
)
def test_imported_plans_compute_the_same(name: str, pipeline: str) -> None:
    ours = example(name, pipeline=pipeline)
    theirs = imported(op_specs(ours).kernels, ours.problem.program.name, ours.problem.device).compilation
    torch.manual_seed(1)
    values = {
        tensor.name: torch.randn(tensor.shape).to(getattr(torch, tensor.dtype.torch_name))
        for tensor in ours.program.tensors
        if tensor.kind is not BufferKind.COMPUTED
    }
    for mine, other in zip(results(ours, values), results(theirs, values), strict=True):
        assert torch.equal(mine, other)
