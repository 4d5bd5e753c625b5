"""A curve the size of a word: how the objective fell while solving, and how the bound that it cannot pass rose.

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
    """Values from left to right at equal distances, or at `times`; `bounds` are a dashed curve."""

    def __init__(self, name: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values: tuple[float, ...] = ()
        self._times: tuple[float, ...] = ()
        self._bounds: tuple[float | None, ...] = ()
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_values(
        self, values: Sequence[float], bounds: Sequence[float | None] = (), times: Sequence[float] = ()
    ) -> None:
        """Show these values; `bounds` are those known at each, None for none. Raises ValueError if there are times or
        bounds but not one per value."""
        for others, what in ((times, "times"), (bounds, "bounds")):
            if others and len(others) != len(values):
                raise ValueError(f"{len(values)} values need as many {what}, not {len(others)}")
        places = tuple(times) if times else tuple(float(index) for index in range(len(values)))
        known = tuple(bounds) or (None,) * len(values)
        kept = [one for one in zip(places, values, known, strict=True) if isfinite(one[1])]
        self._times, self._values = tuple(one[0] for one in kept), tuple(one[1] for one in kept)
        self._bounds = tuple(one[2] if one[2] is not None and isfinite(one[2]) else None for one in kept)
        self.update()

    def sizeHint(self) -> QSize:
        """About ten letters."""
        return QSize(px(10 * GRID), px(2.5 * GRID))

    def points(self) -> list[QPointF]:
        """The curve in pixels; the last value is drawn out to the right edge."""
        return self._drawn(self._values)

    def bound_points(self) -> list[QPointF]:
        """The bound in pixels, from where it is known first to the right edge."""
        return self._drawn(self._bounds)

    def _drawn(self, values: Sequence[float | None]) -> list[QPointF]:
        known = [(time, value) for time, value in zip(self._times, values, strict=True) if value is not None]
        if not known:
            return []
        low, high = self._range()
        first, span = self._times[0], (self._times[-1] - self._times[0]) or 1.0
        width, height = self.width() - 2.0, self.height() - 4.0
        made = [
            QPointF(1 + width * (time - first) / span, 2 + height * (high - value) / (high - low))
            for time, value in known
        ]
        return [*made, QPointF(1 + width, made[-1].y())]

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Bound and curve."""
        painter, theme = QPainter(self), active_theme()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(qcolor(theme.mute), 1)
        pen.setDashPattern([3.0, 2.0])
        painter.setPen(pen)
        painter.drawPolyline(QPolygonF(self.bound_points()))
        painter.setPen(QPen(qcolor(theme.accent), 1.5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawPolyline(QPolygonF(self.points()))
        painter.end()

    def _range(self) -> tuple[float, float]:
        every = [*self._values, *(bound for bound in self._bounds if bound is not None)]
        low, high = min(every), max(every)
        return (low, high) if high > low else (low - 1, high + 1)
