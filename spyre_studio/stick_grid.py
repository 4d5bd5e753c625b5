"""Stick grid: a tensor laid flat, as the tensor looks or as its memory lies, and which lane of which stick is where.

Owns: which dims run down and which across, and the ways between a place of the picture, device coordinates and the
index of an element.  Refuses: Qt, cores and addresses, and computing more than it is asked for, so that tensors of any
size can be looked at.

As the tensor looks, columns are its last dim and rows all others, so that sticks lie flat where the last dim is cut and
stand upright where another is.  As memory lies, sticks lie flat in the order of the device dims: columns of sticks side
by side, and blocks of such columns one below the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from compiler.coordinates import device_dims, outer_dim
from compiler.layout import SPARSE, Arrangement, StickLayout

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

COLUMN: Final = -1  # the axis of a grid along which sticks lie: all their lanes, stick after stick
# What is in a lane: an element, nothing defined behind the end of a stick dim, or a zero that fills another dim up (the
# sticks that do are zeros as a whole).
ELEMENT, PADDING, ZERO = 0, 1, 2


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Places along one side of a grid: device coordinates and host indices by dim, and the state each allows."""

    device: dict[int, Ints]
    host: dict[int, Ints]
    state: Bytes


@dataclass(frozen=True, slots=True)
class Place:
    """One lane: its device coordinates, the index of its element (None if there is none), and its state."""

    coordinates: tuple[int, ...]
    index: tuple[int, ...] | None
    state: int


