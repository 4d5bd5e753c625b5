"""The table twin of a core grid: every core with the range of each split loop, its partial sums and its operands.

Owns: the columns and their values.  Refuses: the selection; it says which row was chosen.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from compiler.division import Division
from compiler.loops import LoopOp
from spyre_studio.qt_theme import px
from spyre_studio.slice_map import SliceMap
from spyre_studio.space_grid import SpaceGrid, handing_note, range_text
from spyre_studio.table import Column, CopyableTable, Row, TableModel
from spyre_studio.theme import ROW

_ROWS: Final = 9  # in view

COLUMNS: Final = (
    Column("core", number=True),
    Column("iterations", hint="The range of every split loop"),
    Column("partial sums", hint="From which core they come, and to which they go"),
    Column("slices", hint="What it reads and writes"),
)


class CoreTable(QWidget):
    """Shows a division; `chosen` carries the core."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table = CopyableTable(TableModel(COLUMNS), "Cores and what they own", self)
        self.table.chosen.connect(self._tell)
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
