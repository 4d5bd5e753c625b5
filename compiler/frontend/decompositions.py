"""Decompositions: which ATen calls are rewritten into simpler ones before lowering, and how.

Owns the table handed to `ExportedProgram.run_decompositions`: Inductor's own, with the entries below in place of
those that would widen half precision, hide a contraction or copy what a loop nest can read in place.  Refuses loops
and layouts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor

from compiler.frontend.attention import attention, flash_attention
from compiler.frontend.inductor import decompositions
from compiler.frontend.norms import (
    batch_norm_inference,
    fused_rms_norm,
    group_norm,
    layer_norm,
    mean,
    rms_norm,
    std,
    std_mean,
    var,
    var_mean,
)
from compiler.frontend.operators import KEPT, matmul
from compiler.frontend.pooling import adaptive_average, average, maximum

aten = torch.ops.aten
Decomposition = Callable[..., object]


def table() -> dict[object, Decomposition]:
    """ATen overload -> function of the same signature written in simpler calls."""
    entries = decompositions()
    for overload in _KEPT:
        entries.pop(overload, None)
    return {**entries, **_OURS}


@contextmanager
def half_stays_half() -> Iterator[None]:
    """PyTorch's reference decompositions compute half types in fp32; the device computes them as they are."""
    import torch._prims_common as common

    widened = common._computation_dtype_map
    common._computation_dtype_map = {dtype: dtype for dtype in widened}
    try:
        yield
    finally:
        common._computation_dtype_map = widened


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x @ weight.T + bias; the weight is read through its strides."""
    result = general_matmul(x, weight.transpose(-1, -2) if weight.dim() == 2 else weight)
    return result if bias is None else result + bias


def general_matmul(x: Tensor, y: Tensor) -> Tensor:
    """torch.matmul with its rules for vectors."""
    left = x.unsqueeze(0) if x.dim() == 1 else x
    right = y.unsqueeze(-1) if y.dim() == 1 else y
    result = matmul(left, right)
    if y.dim() == 1:
        result = result.squeeze(-1)
    if x.dim() == 1:
        result = result.squeeze(-2 if y.dim() > 1 else -1)
    return result


def addmm(bias: Tensor, x: Tensor, y: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta*bias + alpha*(x @ y) for matrices and for batches of them."""
    product = matmul(x, y)
    scaled = product if alpha == 1 else product * alpha
    return scaled if beta == 0 else scaled + (bias if beta == 1 else bias * beta)


def scaled_mm(
    x: Tensor,
    y: Tensor,
    scale_x: Tensor,
    scale_y: Tensor,
    bias: Tensor | None = None,
    scale_result: Tensor | None = None,
    out_dtype: torch.dtype | None = None,
    use_fast_accum: bool = False,  # noqa: ARG001 (part of the ATen signature)
) -> Tensor:
    """fp8 contraction accumulated in fp32, then scaled."""
    result = matmul(x, y, torch.float32) * scale_x * scale_y
    if bias is not None:
        result = result + bias
    if scale_result is not None:
        result = result * scale_result
    return result.to(out_dtype or x.dtype)


def softmax(x: Tensor, dim: int, half_to_float: bool) -> Tensor:
    """max, sub, exp, sum, div: the five steps of the device, in the input's type."""
    wide = x.float() if half_to_float else x
    raised = torch.exp(wide - torch.amax(wide, dim, True))
    return raised / torch.sum(raised, dim, True)


def log_softmax(x: Tensor, dim: int, half_to_float: bool) -> Tensor:
    """x - max - log(sum(exp(x - max)))."""
    wide = x.float() if half_to_float else x
    shifted = wide - torch.amax(wide, dim, True)
    return shifted - torch.log(torch.sum(torch.exp(shifted), dim, True))


def total(
    x: Tensor, dims: Sequence[int] | None = None, keepdim: bool = False, *, dtype: torch.dtype | None = None
) -> Tensor:
    """Sum whose change of type is a call of its own."""
    wanted = dtype or (torch.int64 if not x.dtype.is_floating_point else x.dtype)
    if wanted == x.dtype:
        return KEPT
    return torch.sum(x.to(wanted), list(dims or range(x.dim())), keepdim)


def total_all(x: Tensor, *, dtype: torch.dtype | None = None) -> Tensor:
    """Sum over everything."""
    wanted = dtype or (torch.int64 if not x.dtype.is_floating_point else x.dtype)
    return torch.sum(x.to(wanted), list(range(x.dim())))


def max_dim(x: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """Largest values and their places as two reductions."""
    return torch.amax(x, dim, keepdim), torch.argmax(x, dim, keepdim)


def min_dim(x: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """Smallest values and their places as two reductions."""
    return torch.amin(x, dim, keepdim), torch.argmin(x, dim, keepdim)


def unset(sizes: Sequence[int], *, dtype: torch.dtype | None = None, **_: object) -> Tensor:
    """Memory that nobody has written yet: zeros, so that a plan is the same every time."""
    return torch.full(sizes, 0, dtype=dtype or torch.get_default_dtype())


def unset_strided(sizes: Sequence[int], strides: Sequence[int], **options: object) -> Tensor:  # noqa: ARG001
    """Like `unset`; the order of dims in memory is the compiler's own matter."""
    return unset(sizes, **options)  # type: ignore[arg-type]


# One primitive on the device, or a loop nest of our own lowering.
_KEPT = (
    aten.cat.default,
    aten.gelu.default,
    aten.silu.default,
    aten.constant_pad_nd.default,
    aten.max_pool2d_with_indices.default,
)
_OURS: dict[object, Decomposition] = {
    aten.linear.default: linear,
    aten.matmul.default: general_matmul,
    aten.mm.default: matmul,
    aten.bmm.default: matmul,
    aten.mv.default: general_matmul,
    aten.dot.default: general_matmul,
    aten.addmm.default: addmm,
    aten.baddbmm.default: addmm,
    aten._scaled_mm.default: scaled_mm,
    aten._int_mm.default: lambda x, y: matmul(x, y, torch.int32),
    aten._softmax.default: softmax,
    aten._log_softmax.default: log_softmax,
    aten.scaled_dot_product_attention.default: attention,
    aten._scaled_dot_product_flash_attention_for_cpu.default: flash_attention,
    aten.native_layer_norm.default: layer_norm,
    aten.native_group_norm.default: group_norm,
    aten.rms_norm.default: rms_norm,
    aten._fused_rms_norm.default: fused_rms_norm,
    aten._native_batch_norm_legit_no_training.default: batch_norm_inference,
    aten.mean.default: mean,
    aten.mean.dim: mean,
    aten.var.correction: var,
    aten.std.correction: std,
    aten.var_mean.correction: var_mean,
    aten.std_mean.correction: std_mean,
    aten.sum.default: total_all,
    aten.sum.dim_IntList: total,
    aten.max.dim: max_dim,
    aten.min.dim: min_dim,
    aten.max_pool1d.default: maximum,
    aten.max_pool2d.default: maximum,
    aten.max_pool3d.default: maximum,
    aten.avg_pool1d.default: average,
    aten.avg_pool2d.default: average,
    aten.avg_pool3d.default: average,
    aten._adaptive_avg_pool2d.default: adaptive_average,
    aten.adaptive_avg_pool2d.default: adaptive_average,
    aten.empty.memory_format: unset,
    aten.empty_strided.default: unset_strided,
    aten.empty_permuted.default: unset_strided,
}
