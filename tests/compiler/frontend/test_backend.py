"""torch.compile with our backend: eager numbers, and the same loop nests as a capture."""

from __future__ import annotations

import warnings

import torch
from torch import nn

from compiler.frontend import backend
from tests.compiler.frontend.lowered import loops, noise


def test_a_compiled_module_runs_and_is_recorded() -> None:
    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(8, 4), nn.GELU()).eval()
    x = noise(3, 8)
    backend.captured.clear()
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Dynamo's own, about itself
        result = torch.compile(module, backend=backend.NAME)(x)
        torch._dynamo.reset()
    assert torch.equal(result, module(x))
    (captured,) = backend.captured
    assert captured.program.source.spec == "spyre_studio"
    direct = loops(module, x)
    assert [op.name for op in captured.program.ops] == [op.name for op in direct.ops]
    assert [op.loops for op in captured.program.ops] == [op.loops for op in direct.ops]
    assert [op.body for op in captured.program.ops] == [op.body for op in direct.ops]
    backend.captured.clear()
