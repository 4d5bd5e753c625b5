"""Simulating: the verbs of a session that ask for the simulated run of the plan on screen.

Owns: asking, reading the trace on a thread, and how many runs are kept.  Refuses: to compute, and to show a run of
another plan than the one it belongs to.  A failure is told where the run would be shown, not in a banner: nobody may
have asked for it.
"""

from __future__ import annotations

import tempfile
import traceback
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Signal

from compiler.errors import StudioError
from spyre_studio.background import Background
from spyre_studio.failure import Failure
from spyre_studio.jobs import Jobs, bug
from spyre_studio.request import simulate_request
from spyre_studio.session_state import SIMULATE, SessionState
from spyre_studio.settings import Settings
from spyre_studio.solved import Solved
from spyre_studio.step_opinion import SimulatedRun
from spyre_studio.timeline_data import TimelineData

PHASE: Final = "timing"
_KEPT: Final = 4  # runs; a million spans take about 40 MB


class Simulating(SessionState):
    """`simulated`: a run has begun, gone on, ended, failed or been cancelled; see `timeline`."""

    simulated = Signal()

    def __init__(
        self, jobs: Jobs | None = None, settings: Settings | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(jobs, settings, parent)
        self._reading = Background(self)
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._runs: list[Solved] = []
        self._asked_for = 0
        self._share: float | None = None
        self._detail = ""

    @property
    def timeline(self) -> TimelineData | None:
        """The simulated run of the plan on screen, if there is one."""
        return self._shown.timeline if self._shown else None

    @property
    def not_simulated(self) -> Failure | None:
        """Why the plan on screen has no simulated run, if it was asked for and failed."""
        return self._shown.not_simulated if self._shown else None

    @property
    def simulating(self) -> bool:
        """True while the plan on screen is being simulated."""
        return SIMULATE in self._phases

    @property
    def simulation_progress(self) -> tuple[float | None, str]:
        """How far it is (None if unknown), and the step that it is at."""
        return self._share, self._detail

    def simulate(self) -> None:
        """Ask for the simulated run of the plan on screen, unless it is there or under way."""
        entry = self._shown
        if entry is None or entry.timeline is not None or self.simulating:
            return
        entry.not_simulated = None
        try:
            path = self._fresh_path()
        except OSError as error:
            why = f"there is no room for its trace ({error.strerror})"
            self._simulated_to(entry, Failure("the simulated run", why, "make room for temporary files"))
            return
        self._phases[SIMULATE] = PHASE
        self._share, self._detail = None, ""
        self.jobs.submit(
            simulate_request(entry.shared, str(path)),
            SIMULATE,
            lambda run: self._read(entry, run),
            lambda failure: self._simulated_to(entry, failure),
            self._simulation_progress,
        )
        self.changed.emit("state")
        self.progressed.emit(-1.0, PHASE, "")
        self.simulated.emit()

    def drop_simulation(self) -> None:
        """Stop simulating; nobody waits for what runs."""
        self.jobs.cancel(SIMULATE)
        self._reading.cancel()
        if self._phases.pop(SIMULATE, None) is not None:
            self.changed.emit("state")
            self.simulated.emit()

    def end_simulations(self) -> None:
        """The session ends: its files go."""
        self._reading.cancel()
        folder, self._folder = self._folder, None
        if folder is not None:
            folder.cleanup()

    def _fresh_path(self) -> Path:
        """Where the worker writes the next trace; what nobody read is removed."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="spyre-studio-", ignore_cleanup_errors=True)
        folder = Path(self._folder.name)
        for old in folder.iterdir():
            old.unlink(missing_ok=True)
        self._asked_for += 1
        return folder / f"run-{self._asked_for}.npz"

    def _simulation_progress(self, share: float | None, phase: str, detail: str) -> None:
        self._share, self._detail = share, detail
        if self.busy == PHASE:  # nothing that somebody asked for runs beside it
            self.progressed.emit(-1.0 if share is None else share, phase, detail)
        self.simulated.emit()

    def _read(self, entry: Solved, run: SimulatedRun) -> None:
        self._share, self._detail = None, "reading the trace"
        self.simulated.emit()
        self._reading.run(lambda: _read_run(run), lambda found: self._simulated_to(entry, found))

    def _simulated_to(self, entry: Solved, found: TimelineData | Failure) -> None:
        self._phases.pop(SIMULATE, None)
        if isinstance(found, Failure):
            entry.not_simulated = found
        else:
            entry.timeline = found
            model = entry.asked.model
            others = (one for one in self._runs if one is not entry and one.asked.model == model)
            self._runs = [*others, entry]
            for old in self._runs[:-_KEPT]:
                old.timeline = None
            self._runs = self._runs[-_KEPT:]
        self.changed.emit("state")
        self.simulated.emit()


def _read_run(run: SimulatedRun) -> TimelineData | Failure:
    """On a thread: the trace, ready to be drawn; its file is not needed any more."""
    from simulator.trace_file import load_trace
    from spyre_studio.timeline_data import timeline_of

    path = Path(run.path)
    try:
        data = timeline_of(load_trace(path), run.opinions)
        path.unlink(missing_ok=True)
    except StudioError as error:
        return Failure.of(error)
    except Exception:  # noqa: BLE001  nobody is above a pool thread: what is not told here would never be told
        return bug(traceback.format_exc())
    return data
