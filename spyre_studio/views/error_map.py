"""Where a result is wrong: its map by element, stick or core, the words for one cell, and the table twin.

Owns: which result and which way of looking at it is shown, and what is said where there is no map.  Refuses: the
selection; `picked` tells which result and which core were chosen.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QHBoxLayout,
    QSizePolicy,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from compiler.program import Program
from simulator.report import Agreement
from spyre_studio.elided import ElidedLabel
from spyre_studio.error_map_grid import BYS, By, HeatGrid, grid_of
from spyre_studio.error_map_owners import UNKNOWN, Owners, owners_of
from spyre_studio.error_map_subject import Subject, mapped
from spyre_studio.qt_theme import font, px
from spyre_studio.state_page import StatePage
from spyre_studio.theme import GRID
from spyre_studio.units import format_count
from spyre_studio.view_state import READY, ViewState, empty
from spyre_studio.views.error_map_canvas import ErrorMapCanvas
from spyre_studio.views.error_map_legend import ErrorScale
from spyre_studio.views.error_map_table import ErrorTable

NOTHING = "Equal: nothing to show"
_KEPT = "Maps are kept of outputs that differ and of the first step that is wrong."
_HINT = "Point at a cell to read it; click it to select its core, step and buffer."
_FLAT = "Rows count all dims but the last. Click a cell to select its core, step and buffer."
NO_RESULT = empty("No results to map", f"The device stopped before an output could be compared. {_KEPT}")
ALL_EQUAL = empty(NOTHING, "Every output is what PyTorch computes, to the last bit.")


class ErrorMapPanel(QWidget):
    """`picked` carries the Subject and the core (-1 where a cell has none), `pointed` the core under the pointer."""

    picked = Signal(object, int)
    pointed = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._found: tuple[Subject, ...] = ()
        self._offered: list[Subject] = []
        self._program: Program | None = None
        self._owners: Owners = UNKNOWN
        self._grid: HeatGrid | None = None
        self._core = -1
        self.chooser = QComboBox()
        self.by_buttons = {by: QToolButton() for by, _ in BYS}
        self.table_button, self.copy = QToolButton(), QToolButton()
        self.page, self.canvas, self.table = StatePage(ALL_EQUAL), ErrorMapCanvas(), ErrorTable()
        self.legend, self.readout = ErrorScale(), ElidedLabel()
        self._group = QButtonGroup(self)
        self._arrange()
        self._connect()

    # What is shown

    def show_found(self, found: tuple[Subject, ...], program: Program | None) -> None:
        """Another report; the result that matters most is shown first."""
        self._found, self._program = found, program
        self._offer(mapped(found))
        self._show_subject()

    def show_subject(self, key: str) -> None:
        """Show this result; one without a map says why it has none."""
        wanted = next((subject for subject in self._found if subject.key == key), None)
        if wanted is None or (self.subject is not None and self.subject.key == key):
            return
        offered = mapped(self._found)
        self._offer((*offered, wanted) if wanted not in offered else offered)
        self.chooser.blockSignals(True)
        self.chooser.setCurrentIndex(self._offered.index(wanted))
        self.chooser.blockSignals(False)
        self._show_subject()

    def show_core(self, core: int) -> None:
        """Frame the cells of the selected core."""
        self._core = core
        self.canvas.show_core(core)
        self.legend.show_core(core if self.canvas.framed else -1)

    def show_hover(self, core: int) -> None:
        """Frame the cells of the core under the pointer in any view, -1 for none."""
        self.canvas.show_hover(core)

    @property
    def subject(self) -> Subject | None:
        """The result that is shown."""
        place = self.chooser.currentIndex()
        return self._offered[place] if 0 <= place < len(self._offered) else None

    @property
    def by(self) -> By:
        """How it is looked at."""
        return next(by for by, button in self.by_buttons.items() if button.isChecked())

    @property
    def state(self) -> ViewState:
        """Why there is no map, or READY."""
        subject = self.subject
        if subject is None:
            stopped = not any(each.is_output for each in self._found)
            return NO_RESULT if stopped else ALL_EQUAL
        if self._grid is not None:
            return READY
        count = format_count(subject.comparison.elements, "element")
        if subject.comparison.agreement is Agreement.EQUAL:
            return empty(NOTHING, f"{subject.title}: {count}, all equal to the last bit.")
        within = subject.comparison.agreement is Agreement.ROUNDING
        why = "agrees within rounding" if within else "is wrong after a step before it"
        return empty(f"No map of {subject.title}", f"It {why}. {_KEPT}")

    def set_by(self, by: By) -> None:
        """Look at it another way."""
        self.by_buttons[by].setChecked(True)

    def set_table(self, shown: bool) -> None:
        """The table in place of the picture."""
        self.table_button.setChecked(shown)
        self._show_page()

    def _offer(self, offered: Sequence[Subject]) -> None:
        self._offered = list(offered)
        self.chooser.blockSignals(True)
        self.chooser.clear()
        for subject in self._offered:
            kind = "output" if subject.is_output else "step"
            self.chooser.addItem(f"{subject.title} · {kind} · {subject.comparison.agreement}")
        self.chooser.blockSignals(False)
        self.chooser.setVisible(bool(self._offered))

    def _show_subject(self) -> None:
        subject = self.subject
        self.chooser.setToolTip(self.chooser.currentText())
        known = subject is not None and subject.errors is not None and self._program is not None
        self._owners = owners_of(self._program, subject) if known and subject and self._program else UNKNOWN
        self._show_grid()

    def _show_grid(self) -> None:
        subject = self.subject
        self._grid = grid_of(subject, self.by, self._owners) if subject is not None else None
        if self._grid is not None and subject is not None:
            self.canvas.show_grid(self._grid)
            self.legend.show_core(self._core if self.canvas.framed else -1)
            self.table.show_grid(subject, self._grid)
        self.readout.say(self._hint())
        self._show_page()

    def _show_page(self) -> None:
        state = self.state
        self.page.show_state(state)
        ready, table = state.kind == "ready", self.table_button.isChecked()
        self._centre.setCurrentWidget(self.page if not ready else self.table if table else self.canvas)
        for control in (*self.by_buttons.values(), self.table_button):
            control.setVisible(ready)
        self.copy.setVisible(ready and table)
        self.legend.setVisible(ready and not table)
        self.readout.setVisible(ready and not table)

    # What the user does

    def _hovered(self, item: object) -> None:
        words = self.canvas.words_for(item if item is not None else self.canvas.current_item())
        self.readout.say(words or self._hint())
        cores = self._cores(item)
        self.pointed.emit(cores[0] if cores else -1)

    def _cores(self, item: object) -> Sequence[int]:
        """Whose cell it is."""
        match item:
            case (int(row), int(column)) if self._grid is not None:
                return self._grid.cores[self._grid.number(row, column)]
            case _:
                return ()

    def _hint(self) -> str:
        subject = self.subject
        flat = subject is not None and len(subject.shape) > 2 and self.by == "element"
        return _FLAT if flat else _HINT

    def _walked(self, item: object) -> None:
        self.readout.say(self.canvas.words_for(item))
        cores = self._cores(item)
        self.pointed.emit(cores[0] if cores else -1)

    def _picked(self, item: object, _modifiers: object = None) -> None:
        subject, grid = self.subject, self._grid
        match item:
            case (int(row), int(column)) if subject is not None and grid is not None:
                self.canvas.go_to((row, column))
                self.table.select(item)
                self._walked(item)
                cores = self._cores(item)
                self.picked.emit(subject, cores[0] if cores else -1)
            case _:
                return

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.table.table.as_csv())

    # Arrangement

    def _arrange(self) -> None:
        self.chooser.setAccessibleName("Result whose errors are shown")
        self.chooser.setMinimumContentsLength(10)
        self.chooser.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.chooser.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.chooser.setMaximumWidth(px(280))
        controls = QHBoxLayout()
        controls.setContentsMargins(0, 0, 0, 0)
        controls.setSpacing(px(GRID / 2))
        controls.addWidget(self.chooser, 1)
        controls.addStretch(0)
        for by, title in BYS:
            button = self.by_buttons[by]
            button.setText(title)
            button.setCheckable(True)
            button.setToolTip(f"Largest error by {by}")
            self._group.addButton(button)
            controls.addWidget(button)
        self.by_buttons["element"].setChecked(True)
        self.table_button.setText("Table")
        self.table_button.setCheckable(True)
        self.table_button.setToolTip("Show the errors as a table that can be sorted and copied")
        self.copy.setText("Copy as CSV")
        self.copy.setToolTip("Copy the rows as shown, for a spreadsheet")
        self.readout.setFont(font("label"))
        self.readout.setProperty("tone", "mute")
        self._centre = QStackedLayout()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(px(GRID / 2))
        column.addLayout(controls)
        column.addLayout(self._centre, 1)
        for page in (self.page, self.canvas, self.table):  # now that they have a parent: else each is a window
            self._centre.addWidget(page)
        column.addLayout(self._below())
        column.addWidget(self.legend)
        self._show_page()

    def _below(self) -> QHBoxLayout:
        """What is at the pointer, and the way to the table."""
        row = QHBoxLayout()
        row.setSpacing(px(GRID / 2))
        row.addWidget(self.readout, 1)
        row.addStretch(0)
        row.addWidget(self.copy)
        row.addWidget(self.table_button)
        return row

    def minimumSizeHint(self) -> QSize:
        """The controls and a few rows."""
        return QSize(px(240), px(120))

    def _connect(self) -> None:
        self.chooser.currentIndexChanged.connect(lambda _place: self._show_subject())
        self._group.buttonToggled.connect(lambda _button, checked: self._show_grid() if checked else None)
        self.table_button.toggled.connect(self.set_table)
        self.copy.clicked.connect(self._copy)
        self.canvas.hovered.connect(self._hovered)
        self.canvas.walked.connect(self._walked)
        self.canvas.clicked.connect(self._picked)
        self.canvas.activated.connect(self._picked)
        self.table.chosen.connect(self._picked)
