"""Find in the graph: a line to type in, how many there are, and the list of what was found.

Owns: typing, walking through the list, and the keys. Refuses: what may be found (finder.py) and what a find does.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from spyre_studio.choice_list import Choice, ChoiceList
from spyre_studio.find_query import FILTERS, HELP, read_query
from spyre_studio.finder import Entry, meant
from spyre_studio.qt_theme import font, px
from spyre_studio.theme import GRID
from spyre_studio.typed_pattern import SLOW, TooSlowError
from spyre_studio.units import format_count
from spyre_studio.views.overlay import OverlayPanel

_WIDTH = 56 * GRID
_ROWS = 8
_LESSON = (
    "<b>kind:</b>matmul, reduction, pointwise, move, buffer, module, or the ATen op<br>"
    "<b>split:</b>m8 divided along loop m into 8 parts; split:none on one core<br>"
    "<b>spilled:</b> in device memory; spilled:no in LX<br>"
    "<b>reason:</b>capacity why it is not in LX<br>"
    "<b>shape:</b>128x1024 sizes next to each other, * for any<br>"
    "<b>/regex/</b> a pattern for the name<br>"
    "Several of them must all hold. F3 and Shift+F3 go on and back."
)
_LISTED = 500  # more than anybody reads; the count says how many there are


class FindPanel(OverlayPanel):
    """Hidden until `open`. `found` carries the Entry to show; `closed` tells that the keyboard is free again."""

    found = Signal(object)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._every: tuple[Entry, ...] = ()
        self._matches: tuple[Entry, ...] = ()
        self._line, self._count, self._help = QLineEdit(self), QLabel(self), QLabel(HELP, self)
        self._list = ChoiceList("What was found", _ROWS, self)
        self._arrange()
        self.hide()

    @property
    def matches(self) -> tuple[Entry, ...]:
        """What was found."""
        return self._matches

    @property
    def help_text(self) -> str:
        """What can be typed, or what is wrong with what was."""
        return self._help.text()

    @property
    def line(self) -> QLineEdit:
        """Where one types."""
        return self._line

    @property
    def count_text(self) -> str:
        """How many there are, in words."""
        return self._count.text()

    def set_entries(self, every: tuple[Entry, ...]) -> None:
        """Search among these."""
        self._every = every
        if self.isVisible():
            self._search(self._line.text())

    def open(self) -> None:
        """Show it and take the keyboard."""
        self.show()
        self.raise_()
        self._line.selectAll()
        self._line.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._search(self._line.text())

    def dismiss(self) -> None:
        """Hide it."""
        self.hide()
        self.closed.emit()

    def next(self, by: int = 1) -> None:
        """Show the next find, or the one before, round and round; ask what to find if nothing was asked yet."""
        if not self._matches:
            if not self._line.text().strip():
                self.open()
            return
        shown, row = len(self._list.choices), self._list.row
        self._take((row + by) % shown if row >= 0 else 0 if by > 0 else shown - 1)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keys of the line: arrows walk through the list, Enter shows, Escape closes."""
        if watched is self._line and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._key(event)
        return super().eventFilter(watched, event)

    def _key(self, event: QKeyEvent) -> bool:
        match event.key():
            case Qt.Key.Key_Down:
                self.next(1)
            case Qt.Key.Key_Up:
                self.next(-1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.next(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
            case Qt.Key.Key_Escape:
                self.dismiss()
            case _:
                return False
        return True

    def _search(self, text: str) -> None:
        query, slow = read_query(text), ""
        try:
            self._matches = meant(self._every, query) if text.strip() else ()
        except TooSlowError:
            self._matches, slow = (), SLOW
        listed = self._matches[:_LISTED]
        self._list.set_choices([Choice(entry.name, entry.name, entry.note) for entry in listed])
        self._list.setVisible(bool(listed))
        self._say(slow or query.mistake or (_unknown(text) if not listed else ""))
        self._count.setText(format_count(len(self._matches), "match", "matches") if text.strip() else "")
        self.row.activate()  # the size of the list is known at once, not after the next turn of the event loop
        self.adjustSize()

    def _say(self, mistake: str) -> None:
        """What is wrong with what was typed, else what can be typed."""
        self._help.setText(mistake or HELP)
        self._help.setProperty("tone", "warn" if mistake else "mute")
        self._help.style().unpolish(self._help)
        self._help.style().polish(self._help)
        self._line.setAccessibleDescription(mistake)

    def _take(self, row: int) -> None:
        self._list.set_row(row)
        self._count.setText(f"{row + 1} of {format_count(len(self._matches))}")
        self.found.emit(self._matches[row])

    def _arrange(self) -> None:
        self._line.setPlaceholderText("Find an op, a buffer or a module")
        self._line.setAccessibleName("Find an op, a buffer or a module")
        self._line.setToolTip(_LESSON)
        self._help.setToolTip(_LESSON)
        self._help.setProperty("tone", "mute")
        self._help.setFont(font("micro"))
        self._help.setWordWrap(True)
        self._help.setContentsMargins(px(GRID / 2), 0, 0, 0)
        self._line.textChanged.connect(self._search)
        self._line.installEventFilter(self)
        self._count.setProperty("tone", "mute")
        self._count.setFont(font("label"))
        self._count.setMinimumWidth(px(9 * GRID))
        self._count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._list.picked.connect(self._take)
        self.setFixedWidth(px(_WIDTH))
        column = QVBoxLayout()
        column.setContentsMargins(px(GRID / 2), px(GRID / 2), px(GRID / 2), px(GRID / 2))
        column.setSpacing(px(GRID / 2))
        line = QHBoxLayout()
        line.addWidget(self._line, 1)
        line.addWidget(self._count)
        column.addLayout(line)
        column.addWidget(self._help)
        column.addWidget(self._list)
        self.row.addLayout(column, 1)


def _unknown(text: str) -> str:
    """A sentence about a filter that there is not, '' if all are known."""
    for token in text.split():
        name, colon, _ = token.partition(":")
        if colon and name.isalpha() and name.casefold() not in FILTERS:
            return f"No filter is called {name}: — there are {', '.join(f'{each}:' for each in FILTERS)}."
    return ""
