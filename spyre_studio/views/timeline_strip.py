"""The fill of every core's scratchpad over simulated time, as a strip under the timeline: one row a core.

Owns: drawing the rows by maximum, and which core and moment are under the pointer.  Refuses: the selection and the
moment that is played; it tells what was clicked.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QWidget

from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.scales import LinearScale, Ticks
from spyre_studio.theme import GRID
from spyre_studio.timeline_axis import format_ps
from spyre_studio.timeline_data import TimelineData
from spyre_studio.timeline_detail import edges_of
from spyre_studio.units import format_bytes, format_percent
from spyre_studio.views import timeline_frame as frame
from spyre_studio.views.paint import heat_image
from spyre_studio.views.plot_canvas import Limits, Margins, PlotCanvas

_LEVELS: Final = 255
_HEIGHT: Final = 60  # px
_LOW: Final = 40
_RIGHT: Final = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class TimelineStrip(PlotCanvas):
    """Items are (core, time in ps).  `walked_core` carries the core that an arrow key leads to."""

    walked_core = Signal(int)
    zoom_axes = "x"
    y_up = False
    margins = Margins(left=frame.MARGINS.left, top=4, right=frame.MARGINS.right, bottom=4)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Fill of all cores over simulated time", parent)
        self._data: TimelineData | None = None
        self._core, self._hovered_core, self._moment = 0, -1, -1.0
        self.setFixedHeight(px(_HEIGHT))

    def show_data(self, data: TimelineData) -> None:
        """Another run.  Full colour is the most that any core holds at any time."""
        self.forget_pointer()
        self._data, self._moment = data, -1.0
        least = min(1_000, data.total_ps)
        self.set_limits(Limits(0, data.total_ps, least), Limits(0, data.trace.cores, data.trace.cores))
        self.invalidate()

    def set_low(self, low: bool) -> None:
        """Take less height, where there is little."""
        self.setFixedHeight(px(_LOW if low else _HEIGHT))

    def show_core(self, core: int) -> None:
        """Frame a core."""
        if core != self._core:
            self._core = core
            self.invalidate()

    def show_hover(self, core: int) -> None:
        """Frame the core that is pointed at in any view, -1 for none."""
        if core != self._hovered_core:
            self._hovered_core = core
            self.update()

    def show_moment(self, time_ps: float) -> None:
        """The moment that is played, -1 for none."""
        self._moment = time_ps
        self.update()

    def link(self, axis: LinearScale) -> None:
        """Show the same span of time as another picture."""
        self.show_x(axis.lo, axis.hi)

    def wheel_zooms_at(self, pos: QPointF) -> bool:
        """Everywhere: all cores are in view."""
        return True

    def zoom_by(self, factor: float, at: QPointF) -> None:
        """Time alone, wherever the pointer is."""
        inside = self.plot_rect()
        across = min(max(at.x(), inside.left()), inside.right())
        super().zoom_by(factor, QPointF(across, inside.center().y()))

    def item_at(self, pos: QPointF) -> Hashable | None:
        """Core and time under the pointer."""
        data, inside = self._data, self.plot_rect()
        if data is None or not inside.contains(pos):
            return None
        core = min(int(self.y_axis.to_value(pos.y())), data.trace.cores - 1)
        return core, min(max(round(self.x_axis.to_value(pos.x())), 0), data.total_ps)

    def tooltip_for(self, item: Hashable) -> str:
        """How full it is."""
        data = self._data
        if data is None or not isinstance(item, tuple):
            return ""
        core, time_ps = item
        used = data.fill.cores[core].at(time_ps)
        share = format_percent(used / max(data.trace.lx_bytes, 1))
        return f"<b>core {core} at {format_ps(time_ps)}</b><br>{format_bytes(used)} in LX, {share} of its budget"

    def step(self, dx: int, dy: int) -> bool:
        """Up and down choose the core; left and right scroll."""
        if dy == 0 or self._data is None:
            return False
        self.walked_core.emit(min(max(self._core + dy, 0), self._data.trace.cores - 1))
        return True

    # Painting

    def x_ticks(self) -> Ticks:
        """They stand over the lanes."""
        return Ticks((), (), "")

    def y_ticks(self) -> Ticks:
        """One name stands for all rows."""
        return Ticks((), (), "")

    def paint_plot(self, painter: QPainter, rect: QRectF) -> None:
        """One image; a column of pixels is the maximum of its time."""
        data = self._data
        if data is None:
            return
        columns = max(1, min(int(rect.width()), 8192))
        most = data.fill.reduce(edges_of(self.x_axis.lo, self.x_axis.hi, columns))
        levels = (most * _LEVELS // max(data.fill.most, 1)).astype(np.uint8)
        painter.drawImage(rect, heat_image(levels, active_theme().fill))
        row = rect.height() / data.trace.cores
        if data.trace.cores > 1:
            painter.setPen(QPen(qcolor(active_theme().text), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            top = rect.top() + self._core * row
            painter.drawRect(QRectF(rect.left() - 2, top - 0.5, rect.width() + 4, max(row, 2)))

    def paint_frame(self, painter: QPainter, rect: QRectF) -> None:
        """What it is, left of the rows, and what full colour stands for."""
        if self._data is None:
            return
        theme, metrics = active_theme(), QFontMetricsF(font("label"))
        line = metrics.height()
        room = QRectF(0, rect.top(), rect.left() - px(GRID), line)
        painter.setFont(font("label"))
        painter.setPen(qcolor(theme.text))
        painter.drawText(room, _RIGHT, "LX of all cores")
        painter.setFont(font("micro"))
        painter.setPen(qcolor(theme.mute))
        painter.drawText(room.translated(0, line), _RIGHT, f"0 … {format_bytes(self._data.fill.most)}")
        if rect.height() < 2 * line + px(9):
            return
        ramp = heat_image(np.arange(256, dtype=np.uint8)[None], theme.fill)
        painter.drawImage(QRectF(room.right() - px(64), rect.top() + 2 * line + px(3), px(64), px(6)), ramp)

    def paint_overlay(self, painter: QPainter, rect: QRectF) -> None:
        """The core that is pointed at, and the moment that is played."""
        inside, x = self.plot_rect(), self.x_axis.to_px(self._moment)
        if self._data is not None and 0 <= self._hovered_core < self._data.trace.cores:
            row = inside.height() / self._data.trace.cores
            painter.setPen(QPen(qcolor(active_theme().accent), 1.5))
            top = inside.top() + self._hovered_core * row
            painter.drawRect(QRectF(inside.left() - 2, top - 0.5, inside.width() + 4, max(row, 2)))
        if self._moment >= 0 and inside.left() <= x <= inside.right():
            painter.setPen(QPen(qcolor(active_theme().accent), 1.5))
            painter.drawLine(QPointF(x, inside.top()), QPointF(x, inside.bottom()))
