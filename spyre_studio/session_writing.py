"""Writing: the verbs of a session that have the worker write a file: a report, a run, a plan in some format.

Owns what is being written, so that it is told of and can be cancelled while it lasts.  Refuses to write: the worker
does, and nothing is left of a file that was not written whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from PySide6.QtCore import QObject

from spyre_studio.failure import Failure
from spyre_studio.jobs import Jobs
from spyre_studio.phases import phase_words
from spyre_studio.report_request import report_request
from spyre_studio.request import Request, export_request, run_request
from spyre_studio.session_state import EXPORT, REPORT, RUN_FILE, WRITE
from spyre_studio.session_sweep import Sweeping
from spyre_studio.settings import Settings

_CHANNELS: Final = {EXPORT: "export", REPORT: "report", RUN_FILE: "run"}


class Writing(Sweeping):
    """`saved` carries the path of a file that was written."""

    def __init__(
        self, jobs: Jobs | None = None, settings: Settings | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(jobs, settings, parent)
        self._written_now: dict[str, str] = {}

    def save_report(self, path: str) -> None:
        """Write the report of the plan on screen, with its simulated run if it has one, and compared with the plan
        before it if that is of the same model; `saved` tells when it is written."""
        entry, before = self._shown, self._before
        if entry is None:
            return
        other = before.shared if before is not None and before.asked.model == entry.asked.model else None
        self._write(report_request(entry.shared, other, entry.timeline is not None, path), REPORT, path)

    def export(self, name: str, path: str, chosen: Mapping[str, str] | None = None, *, partial: bool = False) -> None:
        """Write the plan on screen in a format of `compiler.emit`; `saved` tells when it is written.  What the format
        has no words for is an error, unless a `partial` export is wanted."""
        if self._shown is not None:
            request = export_request(self._shown.shared, name, path, chosen, partial=partial)
            self._write(request, EXPORT, path)

    def save_run(self, path: str) -> None:
        """Write the simulated run of the plan on screen; `saved` tells when it is written."""
        if self._shown is not None:
            self._write(run_request(self._shown.shared, path), RUN_FILE, path)

    def end_writing(self) -> None:
        """Nobody waits for files any more."""
        for channel in self._written_now:
            self.jobs.cancel(channel)
        self._written_now.clear()
        self._tell_writing()

    def _write(self, request: Request[str], phase: str, path: str) -> None:
        channel = f"{_CHANNELS[phase]}:{path}"

        def ended() -> None:
            self._written_now.pop(channel, None)
            self._tell_writing()

        def written(answer: str) -> None:
            ended()
            self.saved.emit(answer)

        def failed(failure: Failure) -> None:
            ended()
            self._fail(failure)

        def told(share: float | None, step: str, _detail: str) -> None:
            if self.busy == phase:  # nothing that somebody asked for before runs beside it
                words = "" if step == phase else phase_words(step)
                self.progressed.emit(-1.0 if share is None else share, phase, words)

        self._written_now[channel] = phase
        self._tell_writing()
        self.jobs.submit(request, channel, written, failed, told)

    def _tell_writing(self) -> None:
        """The newest that is being written is what one is told of."""
        before = self._phases.pop(WRITE, "")
        now = next(reversed(self._written_now.values()), "")
        if now:
            self._phases[WRITE] = now
        if now != before:
            self.changed.emit("state")
            if self.busy == now != "":
                self.progressed.emit(-1.0, now, "")
