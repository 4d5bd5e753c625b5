"""The parts of the scratchpad view and where they stand: pictures with their strip and tray, tables, list, controls.

Owns: making them, which page is shown, and what fits into the room there is. Refuses: data and what the user does.
"""

from __future__ import annotations

from typing import Final, Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QSplitter, QStackedLayout, QToolButton, QVBoxLayout, QWidget

from spyre_studio.legend import KINDS, Legend
from spyre_studio.qt_theme import font, px
from spyre_studio.theme import GRID, PAD
from spyre_studio.views.buffer_table import BufferTable
from spyre_studio.views.conflict_bar import ConflictBar
from spyre_studio.views.lx_core_table import LxCoreTable
from spyre_studio.views.lx_heat import LxHeat
from spyre_studio.views.lx_map import LxMap
from spyre_studio.views.lx_step_table import LxStepTable
from spyre_studio.views.lx_strip import LxStrip
from spyre_studio.views.lx_trail_bar import LxTrailBar
from spyre_studio.views.lx_tray import LxTray
from spyre_studio.views.overlay import Chooser
from spyre_studio.views.why_table import WhyTable
from spyre_studio.widgets import hairline, text_label

Page = Literal["pictures", "table", "steps", "cores", "why"]

_RANGES = (("used", "in use"), ("whole", "up to the budget"))
_TWINS: Final[dict[str, Page]] = {"buffers": "table", "steps": "steps", "cores": "cores"}
_LEGEND, _LOW_LEGEND = 760, 640  # px; below them the legend has no room beside the controls, and beside the words
_SHORT = 120  # characters of the line beside which the legend has room
_CHOICE = 440  # px; below this the choice of addresses makes way for the other controls
_NARROW = 560  # px; below this the pictures stand one over the other, or the second one waits
_WIDE = 1000  # px; below this the list has the map over it while something is carried, else beside it
_LOW, _TRAIL = 300, 120  # px; below this height the strip waits, and so much earlier beside a trail
_LINES = (0, 300, 350, 620, 700)  # px; from each of these heights on the tray has one line more


