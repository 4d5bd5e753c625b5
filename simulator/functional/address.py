"""AccessMap: from loop values to the place of an element in memory.

Owns the coordinates of one access and the blocks (strided views or index tables) that read and write them.  Refuses
values: a block is applied to memory, it holds none.  An access whose coordinates are a sum of one term per loop is
kept as one small table per loop; every other access is spelled out element by element.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from compiler.layout import Arrangement, StickLayout, stick_layout
from compiler.loops import Index, Loop, Term
from simulator.functional.block import Block, Indexed, Steps, Strided, steps_of
from simulator.functional.space import Space

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Frame:
    """A dense box of elements: where it begins in its memory (in elements), first coordinate and size of every dim."""

    base: int
    start: tuple[int, ...]
    size: tuple[int, ...]

    @property
    def strides(self) -> Integers:
        """Elements one step of every dim moves, row-major."""
        return np.cumprod((1, *self.size[:0:-1]), dtype=np.int64)[::-1]


class OutsideError(Exception):
    """An access leaves its frame; the caller knows whose memory it is and says so."""


@dataclass(frozen=True, slots=True)
class _Parts:
    """An access as a sum: base coordinates, then per loop the coordinates and the host offsets it adds."""

    base: Integers
    tables: tuple[Integers, ...]
    offsets: tuple[Integers, ...]


@dataclass(frozen=True, slots=True)
class _Walk:
    """One loop over one range: positions it adds, the same as strides, lowest and highest coordinate added per dim."""

    positions: Integers
    steps: Steps | None
    low: Integers
    high: Integers


class AccessMap:
    """Places of one access; `layout` is None for a host tensor, whose only coordinate is its flat offset."""

    def __init__(self, index: Index, loops: tuple[Loop, ...], layout: StickLayout | None) -> None:
        self.index = index
        self.loops = loops
        self.layout = layout
        self._parts = _separate(index, loops, layout)
        self._walks: dict[tuple[int, tuple[int, int], tuple[int, ...], bool], _Walk] = {}

    @property
    def separable(self) -> bool:
        """True if the coordinates are kept as one table per loop."""
        return self._parts is not None

    def lanes_of(self, loop: str) -> int:
        """Elements per stick if this loop walks the lanes one by one from a stick's start, else 0."""
        if self.layout is None or self.layout.sparse:
            return 0
        still = {each.name: np.zeros(1, dtype=np.int64) for each in self.loops}
        count = next(each.extent for each in self.loops if each.name == loop)
        offsets = self.index.evaluate({**still, loop: np.arange(count, dtype=np.int64)})
        lanes = self.layout.elements_per_stick
        walked = offsets.size > 1 and np.array_equal(_unarranged(self.layout, offsets)[-1], np.arange(count) % lanes)
        return lanes if walked else 0

    def block(self, space: Space, frame: Frame, gathered: Tensor | None = None, active: Tensor | None = None) -> Block:
        """Where the elements of `space` lie; `gathered` adds host offsets, and only `active` iterations count.

        Raises OutsideError if an element lies outside the frame.
        """
        if self._parts is None or gathered is not None or active is not None:
            return self._spelled(space, frame, gathered, active)
        walks = [self._walk(place, ends, frame) for place, ends in enumerate(space.ranges)]
        return self._joined(walks, frame)

    def beyond(self, space: Space, place: int, count: int, frame: Frame, gathered: Tensor | None = None) -> Block:
        """Where `count` more iterations of the loop at `place` would lie, if it went on as it does up to its extent.

        `space` gives the ranges of all other loops.  Raises OutsideError if an element would lie outside the frame, or
        if the loop does not move in equal steps, so that nobody can say where it would go on.
        """
        extent = self.loops[place].extent
        if self._parts is None or gathered is not None:
            return self._spelled_beyond(space, place, count, frame, gathered)
        walks = [self._walk(other, ends, frame) for other, ends in enumerate(space.ranges) if other != place]
        walks.insert(place, self._walk(place, (extent, extent + count), frame, beyond=True))
        return self._joined(walks, frame)

    def hull(self, space: Space) -> tuple[Integers, Integers]:
        """Lowest and highest coordinate (included) of every dim over a space; gathered values are left out."""
        if self._parts is None:
            coordinates = self.coordinates(space, None)
            flat = coordinates.reshape(len(coordinates), -1)
            return flat.min(axis=1), flat.max(axis=1)
        low = high = self._parts.base
        for place, ends in enumerate(space.ranges):
            rows = self._rows(place, *ends)
            low, high = low + rows.min(axis=1), high + rows.max(axis=1)
        return low, high

    def _joined(self, walks: list[_Walk], frame: Frame) -> Block:
        """The block of a sum of walks, one per loop."""
        assert self._parts is not None
        low, high = self._parts.base, self._parts.base
        for walk in walks:
            low, high = low + walk.low, high + walk.high
        _check(low[:, None], high[:, None], frame)
        first = frame.base + int(((self._parts.base - np.array(frame.start)) * frame.strides).sum())
        steps = tuple(walk.steps for walk in walks if walk.steps is not None)
        if len(steps) == len(walks):
            shape = tuple(len(walk.positions) for walk in walks)
            return Strided(first + sum(int(walk.positions[0]) for walk in walks), shape, steps)
        return Indexed(_added(first, walks), None)

    def _walk(self, place: int, ends: tuple[int, int], frame: Frame, *, beyond: bool = False) -> _Walk:
        key = (place, ends, frame.size, beyond)
        if key not in self._walks:
            rows = self._rows_beyond(place, *ends) if beyond else self._rows(place, *ends)
            positions = (rows * frame.strides[:, None]).sum(axis=0)
            self._walks[key] = _Walk(positions, steps_of(positions), rows.min(axis=1), rows.max(axis=1))
        return self._walks[key]

    def _rows(self, place: int, low: int, high: int) -> Integers:
        """Coordinates one loop adds, shape (dims, iterations); beyond the extent lanes go on, the rest stays."""
        assert self._parts is not None
        table = self._parts.tables[place]
        extent = table.shape[1]
        if high <= extent:
            return table[:, low:high]
        rows = table[:, np.minimum(np.arange(low, high), extent - 1)]
        if self.layout is None or not self.lanes_of(self.loops[place].name):
            return rows
        raw = _unarranged(self.layout, self._parts.offsets[place])
        outer, lanes = _outer(self.layout), self.layout.elements_per_stick
        columns = raw[outer, -1] * lanes + raw[-1, -1] + np.arange(1, high - extent + 1)
        stick = _vector(self.layout.device_size[outer] * lanes, lanes, self.layout.arrangement).coordinates(columns)
        rows[outer, extent - low :], rows[-1, extent - low :] = stick[0], stick[1]
        return rows

    def _rows_beyond(self, place: int, low: int, high: int) -> Integers:
        assert self._parts is not None
        table = self._parts.tables[place]
        return _onward(table[:, :1], table[:, -2:-1], table[:, -1:], low - 1, np.arange(1, high - low + 1)[None])

    def _spelled(self, space: Space, frame: Frame, gathered: Tensor | None, active: Tensor | None) -> Indexed:
        offsets = self._offsets(space, gathered)
        if active is not None:
            shape = np.broadcast_shapes(offsets.shape, tuple(active.shape))
            active = active.broadcast_to(shape)
            offsets = np.broadcast_to(offsets, shape)[active.numpy()]
        coordinates = offsets[None] if self.layout is None else self.layout.coordinates(offsets)
        return Indexed(positions(coordinates, frame), active)

    def _spelled_beyond(self, space: Space, place: int, count: int, frame: Frame, gathered: Tensor | None) -> Indexed:
        if gathered is not None and gathered.shape[place] > 1:
            raise OutsideError
        last = self.loops[place].extent - 1
        ends = [self.coordinates(space.at(place, value), gathered) for value in (0, last - 1, last)]
        shape = [1] * (1 + len(self.loops))
        shape[1 + place] = count
        steps = np.arange(1, count + 1).reshape(shape)
        return Indexed(positions(_onward(ends[0], ends[1], ends[2], last, steps), frame), None)

    def _offsets(self, space: Space, gathered: Tensor | None) -> Integers:
        """Host offset of every element, with as many axes as loops."""
        offsets = self.index.evaluate(space.grid())
        offsets = offsets.reshape(offsets.shape or (1,) * len(space.loops))
        return offsets if gathered is None else np.asarray(offsets + gathered.numpy())

    def coordinates(self, space: Space, gathered: Tensor | None = None) -> Integers:
        """Coordinates of every element, shape (dims, then one axis per loop, size 1 where the loop moves nothing)."""
        offsets = self._offsets(space, gathered)
        return offsets[None] if self.layout is None else self.layout.coordinates(offsets)


