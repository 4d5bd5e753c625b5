"""Attention of several heads, written out in matrix products."""

import torch
from torch import Tensor, nn


class Attention(nn.Module):
    """softmax(q kᵀ · scale) v for each head."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.scale = width**-0.5

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        scores = torch.matmul(q, k.transpose(-2, -1)) * self.scale
        weights = torch.softmax(scores, dim=-1)
        return torch.matmul(weights, v)


def factory(heads: int = 4, sequence: int = 512, width: int = 64) -> tuple[nn.Module, tuple[Tensor, ...]]:
    """The module and q, k, v of [heads, sequence, width] in float16."""
    torch.manual_seed(0)
    q, k, v = (torch.randn(heads, sequence, width, dtype=torch.float16) for _ in range(3))
    return Attention(width).eval(), (q, k, v)
