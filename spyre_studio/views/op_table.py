"""The table twin of the graph: every step of the plan with its kind, division, time and where its result lies.

Owns: the columns and their values. Refuses: drawing, and the selection; it says which row was chosen.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from compiler.compilation import Compilation
from compiler.loops import LoopProgram
from compiler.plan import Slot
from compiler.schedule import Schedule, Step
from spyre_studio.derived import schedule_of
from spyre_studio.edit_words import word
from spyre_studio.qt_theme import px
from spyre_studio.table import Cell, Column, CopyableTable, Row, TableModel
from spyre_studio.theme import GRID
from spyre_studio.units import format_count, format_hex, format_number, format_shape
from spyre_studio.views.graph_model import factors_text

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
        schedule = schedule_of(compilation)
        times = {cost.step: cost.total_us for cost in compilation.cost.steps}
        self._longest = max(times.values(), default=0.0) or 1.0
        self.table.show_rows(lambda: [_planned(step, schedule, compilation, times) for step in schedule.steps])

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
        rows.append(Row(op.name, (op.name, place, str(op.kind), "", 0, float("nan"), shape, "")))
    return rows


def _planned(step: Step, schedule: Schedule, compilation: Compilation, times: dict[str, float]) -> Row:
    plan = compilation.plan
    division = plan.divisions.get(step.name)
    written = step.op.writes[0].buffer if step.op.writes else ""
    place = plan.placement.get(written)
    where = f"LX {format_hex(place.address)}" if isinstance(place, Slot) else "device memory"
    cells: tuple[Cell, ...] = (
        step.name,
        step.number,
        word(step.edit.kind) if step.edit is not None else str(step.op.kind),
        factors_text({split.loop: split.factor for split in division.splits}) if division else "on the host",
        division.cores if division else 0,
        times.get(step.name, float("nan")),
        format_shape(schedule.buffers[written].shape) if written else "",
        where if written else "",
    )
    return Row(step.name, cells, plan.reasons.get(f"division:{step.name}", ""))


def _count(cell: Cell) -> str:
    return format_count(float(cell)) if cell else ""


def _time(cell: Cell) -> str:
    return format_number(float(cell)) if float(cell) == float(cell) else ""
