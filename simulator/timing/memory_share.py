"""MemoryShare: how fast each transfer goes while all of them share the card's memory.

Owns the fair share.  The memory serves 1 ns per ns, all transfers at the same pace, except those that cannot go so fast
for reasons of their own; what these leave is shared by the others.  While bytes go in and out, turning the bus round
takes its part: the time per byte of the direction that moves less.  Refuses the clock: who transfers is said from
outside.
"""

from __future__ import annotations

import numpy as np

from simulator.timing.work import Times


class MemoryShare:
    """The memory with room for `flows` transfers, known by number.

    `turnaround` is the part of a ns that the bus takes to turn round per ns in which bytes move both ways.  With it,
    the load is the sum of all paces + turnaround * min(bytes in, bytes out), which is the lesser of two weighted sums:
    one that charges it on all reads, and one that charges it on all writes.
    """

    def __init__(self, flows: int, turnaround: float) -> None:
        self._turnaround = turnaround
        self._weights = np.zeros((2, flows))
        self._most = np.ones(flows)
        self._limited: set[int] = set()
        self.changed = False

    def enter(self, flow: int, *, write: bool, moving: float, most: float) -> None:
        """A transfer begins: `moving` (0..1) is the part of its service in which bytes move, `most` the highest pace
        it can go at, in ns of service per ns."""
        self._weights[:, flow] = 1.0
        self._weights[int(write), flow] += self._turnaround * moving
        self._most[flow] = most
        self.changed = True
        if most < 1.0:
            self._limited.add(flow)

    def leave(self, flow: int) -> None:
        """A transfer has ended."""
        self._weights[:, flow] = 0.0
        self._most[flow] = 1.0
        self._limited.discard(flow)
        self.changed = True

    def paces(self, out: Times) -> None:
        """Write the pace of every transfer to `out`; where there is none it means nothing."""
        np.minimum(self._level(), self._most, out=out)
        self.changed = False

    def _level(self) -> float:
        """The pace of all that are not held back by themselves: every round finds more that are, until none is new."""
        level = _fill(np.zeros(2), self._weights.sum(axis=1))
        while self._limited:
            held = self._most <= level
            higher = _fill(self._weights[:, held] @ self._most[held], self._weights[:, ~held].sum(axis=1))
            if higher <= level:
                break
            level = higher
        return level


def _fill(used: Times, weights: Times) -> float:
    """The pace at which transfers of these weights take what `used` leaves; 1 where there are none."""
    if not weights.any():
        return 1.0
    return float(((1.0 - used) / weights).max())
