"""The table twin of the graph: every step of the plan with its kind, division, time and where its result lies.

Owns: the columns. Refuses: their values (op_rows.py), drawing, and the selection; it says which row was chosen.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from compiler.compilation import Compilation
from compiler.loops import LoopProgram
from spyre_studio.qt_theme import px
from spyre_studio.table import Cell, Column, CopyableTable, Row, TableModel
from spyre_studio.theme import GRID
from spyre_studio.units import format_bytes, format_count, format_number, format_percent, format_shape
from spyre_studio.views.op_rows import op_rows

_TOP: Final = 7 * GRID  # room for the controls that lie over the top


class OpTable(QWidget):
    """Shows a plan, or a model before it has one; `chosen` carries the name of the op."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._longest = 1.0
        self._model = TableModel(self._columns())
        self.table = CopyableTable(self._model, "Steps of the plan", self)
        self.table.chosen.connect(self._tell)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, px(_TOP), 0, 0)
        column.addWidget(self.table)

    def show_plan(self, compilation: Compilation) -> None:
        """The steps of a plan."""
        self._longest = max((cost.total_us for cost in compilation.cost.steps), default=0.0) or 1.0
        self.table.show_rows(lambda: [Row(row.name, row.cells, row.hint) for row in op_rows(compilation)])

    def show_program(self, program: LoopProgram) -> None:
        """The ops of a model without a plan."""
        self.table.show_rows(lambda: _unplanned(program))

    def select(self, name: str | None) -> None:
        """Show this op as selected."""
        self.table.select([name] if name is not None else [])

    def _tell(self, keys: tuple[Hashable, ...]) -> None:
        if keys:
            self.chosen.emit(str(keys[0]))

    def _columns(self) -> tuple[Column, ...]:
        return (
            Column("op"),
            Column("step", lambda cell: format_count(float(cell)), number=True),
            Column("kind"),
            Column("division", hint="Loops and into how many parts each is cut, fastest varying first"),
            Column("cores", _count, number=True, gives_way=1),
            Column("time, µs", _time, number=True, bar=self._share),
            Column("traffic", _bytes, number=True, hint="Read from and written to device memory", gives_way=3),
            Column("LX in use", _bytes, number=True, hint="On the fullest core while the step runs", gives_way=4),
            Column("padding", _share_text, number=True, hint="Of the device elements of the result", gives_way=5),
            Column("writes", gives_way=2),
            Column("result in"),
        )

    def _share(self, cell: Cell) -> float:
        return float(cell) / self._longest if isinstance(cell, float) and cell == cell else 0.0


def _unplanned(program: LoopProgram) -> list[Row]:
    buffers = program.buffer_map
    rows = []
    for place, op in enumerate(program.ops):
        shape = format_shape(buffers[op.writes[0].buffer].shape) if op.writes else ""
        rows.append(Row(op.name, (op.name, place, str(op.kind), "", 0, *[float("nan")] * 4, shape, "")))
    return rows


def _count(cell: Cell) -> str:
    return format_count(float(cell)) if cell else ""


def _time(cell: Cell) -> str:
    return format_number(float(cell)) if float(cell) == float(cell) else ""


def _bytes(cell: Cell) -> str:
    return format_bytes(float(cell)) if float(cell) == float(cell) else ""


def _share_text(cell: Cell) -> str:
    return format_percent(float(cell)) if float(cell) == float(cell) else ""
