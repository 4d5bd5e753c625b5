"""Normalisations and the statistics they stand on, in the type of their input.

Owns mean, variance and the layer, group, RMS and batch norms.  Refuses Welford's one-pass form, which the device has no
loop for: a variance is the mean of squared differences.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


def mean(
    x: Tensor, dims: Sequence[int] | None = None, keepdim: bool = False, *, dtype: torch.dtype | None = None
) -> Tensor:
    """Sum, then divide by the number of elements."""
    values = x if dtype is None or dtype == x.dtype else x.to(dtype)
    over = list(dims) if dims else list(range(x.dim()))
    return torch.sum(values, over, keepdim) / _count(x, over)


def var(
    x: Tensor, dims: Sequence[int] | None = None, *, correction: float | None = None, keepdim: bool = False
) -> Tensor:
    """Mean of squared differences, over `n - correction`."""
    return _moments(x, dims, correction, keepdim)[0]


def std(
    x: Tensor, dims: Sequence[int] | None = None, *, correction: float | None = None, keepdim: bool = False
) -> Tensor:
    """Square root of `var`."""
    return torch.sqrt(_moments(x, dims, correction, keepdim)[0])


def var_mean(
    x: Tensor, dims: Sequence[int] | None = None, *, correction: float | None = None, keepdim: bool = False
) -> tuple[Tensor, Tensor]:
    """Variance and mean."""
    return _moments(x, dims, correction, keepdim)


def std_mean(
    x: Tensor, dims: Sequence[int] | None = None, *, correction: float | None = None, keepdim: bool = False
) -> tuple[Tensor, Tensor]:
    """Standard deviation and mean."""
    variance, middle = _moments(x, dims, correction, keepdim)
    return torch.sqrt(variance), middle


def layer_norm(
    x: Tensor, shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Result, mean and reciprocal deviation over the last `len(shape)` dims."""
    over = list(range(x.dim() - len(shape), x.dim()))
    middle = mean(x, over, True)
    centred = x - middle
    inverse = torch.rsqrt(mean(centred * centred, over, True) + eps)
    return _scale_and_shift(centred * inverse, weight, bias), middle, inverse


def rms_norm(x: Tensor, shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    """x / sqrt(mean(x*x) + eps) * weight."""
    return fused_rms_norm(x, shape, weight, eps)[0]


def fused_rms_norm(
    x: Tensor, shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> tuple[Tensor, Tensor]:
    """Result and reciprocal root mean square."""
    over = list(range(x.dim() - len(shape), x.dim()))
    floor = torch.finfo(x.dtype).eps if eps is None else eps
    inverse = torch.rsqrt(mean(x * x, over, True) + floor)
    return _scale_and_shift(x * inverse, weight, None), inverse


def group_norm(
    x: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    batch: int,
    channels: int,
    spatial: int,
    groups: int,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """Result, mean and reciprocal deviation of each group of channels."""
    grouped = x.reshape(batch, groups, channels // groups, spatial)
    middle = mean(grouped, [2, 3], True)
    centred = grouped - middle
    inverse = torch.rsqrt(mean(centred * centred, [2, 3], True) + eps)
    result = (centred * inverse).reshape(x.shape)
    shape = (channels, *[1] * (x.dim() - 2))
    scaled = _scale_and_shift(
        result, None if weight is None else weight.view(shape), None if bias is None else bias.view(shape)
    )
    return scaled, middle.reshape(batch, groups), inverse.reshape(batch, groups)


def batch_norm_inference(
    x: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor,
    running_var: Tensor,
    momentum: float,  # noqa: ARG001 (part of the ATen signature)
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """One scale and one shift per channel, computed from the weights alone, then applied."""
    scale = torch.rsqrt(running_var + eps)
    if weight is not None:
        scale = scale * weight
    shift = -running_mean * scale
    if bias is not None:
        shift = shift + bias
    shape = (-1, *[1] * (x.dim() - 2))
    result = x * scale.to(x.dtype).view(shape) + shift.to(x.dtype).view(shape)
    return result, x.new_empty((0,)), x.new_empty((0,))


def _scale_and_shift(x: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    scaled = x if weight is None else x * weight
    return scaled if bias is None else scaled + bias


def _moments(x: Tensor, dims: Sequence[int] | None, correction: float | None, keepdim: bool) -> tuple[Tensor, Tensor]:
    over = list(dims) if dims else list(range(x.dim()))
    middle = mean(x, over, True)
    centred = x - middle
    degrees = max(_count(x, over) - (1 if correction is None else correction), 0)
    variance = torch.sum(centred * centred, over, keepdim) / degrees
    return variance, middle if keepdim else middle.reshape(variance.shape)


def _count(x: Tensor, dims: Sequence[int]) -> int:
    count = 1
    for dim in dims:
        count *= x.shape[dim]
    return count
