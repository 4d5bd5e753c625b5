"""What a session holds: the model and the plan on screen, the pins, and what is under way.

Owns the values and how they depend on each other; views read them here.  Refuses to change anything: `Session` does.
"""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoStack

from compiler.captured import Captured
from compiler.compilation import Compilation
from compiler.device import Device
from compiler.pins import Pins
from simulator.report import VerifyReport
from spyre_studio.failure import Failure
from spyre_studio.jobs import Jobs
from spyre_studio.options import CompileOptions
from spyre_studio.request import Shared
from spyre_studio.resting_pins import RestingPins
from spyre_studio.search_run import SearchRun
from spyre_studio.settings import Settings
from spyre_studio.solved import Asked, Solved, SolvedPlans, was_stopped

State = Literal["empty", "loading", "ready", "error"]
WORK, VERIFY, CANDIDATES, LAYOUTS, HANDOVER = "work", "verify", "candidates", "layouts", "handover"
SIMULATE, SWEEP, WEIGH, PASSES, WRITE, PREVIEW = "simulate", "sweep", "weigh", "passes", "write", "preview"
EXPORT, REPORT, RUN_FILE = "export", "report", "run-file"
BESIDE = frozenset({SWEEP, WEIGH, EXPORT, REPORT, RUN_FILE})
"""Phases of what runs beside the making of a plan."""


class SessionState(QObject):
    """What is open.  `changed` says what: model, plan, pins, verify, state or options.

    `progressed` gives share (-1 if unknown), phase and detail; `searched`: a search has found something (see `search`);
    `failed` what, why and remedy (`failure` has details); `saved` the path that was written; `noted` a sentence that a
    person should read before the work goes on.
    """

    changed = Signal(str)
    progressed = Signal(float, str, str)
    searched = Signal()
    failed = Signal(str, str, str)
    saved = Signal(str)
    noted = Signal(str)

    def __init__(
        self, jobs: Jobs | None = None, settings: Settings | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.jobs = jobs or Jobs(parent=self)
        self.settings = settings or Settings(parent=self)
        self.undo_stack = QUndoStack(self)
        self._options = CompileOptions()
        self._device = self._options.load()
        self._source = ""
        self._opening = ""
        self._model: Shared | None = None
        self._captured: Captured | None = None
        self._plans = SolvedPlans()
        self._shown: Solved | None = None
        self._before: Solved | None = None
        self._pins = Pins()
        self.resting = RestingPins()
        self._phases: dict[str, str] = {}
        self._search: SearchRun | None = None
        self._failure: Failure | None = None
        self._handles = 0

    @property
    def state(self) -> State:
        """`ready` once a plan is on screen, also while another model is being opened."""
        if self._shown is not None:
            return "ready"
        if WORK in self._phases:
            return "loading"
        return "error" if self._failure is not None else "empty"

    @property
    def captured(self) -> Captured | None:
        """The model that is open."""
        return self._captured

    @property
    def compilation(self) -> Compilation | None:
        """The plan on screen with all that belongs to it."""
        return self._shown.compilation if self._shown else None

    @property
    def before(self) -> Compilation | None:
        """The plan that was on screen before this one, for Compare."""
        return self._before.compilation if self._before else None

    @property
    def verify_report(self) -> VerifyReport | None:
        """What verify found about the plan on screen, if it was asked."""
        return self._shown.report if self._shown else None

    @property
    def run_id(self) -> str:
        """Names the plan on screen, such as `#3`; '' if there is none."""
        return f"#{self._shown.number}" if self._shown else ""

    @property
    def pins(self) -> Pins:
        """What the user fixed."""
        return self._pins

    @property
    def device(self) -> Device:
        """The device that plans are made for, limited to the chosen cores."""
        return self._device

    @property
    def options(self) -> CompileOptions:
        """How plans are made."""
        return self._options

    @property
    def source(self) -> str:
        """The spec of what is open: a name, a path, or `file.py:factory`."""
        return self._source

    @property
    def opening(self) -> str:
        """The spec of what is being opened, '' if nothing is."""
        return self._opening

    @property
    def stale(self) -> bool:
        """True if pins, device or pipeline are no longer those of the plan on screen."""
        return self._shown is not None and self._shown.asked != self._asked(self._pins)

    @property
    def stale_words(self) -> str:
        """What changed since the plan on screen was made: pins, device, pipeline or its time; '' if nothing did."""
        if self._shown is None:
            return ""
        made, now = self._shown.asked, self._asked(self._pins)
        parts = {"pins": made.pins != now.pins, "the device": made.device != now.device}
        parts |= {"the pipeline": (made.pipeline, made.seconds) != (now.pipeline, now.seconds)}
        changed = [part for part, differs in parts.items() if differs]
        words = " and ".join([part for part in (", ".join(changed[:-1]), *changed[-1:]) if part])
        return f"{words} changed since this plan" if words else ""

    @property
    def solving(self) -> bool:
        """True while a plan is being made beside the one on screen."""
        return self._shown is not None and WORK in self._phases

    @property
    def busy(self) -> str:
        """The phase of what is being opened, compiled, verified, simulated, written, swept or weighed; '' if none
        is."""
        channels = (WORK, VERIFY, SIMULATE, WRITE, SWEEP, WEIGH)
        return next((self._phases[channel] for channel in channels if channel in self._phases), "")

    @property
    def settled(self) -> bool:
        """True if the plan on screen is the one that is asked for, and no search for it was stopped before its end."""
        return self._shown is not None and not self.stale and not was_stopped(self._shown.compilation.solver)

    @property
    def search(self) -> SearchRun | None:
        """What the search for the next plan has found so far; None if none runs, or it has found nothing yet."""
        return self._search

    @property
    def verifying(self) -> bool:
        """True while the plan on screen is being verified."""
        return VERIFY in self._phases

    @property
    def failure(self) -> Failure | None:
        """What went wrong last; None once something succeeded after it."""
        return self._failure

    @property
    def _kept_handles(self) -> set[str]:
        """What the worker must not forget."""
        return self._plans.handles | ({self._model.handle} if self._model else set())

    def _asked(self, pins: Pins) -> Asked:
        """What a plan for these pins, the open model and the current options is made from."""
        return Asked.of(self._model.handle if self._model else "", self._device, self._options, pins)
