"""Tails: what a contraction reads where its reduced loop ends within a stick.

The hardware sets the rest of that stick to zero in the left operand only, and reads the right one to the end of the
stick: zero times what is no number is no number.  Owns that the right operand has rows of zeros there.  Refuses to
know how they come there: that is `layouts`.
"""

from __future__ import annotations

from compiler.checks.case import Operand
from compiler.checks.host_dims import rows_of
from compiler.checks.image import Image
from compiler.checks.lanes import ahead
from compiler.loops import Load, LoopOp, OpKind


def tail_fault(op: LoopOp, operands: tuple[Operand, ...]) -> str:
    """Why a contraction could read something else than zeros beyond the end of its reduced loop; '' if it does not."""
    sides = _sides(op, operands)
    if sides is None or len(sides[0].lane_loops) != 1:
        return ""
    left, right = sides
    loop = next(iter(left.lane_loops))
    extent = op.extents[loop]
    if extent % left.lanes == 0 or loop not in right.loops or not isinstance(right.image, Image):
        return ""
    fault = _rows_fault(right, loop, extent, -(-extent // left.lanes) * left.lanes)
    reads = f"{loop} of {extent} ends within a stick of {left.lanes} of {left.buffer.name}"
    return f"{reads}, and {right.buffer.name} {fault}" if fault else ""


def _sides(op: LoopOp, operands: tuple[Operand, ...]) -> tuple[Operand, Operand] | None:
    """Left and right operand of a contraction; None for other ops, and for those that `contractions` refuses."""
    if op.kind not in (OpKind.MATMUL, OpKind.CONV):
        return None
    loads = [step.read for step in (op.body[place] for place in op.results) if isinstance(step, Load)]
    reads = {operand.number: operand for operand in operands if not operand.write}
    return (reads[loads[0]], reads[loads[1]]) if len(loads) == 2 else None


def _rows_fault(right: Operand, loop: str, extent: int, count: int) -> str:
    """Why `count` iterations instead of `extent` would not end in zeros of the right operand, as a clause."""
    rows, size_of = rows_of(right), right.buffer.shape
    dims = [dim for dim, loops in enumerate(rows.moving) if loop in loops] if rows else []
    if rows is None or right.domain[loop] != (0, extent):
        return f"is not read in every iteration of {loop}"
    if not dims:
        return f"follows {loop} only through what it gathers, where no rows of zeros can be added"
    if len(dims) > 1:
        return f"follows {loop} along the dims {' and '.join(map(str, dims))}, where no rows of zeros can be added"
    dim = dims[0]
    first = _first_row(rows, dim, loop)
    if first is None:
        return f"moves along dim {dim} by other than one row per iteration of {loop}"
    end = first + extent
    if end != size_of[dim]:
        return (
            f"is read up to row {end - 1} of dim {dim}, behind which there is no zero but row {end} of {size_of[dim]}"
        )
    if dim == right.layout.stick_dim:
        return f"has dim {dim}, along which {loop} moves, on its stick"
    have, wanted = dict(right.layout.padding).get(dim, end), first + count
    return "" if have >= wanted else f"has {have} rows in dim {dim} where {wanted} are read: zeros are missing"


def _first_row(rows: Image, dim: int, loop: str) -> int | None:
    """The row where a loop begins; None if the dim does not move by one row per iteration and with nothing else."""
    first = -rows.first(loop)
    for group in rows.groups:
        added = ahead(rows, group, rows.moved(group, dim), loop, 0)
        if added is None:
            return None
        first += added
    return first
