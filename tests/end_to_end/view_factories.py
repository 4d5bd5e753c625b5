"""Models that read tensors through views which no stick can follow: several dims within one stick, or a start in the
middle of one.

Owns the factories; the numbers come from eager PyTorch.  Run one with `spyre-studio verify view_factories.py:heads_80`.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.functional import conv2d, scaled_dot_product_attention, unfold

HALF = torch.float16
Example = tuple[nn.Module, tuple[Tensor, ...]]


def noise(*shape: int) -> Tensor:
    """Normal values, the same in each run."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(7)).to(HALF)


class Function(nn.Module):
    """A function of tensors as a module."""

    def __init__(self, function: Callable[..., Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Tensor) -> Tensor:
        return self.function(*inputs)


def of(function: Callable[..., Tensor], *inputs: Tensor) -> Example:
    """An example that is a function of its inputs."""
    return Function(function).eval(), inputs


def made(build: Callable[[], nn.Module], *inputs: Tensor) -> Example:
    """An example whose weights are the same in each run."""
    torch.manual_seed(5)
    return build().eval(), inputs


# Attention


class Attention(nn.Module):
    """Self-attention whose heads lie side by side in one dim of what the projections write."""

    def __init__(self, heads: int, size: int, fused: bool = False, causal: bool = False) -> None:
        super().__init__()
        self.heads, self.size, self.causal = heads, size, causal
        width = heads * size
        self.parts = nn.ModuleList(nn.Linear(width, width, dtype=HALF) for _ in range(0 if fused else 3))
        self.whole = nn.Linear(width, 3 * width, dtype=HALF) if fused else None
        self.out = nn.Linear(width, width, dtype=HALF)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        shape = (batch, length, self.heads, self.size)
        parts = self.whole(x).chunk(3, -1) if self.whole is not None else [part(x) for part in self.parts]
        query, key, value = (part.view(shape).transpose(1, 2) for part in parts)
        mixed = scaled_dot_product_attention(query, key, value, is_causal=self.causal)
        result: Tensor = self.out(mixed.transpose(1, 2).reshape(batch, length, width))
        return result


def heads_80() -> Example:
    """A head is a stick and a quarter."""
    return made(lambda: Attention(4, 80), noise(1, 40, 320))


def heads_96() -> Example:
    """A head is one and a half sticks; two sequences, a causal mask."""
    return made(lambda: Attention(4, 96, causal=True), noise(2, 33, 384))


def heads_32() -> Example:
    """Two heads share a stick."""
    return made(lambda: Attention(4, 32), noise(2, 20, 128))


def heads_80_in_one_projection() -> Example:
    """Queries, keys and values are parts of one tensor."""
    return made(lambda: Attention(4, 80, fused=True), noise(1, 40, 320))


def heads_80_of_one_token() -> Example:
    """A single row: nothing but the row itself to move along."""
    return made(lambda: Attention(4, 80), noise(1, 1, 320))


def encoder_of_heads_96() -> Example:
    """A layer of PyTorch's own, which swaps batch and sequence on the way."""
    return made(lambda: nn.TransformerEncoderLayer(192, 2, 128, batch_first=True, dtype=HALF), noise(2, 20, 192))


class Cached(nn.Module):
    """Keys and values for 128 tokens, of which 100 are there."""

    keys: Tensor
    values: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("keys", noise(4, 128, 64))
        self.register_buffer("values", noise(4, 128, 64).flip(1))

    def forward(self, query: Tensor) -> Tensor:
        return scaled_dot_product_attention(query, self.keys[:, :100], self.values[:, :100])


def cached_100() -> Example:
    """The contraction ends within a stick, and behind its end there are other values."""
    return Cached().eval(), (noise(4, 3, 64),)


def windows_of_pictures() -> Example:
    """7 by 7 windows of a picture attend to themselves: rows and columns are read in pieces."""

    def attend(x: Tensor) -> Tensor:
        parts = x.view(1, 2, 7, 2, 7, 96).permute(0, 1, 3, 2, 4, 5).reshape(4, 49, 3, 32).transpose(1, 2)
        return scaled_dot_product_attention(parts, parts, parts).transpose(1, 2).reshape(4, 49, 96)

    return of(attend, noise(1, 14, 14, 96))


# Flattened


class Flattened(nn.Module):
    """A convolution, flattened for a linear layer."""

    def __init__(self, channels: int, values: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, channels, 3, padding=1, dtype=HALF)
        self.linear = nn.Linear(values, 20, dtype=HALF)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.linear(torch.relu(self.conv(x)).flatten(1))
        return result


def flattened_pictures() -> Example:
    """Rows of 50 are no whole sticks; [4, 3, 50, 50] becomes [4, 7500]."""
    return made(lambda: nn.Sequential(nn.Flatten(), nn.Linear(7500, 32, dtype=HALF)), noise(4, 3, 50, 50))


def flattened_convolution() -> Example:
    """Four pictures, 16 channels."""
    return made(lambda: Flattened(16, 400), noise(4, 3, 5, 5))


def flattened_convolution_of_one_picture() -> Example:
    """One picture: the product goes through its channels, rows and columns."""
    return made(lambda: Flattened(16, 400), noise(1, 3, 5, 5))


def flattened_rows() -> Example:
    """[4, 7, 100] becomes [4, 700]."""
    return of(lambda x, weight: x.reshape(4, 700) @ weight, noise(4, 7, 100), noise(700, 64))


def flattened_channels_last() -> Example:
    """The channels come last, so that they change fastest; one picture."""
    return of(lambda x, weight: x.permute(0, 2, 3, 1).flatten(1) @ weight, noise(1, 16, 5, 5), noise(400, 20))


def flat_function() -> Example:
    """A function of a tensor as one row."""
    return of(lambda x: torch.relu(torch.tanh(x).reshape(128 * 96)) * 2, noise(128, 96))


# Slices, windows and groups


def slice_from_32() -> Example:
    """64 columns from the middle of a stick."""
    return of(lambda x, weight: x[:, 32:96] @ weight, noise(8, 128), noise(64, 64))


def slice_of_a_weight() -> Example:
    """The second factor of a product begins in the middle of a stick."""
    return of(lambda x, weight: x @ weight[:, 32:96], noise(8, 64), noise(64, 128))


def slice_of_both_dims() -> Example:
    """Neither dim begins with a stick."""
    return of(lambda x: x[1:5, 3:70] * 2, noise(9, 133))


def slices_of_both_dims_subtracted() -> Example:
    """Each element minus its neighbour above and to the left."""
    return of(lambda x: x[1:, 1:] - x[:-1, :-1], noise(70, 133))


def slice_below_a_matrix() -> Example:
    """Columns from the third on, put below 96 rows."""
    return of(lambda x, y: torch.cat([x, y[:, 3:]], 0), noise(96, 70), noise(32, 73))


def slice_made_contiguous() -> Example:
    """The copy that its author asks for is a slice of both dims too."""
    return of(lambda x, y: x[1:5, 3:70].contiguous() + y, noise(9, 133), noise(4, 67))


def slice_of_both_dims_as_a_weight() -> Example:
    """The second factor of a product is a slice of both dims."""
    return of(lambda x, weight: x @ weight[1:5, 3:70], noise(9, 4), noise(9, 133))


def slice_of_a_table() -> Example:
    """Rows that indices pick out of a slice of both dims."""
    return of(lambda table, chosen: table[1:, 3:][chosen], noise(9, 133), torch.tensor([1, 2, 5, 5]))


def inside_of_a_picture() -> Example:
    """Each inner element minus the mean of its four neighbours."""

    def rest(x: Tensor) -> Tensor:
        around = x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]
        return x[1:-1, 1:-1] - around / 4

    return of(rest, noise(66, 133))


