"""Solved: the plans made so far, found again by what they were made from.

Owns the key of a plan and a bounded store, so that undo shows the very plan that was there before.  Refuses to solve.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from compiler.compilation import Compilation, SolverStatus
from compiler.device import Device
from compiler.pins import Pins
from compiler.text.pins_text import print_pins
from simulator.report import VerifyReport
from spyre_studio.failure import Failure
from spyre_studio.options import CompileOptions
from spyre_studio.request import Shared
from spyre_studio.timeline_data import TimelineData

_MOST = 24


@dataclass(frozen=True, slots=True)
class Asked:
    """What a plan was made from.  Pins as text: the order of pins and of their loops counts, which tables ignore."""

    model: str
    device: Device
    pipeline: str
    seconds: float | None
    pins: str

    @classmethod
    def of(cls, model: str, device: Device, options: CompileOptions, pins: Pins) -> Asked:
        """The key for a captured model (its handle), a device, options and pins."""
        return cls(model, device, options.pipeline, options.seconds, print_pins(pins))


@dataclass(slots=True, eq=False)
class Solved:
    """A plan with its number, counted from 1 in the order they were made, what verify found, if it was asked, and what
    its simulated run looked like, or why there is none."""

    asked: Asked
    shared: Shared
    number: int
    report: VerifyReport | None = None
    timeline: TimelineData | None = None
    not_simulated: Failure | None = None

    @property
    def compilation(self) -> Compilation:
        """The plan with all that belongs to it."""
        assert isinstance(self.shared.value, Compilation)
        return self.shared.value


def was_stopped(solver: SolverStatus) -> bool:
    """True if somebody ended the search with the best so far."""
    return solver.status.startswith("stopped")


class SolvedPlans:
    """The plans used last, at most a few dozen, beside those that are spared."""

    def __init__(self) -> None:
        self._entries: OrderedDict[Asked, Solved] = OrderedDict()
        self._spared: frozenset[Asked] = frozenset()
        self._made = 0

    def find(self, asked: Asked) -> Solved | None:
        """The plan made from exactly this, or None."""
        entry = self._entries.get(asked)
        if entry is not None:
            self._entries.move_to_end(asked)
        return entry

    def add(self, asked: Asked, handle: str, compilation: Compilation) -> Solved:
        """Remember a plan; the one not used for longest goes."""
        self._made += 1
        entry = Solved(asked, Shared(handle, compilation), self._made)
        self._entries[asked] = entry
        others = [known for known in self._entries if known not in self._spared]
        for old in others[:-_MOST]:
            del self._entries[old]
        return entry

    def spare(self, asked: frozenset[Asked]) -> None:
        """Never forget the plans that were made from these."""
        self._spared = asked

    def keep_model(self, model: str) -> None:
        """Forget the plans of other models; numbers go on."""
        for asked in [asked for asked in self._entries if asked.model != model]:
            del self._entries[asked]

    @property
    def entries(self) -> tuple[Solved, ...]:
        """The plans, the one used last at the end."""
        return tuple(self._entries.values())

    @property
    def handles(self) -> set[str]:
        """Under which handles the worker knows these plans."""
        return {entry.shared.handle for entry in self._entries.values()}
