"""Lowerings of our own: what calls become as loop nests where Inductor would pick a library call or a copy.

Owns contraction, convolution, windows, concatenation and the device's activation functions, and the list of calls that
stay opaque.  Refuses to touch Inductor itself: `nests` gives the building blocks.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from compiler.frontend import operators
from compiler.frontend.nests import (
    CONV,
    MATMUL,
    Box,
    Index,
    Lower,
    Target,
    call,
    cast,
    concatenation,
    contraction,
    copy,
    function,
    is_dense,
    product_of,
    reduction,
    sizes_of,
)

aten = torch.ops.aten
spyre = torch.ops.spyre_studio


def matmul(x: Box, y: Box, dtype: torch.dtype | None = None) -> Box:
    """Batched contraction; a batch dim of size 1 is read at 0 for every batch."""
    left, right = sizes_of(x), sizes_of(y)
    batch = operators.broadcast(left[:-2], right[:-2])

    def read_left(index: Index, inner: Index) -> Sequence[object]:
        return [*_batch(index, len(batch), left), index[-2], inner[0]]

    def read_right(index: Index, inner: Index) -> Sequence[object]:
        return [*_batch(index, len(batch), right), inner[0], index[-1]]

    space = [*batch, left[-2], right[-1]], [left[-1]]
    return contraction(MATMUL, (x, y), (read_left, read_right), space, dtype or x.get_dtype())


def _batch(index: Index, count: int, sizes: Sequence[int]) -> list[object]:
    own = sizes[:-2]
    aligned = index[count - len(own) : count]
    return [0 if size == 1 else position for position, size in zip(aligned, own, strict=True)]


def convolution(
    x: Box,
    weight: Box,
    bias: Box | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],  # noqa: ARG001 (part of the ATen signature)
    groups: int,
) -> object:
    """[n, c, *space] * [o, c/groups, *taps] -> [n, o, *positions]; padding is an op of its own."""
    if transposed:
        return NotImplemented
    if any(padding):
        margins = [int(width) for width in reversed(padding) for _ in range(2)]
        x = call(aten.constant_pad_nd.default, x, margins, 0.0)
    taps = sizes_of(weight)[2:]
    steps, spreads = _each(stride, len(taps)), _each(dilation, len(taps))
    positions = operators.window_sizes(sizes_of(x)[2:], taps, steps, spreads)
    window = _Window(taps, steps, spreads, positions)
    if groups == 1:
        result = _dense(x, weight, window)
    elif sizes_of(weight)[:2] == [groups, 1]:
        result = _depthwise(x, weight, window)
    else:
        result = _grouped(x, weight, window, groups)
    if bias is None:
        return result
    return call(aten.add.Tensor, result, call(aten.view.default, bias, [-1] + [1] * len(taps)))


class _Window:
    """Taps, steps and positions of a window over the spatial dims."""

    __slots__ = ("positions", "spreads", "steps", "taps")

    def __init__(self, taps: Sequence[int], steps: Sequence[int], spreads: Sequence[int], positions: Sequence[int]):
        self.taps, self.steps, self.spreads, self.positions = list(taps), steps, spreads, list(positions)

    def at(self, position: Index, tap: Index) -> list[object]:
        """Where a tap of a window position lies."""
        each = zip(position, self.steps, tap, self.spreads, strict=True)
        return [place * step + offset * spread for place, step, offset, spread in each]


def _each(values: Sequence[int], count: int) -> list[int]:
    return [int(value) for value in (values if len(values) == count else [values[0]] * count)]


def _dense(x: Box, weight: Box, window: _Window) -> Box:
    batch, channels = sizes_of(x)[:2]
    out = sizes_of(weight)[0]

    def read_x(index: Index, inner: Index) -> Sequence[object]:
        return [index[0], inner[0], *window.at(index[2:], inner[1:])]

    def read_weight(index: Index, inner: Index) -> Sequence[object]:
        return [index[1], *inner]

    space = [batch, out, *window.positions], [channels, *window.taps]
    return contraction(CONV, (x, weight), (read_x, read_weight), space, x.get_dtype())


def _grouped(x: Box, weight: Box, window: _Window, groups: int) -> Box:
    batch, channels = sizes_of(x)[:2]
    out = sizes_of(weight)[0]
    wide, narrow = channels // groups, out // groups

    def read_x(index: Index, inner: Index) -> Sequence[object]:
        return [index[0], index[1] * wide + inner[0], *window.at(index[3:], inner[1:])]

    def read_weight(index: Index, inner: Index) -> Sequence[object]:
        return [index[1] * narrow + index[2], *inner]

    space = [batch, groups, narrow, *window.positions], [wide, *window.taps]
    result = contraction(CONV, (x, weight), (read_x, read_weight), space, x.get_dtype())
    return call(aten.view.default, result, [batch, out, *window.positions])


def _depthwise(x: Box, weight: Box, window: _Window) -> Box:
    """Each channel by itself: a sum over the taps, with channels as the loop that fills the sticks."""
    batch, channels = sizes_of(x)[:2]
    taps_of = weight.make_loader()

    def product(load: Lower, index: Index, inner: Index) -> object:
        value = load([index[0], index[1], *window.at(index[2:], inner)])
        return product_of(value, taps_of([index[1], 0, *inner]))

    return reduction("sum", x, product, ([batch, channels, *window.positions], window.taps))


def _windows(combine: str) -> Lower:
    def lower(x: Box, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int]) -> Box:
        sizes, count = sizes_of(x), len(kernel)
        positions = operators.window_sizes(sizes[-count:], kernel, stride, dilation)
        window = _Window(kernel, _each(stride, count), _each(dilation, count), positions)

        def value(load: Lower, index: Index, inner: Index) -> object:
            return load([*index[:-count], *window.at(index[-count:], inner)])

        return reduction(combine, x, value, ([*sizes[:-count], *positions], window.taps))

    return lower


def cat(parts: Sequence[Box], dim: int = 0) -> Box:
    """Concatenation with masked reads; empty parts are left out."""
    filled = [part for part in parts if 0 not in sizes_of(part)] or list(parts)[:1]
    if len(filled) == 1:
        return call(aten.clone.default, filled[0])
    dtype = filled[0].get_dtype()
    for part in filled[1:]:
        dtype = torch.promote_types(dtype, part.get_dtype())
    alike = [cast(part, dtype) for part in filled]
    return concatenation(alike, dim % len(sizes_of(filled[0])))


def gelu(x: Box, approximate: str = "none") -> Box:
    """One primitive of the device, exact or by tanh."""
    return function("gelu_tanh" if approximate == "tanh" else "gelu", x)


def silu(x: Box) -> Box:
    """One primitive of the device."""
    return function("silu", x)


def same(x: Box) -> Box:
    """The value itself: nothing writes into it afterwards, because the graph has no side effects any more."""
    return x


def clone(x: Box, *, memory_format: torch.memory_format | None = None) -> Box:  # noqa: ARG001 (memory is ours to lay out)
    """A dense tensor of the same values: a copy only of what is a view."""
    return x if is_dense(x) else copy(x)


def copied(target: Box, source: Box, non_blocking: bool = False) -> Box:  # noqa: ARG001 (part of the ATen signature)
    """What `target` holds after `target.copy_(source)`: the source in the target's type and shape."""
    alike = cast(source, target.get_dtype())
    return alike if sizes_of(source) == sizes_of(target) else call(aten.expand.default, alike, sizes_of(target))


