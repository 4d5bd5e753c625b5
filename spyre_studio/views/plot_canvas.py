"""A canvas with two axes: scratchpad map, occupancy, timeline, cost charts.

Owns: the two scales, their limits, margins, ticks, grid and labels. Refuses: what is plotted. A subclass calls
`set_limits` after its data changed and implements `paint_plot`, in pixels through `self.x_axis` and `self.y_axis`.
"""

from dataclasses import dataclass
from typing import Final, Literal

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from spyre_studio.number_text import draw_number
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.scales import LinearScale, Ticks, number_ticks, step_ticks, thin
from spyre_studio.theme import GRID
from spyre_studio.views.canvas import Canvas

Axes = Literal["x", "y", "xy"]

_TICK_X: Final = 88  # px between ticks, about
_TICK_Y: Final = 48


@dataclass(frozen=True, slots=True)
class Margins:
    """Room for labels around the plot, in pixels of the reference screen."""

    left: int = 56
    top: int = 28
    right: int = 16
    bottom: int = 32


@dataclass(frozen=True, slots=True)
class Limits:
    """Ends of an axis and the least span that one may zoom to, in values."""

    lo: float
    hi: float
    min_span: float


class PlotCanvas(Canvas):
    """Two linear axes over the whole widget minus margins. Over a label margin the wheel zooms that axis only."""

    zoom_axes: Axes = "xy"  # what Ctrl+wheel over the plot zooms
    y_up = True  # small values at the bottom; a timeline turns it round
    margins = Margins()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._x_limits = Limits(0, 1, 1e-3)
        self._y_limits = Limits(0, 1, 1e-3)
        self._x = LinearScale(0, 1, 0, 1)
        self._y = LinearScale(0, 1, 1, 0)
        self._place()

    # What a subclass may implement

    def paint_plot(self, painter: QPainter, rect: QRectF) -> None:
        """Draw the data inside the plot (the painter is clipped to it)."""

    def paint_frame(self, painter: QPainter, rect: QRectF) -> None:
        """Draw headings and legends around the plot, after it."""

    def x_ticks(self) -> Ticks:
        """Ticks of the horizontal axis: whole steps unless a subclass says otherwise."""
        return step_ticks(self._x, max(2, int(self.plot_rect().width() / px(_TICK_X))))

    def y_ticks(self) -> Ticks:
        """Ticks of the vertical axis: plain numbers unless a subclass says otherwise."""
        return number_ticks(self._y, max(2, int(self.plot_rect().height() / px(_TICK_Y))))

    def selection_ranges(self) -> tuple[float, float, float, float] | None:
        """The extent (x_lo, x_hi, y_lo, y_hi) of the selection in values, None without one."""
        return None

    # What callers use

    @property
    def x_axis(self) -> LinearScale:
        """The horizontal axis."""
        return self._x

    @property
    def y_axis(self) -> LinearScale:
        """The vertical axis."""
        return self._y

    def plot_rect(self) -> QRectF:
        """The rectangle inside the axes, in pixels; at least 8 x 8."""
        room = self.margins
        left, top = px(room.left), px(room.top)
        return QRectF(
            left, top, max(8, self.width() - left - px(room.right)), max(8, self.height() - top - px(room.bottom))
        )

    def set_limits(self, x: Limits, y: Limits) -> None:
        """The data has another extent: an axis that showed everything still does, another keeps its place."""
        self._x = _adapted(self._x, self._x_limits, x)
        self._y = _adapted(self._y, self._y_limits, y)
        self._x_limits, self._y_limits = x, y
        self.moved()

    def show_x(self, lo: float, hi: float) -> None:
        """Show these values on the horizontal axis (linked views); no signal if they are shown already."""
        self._set(self._x.with_domain(lo, hi), self._y)

    def show_y(self, lo: float, hi: float) -> None:
        """Show these values on the vertical axis."""
        self._set(self._x, self._y.with_domain(lo, hi))

    def to_rect(self, x_lo: float, y_lo: float, x_hi: float, y_hi: float) -> QRectF:
        """A rectangle of values in pixels."""
        left, right = self._x.to_px(x_lo), self._x.to_px(x_hi)
        return QRectF(QPointF(left, self._y.to_px(y_lo)), QPointF(right, self._y.to_px(y_hi))).normalized()

    def badge_top(self) -> float:
        """Inside the plot, where no heading is."""
        return self.plot_rect().top() + px(GRID)

    # Navigation

    def pan_by(self, dx: float, dy: float) -> None:
        """Move the content, as far as there is more of it."""
        self._set(self._x.panned(dx), self._y.panned(dy))

    def zoom_by(self, factor: float, at: QPointF) -> None:
        """Magnify the axes that the place stands for."""
        axes, rect = self._axes_at(at), self.plot_rect()
        across = min(max(at.x(), rect.left()), rect.right())
        down = min(max(at.y(), rect.top()), rect.bottom())
        x = self._x.zoomed(factor, across) if "x" in axes else self._x
        y = self._y.zoomed(factor, down) if "y" in axes else self._y
        self._set(x, y)

    def zoom_to(self, rect: QRectF) -> None:
        """Fill the plot with the rectangle, in the axes that zoom."""
        x_ends = sorted((self._x.to_value(rect.left()), self._x.to_value(rect.right())))
        y_ends = sorted((self._y.to_value(rect.top()), self._y.to_value(rect.bottom())))
        x = self._x.with_domain(*x_ends) if "x" in self.zoom_axes else self._x
        y = self._y.with_domain(*y_ends) if "y" in self.zoom_axes else self._y
        self._set(x, y)

    def zoom_reset(self) -> None:
        """A plot has no 100 %: everything."""
        self.fit_all()

    def fit_all(self) -> None:
        """Both axes from end to end."""
        self._set(
            self._x.with_domain(self._x_limits.lo, self._x_limits.hi),
            self._y.with_domain(self._y_limits.lo, self._y_limits.hi),
        )

    def focus_selection(self, fit: bool) -> None:
        """Centre the selection, or fill the plot with it and a margin of its own size."""
        ranges = self.selection_ranges()
        if ranges is None:
            return
        x_lo, x_hi, y_lo, y_hi = ranges
        x_span = 3 * (x_hi - x_lo) if fit else self._x.span
        y_span = 3 * (y_hi - y_lo) if fit else self._y.span
        x_mid, y_mid = (x_lo + x_hi) / 2, (y_lo + y_hi) / 2
        x = self._x.with_domain(x_mid - x_span / 2, x_mid + x_span / 2) if x_span > 0 else self._x
        y = self._y.with_domain(y_mid - y_span / 2, y_mid + y_span / 2) if y_span > 0 else self._y
        self._set(x, y)

    def _set(self, x: LinearScale, y: LinearScale) -> None:
        x = x.clamped(self._x_limits.lo, self._x_limits.hi, self._x_limits.min_span)
        y = y.clamped(self._y_limits.lo, self._y_limits.hi, self._y_limits.min_span)
        if (x, y) != (self._x, self._y):
            self._x, self._y = x, y
            self.moved()

    def _axes_at(self, at: QPointF) -> Axes:
        rect = self.plot_rect()
        if at.x() < rect.left():
            return "y"
        if at.y() > rect.bottom():
            return "x"
        return self.zoom_axes

    def _place(self) -> None:
        rect = self.plot_rect()
        self._x = self._x.with_range(rect.left(), rect.right())
        ends = (rect.bottom(), rect.top()) if self.y_up else (rect.top(), rect.bottom())
        self._y = self._y.with_range(*ends)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The same values on more or fewer pixels."""
        self._place()
        super().resizeEvent(event)

    def theme_changed(self) -> None:
        """The font, and with it the margins, may have another size."""
        self._place()

    # Painting

    def paint_content(self, painter: QPainter, rect: QRectF) -> None:
        """Grid, data, labels, frame."""
        inside = self.plot_rect()
        self.paint_grid(painter)
        painter.save()
        painter.setClipRect(inside)
        self.paint_plot(painter, inside)
        painter.restore()
        self.paint_labels(painter)
        painter.save()
        self.paint_frame(painter, inside)
        painter.restore()

    def paint_grid(self, painter: QPainter) -> None:
        """Horizontal lines at the ticks of the vertical axis, nothing else: the data is the picture."""
        inside = self.plot_rect()
        painter.setPen(QPen(qcolor(active_theme().line), 1))
        for value in self.y_ticks().values:
            height = round(self._y.to_px(value)) + 0.5
            painter.drawLine(QPointF(inside.left(), height), QPointF(inside.right(), height))

    def paint_labels(self, painter: QPainter) -> None:
        """Numbers at the ticks, the unit once at the end of the vertical axis."""
        inside, face = self.plot_rect(), font("micro", mono=True)
        metrics = QFontMetricsF(face)
        painter.setFont(face)
        painter.setPen(qcolor(active_theme().mute))
        y_ticks, x_ticks = self.y_ticks(), self.x_ticks()
        line = metrics.height()
        room = QRectF(0, 0, inside.left() - px(GRID), line)
        for value, label in zip(y_ticks.values, y_ticks.labels, strict=True):
            draw_number(painter, room.translated(0, self._y.to_px(value) - line / 2), label)
        positions = [float(self._x.to_px(value)) for value in x_ticks.values]
        widest = max((metrics.horizontalAdvance(label) for label in x_ticks.labels), default=0.0)
        for index in thin(positions, widest + px(GRID)):
            width = metrics.horizontalAdvance(x_ticks.labels[index])
            left = min(max(positions[index] - width / 2, 0.0), self.width() - width)
            painter.drawText(QPointF(left, inside.bottom() + px(GRID / 2) + metrics.ascent()), x_ticks.labels[index])
        self._paint_units(painter, inside, y_ticks.unit, x_ticks.unit)

    def _paint_units(self, painter: QPainter, inside: QRectF, y_unit: str, x_unit: str) -> None:
        painter.setFont(font("micro"))
        line = QFontMetricsF(font("micro")).height()
        if y_unit:
            above = QRectF(0, inside.top() - 1.5 * line - 1, inside.left() - px(GRID), line)
            painter.drawText(above, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, y_unit)
        if x_unit:
            below = QRectF(inside.right() - px(120), inside.bottom() + px(GRID / 2) + line, px(120), line)
            painter.drawText(below, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, x_unit)


def _adapted(axis: LinearScale, old: Limits, new: Limits) -> LinearScale:
    if axis.lo <= old.lo and axis.hi >= old.hi:
        return axis.with_domain(new.lo, new.hi)
    return axis.clamped(new.lo, new.hi, new.min_span)
