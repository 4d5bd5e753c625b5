"""Memory of KTIR programs: arrays that cores share, and a scratchpad for each core.

Owns bounds, what was never written, and hazards: between two barriers no core may touch what another one writes, and
what is in a scratchpad may be read only as the view that wrote it says.  Refuses to order anything: who runs when must
not matter.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from compiler.errors import StudioError

Array = NDArray[np.generic]
Marks = NDArray[np.int32]
Element = TypeVar("Element", bound=np.generic)
UNIT_BYTES = 2
"""A scratchpad is kept in units of the smallest element that memories hold."""
_NEVER, _BEFORE = -1, 0


class HazardError(StudioError):
    """A program that reads or writes what it must not."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A strided part of a memory, in elements: where it begins, sizes and strides; `where` names the line."""

    first: int
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    where: str

    @property
    def last(self) -> int:
        """The highest element."""
        return self.first + sum((n - 1) * s for n, s in zip(self.sizes, self.strides, strict=True))


@dataclass(slots=True)
class Clock:
    """How many barriers all cores have passed.  A mark says who did something since which of them."""

    cores: int
    phase: int = 1

    @property
    def since(self) -> int:
        """The least mark of this phase."""
        return self.phase * (self.cores + 1)

    @property
    def many(self) -> int:
        """The mark of more than one core."""
        return self.since + self.cores

    def mark(self, core: int) -> int:
        """The mark of a core now."""
        return self.since + core


class Shared:
    """A flat array of elements with marks of who wrote and who read each of them last."""

    def __init__(self, name: str, data: Array, clock: Clock, *, written: bool) -> None:
        self.name, self.data, self.clock = name, data, clock
        self.writer: Marks = np.full(data.shape, _BEFORE if written else _NEVER, np.int32)
        self.reader: Marks = np.full(data.shape, _NEVER, np.int32)

    def load(self, spot: Spot, core: int) -> Array:
        """A copy of a part, as a core sees it."""
        self._require_inside(spot, core)
        clock, mine = self.clock, self.clock.mark(core)
        writer, reader = part_of(self.writer, spot), part_of(self.reader, spot)
        if writer.min() < 0:
            raise self._hazard(spot, core, "reads what nobody has written")
        if writer.max() >= clock.since and _others(writer, clock, mine):
            raise self._hazard(spot, core, "reads what another core writes, with no barrier between")
        if reader.max() >= clock.since:
            reader[...] = np.where((reader < clock.since) | (reader == mine), mine, clock.many)
        else:
            reader[...] = mine
        return part_of(self.data, spot).copy()

    def store(self, spot: Spot, value: Array, core: int) -> None:
        """Write a part."""
        self._require_inside(spot, core)
        clock, mine = self.clock, self.clock.mark(core)
        writer = part_of(self.writer, spot)
        if _others(writer, clock, mine):
            raise self._hazard(spot, core, "writes what another core writes, with no barrier between")
        if _others(part_of(self.reader, spot), clock, mine):
            raise self._hazard(spot, core, "writes what another core reads, with no barrier between")
        writer[...] = mine
        part_of(self.data, spot)[...] = value

    def _require_inside(self, spot: Spot, core: int) -> None:
        if spot.first < 0 or spot.last >= len(self.data):
            edge = f"elements {spot.first:,} to {spot.last:,} of {len(self.data):,}"
            raise self._hazard(spot, core, f"reaches beyond the memory it was given ({edge})")

    def _hazard(self, spot: Spot, core: int, what: str) -> HazardError:
        return HazardError(
            f"{spot.where}: core {core}", f"{what}, in {self.name}", "put a barrier there, or give it another place"
        )


class Scratchpad:
    """The LX of one core; every unit knows which view wrote it last, by what tells views apart."""

    def __init__(self, owner: int, size_bytes: int, clock: Clock) -> None:
        units = np.zeros(size_bytes // UNIT_BYTES, np.uint16)
        self.size_bytes = size_bytes
        self.memory = Shared(f"the scratchpad of core {owner}", units, clock, written=False)
        self.shape: Marks = np.full(units.shape, -1, np.int32)
        self.shapes: dict[Hashable, int] = {}
        self.lines: list[str] = []

    def load(self, spot: Spot, kind: np.dtype[np.generic], view: Hashable, core: int) -> Array:
        """Elements of a type, as this or another core reads them through a view."""
        inner = self._units(spot, kind, core)
        found = self.memory.load(inner, core)
        shapes = part_of(self.shape, inner)
        mine = self._shape(view, spot)
        if (shapes != mine).any():
            other = self.lines[int(shapes[shapes != mine].flat[0])]
            why = f"reads through a view of its own what {other} wrote through another, over the same bytes of LX"
            raise HazardError(f"{spot.where}: core {core}", why, "give one of the two another address")
        return np.ascontiguousarray(found).view(kind)[..., 0]

    def store(self, spot: Spot, value: Array, view: Hashable, core: int) -> None:
        """Write elements through a view."""
        inner = self._units(spot, value.dtype, core)
        plain = np.ascontiguousarray(value)[..., None].view(np.uint16)
        self.memory.store(inner, plain, core)
        shape = self._shape(view, spot)
        self.lines[shape] = spot.where
        part_of(self.shape, inner)[...] = shape

    def _shape(self, view: Hashable, spot: Spot) -> int:
        """The number of a view."""
        if view not in self.shapes:
            self.shapes[view] = len(self.lines)
            self.lines.append(spot.where)
        return self.shapes[view]

    def _units(self, spot: Spot, kind: np.dtype[np.generic], core: int) -> Spot:
        """The units of elements; a hazard where they end beyond the scratchpad."""
        end = (spot.last + 1) * kind.itemsize
        if end > self.size_bytes:
            why = f"reaches byte {end:,} of a scratchpad of {self.size_bytes:,}"
            raise HazardError(f"{spot.where}: core {core}", why, "give it another address, or smaller tiles")
        count = kind.itemsize // UNIT_BYTES
        return Spot(spot.first * count, (*spot.sizes, count), (*(s * count for s in spot.strides), 1), spot.where)


def _others(marks: Marks, clock: Clock, mine: int) -> bool:
    """True if another core left a mark since the last barrier."""
    return bool(marks.max() >= clock.since) and bool(((marks >= clock.since) & (marks != mine)).any())


def part_of(data: NDArray[Element], spot: Spot) -> NDArray[Element]:
    """A view of the elements of a spot, which lies inside."""
    return as_strided(data[spot.first :], spot.sizes, tuple(stride * data.itemsize for stride in spot.strides))
