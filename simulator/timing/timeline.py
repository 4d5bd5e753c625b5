"""Timeline: when every step ran on every core, as the engine found it.

Owns times and who waited for whom.  Refuses spans of single transfers: they follow from these times and the work
(`simulator.timing.spans`).  All arrays have shape (steps, cores); times are in ns, -1 where a core takes no part.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from simulator.timing.work import OpWork, Times

Numbers = NDArray[np.int32]
Causes = NDArray[np.int8]


class Cause(IntEnum):
    """Why a core did not start earlier, or what its step was bound by."""

    NOTHING = 0
    ORDER = 1  # its own step before
    PRODUCER = 2  # somebody writes what it reads
    PARTNER = 3  # the ring needs all of its partners
    LAUNCH = 4  # the kernel before has to end everywhere
    MEMORY = 5  # device memory, shared with others
    DELIVERY = 6  # an operand that is handed out slowly
    COMPUTE = 7  # its own units
    RING = 8  # links of the ring that carry other parts, too
    PARTIAL = 9  # a partial result from the core before it


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """`ready`: the core's step before has ended (or the kernel has begun).  `start`: the step begins; `cause`,
    `by_step` and `by_core` (-1: nobody) say who it waited for.  The four parts of a double-buffered step end at
    `filled` (first tile is there), `steady` (all but the last tile computed), `computed` (the last one, too) and `end`
    (all is written or passed on).  `read_end` and `write_end`: when the transfers of the steady part were through.
    `wait` is the time between `computed` and the arrival of a partial result.  `bound` is what took longest;
    `alone_ns` is how long the step would have taken on this core with the machine to itself.
    """

    work: tuple[OpWork, ...]
    cores: int
    ready: Times
    start: Times
    filled: Times
    steady: Times
    computed: Times
    end: Times
    read_end: Times
    write_end: Times
    wait: Times
    alone_ns: Times
    cause: Causes
    by_step: Numbers
    by_core: Numbers
    bound: Causes
    kernel_start: Times
    kernel_end: Times
    total_ns: float
