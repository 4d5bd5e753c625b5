"""What a finished plan must have besides matching sticks: zeros behind the rows of a product, tables with gathered dims
outside.

Owns both rules over sights, and host coordinates of every element an access sees.  Shares no code with the checker.
"""

from collections.abc import Sequence

import numpy as np

from compiler.loops import Load, LoopOp, OpKind
from tests.oracle_sights import Ints, Sight


def rows(one: Sight) -> dict[int, Ints]:
    """The host coordinate along every dim of more than one row, iteration by iteration."""
    found, rest = {}, one.elements
    for dim in sorted(range(len(one.buffer.shape)), key=lambda dim: -one.buffer.strides[dim]):
        if one.buffer.shape[dim] > 1:
            found[dim], rest = np.divmod(rest, one.buffer.strides[dim])
    return found


def tail_fault(op: LoopOp, sights: Sequence[Sight]) -> str:
    """The left operand's last stick is filled up with zeros, the right one must have rows of zeros there."""
    if op.kind not in (OpKind.MATMUL, OpKind.CONV):
        return ""
    first, second = (op.body[place] for place in op.results)
    assert isinstance(first, Load)
    assert isinstance(second, Load)
    left, right = sights[first.read], sights[second.read]
    for loop in left.lane_loops():
        extent = op.extents[loop]
        if extent % left.lanes and right.depends_on(loop):
            return _behind(right, loop, extent, (extent // left.lanes + 1) * left.lanes)
    return ""


def _behind(right: Sight, loop: str, extent: int, count: int) -> str:
    """Iterations extent .. count - 1 of the loop read rows of zeros."""
    axis = right.loops.index(loop)
    others = tuple(other for other in range(right.happens.ndim) if other != axis)
    where = rows(right)
    moved = [dim for dim, row in where.items() if right.changes(row, axis)]
    if len(moved) != 1 or not right.happens.any(axis=others).all():
        return f"{loop} moves the dims {moved}, not a single one all along"
    dim = moved[0]
    starts = np.unique((where[dim] - right.values_of(loop))[right.happens])
    if len(starts) != 1:
        return f"dim {dim} is not walked row by row"
    if int(where[dim][right.happens].max()) != right.buffer.shape[dim] - 1:
        return f"dim {dim} has rows behind the last one"
    if right.layout.stick_dim == dim:
        return f"dim {dim} is on the stick"
    padded = [size for other, size in right.layout.padding if other == dim]
    return "" if padded and padded[0] >= int(starts[0]) + count else f"dim {dim} has too few zeros"


def table_fault(sights: Sequence[Sight]) -> str:
    """Dims that are indexed by data come first on the device, dims of one row left out, and none is on the stick."""
    for one in sights:
        gathered = {
            dim
            for axis in range(len(one.loops), one.elements.ndim)
            for dim, row in rows(one).items()
            if one.changes(row, axis)
        }
        order = one.layout.dim_order or (-1,)
        dims = [*order[1:-1], order[-1], *(order[:1] if len(order) > 1 else ()), order[-1]]
        wide = [dim for dim, size in zip(dims, one.layout.device_size, strict=True) if size > 1]
        if one.layout.stick_dim in gathered or set(wide[: len(gathered)]) != gathered:
            return f"{one.buffer.name} is indexed along {sorted(gathered)}, its device dims are {wide}"
    return ""
