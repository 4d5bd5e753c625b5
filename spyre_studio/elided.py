"""A label of one line that shortens its words in the middle instead of making its panel wider.

Owns: the shortening; the whole text is the tooltip and what a screen reader says. Refuses: wrapping.
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget


class ElidedLabel(QLabel):
    """Takes the width it is given."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._short = ""
        self.say(text)

    def say(self, text: str, short: str = "") -> None:
        """Other words; `short` says the same where they do not fit, before anything is left out."""
        self._short = short
        self.setText(text)
        self.setToolTip(text)
        self.setAccessibleName(text)

    @property
    def shown(self) -> str:
        """What can be read at the width that it has."""
        metrics, room = self.fontMetrics(), self.width()
        fits = not self._short or metrics.horizontalAdvance(self.text()) <= room
        return metrics.elidedText(self.text() if fits else self._short, Qt.TextElideMode.ElideMiddle, room)

    def minimumSizeHint(self) -> QSize:
        """One line, any width."""
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The words, shortened to the width."""
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self.shown)
        painter.end()
