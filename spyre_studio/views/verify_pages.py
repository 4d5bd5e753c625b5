"""The pages of a verification: summary, results, error map and traffic, beside or over each other as there is room.

Owns: the four parts, their tabs and where they stand.  Refuses: whether there is anything to show, and what clicks
lead to; it says what was chosen.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QSplitter, QTabBar, QVBoxLayout, QWidget

from compiler.compilation import Compilation
from simulator.report import VerifyReport
from spyre_studio.error_map_subject import Subject, subjects
from spyre_studio.qt_theme import px
from spyre_studio.selection import Selection
from spyre_studio.theme import GRID, PAD
from spyre_studio.verify_places import Spoken
from spyre_studio.verify_rows import NumberRow
from spyre_studio.views.error_map import ErrorMapPanel
from spyre_studio.views.verify_summary import VerifySummary
from spyre_studio.views.verify_tables import ResultsTable, TrafficTable

PAGES: Final = (("summary", "Summary"), ("results", "Results"), ("map", "Error map"), ("traffic", "Traffic"))
_LEAST: Final = 200  # px of the pages
_TALL: Final = 400  # px; from here on the summary stands over the pages
_WIDE: Final = 840  # px; from here on the map stands beside the pages


class VerifyPages(QWidget):
    """`located` carries a Spoken: what of the plan was chosen; `pointed` the core under the pointer, None for none."""

    located = Signal(object)
    pointed = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.parts = QSplitter(self)
        self._left = QWidget(self.parts)
        self.tabs = QTabBar(self._left)
        self._column = QVBoxLayout()
        self._tall = self._wide = False
        self.summary, self.results = VerifySummary(self._left), ResultsTable(self._left)
        self.traffic, self.error_map = TrafficTable(self._left), ErrorMapPanel(self._left)
        self._arrange()
        self._connect()

    @property
    def key(self) -> str:
        """The page that the tabs show."""
        return PAGES[self.tabs.currentIndex()][0]

    def turn_to(self, key: str) -> None:
        """Turn to 'summary', 'results', 'map' or 'traffic'; what stands beside the pages anyway is in view already."""
        place = next(place for place, (known, _) in enumerate(PAGES) if known == key)
        if self.tabs.isTabVisible(place):
            self.tabs.setCurrentIndex(place)

    def show_report(self, report: VerifyReport, compilation: Compilation) -> None:
        """What a verification has found."""
        self.summary.show_report(report, compilation)
        self.results.show_report(report)
        self.traffic.show_report(report)
        self.error_map.show_found(subjects(report, compilation.program), compilation.program)
        self.turn_to("summary" if not report.ok else "results")

    def mark(self, selection: Selection) -> None:
        """The rows of the selected op, the cells of the selected core."""
        self.results.select_step(selection.op)
        self.traffic.select_step(selection.op)
        self.error_map.show_core(selection.core)

    def show_hover(self, core: int | None) -> None:
        """The core under the pointer in any view."""
        if self.error_map.isVisible():
            self.error_map.show_hover(-1 if core is None else core)

    def fit(self, width: int, height: int) -> None:
        """Summary over the pages, map beside them, where there is room; else each is a page of its own."""
        tall, wide = height >= px(_TALL), width >= px(_WIDE)
        if (tall, wide) != (self._tall, self._wide):
            self._tall, self._wide = tall, wide
            self._rearrange()
        self._turn()

    # What the user does

    def _row_chosen(self, row: NumberRow) -> None:
        self.error_map.show_subject(row.key)
        self.located.emit(Spoken(row.step, row.buffer))

    def _map_asked(self, key: str) -> None:
        self.error_map.show_subject(key)
        self.turn_to("map")

    def _cell_picked(self, subject: Subject, core: int) -> None:
        self.located.emit(Spoken(subject.step, subject.buffer, core))

    # Arrangement

    def _arrange(self) -> None:
        for _, title in PAGES:
            self.tabs.addTab(title)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName("Parts of the report")
        self._left.setLayout(self._column)
        self._left.setMinimumWidth(px(_LEAST))
        self._column.setContentsMargins(0, 0, 0, px(GRID))
        self._column.setSpacing(px(GRID / 2))
        for page in (self.tabs, self.summary):
            self._column.addWidget(page)
        for shown in (self.results, self.traffic, self.error_map):
            self._column.addWidget(shown, 1)
        self.parts.addWidget(self._left)
        self.parts.setChildrenCollapsible(False)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.parts)
        self._turn()

    def _connect(self) -> None:
        self.summary.located.connect(self.located)
        self.summary.map_asked.connect(self._map_asked)
        self.results.chosen.connect(self._row_chosen)
        self.results.opened.connect(lambda row: self._map_asked(row.key))
        self.traffic.chosen.connect(lambda step: self.located.emit(Spoken(step)))
        self.error_map.picked.connect(self._cell_picked)
        self.error_map.pointed.connect(lambda core: self.pointed.emit(core if core >= 0 else None))
        self.tabs.currentChanged.connect(lambda _place: self._turn())

    def _turn(self) -> None:
        """Show the page of the tab, and what stands beside it."""
        key = self.key
        self.summary.setVisible(self._tall or key == "summary")
        self.results.setVisible(key == "results")
        self.traffic.setVisible(key == "traffic")
        self.error_map.setVisible(self._wide or key == "map")

    def _rearrange(self) -> None:
        """Move summary and map to where they belong; pages that are in view anyway have no tab."""
        column = self._column
        column.removeWidget(self.summary)
        column.insertWidget(0 if self._tall else 1, self.summary, 0 if self._tall else 1)
        self.summary.set_whole(self._tall)
        if self._wide:
            column.removeWidget(self.error_map)
            self.parts.addWidget(self.error_map)
            self.parts.setSizes([3 * px(_WIDE), 2 * px(_WIDE)])  # only their ratio counts
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
