"""Softmax along the rows of a matrix."""

import torch
from torch import Tensor, nn


class Softmax(nn.Module):
    """Probabilities along the last dimension."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.softmax(x, dim=-1)


def factory(rows: int = 512, columns: int = 1024) -> tuple[nn.Module, tuple[Tensor, ...]]:
    """The module and a matrix [rows, columns] in float16."""
    torch.manual_seed(0)
    return Softmax().eval(), (torch.randn(rows, columns, dtype=torch.float16),)
