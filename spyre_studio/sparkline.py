"""A curve the size of a word: how the objective fell while solving, with the bound it cannot pass.

Owns: the drawing. Refuses: axes (a sparkline has none) and numbers; they stand beside it.
"""

from collections.abc import Sequence
from math import isfinite

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from spyre_studio.qt_theme import active_theme, px, qcolor
from spyre_studio.theme import GRID


class Sparkline(QWidget):
    """Values from left to right at equal distances, or at `times`; `bound` is a dashed line."""

    def __init__(self, name: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values: tuple[float, ...] = ()
        self._times: tuple[float, ...] = ()
        self._bound: float | None = None
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_values(self, values: Sequence[float], bound: float | None = None, times: Sequence[float] = ()) -> None:
        """Show these values. Raises ValueError if there are times but not one per value."""
        if times and len(times) != len(values):
            raise ValueError(f"{len(values)} values need as many times, not {len(times)}")
        places = tuple(times) if times else tuple(float(index) for index in range(len(values)))
        kept = [(time, value) for time, value in zip(places, values, strict=True) if isfinite(value)]
        self._times, self._values = tuple(time for time, _ in kept), tuple(value for _, value in kept)
        self._bound = bound if bound is not None and isfinite(bound) else None
        self.update()

    def sizeHint(self) -> QSize:
        """About ten letters."""
        return QSize(px(10 * GRID), px(2.5 * GRID))

    def points(self) -> list[QPointF]:
        """The curve in pixels; the last value is drawn out to the right edge."""
        if not self._values:
            return []
        low, high = self._range()
        first, span = self._times[0], (self._times[-1] - self._times[0]) or 1.0
        width, height = self.width() - 2.0, self.height() - 4.0
        made = [
            QPointF(1 + width * (time - first) / span, 2 + height * (high - value) / (high - low))
            for time, value in zip(self._times, self._values, strict=True)
        ]
        return [*made, QPointF(1 + width, made[-1].y())]

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Bound and curve."""
        painter, theme = QPainter(self), active_theme()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._bound is not None and self._values:
            low, high = self._range()
            y = 2 + (self.height() - 4.0) * (high - self._bound) / (high - low)
            pen = QPen(qcolor(theme.mute), 1)
            pen.setDashPattern([3.0, 2.0])
            painter.setPen(pen)
            painter.drawLine(QPointF(1, y), QPointF(self.width() - 1.0, y))
        painter.setPen(QPen(qcolor(theme.accent), 1.5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawPolyline(QPolygonF(self.points()))
        painter.end()

    def _range(self) -> tuple[float, float]:
        every = [*self._values] + ([] if self._bound is None else [self._bound])
        low, high = min(every), max(every)
        return (low, high) if high > low else (low - 1, high + 1)
