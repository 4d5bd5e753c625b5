"""The candidate splits of one op as a table: time in lanes and by group, points, span, and why each one lost.

Owns: the columns, which of them there is room for, and committing a row.  Refuses: the words and the comparison, which
come with the rows, and pinning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isfinite, isnan, nan
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QWidget

from spyre_studio.candidate_model import ALONE_HINT, CandidateRow, Lanes
from spyre_studio.qt_theme import active_theme, font, px
from spyre_studio.table import Cell, Column, CopyableTable, Row, TableModel
from spyre_studio.term_groups import ALONE, COMPUTE, DELIVERY, MEMORY, ORDER, SUMS, TURNS, Group, group_of
from spyre_studio.theme import CELL_PAD, GRID
from spyre_studio.time_bar import TimeCell
from spyre_studio.units import format_bytes, format_number, format_us_below

if TYPE_CHECKING:
    from PySide6.QtCore import QPersistentModelIndex

_BY_GROUP: Final = (COMPUTE, ORDER, SUMS, MEMORY, TURNS, DELIVERY, ALONE)
_TIME: Final = 2
_FIRST_GROUP: Final = 4
_POINTS: Final = _FIRST_GROUP + len(_BY_GROUP)
_VERDICT: Final = _POINTS + 2
_LEAST_VERDICT: Final = 24 * GRID  # px; below that the columns by group go
_LEAST_NEEDED: Final = (*reversed(range(_FIRST_GROUP, _POINTS)), _POINTS + 1, _POINTS, 3)
_BAR: Final = 21 * GRID  # px
_MEASURED: Final = 8  # of the longest values of a column
_PLAN: Final = "this plan"


def _us(cell: Cell) -> str:
    return format_us_below(float(cell)) if isinstance(cell, float) and isfinite(cell) else ""


def _more(cell: Cell) -> str:
    return format_number(float(cell), signed=True) if isinstance(cell, float) and isfinite(cell) else ""


def _points(cell: Cell) -> str:
    return format_number(float(cell)) if isinstance(cell, float) and not isnan(cell) else ""


def _bytes(cell: Cell) -> str:
    return format_bytes(float(cell))


def _verdict_colour(cell: Cell) -> str:
    theme, text = active_theme(), str(cell)
    if text.startswith("pin"):
        return theme.tone_text("bad" if "refused" in text else "accent" if text.startswith("pinned") else "warn")
    return theme.ok_text if text.startswith(_PLAN) else theme.mute


COLUMNS: Final = (
    Column("split", hint="Loops and into how many parts each is cut"),
    Column("cores", number=True, hint="Cores at work"),
    Column("time, µs", _us, number=True, hint=f"Predicted time; compute and memory run at once. {ALONE_HINT}"),
    Column("more, µs", _more, number=True, hint="Against the division of this plan"),
    *(Column(group.title, _us, number=True, hint=f"µs: {', '.join(sorted(group.terms))}") for group in _BY_GROUP),
    Column("points", _points, number=True, hint="Ranking of the public rule: preferences, no time", gives_way=3),
    Column("span", _bytes, number=True, hint="Largest stretch of one tensor that a core walks", gives_way=2),
    Column("why", colour=_verdict_colour, hint="Why it lost against the division of this plan"),
)


class CandidateTable(CopyableTable):
    """One row is current; `committed` carries its key on Enter and on a double click."""

    committed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(TableModel(COLUMNS), "Candidate divisions", parent)
        self._lanes: Mapping[str, Lanes] = {}
        self._needed: tuple[int, ...] = ()
        self._silent: set[int] = set()
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setItemDelegateForColumn(_TIME, TimeCell(self._lanes_at, parent=self))
        self.doubleClicked.connect(lambda _index: self._commit())
        header, mode = self.horizontalHeader(), QHeaderView.ResizeMode
        for place in range(_VERDICT):
            header.setSectionResizeMode(place, mode.Interactive)
        header.setSectionResizeMode(_VERDICT, mode.Stretch)

    def show_candidates(self, rows: Sequence[CandidateRow], notes: Mapping[str, str]) -> None:
        """Other rows; `notes` are words before the verdict of a row (what became of a pin), by key."""
        self._lanes = {row.key: row.lanes for row in rows}
        made = [_row(row, notes.get(row.key, "")) for row in rows]
        self.show_rows(lambda: made)
        self._needed = tuple(self._width(place, made) for place in range(_VERDICT))
        self._silent = {
            place for place in range(_FIRST_GROUP, _POINTS + 1) if not any(_says(row.cells[place]) for row in made)
        }
        self.fit()

    def fit(self) -> None:
        """Show the columns that say something and for which there is room."""
        if not self._needed:
            return
        hidden = set(self._silent)
        room = self.viewport().width() - px(_LEAST_VERDICT)
        room -= sum(width for place, width in enumerate(self._needed) if place not in hidden)
        for place in _LEAST_NEEDED:
            if room >= 0:
                break
            if place not in hidden:
                hidden.add(place)
                room += self._needed[place]
        header = self.horizontalHeader()
        for place, width in enumerate(self._needed):
            if self.isColumnHidden(place) != (place in hidden):
                self.setColumnHidden(place, place in hidden)
            if place not in hidden and header.sectionSize(place) != width:
                header.resizeSection(place, width)

    def _width(self, place: int, rows: Sequence[Row]) -> int:
        """Room for the title and the longest values of a column; measured, because asking every cell takes long."""
        if place == _TIME:
            return px(_BAR)
        column = COLUMNS[place]
        metrics = QFontMetricsF(font("label", mono=True) if column.number else self.font())
        longest = sorted({column.write(row.cells[place]) for row in rows}, key=len)[-_MEASURED:]
        widest = max((metrics.horizontalAdvance(text) for text in longest), default=0.0)
        title = QFontMetricsF(self.horizontalHeader().font()).horizontalAdvance(column.title) + px(1.5 * GRID)
        return round(max(title, widest)) + 2 * px(CELL_PAD) + 2

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Other columns fit, and the current row stays in view."""
        super().resizeEvent(event)
        self.fit()
        if self.currentIndex().isValid() and self.hasAutoScroll():
            self.scrollTo(self.currentIndex())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter commits."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._commit()
        else:
            super().keyPressEvent(event)

    def _fit_columns(self) -> None:
        """Widths are known before the rows are shown."""

    def _fit_widths(self) -> None:
        """The last column takes what is left here."""

    def _commit(self) -> None:
        if self.keys():
            self.committed.emit(str(self.keys()[0]))

    def _lanes_at(self, index: QModelIndex | QPersistentModelIndex) -> Lanes | None:
        return self._lanes.get(str(self._row(index.row()).key))


def _says(cell: Cell) -> bool:
    return isinstance(cell, float) and not isnan(cell) and cell != 0


def _row(row: CandidateRow, note: str) -> Row:
    time, more = (row.total_us, row.delta_us) if row.legal else (inf, inf)
    groups = [_group_us(row, group) if row.legal else nan for group in _BY_GROUP]
    points = row.points if row.points is not None and row.legal else nan
    verdict = f"{note} · {row.cause}" if note else row.cause
    return Row(row.key, (row.title, row.cores, time, more, *groups, points, row.span_bytes, verdict), row.hint)


def _group_us(row: CandidateRow, group: Group) -> float:
    """Microseconds of a group, NaN (an empty cell) for none."""
    return sum(time for name, time in row.terms.items() if group_of(name) is group) or nan
