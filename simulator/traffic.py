"""StepTraffic: the bytes that the steps of a run really moved, as the simulated memories saw them.

Owns the values and their sums.  Refuses to count: the memories do, access by access, while a program runs.

What counts.  A stick is moved whole, however few of its elements are used, and once per core, step and operand, however
often its body looks at it.  `delivered` adds up all cores.  `distinct` is what the card moves at least: a stick of
device memory that several cores of a step read is one stick.  An element that crosses the ring is read from the LX of
the core that sends it, and counts there, too.  Partial results cross the ring in fp32, in whole sticks.  What the host
writes before the first step and reads after the last is no traffic of the program.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Way(StrEnum):
    """What the bytes went through."""

    DEVICE_MEMORY = "hbm"
    LX = "lx"
    RING = "ring"


@dataclass(frozen=True, slots=True)
class StepTraffic:
    """Bytes of one access of one step, in whole sticks.

    `operand` is the number of the read, -1 for what the step writes.  `by_core` lists (core, bytes) of the cores that
    took part: readers and writers of device memory and LX, receivers of the ring; core -1 is the host, which runs
    opaque calls.
    """

    step: str
    buffer: str
    operand: int
    way: Way
    write: bool
    delivered: int
    distinct: int
    by_core: tuple[tuple[int, int], ...]


def moved(traffic: Iterable[StepTraffic], way: Way, *, write: bool | None = None, distinct: bool = False) -> int:
    """Bytes that went one way, read and written, or only one of the two."""
    chosen = (each for each in traffic if each.way is way and write in (None, each.write))
    return sum(each.distinct if distinct else each.delivered for each in chosen)


def summary(traffic: tuple[StepTraffic, ...]) -> str:
    """All ways in one line, as delivered.

    >>> summary((StepTraffic("exp", "x", 0, Way.DEVICE_MEMORY, False, 256, 128, ((0, 128), (1, 128))),))
    'moved: device memory 256 B read (128 B once for all cores), 0 B written; LX 0 B read, 0 B written; ring 0 B'
    """
    read, once = (moved(traffic, Way.DEVICE_MEMORY, write=False, distinct=each) for each in (False, True))
    shared = f" ({once:,} B once for all cores)" if once < read else ""
    lx = [moved(traffic, Way.LX, write=write) for write in (False, True)]
    return (
        f"moved: device memory {read:,} B read{shared}, {moved(traffic, Way.DEVICE_MEMORY, write=True):,} B written; "
        f"LX {lx[0]:,} B read, {lx[1]:,} B written; ring {moved(traffic, Way.RING):,} B"
    )
