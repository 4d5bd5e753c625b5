"""Long gestures of the mouse as small objects: each begins, moves, and either finishes or is cancelled.

Owns: panning and the rubber band (box zoom, box selection). Refuses: what a box means; its maker says so.
Views add their own (dragging a split handle) by returning an object with these methods from `Canvas.begin_drag`.
"""

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from spyre_studio.qt_theme import active_theme, qcolor


class Gesture(Protocol):
    """A drag from press to release. `cancel` must leave everything as it was before the press."""

    cursor: Qt.CursorShape

    def move(self, pos: QPointF) -> None:
        """The pointer is at `pos` (widget pixels)."""

    def finish(self, pos: QPointF) -> None:
        """The button was released at `pos`."""

    def cancel(self) -> None:
        """Escape was pressed."""

    def paint(self, painter: QPainter) -> None:
        """Draw what belongs to the gesture over the picture."""


class PanGesture:
    """The picture follows the pointer."""

    cursor = Qt.CursorShape.ClosedHandCursor

    def __init__(self, start: QPointF, pan: Callable[[float, float], None]) -> None:
        self._start, self._last, self._pan = start, start, pan

    def move(self, pos: QPointF) -> None:
        """Move the picture by the way since the last move."""
        self._pan(pos.x() - self._last.x(), pos.y() - self._last.y())
        self._last = pos

    def finish(self, pos: QPointF) -> None:
        """The last bit of the way."""
        self.move(pos)

    def cancel(self) -> None:
        """Back to where the drag began."""
        self.move(self._start)

    def paint(self, painter: QPainter) -> None:
        """Nothing to draw."""


class BandGesture:
    """A rectangle drawn from corner to corner; `done` gets it (normalised, pixels) unless it is under 4 px."""

    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, start: QPointF, done: Callable[[QRectF], None]) -> None:
        self._start, self._end, self._done = start, start, done

    def move(self, pos: QPointF) -> None:
        """The other corner moves."""
        self._end = pos

    def finish(self, pos: QPointF) -> None:
        """Hand the rectangle over."""
        self._end = pos
        rect = self._rect()
        if rect.width() >= 4 and rect.height() >= 4:
            self._done(rect)

    def cancel(self) -> None:
        """Nothing happened yet, nothing to take back."""

    def paint(self, painter: QPainter) -> None:
        """The band itself."""
        accent = active_theme().accent
        painter.setPen(QPen(qcolor(accent), 1))
        painter.setBrush(qcolor(accent, 0.12))
        painter.drawRect(self._rect())

    def _rect(self) -> QRectF:
        return QRectF(self._start, self._end).normalized()
