"""What is under way in a session: phases, progress, findings of a search, and how work fails.

Owns the bookkeeping of channels and handles.  Refuses to start anything: the verbs do.
"""

from __future__ import annotations

from compiler.compilation import Compilation
from compiler.watch import Finding
from spyre_studio.failure import Failure
from spyre_studio.import_words import import_words
from spyre_studio.jobs import Progress
from spyre_studio.reporter import NOTE
from spyre_studio.search_run import heard
from spyre_studio.session_simulation import Simulating
from spyre_studio.session_state import WORK


class Working(Simulating):
    """Used by the verbs of a session."""

    def _new_handle(self) -> str:
        self._handles += 1
        return f"value-{self._handles}"

    def _enter(self, channel: str, phase: str) -> None:
        self._phases[channel] = phase
        self._end_search(channel)
        self.changed.emit("state")
        self.progressed.emit(-1.0, phase, "")

    def _leave(self, channel: str) -> None:
        self._end_search(channel)
        if self._phases.pop(channel, None) is not None:
            self.changed.emit("state")

    def _progress(self, channel: str) -> Progress:
        def told(fraction: float | None, phase: str, detail: str) -> None:
            if phase == NOTE:
                self.noted.emit(detail)
                return
            self._phases[channel] = phase
            self.progressed.emit(-1.0 if fraction is None else fraction, phase, detail)

        return told

    def _tell_files(self, whole: Compilation) -> None:
        """What was found in the files that a plan was read from, if it was."""
        if words := import_words(whole):
            self.noted.emit(words)

    def _found(self, finding: Finding) -> None:
        self._search = heard(self._search, finding)
        self.searched.emit()

    def _end_search(self, channel: str) -> None:
        if channel == WORK:
            self._search = None

    def _stopped(self, channel: str, failure: Failure) -> None:
        self._phases.pop(channel, None)
        self._end_search(channel)
        self._fail(failure)

    def tell_failure(self, failure: Failure) -> None:
        """Something around the session went wrong, such as saving a project."""
        self._fail(failure)

    def _fail(self, failure: Failure) -> None:
        self._failure = failure
        self.changed.emit("state")
        self.failed.emit(failure.what, failure.why, failure.remedy)
