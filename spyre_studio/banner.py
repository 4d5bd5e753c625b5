"""A strip over the window or a panel that says one thing in one sentence: what went wrong, or what to know.

Owns: the sentence, details on demand, one action and the way to dismiss it. Refuses: deciding what is worth a banner.
"""

import re
from typing import Final, Literal

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QToolButton, QVBoxLayout, QWidget

from spyre_studio.lights import draw_mark
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.theme import GRID, PAD, Tone
from spyre_studio.widgets import button

BannerKind = Literal["error", "warn", "info"]

_LONG: Final = re.compile(r"\S{100}(?=\S)")
"""So much of a word is written before it may go on in the next line; paths are shorter, and stay as they are."""
_TONES: dict[BannerKind, Tone] = {"error": "bad", "warn": "warn", "info": "accent"}


class Banner(QWidget):
    """Hidden until `say`. `dismissed` and `acted` tell what the user did; Escape dismisses."""

    dismissed = Signal()
    acted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kind: BannerKind = "info"
        self._said = ""
        self._sentence = QLabel(self)
        self._action = button("", "secondary")
        self._more = button("Details", "quiet")
        self._close = QToolButton(self)
        self._details = QPlainTextEdit(self)
        self._arrange()
        self.hide()

    def say(self, kind: BannerKind, sentence: str, details: str = "", action: str = "") -> None:
        """Show one sentence; details open on demand, `action` labels a button ('' for none)."""
        self._kind, self._said = kind, sentence
        self._sentence.setText(_LONG.sub("\\g<0>\u200b", sentence))
        self._details.setPlainText(details)
        self._details.hide()
        self._more.setVisible(bool(details))
        self._action.setText(action)
        self._action.setVisible(bool(action))
        self.setAccessibleName(f"{kind}: {sentence}")
        self.show()
        self.update()

    def dismiss(self) -> None:
        """Hide it and tell so."""
        self.hide()
        self.dismissed.emit()

    @property
    def kind(self) -> BannerKind:
        """What kind of message is shown."""
        return self._kind

    @property
    def sentence(self) -> str:
        """The sentence."""
        return self._said

    @property
    def details(self) -> QPlainTextEdit:
        """The text that 'Details' opens."""
        return self._details

    @property
    def more(self) -> QWidget:
        """The button that opens the details."""
        return self._more

    @property
    def action(self) -> QWidget:
        """The button for the action."""
        return self._action

    @property
    def close_button(self) -> QWidget:
        """The button that dismisses."""
        return self._close

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape dismisses."""
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """A quiet tint, a line below, and the mark of the kind."""
        theme, tone = active_theme(), _TONES[self._kind]
        painter = QPainter(self)
        painter.fillRect(self.rect(), qcolor(theme.tint(theme.tone(tone), 0.12)))
        painter.fillRect(QRectF(0, self.height() - 1, self.width(), 1), qcolor(theme.line))
        middle = self._sentence.geometry().center().y() + 0.5
        draw_mark(painter, QPointF(px(PAD) + px(4), middle), tone, px(8))
        painter.end()

    def _arrange(self) -> None:
        self._sentence.setWordWrap(True)
        self._sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._details.setReadOnly(True)
        self._details.setFont(font("label", mono=True))
        self._details.setMaximumHeight(px(20 * GRID))
        self._close.setText("✕")
        self._close.setToolTip("Dismiss (Esc)")
        self._close.setAccessibleName("Dismiss")
        self._close.clicked.connect(self.dismiss)
        self._more.clicked.connect(lambda: self._details.setVisible(self._details.isHidden()))
        self._action.clicked.connect(self.acted)
        row = QHBoxLayout()
        row.setSpacing(px(GRID))
        row.addWidget(self._sentence, 1)
        for widget in (self._more, self._action, self._close):
            row.addWidget(widget, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(px(PAD) + px(2 * GRID), px(GRID / 2), px(GRID), px(GRID / 2))
        column.setSpacing(px(GRID / 2))
        column.addLayout(row)
        column.addWidget(self._details)
