"""Sightings: which measured pattern an op follows, read off its accesses and layouts (facts 6.3).

Owns the recognition.  What is not plainly one of the measured forms has no pattern and moves at the default rate: a
broadcast over some of the rows only, copies that keep order, concatenation along the stick.  A copy to another stick
is a restickify, with a rate of its own.  Refuses bandwidths.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from compiler.coordinates import depends_on, device_dims, lane_loops, moves_dim, walk_of
from compiler.copies import is_pure_copy, transposes
from compiler.cost.batching import just_before_stick
from compiler.cost.patterns import Pattern, Sighting
from compiler.layout import StickLayout
from compiler.loops import Access, Buffer, Const, LoopOp, OpKind
from compiler.walks import Walk, hull

EXCHANGED = 2


@dataclass(frozen=True, slots=True)
class _Shape:
    """Loops of more than one step: those that walk rows, and the one along the stick of the result."""

    rows: tuple[str, ...]
    column: str
    extents: Mapping[str, int]

    @property
    def row_count(self) -> int:
        return math.prod(self.extents[name] for name in self.rows)

    def sighting(self, pattern: Pattern) -> Sighting:
        return Sighting(pattern, self.row_count, self.extents[self.column])


def pattern_of(op: LoopOp, buffers: Mapping[str, Buffer], layouts: Mapping[str, StickLayout]) -> Sighting | None:
    """The pattern of an op whose operands and result all are in device memory; None if none was measured."""
    if op.kind not in (OpKind.POINTWISE, OpKind.REDUCTION) or any(loop.extent < 1 for loop in op.loops):
        return None
    if any(access.index.gathers for access in op.accesses) or any(map(op.masked, range(len(op.reads)))):
        return None
    if op.kind is OpKind.REDUCTION:
        return _across_rows(op, buffers, layouts)
    shape = _shape(op, buffers, layouts)
    if shape is None:
        return None
    if not is_pure_copy(op, buffers):
        return _broadcast(op, shape, buffers)
    return None if transposes(op, buffers, layouts) else _copy(op, shape, buffers, layouts)


def _shape(op: LoopOp, buffers: Mapping[str, Buffer], layouts: Mapping[str, StickLayout]) -> _Shape | None:
    """None if the result has not exactly one loop along its stick."""
    written = walk_of(op, op.write, buffers[op.write.buffer])
    along = lane_loops(written, layouts[op.write.buffer])
    if len(along) != 1 or not written.known:
        return None
    (column,) = along
    rows = tuple(loop.name for loop in op.loops if loop.extent > 1 and loop.name != column)
    return _Shape(rows, column, op.extents)


def _across_rows(op: LoopOp, buffers: Mapping[str, Buffer], layouts: Mapping[str, StickLayout]) -> Sighting | None:
    """A reduction that folds no lane of what it reads."""
    folded = {loop.name for loop in op.reduction_loops if loop.extent > 1}
    along = [lane_loops(walk_of(op, read, buffers[read.buffer]), layouts[read.buffer]) for read in op.reads]
    lanes = frozenset[str]().union(*along)
    if not folded or not lanes or folded & lanes or "" in lanes:
        return None
    columns = math.prod(op.extents[name] for name in lanes)
    return Sighting(Pattern.ACROSS_ROWS, op.iterations // columns, columns)


# Broadcasts


def _broadcast(op: LoopOp, shape: _Shape, buffers: Mapping[str, Buffer]) -> Sighting | None:
    """An operand of every element beside one of every column, of every row, or of none; rows and scalars first, the
    broadcast of columns if there is one of each."""
    moved = [_moving(op, read, shape, buffers[read.buffer]) for read in op.reads]
    everything = frozenset((*shape.rows, shape.column))
    if everything not in moved:
        return None
    if frozenset(shape.rows) in moved or frozenset() in moved or any(isinstance(step, Const) for step in op.body):
        return shape.sighting(Pattern.COLUMN)
    repeated = shape.rows and frozenset((shape.column,)) in moved
    return shape.sighting(Pattern.ROW) if repeated else None


def _moving(op: LoopOp, read: Access, shape: _Shape, buffer: Buffer) -> frozenset[str]:
    walk = walk_of(op, read, buffer)
    return frozenset(name for name in (*shape.rows, shape.column) if depends_on(walk, name))


# Copies


def _copy(
    op: LoopOp, shape: _Shape, buffers: Mapping[str, Buffer], layouts: Mapping[str, StickLayout]
) -> Sighting | None:
    read, write = op.reads[0], op.write
    source, target = (walk_of(op, access, buffers[access.buffer]) for access in (read, write))
    if not (source.known and target.known):
        return None
    inside = _part_of(target, layouts[write.buffer])
    if inside is not None:
        return shape.sighting(inside)
    if len(shape.rows) != EXCHANGED:
        return None
    before = _inner_row(source, layouts[read.buffer], shape.rows)
    after = _inner_row(target, layouts[write.buffer], shape.rows)
    if not before or not after or before == after:
        return None
    return Sighting(Pattern.SWAP, shape.extents[before], shape.extents[shape.column], shape.extents[after])


def _part_of(target: Walk, layout: StickLayout) -> Pattern | None:
    """How a copy fills a part of its result only: along the dim just inside the stick, or one place of another dim."""
    covered = {dim: high - low + 1 for dim in range(len(target.shape)) for low, high in (hull(target, dim),)}
    short = {dim for dim, size in covered.items() if size < target.shape[dim]}
    if layout.stick_dim in short:
        return None
    if just_before_stick(layout) in short:
        return Pattern.CONCAT
    return Pattern.STACK if any(covered[dim] == 1 for dim in short) else None


def _inner_row(walk: Walk, layout: StickLayout, rows: tuple[str, ...]) -> str:
    """Of two loops that each walk one dim of their own, the one that walks the inner device dim; '' if they do not."""
    places = []
    for name in rows:
        own = [place for place, host in enumerate(device_dims(layout)[:-1]) if host >= 0 and _walks(walk, name, host)]
        if len(own) != 1:
            return ""
        places.append((own[0], name))
    return max(places)[1] if len({place for place, _ in places}) == len(rows) else ""


def _walks(walk: Walk, loop: str, host: int) -> bool:
    return any(loop in part.loops and moves_dim(part, host) for part in walk.parts)
