"""Tails: what a contraction reads beyond its last contracted element, and what must stand there (facts 2.6).

The left operand is read in whole sticks along a reduced loop; hardware takes what lies beyond the loop as zero there,
but multiplies it with as many rows of the right operand, which therefore must hold zeros.  Owns which dim of the right
operand has to be longer, and why that cannot be where it cannot.  Refuses to choose who writes the zeros.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from compiler.coordinates import lane_loops, moves_dim
from compiler.errors import UnsupportedError
from compiler.layout import StickLayout, stick_layout
from compiler.loops import Access, Buffer, Load, LoopOp, OpKind, Role
from compiler.spaces import layout_of
from compiler.walks import Part, Walk, walk_of

CONTRACTIONS = (OpKind.MATMUL, OpKind.CONV)


@dataclass(frozen=True, slots=True)
class Tail:
    """Read `read` of a contraction, its right operand, needs host dim `dim` to be `size` long on the device, because
    `loop` of `extent` steps is read in sticks of `lanes`.  With a `fault`, a clause, no padding can give it that."""

    read: int
    loop: str
    extent: int
    lanes: int
    dim: int = -1
    size: int = 0
    fault: str = ""

    @property
    def whole(self) -> int:
        """Steps of the loop in whole sticks."""
        return -(-self.extent // self.lanes) * self.lanes

    def filled(self, layout: StickLayout) -> bool:
        """True if a layout of the right operand holds enough zeros."""
        return dict(layout.padding).get(self.dim, 0) >= self.size


def factors_of(op: LoopOp) -> tuple[int, int]:
    """Numbers of the reads of the left and right operand of a contraction; ValueError for any other op."""
    loads = [step.read for step in (op.body[place] for place in op.results) if isinstance(step, Load)]
    if op.kind not in CONTRACTIONS or len(loads) != 2:
        raise ValueError(f"{op.name} is not a contraction of two operands")
    return loads[0], loads[1]


def tail_of(op: LoopOp, buffers: Mapping[str, Buffer], layouts: Mapping[str, StickLayout]) -> Tail | None:
    """The tail of a contraction; None if its loop ends with a stick, or the right operand stays the same along it."""
    left, right = factors_of(op)
    layout = layout_of(layouts, op.reads[left].buffer)
    along = lane_loops(_walk(op, op.reads[left], buffers), layout)
    loop = next((one for one in op.loops if one.role is Role.REDUCTION and {one.name} == along), None)
    if loop is None or loop.extent % layout.elements_per_stick == 0:
        return None
    tail = Tail(right, loop.name, loop.extent, layout.elements_per_stick)
    walk = _walk(op, op.reads[right], buffers)
    moved = [part for part in walk.parts if loop.name in part.loops and _moved(walk, part)]
    if walk.known and not moved:
        return None
    dims = _moved(walk, moved[0]) if moved else []
    fault = _fault(walk, moved, loop.name, layout_of(layouts, op.reads[right].buffer).stick_dim)
    fault = fault or _end_fault(walk, dims[0], tail)
    if fault:
        return replace(tail, fault=fault)
    return replace(tail, dim=dims[0], size=walk.start[dims[0]] + tail.whole)


def padded(layout: StickLayout, buffer: Buffer, padding: Iterable[tuple[int, int]]) -> StickLayout:
    """The layout with zeros up to these device sizes of host dims, or as far as it has them already."""
    longer = dict(layout.padding)
    for dim, size in padding:
        longer[dim] = max(size, longer.get(dim, 0))
    lanes, order = layout.elements_per_stick, layout.dim_order
    return stick_layout(buffer.shape, buffer.strides, lanes, order, layout.arrangement, tuple(sorted(longer.items())))


def refuse_tail(op: LoopOp, buffer: Buffer, tail: Tail) -> UnsupportedError:
    """The error for a right operand that cannot be given zeros: op, source line, tensor, figures, remedy."""
    where = f" ({op.origin.source})" if op.origin.source else ""
    why = (
        f"{tail.loop} has {tail.extent} steps and is read in sticks of {tail.lanes}, up to step {tail.whole}, so that "
        f"{buffer.name} {list(buffer.shape)} must hold zeros behind its last row along {tail.loop}, but it {tail.fault}"
    )
    remedy = (
        f"make {tail.loop}, the contracted size, a multiple of {tail.lanes} ({tail.whole}), or clone {buffer.name} as "
        "the product reads it in a step of its own"
    )
    return UnsupportedError(f"{op.name}{where}", why, remedy)


def _walk(op: LoopOp, access: Access, buffers: Mapping[str, Buffer]) -> Walk:
    return walk_of(op, access, buffers[access.buffer])


def _moved(walk: Walk, part: Part) -> list[int]:
    return [dim for dim in range(len(walk.shape)) if moves_dim(part, dim)]


def _fault(walk: Walk, moved: list[Part], loop: str, stick_dim: int) -> str:
    """Why the rows along the loop are not those of one dim, one after the other."""
    if not walk.known:
        return "is read through floors and remainders over too many points to follow"
    if walk.masked:
        return "is read under a mask"
    part, dims = moved[0], _moved(walk, moved[0])
    if len(moved) > 1 or part.table is not None:
        return f"does not move one row per step of {loop}"
    if len(dims) > 1 or part.steps[dims[0]] != 1:
        return f"moves {' and '.join(f'{part.steps[dim]} of dim {dim}' for dim in dims)} per step of {loop}"
    others = [other for other in walk.parts if other is not part and moves_dim(other, dims[0])]
    if others:
        names = " and ".join(sorted({name or "an index" for other in others for name in other.names}))
        return f"is moved along dim {dims[0]} by {names} too"
    return f"has its sticks along dim {stick_dim}, that of {loop}" if dims[0] == stick_dim else ""


def _end_fault(walk: Walk, dim: int, tail: Tail) -> str:
    last, size = walk.start[dim] + tail.extent - 1, walk.shape[dim]
    return "" if last == size - 1 else f"is read up to row {last} of dim {dim}, which has {size}"
