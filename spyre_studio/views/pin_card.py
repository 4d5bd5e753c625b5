"""A pin as a card: what it is about, what it fixes, and what became of it.

Owns: how a card looks, and telling what the user does with it. Refuses: changing the pin.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from PySide6.QtCore import QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from compiler.pins import PinState, PinStatus
from spyre_studio.elided import ElidedLabel
from spyre_studio.pill import Pill
from spyre_studio.qt_theme import active_theme, font, qcolor
from spyre_studio.theme import RADIUS, Tone
from spyre_studio.widgets import Card, text_label

TONES: Final[Mapping[PinState, Tone]] = {
    PinState.HONOURED: "ok",
    PinState.ADJUSTED: "warn",
    PinState.REFUSED: "bad",
}
OFF, UNSOLVED = "off", "not solved"


class PinCard(Card):
    """One pin; the signals carry its key.  A click or Enter goes there, Delete removes, the menu key asks for more."""

    removed = Signal(str)
    clicked = Signal(str)
    switched = Signal(str)
    menu_requested = Signal(str, QPoint)

    def __init__(
        self,
        key: str,
        words: str,
        status: PinStatus | None,
        off: bool = False,
        short: str = "",
        parent: QWidget | None = None,
    ) -> None:
        """`status` None: the plan on screen was made without this pin; `off`: it is switched off; `short`: what it is
        about where there is no room for its name."""
        super().__init__(parent)
        self.key, self.off = key, off
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        name = ElidedLabel()
        name.say(key.partition(":")[2], short)
        name.setFont(font("body", bold=not off))
        what = text_label(words, "mute")
        what.setMinimumWidth(1)
        what.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)  # a click means the card
        if off:
            name.setProperty("tone", "mute")
        self.pill = Pill(str(status.state), TONES[status.state]) if status else Pill(OFF if off else UNSOLVED, "mute")
        self.remove = QToolButton()
        self.remove.setText("✕")
        self.remove.setToolTip("Remove this pin (undo brings it back)" if not off else "Forget this pin")
        self.remove.setAccessibleName(f"Remove the pin of {name.text()}")
        self.remove.clicked.connect(lambda: self.removed.emit(self.key))
        self.column.setSpacing(0)
        for first, second in ((name, self.remove), (what, self.pill)):
            line = QHBoxLayout()
            line.addWidget(first, 1)
            line.addWidget(second, 0, Qt.AlignmentFlag.AlignVCenter)
            self.column.addLayout(line)
        self.setAccessibleName(f"{name.text()}: {words}, {self.pill.text}")

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click anywhere on the card selects what it speaks of."""
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit(self.key)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter goes there, Delete removes, Space switches off and on."""
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.clicked.emit(self.key)
            case Qt.Key.Key_Delete | Qt.Key.Key_Backspace:
                self.removed.emit(self.key)
            case Qt.Key.Key_Space:
                self.switched.emit(self.key)
            case _:
                super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for a menu."""
        self.menu_requested.emit(self.key, event.globalPos())

    def paintEvent(self, event: QPaintEvent) -> None:
        """A ring for the keyboard."""
        super().paintEvent(event)
        if self.hasFocus():
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(qcolor(active_theme().accent), 1))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
            painter.end()
