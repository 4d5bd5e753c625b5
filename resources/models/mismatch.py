"""ReLU of a negated tensor: two steps whose splits match or do not."""

import torch
from torch import Tensor, nn


class Mismatch(nn.Module):
    """ReLU of the negated input."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(torch.neg(x))


def factory(batch: int = 8, rows: int = 256, columns: int = 512) -> tuple[nn.Module, tuple[Tensor, ...]]:
    """The module and a tensor [batch, rows, columns] in float16."""
    torch.manual_seed(0)
    return Mismatch().eval(), (torch.randn(batch, rows, columns, dtype=torch.float16),)
