"""Tail: what a contraction reads beyond its operands where the contracted loop ends inside a stick (facts 2.6).

Owns which loop does so, how many iterations are missing to the end of the stick, and what they do to the result.  The
hardware sets the rest of that stick to zero in the left operand only; the right operand is read to the end of the
stick, and zero times a NaN that lies there is a NaN.  Refuses addresses: those are `address.AccessMap`'s.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from compiler.loops import Access, Load, LoopOp, OpKind, Role
from simulator.functional.address import AccessMap
from simulator.functional.space import Space


@dataclass(frozen=True, slots=True)
class Tail:
    """`count` iterations beyond the `extent` of the loop at `place`; `read` is the number of the right operand."""

    place: int
    extent: int
    count: int
    read: int


def tail_of(op: LoopOp, map_of: Callable[[Access], AccessMap]) -> Tail | None:
    """The tail of a contraction, None where the left operand has whole sticks; `map_of` knows where a read goes."""
    if op.kind not in (OpKind.MATMUL, OpKind.CONV):
        return None
    operands = [op.body[place] for place in op.results]
    reads = [each.read for each in operands if isinstance(each, Load) and each.dtype.is_float]
    if len(reads) != 2:
        return None  # zero times any integer is zero
    left = map_of(op.reads[reads[0]])
    assert left.layout is not None
    lanes = left.layout.elements_per_stick
    for place, loop in enumerate(op.loops):
        if loop.role is Role.REDUCTION and loop.extent % lanes and left.lanes_of(loop.name):
            return Tail(place, loop.extent, -loop.extent % lanes, reads[1])
    return None


def spoil(space: Space, result: Tensor, right: Tensor) -> Tensor:
    """A contraction's result over the output loops, after zeros were multiplied with what the right operand has in the
    tail (a tensor of the loops' rank)."""
    right = right.to(torch.float32)
    if right.isfinite().all():
        return result
    folded = [place for place, loop in enumerate(space.loops) if loop.role is Role.REDUCTION]
    return result + (right * 0.0).sum(dim=folded)
