"""Work: what one step asks of the machine, core by core, before anybody knows when it runs.

Owns the values between the program and the clock: bytes, requests and busy times.  Refuses waiting: that one core is
in another one's way is found out by the engine.  Arrays have one entry per core that takes part, in the order of
`cores`; times are in ns, bytes are whole sticks.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]
Times = NDArray[np.float64]


class Way(StrEnum):
    """How an operand comes to or leaves a core."""

    OWN = "own"  # device memory, every core its own part
    SHARED = "shared"  # device memory, one load for all cores that need it
    REPLICATED = "replicated"  # device memory, loaded again by every core that needs it
    LX = "lx"  # the core's own scratchpad
    RING = "ring"  # other cores' scratchpads
    HOST = "host"  # host memory, for steps that run there


@dataclass(frozen=True, slots=True, eq=False)
class Operand:
    """One access of a step: `bytes` reach or leave each core (over the ring: those that others send); `charged` is what
    of it device memory really moves (a shared load is charged once, in equal parts); `burst_bytes` is the largest mean
    contiguous run of a core, cut to the burst.  A step of the host has one entry: whole tensors."""

    tensor: str
    write: bool
    way: Way
    bytes: Counts
    charged: Counts
    burst_bytes: int


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """One unit of the step's path through the machine.  `level` 0 moves between the card's memory and a core's, level 1
    and deeper stay inside a core.  `busy` is the time all instances together need for `bytes` if nothing is in the way;
    `read` is False for what leads away from the computing unit."""

    unit: str
    level: int
    read: bool
    bytes: Counts
    busy: Times


@dataclass(frozen=True, slots=True, eq=False)
class Hop:
    """A partial result that goes from one core to the next: `ns` on the ring of partial sums, when both are ready;
    `bytes` are whole sticks of fp32."""

    source: int
    target: int
    ns: float
    bytes: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Fragments:
    """What the ring carries: cores and bytes of every part that one core sends to another, each pair once."""

    source: Counts
    target: Counts
    bytes: Counts


@dataclass(frozen=True, slots=True, eq=False)
class OpWork:
    """A step's demands.

    `read_ns`, `write_ns`: service of the card's memory (its whole time) for this core's part, at the rate for one
    direction.  `read_share`, `write_share` (0..1): the part of that service in which bytes move, the rest being
    requests; the turnaround is paid on bytes.  `floor_ns`: the time the core needs for all its tiles once they are in
    its reach.  `delivery_ns`: what loading its operands takes at least, however idle the memory is (replicated and
    widely shared operands, and those of contractions that use what they load at most once).  `tiles`: transfers that a
    double-buffered core cuts its part into.  `ring_ns`: what the walk of a step over the ring takes on each core by
    itself.
    """

    name: str
    step: int
    unit: str
    cores: Counts
    tiles: Counts
    read_ns: Times
    write_ns: Times
    read_share: Times
    write_share: Times
    floor_ns: Times
    delivery_ns: Times
    ring_ns: Times
    operands: tuple[Operand, ...]
    stages: tuple[Stage, ...]
    hops: tuple[Hop, ...] = ()
    fragments: Fragments | None = None
    macs: Counts | None = None
    on_host: bool = False
