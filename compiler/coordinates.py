"""Coordinates: where an access of an op meets the sticks of a layout.  Analysis only; nothing is decided here.

For legality (loop names; '' stands for a gathered value):
    walk_of(op, access, buffer) -> Walk                  how the access moves through the host dims (compiler.walks)
    lane_loops(walk, layout) -> frozenset[str]           loops that move the lane, the column along the stick
    column_follows(walk, layout, loop, modulus) -> bool  is column == loop (mod modulus)?  loop None: always lane 0?
    column_offset(walk, layout, loop, modulus)           by how much the column is ahead of the loop
    depends_on(walk, loop) -> bool                       does the loop move the access at all, also through gathers?
For ownership, per core of a division or for any ranges of the loops:
    core_boxes(op, access, buffer, layout, division) -> Boxes
    boxes(walk, layout, ranges) -> Boxes
Boxes holds arrays (cores, device dims) `start` and `size`: the hull of the device coordinates walked, the lane always
whole.  `exact[core]` says that the elements walked are all (not padding) elements of that hull.  A gathered, masked or
unresolved access is never exact; a gathered dim counts as walked whole.  Core k of the arrays is core k of the
division; cores beyond `division.cores` idle and are not listed.

Everything is computed from one range per loop and core, never by walking the iteration space.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from compiler.division import Division
from compiler.layout import SPARSE, Arrangement, StickLayout
from compiler.loops import Access, Buffer, Loop, LoopOp
from compiler.meetings import all_met, moves_dim
from compiler.walks import Part, Walk, walk_of

__all__ = [
    "Boxes",
    "boxes",
    "column_follows",
    "column_offset",
    "core_boxes",
    "core_ranges",
    "depends_on",
    "device_dims",
    "lane_loops",
    "most_walked",
    "moves_dim",
    "stick_columns",
    "walk_of",
]
_Ints = NDArray[np.int64]
_Bools = NDArray[np.bool_]
Bounds = tuple[_Ints, _Ints]


# Lanes


def lane_loops(walk: Walk, layout: StickLayout) -> frozenset[str]:
    """Loops on which the column along the stick dim depends modulo the lanes of `layout`; '' is a gathered value.

    Empty for sparse layouts and for a stick dim of size 1.  An unresolved walk names all loops it could depend on.
    """
    dim = layout.stick_dim
    if dim == SPARSE or walk.shape[dim] <= 1:
        return frozenset()
    return _moving(walk, dim, layout.elements_per_stick)


@lru_cache(maxsize=1 << 15)
def _moving(walk: Walk, dim: int, lanes: int) -> frozenset[str]:
    found: set[str] = set()
    for part in walk.parts:
        if part.table is None:
            if part.steps[dim] % lanes:
                found.add(part.names[0])
            continue
        lane = part.values(dim, walk.ranges) % lanes
        for axis, name in enumerate(part.loops):
            if np.any(lane != np.take(lane, [0], axis=axis)):
                found.add(name)
    if not walk.known:
        found |= walk.index_loops | {""}
    return frozenset(found)


def column_follows(walk: Walk, layout: StickLayout, loop: str | None, modulus: int) -> bool:
    """True if, at every iteration, column along the stick == value of `loop` modulo `modulus` (None: lane 0 always)."""
    return column_offset(walk, layout, loop, modulus) == 0


def column_offset(walk: Walk, layout: StickLayout, loop: str | None, modulus: int) -> int | None:
    """By how much the column along the stick is ahead of `loop` (None: of lane 0), modulo `modulus`.

    None if that is not the same at every iteration: another step than 1, another loop, no stick.
    """
    dim = layout.stick_dim
    if dim == SPARSE or walk.shape[dim] <= 1:
        return 0 if loop is None else None
    lanes = stick_columns(layout) if loop is None else modulus
    return _offset(walk, dim, loop, lanes) if walk.known else None


@lru_cache(maxsize=1 << 15)
def _offset(walk: Walk, dim: int, loop: str | None, modulus: int) -> int | None:
    total, found = walk.start[dim], loop is None
    for part in walk.parts:
        ahead = _ahead(walk, part, dim, loop)
        found |= loop in part.loops
        if isinstance(ahead, tuple):
            step, first, count = ahead
            if step % modulus and count > 1:
                return None
            total += step * first
        elif ahead.size:
            anchor = int(ahead.flat[0])
            if np.any((ahead - anchor) % modulus):
                return None
            total += anchor
    return total % modulus if found else None


def _ahead(walk: Walk, part: Part, dim: int, loop: str | None) -> tuple[int, int, int] | _Ints:
    """A part's summand less the value of `loop` if that is one of its loops; plain ones as (step, first, count)."""
    mine = loop in part.loops
    if part.table is None:
        first, last = walk.ranges.get(part.names[0], (0, part.extents[0]))
        return part.steps[dim] - mine, first, last - first
    values = part.values(dim, walk.ranges)
    if not mine or loop is None:
        return values
    axis = part.loops.index(loop)
    shape = [1] * values.ndim
    shape[axis] = -1
    return values - np.arange(*walk.ranges.get(loop, (0, part.extents[axis])), dtype=np.int64).reshape(shape)


