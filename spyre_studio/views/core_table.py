"""The table twin of a core grid: every core with the range of each split loop, its partial sums and its operands.

Owns: the columns and their values.  Refuses: the selection; it says which row was chosen.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final

from PySide6.QtCore import QEvent, QRect, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QVBoxLayout, QWidget

from compiler.division import Division
from compiler.loops import LoopOp
from spyre_studio.qt_theme import active_theme, px, qcolor
from spyre_studio.slice_map import SliceMap
from spyre_studio.space_grid import SpaceGrid, handing_note, range_text
from spyre_studio.table import Column, CopyableTable, Row, TableModel
from spyre_studio.theme import ROW

_ROWS: Final = 9  # in view

COLUMNS: Final = (
    Column("core", number=True),
    Column("iterations", hint="The range of every split loop"),
    Column("partial sums", hint="From which core they come, and to which they go", gives_way=1),
    Column("slices", hint="What it reads and writes", gives_way=2),
)


class _Cores(CopyableTable):
    """With an outline around the row of one core, and telling whose row is pointed at."""

    pointed = Signal(int)

    def __init__(self, model: TableModel, name: str, parent: QWidget | None = None) -> None:
        super().__init__(model, name, parent)
        self._pointed = -1
        self.setMouseTracking(True)
        self.entered.connect(lambda index: self.pointed.emit(self._core(index.row())))
        self.viewportEntered.connect(lambda: self.pointed.emit(-1))

    def show_pointed(self, core: int) -> None:
        """Outline the row of a core, -1 for none."""
        if core != self._pointed:
            self._pointed = core
            self.viewport().update()

    def leaveEvent(self, event: QEvent) -> None:
        """No row is pointed at."""
        super().leaveEvent(event)
        self.pointed.emit(-1)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The rows, then the outline."""
        super().paintEvent(event)
        place = next((place for place, row in enumerate(self.shown()) if row.key == self._pointed), -1)
        if self._pointed < 0 or place < 0:
            return
        painter = QPainter(self.viewport())
        painter.setPen(QPen(qcolor(active_theme().accent), 1))
        top, high = self.rowViewportPosition(place), self.rowHeight(place)
        painter.drawRect(QRect(0, top, self.viewport().width() - 1, high - 1))
        painter.end()

    def _core(self, place: int) -> int:
        key = self.shown()[place].key
        return key if isinstance(key, int) else -1


class CoreTable(QWidget):
    """Shows a division; `chosen` carries the core, `hovered` the one whose row is under the pointer, -1 for none."""

    chosen = Signal(int)
    hovered = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table = _Cores(TableModel(COLUMNS), "Cores and what they own", self)
        self.table.chosen.connect(self._tell)
        self.table.pointed.connect(self.hovered)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.table)
        self.setFixedHeight(px(ROW) * _ROWS)

    def show_cores(
        self,
        op: LoopOp,
        division: Division,
        cores: int,
        operands: Sequence[tuple[str, SliceMap]],
        grid: SpaceGrid,
    ) -> None:
        """Another op or division, on a device of so many cores."""
        slices = [one for _, one in operands]
        self.table.show_rows(lambda: [_row(op, division, core, slices, grid) for core in range(cores)])

    def select(self, core: int) -> None:
        """Show this core as selected."""
        self.table.select((core,))

    def show_hover(self, core: int) -> None:
        """Outline the row of the core that is pointed at in another view, -1 for none."""
        self.table.show_pointed(core)

    def _tell(self, keys: tuple[Hashable, ...]) -> None:
        if keys and isinstance(keys[0], int):
            self.chosen.emit(keys[0])


def _row(op: LoopOp, division: Division, core: int, slices: Sequence[SliceMap], grid: SpaceGrid) -> Row:
    if core >= division.cores:
        return Row(core, (core, "idle", "", ""))
    bounds = dict(zip((loop.name for loop in op.loops), division.bounds(op.loops, core), strict=True))
    ranges = ", ".join(f"{split.loop} {range_text(*bounds[split.loop])}" for split in division.splits)
    parts = ", ".join(dict.fromkeys(one.words(core) for one in slices))
    return Row(core, (core, ranges or "everything", handing_note(grid, core), parts), parts)
