"""Verify: what the checker proved of the plan, and how the numbers of the simulated device compare with PyTorch.

Owns: the two halves of the page, making the pages of a report, the poison switch, and asking for a verification.
Refuses: checking and computing; clicks go to the selection.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from compiler.compilation import Compilation
from simulator.report import VerifyReport
from spyre_studio.elided import ElidedLabel
from spyre_studio.failure import Failure
from spyre_studio.phases import phase_words
from spyre_studio.pill import Pill
from spyre_studio.qt_theme import font, px
from spyre_studio.selection import Selection
from spyre_studio.session import Session
from spyre_studio.state_page import StatePage
from spyre_studio.table import CopyableTable
from spyre_studio.theme import GRID, PAD
from spyre_studio.verify_places import Spoken
from spyre_studio.verify_rows import headline
from spyre_studio.view_state import READY, Badge, ViewState, empty, error, loading
from spyre_studio.views.paged import PagedView
from spyre_studio.views.verify_checks import VerifyChecks
from spyre_studio.views.verify_pages import PAGES, VerifyPages
from spyre_studio.widgets import button, restyle

NOT_VERIFIED = empty(
    "Not verified yet",
    "Run the plan on a simulated device, core by core and slice by slice, and compare with PyTorch.",
    "Verify",
)
POISON_HINT: Final = (
    "Before the run, padding lanes, scratchpad that is not in use and device memory that nobody has written are filled "
    "with NaN, so that reading any of it shows in the results. Switched off they hold zeros, which hides such mistakes."
)
_WAITING: Final = 21 * GRID  # px; why there are no numbers, and the button that makes them
_NARROW: Final = 640  # px; below this the halves stand one over the other


class _Half(QWidget):
    """A part of the page that tells when it has another size."""

    resized = Signal()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Other room."""
        super().resizeEvent(event)
        self.resized.emit()

    def showEvent(self, event: QShowEvent) -> None:
        """What changed while nobody looked."""
        super().showEvent(event)
        self.resized.emit()


