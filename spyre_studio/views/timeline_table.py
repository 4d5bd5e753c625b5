"""The table twin of the timeline: every step with its simulated begin and time, what bounds it, its waits and bytes.

Owns: the columns, their values and a filter. Refuses: drawing, and the selection; it says which row was chosen.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from spyre_studio.occupancy import KINDS
from spyre_studio.qt_theme import px
from spyre_studio.step_opinion import StepOpinion
from spyre_studio.table import Cell, Column, CopyableTable, Row, TableModel
from spyre_studio.theme import GRID, PAD
from spyre_studio.timeline_data import TimelineData
from spyre_studio.timeline_words import BOUNDS, CAUSES, bounds_of, meanings
from spyre_studio.units import format_bytes, format_count, format_number

_PS_PER_US = 1e6
_NO_OPINION = StepOpinion(float("nan"), None, "")


class TimelineTable(QWidget):
    """Shows a run; `chosen` carries the name of the step."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._longest = 1.0
        self.filter = QLineEdit(self)
        self.filter.setPlaceholderText("Filter steps")
        self.filter.setAccessibleName("Filter steps")
        self.filter.setClearButtonEnabled(True)
        self.table = CopyableTable(TableModel(self._columns()), "Steps by simulated time", self)
        self.table.chosen.connect(self._tell)
        self.filter.textChanged.connect(self.table.filter)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(px(GRID / 2))
        field = QVBoxLayout()
        field.setContentsMargins(px(PAD), px(GRID / 2), px(PAD), 0)
        self.filter.setMaximumWidth(px(40 * GRID))
        field.addWidget(self.filter)
        column.addLayout(field)
        column.addWidget(self.table)

    def show_data(self, data: TimelineData, kinds: Sequence[int]) -> None:
        """The steps of a run; `kinds` are codes into KINDS by step."""
        took = (data.step_end - data.step_start)[data.step_end >= 0]
        self._longest = float(took.max()) / _PS_PER_US if len(took) else 1.0
        self.table.show_rows(lambda: step_rows(data, kinds))

    def select(self, name: str | None) -> None:
        """Show this step as selected."""
        self.table.select([name] if name is not None else [])

    def _tell(self, keys: tuple[Hashable, ...]) -> None:
        if keys:
            self.chosen.emit(str(keys[0]))

    def _share(self, cell: Cell) -> float:
        return float(cell) / self._longest if float(cell) == float(cell) and self._longest > 0 else 0.0

    def _columns(self) -> tuple[Column, ...]:
        return (
            Column("step"),
            Column("time, µs", _time, number=True, bar=self._share, hint="Simulated, from its first begin to its end"),
            Column("predicted, µs", _time, number=True, hint="Its share of what the cost model gives its kernel"),
            Column(
                "ratio",
                _ratio,
                number=True,
                hint="Simulated over predicted; nothing where it has no share",
                gives_way=2,
            ),
            Column("bound by", hint=f"What takes longest on most of its cores. {meanings(BOUNDS)}"),
            Column(
                "start, µs", _time, number=True, hint="Simulated time at which the first core begins it", gives_way=4
            ),
            Column("waits, µs", _time, number=True, hint="The longest that any core waits with it", gives_way=1),
            Column("waits for", hint="What takes most of the time waited, on all cores together", gives_way=3),
            Column("moved", _bytes, number=True, hint="Bytes that device memory and ring move for it", gives_way=5),
            Column("cores", lambda cell: format_count(float(cell)), number=True, gives_way=6),
            Column(
                "number",
                lambda cell: format_count(float(cell)),
                number=True,
                hint="Place in the order of steps",
                gives_way=8,
            ),
            Column("kind", gives_way=7),
            Column(
                "why the times part",
                hint="Where simulated and predicted time differ by more than a quarter",
                gives_way=9,
            ),
        )


def step_rows(data: TimelineData, kinds: Sequence[int]) -> list[Row]:
    """One row per step, in order; its hint is why the times part."""
    trace = data.trace
    waits, causes = _waits(data)
    bounds = bounds_of(data).tolist()
    moved = np.zeros(len(trace.steps), np.int64)
    for one in trace.traffic:
        moved[one.step] += one.moved if one.way != "lx" else 0
    cores = (trace.runs.start_ps >= 0).sum(axis=1)
    rows = []
    for step, name in enumerate(trace.steps):
        ran = data.step_end[step] >= 0
        start = float(data.step_start[step]) / _PS_PER_US if ran else float("nan")
        took = float(data.step_end[step] - data.step_start[step]) / _PS_PER_US if ran else float("nan")
        opinion = data.opinions[step] if data.opinions else _NO_OPINION
        cells: tuple[Cell, ...] = (
            name,
            took,
            opinion.predicted_us,
            opinion.ratio if opinion.ratio is not None else float("nan"),
            CAUSES[bounds[step]].title if ran else "",
            start,
            float(waits[step]) / _PS_PER_US,
            CAUSES[int(causes[step])].title if waits[step] else "",
            int(moved[step]),
            int(cores[step]),
            step,
            KINDS[kinds[step]],
            opinion.reason,
        )
        rows.append(Row(name, cells, opinion.reason))
    return rows


def _waits(
    data: TimelineData,
) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], np.ndarray[tuple[int], np.dtype[np.intp]]]:
    """By step: the longest that a core waits with it, and the cause of most of it."""
    stalls, steps, cores = data.trace.stalls, len(data.trace.steps), data.trace.cores
    took = stalls.end_ps - stalls.start_ps
    per_core = np.zeros((steps, max(cores, 1)), np.int64)
    np.add.at(per_core, (stalls.step, stalls.core), took)
    per_cause = np.zeros((steps, max(CAUSES) + 1), np.int64)
    np.add.at(per_cause, (stalls.step, stalls.cause), took)
    return per_core.max(axis=1, initial=0), per_cause.argmax(axis=1)


def _time(cell: Cell) -> str:
    return format_number(float(cell), 2) if float(cell) == float(cell) else ""


def _ratio(cell: Cell) -> str:
    return f"{float(cell):.2f}" if float(cell) == float(cell) else ""


def _bytes(cell: Cell) -> str:
    return format_bytes(float(cell)) if cell else ""
