"""Pooling as reductions over windows.

Owns padding and the choice of windows, in one, two or three dims.  Refuses what windows alone do not say and then keeps
the call as it is: places of maxima, windows that are cut off at the border, divisors that differ from place to place.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import pad

from compiler.frontend.operators import KEPT, window_max, window_sum


def maximum(
    x: Tensor,
    kernel: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,),
    ceil_mode: bool = False,
) -> Tensor:
    """torch.max_pool1d, 2d and 3d over the last dims of x."""
    if ceil_mode:
        return KEPT
    dims = len(kernel)
    lowest = -math.inf if x.dtype.is_floating_point else torch.iinfo(x.dtype).min
    padded = _padded(x, _each(padding, dims), lowest)
    return window_max(padded, kernel, _each(stride or kernel, dims), _each(dilation, dims))


def average(
    x: Tensor,
    kernel: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """torch.avg_pool1d, 2d and 3d over the last dims of x."""
    dims = len(kernel)
    margins = _each(padding, dims)
    if ceil_mode or (any(margins) and not count_include_pad):
        return KEPT
    total = window_sum(_padded(x, margins, 0.0), kernel, _each(stride or kernel, dims), [1] * dims)
    return total / (divisor_override or math.prod(kernel))


def adaptive_average(x: Tensor, size: Sequence[int]) -> Tensor:
    """Average pool over [*, y, x] to a given size, where windows are all alike."""
    height, width = x.shape[-2:]
    rows, columns = size
    if (rows, columns) == (1, 1):
        return torch.mean(x, (-2, -1), True)
    if height % rows or width % columns:
        return KEPT
    taps = [height // rows, width // columns]
    return window_sum(x, taps, taps, [1, 1]) / math.prod(taps)


def _each(values: Sequence[int], dims: int) -> list[int]:
    return [int(value) for value in (values if len(values) == dims else [values[0]] * dims)]


def _padded(x: Tensor, margins: Sequence[int], value: float) -> Tensor:
    if not any(margins):
        return x
    return pad(x, [margin for margin in reversed(margins) for _ in range(2)], value=value)