def _nothing(*arguments: object, **keywords: object) -> None:
    """Checks at run time have no place in a plan."""


_CHECKS = "_assert_async _assert_scalar _assert_tensor_metadata sym_constrain_range sym_constrain_range_for_size"


def _overloads(names: str) -> frozenset[Target]:
    packets = [getattr(aten, name) for name in names.split() if hasattr(aten, name)]
    return frozenset(getattr(packet, overload) for packet in packets for overload in packet.overloads())


LOWERINGS: dict[Target, Lower] = {
    spyre.matmul.default: matmul,
    spyre.window_max.default: _windows("max"),
    spyre.window_sum.default: _windows("sum"),
    aten.convolution.default: convolution,
    aten.cat.default: cat,
    aten.gelu.default: gelu,
    aten.silu.default: silu,
    aten.lift_fresh_copy.default: same,
    aten.copy.default: copied,
    aten.clone.default: clone,
    **dict.fromkeys(_overloads(_CHECKS), _nothing),
}

# Calls with no loop form, or whose loop form would write through an index or draw random numbers.
OPAQUE: frozenset[object] = _overloads(
    "sort topk kthvalue median nanmedian mode unique_consecutive cumsum cumprod cummax cummin logcumsumexp histc "
    "bincount index_put _unsafe_index_put index_add index_copy index_fill index_reduce scatter scatter_add "
    "scatter_reduce masked_scatter embedding_bag _embedding_bag searchsorted bucketize max_pool2d_with_indices "
    "max_pool3d_with_indices avg_pool1d avg_pool2d avg_pool3d _adaptive_avg_pool2d _adaptive_avg_pool3d "
    "adaptive_max_pool2d adaptive_max_pool3d fractional_max_pool2d grid_sampler_2d grid_sampler_3d "
    "grid_sampler_2d_vec upsample_nearest1d upsample_nearest2d upsample_nearest3d _upsample_nearest_exact2d "
    "upsample_bilinear2d upsample_bicubic2d reflection_pad1d reflection_pad2d reflection_pad3d replication_pad1d "
    "replication_pad2d replication_pad3d rand randn randint rand_like randn_like randint_like bernoulli normal "
    "multinomial randperm exponential native_dropout _cdist_forward _pdist_forward linalg_qr _linalg_svd "
    "_linalg_eigh triangular_solve cholesky gru lstm roll_ segment_reduce im2col col2im tril_indices triu_indices"
)
