"""Machine: the memories, units and datapaths of a device, as its file lists them.

Owns names and who is connected with whom; rates and counts are keys of the device's numbers, so that each number
stands once.  Refuses routes: which way a step takes through the machine is the simulator's to find.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Scope(StrEnum):
    """How many there are of a thing."""

    CARD = "card"  # one, shared by all cores
    CORE = "core"  # one on every core


class UnitKind(StrEnum):
    """What a unit does."""

    MOVE = "move"  # carries data from one memory to another, or between a memory and a computing unit
    MATRIX = "matrix"  # contractions
    VECTOR = "vector"  # everything else that computes
    RING = "ring"  # carries data between the LX of cores


@dataclass(frozen=True, slots=True)
class MachineMemory:
    """A memory.  `size` names the number that holds its bytes; `rate` that of its bytes per ns where it is shared by
    all cores ('' for memories that are never in the way)."""

    name: str
    title: str
    scope: Scope
    size: str
    rate: str = ""


@dataclass(frozen=True, slots=True)
class MachineUnit:
    """A unit of a core.  `instances` and `rate` name numbers: how many work side by side ('' for one), and what all of
    them together do per ns (bytes; multiply-accumulates for a matrix unit)."""

    name: str
    title: str
    kind: UnitKind
    rate: str
    instances: str = ""


@dataclass(frozen=True, slots=True)
class DataPath:
    """Data may go from `source` to `target`, each a memory or a unit."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Machine:
    """All of them; empty for a device whose file describes none, which then cannot be timed."""

    memories: tuple[MachineMemory, ...] = ()
    units: tuple[MachineUnit, ...] = ()
    paths: tuple[DataPath, ...] = ()


NO_MACHINE = Machine()
