"""A batched product whose operands may have any order of dims, for the study of what the order is worth."""

from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor, nn
from torch._guards import active_fake_mode
from torch._subclasses.fake_tensor import FakeTensorMode


class BatchedProduct(nn.Module):
    """relu(x) times a weight, batch by batch."""

    def __init__(self, batches: int, inner: int, columns: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(batches, inner, columns, dtype=torch.float16))

    def forward(self, x: Tensor) -> Tensor:
        return torch.bmm(torch.relu(x), self.weight)


def factory(
    batches: int = 32, rows: int = 1024, inner: int = 1024, columns: int = 1024
) -> tuple[nn.Module, tuple[Tensor, ...]]:
    """The module and x of [batches, rows, inner] in float16, all fake: nothing is computed with them."""
    with _fake_mode():
        x = torch.randn(batches, rows, inner, dtype=torch.float16)
        return BatchedProduct(batches, inner, columns).eval(), (x,)


def _fake_mode() -> AbstractContextManager[object]:
    """The fake mode that is active, or else one of its own: one graph has one mode."""
    return FakeTensorMode() if active_fake_mode() is None else nullcontext()
