"""Verify: what the checker proved of the plan, and how the numbers of the simulated device compare with PyTorch.

Owns: the two halves of the page, which part of a report is shown, the poison switch, and asking for a verification.
Refuses: checking and computing; clicks go to the selection.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QSplitter, QTabBar, QVBoxLayout, QWidget

from compiler.compilation import Compilation
from simulator.report import VerifyReport
from spyre_studio.elided import ElidedLabel
from spyre_studio.error_map_subject import Subject, subjects
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
from spyre_studio.verify_rows import NumberRow, headline
from spyre_studio.view_state import READY, Badge, ViewState, empty, error, loading
from spyre_studio.views.error_map import ErrorMapPanel
from spyre_studio.views.paged import PagedView
from spyre_studio.views.verify_checks import VerifyChecks
from spyre_studio.views.verify_summary import VerifySummary
from spyre_studio.views.verify_tables import ResultsTable, TrafficTable
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
PAGES: Final = (("summary", "Summary"), ("results", "Results"), ("map", "Error map"), ("traffic", "Traffic"))
_LEAST: Final = 200  # px of the pages
_WAITING: Final = 21 * GRID  # px; why there are no numbers, and the button that makes them
_NARROW: Final = 640  # px; below this the halves stand one over the other
_TALL: Final = 400  # px; from here on the summary stands over the pages
_WIDE: Final = 840  # px; from here on the map stands beside the pages


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
        self.pages = QSplitter(self._found)
        self._left = QWidget(self.pages)
        self.checks = VerifyChecks(self.halves)
        self.verdict, self.badge = ElidedLabel(), Pill("", "warn")
        self.poison, self.again = QCheckBox("Poison"), button("Verify again", "secondary")
        self.tabs = QTabBar(self._left)
        self._pages_column = QVBoxLayout()
        self._tall = self._wide = False
        self.summary, self.results = VerifySummary(self._left), ResultsTable(self._left)
        self.traffic, self.error_map = TrafficTable(self._left), ErrorMapPanel(self._left)
        self.waiting = StatePage(NOT_VERIFIED, self._right)
        self._arrange()
        self._connect()

    @property
    def table(self) -> CopyableTable:
        """The table of results."""
        return self.results.table

    @property
    def page_key(self) -> str:
        """The page that the tabs show."""
        return PAGES[self.tabs.currentIndex()][0]

    def show_page(self, key: str) -> None:
        """Turn to 'summary', 'results', 'map' or 'traffic'; what stands beside the pages anyway is in view already."""
        place = next(place for place, (known, _) in enumerate(PAGES) if known == key)
        if self.tabs.isTabVisible(place):
            self.tabs.setCurrentIndex(place)

    # What is shown

    def fill(self, compilation: Compilation) -> None:
        """The verdicts of another plan."""
        self._failed = None
        self.checks.show_compilation(compilation)
        self._show_numbers()

    def mark(self) -> None:
        """The rows of the selected op, the cells of the selected core."""
        self.results.select_step(self.selection.op)
        self.traffic.select_step(self.selection.op)
        self.error_map.show_core(self.selection.core)

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
        self.summary.show_report(report, compilation)
        self.results.show_report(report)
        self.traffic.show_report(report)
        self.error_map.show_found(subjects(report, compilation.program), compilation.program)
        self.show_page("summary" if not report.ok else "results")
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

    def _row_chosen(self, row: NumberRow) -> None:
        self.error_map.show_subject(row.key)
        self._located(Spoken(row.step, row.buffer))

    def _map_asked(self, key: str) -> None:
        self.error_map.show_subject(key)
        self.show_page("map")

    def _show_hover(self) -> None:
        """The core under the pointer in any view."""
        if self.error_map.isVisible():
            core = self.selection.hovered_core
            self.error_map.show_hover(-1 if core is None else core)

    def _cell_picked(self, subject: Subject, core: int) -> None:
        self._located(Spoken(subject.step, subject.buffer, core))

    # Arrangement

    def _arrange(self) -> None:
        self.verdict.setFont(font("body", bold=True))
        self.poison.setToolTip(POISON_HINT)
        self.poison.setAccessibleDescription(POISON_HINT)
        self._show_poison()
        for _, title in PAGES:
            self.tabs.addTab(title)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName("Parts of the report")
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(px(GRID))
        head.addWidget(self.verdict, 1)
        for widget in (self.badge, self.poison, self.again):
            head.addWidget(widget)
        self._arrange_pages()
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

    def _arrange_pages(self) -> None:
        self._left.setLayout(self._pages_column)
        self._left.setMinimumWidth(px(_LEAST))
        self._pages_column.setContentsMargins(0, 0, 0, px(GRID))
        self._pages_column.setSpacing(px(GRID / 2))
        for page in (self.tabs, self.summary):
            self._pages_column.addWidget(page)
        for shown in (self.results, self.traffic, self.error_map):
            self._pages_column.addWidget(shown, 1)
        self.pages.addWidget(self._left)
        self.pages.setChildrenCollapsible(False)
        inner = QVBoxLayout(self._found)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.addWidget(self.pages)
        self._turn()

    def _connect(self) -> None:
        self.session.changed.connect(self._told)
        self.session.progressed.connect(self._progressed)
        self.session.settings.changed.connect(self._setting_changed)
        self.poison.toggled.connect(lambda on: self.session.settings.set("poison", on))
        self.waiting.acted.connect(self._acted)
        self.again.clicked.connect(self._acted)
        self.checks.located.connect(self._located)
        self.summary.located.connect(self._located)
        self.summary.map_asked.connect(self._map_asked)
        self.results.chosen.connect(self._row_chosen)
        self.results.opened.connect(lambda row: self._map_asked(row.key))
        self.traffic.chosen.connect(lambda step: self._located(Spoken(step)))
        self.error_map.picked.connect(self._cell_picked)
        self.error_map.pointed.connect(lambda core: self.selection.hover_core(core if core >= 0 else None))
        self.selection.hovered.connect(self._show_hover)
        self.tabs.currentChanged.connect(lambda _place: self._turn())
        self._right.resized.connect(lambda: self._fit() if self._right.isVisible() else None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Side by side, or one over the other where that is narrow."""
        super().resizeEvent(event)
        narrow = self.width() < px(_NARROW)
        self.halves.setOrientation(Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal)

    def _fit(self) -> None:
        """Summary over the pages, map beside them, where there is room; else each is a page of its own."""
        tall, wide = self._right.height() >= px(_TALL), self._right.width() >= px(_WIDE)
        if (tall, wide) != (self._tall, self._wide):
            self._tall, self._wide = tall, wide
            self._rearrange()
        self._turn()

    def _turn(self) -> None:
        """Show the page of the tab, and what stands beside it."""
        key = self.page_key
        self.summary.setVisible(self._tall or key == "summary")
        self.results.setVisible(key == "results")
        self.traffic.setVisible(key == "traffic")
        self.error_map.setVisible(self._wide or key == "map")

    def _rearrange(self) -> None:
        """Move summary and map to where they belong; pages that are in view anyway have no tab."""
        column = self._pages_column
        column.removeWidget(self.summary)
        column.insertWidget(0 if self._tall else 1, self.summary, 0 if self._tall else 1)
        self.summary.set_whole(self._tall)
        if self._wide:
            column.removeWidget(self.error_map)
            self.pages.addWidget(self.error_map)
            self.pages.setSizes([3 * px(_WIDE), 2 * px(_WIDE)])  # only their ratio counts
        else:
            column.addWidget(self.error_map, 1)
        apart = px(PAD) if self._wide else 0
        column.setContentsMargins(0, 0, apart, px(GRID))
        self.error_map.setContentsMargins(apart, 0, 0, px(GRID) if self._wide else 0)
        self.tabs.blockSignals(True)
        for place, (name, _) in enumerate(PAGES):
            shown = not ((name == "summary" and self._tall) or (name == "map" and self._wide))
            if shown != self.tabs.isTabVisible(place):  # told twice, Qt forgets to arrange the tabs anew
                self.tabs.setTabVisible(place, shown)
        if not self.tabs.isTabVisible(self.tabs.currentIndex()):
            self.tabs.setCurrentIndex(1)
        self.tabs.blockSignals(False)


def _on(on: bool) -> str:
    return "on" if on else "off"