def depends_on(walk: Walk, loop: str) -> bool:
    """True if the loop changes which element is accessed, directly or through a gathered value."""
    if loop in walk.chosen_by or (not walk.known and loop in walk.index_loops):
        return True
    return any(loop in part.loops and _stirs(part, loop) for part in walk.parts)


def _stirs(part: Part, loop: str) -> bool:
    if part.table is None:
        return any(part.steps)
    axis = part.loops.index(loop) + 1
    return bool(np.any(part.table != np.take(part.table, [0], axis=axis)))


# Device dims


def device_dims(layout: StickLayout) -> tuple[int, ...]:
    """Host dim (-1: none) of every device dim; the stick dim appears twice, its whole sticks before the lane."""
    order = tuple(max(dim, SPARSE) for dim in layout.dim_order)
    if len(order) < 2:
        return (order[0], order[0]) if order else (SPARSE, SPARSE)
    return (*order[1:-1], order[-1], order[0], order[-1])


def outer_dim(layout: StickLayout) -> int:
    """The device dim that counts whole sticks along the stick dim."""
    return max(len(layout.device_size) - 3, 0)


def stick_columns(layout: StickLayout) -> int:
    """Columns along the stick dim that cannot be told apart by whole sticks: the lanes, two sticks' worth where casts
    interleave pairs of sticks.  A slice that is not a multiple shares sticks with its neighbour."""
    pairs = layout.arrangement is Arrangement.F16_TO_F32 and not layout.sparse
    return layout.elements_per_stick * (2 if pairs else 1)


# Boxes


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """Per core: first device coordinate and size of the hull walked, arrays (cores, device dims); `exact`: (cores,)."""

    start: _Ints
    size: _Ints
    exact: _Bools
    element_bytes: int

    @property
    def bytes(self) -> _Ints:
        """Device bytes of every core's box."""
        return np.asarray(self.size.prod(axis=1) * self.element_bytes, dtype=np.int64)


def core_boxes(op: LoopOp, access: Access, buffer: Buffer, layout: StickLayout, division: Division) -> Boxes:
    """The box of `buffer` that every core of `division` walks through `access` of `op`."""
    return _core_boxes(walk_of(op, access, buffer), layout, op.loops, division)


@lru_cache(maxsize=1 << 14)
def _core_boxes(walk: Walk, layout: StickLayout, loops: tuple[Loop, ...], division: Division) -> Boxes:
    """Kept, because equal layers ask again and again; the arrays are shared and therefore read-only."""
    found = boxes(walk, layout, core_ranges(loops, division))
    for array in (found.start, found.size, found.exact):
        array.flags.writeable = False
    return found


def core_ranges(loops: tuple[Loop, ...], division: Division) -> dict[str, Bounds]:
    """Loop -> (first iteration, one past the last) on every core, two arrays (cores,)."""
    cores = np.arange(division.cores, dtype=np.int64)
    splits = {split.loop: split for split in division.splits}
    stride, slots = 1, {}
    for split in division.splits:
        slots[split.loop] = cores // stride % split.factor
        stride *= split.factor
    ranges = {}
    for loop in loops:
        step = splits[loop.name].step if loop.name in splits else loop.extent
        low = slots.get(loop.name, np.zeros_like(cores)) * step
        ranges[loop.name] = (low, np.minimum(low + step, loop.extent))
    return ranges


def boxes(walk: Walk, layout: StickLayout, ranges: Mapping[str, Bounds]) -> Boxes:
    """The boxes walked for ranges of the loops: loop -> (first, one past the last), arrays of equal length (cores,)."""
    cores = len(next(iter(ranges.values()))[0]) if ranges else 1
    if not walk.known:
        return _whole(layout, cores)
    hull = _hull(walk, layout, ranges, cores)
    exact = all_met(walk, hull.bounds, hull.low, hull.high) & ~hull.idle
    return Boxes(hull.start, hull.size, exact, layout.element_bytes)


@lru_cache(maxsize=1 << 14)
def most_walked(walk: Walk, layout: StickLayout, loops: tuple[Loop, ...], division: Division) -> tuple[int, ...]:
    """The most steps that any core takes along every device dim but the lane, at least 1."""
    ranges = core_ranges(loops, division)
    sizes = _hull(walk, layout, ranges, division.cores).size if walk.known else _whole(layout, 1).size
    return tuple(int(size) for size in np.maximum(sizes, 1).max(axis=0)[:-1])


