"""The table twin of the heat map: a row a core with how full its scratchpad gets, when, and with how many buffers.

Owns: the columns and their values. Refuses: drawing, and the selection; it says which core was chosen.
"""

from __future__ import annotations

from collections.abc import Hashable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from spyre_studio.occupancy import Occupancy
from spyre_studio.table import Cell, Column, CopyableTable, Row, TableModel
from spyre_studio.units import format_count, format_percent


class LxCoreTable(QWidget):
    """Shows all cores; `chosen` carries the number of one."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table = CopyableTable(TableModel(_COLUMNS), "Cores and how full their scratchpads get", self)
        self.table.chosen.connect(self._tell)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.table)

    def show_data(self, data: Occupancy) -> None:
        """A row for every core."""
        self.table.show_rows(lambda: _rows(data))

    def select(self, core: int) -> None:
        """Show this core as selected."""
        self.table.select([core])

    def _tell(self, keys: tuple[Hashable, ...]) -> None:
        if keys and isinstance(keys[0], int):
            self.chosen.emit(keys[0])


def _rows(data: Occupancy) -> list[Row]:
    held, rows = data.present.sum(axis=0).tolist(), list[Row]()
    for core, used in enumerate(data.fill):
        peak, step = data.peak(core)
        op = data.steps[step] if data.steps else ""
        mean = float(used.mean()) if used.size else 0.0
        rows.append(Row(core, (op, core, peak, peak / max(data.budget, 1), step, mean, held[core])))
    return rows


def _count(cell: Cell) -> str:
    return format_count(float(cell))


_COLUMNS = (
    Column("fullest at", hint="The first step at which most is in use"),
    Column("core", _count, number=True),
    Column("peak, B", _count, number=True, hint="Most bytes in use at any step"),
    Column("of budget", lambda cell: format_percent(float(cell)), number=True),
    Column("step", _count, number=True, hint="Number of the step at which it is fullest"),
    Column("mean, B", _count, number=True, hint="Over all steps"),
    Column("buffers", _count, number=True, hint="That ever lie there"),
)
