"""A line of a list on the start page: a name, a few quiet words below it, and a note at its right edge.

Owns: look and size. Refuses: what happens when it is pressed.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.theme import GRID, RADIUS, Tone

WIDTH = 50 * GRID
"""px; of a list in which no words are cut off."""


class RowButton(QAbstractButton):
    """A name and a few quiet words below it; `note` stands at the right in the colour of `tone`."""

    def __init__(self, name: str, words: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(name)
        self._words, self._note = words, ""
        self._tone: Tone = "mute"
        # Of a long path both ends matter, of a sentence the beginning.
        self._elide = Qt.TextElideMode.ElideMiddle if "/" in words else Qt.TextElideMode.ElideRight
        self.setAccessibleName(f"{name}: {words}")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def words(self) -> str:
        """The quiet words."""
        return self._words

    @property
    def note(self) -> str:
        """The words at the right edge."""
        return self._note

    def set_note(self, note: str, tone: Tone = "mute", spoken: str = "") -> None:
        """Words at the right edge; `spoken` is what a screen reader says of them."""
        self._note, self._tone = note, tone
        self.setAccessibleName(": ".join(filter(None, (self.text(), self._words))) + f", {spoken or note}")
        self.update()

    def sizeHint(self) -> QSize:
        """Two lines of text with room around."""
        lines = QFontMetricsF(font("body", bold=True)).height() + QFontMetricsF(font("label")).height()
        return QSize(px(WIDTH), round(lines) + 2 * px(GRID))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Ground on hover, ring on focus, two lines elided to the width."""
        theme, painter = active_theme(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(qcolor(theme.accent), 1) if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(qcolor(theme.selection if self.isDown() else theme.raised))
        if self.underMouse() or self.hasFocus() or self.isDown():
            painter.drawRoundedRect(rect, RADIUS, RADIUS)
        inner = rect.adjusted(px(1.5 * GRID), px(GRID) - 1, -px(1.5 * GRID), -px(GRID))
        above = inner.adjusted(0, 0, -self._paint_note(painter, inner), 0)
        for face, colour, text, room, at in (
            (font("body", bold=True), theme.text, self.text(), above, Qt.AlignmentFlag.AlignTop),
            (font("label"), theme.mute, self._words, inner, Qt.AlignmentFlag.AlignBottom),
        ):
            painter.setFont(face)
            painter.setPen(qcolor(colour))
            shown = QFontMetricsF(face).elidedText(text, self._elide, room.width())
            painter.drawText(room, at | Qt.AlignmentFlag.AlignLeft, shown)
        painter.end()

    def _paint_note(self, painter: QPainter, inner: QRectF) -> float:
        """The note in the first line; returns the room that it takes in px."""
        if not self._note:
            return 0.0
        face = font("label")
        painter.setFont(face)
        painter.setPen(qcolor(active_theme().tone_text(self._tone)))
        painter.drawText(inner, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight, self._note)
        return QFontMetricsF(face).horizontalAdvance(self._note) + px(GRID)
