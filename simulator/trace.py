"""Trace: what happened on the simulated device, in columns.

Owns the spans of units, waits, occupancy of LX, traffic and the critical path of one run, as arrays.  Refuses to
compute them, and refuses floats for time: picoseconds since the start, whole numbers, so that equal runs are equal
byte by byte.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Wide = NDArray[np.int64]
Narrow = NDArray[np.int32]
Small = NDArray[np.int16]
Tiny = NDArray[np.int8]
PS_PER_NS, PS_PER_US = 1_000, 1_000_000
CARD = -1
"""The core number of lanes that belong to the whole card."""


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """One unit of one core at work on `count` tiles of one step, from number `tile` on, at equal distances.  Sorted by
    (core, unit, start, step, tile).

    `unit` counts in `Trace.units`, `step` in `Trace.steps`; `core` is CARD for lanes of the card.  The first tile
    begins at `start_ps`, the last one ends at `end_ps`; the unit is at work for `busy_ps` of that, equally long for
    each tile.  `bytes` is what all of them take through the unit, 0 for the host.  Rows of one core and unit never
    overlap.
    """

    core: Small
    unit: Tiny
    step: Narrow
    tile: Narrow
    count: Narrow
    start_ps: Wide
    end_ps: Wide
    busy_ps: Wide
    bytes: Wide

    def __len__(self) -> int:
        return len(self.core)

    @property
    def tiles(self) -> int:
        """Tiles of all rows."""
        return int(self.count.sum())

    def taken(self, rows: Wide) -> Spans:
        """Those of some rows, in their order."""
        columns = (self.core[rows], self.unit[rows], self.step[rows], self.tile[rows], self.count[rows])
        return Spans(*columns, self.start_ps[rows], self.end_ps[rows], self.busy_ps[rows], self.bytes[rows])

    def expanded(self) -> Spans:
        """The same with a row for every tile."""
        row = np.repeat(np.arange(len(self)), self.count)
        count = self.count[row].astype(np.int64)
        number = np.arange(len(row)) - np.repeat(np.cumsum(self.count) - self.count, self.count)
        length = self.busy_ps[row] // count
        room = self.end_ps[row] - self.start_ps[row] - length
        start = self.start_ps[row] + np.where(count > 1, number * room // np.maximum(count - 1, 1), 0)
        size = self.bytes[row] // count + (number < self.bytes[row] % count)
        ones = np.ones(len(row), dtype=np.int32)
        tile = (self.tile[row] + number).astype(np.int32)
        columns = (self.core[row], self.unit[row], self.step[row], tile, ones)
        return Spans(*columns, start, start + length, length, size)


@dataclass(frozen=True, slots=True, eq=False)
class Stalls:
    """A core that waits, with the cause (a `timing.timeline.Cause`) and who it waits for (-1: nobody).  Sorted by
    (core, start); `step` is the step that could not go on."""

    core: Small
    step: Narrow
    start_ps: Wide
    end_ps: Wide
    cause: Tiny
    by_step: Narrow
    by_core: Small


@dataclass(frozen=True, slots=True, eq=False)
class Holds:
    """A tensor that takes a place in one core's LX, from its first write there to its last use.  `tensor` counts in
    `Trace.tensors`.  Sorted by (core, start, address)."""

    core: Small
    tensor: Narrow
    address: Wide
    bytes: Wide
    start_ps: Wide
    end_ps: Wide


@dataclass(frozen=True, slots=True, eq=False)
class OpRuns:
    """When each step ran on each core, shape (steps, cores), -1 where it did not: the coarse picture of the spans.
    `bound` is what took longest there (a Cause)."""

    start_ps: Wide
    end_ps: Wide
    bound: Tiny


@dataclass(frozen=True, slots=True)
class KernelRun:
    """A kernel: its steps are `first` to before `last`."""

    name: str
    first: int
    last: int
    start_ps: int
    end_ps: int


@dataclass(frozen=True, slots=True)
class Traffic:
    """Bytes of one step's access, all cores together: `moved` is what device memory or the ring really moved, 0 inside
    LX; `delivered` is what reached or left the cores.  A load that cores share is moved once and delivered to each; of
    parts that differ, such as windows that overlap, every core has its own moved.  What a core holds itself goes over
    no ring; partial results do, to what is written."""

    step: int
    tensor: int
    write: bool
    way: str
    moved: int
    delivered: int


@dataclass(frozen=True, slots=True)
class CriticalLink:
    """A piece of the chain of waits that decides the total time: what a step on a core did (a Cause: what bound it)."""

    step: int
    core: int
    start_ps: int
    end_ps: int
    cause: int


@dataclass(frozen=True, slots=True)
class UnitUse:
    """How much of the total time the units of one kind worked on each core, in parts of 1, by core."""

    unit: str
    share: tuple[float, ...]

    @property
    def least(self) -> float:
        """The idlest core."""
        return min(self.share, default=0.0)

    @property
    def most(self) -> float:
        """The busiest core."""
        return max(self.share, default=0.0)

    @property
    def busiest_core(self) -> int:
        """The core that has most to do; the lowest number of equals."""
        return max(range(len(self.share)), key=lambda core: (self.share[core], -core), default=-1)


@dataclass(frozen=True, slots=True)
class LxUse:
    """How full one core's LX was: `peak_bytes`, the mean over time, and the largest share of the bytes below the
    highest address in use that nobody held (fragmentation), in parts of 1."""

    core: int
    peak_bytes: int
    mean_bytes: float
    fragmentation: float


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """One simulated run.  `units` are the lanes of a core, then those of the card (core CARD)."""

    model: str
    device: str
    cores: int
    lx_bytes: int
    total_ps: int
    steps: tuple[str, ...]
    tensors: tuple[str, ...]
    units: tuple[str, ...]
    kernels: tuple[KernelRun, ...]
    runs: OpRuns
    spans: Spans
    stalls: Stalls
    holds: Holds
    traffic: tuple[Traffic, ...]
    critical: tuple[CriticalLink, ...]
    use: tuple[UnitUse, ...]
    lx: tuple[LxUse, ...]

    @property
    def total_us(self) -> float:
        """The simulated time of the program, in us."""
        return self.total_ps / PS_PER_US
