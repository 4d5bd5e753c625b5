"""The table twin of the roofline: every step with its work, its traffic, its rate and what bounds it.

Owns: the columns and their values. Refuses: drawing, and the selection; it says which row was chosen.
"""

from __future__ import annotations

from collections.abc import Hashable
from math import isfinite

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from spyre_studio.occupancy import KINDS
from spyre_studio.roofline_model import Roofline, short_number
from spyre_studio.table import Cell, Column, CopyableTable, Row, TableModel
from spyre_studio.units import format_bytes, format_number, format_percent


class RooflineTable(QWidget):
    """Shows a roofline; `chosen` carries the name of the step."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._slowest = 1.0
        self.table = CopyableTable(TableModel(self._columns()), "Steps by work and traffic", self)
        self.table.chosen.connect(self._tell)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.table)

    def show_data(self, data: Roofline) -> None:
        """The steps of a plan."""
        self._slowest = float(data.us.max()) if len(data.us) else 1.0
        self.table.show_rows(lambda: [_row(data, place) for place in range(len(data.names))])

    def select(self, name: str | None) -> None:
        """Show this step as selected."""
        self.table.select([name] if name is not None else [])

    def _tell(self, keys: tuple[Hashable, ...]) -> None:
        if keys:
            self.chosen.emit(str(keys[0]))

    def _share(self, cell: Cell) -> float:
        return float(cell) / self._slowest if self._slowest > 0 else 0.0

    def _columns(self) -> tuple[Column, ...]:
        return (
            Column("step"),
            Column("kind", gives_way=5),
            Column("time, µs", lambda cell: format_number(float(cell)), number=True, bar=self._share),
            Column("bound by"),
            Column("of allowed", _share_text, number=True, hint="Share of what the sustained roofs allow"),
            Column("a ns", _short, number=True, hint="Operations per nanosecond, by the predicted time", gives_way=4),
            Column("a byte", _short, number=True, hint="Operations per byte of traffic", gives_way=2),
            Column(
                "operations",
                _short,
                number=True,
                hint="Multiply-accumulates of a matmul; primitives of other ops",
                gives_way=3,
            ),
            Column("traffic", _bytes, number=True, hint="Bytes from and to device memory", gives_way=1),
        )


def _row(data: Roofline, place: int) -> Row:
    cells: tuple[Cell, ...] = (
        data.names[place],
        KINDS[data.kinds[place]],
        float(data.us[place]),
        data.bound(place),
        data.share(place),
        float(data.rate[place]),
        float(data.intensity[place]),
        float(data.operations[place]),
        float(data.bytes[place]),
    )
    return Row(data.names[place], cells, data.words(place))


def _short(cell: Cell) -> str:
    value = float(cell)
    return "∞" if value == float("inf") else short_number(value) if isfinite(value) and value else ""


def _bytes(cell: Cell) -> str:
    return format_bytes(float(cell)) if cell else ""


def _share_text(cell: Cell) -> str:
    return format_percent(float(cell)) if isfinite(float(cell)) else ""
