"""Searches: host ops that look for values along a dim.

Owns the table of their targets, and that neither what is searched nor what is found has that dim on its sticks.
Refuses to know what they compute.
"""

from __future__ import annotations

import json

from frozendict import frozendict

from compiler.checks.case import Operand
from compiler.loops import LoopOp, OpaqueCall

# Target -> which argument is the dim; without one the last dim is searched.
DIM_OF = frozendict(
    {
        "aten.topk.default": 2,
        "aten.kthvalue.default": 2,
        "aten.sort.default": 1,
        "aten.sort.stable": 1,
        "aten.argsort.default": 1,
        "aten.argsort.stable": 1,
        "aten.median.dim": 1,
        "aten.nanmedian.dim": 1,
        "aten.mode.default": 1,
    }
)


def search_fault(op: LoopOp, operands: tuple[Operand, ...]) -> str:
    """Why a host op cannot search or find in these layouts; '' if it can, or does not search."""
    if op.call is None or op.call.target not in DIM_OF:
        return ""
    searched = _searched(op.call, operands)
    if searched is None:
        return "searches along a dim that its arguments do not tell"
    operand, dim = searched
    if dim is None:
        return ""
    if _along(operand, dim):
        return f"searches dim {dim} of {operand.buffer.name}, which is on its stick"
    rank = len(operand.buffer.shape)
    for result in operands:
        if result.write and len(result.buffer.shape) == rank and _along(result, dim):
            return f"finds along dim {dim} of {result.buffer.name}, which is on its stick"
    return ""


def _along(operand: Operand, dim: int) -> bool:
    """True if a stick has several values of the dim; a stick dim of one element has one value per stick."""
    return operand.layout.stick_dim == dim and operand.buffer.shape[dim] > 1


def _searched(call: OpaqueCall, operands: tuple[Operand, ...]) -> tuple[Operand, int | None] | None:
    """What is searched along which dim, None for a tensor without dims; None if the arguments do not say."""
    given = dict(call.keywords).get("dim") or next(iter(call.arguments[DIM_OF[call.target] :]), "-1")
    try:
        tensor, dim = (json.loads(text) for text in (*call.arguments[:1], given))
    except ValueError:
        return None
    if not isinstance(tensor, dict) or not isinstance(dim, int):
        return None
    for operand in operands:
        if not operand.write and operand.number == tensor.get("read"):
            rank = len(operand.buffer.shape)
            if rank == 0:
                return operand, None
            return (operand, dim % rank) if -rank <= dim < rank else None
    return None
