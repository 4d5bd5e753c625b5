"""Two linear layers with a GELU between them."""

import torch
from torch import Tensor, nn


class MLP(nn.Module):
    """Widen, activate, narrow again."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.up = nn.Linear(width, hidden, dtype=torch.float16)
        self.act = nn.GELU()
        self.down = nn.Linear(hidden, width, dtype=torch.float16)

    def forward(self, x: Tensor) -> Tensor:
        wide = self.act(self.up(x))
        narrow: Tensor = self.down(wide)
        return narrow


def factory(rows: int = 128, width: int = 1024, hidden: int = 4096) -> tuple[nn.Module, tuple[Tensor, ...]]:
    """The module and a matrix [rows, width] in float16."""
    torch.manual_seed(0)
    return MLP(width, hidden).eval(), (torch.randn(rows, width, dtype=torch.float16),)
