"""A small dialog to find one thing by typing a part of its name: the command palette, and Go to.

Owns: the line and the keys. Refuses: what the things are and what happens with the one that is picked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from spyre_studio.choice_list import Choice, ChoiceList
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.theme import GRID
from spyre_studio.units import format_count

_LISTED = 500
_ROWS = 12
_STEPS = {
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_PageDown: _ROWS - 1,
    Qt.Key.Key_PageUp: 1 - _ROWS,
}


class Picker(QDialog):
    """`picked` carries the key of the choice; the dialog closes itself."""

    picked = Signal(str)

    def __init__(
        self,
        title: str,
        hint: str,
        choices: Callable[[str], Sequence[Choice]],
        parent: QWidget | None = None,
        prefixes: str = "",
    ) -> None:
        """`choices` gives those that match a text, the best first; `prefixes` says which letters narrow them."""
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self._choices = choices
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.line, self.list, self.count = QLineEdit(), ChoiceList("Matches", _ROWS), QLabel()
        self._arrange(hint, prefixes)
        self._search("")

    def open_over(self, window: QWidget) -> None:
        """Show it at the top middle of the window."""
        self.setFixedWidth(min(px(72 * GRID), window.width() - px(4 * GRID)))
        self.adjustSize()
        at = window.mapToGlobal(window.rect().topLeft())
        self.move(at.x() + (window.width() - self.width()) // 2, at.y() + px(8 * GRID))
        self.show()
        self.line.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrows and Enter of the line belong to the list."""
        if watched is self.line and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._key(Qt.Key(event.key()))
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """A line around it: there is no window frame, and what lies below has the same ground."""
        painter, theme = QPainter(self), active_theme()
        painter.fillRect(self.rect(), qcolor(theme.panel))
        painter.setPen(qcolor(theme.mute))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _key(self, key: Qt.Key) -> bool:
        if key in _STEPS:
            last = len(self.list.choices) - 1
            self.list.set_row(min(max(self.list.row + _STEPS[key], 0), last))
            self._tell()
        elif key in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self._pick(self.list.row)
        else:
            return False
        return True

    def _pick(self, row: int) -> None:
        if row >= 0 and self.list.choices[row].enabled:
            key = self.list.choices[row].key
            self.close()
            self.picked.emit(key)

    def _search(self, text: str) -> None:
        found = self._choices(text)
        listed = found[:_LISTED]
        self.list.set_choices(listed, next((row for row, choice in enumerate(listed) if choice.enabled), -1))
        self.count.setText(format_count(len(found), "match", "matches") if found else "Nothing has this in its name")
        self._tell()
        self.adjustSize()

    def _tell(self) -> None:
        """The keyboard stays in the line, so the line says to a screen reader which row it stands for."""
        row, choices = self.list.row, self.list.choices
        choice = choices[row] if 0 <= row < len(choices) else None
        told = f"{choice.text}, {choice.note}" if choice and choice.note else choice.text if choice else ""
        self.line.setAccessibleDescription(f"{told}, {row + 1} of {len(choices)}" if told else self.count.text())

    def _arrange(self, hint: str, prefixes: str) -> None:
        self.line.setPlaceholderText(hint)
        self.line.setAccessibleName(hint)
        self.line.textChanged.connect(self._search)
        self.line.installEventFilter(self)
        self.list.picked.connect(self._pick)
        self.count.setProperty("tone", "mute")
        self.count.setFont(font("label"))
        below = QHBoxLayout()
        below.addWidget(self.count, 1)
        if prefixes:
            below.addWidget(self._prefixes(prefixes))
        column = QVBoxLayout(self)
        column.setContentsMargins(px(GRID), px(GRID), px(GRID), px(GRID))
        column.setSpacing(px(GRID))
        for widget in (self.line, self.list):
            column.addWidget(widget)
        column.addLayout(below)

    def _prefixes(self, words: str) -> QLabel:
        """At the foot, where they are seen once and then known."""
        label = QLabel(words)
        label.setProperty("tone", "mute")
        label.setFont(font("label"))
        label.setToolTip("A letter and a space before the name narrow the list.")
        self.line.setToolTip(f"Narrow the list by a letter and a space before the name: {words}")
        return label