def every_other_of_both_dims() -> Example:
    """Every second row, every third column."""
    return of(lambda x: x[1::2, 2::3] * 2, noise(9, 133))


def windows_of_rows() -> Example:
    """Windows of 16 values, 8 apart, times a matrix."""
    return of(lambda x, weight: x.unfold(1, 16, 8) @ weight, noise(8, 96), noise(16, 64))


def patches_as_columns() -> Example:
    """Patches of 3 by 3 spelled out, times a matrix."""
    return of(lambda x, weight: weight @ unfold(x, 3), noise(2, 8, 6, 6), noise(32, 72))


def merged_patches() -> Example:
    """Each second row and column of a picture, four times, side by side."""

    def merge(x: Tensor, weight: Tensor) -> Tensor:
        corners = [x[:, row::2, column::2] for column in (0, 1) for row in (0, 1)]
        return torch.cat(corners, -1) @ weight

    return of(merge, noise(1, 8, 8, 24), noise(96, 48))


def narrow_groups() -> Example:
    """Four groups of 8 channels, padded, between other convolutions."""
    return made(
        lambda: nn.Sequential(
            nn.Conv2d(32, 32, 3, padding=1, groups=4, dtype=HALF), nn.ReLU(), nn.Conv2d(32, 48, 1, dtype=HALF)
        ),
        noise(2, 32, 9, 9),
    )


def narrow_groups_with_steps() -> Example:
    """32 groups of 4 channels, each second position, one picture."""
    return of(
        lambda x, weight: conv2d(x, weight, stride=2, padding=1, groups=32), noise(1, 128, 8, 8), noise(128, 4, 3, 3)
    )


def heads_with_a_bias() -> Example:
    """Heads of 80 side by side meet a bias that has them apart."""
    return of(lambda x, bias: x.view(8, 12, 80) + bias, noise(8, 960), noise(12, 80))


# Operands that share no dim


def kronecker() -> Example:
    """Rows and columns of the one between those of the other."""
    return of(torch.kron, noise(7, 3), noise(3, 5))


def every_pair() -> Example:
    """Each element of the one plus each of the other, summed over some."""
    return of(lambda x, y: (x[:, None, :, None] + y[None, :, None, :]).sum((0, 1)), noise(7, 3), noise(3, 64))
