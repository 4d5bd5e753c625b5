"""The room of one core over the steps, as a strip on the axis of the map: used bytes, largest hole, fragmentation.

Owns: drawing the three curves (by the worst step of a pixel, so that no short peak is lost), their legend with scales,
and which step is under the pointer. Refuses: the selection, and the numbers, which come from a `StepRoom`.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from spyre_studio.detail import Floats, reduce_max
from spyre_studio.lx_room import StepRoom
from spyre_studio.occupancy import Occupancy
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.scales import Ticks
from spyre_studio.theme import DASHES, GRID
from spyre_studio.units import format_bytes, format_percent
from spyre_studio.views.lx_words import step_hint
from spyre_studio.views.plot_canvas import Limits, Margins, PlotCanvas

HEIGHT: Final = 58  # px
_AREA: Final = 0.45  # of the colour, below the curve of what is used


class LxStrip(PlotCanvas):
    """Items are numbers of steps. `walked` carries the step that an arrow key leads to."""

    walked = Signal(int)
    zoom_axes = "x"
    margins = Margins(left=56, top=20, right=16, bottom=6)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Used bytes, largest hole and fragmentation of one core over the steps", parent)
        self._data: Occupancy | None = None
        self._room: StepRoom | None = None
        self._core, self._step = 0, -1
        self.setFixedHeight(px(HEIGHT))
        self.setMinimumWidth(px(160))

    def show_data(self, data: Occupancy) -> None:
        """Another plan; its room is not known yet."""
        self.forget_pointer()
        self._data, self._room = data, None
        self.set_limits(Limits(0, max(len(data.steps), 1), 2), Limits(0, 1, 1))

    def show_room(self, room: StepRoom | None, core: int) -> None:
        """The room of a core, None while it is counted."""
        self._room, self._core = room, core
        self.invalidate()

    def show_step(self, step: int) -> None:
        """Mark a step, -1 for none."""
        if step != self._step:
            self._step = step
            self.update()

    @property
    def room(self) -> StepRoom | None:
        """What is drawn."""
        return self._room

    def item_at(self, pos: QPointF) -> Hashable | None:
        """The step under the pointer."""
        inside = self.plot_rect()
        if self._data is None or not inside.left() <= pos.x() <= inside.right():
            return None
        step = int(self.x_axis.to_value(pos.x()))
        return step if 0 <= step < len(self._data.steps) else None

    def tooltip_for(self, item: Hashable) -> str:
        """The figures of a step."""
        if self._data is None or not isinstance(item, int):
            return ""
        return step_hint(self._data, self._core, item, self._room)

    def step(self, dx: int, dy: int) -> bool:
        """Left and right walk over steps."""
        if not dx or self._data is None or not self._data.steps:
            return False
        wanted = 0 if self._step < 0 else self._step + dx
        self.walked.emit(min(max(wanted, 0), len(self._data.steps) - 1))
        return True

    def x_ticks(self) -> Ticks:
        """Those of the map above."""
        return Ticks((), (), "")

    def y_ticks(self) -> Ticks:
        """Each curve has its own scale, which the legend names."""
        return Ticks((), (), "")

    def curves(self, columns: int) -> tuple[Floats, Floats, Floats]:
        """Shares (columns,) of what is in view: used of its peak, largest hole of the budget, and fragmentation; each
        the worst of its pixel column."""
        room = self._room
        if room is None or not len(room.used):
            return np.zeros(0), np.zeros(0), np.zeros(0)
        rows = np.stack([room.used / max(int(room.used.max()), 1), 1 - room.largest / room.budget, room.fragmentation])
        worst = reduce_max(rows, self.x_axis.lo, self.x_axis.hi, columns)
        return worst[0], 1 - worst[1], worst[2]

    def paint_plot(self, painter: QPainter, rect: QRectF) -> None:
        """An area and two lines."""
        used, hole, split = self.curves(max(1, min(int(rect.width()), 8192)))
        if not len(used):
            return
        theme = active_theme()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(qcolor(theme.reduction, _AREA))
        ends = [QPointF(rect.right(), rect.bottom()), QPointF(rect.left(), rect.bottom())]
        painter.drawPolygon(QPolygonF([*_points(used, rect), *ends]))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(qcolor(theme.lx), 1.5))
        painter.drawPolyline(QPolygonF(_points(hole, rect)))
        painter.setPen(_dashed(theme.warn))
        painter.drawPolyline(QPolygonF(_points(split, rect)))

    def paint_frame(self, painter: QPainter, rect: QRectF) -> None:
        """A base line, and what the curves are with the value at the top of each."""
        theme = active_theme()
        painter.setPen(QPen(qcolor(theme.line), 1))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        if self._room is None:
            return
        peak = int(self._room.used.max()) if len(self._room.used) else 0
        entries = (
            ("area", f"used ≤ {format_bytes(peak)}"),
            ("line", f"largest hole ≤ {format_bytes(self._room.budget)}"),
            ("dash", "fragmentation ≤ 100 %"),
        )
        face = font("micro")
        metrics, left, middle = QFontMetricsF(face), float(px(GRID)), px(9)
        painter.setFont(face)
        for sample, words in entries:
            width = metrics.horizontalAdvance(words)
            if left + px(18) + width > self.width() - px(4):
                break
            _sample(painter, sample, left, middle)
            painter.setPen(qcolor(theme.mute))
            room = QRectF(left + px(18), 0, width + 2, 2 * middle)
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
            left = room.right() + px(1.5 * GRID)

    def paint_overlay(self, painter: QPainter, rect: QRectF) -> None:
        """The selected step, with its figures where the pointer is elsewhere."""
        inside = self.plot_rect()
        hover = self.hover_item
        for step, colour, width in ((hover, active_theme().mute, 1.0), (self._step, active_theme().accent, 1.5)):
            if isinstance(step, int) and step >= 0 and self.x_axis.lo <= step + 0.5 <= self.x_axis.hi:
                x = self.x_axis.to_px(step + 0.5)
                painter.setPen(QPen(qcolor(colour), width))
                painter.drawLine(QPointF(x, inside.top()), QPointF(x, inside.bottom()))

    def words_at(self, step: int) -> str:
        """'used 24 KiB · largest hole 1.5 MiB · fragmentation 3 %'."""
        room = self._room
        if room is None or not 0 <= step < len(room.used):
            return ""
        split = format_percent(float(room.fragmentation[step]))
        hole = format_bytes(int(room.largest[step]))
        return f"used {format_bytes(int(room.used[step]))} · largest hole {hole} · fragmentation {split}"


def _points(shares: Floats, rect: QRectF) -> list[QPointF]:
    """A curve with a corner at both ends of every run of equal values, so that steps stay steps."""
    edges = np.flatnonzero(np.diff(shares)) + 1
    lefts = np.concatenate([[0], edges])
    rights = np.concatenate([edges, [len(shares)]])
    wide, high = rect.width() / len(shares), rect.height() - 2
    heights = rect.bottom() - 1 - shares[lefts] * high
    ends = zip(lefts.tolist(), rights.tolist(), heights.tolist(), strict=True)
    return [QPointF(rect.left() + x * wide, y) for left, right, y in ends for x in (left, right)]


def _dashed(colour: str) -> QPen:
    pen = QPen(qcolor(colour), 1.5)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    pen.setDashPattern(list(DASHES["move"]))
    return pen


def _sample(painter: QPainter, sample: str, left: float, middle: float) -> None:
    """What a curve looks like."""
    theme = active_theme()
    if sample == "area":
        painter.fillRect(QRectF(left, middle - px(4), px(14), px(8)), qcolor(theme.reduction, _AREA))
        return
    painter.setPen(QPen(qcolor(theme.lx), 1.5) if sample == "line" else _dashed(theme.warn))
    painter.drawLine(QPointF(left, middle), QPointF(left + px(14), middle))
