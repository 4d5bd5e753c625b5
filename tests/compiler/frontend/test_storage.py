"""Buffers that ops fill lie in the order of their dims, whatever order what they read was in."""

from collections.abc import Callable

import pytest
from torch import Tensor

from tests.compiler.frontend.lowered import HALF, loops, noise

MODELS: dict[str, Callable[[Tensor], Tensor]] = {
    "reduced, then used": lambda x: x.transpose(1, 0).amax(2).relu(),
    "summed, then scaled": lambda x: x.transpose(1, 0).sum(2) * 3,
    "permuted": lambda x: x.permute(1, 2, 0, 3).amax(1) * 3,
    "pointwise": lambda x: (x.transpose(1, 0).relu() + 1).sum(-1) * 2,
    "mean": lambda x: x.transpose(0, 1).mean(2, keepdim=True) - x.transpose(0, 1),
}


@pytest.mark.parametrize("name", MODELS)
def test_every_write_follows_the_strides_of_its_buffer(name: str) -> None:
    program = loops(MODELS[name], noise(3, 5, 7, 70, dtype=HALF))
    buffers = program.buffer_map
    for op in program.ops:
        buffer = buffers[op.write.buffer]
        moving = [loop for loop in op.output_loops if loop.extent > 1]
        steps = [stride for size, stride in zip(buffer.shape, buffer.strides, strict=True) if size > 1]
        assert [op.write.index.coefficient(loop.name) for loop in moving] == steps
