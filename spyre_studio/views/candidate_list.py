"""The candidate splits of one op: a list of two-line rows where it is narrow, a table where there is room.

Owns: filter and order, the legend of the bars, and telling which candidate was gone to or committed.  Refuses: asking
for candidates, pinning one, and the words, which come from the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from frozendict import frozendict
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QCheckBox, QHBoxLayout, QStackedLayout, QVBoxLayout, QWidget

from compiler.loops import LoopOp
from spyre_studio.candidate_model import (
    ALONE_HINT,
    ORDERS,
    CandidateRow,
    alone_words,
    arranged,
    candidate_key,
    groups_in,
    quicker_words,
    rows_of,
)
from spyre_studio.legend import Entry, WrappedLegend
from spyre_studio.qt_theme import font, px
from spyre_studio.theme import GRID, ROW, Tone
from spyre_studio.units import format_bytes, format_count, format_us, format_us_below
from spyre_studio.views.candidate_table import CandidateTable
from spyre_studio.views.line_list import ROW_HEIGHT, Line, LineList
from spyre_studio.views.overlay import Chooser
from spyre_studio.widgets import Heading, text_label

if TYPE_CHECKING:
    from compiler.candidates import Candidate

_ROWS: Final = 5  # candidates in view at least
_TABLE_ROWS: Final = 8
_WORDS: Final = tuple((key, words) for key, (words, _) in ORDERS.items())


@dataclass(frozen=True, slots=True)
class PinMark:
    """What became of the pin of this op: its factors, a word ('' for no pin) and the tone of it."""

    factors: Mapping[str, int] = frozendict()
    word: str = ""
    tone: Tone = "mute"


class CandidatePanel(QWidget):
    """`chosen` carries the factors that the user went to, `committed` those of a double click or Enter; for
    `menu_requested` also whether they are legal, and where the menu is wanted."""

    chosen = Signal(object)
    committed = Signal(object)
    menu_requested = Signal(object, bool, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._found: tuple[Candidate, ...] = ()
        self._rows: tuple[CandidateRow, ...] = ()
        self._factors: dict[str, Mapping[str, int]] = {}
        self._pin, self._draft = PinMark(), ""
        self._known: Mapping[str, float] = {}
        self._drawn: object = None
        self._in_plan = ""
        self.heading = Heading("Candidates")
        self.legal_only = QCheckBox("Legal only")
        self.order = Chooser("", _WORDS)
        self.list, self.table = LineList("Candidate divisions"), CandidateTable()
        self.waiting, self.quicker = text_label("", "mute"), text_label("", "mute")
        self.legend = WrappedLegend()
        self._arrange()
        self._connect()

    # What is shown

    def show_candidates(
        self, found: tuple[Candidate, ...], op: LoopOp, pin: PinMark, ranked: bool = True, in_plan_us: float = -1.0
    ) -> None:
        """Candidates of an op from the top; `ranked`: the published ranking chose its division.  `in_plan_us`: what the
        op takes in the plan, below 0 if nobody knows."""
        if found is not self._found or pin != self._pin:
            again = found is self._found
            self._found, self._pin = found, pin
            self._rows = rows_of(found, op, pin.word == "pinned", ranked)
            self._factors = {candidate_key(one.factors): one.factors for one in found}
            self._in_plan = alone_words(self._rows, in_plan_us) if in_plan_us >= 0 else ""
            if not again:
                self._draft = next((row.key for row in self._rows if row.chosen), "")
            self._show()
            if not again:
                self.list.scrollToTop()
                self.table.scrollToTop()
        self.waiting.setVisible(not found)
        self._body.setVisible(bool(found))

    def show_known(self, known: Mapping[str, float]) -> None:
        """What the whole plan gains or loses with a candidate, in µs by key, where such a plan was made already."""
        if known != self._known:
            self._known = known
            self._show()

    def show_waiting(self, words: str, note: str) -> None:
        """Why there are none yet."""
        self.waiting.setText(words)
        self.heading.set_heading("Candidates", note)

    def show_draft(self, factors: Mapping[str, int]) -> None:
        """Mark the candidate with these factors, and bring it into view if it is not that of the plan: above that are
        those that are quicker."""
        self._draft = candidate_key(factors)
        self._mark()

    def set_wide(self, wide: bool) -> None:
        """A table instead of the list."""
        self._stack.setCurrentWidget(self.table if wide else self.list)
        self.order.setVisible(not wide)
        across, down = QHBoxLayout.Direction.LeftToRight, QHBoxLayout.Direction.TopToBottom
        self._head.setDirection(across if wide else down)
        self._head.setSpacing(px(2 * GRID) if wide else px(GRID / 2))
        high = px(ROW) * _TABLE_ROWS if wide else px(ROW_HEIGHT) * _ROWS
        self._body.setMinimumHeight(high)

    @property
    def wide(self) -> bool:
        """True while the table is shown."""
        return self._stack.currentWidget() is self.table

    @property
    def rows(self) -> tuple[CandidateRow, ...]:
        """What is listed, filtered and in order."""
        return arranged(self._rows, self.legal_only.isChecked(), self.order.key)

    def _show(self) -> None:
        rows = self.rows
        self._follow()
        notes = {key: f"whole plan {format_us(delta, signed=True)}" for key, delta in self._known.items()}
        if self._pin.word:
            notes[candidate_key(self._pin.factors)] = self._pin.word
        self.list.show_lines([self._line(row, notes.get(row.key, "")) for row in rows])
        if (drawn := (rows, notes)) != self._drawn:  # a reset between the two clicks of a double click would lose it
            self._drawn = drawn
            self.table.show_candidates(rows, notes)
        self._mark()
        legal = sum(row.legal for row in self._rows)
        shown = f"{len(rows)} of {len(self._rows)} shown" if len(rows) < len(self._rows) else f"{legal} legal"
        self.heading.set_heading("Candidates", f"{shown} · µs" if self._rows else "")
        told = "; ".join(part for part in (quicker_words(self._rows), self._in_plan) if part)
        self.quicker.setText(f"{told[:1].upper()}{told[1:]}".replace(" µs", "\N{NO-BREAK SPACE}µs"))
        self.quicker.setVisible(bool(told))
        entries = tuple(Entry(group.title, group.token) for group in groups_in(self._found))
        self.legend.set_entries(entries)
        self.legend.setVisible(len(entries) > 1)

    def _mark(self) -> None:
        """Mark the row of the draft; that of the plan is not scrolled to."""
        self._follow()
        self.list.select(self._draft)
        self.table.select((self._draft,))
        if self.list.hasAutoScroll():
            self.list.scrollTo(self.list.currentIndex())

    def _follow(self) -> None:
        own = any(row.chosen and row.key == self._draft for row in self._rows)
        for view in (self.list, self.table):
            view.setAutoScroll(not own)

    def _line(self, row: CandidateRow, note: str) -> Line:
        words = row.verdict
        if row.chosen:
            words = f"this plan · {format_count(row.cores, 'core')} · span {format_bytes(row.span_bytes)}"
        pinned = bool(self._pin.word) and row.key == candidate_key(self._pin.factors)
        tone: Tone = self._pin.tone if pinned else "mute" if row.legal else "warn"
        return Line(
            key=row.key,
            title=row.title,
            note=f"{note} · {words}" if note else words,
            value=format_us_below(row.total_us) if row.legal else "",
            lanes=row.lanes if row.legal else None,
            tone=tone,
            strong=row.chosen,
            faded=not row.legal,
            hint=f"{row.hint}\n{ALONE_HINT}" if row.chosen and self._in_plan else row.hint,
        )

    # What the user does

    def _went(self, key: object) -> None:
        key = key[0] if isinstance(key, tuple) and key else key
        if isinstance(key, str) and key in self._factors:
            self._draft = key
            self.chosen.emit(self._factors[key])

    def _commit(self, key: str) -> None:
        if any(row.legal and row.key == key for row in self._rows):
            self.committed.emit(self._factors[key])

    def _menu(self, view: QAbstractItemView, at: QPoint) -> None:
        """A menu for the row at a place, else for the current one, which the menu key means."""
        keys = self.table.keys() if view is self.table else (self.list.key,)
        row = next((row for row in self._rows if row.key in keys), None)
        if row is not None and (view.indexAt(at).isValid() or not view.rect().contains(at)):
            self.menu_requested.emit(self._factors[row.key], row.legal, view.viewport().mapToGlobal(at))

    def _connect(self) -> None:
        for view in (self.list, self.table):
            view.chosen.connect(self._went)
            view.committed.connect(self._commit)
            view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            view.customContextMenuRequested.connect(lambda at, view=view: self._menu(view, at))
        self.legal_only.toggled.connect(lambda _on: self._show())
        self.order.chosen.connect(lambda _key: self._show())

    def _arrange(self) -> None:
        self.legal_only.setToolTip("Leave out the splits that cannot be made")
        for one in (self.legal_only, self.order):
            one.setFont(font("label"))
        self.quicker.setFont(font("label"))
        self.quicker.setToolTip(ALONE_HINT)
        self.quicker.hide()
        self.order.setToolTip("How the list is sorted")
        controls = QHBoxLayout()
        controls.setSpacing(px(1.5 * GRID))
        controls.addWidget(self.legal_only)
        controls.addStretch(1)
        controls.addWidget(self.order)
        self._head = QHBoxLayout()
        self._head.setSpacing(px(GRID / 2))
        self._head.addWidget(self.heading, 1)
        self._head.addLayout(controls)
        self._body = QWidget()
        self._stack = QStackedLayout(self._body)
        self._stack.addWidget(self.list)
        self._stack.addWidget(self.table)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(px(GRID / 2))
        column.addLayout(self._head)
        column.addWidget(self.waiting)
        column.addWidget(self.quicker)
        column.addWidget(self.legend)
        column.addWidget(self._body, 1)
        self.set_wide(False)