class VerifyView(PagedView):
    """Checks at the left, numbers at the right."""

    key = "verify"
    title = "Verify"
    nothing = empty("No plan yet", "Open a model to see what the checker proves of its plan.")

    def __init__(self, session: Session, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(session, selection, parent)
        self._report: VerifyReport | None = None
        self._stale: tuple[Badge, ...] = ()
        self._progress: tuple[float, str, str] = (-1.0, "", "")
        self._failed: Failure | None = None
        self._known_failure, self._running = session.failure, False
        self.halves = QSplitter(self.body)  # what holds the others is there before them: else all are dressed again
        self._right = _Half(self.halves)
        self._found = QWidget(self._right)
        self._made: VerifyPages | None = None
        self._page_asked = ""
        self.checks = VerifyChecks(self.halves)
        self.verdict, self.badge = ElidedLabel(), Pill("", "warn")
        self.poison, self.again = QCheckBox("Poison"), button("Verify again", "secondary")
        self.waiting = StatePage(NOT_VERIFIED, self._right)
        self._arrange()
        self._connect()

    @property
    def pages(self) -> VerifyPages:
        """What a verification has found: made when there is something to show, it is the larger half of the view."""
        if self._made is None:
            self._made = VerifyPages(self._found)
            self._made.located.connect(self._located)
            self._made.pointed.connect(self.selection.hover_core)
            layout = self._found.layout()
            assert layout is not None  # made with the view
            layout.addWidget(self._made)
            self._fit()
        return self._made

    @property
    def table(self) -> CopyableTable:
        """The table of results."""
        return self.pages.results.table

    @property
    def page_key(self) -> str:
        """The page that the tabs show, or will once there is something to show."""
        return self._made.key if self._made is not None else self._page_asked or PAGES[0][0]

    def show_page(self, key: str) -> None:
        """Turn to 'summary', 'results', 'map' or 'traffic', at once or when there is something to show; what stands
        beside the pages anyway is in view already."""
        self._page_asked = key
        if self._made is not None:
            self._made.turn_to(key)

    # What is shown

    def fill(self, compilation: Compilation) -> None:
        """The verdicts of another plan."""
        self._failed = None
        self.checks.show_compilation(compilation)
        self._show_numbers()

    def mark(self) -> None:
        """The rows of the selected op, the cells of the selected core."""
        if self._made is not None:
            self._made.mark(self.selection)

    def show_badges(self, badges: tuple[Badge, ...]) -> None:
        """Beside the verdict."""
        self._stale = badges
        self._show_numbers()

    def numbers_state(self) -> ViewState:
        """Why there is no report to show, or READY."""
        if self.session.verifying:
            share, phase, detail = self._progress
            words = "" if phase in ("", "verify") else phase_words(phase)
            sentence = " · ".join(word for word in (words, detail) if word)
            return loading("Verifying", sentence, share if share >= 0 else None)
        if self._failed is not None:
            failed = self._failed
            sentence = f"{failed.what}: {failed.why}; {failed.remedy}."
            return error("The plan could not be verified", sentence, "Verify again", failed.details)
        return READY if self.session.verify_report is not None else NOT_VERIFIED

    def _show_numbers(self) -> None:
        report, compilation = self.session.verify_report, self.compilation
        if report is not self._report and compilation is self.session.compilation:
            self._report = report
            if report is not None and compilation is not None:
                self._show_report(report, compilation)
        state = self.numbers_state()
        ready = state.kind == "ready"
        self.waiting.show_state(state)
        self._found.setVisible(ready)
        self.again.setVisible(ready)
        self._show_verdict(report if ready else None)
        self._show_badge()

    def _show_report(self, report: VerifyReport, compilation: Compilation) -> None:
        wanted, self._page_asked = (self._page_asked, "") if self._made is None else ("", "")
        self.pages.show_report(report, compilation)
        if wanted:
            self.pages.turn_to(wanted)
        self.mark()

    def _show_verdict(self, report: VerifyReport | None) -> None:
        title, tone = ("Numbers against PyTorch", "") if report is None else headline(report)[:2]
        mark = {"ok": "● ", "bad": "■ "}.get(tone, "")
        self.verdict.say(mark + title)
        self.verdict.setProperty("tone", tone)
        restyle(self.verdict)

    def _show_badge(self) -> None:
        report, poison = self._report, self.session.settings.on("poison")
        badges = list(self._stale)
        if report is not None and self.numbers_state().kind == "ready" and report.poison is not poison:
            was = "on" if report.poison else "off"
            badges.append(Badge(f"poison was {was}", "warn", f"Verify again to run with poison {_on(poison)}."))
        self.badge.setVisible(bool(badges))
        if badges:
            hint = " ".join(badge.hint for badge in badges)
            self.badge.set_pill(", ".join(badge.text for badge in badges), badges[0].tone, hint)

    # What happens in the session

    def _told(self, what: str) -> None:
        """Also while nobody looks: whether the last verification failed."""
        session, was = self.session, self._running
        self._running = session.verifying
        if what in {"plan", "verify"} or (self._running and not was):
            self._failed = None
        if self._running and not was:
            self._known_failure, self._progress = session.failure, (-1.0, "", "")
        elif was and not self._running and session.failure is not self._known_failure:
            self._failed = session.failure
        if what in {"verify", "state"} and self.isVisible() and self.compilation is not None:
            self._show_numbers()

    def _progressed(self, share: float, phase: str, detail: str) -> None:
        if self.session.verifying:
            self._progress = (share, phase, detail)
            if self.isVisible() and self.compilation is not None:
                self.waiting.show_state(self.numbers_state())

    def _setting_changed(self, key: str) -> None:
        if key == "poison":
            self._show_poison()
            self._show_badge()

    def _show_poison(self) -> None:
        self.poison.blockSignals(True)
        self.poison.setChecked(self.session.settings.on("poison"))
        self.poison.blockSignals(False)

    # What the user does

    def _acted(self) -> None:
        if self.session.verifying:
            self.session.cancel()
        else:
            self.session.verify()

    def _located(self, spoken: Spoken) -> None:
        """Select what a sentence speaks of."""
        if spoken.core >= 0:
            self.selection.select_core(spoken.core)
        if spoken.buffer:
            self.selection.select_buffer(spoken.buffer)
        if spoken.op:
            self.selection.select_op(spoken.op)

    def _show_hover(self) -> None:
        """The core under the pointer in any view."""
        if self._made is not None:
            self._made.show_hover(self.selection.hovered_core)

    # Arrangement

    def _arrange(self) -> None:
        self.verdict.setFont(font("body", bold=True))
        self.poison.setToolTip(POISON_HINT)
        self.poison.setAccessibleDescription(POISON_HINT)
        self._show_poison()
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(px(GRID))
        head.addWidget(self.verdict, 1)
        for widget in (self.badge, self.poison, self.again):
            head.addWidget(widget)
        inner = QVBoxLayout(self._found)
        inner.setContentsMargins(0, 0, 0, 0)
        column = QVBoxLayout(self._right)
        column.setContentsMargins(px(PAD), px(GRID), px(PAD), 0)
        column.setSpacing(px(GRID / 2))
        column.addLayout(head)
        self.waiting.setMinimumHeight(px(_WAITING))
        column.addWidget(self.waiting, 1)
        column.addWidget(self._found, 1)
        self.halves.addWidget(self.checks)
        self.halves.addWidget(self._right)
        self.halves.setStretchFactor(0, 1)
        self.halves.setStretchFactor(1, 2)
        self.halves.setSizes([px(_NARROW), 2 * px(_NARROW)])  # only their ratio counts
        self.halves.setChildrenCollapsible(False)
        whole = QVBoxLayout(self.body)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.halves)

    def _connect(self) -> None:
        self.session.changed.connect(self._told)
        self.session.progressed.connect(self._progressed)
        self.session.settings.changed.connect(self._setting_changed)
        self.poison.toggled.connect(lambda on: self.session.settings.set("poison", on))
        self.waiting.acted.connect(self._acted)
        self.again.clicked.connect(self._acted)
        self.checks.located.connect(self._located)
        self.selection.hovered.connect(self._show_hover)
        self._right.resized.connect(lambda: self._fit() if self._right.isVisible() else None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Side by side, or one over the other where that is narrow."""
        super().resizeEvent(event)
        narrow = self.width() < px(_NARROW)
        self.halves.setOrientation(Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal)

    def _fit(self) -> None:
        if self._made is not None:
            self._made.fit(self._right.width(), self._right.height())


def _on(on: bool) -> str:
    return "on" if on else "off"
