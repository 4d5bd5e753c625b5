"""Watch: who follows a run of passes, and what a pass that searches for long tells and asks.

Owns the callbacks for progress, for cancelling, for stopping with the best so far and for what a search has found, and
the plan a re-solve starts from.  Refuses to decide anything.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from compiler.errors import StoppedError
from compiler.plan import Plan

Progress = Callable[[float, str], None]
Asked = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a search knows after `seconds`: the best time found, and what no plan goes below (-1: not known yet).

    `allowed` are the seconds that it may take; 0 if nobody has said.
    """

    solver: str
    objective_us: float
    bound_us: float
    seconds: float
    allowed: float = 0.0

    @property
    def gap(self) -> float:
        """(objective - bound) / objective; -1 without a bound."""
        if self.bound_us < 0:
            return -1.0
        return (self.objective_us - self.bound_us) / self.objective_us if self.objective_us else 0.0


@dataclass(slots=True)
class Watch:
    """Who watches a run.  `cancelled` ends it with nothing, `enough` with the best that a search has found so far.

    `out_of_time`: the last search was ended by the clock, or had done all the work that its time allows.
    """

    progress: Progress = field(default=lambda _fraction, _phase: None)
    cancelled: Asked = field(default=lambda: False)
    enough: Asked = field(default=lambda: False)
    found: Callable[[Finding], None] = field(default=lambda _finding: None)
    previous: Plan | None = None
    started: float = field(default_factory=time.monotonic)
    allowed: float = 0.0
    out_of_time: bool = False

    def enter(self, fraction: float, phase: str) -> None:
        """Tell progress; stop here if asked to."""
        if self.cancelled():
            raise StoppedError
        self.progress(fraction, phase)

    def begin(self, seconds: float) -> float:
        """A search begins, and may take so long; the moment (monotonic seconds) at which its time is up."""
        self.started, self.allowed, self.out_of_time = time.monotonic(), seconds, False
        return self.started + seconds

    def tell(self, solver: str, objective_us: float, bound_us: float = -1.0) -> bool:
        """Tell what a search has found; True if it should end with that.  StoppedError when cancelled."""
        if self.cancelled():
            raise StoppedError
        self.found(Finding(solver, objective_us, bound_us, time.monotonic() - self.started, self.allowed))
        return self.enough()
