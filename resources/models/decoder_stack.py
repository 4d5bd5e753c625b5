"""Many decoder blocks in a row, for measuring how the compiler scales."""

from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor, nn
from torch._guards import active_fake_mode
from torch._subclasses.fake_tensor import FakeTensorMode

from resources.models.decoder import DecoderLayer, RMSNorm, Sizes


class DecoderStack(nn.Module):
    """Decoder blocks and a last norm."""

    def __init__(self, layers: int, sizes: Sizes) -> None:
        super().__init__()
        self.layers = nn.ModuleList(DecoderLayer(sizes) for _ in range(layers))
        self.norm = RMSNorm(sizes.hidden)

    def forward(self, hidden_states: Tensor) -> Tensor:
        for layer in self.layers:
            hidden_states = layer(hidden_states)
        output: Tensor = self.norm(hidden_states)
        return output


def factory(
    layers: int = 40, hidden: int = 4096, sequence: int = 512, intermediate: int = 12800
) -> tuple[nn.Module, tuple[Tensor, ...]]:
    """The stack and hidden states [1, sequence, hidden] in float16, all fake: the weights of the default take 14 GB."""
    heads = hidden // 128
    sizes = Sizes(hidden, heads, max(1, heads // 4), 128, intermediate, sequence)
    with _fake_mode():
        return DecoderStack(layers, sizes).eval(), (torch.randn(1, sequence, hidden, dtype=torch.float16),)


def _fake_mode() -> AbstractContextManager[object]:
    """The fake mode that is active, or else one of its own: one graph has one mode."""
    return FakeTensorMode() if active_fake_mode() is None else nullcontext()
