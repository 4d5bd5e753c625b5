"""Stick model: a tensor on the device: how it is cut, which core has which part, at which address, and words for it.

Owns: owners of lanes, addresses, bytes of padding, and the path from an element to its byte.  Refuses: Qt, and where a
lane lies in a picture; that is a `StickGrid`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from compiler.compilation import Compilation
from compiler.coordinates import core_boxes
from compiler.division import Division
from compiler.layout import STICK_BYTES, StickLayout
from compiler.loops import BufferKind
from compiler.program import DeviceTensor, Memory
from compiler.schedule import Schedule
from spyre_studio.stick_grid import ELEMENT, ZERO, Ints, Place, Side, StickGrid
from spyre_studio.units import format_address, format_hex, format_shape

NOBODY = -1  # a core
NOWHERE = -1  # an address
MOST_NAMED = 8  # cores that hold one lane


@dataclass(frozen=True, slots=True, eq=False)
class Owners:
    """Which part of a tensor each core holds or writes: boxes of device coordinates, arrays (boxes, device dims)."""

    cores: tuple[int, ...]
    start: Ints
    size: Ints

    @staticmethod
    def none(dims: int) -> Owners:
        """Nobody has a tensor of so many device dims."""
        return Owners((), np.zeros((0, dims), np.int64), np.zeros((0, dims), np.int64))


@dataclass(frozen=True, slots=True)
class Lane:
    """One lane: what is in it, its device coordinates, number of its stick, its number in it, core and address."""

    place: Place
    stick: int
    lane: int
    core: int
    address: int


@dataclass(frozen=True, slots=True, eq=False)
class StickModel:
    """A tensor with its layout, where it lies and whose its parts are; a `preview` is of no plan and lies nowhere."""

    tensor: DeviceTensor
    owners: Owners
    preview: bool = False

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
    def zero_bytes(self) -> int:
        """Bytes of the sticks of zeros that fill dims up."""
        own = self.layout.sticks
        for dim, size in self.layout.padding:
            own = own // size * self.tensor.shape[dim]
        return (self.layout.sticks - own) * STICK_BYTES

    @property
    def padding_bytes(self) -> int:
        """Bytes of its sticks that no element uses, zeros included."""
        return self.layout.size_bytes - prod(self.tensor.shape) * self.layout.element_bytes

    def previewed(self, layout: StickLayout) -> StickModel:
        """The same tensor in another layout, before any plan has it so."""
        tensor = replace(self.tensor, layout=layout, memory=Memory.HBM, address=0, boxes=())
        return StickModel(tensor, Owners.none(len(layout.device_size)), preview=True)

    def cores(self, grid: StickGrid, rows: Ints, columns: Ints) -> NDArray[np.int16]:
        """The core of each lane at `rows` x `columns` of a grid, NOBODY where none has it; shape (rows, columns).

        Of several cores that hold a lane in LX it is the first, of several that write it the last, which has the sums.
        """
        found = np.full((len(rows), len(columns)), NOBODY, np.int16)
        down, across = grid.side_down(rows), grid.side_across(columns)
        boxes = list(zip(self.owners.cores, self.owners.start, self.owners.size, strict=True))
        for core, start, size in reversed(boxes) if self.in_lx else boxes:
            inside, beside = _within(down, start, size), _within(across, start, size)
            if beside.all():
                found[inside] = core
            elif inside.all():
                found[:, beside] = core
            else:
                found[np.ix_(inside, beside)] = core
        return found

    def held(self, grid: StickGrid, rows: Ints, columns: Ints, core: int) -> NDArray[np.bool_]:
        """True for the lanes at `rows` x `columns` of a grid that a core holds or writes; shape (rows, columns)."""
        found = np.zeros((len(rows), len(columns)), np.bool_)
        down, across = grid.side_down(rows), grid.side_across(columns)
        for one, start, size in zip(self.owners.cores, self.owners.start, self.owners.size, strict=True):
            if one == core:
                found |= _within(down, start, size)[:, None] & _within(across, start, size)[None, :]
        return found

    def stick_numbers(self, grid: StickGrid, rows: Ints, columns: Ints) -> Ints:
        """Number in memory of the stick of each lane at `rows` x `columns` of a grid."""
        strides, last = self.layout.device_strides, len(self.layout.device_size) - 1
        parts = [
            sum(
                (values * strides[place] for place, values in side.device.items() if place != last),
                np.zeros(1, np.int64),
            )
            for side in (grid.side_down(rows), grid.side_across(columns))
        ]
        return np.asarray(np.add.outer(parts[0], parts[1]) // self.lanes, np.int64).reshape(-1, len(columns))

    def lane(self, grid: StickGrid, row: int, column: int) -> Lane:
        """Everything about one lane of a grid."""
        place = grid.place(row, column)
        core = int(self.cores(grid, np.array([row]), np.array([column]))[0, 0])
        stick = int(np.dot(place.coordinates, self.layout.device_strides)) // self.lanes
        return Lane(place, stick, place.coordinates[-1], core, self._address(place.coordinates, core))

    def next_stick(self, coordinates: tuple[int, ...]) -> tuple[int, ...] | None:
        """Device coordinates of the same lane one stick further in memory, None behind the last stick."""
        sizes = self.layout.device_size[:-1]
        number = int(np.ravel_multi_index(coordinates[:-1], sizes)) + 1
        if number >= self.layout.sticks:
            return None
        return (*(int(part) for part in np.unravel_index(number, sizes)), coordinates[-1])

    def path(self, lane: Lane) -> tuple[str, ...]:
        """The way from the element to its byte: ('[2,384]', 'stick 1,536', 'lane 0', 'core 27', 'LX 0x0A400')."""
        owner = f"core {lane.core}" if lane.core != NOBODY else "no core" if self.owners.cores else ""
        memory = "LX" if self.in_lx else "device"
        where = f"{memory} {format_hex(lane.address)}" if lane.address != NOWHERE else ""
        words = (self._what(lane.place), f"stick {lane.stick:,}", f"lane {lane.lane}", owner, where)
        return tuple(word for word in words if word)

    def detail(self, lane: Lane) -> str:
        """What the path leaves out: bytes of the address, and what a core has to do with the lane."""
        parts = []
        if lane.place.index is not None and self.tensor.name:
            parts.append(f"element {format_shape(lane.place.index)} of {self.tensor.name}")
        coordinates = format_shape(lane.place.coordinates)
        parts.append(f"device coordinates {coordinates}: stick {lane.stick:,} of {self.layout.sticks:,}")
        if lane.core != NOBODY:
            parts.append(self._held(lane) if self.in_lx else f"written by core {lane.core}")
        if lane.address != NOWHERE:
            memory = "its LX" if self.in_lx else "device memory"
            parts.append(f"address in {memory} {format_address(lane.address, STICK_BYTES)}")
        return "\n".join(parts)

    def _held(self, lane: Lane) -> str:
        at = np.array(lane.place.coordinates)
        inside = np.all((at >= self.owners.start) & (at < self.owners.start + self.owners.size), axis=1)
        cores = [self.owners.cores[box] for box in np.flatnonzero(inside)]
        if len(cores) == 1:
            return f"held by core {cores[0]}"
        shown = ", ".join(map(str, cores[:MOST_NAMED]))
        more = f" and {len(cores) - MOST_NAMED} more" if len(cores) > MOST_NAMED else ""
        return f"held by {len(cores)} cores: {shown}{more}"

    @property
    def owner_words(self) -> str:
        """What a colour means: 'held by core', 'written by core', or who fills it where no core does."""
        if self.owners.cores:
            return "held by core" if self.in_lx else "written by core"
        if self.preview:
            return "a preview: no core has it yet"
        return "written by the host" if self.tensor.kind is BufferKind.COMPUTED else "filled by the host"

    def _what(self, place: Place) -> str:
        if place.state == ELEMENT:
            return format_shape(place.index or ())
        return "zero" if place.state == ZERO else "padding"

    def _address(self, coordinates: tuple[int, ...], core: int) -> int:
        """Byte address in device memory, or in the LX of its core; NOWHERE if no core has it, and for a preview."""
        size, start = self.layout.device_size, (0,) * len(coordinates)
        if self.preview or (self.in_lx and core == NOBODY):
            return NOWHERE
        if self.in_lx:
            box = max(place for place, owner in enumerate(self.owners.cores) if owner == core)
            start, size = tuple(self.owners.start[box].tolist()), tuple(self.owners.size[box].tolist())
        place = 0
        for coordinate, first, extent in zip(coordinates, start, size, strict=True):
            place = place * extent + coordinate - first
        return self.tensor.address + place * self.layout.element_bytes


def _within(side: Side, start: Ints, size: Ints) -> NDArray[np.bool_]:
    inside = np.ones(len(side.state), np.bool_)
    for place, values in side.device.items():
        inside &= (values >= start[place]) & (values < start[place] + size[place])
    return inside


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
    none = Owners.none(len(tensor.layout.device_size))
    starts, sizes, cores = [none.start], [none.size], list[int]()
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
