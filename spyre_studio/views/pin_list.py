"""Many pins as a list of two-line rows, those that were not kept first, with the reason of the current one in full.

Owns: the rows, their order and filter, and telling what the user does with one. Refuses: changing a pin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from compiler.pins import PinState, PinStatus
from spyre_studio.qt_theme import font, px
from spyre_studio.sentence import Sentence
from spyre_studio.theme import GRID, Tone
from spyre_studio.units import format_count
from spyre_studio.views.line_list import Line, LineList
from spyre_studio.views.overlay import Chooser
from spyre_studio.views.pin_card import OFF, TONES, UNSOLVED
from spyre_studio.widgets import text_label

_ORDER: Final = (PinState.REFUSED, PinState.ADJUSTED, UNSOLVED, PinState.HONOURED, OFF)
_SHOWN: Final = (("all", "all"), ("unkept", "not kept"))


@dataclass(frozen=True, slots=True)
class PinRow:
    """A pin; `status` None for one that the plan was made without, or that is `off`; `short`: what it is about in few
    words that tell it from others."""

    key: str
    words: str
    status: PinStatus | None
    off: bool = False
    short: str = ""

    @property
    def state(self) -> str:
        """What it is in a word."""
        return OFF if self.off else str(self.status.state) if self.status else UNSOLVED

    @property
    def tone(self) -> Tone:
        """The verdict."""
        return TONES[self.status.state] if self.status and not self.off else "mute"

    @property
    def detail(self) -> str:
        """How it was kept, or why not."""
        return self.status.detail if self.status and not self.off else ""


def counts_words(rows: Sequence[PinRow]) -> str:
    """Example: '12 refused · 2 adjusted · 486 honoured'."""
    counts = {state: sum(row.state == state for row in rows) for state in map(str, _ORDER)}
    return " · ".join(f"{format_count(count)} {state}" for state, count in counts.items() if count)


class _Keys(LineList):
    removed = Signal(str)
    switched = Signal(str)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Delete | Qt.Key.Key_Backspace if self.key:
                self.removed.emit(self.key)
            case Qt.Key.Key_Space if self.key:
                self.switched.emit(self.key)
            case _:
                super().keyPressEvent(event)


class PinList(QWidget):
    """The signals carry the key of a pin."""

    clicked = Signal(str)
    removed = Signal(str)
    switched = Signal(str)
    menu_requested = Signal(str, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[PinRow, ...] = ()
        self.list = _Keys("Pins")
        self.counts, self.shown = text_label("", "mute"), Chooser("Show", _SHOWN)
        self.filter = QLineEdit()
        self._reason: Sentence | None = None
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)  # it takes the width there is
        self._arrange()

    @property
    def rows(self) -> tuple[PinRow, ...]:
        """The pins that are listed, from top to bottom."""
        known = {row.key: row for row in self._rows}
        return tuple(known[line.key] for line in self.list.lines)

    @property
    def reason(self) -> str:
        """What is said in full of the current pin."""
        return self._reason.text if self._reason is not None else ""

    def show_rows(self, rows: Sequence[PinRow]) -> None:
        """Other pins, or another end of them."""
        order = {str(state): place for place, state in enumerate(_ORDER)}
        self._rows = tuple(sorted(rows, key=lambda row: order[row.state]))
        self.counts.setText(counts_words(rows))
        self._show()

    def _show(self) -> None:
        words = self.filter.text().casefold().split()
        kept = [row for row in self._rows if self.shown.key == "all" or row.tone in {"warn", "bad"}]
        kept = [row for row in kept if all(word in f"{row.key} {row.words} {row.detail}".casefold() for word in words)]
        self.list.show_lines([_line(row) for row in kept])
        self._explain(self.list.key)

    def _explain(self, key: str) -> None:
        """The reason of a pin below the list."""
        row = next((row for row in self._rows if row.key == key), None)
        detail = row.detail if row is not None else ""
        if detail == self.reason:
            return
        if self._reason is not None:
            self._reason.hide()
            self._reason.deleteLater()
            self._reason = None
        if row is not None and detail:
            self._reason = Sentence(detail, "mute" if row.tone == "ok" else row.tone)
            self._foot.addWidget(self._reason)

    def _went(self, key: str) -> None:
        self._explain(key)
        self.clicked.emit(key)

    def _menu(self, at: QPoint) -> None:
        if self.list.key:
            self.menu_requested.emit(self.list.key, self.list.viewport().mapToGlobal(at))

    def _arrange(self) -> None:
        self.counts.setFont(font("label"))
        self.shown.setFont(font("label"))
        self.filter.setPlaceholderText("Filter")
        self.filter.setAccessibleName("Filter the pins")
        self.filter.setClearButtonEnabled(True)
        head, self._foot = QHBoxLayout(), QVBoxLayout()
        head.setSpacing(px(GRID / 2))
        head.addWidget(self.filter, 1)
        head.addWidget(self.shown)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(px(GRID / 2))
        column.addWidget(self.counts)
        column.addLayout(head)
        column.addWidget(self.list, 1)
        column.addLayout(self._foot)
        self.list.chosen.connect(self._went)
        self.list.committed.connect(self.clicked)
        self.list.removed.connect(self.removed)
        self.list.switched.connect(self.switched)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._menu)
        self.filter.textChanged.connect(lambda _text: self._show())
        self.shown.chosen.connect(lambda _key: self._show())


def _line(row: PinRow) -> Line:
    note = f"{row.words} · {row.state}"
    return Line(
        key=row.key,
        title=row.key.partition(":")[2],
        short=row.short,
        note=f"{note}: {row.detail}" if row.tone in {"warn", "bad"} and row.detail else note,
        mark=row.tone,
        tone=row.tone if row.tone in {"warn", "bad"} else "mute",
        faded=row.off,
        hint="\n".join(part for part in (row.key.partition(":")[2], row.words, row.detail) if part),
    )
