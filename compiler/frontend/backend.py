"""`torch.compile(model, backend="spyre_studio")`: the second door to the same lowering.

Owns the registration and the list of what was captured.  Refuses to execute plans: the compiled function runs eagerly,
and each graph that Dynamo finds is recorded as a captured model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch._dynamo import register_backend
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from compiler.captured import Captured
from compiler.frontend.capture import capture_module
from compiler.frontend.factory import Example, faked
from compiler.loops import ModelSource

NAME = "spyre_studio"
captured: list[Captured] = []
"""Models in the order in which Dynamo handed their graphs over, since the process began or the list was cleared."""


@register_backend(name=NAME)
def record(module: torch.fx.GraphModule, inputs: Sequence[torch.Tensor]) -> Callable[..., object]:
    """Record one graph; what is returned runs it as it is."""
    twin = torch.fx.GraphModule(module, module.graph)  # its weights are replaced, the caller's are not
    example = faked(Example(twin, tuple(inputs), {}), FakeTensorMode(shape_env=ShapeEnv()))
    captured.append(capture_module(example.module, example.args, {}, f"graph.{len(captured)}", ModelSource(NAME)))
    run: Callable[..., object] = module.forward
    return run
