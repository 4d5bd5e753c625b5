"""The legend of core shading: a word, then the colours from the first to the last core between their numbers.

Owns: the drawing. Refuses: the colours; they are those of the picture it explains.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.theme import GRID

_RAMP: Final = 64  # px


class CoreRamp(QWidget):
    """'held by core 0 ▒▒▒▒ 31'.  `hovered` carries the core whose colour is under the pointer, -1 for none."""

    hovered = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._low, self._high = "", ""
        self._colours: tuple[str, ...] = ()
        self._core: int | None = None
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_ramp(self, low: str, high: str, colours: Sequence[str]) -> None:
        """Other words and colours; without colours there is only the word."""
        self._low, self._high, self._colours, self._core = low, high, tuple(colours), None
        self.setAccessibleName(f"Legend: {low} to {high}" if high else f"Legend: {low}")
        self.update()

    def show_core(self, core: int | None) -> None:
        """Point at the colour of a core, None for none."""
        if core != self._core:
            self._core = core
            self.update()

    def sizeHint(self) -> QSize:
        """A line of text high."""
        return QSize(px(12 * GRID), px(2 * GRID))

    def core_at(self, x: float) -> int:
        """The core whose colour is at a place, -1 for none."""
        place = (x - self._left()) / px(_RAMP) if self._colours else -1.0
        return int(place * len(self._colours)) if 0 <= place < 1 else -1

    def _left(self) -> float:
        """Where the colours begin."""
        return QFontMetricsF(font("label")).horizontalAdvance(self._low) + px(GRID)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell whose colour is under the pointer."""
        self.hovered.emit(self.core_at(event.position().x()))

    def leaveEvent(self, event: QEvent) -> None:
        """Nobody's."""
        super().leaveEvent(event)
        self.hovered.emit(-1)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Word, ramp, number."""
        painter, face = QPainter(self), font("label")
        middle = self.height() / 2
        painter.setFont(face)
        painter.setPen(qcolor(active_theme().mute))
        side = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(self.rect(), side, self._low)
        left = self._left()
        for place, colour in enumerate(self._colours):
            start, end = (left + px(_RAMP) * (place + ahead) / len(self._colours) for ahead in (0, 1))
            painter.fillRect(QRectF(start, middle - px(4), end - start + 0.5, px(8)), qcolor(colour))
        if self._core is not None and self._core < len(self._colours):
            step = px(_RAMP) / len(self._colours)
            painter.setPen(QPen(qcolor(active_theme().text), 1.5))
            painter.drawRect(QRectF(left + step * self._core - 1, middle - px(5), step + 2, px(10)))
            painter.setPen(qcolor(active_theme().mute))
        if self._colours:
            right = QRectF(left + px(_RAMP) + px(GRID), 0, self.width(), self.height())
            painter.drawText(right, side, self._high)
        painter.end()