@dataclass(frozen=True, slots=True, eq=False)
class _Hull:
    """Bounds of the parts, host coordinates, device boxes, and which cores idle."""

    bounds: list[Bounds]
    low: _Ints
    high: _Ints
    start: _Ints
    size: _Ints
    idle: _Bools


def _hull(walk: Walk, layout: StickLayout, ranges: Mapping[str, Bounds], cores: int) -> _Hull:
    bounds = [_bounds(walk, part, ranges, cores) for part in walk.parts]
    low, high = _hulls(walk, bounds, cores)
    if walk.clipped:
        low, high = np.maximum(low, 0), np.minimum(high, np.array(walk.shape, dtype=np.int64) - 1)
    low, high = _whole_sticks(walk, layout, low, high, stick_columns(layout))
    start, size = _to_device(layout, low, high, cores)
    idle = np.asarray((size <= 0).any(axis=1), dtype=bool)
    for first, end in bounds:
        idle |= (end <= first).any(axis=0)
    start[idle], size[idle] = 0, 0
    return _Hull(bounds, low, high, start, size, idle)


def _whole(layout: StickLayout, cores: int) -> Boxes:
    size = np.tile(np.array(layout.device_size, dtype=np.int64), (cores, 1))
    return Boxes(np.zeros_like(size), size, np.zeros(cores, bool), layout.element_bytes)


def _bounds(walk: Walk, part: Part, ranges: Mapping[str, Bounds], cores: int) -> Bounds:
    """First and one past the last iteration of every axis of a part, arrays (axes, cores)."""
    firsts, ends = [], []
    for name, extent in zip(part.names, part.extents, strict=True):
        first, end = ranges[name] if name else (np.zeros(cores, np.int64), np.full(cores, extent, np.int64))
        low, high = walk.ranges.get(name, (0, extent))
        firsts.append(np.maximum(first, low))
        ends.append(np.minimum(end, high))
    return np.array(firsts), np.array(ends)


def _hulls(walk: Walk, bounds: list[Bounds], cores: int) -> Bounds:
    """Smallest and largest host coordinates, arrays (cores, host dims)."""
    low = np.tile(np.array(walk.start, dtype=np.int64), (cores, 1))
    high = low.copy()
    for part, (first, end) in zip(walk.parts, bounds, strict=True):
        for dim in range(len(walk.shape)):
            if part.table is not None:
                if not part.table[dim].any():
                    continue
                least, most = _table_ends(part, dim, first, end)
            elif part.steps[dim]:
                ends = part.steps[dim] * first[0], part.steps[dim] * (end[0] - 1)
                least, most = np.minimum(*ends), np.maximum(*ends)
            else:
                continue
            low[:, dim] += least
            high[:, dim] += most
    return low, high


def _table_ends(part: Part, dim: int, first: _Ints, end: _Ints) -> Bounds:
    distinct, where = np.unique(np.concatenate([first, end]), axis=1, return_inverse=True)
    axes = len(part.loops)
    ends = []
    for column in distinct.T:
        chosen = {name: (int(column[axis]), int(column[axes + axis])) for axis, name in enumerate(part.loops)}
        values = part.values(dim, chosen)
        ends.append((int(values.min()), int(values.max())) if values.size else (0, 0))
    found = np.array(ends, dtype=np.int64)[np.ravel(where)]
    return found[:, 0], found[:, 1]


def _whole_sticks(walk: Walk, layout: StickLayout, low: _Ints, high: _Ints, grain: int) -> Bounds:
    """The hull with the stick dim widened to what whole sticks hold."""
    dim = layout.stick_dim
    if dim == SPARSE:
        return low, high
    low, high = low.copy(), high.copy()
    low[:, dim] = low[:, dim] // grain * grain
    high[:, dim] = np.minimum(high[:, dim] // grain * grain + grain, walk.shape[dim]) - 1
    return low, high


def _to_device(layout: StickLayout, low: _Ints, high: _Ints, cores: int) -> Bounds:
    dims, lanes = device_dims(layout), layout.elements_per_stick
    start = np.zeros((cores, len(dims)), dtype=np.int64)
    size = np.ones_like(start)
    for position, dim in enumerate(dims[:-1]):
        if dim == SPARSE:
            continue
        first, last = low[:, dim], high[:, dim]
        if position == outer_dim(layout):
            per_grain = stick_columns(layout) // lanes
            sticks = last // stick_columns(layout) * per_grain + per_grain
            first, last = first // lanes, np.minimum(sticks, layout.device_size[position]) - 1
        start[:, position], size[:, position] = first, last - first + 1
    size[:, -1] = lanes
    return start, size
