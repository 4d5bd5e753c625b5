"""Jobs: what runs at this moment, and when the next of it ends.

Owns the clock and what is left of every job.  A core has one job of each kind at most.  Refuses order: what begins
after a job is the business of `simulator.timing.kernel_run`.
"""

from __future__ import annotations

import math
from enum import IntEnum

import numpy as np

from simulator.timing.memory_share import MemoryShare

SAME = 1e-9
"""Jobs that have less than this part of themselves left when another one ends, end with it."""


class Kind(IntEnum):
    """What a job needs: the memory, which others use, too, or only time."""

    READ = 0  # service of the memory
    WRITE = 1
    OWN = 2  # the core's units, or its part of a transfer between cores
    DELIVERY = 3  # an operand that comes beside the memory's service


class Jobs:
    """All jobs of all cores; job `kind * cores + core`.  `now` is in ns since the start."""

    def __init__(self, cores: int, turnaround: float) -> None:
        self.now = 0.0
        self._cores = cores
        self._left = np.full(len(Kind) * cores, math.inf)
        self._slack = np.zeros(len(Kind) * cores)
        self._paces = np.ones(len(Kind) * cores)
        self._memory = MemoryShare(2 * cores, turnaround)
        self._shared = self._paces[: 2 * cores]

    def begin(self, kind: Kind, core: int, amount: float, moving: float = 0.0, most: float = 1.0) -> bool:
        """Begin a job of `amount` ns at full pace; True if there is anything to do.

        `moving` and `most` are those of `MemoryShare.enter`.
        """
        if amount <= 0.0:
            return False
        job = kind * self._cores + core
        self._left[job] = amount
        self._slack[job] = amount * SAME
        if kind <= Kind.WRITE:
            self._memory.enter(job, write=kind is Kind.WRITE, moving=moving, most=most)
        return True

    def wait(self, duration: float) -> None:
        """Let time pass while nothing runs."""
        self.now += duration

    def advance(self) -> list[tuple[Kind, int]]:
        """Go on to the end of the next job; the kind and core of all that end then, by kind and core.

        ValueError if nothing runs: then cores wait for each other in a circle.
        """
        if self._memory.changed:
            self._memory.paces(self._shared)
        duration = float((self._left / self._paces).min())
        if duration == math.inf:
            raise ValueError("no core can go on: the work holds hand-overs that wait for each other")
        self._left -= self._paces * duration
        self.now += duration
        ended = np.flatnonzero(self._left <= self._slack).tolist()
        for job in ended:
            self._left[job] = math.inf
            if job < 2 * self._cores:
                self._memory.leave(job)
        return [(Kind(job // self._cores), job % self._cores) for job in ended]