def _unarranged(layout: StickLayout, offsets: Integers) -> Integers:
    """Coordinates before lanes are rearranged."""
    return replace(layout, arrangement=Arrangement.STANDARD).coordinates(offsets)


def _onward(first: Integers, before: Integers, last: Integers, count: int, steps: Integers) -> Integers:
    """Coordinates so many `steps` after the last; OutsideError if the `count` steps up to it are not all alike."""
    step = last - before
    if (last - first != count * step).any():
        raise OutsideError
    return np.asarray(last + step * steps)


def positions(coordinates: Integers, frame: Frame) -> Tensor:
    """Places of coordinates in memory; OutsideError if one of them lies outside the frame."""
    flat = coordinates.reshape(len(frame.size), -1)
    _check(flat, flat, frame)
    apart = (len(frame.size), *[1] * (coordinates.ndim - 1))
    local = coordinates - np.array(frame.start, dtype=np.int64).reshape(apart)
    return torch.from_numpy(np.asarray(frame.base + (local * frame.strides.reshape(apart)).sum(axis=0)))


def _added(first: int, walks: list[_Walk]) -> Tensor:
    """The position of every iteration; loops that move nothing keep size 1."""
    total = torch.full([1] * len(walks), first, dtype=torch.int64)
    for place, walk in enumerate(walks):
        moving = walk.positions if np.ptp(walk.positions) else walk.positions[:1]
        total = total + torch.from_numpy(moving).view([-1 if axis == place else 1 for axis in range(len(walks))])
    return total


