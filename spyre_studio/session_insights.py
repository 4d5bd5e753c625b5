"""Advising: the verbs of a session that ask what remedies save, and that take one.

Owns what was worked out for the plan on screen, and how far that is.  Refuses to compute, and to show what was worked
out for another plan.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from PySide6.QtCore import QObject, Signal

from spyre_studio.failure import Failure
from spyre_studio.insight import Basis, Insight, Remedy
from spyre_studio.insight_request import weigh_request
from spyre_studio.insight_weighed import NOT_WEIGHED, Weighed
from spyre_studio.jobs import Jobs
from spyre_studio.session_state import WEIGH
from spyre_studio.session_writing import Writing
from spyre_studio.settings import Settings
from spyre_studio.solved import Asked, Solved
from spyre_studio.variant_change import Wanted

_KEPT: Final = 24  # plans whose savings are known; undo comes back to them


class Advising(Writing):
    """`advised`: savings are being worked out, are known, or could not be."""

    advised = Signal()

    def __init__(
        self, jobs: Jobs | None = None, settings: Settings | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(jobs, settings, parent)
        self._advice: dict[int, Weighed] = {}
        self._weighing_share: tuple[float | None, str] = (None, "")
        self._not_weighed: Failure | None = None
        self.changed.connect(self._another_plan)

    @property
    def weighed(self) -> Weighed:
        """What was worked out for the plan on screen; NOT_WEIGHED before that."""
        return self._advice.get(self._shown.number, NOT_WEIGHED) if self._shown else NOT_WEIGHED

    @property
    def weighing(self) -> bool:
        """True while savings are being worked out."""
        return WEIGH in self._phases

    @property
    def weighing_progress(self) -> tuple[float | None, str]:
        """How far that is (None if unknown), and the remedy that is tried."""
        return self._weighing_share

    @property
    def not_weighed(self) -> Failure | None:
        """Why savings of the plan on screen are not known, if that was asked for and failed."""
        return self._not_weighed

    def weigh(self) -> None:
        """Ask what the remedies of the plan on screen save, unless that is known or under way."""
        entry = self._shown
        if entry is None or self.weighing or entry.number in self._advice:
            return
        self._not_weighed, self._weighing_share = None, (None, "")
        self._phases[WEIGH] = WEIGH
        self.jobs.submit(
            weigh_request(entry.shared),
            WEIGH,
            lambda found: self._weighed_to(entry, found),
            self._weighing_failed,
            self._weighing_at,
        )
        self.changed.emit("state")
        self.advised.emit()

    def end_weighing(self) -> None:
        """Nobody waits for savings any more."""
        self.jobs.cancel(WEIGH)
        if self._phases.pop(WEIGH, None) is not None:
            self.changed.emit("state")
            self.advised.emit()

    def with_known(self, insight: Insight) -> Insight:
        """The insight with what remedies save whose plan was made in the meantime, which is more than was tried."""
        found = [self._known(remedy) for remedy in insight.remedies]
        return insight if tuple(found) == insight.remedies else replace(insight, remedies=tuple(found))

    def _known(self, remedy: Remedy) -> Remedy:
        shown = self._shown
        if not remedy.changes or shown is None or self._model is None or self.stale:
            return remedy
        options = replace(self._options, pipeline=remedy.pipeline) if remedy.pipeline else self._options
        made = self._plans.find(Asked.of(self._model.handle, self._device, options, remedy.pins(self._pins)))
        if made is None or made is shown or remedy.saving.refused:
            return remedy
        us = shown.compilation.cost.total_us - made.compilation.cost.total_us
        return replace(remedy, saving=replace(remedy.saving, us=us, basis=Basis.SOLVED))

    def take(self, remedy: Remedy) -> None:
        """Do what a remedy says of pins and pipeline, as one step of undo."""
        if self._model is None or self._opening or not remedy.changes:
            return
        pins = remedy.pins(self._pins)
        options = replace(self._options, pipeline=remedy.pipeline) if remedy.pipeline else self._options
        self._want(remedy.words, Wanted(pins, self._device, options, self._variants))

    def _want(self, words: str, after: Wanted) -> None:
        """Put something else on screen as one step of undo; the session does."""

    def _weighing_at(self, share: float | None, phase: str, detail: str) -> None:
        self._weighing_share = (share, detail)
        if self.busy == WEIGH:  # nothing that somebody asked for before runs beside it
            self.progressed.emit(-1.0 if share is None else share, phase, detail)
        self.advised.emit()

    def _weighing_failed(self, failure: Failure) -> None:
        self._not_weighed = failure
        self._phases.pop(WEIGH, None)
        self.changed.emit("state")
        self.advised.emit()

    def _weighed_to(self, entry: Solved, found: Weighed) -> None:
        self._phases.pop(WEIGH, None)
        self._advice[entry.number] = found
        for old in list(self._advice)[:-_KEPT]:
            del self._advice[old]
        self.changed.emit("state")
        self.advised.emit()

    def _another_plan(self, what: str) -> None:
        if what in {"model", "plan"}:
            self._not_weighed = None
            self.end_weighing()
