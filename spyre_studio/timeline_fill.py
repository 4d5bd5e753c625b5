"""Fill over time: how many bytes of each core's scratchpad are taken at every moment of a simulated run.

Owns: the steps of that function per core, and its maximum over columns of pixels, so that no short peak is lost.
Refuses: Qt, colours, and what lies where.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simulator.trace import Trace, Wide


@dataclass(frozen=True, slots=True, eq=False)
class CoreFill:
    """From `when[k]` on, `used[k]` bytes are taken; `when` ascends strictly and begins with 0."""

    when: Wide
    used: Wide

    def at(self, time_ps: float) -> int:
        """Bytes taken at a time."""
        place = int(np.searchsorted(self.when, int(max(time_ps, 0)), "right")) - 1
        return int(self.used[place])


@dataclass(frozen=True, slots=True, eq=False)
class FillOverTime:
    """All cores of a run; `most` is the largest number of bytes that any core holds at any time."""

    cores: tuple[CoreFill, ...]
    most: int

    def reduce(self, edges: Wide) -> Wide:
        """(cores, columns): the most bytes taken between neighbouring edges (ps, ascending)."""
        found = np.zeros((len(self.cores), len(edges) - 1), np.int64)
        for row, core in enumerate(self.cores):
            first = np.maximum(np.searchsorted(core.when, edges[:-1], "right") - 1, 0)
            last = np.maximum(np.searchsorted(core.when, edges[1:], "left"), first + 1)
            # reduceat wants every index below the length; the zero at the end cannot win.
            padded = np.append(core.used, 0)
            pairs = np.stack([first, last], axis=1).ravel()
            found[row] = np.maximum.reduceat(padded, pairs)[::2]
        return found


def fill_of(trace: Trace) -> FillOverTime:
    """The fill of a run; at the same time what goes is gone before what comes is there."""
    holds = trace.holds
    edges = np.searchsorted(holds.core, np.arange(trace.cores + 1))
    cores = []
    for core in range(trace.cores):
        rows = slice(int(edges[core]), int(edges[core + 1]))
        when = np.concatenate(([0], holds.start_ps[rows], holds.end_ps[rows]))
        change = np.concatenate(([0], holds.bytes[rows], -holds.bytes[rows]))
        moments, place = np.unique(when, return_inverse=True)
        sums = np.zeros(len(moments), np.int64)
        np.add.at(sums, place, change)
        cores.append(CoreFill(moments, sums.cumsum()))
    return FillOverTime(tuple(cores), max((int(core.used.max()) for core in cores), default=0))