@dataclass(frozen=True, slots=True)
class StickGrid:
    """`down` lists device dims from slowest to fastest, `across` is one; COLUMN stands for stick and lane together."""

    layout: StickLayout
    shape: tuple[int, ...]
    down: tuple[int, ...]
    across: int
    in_memory_order: bool

    @property
    def lanes(self) -> int:
        """Lanes of a stick."""
        return self.layout.elements_per_stick

    @property
    def upright(self) -> bool:
        """True if sticks stand: their lanes lie one below the other."""
        return self.across != COLUMN

    @property
    def rows(self) -> int:
        """Rows of the grid."""
        return prod(self.size_of(axis) for axis in self.down)

    @property
    def columns(self) -> int:
        """Columns of the grid."""
        return self.size_of(self.across)

    @property
    def length(self) -> int:
        """Lanes that lie in a line: those of all sticks along the stick dim."""
        return self.size_of(COLUMN)

    def size_of(self, axis: int) -> int:
        """Places along an axis."""
        size = self.layout.device_size
        return size[outer_dim(self.layout)] * self.lanes if axis == COLUMN else size[axis]

    def dim_of(self, axis: int) -> int:
        """The host dim of an axis, SPARSE for none."""
        return self.layout.stick_dim if axis == COLUMN else device_dims(self.layout)[axis]

    def side_down(self, rows: Ints) -> Side:
        """What these rows fix."""
        return self._side(self.down, rows)

    def side_across(self, columns: Ints) -> Side:
        """What these columns fix."""
        return self._side((self.across,), columns)

    def states(self, rows: Ints, columns: Ints) -> Bytes:
        """State of every lane at `rows` x `columns`."""
        return np.asarray(np.maximum.outer(self.side_down(rows).state, self.side_across(columns).state), np.uint8)

    def place(self, row: int, column: int) -> Place:
        """Everything about one lane."""
        down, across = self.side_down(_one(row)), self.side_across(_one(column))
        device, host = down.device | across.device, down.host | across.host
        state = int(max(down.state[0], across.state[0]))
        index = tuple(int(host[dim][0]) if dim in host else 0 for dim in range(len(self.shape)))
        coordinates = tuple(int(device[place][0]) for place in range(len(self.layout.device_size)))
        return Place(coordinates, index if state == ELEMENT else None, state)

    def find(self, index: Sequence[int]) -> tuple[int, int]:
        """Row and column of an element."""
        dims, outer, along = device_dims(self.layout), outer_dim(self.layout), self.layout.stick_dim
        place = int(index[along]) if along != SPARSE else 0
        if self.in_memory_order:
            place = int(arranged(_one(place), self.layout)[0])
        here = {COLUMN: place}
        for axis in range(len(dims) - 1):
            if axis != outer:
                here[axis] = int(index[dims[axis]]) if dims[axis] != SPARSE else 0
        return self._encode(here)

    def locate(self, coordinates: Sequence[int]) -> tuple[int, int]:
        """Row and column of a lane given by its device coordinates."""
        outer = outer_dim(self.layout)
        place = int(coordinates[outer]) * self.lanes + int(coordinates[-1])
        if not self.in_memory_order:
            place = int(unarranged(_one(place), self.layout)[0])
        here = {axis: int(value) for axis, value in enumerate(coordinates)}
        return self._encode(here | {COLUMN: place})

    def runs(self, place: int) -> tuple[tuple[int, int], ...]:
        """Where along the line the lanes of a stick lie: (first, one past the last) of every run of the stick that has
        the lane at `place`; several where a cast interleaved a pair of sticks."""
        span = 2 * self.lanes if self.layout.arrangement is Arrangement.F16_TO_F32 else self.lanes
        first = place // span * span
        around = np.arange(first, min(first + span, self.length), dtype=np.int64)
        mine = self._sticks(around) == self._sticks(_one(place))
        edges = np.flatnonzero(np.diff(np.concatenate(([0], mine.astype(np.int8), [0]))))
        return tuple((first + int(start), first + int(stop)) for start, stop in edges.reshape(-1, 2))

    def stick_keys(self, numbers: Ints) -> Ints:
        """Equal for rows (columns, where sticks lie flat) that differ in the lane alone."""
        block, place = np.divmod(numbers, self.length)
        return np.asarray(block * (self.length // self.lanes) + self._sticks(place), np.int64)

    def tones(self, places: Ints) -> Bytes:
        """0 or 1 for lanes along the line: which stick of its pair holds a lane, or which half of a pair of sticks its
        element comes from; 0 everywhere in the standard arrangement."""
        if self.layout.sparse or self.layout.arrangement is Arrangement.STANDARD:
            return np.zeros(len(places), np.uint8)
        if self.layout.arrangement is Arrangement.F16_TO_F32:
            return np.asarray(self._sticks(places) % 2, np.uint8)
        host = unarranged(places, self.layout) if self.in_memory_order else places
        return np.asarray(host % self.lanes >= self.lanes // 2, np.uint8)

    def _sticks(self, places: Ints) -> Ints:
        """Number along the stick dim of the stick that holds each place of the line."""
        device = places if self.in_memory_order else arranged(places, self.layout)
        return np.asarray(device // self.lanes, np.int64)

    def _encode(self, here: dict[int, int]) -> tuple[int, int]:
        row = 0
        for axis in self.down:
            row = row * self.size_of(axis) + here[axis]
        return row, here[self.across]

    def _side(self, axes: tuple[int, ...], numbers: Ints) -> Side:
        side = Side({}, {}, np.full(len(numbers), ELEMENT, np.uint8))
        rest = numbers
        for axis in reversed(axes):
            rest, values = np.divmod(rest, self.size_of(axis))
            if axis == COLUMN:
                self._along(side, values)
                continue
            side.device[axis] = values
            dim = self.dim_of(axis)
            if dim != SPARSE:
                side.host[dim] = values
                side.state[values >= self.shape[dim]] = ZERO
        return side

    def _along(self, side: Side, places: Ints) -> None:
        """Fill in what places along the line fix."""
        layout = self.layout
        device = places if self.in_memory_order else arranged(places, layout)
        side.device[outer_dim(layout)], side.device[len(layout.device_size) - 1] = np.divmod(device, self.lanes)
        if layout.sparse:
            side.state[device != 0] = PADDING
            return
        host = unarranged(places, layout) if self.in_memory_order else places
        side.host[layout.stick_dim] = host
        side.state[host >= self.shape[layout.stick_dim]] = PADDING


def memory_grid(layout: StickLayout, shape: tuple[int, ...]) -> StickGrid:
    """As memory lies."""
    last, outer = len(layout.device_size) - 1, outer_dim(layout)
    return StickGrid(layout, shape, tuple(place for place in range(last) if place != outer), COLUMN, True)


def tensor_grid(layout: StickLayout, shape: tuple[int, ...], beside: StickLayout | None = None) -> StickGrid:
    """As the tensor looks; with `beside`, another layout of it, both grids have the same dims down and across."""
    dims, outer = device_dims(layout), outer_dim(layout)
    rest = sorted((place for place in range(len(dims) - 1) if place != outer), key=lambda place: dims[place])
    along = layout.stick_dim
    flat = StickGrid(layout, shape, tuple(rest), COLUMN, False)
    if along == SPARSE:
        return flat
    cuts = {along} if beside is None or beside.sparse else {along, beside.stick_dim}
    across = max(cuts) if len(cuts) > 1 else max((dim for dim, size in enumerate(shape) if size > 1), default=along)
    if across <= along:
        second = [place for place in rest if dims[place] in cuts]
        return StickGrid(layout, shape, (*(place for place in rest if place not in second), *second), COLUMN, False)
    sideways = dims.index(across)
    return StickGrid(layout, shape, (*(place for place in rest if place != sideways), COLUMN), sideways, False)


def arranged(columns: Ints, layout: StickLayout) -> Ints:
    """Where along the sticks the elements of these columns lie: what width-changing casts do to pairs of sticks."""
    lanes = layout.elements_per_stick
    if layout.sparse or layout.arrangement is Arrangement.STANDARD:
        return columns
    if layout.arrangement is Arrangement.F32_TO_F16:
        stick, within = np.divmod(columns, lanes)
        half, group, element = within // 32, within % 32 // 4, within % 4
        return np.asarray(stick * lanes + 8 * group + 4 * half + element, np.int64)
    pair, within = np.divmod(columns, 2 * lanes)
    group, second, element = within // 8, within % 8 // 4, within % 4
    return np.asarray((2 * pair + second) * lanes + 4 * group + element, np.int64)


def unarranged(places: Ints, layout: StickLayout) -> Ints:
    """The inverse of `arranged`."""
    lanes = layout.elements_per_stick
    if layout.sparse or layout.arrangement is Arrangement.STANDARD:
        return places
    stick, lane = np.divmod(places, lanes)
    if layout.arrangement is Arrangement.F32_TO_F16:
        group, half, element = lane // 8, lane % 8 // 4, lane % 4
        return np.asarray(stick * lanes + 32 * half + 4 * group + element, np.int64)
    pair, second = stick // 2, stick % 2
    group, element = lane // 4, lane % 4
    return np.asarray(pair * 2 * lanes + 8 * group + 4 * second + element, np.int64)


def _one(value: int) -> Ints:
    return np.array([value], np.int64)
