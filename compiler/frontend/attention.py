"""Attention as contractions and a softmax.

Owns the decomposition of scaled dot product attention.  Refuses to copy: K and V of a group of heads are read once by
broadcasting them over the group, and a causal mask is a comparison of two loop counters.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from compiler.frontend.operators import matmul


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,  # noqa: ARG001 (part of the ATen signature; a compiled model never drops)
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,  # noqa: ARG001 (the head counts say it)
) -> Tensor:
    """[*, heads, s, d], [*, kv heads, t, d], [*, kv heads, t, v] -> [*, heads, s, v]."""
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scaled = query * factor
    if query.dim() < 3 or key.dim() < 3 or query.shape[-3] == key.shape[-3] or key.shape[-3] == 1:
        return _attend(scaled, key, value, attn_mask, is_causal)
    groups = key.shape[-3]
    grouped = _by_group(scaled, groups)
    mask = None if attn_mask is None else _mask_by_group(attn_mask, groups)
    result = _attend(grouped, key.unsqueeze(-3), value.unsqueeze(-3), mask, is_causal)
    return result.reshape(*query.shape[:-1], value.shape[-1])


def flash_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    attn_mask: Tensor | None = None,
    scale: float | None = None,
) -> tuple[Tensor, Tensor]:
    """The form PyTorch picks on a CPU; its second result (for training) is left empty."""
    result = attention(query, key, value, attn_mask, dropout_p, is_causal, scale=scale)
    return result, query.new_empty(query.shape[:-1], dtype=torch.float32)


def _by_group(heads: Tensor, groups: int) -> Tensor:
    """[*, heads, s, d] -> [*, groups, heads per group, s, d], a view for any strides."""
    *outer, count, rows, width = heads.shape
    return heads.view(*outer, groups, count // groups, rows, width)


def _mask_by_group(mask: Tensor, groups: int) -> Tensor:
    if mask.dim() < 3:
        return mask
    return mask.unsqueeze(-3) if mask.shape[-3] == 1 else _by_group(mask, groups)


def _attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, is_causal: bool) -> Tensor:
    scores = matmul(query, key.transpose(-1, -2))
    if is_causal:
        row = torch.arange(scores.shape[-2], device=scores.device).unsqueeze(-1)
        column = torch.arange(scores.shape[-1], device=scores.device)
        scores = torch.where(column <= row, scores, -math.inf)
    if mask is not None:
        scores = torch.where(mask, scores, -math.inf) if mask.dtype == torch.bool else scores + mask
    return matmul(torch.softmax(scores, -1), value)
