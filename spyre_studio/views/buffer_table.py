"""The table twin of the scratchpad: every buffer, where it lies and why, how large it is and how long it lives.

Owns: the columns and their values. Refuses: drawing, and the selection; it says which row was chosen.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from spyre_studio.occupancy import Occupancy, Outside, Resident
from spyre_studio.qt_theme import active_theme, font, qcolor
from spyre_studio.table import Cell, Column, CopyableTable, Index, Row, TableModel
from spyre_studio.units import format_count, format_hex

_NOT = -1  # a number that does not apply


class _Model(TableModel):
    """Rows of which some may step back."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._family: frozenset[str] = frozenset()
        super().__init__(columns)

    def show_family(self, names: Collection[str]) -> None:
        """Only these stand out."""
        if frozenset(names) != self._family:
            self._family = frozenset(names)
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, len(self.columns) - 1))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Others are written in a quiet colour, the family in bold."""
        if self._family and index.isValid() and role in (Qt.ItemDataRole.ForegroundRole, Qt.ItemDataRole.FontRole):
            ours = self.rows[index.row()].key in self._family
            number = self.columns[index.column()].number
            if role == Qt.ItemDataRole.ForegroundRole:
                return None if ours else qcolor(active_theme().mute)
            return font("label", bold=ours, mono=number)
        return super().data(index, role)


class BufferTable(QWidget):
    """Shows an occupancy; `chosen` carries the name of the buffer, `asked` also where on screen a menu is wanted."""

    chosen = Signal(str)
    asked = Signal(str, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = _Model(_COLUMNS)
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

    def show_family(self, names: Collection[str]) -> None:
        """Forms of a followed buffer: all others step back. None of them: nothing does."""
        self._model.show_family(names)

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
    Column("address", lambda cell: format_hex(int(cell)), number=True, gives_way=1),
    Column("cores", _number, number=True, gives_way=4),
    Column("first step", _number, number=True, gives_way=2),
    Column("last step", _number, number=True, gives_way=3),
    Column("made by", gives_way=5),
    Column("figures", gives_way=6),
)
