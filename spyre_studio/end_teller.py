"""The teller of ends: one line for whatever ran beside the views and has ended, with its verdict.

Owns noticing that verifying, simulating, sweeping or weighing is over, and the line.  Refuses: to tell of what was
cancelled or belongs to a plan that is gone, and the figures, which the session has.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from spyre_studio.insight_weighed import Weighed
from spyre_studio.session import Session
from spyre_studio.units import format_count, format_us


class EndTeller(QObject):
    """`told` carries one line."""

    told = Signal(str)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._ran = tuple(runs() for runs, _ in self._watched)
        session.changed.connect(self._look)
        for signal in (session.simulated, session.swept, session.advised):
            signal.connect(self._look)

    @property
    def _watched(self) -> tuple[tuple[Callable[[], str], Callable[[], str]], ...]:
        """Of what plan it runs, '' if it does not; and what is said of its end, '' for nothing."""
        session = self._session
        return (
            (lambda: session.run_id if session.verifying else "", self._verified),
            (lambda: session.run_id if session.simulating else "", self._simulated),
            (lambda: "swept" if session.sweeping else "", self._swept),
            (lambda: session.run_id if session.weighing else "", self._weighed),
        )

    def _look(self, _what: str = "") -> None:
        before, self._ran = self._ran, tuple(runs() for runs, _ in self._watched)
        plans = {self._session.run_id, "swept"}
        for was, now, (_, words) in zip(before, self._ran, self._watched, strict=True):
            line = words() if was and not now and was in plans else ""
            if line:
                self.told.emit(line)

    def _verified(self) -> str:
        from spyre_studio.verify_rows import headline  # no start needs its words

        report = self._session.verify_report
        if report is None:
            return ""
        verdict, _, how = headline(report)
        return f"Verified {self._session.plan_name}: {verdict[0].lower()}{verdict[1:]}. {how}"

    def _simulated(self) -> str:
        run, failure, plan = self._session.timeline, self._session.not_simulated, self._session.compilation
        if failure is not None:
            return f"Not simulated: {failure.why}"
        if run is None or plan is None:
            return ""
        took, predicted = format_us(run.trace.total_us), format_us(plan.cost.total_us)
        return f"Simulated {self._session.plan_name}: {took}, predicted were {predicted}"

    def _swept(self) -> str:
        sweep = self._session.sweep
        if sweep is None or sweep.waiting:
            return ""
        count, best = format_count(len(sweep.outcomes), "plan"), sweep.setting(sweep.best)
        found = sweep.figures(sweep.best) if best is not None else None
        if best is None or found is None:
            return f"Swept {format_count(len(sweep.outcomes), 'setting')}: none has a plan"
        return f"Swept {count}: the best takes {format_us(found.total_us)}, with {self._session.setting_words(best)}"

    def _weighed(self) -> str:
        if self._session.not_weighed is not None:
            return f"What remedies save is not known: {self._session.not_weighed.why}"
        found = self._session.weighed
        return weighed_words(found) if found.trials else ""


def weighed_words(found: Weighed) -> str:
    """Example: 'Tried 12 remedies: the best saves 19.2 µs'."""
    count = format_count(len(found.trials), "remedy", "remedies")
    most = max((one.saving.us for one in found.trials if one.saving.helps), default=0.0)
    return f"Tried {count}: " + (f"the best saves {format_us(most)}" if most > 0 else "none saves time")
