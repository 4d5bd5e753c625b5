"""Plan: every decision of the compiler as one value.

Owns layouts, divisions, placements, inserted moves, kernels and the reason of each, keyed by the stable names of ops
and buffers.  Refuses code that decides: passes make new Plans, the checker proves them, views draw them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from frozendict import frozendict

from compiler.division import Division
from compiler.layout import StickLayout
from compiler.pins import PinStatus


class ReasonCode(StrEnum):
    """Why a buffer is not in LX; the sentence for people is in `compiler.reasons`."""

    GRAPH_INPUT = "graph-input"
    GRAPH_OUTPUT = "graph-output"
    OPAQUE_USER = "opaque-user"
    ACROSS_OPAQUE = "alive-across-opaque"
    RESTICKIFY_READER = "read-by-restickify"
    INDIRECT = "indirect-access"
    PARTIAL_READ = "partial-read"
    PARTIAL_SUMS = "partial-sums"
    DIVISION_MISMATCH = "division-mismatch"
    NOT_READ = "not-read"
    EMPTY = "empty"
    LX_GAP = "lx-gap"
    CAPACITY = "capacity"
    PINNED = "pinned-out"
    ZERO_PADDED = "zero-padded"
    DEVICE_COPY = "device-copy"
    NOT_WORTH_IT = "not-worth-it"
    CLONED_IN = "cloned-in"
    NO_CLONE = "no-clone"
    UNWEIGHED = "as-before"
    AS_READ = "as-read"


@dataclass(frozen=True, slots=True)
class Slot:
    """In LX on every owning core at one address (bytes), from first to last step (both included)."""

    address: int
    size_bytes: int
    first_step: int
    last_step: int
    in_place_of: str = ""


@dataclass(frozen=True, slots=True)
class Spilled:
    """In device memory, and why."""

    code: ReasonCode
    detail: str


Placement = Slot | Spilled


class EditKind(StrEnum):
    """Moves the compiler may insert."""

    RESTICKIFY = "restickify"
    REORDER = "reorder"
    PAD = "pad"
    RELAYOUT = "relayout"
    CLONE_IN = "clone-in"
    CLONE_OUT = "clone-out"


HOMEWARD = frozenset({EditKind.RELAYOUT, EditKind.CLONE_IN, EditKind.CLONE_OUT})
"""Moves that keep the layout and only change where a buffer lies or which core holds which part of it."""

OUTPUT_READER = "output:"
"""What stands before the name of an output among the readers of a clone-out."""


@dataclass(frozen=True, slots=True)
class Edit:
    """An inserted copy `source -> target`, run right before op `before`; `readers` read the target instead.

    A restickify changes the stick, a reorder only the order of the other dims, a pad only fills a dim up with zeros.
    A relayout goes from LX to LX over the ring, to other cores; a clone-in from device memory to LX (of an input, or of
    a buffer that was evicted: a reload); a clone-out from LX to device memory (of an output, or to evict).

    A reader is an op, `OP#NUMBER` for one of its reads where others of the same buffer keep the source, or
    `output:NAME` for an output of the model.  An empty `before` stands for the end of the program.
    `replicas` cores hold each part of the target (relayout and clone-in only): the copy has a loop of that extent more.
    `name` is the key of its division, `target` the key of its layout and placement.
    """

    name: str
    kind: EditKind
    source: str
    target: str
    before: str
    readers: tuple[str, ...]
    replicas: int = 1


@dataclass(frozen=True, slots=True)
class Kernel:
    """A run of steps launched as one program; names of ops and edits in order."""

    name: str
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """How good a decision of the whole graph is: what it costs, and what no other decision can go below.

    `unit` is `elements` or `ns`; `states` counts what the search looked at.  Objective and bound are equal where the
    optimum was proved.
    """

    method: str
    unit: str
    objective: int
    bound: int
    states: int

    @property
    def gap(self) -> float:
        """(objective - bound) / objective; 0 where the optimum was proved."""
        return (self.objective - self.bound) / self.objective if self.objective else 0.0


@dataclass(frozen=True, slots=True)
class Plan:
    """All decisions.  `reasons` is keyed `layout:BUFFER`, `division:OP`, `edit:NAME`, `pass:NAME`; placements carry
    their own; `claims` by the name of the pass that makes one."""

    model: str
    device: str
    cores: int
    pipeline: str
    layouts: frozendict[str, StickLayout] = field(default_factory=frozendict)
    edits: tuple[Edit, ...] = ()
    divisions: frozendict[str, Division] = field(default_factory=frozendict)
    placement: frozendict[str, Placement] = field(default_factory=frozendict)
    kernels: tuple[Kernel, ...] = ()
    reasons: frozendict[str, str] = field(default_factory=frozendict)
    pins: frozendict[str, PinStatus] = field(default_factory=frozendict)
    claims: frozendict[str, Claim] = field(default_factory=frozendict)