@lru_cache(maxsize=4096)
def access_map(index: Index, loops: tuple[Loop, ...], layout: StickLayout | None) -> AccessMap:
    """The map of an access; equal accesses of repeated layers share one."""
    return AccessMap(index, loops, layout)


def _check(low: Integers, high: Integers, frame: Frame) -> None:
    start = np.array(frame.start)[:, None]
    if (low < start).any() or (high >= start + np.array(frame.size)[:, None]).any():
        raise OutsideError


def _outer(layout: StickLayout) -> int:
    """The device dim that counts sticks along the stick dim."""
    return max(0, len(layout.device_size) - 3)


@lru_cache(maxsize=256)
def _vector(columns: int, lanes: int, arrangement: Arrangement) -> StickLayout:
    """A vector as long as a padded stick dim and arranged alike: it says where the columns of padding lie."""
    return stick_layout((columns,), (1,), lanes, None, arrangement)


def _separate(index: Index, loops: tuple[Loop, ...], layout: StickLayout | None) -> _Parts | None:
    """The access as a sum of one part per loop; None if its coordinates do not simply add up."""
    offsets = _offsets_per_loop(index, loops)
    if offsets is None or any(loop.extent == 0 for loop in loops):
        return None
    base = np.array([index.offset + _constant(index) + sum(int(part.min()) for part in offsets)], dtype=np.int64)
    if base[0] < 0:
        return None
    parts = tuple(part - part.min() for part in offsets)
    if layout is None:
        return _Parts(base, tuple(part[None] for part in parts), parts)
    if not _adds_up((base, *parts), layout):
        return None
    return _Parts(layout.coordinates(base)[:, 0], tuple(layout.coordinates(part) for part in parts), parts)


def _offsets_per_loop(index: Index, loops: tuple[Loop, ...]) -> tuple[Integers, ...] | None:
    """Host offset every loop adds, without constants; None if a term mixes loops or a value is gathered."""
    if index.gathers:
        return None
    axes = {loop.name: np.arange(loop.extent, dtype=np.int64) for loop in loops}
    totals = {name: np.zeros_like(axis) for name, axis in axes.items()}
    for term in index.terms:
        if _linear(term):
            for name, factor in term.loops:
                totals[name] = totals[name] + term.coefficient * factor * axes[name]
        elif len({name for name, _ in term.loops}) == 1:
            totals[term.loops[0][0]] = totals[term.loops[0][0]] + term.evaluate(axes)
        elif term.loops:
            return None
    return tuple(totals.values())


def _linear(term: Term) -> bool:
    return term.divisor == 1 and not term.modulus


def _constant(index: Index) -> int:
    """The part of all terms that `_offsets_per_loop` leaves out."""
    linear = sum(term.coefficient * term.offset for term in index.terms if _linear(term))
    return linear + sum(int(term.evaluate({})) for term in index.terms if not _linear(term) and not term.loops)


def _adds_up(parts: tuple[Integers, ...], layout: StickLayout) -> bool:
    """True if no sum of parts ever carries from one device dim into the next.

    Coordinates are the digits of an offset, largest stride first.  Digits of a sum are the sums of digits exactly if
    what remains after each digit stays below that digit's stride, and the largest remainder of a sum over independent
    loops is the sum of the largest remainders.  Rearranged lanes add up only if a single part moves along the stick.
    """
    plain = replace(layout, arrangement=Arrangement.STANDARD)
    digits = [plain.coordinates(part) for part in parts]
    rests = list(parts)
    for dim in sorted(range(len(layout.stride_map)), key=lambda d: -layout.stride_map[d]):
        stride = layout.stride_map[dim]
        if stride <= 0 or layout.device_size[dim] == 1:
            continue
        rests = [rest - digit[dim] * stride for rest, digit in zip(rests, digits, strict=True)]
        if sum(int(rest.max()) for rest in rests) >= stride:
            return False
    if layout.arrangement is Arrangement.STANDARD or layout.sparse:
        return True
    return sum(bool(digit[[_outer(layout), -1]].any()) for digit in digits) <= 1
