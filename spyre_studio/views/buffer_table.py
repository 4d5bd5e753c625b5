"""The table twin of the scratchpad: every buffer, where it lies and why, how large it is and how long it lives.

Owns: the columns and their values. Refuses: drawing, and the selection; it says which row was chosen.
"""

from __future__ import annotations

from collections.abc import Hashable

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from spyre_studio.occupancy import Occupancy, Outside, Resident
from spyre_studio.table import Cell, Column, CopyableTable, Row, TableModel
from spyre_studio.units import format_count, format_hex

_NOT = -1  # a number that does not apply


class BufferTable(QWidget):
    """Shows an occupancy; `chosen` carries the name of the buffer, `asked` also where on screen a menu is wanted."""

    chosen = Signal(str)
    asked = Signal(str, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = TableModel(_COLUMNS)
        self.table = CopyableTable(self._model, "Buffers and where they lie", self)
        self.table.chosen.connect(self._tell)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(self._menu)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.table)

    def show_data(self, data: Occupancy) -> None:
        """Residents first, then what lies in device memory."""
        self.table.show_rows(lambda: [*map(_resident, data.residents), *map(_outside, data.outside)])

    def select(self, name: str | None) -> None:
        """Show this buffer as selected."""
        self.table.select([name] if name is not None else [])

    def _tell(self, keys: tuple[Hashable, ...]) -> None:
        if keys:
            self.chosen.emit(str(keys[0]))

    def _menu(self, at: QPoint) -> None:
        keys = self.table.keys()
        if keys:
            self.asked.emit(str(keys[0]), self.table.viewport().mapToGlobal(at))


def _resident(one: Resident) -> Row:
    reason = f"takes over the place of {one.in_place_of}" if one.in_place_of else ""
    life = (one.cores, one.first, one.last)
    return Row(one.name, (one.name, "LX", "", one.size, one.address, *life, one.producer, reason))


def _outside(one: Outside) -> Row:
    life = (_NOT, _NOT, _NOT)
    cells: tuple[Cell, ...] = (one.name, "device memory", one.code, one.size, one.address, *life)
    hint = f"{one.title}: {one.detail}" if one.detail else one.title
    return Row(one.name, (*cells, one.producer, one.detail), hint)


def _number(cell: Cell) -> str:
    return "" if cell == _NOT else format_count(float(cell))


_COLUMNS = (
    Column("buffer"),
    Column("lies in"),
    Column("reason", hint="Why it is not in LX"),
    Column("size, B", _number, number=True, hint="In LX on every owning core; in device memory of the whole tensor"),
    Column("address", lambda cell: format_hex(int(cell)), number=True),
    Column("cores", _number, number=True),
    Column("first step", _number, number=True),
    Column("last step", _number, number=True),
    Column("made by"),
    Column("figures"),
)
