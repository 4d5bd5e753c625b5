"""The table twin of an error map: cells of elements, sticks or cores with their errors, worst first.

Owns: the columns and their values.  Refuses: the selection; it says which cell was chosen.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedLayout, QWidget

from simulator.error_map import MOST, NO_NUMBER, CoreError, ErrorMap, StickError
from spyre_studio.error_map_grid import By, HeatGrid, cores_text, range_text
from spyre_studio.error_map_subject import Subject
from spyre_studio.table import Cell, Column, CopyableTable, Row, TableModel
from spyre_studio.units import format_count

_OUT_OF = "Elements that are off by more than rounding explains"
_DEVIATIONS = "The largest error, in deviations: how far rounding moves that element"


class ErrorTable(QWidget):
    """Shows a map; `chosen` carries (row, column) of the cell."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._stack = QStackedLayout(self)
        names = {"element": "Errors by element", "stick": "Errors by stick", "core": "Errors by core"}
        columns = {"element": _cell_columns(), "stick": _group_columns("stick"), "core": _group_columns("core")}
        self.tables = {by: CopyableTable(TableModel(columns[by]), name) for by, name in names.items()}
        for table in self.tables.values():
            self._stack.addWidget(table)
            table.chosen.connect(self._tell)

    @property
    def table(self) -> CopyableTable:
        """The one that is shown."""
        shown = self._stack.currentWidget()
        assert isinstance(shown, CopyableTable)
        return shown

    def show_grid(self, subject: Subject, grid: HeatGrid) -> None:
        """Another map."""
        errors = subject.errors
        if errors is None:
            return
        table = self.tables[grid.by]
        self._stack.setCurrentWidget(table)
        table.show_rows(lambda: rows_of(subject, errors, grid))

    def select(self, item: object) -> None:
        """Show this cell as selected."""
        if isinstance(item, tuple):
            self.table.select((item,))

    def _tell(self, keys: tuple[Hashable, ...]) -> None:
        if keys:
            self.chosen.emit(keys[0])


def rows_of(subject: Subject, errors: ErrorMap, grid: HeatGrid) -> list[Row]:
    """Cells that differ, worst first; sticks and cores in the order of the map."""
    by: By = grid.by
    if by == "element":
        absolute = np.array(errors.absolute)
        places = [(int(row), int(column)) for row, column in np.argwhere(absolute > 0)]
        places.sort(key=lambda at: (-errors.deviations[at[0]][at[1]], at))
        return [Row(at, _cells_of(subject, errors, grid, at)) for at in places]
    found: Sequence[StickError | CoreError] = errors.sticks if by == "stick" else errors.cores
    across = grid.cells[1]
    return [
        Row((place // across, place % across), _group_cells(each, grid.labels[place]))
        for place, each in enumerate(found)
    ]


def _cells_of(subject: Subject, errors: ErrorMap, grid: HeatGrid, at: tuple[int, int]) -> tuple[Cell, ...]:
    row, column = at
    cores = cores_text(grid.cores[grid.number(row, column)])
    return range_text(subject.shape, row, column), errors.deviations[row][column], errors.absolute[row][column], cores


def _group_cells(each: StickError | CoreError, label: str) -> tuple[Cell, ...]:
    name: Cell = each.core if isinstance(each, CoreError) and each.core >= 0 else label
    return name, each.max_deviations, each.max_abs, each.beyond, each.differing, each.elements


def _cell_columns() -> tuple[Column, ...]:
    return (
        Column("elements", hint="Their range in every dim, or from the first to the last"),
        *_error_columns(),
        Column("cores", hint="Who wrote them, as far as the program tells"),
    )


def _group_columns(what: str) -> tuple[Column, ...]:
    return (
        Column(what, hint="Device coordinates of the stick, without the lane" if what == "stick" else ""),
        *_error_columns(),
        Column("beyond", _count, number=True, hint=_OUT_OF),
        Column("differing", _count, number=True),
        Column("elements", _count, number=True),
    )


def _error_columns() -> tuple[Column, ...]:
    return (
        Column("deviations", _deviations, number=True, hint=_DEVIATIONS),
        Column("max |d|", _absolute, number=True, hint="The largest difference"),
    )


def _count(cell: Cell) -> str:
    return format_count(float(cell))


def _deviations(cell: Cell) -> str:
    return "> 1e9" if float(cell) >= MOST else f"{float(cell):.3g}"


def _absolute(cell: Cell) -> str:
    return "not a number" if float(cell) == NO_NUMBER else f"{float(cell):.3g}"
