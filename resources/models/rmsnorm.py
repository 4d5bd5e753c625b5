"""Root-mean-square norm of each row, as Llama computes it."""

import torch
from torch import Tensor, nn


class RMSNorm(nn.Module):
    """Divide each row by the root of its mean square, in float32, then scale it in float16."""

    def __init__(self, width: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight = nn.Parameter(1 + torch.randn(width, dtype=torch.float16) / 8)
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.float32)
        square = wide.pow(2).mean(-1, keepdim=True)
        wide = wide * torch.rsqrt(square + self.eps)
        return self.weight * wide.to(x.dtype)


def factory(rows: int = 128, width: int = 1024) -> tuple[nn.Module, tuple[Tensor, ...]]:
    """The module and a matrix [rows, width] in float16."""
    torch.manual_seed(0)
    return RMSNorm(width).eval(), (torch.randn(rows, width, dtype=torch.float16),)
