"""Pooling as reductions over windows.

Owns padding and the choice of windows.  Refuses window positions as results (they have no loop form): whoever asks for
the indices of a max pool gets the ATen call itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import pad

from compiler.frontend.operators import KEPT, window_max, window_sum


def max_2d(
    x: Tensor,
    kernel: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,),
    ceil_mode: bool = False,
) -> Tensor:
    """torch.max_pool2d on [*, y, x]."""
    if ceil_mode:
        return KEPT
    taps = _pair(kernel)
    lowest = -math.inf if x.dtype.is_floating_point else torch.iinfo(x.dtype).min
    return window_max(_padded(x, _pair(padding), lowest), taps, _pair(stride or taps), _pair(dilation))


def average_2d(
    x: Tensor,
    kernel: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """torch.nn.functional.avg_pool2d on [*, y, x]."""
    taps, margins = _pair(kernel), _pair(padding)
    if ceil_mode or (any(margins) and not count_include_pad):
        return KEPT
    total = window_sum(_padded(x, margins, 0.0), taps, _pair(stride or taps), (1, 1))
    return total / (divisor_override or taps[0] * taps[1])


def adaptive_average(x: Tensor, size: Sequence[int]) -> Tensor:
    """Average pool to a given size, where windows are all alike."""
    height, width = x.shape[-2:]
    rows, columns = _pair(size)
    if (rows, columns) == (1, 1):
        return torch.mean(x, (-2, -1), True)
    if height % rows or width % columns:
        return KEPT
    taps = (height // rows, width // columns)
    return window_sum(x, taps, taps, (1, 1)) / (taps[0] * taps[1])


def _pair(values: Sequence[int]) -> tuple[int, int]:
    return (int(values[0]), int(values[-1]))


def _padded(x: Tensor, margins: tuple[int, int], value: float) -> Tensor:
    if not any(margins):
        return x
    return pad(x, [margins[1], margins[1], margins[0], margins[0]], value=value)
