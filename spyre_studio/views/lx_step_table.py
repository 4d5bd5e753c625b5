"""The table twin of the strip: a row a step with what is used, free, and how it lies.

Owns: the columns and their values. Refuses: drawing, and the selection; it says which step was chosen.
"""

from __future__ import annotations

from collections.abc import Hashable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from spyre_studio.lx_room import StepRoom
from spyre_studio.occupancy import Occupancy
from spyre_studio.table import Cell, Column, CopyableTable, Row, TableModel
from spyre_studio.units import format_count, format_hex, format_percent
from spyre_studio.views.lx_words import FRAGMENTATION


class LxStepTable(QWidget):
    """Shows one core; `chosen` carries the number of the step."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table = CopyableTable(TableModel(_COLUMNS), "Steps and the room of one core at each", self)
        self.table.chosen.connect(self._tell)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.table)

    def show_room(self, data: Occupancy, room: StepRoom) -> None:
        """A row for every step."""
        self.table.show_rows(lambda: _rows(data, room))

    def select(self, step: int | None) -> None:
        """Show this step as selected."""
        self.table.select([step] if step is not None else [])

    def _tell(self, keys: tuple[Hashable, ...]) -> None:
        if keys and isinstance(keys[0], int):
            self.chosen.emit(keys[0])


def _rows(data: Occupancy, room: StepRoom) -> list[Row]:
    columns = (room.used, room.free, room.largest, room.start, room.holes, room.fragmentation)
    values = zip(*(column.tolist() for column in columns), strict=True)
    return [
        Row(number, (name, number, *cells)) for number, (name, cells) in enumerate(zip(data.steps, values, strict=True))
    ]


def _count(cell: Cell) -> str:
    return format_count(float(cell))


_COLUMNS = (
    Column("op"),
    Column("step", _count, number=True),
    Column("used, B", _count, number=True, hint="In use on this core while the step runs"),
    Column("free, B", _count, number=True, hint="Of the budget"),
    Column("largest hole, B", _count, number=True, hint="The largest free range: a larger buffer finds no place"),
    Column("at", lambda cell: format_hex(int(cell)), number=True, hint="Address of the largest hole", gives_way=2),
    Column("holes", _count, number=True, hint="Free ranges below the budget", gives_way=1),
    Column("fragmentation", lambda cell: format_percent(float(cell)), number=True, hint=FRAGMENTATION),
)
