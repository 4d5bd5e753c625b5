"""The story of the passes of the plan on screen, asked of the worker when somebody wants to read it.

Owns: asking once for each plan, and what is known until the answer is there: the log. Refuses: words and widgets.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from compiler.compilation import Compilation
from compiler.pass_story import PassStep, PassStory
from spyre_studio.failure import Failure
from spyre_studio.session import Session
from spyre_studio.while_alive import while_alive

STOPPED = "finding out what each pass changed was cancelled; choose this listing again to go on"


class PassDesk(QObject):
    """`changed` tells that `story` or `phase` is another one."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._asked: Compilation | None = None
        self.story: PassStory | None = None
        self.phase = ""

    def ask(self, compilation: Compilation) -> None:
        """Have the story of this plan, which is on screen; nothing happens if it is here or under way."""
        if compilation is self._asked:
            return
        self._asked, self.phase = compilation, "finding out what each pass changed"
        self.story = _log_of(compilation)
        self._session.request_passes(
            while_alive(self, lambda story: self._answered(compilation, story)),
            while_alive(self, lambda failure: self._failed(compilation, failure)),
            while_alive(self, lambda fraction, phase, _: self._told(fraction, phase)),
        )
        self.changed.emit()

    def cancel(self) -> None:
        """Leave it at the log."""
        self._session.cancel_passes()
        self._end(STOPPED)

    def _answered(self, compilation: Compilation, story: PassStory) -> None:
        if compilation is self._asked:
            self.story, self.phase = story, ""
            self.changed.emit()

    def _failed(self, compilation: Compilation, failure: Failure) -> None:
        if compilation is self._asked:
            self._end(failure.sentence.rstrip("."))

    def _end(self, note: str) -> None:
        if self.phase and self._asked is not None:
            self.story, self.phase = _log_of(self._asked, note), ""
            self._asked = None
            self.changed.emit()

    def _told(self, fraction: float | None, phase: str) -> None:
        share = "" if fraction is None else f" {fraction:.0%}"
        self.phase = f"running the passes again: {phase}{share}"
        self.changed.emit()


def _log_of(compilation: Compilation, *notes: str) -> PassStory:
    """What is known without running anything."""
    steps = tuple(PassStep(record.spec, record.seconds, record.decided) for record in compilation.log)
    return PassStory(compilation.plan.model, steps, notes)
