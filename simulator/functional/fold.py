"""Fold: what reduction loops do to the values of a body.

Owns accumulation: floats in fp32, integers in int64, rounded by whoever writes the result; and how partial results of
several cores are joined.  Contractions are in `contraction`.
"""

from __future__ import annotations

import torch
from torch import Tensor

from compiler.loops import LoopOp, OpKind, Role
from simulator.errors import DeviceError
from simulator.functional.contraction import contract
from simulator.functional.space import Space


def fold(op: LoopOp, space: Space, values: list[Tensor]) -> Tensor:
    """The result over the output loops of the space, in the accumulator's type."""
    if op.kind in (OpKind.MATMUL, OpKind.CONV):
        left, right = (values[place] for place in op.results)
        return contract(space, left, right)
    value = values[op.results[0]]
    return _fold_last(op.combine, rows_of(space, accumulator(value))) if op.combine else value.broadcast_to(space.shape)


def rows_of(space: Space, value: Tensor) -> Tensor:
    """The value over the whole space, its output loops as they are and then all reduction loops as one dim."""
    kept = [place for place, loop in enumerate(space.loops) if loop.role is Role.OUTPUT]
    folded = [place for place, loop in enumerate(space.loops) if loop.role is Role.REDUCTION]
    whole = value.broadcast_to(space.shape).permute(*kept, *folded)
    return whole.reshape([*(space.shape[place] for place in kept), -1])


def accumulator(value: Tensor) -> Tensor:
    """The value in the type sums are kept in."""
    if value.dtype.is_floating_point:
        return value.to(torch.float32)
    return value.to(torch.int64)


def _fold_last(combine: str, rows: Tensor) -> Tensor:
    if combine == "sum":
        return rows.sum(-1)
    if combine == "prod":
        return rows.prod(-1)
    if combine == "max":
        return rows.amax(-1)
    if combine == "min":
        return rows.amin(-1)
    if combine == "any":
        return (rows != 0).any(-1)
    assert combine in ("argmax", "argmin"), combine
    return rows.argmax(-1) if combine == "argmax" else rows.argmin(-1)


def join(op: LoopOp, received: Tensor, own: Tensor) -> Tensor:
    """Two partial results of neighbouring cores as one; a fault where the op's partial results cannot be joined."""
    if received.shape != own.shape:
        sizes = " and ".join("x".join(map(str, part.shape)) for part in (received, own))
        raise DeviceError(f"step {op.name}", f"partial results of {sizes} elements meet on one core")
    if op.kind in (OpKind.MATMUL, OpKind.CONV) or op.combine == "sum":
        return received + own
    if op.combine == "prod":
        return received * own
    if op.combine == "max":
        return torch.maximum(received, own)
    if op.combine == "min":
        return torch.minimum(received, own)
    if op.combine == "any":
        return received | own
    what = op.combine or op.kind
    raise DeviceError(f"step {op.name}", f"partial results of {what} cannot be joined")
