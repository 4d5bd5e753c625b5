"""Operators of our own in the traced graph: the contraction and the pooling windows.

Owns their schemas, shapes and plain PyTorch meaning, so that a decomposed graph still runs in eager mode.  Refuses
loops: what they become is `lowerings`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import torch

NAMESPACE = "spyre_studio"
# What a decomposition returns to say that the call stays as it is.
KEPT = cast(torch.Tensor, NotImplemented)
_LIBRARY = torch.library.Library(NAMESPACE, "DEF")  # type: ignore[no-untyped-call]
_LIBRARY.define("matmul(Tensor x, Tensor y, ScalarType? dtype=None) -> Tensor")  # type: ignore[no-untyped-call]
_LIBRARY.define("window_max(Tensor x, int[] kernel, int[] stride, int[] dilation) -> Tensor")  # type: ignore[no-untyped-call]
_LIBRARY.define("window_sum(Tensor x, int[] kernel, int[] stride, int[] dilation) -> Tensor")  # type: ignore[no-untyped-call]


def matmul(x: torch.Tensor, y: torch.Tensor, dtype: torch.dtype | None = None) -> torch.Tensor:
    """[*batch, m, k] x [*batch, k, n] -> [*batch, m, n]; batch dims broadcast and nothing is expanded to say so."""
    result: torch.Tensor = torch.ops.spyre_studio.matmul.default(x, y, dtype)
    return result


def window_max(x: torch.Tensor, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int]) -> torch.Tensor:
    """Largest value of each window over the last `len(kernel)` dims; no padding."""
    result: torch.Tensor = torch.ops.spyre_studio.window_max.default(x, kernel, stride, dilation)
    return result


def window_sum(x: torch.Tensor, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int]) -> torch.Tensor:
    """Sum of each window over the last `len(kernel)` dims; no padding."""
    result: torch.Tensor = torch.ops.spyre_studio.window_sum.default(x, kernel, stride, dilation)
    return result


def broadcast(left: Sequence[int], right: Sequence[int]) -> list[int]:
    """The shape that both shapes broadcast to.

    >>> broadcast([4, 1], [8])
    [4, 8]
    """
    return [int(size) for size in torch.broadcast_shapes(tuple(left), tuple(right))]  # type: ignore[no-untyped-call]


def window_sizes(
    sizes: Sequence[int], kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int]
) -> list[int]:
    """Number of window positions along each dim.

    >>> window_sizes([7], [3], [2], [1])
    [3]
    """
    each = zip(sizes, kernel, stride, dilation, strict=True)
    return [(size - spread * (taps - 1) - 1) // step + 1 for size, taps, step, spread in each]


def _matmul_cpu(x: torch.Tensor, y: torch.Tensor, dtype: torch.dtype | None = None) -> torch.Tensor:
    if dtype is None or dtype == x.dtype:
        return torch.matmul(x, y)
    return torch.matmul(x.to(dtype), y.to(dtype))


def _matmul_shape(x: torch.Tensor, y: torch.Tensor, dtype: torch.dtype | None = None) -> torch.Tensor:
    return x.new_empty((*broadcast(x.shape[:-2], y.shape[:-2]), x.shape[-2], y.shape[-1]), dtype=dtype or x.dtype)


def _windows(x: torch.Tensor, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int]) -> torch.Tensor:
    """A view [*outer, *positions, *taps] of x."""
    lead = x.dim() - len(kernel)
    counts = window_sizes(x.shape[lead:], kernel, stride, dilation)
    steps = [width * step for width, step in zip(x.stride()[lead:], stride, strict=True)]
    spreads = [width * spread for width, spread in zip(x.stride()[lead:], dilation, strict=True)]
    return x.as_strided((*x.shape[:lead], *counts, *kernel), (*x.stride()[:lead], *steps, *spreads))


def _window_max_cpu(
    x: torch.Tensor, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int]
) -> torch.Tensor:
    return _windows(x, kernel, stride, dilation).amax(list(range(-len(kernel), 0)))


def _window_sum_cpu(
    x: torch.Tensor, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int]
) -> torch.Tensor:
    return _windows(x, kernel, stride, dilation).sum(list(range(-len(kernel), 0)))


def _window_shape(
    x: torch.Tensor, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int]
) -> torch.Tensor:
    lead = x.dim() - len(kernel)
    return x.new_empty((*x.shape[:lead], *window_sizes(x.shape[lead:], kernel, stride, dilation)))


_LIBRARY.impl("matmul", _matmul_cpu, "CompositeExplicitAutograd")  # type: ignore[no-untyped-call]
_LIBRARY.impl("window_max", _window_max_cpu, "CompositeExplicitAutograd")  # type: ignore[no-untyped-call]
_LIBRARY.impl("window_sum", _window_sum_cpu, "CompositeExplicitAutograd")  # type: ignore[no-untyped-call]
torch.library.register_fake(f"{NAMESPACE}::matmul", _matmul_shape, lib=_LIBRARY)
torch.library.register_fake(f"{NAMESPACE}::window_max", _window_shape, lib=_LIBRARY)
torch.library.register_fake(f"{NAMESPACE}::window_sum", _window_shape, lib=_LIBRARY)
