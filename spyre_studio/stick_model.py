"""Stick model: a tensor as a grid of sticks, and for any part of that grid which element lies where and on which core.

Owns: the inverse of a `StickLayout` over a grid, and the words for one lane. Refuses: Qt, and computing more than the
lanes it is asked for, so that tensors of any size can be looked at.

A row of the grid is one place of all host dims that are not cut into sticks, in host order; a column is one lane, the
sticks of a row side by side. So the grid looks like the tensor, whatever the order of its sticks in memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from compiler.compilation import Compilation
from compiler.coordinates import core_boxes, device_dims, outer_dim
from compiler.division import Division
from compiler.layout import SPARSE, Arrangement, StickLayout
from compiler.program import DeviceTensor, Memory
from compiler.schedule import Schedule
from spyre_studio.units import format_address, format_bytes, format_count, format_shape

Ints = NDArray[np.int64]

PADDING = -1  # an offset or index that no element has
NOBODY = -1  # a core


@dataclass(frozen=True, slots=True, eq=False)
class Owners:
    """Which part of a tensor each core holds or writes: boxes of device coordinates, arrays (boxes, device dims)."""

    cores: tuple[int, ...]
    start: Ints
    size: Ints


@dataclass(frozen=True, slots=True)
class Lane:
    """One lane of the grid: the element in it (None: padding), stick and lane number, core, address in its memory."""

    index: tuple[int, ...] | None
    stick: int
    lane: int
    core: int
    address: int


@dataclass(frozen=True, slots=True, eq=False)
class StickModel:
    """A tensor with its layout, where it lies and whose its parts are."""

    tensor: DeviceTensor
    owners: Owners

    @property
    def layout(self) -> StickLayout:
        """How it is cut."""
        return self.tensor.layout

    @property
    def lanes(self) -> int:
        """Lanes of a stick."""
        return self.layout.elements_per_stick

    @property
    def in_lx(self) -> bool:
        """True if cores hold it; otherwise they have only written it."""
        return self.tensor.memory is Memory.LX

    @property
    def row_dims(self) -> tuple[int, ...]:
        """Device dims that make the rows, in host order; those of no host dim come first."""
        dims, outer = device_dims(self.layout), outer_dim(self.layout)
        rest = [place for place in range(len(dims) - 1) if place != outer]
        return tuple(sorted(rest, key=lambda place: dims[place]))

    @property
    def row_sizes(self) -> tuple[int, ...]:
        """Sizes of those dims."""
        return tuple(self.layout.device_size[place] for place in self.row_dims)

    @property
    def rows(self) -> int:
        """Rows of the grid."""
        return prod(self.row_sizes)

    @property
    def columns(self) -> int:
        """Lanes of a row."""
        return self.layout.device_size[outer_dim(self.layout)] * self.lanes

    @property
    def padding_bytes(self) -> int:
        """Bytes of its sticks that no element uses."""
        return self.layout.size_bytes - prod(self.tensor.shape) * self.layout.element_bytes

    def elements(self, rows: Ints, columns: Ints) -> Ints:
        """Host offsets of the lanes at `rows` x `columns`, PADDING where no element lies; shape (rows, columns)."""
        layout, strides = self.layout, self.tensor.strides
        dims = device_dims(layout)
        base = np.zeros(len(rows), np.int64)
        for place, values in zip(self.row_dims, self._row_indices(rows), strict=True):
            if dims[place] != SPARSE:
                base += values * strides[dims[place]]
        place_in_row = self._host_columns(columns)
        dim = layout.stick_dim
        step = strides[dim] if dim != SPARSE else 0
        offsets = base[:, None] + place_in_row[None, :] * step
        offsets[:, place_in_row == PADDING] = PADDING
        return np.asarray(offsets, np.int64)

    def cores(self, rows: Ints, columns: Ints) -> Ints:
        """The core of each lane at `rows` x `columns`, NOBODY where none has it; shape (rows, columns)."""
        found = np.full((len(rows), len(columns)), NOBODY, np.int64)
        outer, sticks = outer_dim(self.layout), columns // self.lanes
        indices = self._row_indices(rows)
        for core, start, size in zip(self.owners.cores, self.owners.start, self.owners.size, strict=True):
            inside = np.ones(len(rows), np.bool_)
            for place, values in zip(self.row_dims, indices, strict=True):
                inside &= (values >= start[place]) & (values < start[place] + size[place])
            across = (sticks >= start[outer]) & (sticks < start[outer] + size[outer])
            found[np.ix_(inside, across)] = core
        return found

    def lane(self, row: int, column: int) -> Lane:
        """Everything about one lane."""
        rows, columns = np.array([row], np.int64), np.array([column], np.int64)
        offset, core = int(self.elements(rows, columns)[0, 0]), int(self.cores(rows, columns)[0, 0])
        coordinates = self._coordinates(row, column)
        stick = int(np.dot(coordinates, self.layout.device_strides)) // self.lanes
        index = None if offset == PADDING else self._index(row, column)
        return Lane(index, stick, column % self.lanes, core, self._address(coordinates, core))

    def find(self, index: tuple[int, ...]) -> tuple[int, int]:
        """Row and column of the lane in which an element lies."""
        offset = sum(place * stride for place, stride in zip(index, self.tensor.strides, strict=True))
        coordinates = self.layout.coordinates(np.array([offset], np.int64))[:, 0]
        row = 0
        for place, size in zip(self.row_dims, self.row_sizes, strict=True):
            row = row * size + int(coordinates[place])
        return row, int(coordinates[outer_dim(self.layout)]) * self.lanes + int(coordinates[-1])

    def describe(self, row: int, column: int) -> str:
        """One lane in words. Example: '[2,384] · stick 1,536 · lane 0 · core 27 · LX 0x0A400 (…)'."""
        lane = self.lane(row, column)
        what = "padding" if lane.index is None else format_shape(lane.index)
        owner = self._owner_words(lane.core)
        memory = "LX" if self.in_lx else "device memory"
        stick_bytes = self.lanes * self.layout.element_bytes
        where = f"{memory} {format_address(lane.address, stick_bytes)}" if lane.address >= 0 else memory
        return " · ".join(part for part in (what, f"stick {lane.stick:,}", f"lane {lane.lane}", owner, where) if part)

    def summary(self) -> str:
        """'2,048 sticks of 64 · padding 12 KiB'."""
        padding = f"padding {format_bytes(self.padding_bytes)}" if self.padding_bytes else "no padding"
        return f"{format_count(self.layout.sticks, 'stick')} of {self.lanes} · {padding}"

    def _owner_words(self, core: int) -> str:
        if core == NOBODY:
            return "" if not self.owners.cores else "no core"
        return f"core {core}" if self.in_lx else f"written by core {core}"

    def _row_indices(self, rows: Ints) -> tuple[Ints, ...]:
        if not self.row_sizes:
            return ()
        return tuple(np.asarray(part, np.int64) for part in np.unravel_index(rows, self.row_sizes))

    def _host_columns(self, columns: Ints) -> Ints:
        """Place along the stick dim of the element in each column, PADDING for none; undoes the arrangement."""
        layout = self.layout
        if layout.sparse:
            return np.where(columns % self.lanes == 0, 0, PADDING)
        size = self.tensor.shape[layout.stick_dim]
        places = _unarranged(columns, layout)
        return np.where(places < size, places, PADDING)

    def _coordinates(self, row: int, column: int) -> Ints:
        coordinates = np.zeros(len(self.layout.device_size), np.int64)
        for place, values in zip(self.row_dims, self._row_indices(np.array([row], np.int64)), strict=True):
            coordinates[place] = values[0]
        coordinates[outer_dim(self.layout)] = column // self.lanes
        coordinates[-1] = column % self.lanes
        return coordinates

    def _index(self, row: int, column: int) -> tuple[int, ...]:
        dims, index = device_dims(self.layout), [0] * len(self.tensor.shape)
        for place, values in zip(self.row_dims, self._row_indices(np.array([row], np.int64)), strict=True):
            if dims[place] != SPARSE:
                index[dims[place]] = int(values[0])
        if self.layout.stick_dim != SPARSE:
            index[self.layout.stick_dim] = int(self._host_columns(np.array([column], np.int64))[0])
        return tuple(index)

    def _address(self, coordinates: Ints, core: int) -> int:
        """Byte address in device memory, or in the LX of its core; -1 if no core has it."""
        size, start = np.array(self.layout.device_size, np.int64), np.zeros(len(coordinates), np.int64)
        if self.in_lx:
            if core == NOBODY:
                return -1
            box = max(place for place, owner in enumerate(self.owners.cores) if owner == core)
            start, size = self.owners.start[box], self.owners.size[box]
        place = 0
        for coordinate, first, extent in zip(coordinates.tolist(), start.tolist(), size.tolist(), strict=True):
            place = place * extent + coordinate - first
        return int(self.tensor.address + place * self.layout.element_bytes)


def _unarranged(columns: Ints, layout: StickLayout) -> Ints:
    """Columns as a standard layout would have them: undoes what width-changing casts do to pairs of sticks."""
    lanes = layout.elements_per_stick
    stick, lane = columns // lanes, columns % lanes
    if layout.arrangement is Arrangement.F32_TO_F16:
        group, half, element = lane // 8, lane % 8 // 4, lane % 4
        return np.asarray(stick * lanes + 32 * half + 4 * group + element, np.int64)
    if layout.arrangement is Arrangement.F16_TO_F32:
        pair, second = stick // 2, stick % 2
        group, element = lane // 4, lane % 4
        return np.asarray(pair * 2 * lanes + 8 * group + 4 * second + element, np.int64)
    return columns


def stick_model_of(compilation: Compilation, schedule: Schedule, buffer: str) -> StickModel | None:
    """The model of a buffer; None if the program has no such tensor or it has no elements."""
    tensor = compilation.program.tensor_map.get(buffer)
    if tensor is None or 0 in tensor.shape:
        return None
    return StickModel(tensor, _owners(compilation, schedule, tensor))


def _owners(compilation: Compilation, schedule: Schedule, tensor: DeviceTensor) -> Owners:
    """The boxes that cores hold in LX; for device memory those that they write, none for what the host fills."""
    if tensor.boxes:
        start = np.array([box.start for box in tensor.boxes], np.int64)
        size = np.array([box.size for box in tensor.boxes], np.int64)
        return Owners(tuple(box.core for box in tensor.boxes), start, size)
    dims = len(tensor.layout.device_size)
    starts, sizes, cores = [np.zeros((0, dims), np.int64)], [np.zeros((0, dims), np.int64)], list[int]()
    for step in schedule.steps:
        for access in step.op.writes:
            if access.buffer != tensor.name or step.op.call is not None:
                continue
            division = compilation.plan.divisions.get(step.name, Division())
            found = core_boxes(step.op, access, schedule.buffers[tensor.name], tensor.layout, division)
            starts.append(found.start)
            sizes.append(found.size)
            cores += range(len(found.start))
    return Owners(tuple(cores), np.concatenate(starts), np.concatenate(sizes))
