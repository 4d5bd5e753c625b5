"""Memory of KTIR programs: arrays that cores share, and a scratchpad of bytes for each core.

Owns bounds, what was never written, and hazards: between two barriers no core may read or write what another one
writes.  Refuses to order anything: who runs when must not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from compiler.errors import StudioError

Array = NDArray[np.generic]
Marks = NDArray[np.int32]


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


class Shared:
    """A flat array of elements with marks of who read and wrote each of them, and when (a count of barriers)."""

    def __init__(self, name: str, data: Array, cores: int, written: bool) -> None:
        self.name, self.data, self.cores = name, data, cores
        shape = data.shape
        self.known = np.full(shape, written)
        self.writer: Marks = np.full(shape, -1, np.int32)
        self.reader: Marks = np.full(shape, -1, np.int32)
        self.second: Marks = np.full(shape, -1, np.int32)

    def load(self, spot: Spot, core: int, phase: int) -> Array:
        """A copy of a part, as a core sees it."""
        self._require_inside(spot, core)
        mine = phase * self.cores + core
        if not self._part(self.known, spot).all():
            raise self._hazard(spot, core, "reads what nobody has written")
        writer = self._part(self.writer, spot)
        if ((writer >= phase * self.cores) & (writer != mine)).any():
            raise self._hazard(spot, core, "reads what another core writes, with no barrier between")
        reader, second = self._part(self.reader, spot), self._part(self.second, spot)
        others = (reader >= phase * self.cores) & (reader != mine)
        second[others] = reader[others]
        reader[...] = mine
        return self._part(self.data, spot).copy()

    def store(self, spot: Spot, value: Array, core: int, phase: int) -> None:
        """Write a part."""
        self._require_inside(spot, core)
        mine, since = phase * self.cores + core, phase * self.cores
        writer = self._part(self.writer, spot)
        if ((writer >= since) & (writer != mine)).any():
            raise self._hazard(spot, core, "writes what another core writes, with no barrier between")
        for marks in (self._part(self.reader, spot), self._part(self.second, spot)):
            if ((marks >= since) & (marks != mine)).any():
                raise self._hazard(spot, core, "writes what another core reads, with no barrier between")
        writer[...] = mine
        self._part(self.known, spot)[...] = True
        self._part(self.data, spot)[...] = value

    def _require_inside(self, spot: Spot, core: int) -> None:
        if spot.first < 0 or spot.last >= len(self.data):
            edge = f"elements {spot.first:,} to {spot.last:,} of {len(self.data):,}"
            raise self._hazard(spot, core, f"reaches beyond the memory it was given ({edge})")

    def _part(self, data: NDArray[np.generic], spot: Spot) -> NDArray[np.generic]:
        steps = tuple(stride * data.itemsize for stride in spot.strides)
        return as_strided(data[spot.first :], spot.sizes, steps)

    def _hazard(self, spot: Spot, core: int, what: str) -> HazardError:
        return HazardError(
            f"{spot.where}: core {core}", f"{what} of {self.name}", "put a barrier there, or give it another place"
        )


class Scratchpad:
    """The bytes of one core's LX, with the element size that each was written with."""

    def __init__(self, owner: int, size_bytes: int, cores: int) -> None:
        self.owner, self.size_bytes = owner, size_bytes
        self.memory = Shared(f"the scratchpad of core {owner}", np.zeros(size_bytes, np.uint8), cores, written=False)
        self.width = np.zeros(size_bytes, np.uint8)

    def load(self, spot: Spot, kind: np.dtype[np.generic], core: int, phase: int) -> Array:
        """Elements of a type, as this or another core reads them."""
        self._require_room(spot, kind, core)
        inner = self._bytes(spot, kind)
        found = self.memory.load(inner, core, phase)
        if (self.memory._part(self.width, inner) != kind.itemsize).any():
            raise self.memory._hazard(spot, core, f"reads {kind.itemsize} byte elements out of others")
        return np.ascontiguousarray(found).view(kind)[..., 0]

    def store(self, spot: Spot, value: Array, core: int, phase: int) -> None:
        """Write elements."""
        self._require_room(spot, value.dtype, core)
        inner = self._bytes(spot, value.dtype)
        plain = np.ascontiguousarray(value)[..., None].view(np.uint8)
        self.memory.store(inner, plain, core, phase)
        self.memory._part(self.width, inner)[...] = value.dtype.itemsize

    def _require_room(self, spot: Spot, kind: np.dtype[np.generic], core: int) -> None:
        end = (spot.last + 1) * kind.itemsize
        if end > self.size_bytes:
            why = f"reaches byte {end:,} of a scratchpad of {self.size_bytes:,}"
            raise HazardError(f"{spot.where}: core {core}", why, "give it another address, or smaller tiles")

    def _bytes(self, spot: Spot, kind: np.dtype[np.generic]) -> Spot:
        size = kind.itemsize
        return Spot(spot.first * size, (*spot.sizes, size), (*(s * size for s in spot.strides), 1), spot.where)


def row_major(sizes: Sequence[int]) -> tuple[int, ...]:
    """Strides of dense elements."""
    found, step = list[int](), 1
    for size in reversed(sizes):
        found.insert(0, step)
        step *= size
    return tuple(found)
