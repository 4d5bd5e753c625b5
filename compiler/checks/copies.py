"""Copies: what an op that only moves elements may do to sticks, and whether an inserted one is of the kind it says.

Owns the rule of pure copies, in the program or inserted, and the truth of edit kinds.  Refuses every op that computes.
"""

from __future__ import annotations

from compiler.checks.case import Operand
from compiler.checks.image import Image
from compiler.checks.lanes import alignment_fault
from compiler.layout import StickLayout
from compiler.loops import Load, LoopOp, OpKind
from compiler.plan import HOMEWARD, EditKind


def pure_copy(op: LoopOp, operands: tuple[Operand, ...]) -> bool:
    """True if an op moves single elements and does nothing else: no mask, no gather, no other dtype."""
    if op.kind is not OpKind.POINTWISE or len(op.reads) != 1 or len(op.body) != 1 or op.results != (0,):
        return False
    load = op.body[0]
    if not isinstance(load, Load) or load.mask is not None:
        return False
    if any(operand.access.index.gathers for operand in operands):
        return False
    return all(operand.buffer.dtype is load.dtype for operand in operands)


def turns_sticks(source: Operand, target: Operand) -> bool:
    """True if a copy has sticks along one loop and makes sticks along another."""
    return len(source.lane_loops) == len(target.lane_loops) == 1 and source.lane_loops != target.lane_loops


def turned_fault(source: Operand, target: Operand) -> str:
    """Why a copy that turns sticks cannot: each side must stand in its sticks where its own loop does."""
    for operand in (source, target):
        if isinstance(operand.image, Image):
            fault = alignment_fault(operand.image, next(iter(operand.lane_loops)), operand.lanes)
            if fault:
                return f"{operand.buffer.name} {fault}"
    return ""


def inserted_fault(source: Operand, target: Operand) -> str:
    """An inserted copy: into any layout and arrangement, but never single elements out of many sticks into one."""
    if target.lane_loops and not source.lane_loops:
        return f"{source.buffer.name} has one element per stick, which no copy can gather into full sticks"
    return ""


def kind_fault(kind: EditKind, source: StickLayout, target: StickLayout) -> str:
    """Why an inserted copy is not what its kind says, as the end of a sentence; '' if it is."""
    if kind in HOMEWARD:
        return "" if source == target else f"is a {kind}, but {_difference(source, target)}"
    turned = _stick(source) != _stick(target)
    if kind is EditKind.RESTICKIFY:
        return "" if turned else f"is a restickify, but both sides have {_words(target)}"
    if turned:
        return f"is a {kind}, but turns {_words(source)} into {_words(target)}"
    moved = source.dim_order != target.dim_order
    if kind is EditKind.REORDER:
        return "" if moved else f"is a reorder, but both sides have the dim order {target.dim_order}"
    if moved:
        return f"is a pad, but changes the dim order {source.dim_order} into {target.dim_order}"
    before, after = dict(source.padding), dict(target.padding)
    for dim, size in before.items():
        if after.get(dim, 0) < size:
            return f"is a pad, but takes away zeros along dim {dim}, which is padded to {size}"
    return "" if before != after else "is a pad, but adds no zeros"


def _difference(source: StickLayout, target: StickLayout) -> str:
    """What two layouts that should be equal differ in, as a clause."""
    if _stick(source) != _stick(target):
        return f"turns {_words(source)} into {_words(target)}"
    if source.dim_order != target.dim_order:
        return f"changes the dim order {source.dim_order} into {target.dim_order}"
    if source.padding != target.padding:
        return f"changes the zeros along dims from {source.padding} to {target.padding}"
    return f"changes the device sizes {source.device_size} into {target.device_size}"


def _stick(layout: StickLayout) -> tuple[int, int, str]:
    return layout.stick_dim, layout.device_size[-1], layout.arrangement


def _words(layout: StickLayout) -> str:
    if layout.sparse:
        return "one value per stick"
    return f"sticks of {layout.device_size[-1]} along dim {layout.stick_dim}, arranged {layout.arrangement}"