class LxPanels(QWidget):
    """All parts as attributes; `show_page` turns to one of the pages, and `carrying` brings the map beside the list."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.map, self.heat, self.strip, self.tray = LxMap(), LxHeat(), LxStrip(), LxTray()
        self.table, self.steps, self.cores, self.why = BufferTable(), LxStepTable(), LxCoreTable(), WhyTable()
        self.trail, self.conflict = LxTrailBar(), ConflictBar()
        self.pictures = QSplitter(Qt.Orientation.Horizontal)
        self.line = text_label("")
        self.range = Chooser("Addresses", _RANGES)
        self.follow, self.why_button = _toggle("Follow"), _toggle("Not in LX")
        self.table_button = _toggle("Table")
        self.twin = Chooser("of", tuple((key, key) for key in _TWINS))
        self.copy = QToolButton()
        self.legend, self.low_legend = Legend(KINDS), Legend(KINDS)
        self._left, self._right = QWidget(), QWidget()
        self._pictures_and_list = QWidget()
        self._beside = QBoxLayout(QBoxLayout.Direction.LeftToRight, self._pictures_and_list)
        self._page: Page = "pictures"
        self._carrying = False
        self._name_parts()
        self._arrange()
        self.show_page("pictures")

    @property
    def page(self) -> Page:
        """What is shown."""
        return self._page

    def show_page(self, page: Page) -> None:
        """Turn to a page; its button is down, without telling."""
        self._page = page
        whole: dict[Page, QWidget] = {"table": self.table, "steps": self.steps, "cores": self.cores}
        self._centre.setCurrentWidget(whole.get(page, self._pictures_and_list))
        for button, down in ((self.table_button, page in whole), (self.why_button, page == "why")):
            button.blockSignals(True)
            button.setChecked(down)
            button.blockSignals(False)
        self.copy.setVisible(page != "pictures")
        self.twin.setVisible(page in whole)
        if page in whole:
            self.twin.choose(next(key for key, own in _TWINS.items() if own == page))
        self._fit()

    def show_twin(self, key: str | None = None) -> None:
        """The table of `buffers`, `steps` or `cores`; by default the one that was chosen last."""
        self.show_page(_TWINS[key or self.twin.key])

    def carrying(self, carrying: bool) -> None:
        """A buffer is on its way: the map stands beside the list that it comes from."""
        self._carrying = carrying
        self._fit()

    def say(self, words: str) -> None:
        """The line below the pictures, in rich text; long ones get its whole width."""
        self.line.setText(words)
        self._fit()

    def show_following(self, following: bool) -> None:
        """The stations of the followed buffer, or nothing about it."""
        self.trail.setVisible(following)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Other room."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Side by side, or one over the other where that is narrow and tall; no legend where there is no room."""
        narrow, tall = self.width() < px(_NARROW), self.height() > px(_NARROW) * 0.8
        pictures, list_shown = self._page == "pictures", self._page == "why"
        beside_list = self._carrying and list_shown
        way = QBoxLayout.Direction
        self._beside.setDirection(way.TopToBottom if self.width() < px(_WIDE) else way.LeftToRight)
        self.pictures.setOrientation(Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal)
        self.pictures.setVisible(pictures or beside_list)
        self._right.setVisible(pictures)
        self.why.setVisible(list_shown)
        self.heat.setVisible(not narrow or tall)
        following = not self.trail.isHidden()
        room = self.height() - px(_TRAIL if following else 0)
        self.strip.setVisible(room >= px(_LOW) and not beside_list)
        self.tray.set_lines(1 if narrow else sum(room >= px(least) for least in _LINES))
        self.legend.setVisible(self.width() >= px(_LEGEND) and pictures)
        self.range.setVisible(pictures and self.width() >= px(_CHOICE))
        low = px(_LOW_LEGEND) <= self.width() < px(_LEGEND)
        self.low_legend.setVisible(low and pictures and not following and len(self.line.text()) <= _SHORT)

    def _name_parts(self) -> None:
        self.follow.setToolTip(
            "Show the selected buffer from its producer over all its copies to its readers, on all cores (Ctrl+Shift+F)"
        )
        self.why_button.setToolTip("Show what is not in LX, why, and what it would save there")
        self.table_button.setToolTip("Show buffers, steps or cores as a table that can be sorted and copied")
        self.twin.setToolTip("Buffers of the map, steps of the strip, or cores of the heat map")
        self.copy.setText("Copy as CSV")
        self.copy.setToolTip("Copy the rows as shown, for a spreadsheet")
        self.line.setFont(font("label"))
        self.line.setTextFormat(Qt.TextFormat.RichText)
        self.trail.hide()

    def _arrange(self) -> None:
        for holder, parts in ((self._left, (self.map, self.strip)), (self._right, (self.heat, self.tray))):
            column = QVBoxLayout(holder)
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(0)
            column.addWidget(parts[0], 1)
            column.addWidget(parts[1])
            self.pictures.addWidget(holder)
        for place, share in enumerate((3, 2)):
            self.pictures.setStretchFactor(place, share)
        self.pictures.setChildrenCollapsible(False)
        self.pictures.setSizes([600, 400])
        self._beside.setContentsMargins(0, 0, 0, 0)
        self._beside.setSpacing(0)
        self._beside.addWidget(self.pictures, 1)
        self._beside.addWidget(self.why, 1)
        self._centre = QStackedLayout()
        words = QHBoxLayout()
        words.setContentsMargins(px(PAD), 0, px(PAD), px(GRID))
        words.setSpacing(px(PAD))
        words.addWidget(self.line, 1)
        words.addWidget(self.low_legend, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.conflict)
        column.addLayout(self._centre, 1)
        for page in (self._pictures_and_list, self.table, self.steps, self.cores):  # which have a parent now
            self._centre.addWidget(page)
        column.addWidget(hairline())
        column.addLayout(self._controls())
        column.addWidget(self.trail)
        column.addLayout(words)

    def _controls(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(px(PAD), px(GRID / 2), px(GRID), px(GRID / 2))
        row.setSpacing(px(GRID / 2))
        row.addWidget(self.legend)
        row.addStretch(1)
        for control in (self.copy, self.range, self.follow, self.why_button, self.table_button, self.twin):
            row.addWidget(control)
        return row


def _toggle(text: str) -> QToolButton:
    made = QToolButton()
    made.setText(text)
    made.setCheckable(True)
    return made
