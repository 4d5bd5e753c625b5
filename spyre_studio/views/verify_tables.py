"""The tables of a verification: results compared with PyTorch, and the bytes that every step moved.

Owns: columns, which rows are listed, copying.  Refuses: the selection; each says which row was chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from simulator.report import VerifyReport
from spyre_studio.elided import ElidedLabel
from spyre_studio.qt_theme import active_theme, font, px
from spyre_studio.table import Cell, Column, CopyableTable, Row, TableModel
from spyre_studio.theme import GRID
from spyre_studio.units import format_bytes, format_count
from spyre_studio.verify_rows import NumberRow, number_rows
from spyre_studio.verify_traffic import TrafficRow, traffic_rows, traffic_words
from spyre_studio.views.overlay import Chooser
from spyre_studio.widgets import text_label

_SHOWN: Final = (
    ("all", "outputs and steps"),
    ("output", "outputs only"),
    ("step", "steps only"),
    ("differing", "what differs"),
    ("wrong", "what is wrong"),
)


class _Toolbar(QHBoxLayout):
    """Words at the left, controls at the right."""

    def __init__(self, words: QLabel, *controls: QWidget) -> None:
        super().__init__()
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(px(GRID / 2))
        words.setFont(font("label"))
        words.setProperty("tone", "mute")
        self.addWidget(words, 1)
        for control in controls:
            self.addWidget(control)


class ResultsTable(QWidget):
    """`chosen` and `opened` (a double click) carry the NumberRow."""

    chosen = Signal(object)
    opened = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[NumberRow, ...] = ()
        self.words, self.shown, self.copy = ElidedLabel(), Chooser("Show", _SHOWN), _copy_button()
        self.table = CopyableTable(TableModel(_result_columns()), "Numbers against PyTorch, outputs and steps")
        _stacked(self, _Toolbar(self.words, self.copy, self.shown), self.table)
        self.shown.chosen.connect(lambda _key: self._show_rows())
        self.copy.clicked.connect(lambda: _copy(self.table))
        self.table.chosen.connect(lambda keys: self._tell(keys, self.chosen.emit))
        self.table.doubleClicked.connect(lambda _index: self._tell(self.table.keys(), self.opened.emit))

    def show_report(self, report: VerifyReport) -> None:
        """Another report."""
        self._rows = number_rows(report)
        self._show_rows()

    def select_step(self, step: str | None) -> None:
        """Show the rows of a step as selected."""
        wanted = [number for number, row in enumerate(self._rows) if row.step and row.step == step]
        if set(wanted) != set(self.table.keys()):
            self.table.select(wanted)

    def _show_rows(self) -> None:
        wanted = [(number, row) for number, row in enumerate(self._rows) if self._listed(row)]
        self.table.show_rows(lambda: [Row(number, _result_cells(row), row.first) for number, row in wanted])
        wrong = sum(row.tone == "bad" for row in self._rows)
        total = format_count(len(self._rows), "result")
        listed = f"{len(wanted):,} of {total}" if len(wanted) < len(self._rows) else total
        self.words.say(f"{listed} · {wrong:,} wrong" if wrong else f"{listed} · none wrong")

    def _listed(self, row: NumberRow) -> bool:
        match self.shown.key:
            case "differing":
                return row.differing > 0
            case "wrong":
                return row.tone == "bad"
            case what:
                return what in ("all", row.what)

    def _tell(self, keys: Sequence[Hashable], emit: Callable[[NumberRow], None]) -> None:
        if keys and isinstance(keys[0], int):
            emit(self._rows[keys[0]])


class TrafficTable(QWidget):
    """`chosen` carries the name of the step."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._most = 1
        self.words, self.copy = text_label(""), _copy_button()
        self.table = CopyableTable(TableModel(self._columns()), "Bytes moved by step, measured while running")
        _stacked(self, _Toolbar(self.words, self.copy), self.table)
        self.copy.clicked.connect(lambda: _copy(self.table))
        self.table.chosen.connect(lambda keys: self.chosen.emit(str(keys[0])) if keys else None)

    def show_report(self, report: VerifyReport) -> None:
        """Another report."""
        rows = traffic_rows(report.traffic)
        self._most = max((row.hbm for row in rows), default=0) or 1
        self.words.setText(traffic_words(report.traffic) if rows else "Nothing was measured in this run.")
        self.table.show_rows(lambda: [Row(row.step, _traffic_cells(row)) for row in rows])

    def select_step(self, step: str | None) -> None:
        """Show this step as selected."""
        self.table.select([step] if step is not None else [])

    def _columns(self) -> tuple[Column, ...]:
        hint = "Bytes in whole sticks, of all cores together"
        once = "A stick of device memory that several cores of the step read counts once"
        return (
            Column("step"),
            Column("memory read", _bytes, number=True, hint=f"{hint}, from device memory"),
            Column("read once", _bytes, number=True, hint=once, gives_way=8),
            Column("memory written", _bytes, number=True, hint=f"{hint}, to device memory"),
            Column(
                "device memory", _bytes, number=True, bar=self._share, hint="Read and written, beside the most of all"
            ),
            Column("LX read", _bytes, number=True, hint=hint, gives_way=7),
            Column("LX written", _bytes, number=True, hint=hint, gives_way=6),
            Column("ring", _bytes, number=True, hint=f"{hint}, between cores"),
            Column(
                "cores",
                lambda cell: format_count(float(cell)),
                number=True,
                hint="Cores that moved any of it",
                gives_way=9,
            ),
        )

    def _share(self, cell: Cell) -> float:
        return float(cell) / self._most


