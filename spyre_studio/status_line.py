"""The line at the bottom: what runs, how far it is and how to stop it; else what was done last, and the counts.

Owns: the words of progress, and the curve of a search. Refuses: starting anything.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QWidget

from spyre_studio.elided import ElidedLabel
from spyre_studio.glossary import hints_in
from spyre_studio.phases import phase_words, spoken_name
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.search_run import SearchRun, time_words
from spyre_studio.session import Session
from spyre_studio.solver_words import GAP
from spyre_studio.sparkline import Sparkline
from spyre_studio.theme import GRID, PAD
from spyre_studio.verdicts import counts_text, made_text
from spyre_studio.widgets import button

_HEIGHT = 4 * GRID
_ENDING = "Ending with the best plan so far…"
_CURVE = "Predicted time of the best plan so far, and dashed what no plan goes below"


class StatusLine(QWidget):
    """`cancelled` and `stopped` tell that Cancel or Stop was pressed."""

    cancelled = Signal()
    stopped = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.words, self.counts, self.figures = ElidedLabel("", self), QLabel(self), QLabel(self)
        self.curve = Sparkline(_CURVE, self)
        self.stop = button("Stop", "secondary", "End the search with the best plan so far (Shift+F5)")
        self.bar, self.cancel = QProgressBar(self), button("Cancel", "quiet", "End it; the plan on screen stays (Esc)")
        self._said = ""
        self._arrange()
        session.changed.connect(self._changed)
        session.progressed.connect(self._progressed)
        session.searched.connect(self._show_search)
        session.saved.connect(lambda path: self.say(f"Wrote {path}"))
        self._refresh()

    def say(self, sentence: str) -> None:
        """What was done last; shown while nothing runs."""
        self._said = sentence
        self._refresh()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """A panel with a line above."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), qcolor(active_theme().panel))
        painter.fillRect(0, 0, self.width(), 1, qcolor(active_theme().line))
        painter.end()

    def _changed(self, what: str) -> None:
        compilation = self._session.compilation
        if what == "plan" and compilation is not None:
            self._said = made_text(compilation)
        if what in {"state", "plan"}:
            self._refresh()

    def _progressed(self, share: float, phase: str, detail: str) -> None:
        self._show_work(phase, detail)
        self.bar.setRange(0, 0 if share < 0 else 1000)
        self.bar.setValue(round(max(share, 0.0) * 1000))

    def _refresh(self) -> None:
        compilation = self._session.compilation
        self.counts.setText(counts_text(compilation) if compilation else "")
        self.counts.setToolTip(hints_in(self.counts.text()))
        busy = self._session.busy
        self.cancel.setVisible(bool(busy))
        self._show_search()
        if busy:
            self._show_work(busy, "")
            return
        changed = self._session.stale_words
        words = f"{changed[:1].upper()}{changed[1:]}; re-solve to see what that does"
        self.words.say(words if changed else self._said)

    def _show_search(self) -> None:
        """The curve takes the place of the bar, and the figures that of the counts, once a search has found a plan."""
        run = self._session.search
        for part in (self.curve, self.figures, self.stop):
            part.setVisible(run is not None)
        self.counts.setVisible(run is None and not self._session.opening)  # they are not those of what is opened
        self.bar.setVisible(bool(self._session.busy) and run is None)
        if run is not None:
            self._show_findings(run)

    def _show_findings(self, run: SearchRun) -> None:
        bounds = [finding.bound_us if finding.bound_us >= 0 else None for finding in run.findings]
        objectives = [finding.objective_us for finding in run.findings]
        self.curve.set_values(objectives, bounds, [finding.seconds for finding in run.findings])
        self.figures.setText(run.words)
        self.figures.setToolTip(f"{run.last.solver}, after {time_words(run.last)}. {GAP}")
        self.stop.setEnabled(not run.ending)
        if run.ending:
            self.words.say(_ENDING)

    def _show_work(self, phase: str, detail: str) -> None:
        if self._session.search is not None and self._session.search.ending:
            return
        what = f" {spoken_name(self._session.opening)}" if phase == "open" else ""
        self.words.say(f"{phase_words(phase)}{what}…" + (f"  {detail}" if detail else ""))

    def _arrange(self) -> None:
        self.setFixedHeight(px(_HEIGHT))
        for label in (self.words, self.counts, self.figures):
            label.setFont(font("label"))
            label.setProperty("tone", "mute")
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(px(16 * GRID))
        self.bar.setAccessibleName("Progress")
        self.curve.setToolTip(_CURVE)
        self.figures.setProperty("tone", "")
        self.cancel.clicked.connect(self.cancelled)
        self.stop.clicked.connect(self.stopped)
        row = QHBoxLayout(self)
        row.setContentsMargins(px(PAD), 1, px(PAD), 0)
        row.setSpacing(px(GRID))
        row.addWidget(self.bar)
        row.addWidget(self.words, 1)
        row.addWidget(self.curve)
        row.addWidget(self.figures)
        row.addWidget(self.stop)
        row.addWidget(self.cancel)
        row.addWidget(self.counts)
