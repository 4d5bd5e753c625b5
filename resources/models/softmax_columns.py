"""Softmax along the columns of a matrix, for the study of what its intermediates cost."""

import torch
from torch import Tensor, nn


class ColumnSoftmax(nn.Module):
    """Probabilities along the first dimension."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.softmax(x, dim=0)


def factory(rows: int = 512, columns: int = 1024) -> tuple[nn.Module, tuple[Tensor, ...]]:
    """The module and a matrix [rows, columns] in float16."""
    torch.manual_seed(0)
    return ColumnSoftmax().eval(), (torch.randn(rows, columns, dtype=torch.float16),)