def _result_columns() -> tuple[Column, ...]:
    return (
        Column("result"),
        Column("of"),
        Column("verdict", colour=_verdict_colour),
        Column("cosine", _cosine, number=True, hint="Cosine similarity of the result and PyTorch's, 1 for equal ones"),
        Column("max |d|", _small, number=True, hint="Largest difference from PyTorch, of elements that are numbers"),
        Column("deviations", _deviations, number=True, hint="Of all elements together: root mean square, in roundings"),
        Column(
            "allowed",
            _deviations,
            number=True,
            hint="Deviations that rounding explains, of all elements together",
            gives_way=5,
        ),
        Column("beyond", _count, number=True, hint="Elements that are by themselves beyond what rounding explains"),
        Column("differing", _count, number=True, hint="Elements that are not equal", gives_way=4),
        Column("elements", _count, number=True, gives_way=7),
        Column("max relative", _small, number=True, hint="Largest difference relative to PyTorch's value", gives_way=8),
        Column(
            "rms",
            _small,
            number=True,
            hint="Root mean square of the differences, of elements that are numbers",
            gives_way=9,
        ),
        Column("first difference", gives_way=6),
    )


def _result_cells(row: NumberRow) -> tuple[Cell, ...]:
    figures = (row.cosine, row.max_abs, row.together, row.allowed, row.beyond, row.differing, row.elements)
    return (row.name, row.what, row.verdict, *figures, row.max_relative, row.rms, row.first)


def _traffic_cells(row: TrafficRow) -> tuple[Cell, ...]:
    memory = (row.hbm_read, row.hbm_once, row.hbm_written, row.hbm)
    return (row.step, *memory, row.lx_read, row.lx_written, row.ring, row.cores)


def _verdict_colour(cell: Cell) -> str:
    theme = active_theme()
    return theme.ok_text if cell in ("equal", "rounding") else theme.bad_text


def _small(cell: Cell) -> str:
    value = float(cell)
    return "0" if value == 0 else f"{value:.2e}"


def _deviations(cell: Cell) -> str:
    value = float(cell)
    return "0" if value == 0 else f"{value:.2f}" if value < 1e4 else f"{value:.1e}"


def _cosine(cell: Cell) -> str:
    value = float(cell)
    return "1" if value == 1 else f"{value:.6f}"


def _count(cell: Cell) -> str:
    return format_count(float(cell))


def _bytes(cell: Cell) -> str:
    return format_bytes(float(cell)) if cell else "0"


def _copy_button() -> QToolButton:
    made = QToolButton()
    made.setText("Copy as CSV")
    made.setToolTip("Copy the rows as shown, for a spreadsheet")
    return made


def _copy(table: CopyableTable) -> None:
    QGuiApplication.clipboard().setText(table.as_csv())


def _stacked(holder: QWidget, toolbar: QHBoxLayout, table: CopyableTable) -> None:
    column = QVBoxLayout(holder)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(px(GRID / 2))
    column.addLayout(toolbar)
    column.addWidget(table, 1)
