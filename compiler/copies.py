"""Copies: ops that only move values, which the hardware can write with other sticks than it reads.

Owns what a pure copy is, and when one transposes.  Refuses inserted edits: their kind says what they do.
"""

from __future__ import annotations

from collections.abc import Mapping

from compiler.coordinates import lane_loops, walk_of
from compiler.layout import StickLayout
from compiler.loops import Buffer, Load, LoopOp, OpKind


def is_pure_copy(op: LoopOp, buffers: Mapping[str, Buffer]) -> bool:
    """True for a clone or a permuting copy: one read, not masked and not gathered, written as it is in its own type.

    Such an op restickifies on its own (facts 2.5): its source may have sticks along one loop, its result along another.
    """
    if op.kind is not OpKind.POINTWISE or len(op.reads) != 1 or len(op.writes) != 1:
        return False
    if len(op.body) != 1 or op.results != (0,):
        return False
    load, read, write = op.body[0], op.reads[0], op.writes[0]
    if not isinstance(load, Load) or load.mask is not None or read.index.gathers or write.index.gathers:
        return False
    return buffers[read.buffer].dtype is load.dtype is buffers[write.buffer].dtype


def transposes(op: LoopOp, buffers: Mapping[str, Buffer], layouts: Mapping[str, StickLayout]) -> bool:
    """True for a pure copy that reads sticks of one loop and writes sticks of another."""
    if not is_pure_copy(op, buffers):
        return False
    source, target = (
        lane_loops(walk_of(op, access, buffers[access.buffer]), layouts[access.buffer])
        for access in (op.reads[0], op.writes[0])
    )
    return bool(source and target and source != target)
