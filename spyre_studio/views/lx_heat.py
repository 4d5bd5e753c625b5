"""The fill of every core's scratchpad over the steps, as a heat map: one row a core.

Owns: drawing the rows (by maximum, so that no short peak is lost) and which core is under the pointer. Refuses: the
selection; it tells which core was clicked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from html import escape
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QWidget

from spyre_studio.detail import MaxPyramid
from spyre_studio.occupancy import Occupancy
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.scales import Ticks, step_ticks
from spyre_studio.theme import GRID
from spyre_studio.units import format_bytes, format_percent
from spyre_studio.views.lx_kernels import paint_kernels
from spyre_studio.views.paint import heat_image
from spyre_studio.views.plot_canvas import Limits, Margins, PlotCanvas
from spyre_studio.views.plot_words import clear_of, paint_heading, paint_tag, shifted

_LEVELS: Final = 255
_RAMP: Final = 48  # px
_VEIL: Final = 0.72  # of the ground, over what is not followed


def runs_of(held: NDArray[np.bool_]) -> tuple[tuple[int, int], ...]:
    """Runs of cores that hold something, as (first, end).

    >>> runs_of(np.array([True, True, False, True]))
    ((0, 2), (3, 4))
    """
    edges = np.flatnonzero(np.diff(held.astype(np.int8), prepend=0, append=0)).tolist()
    return tuple(zip(edges[::2], edges[1::2], strict=True))


class LxHeat(PlotCanvas):
    """Rows are cores, columns steps. Items are (core, step). `walked` carries the core an arrow key leads to."""

    walked = Signal(int)
    y_up = False
    zoom_axes = "x"
    margins = Margins(left=32, top=44, right=16, bottom=32)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Fill of all cores over the steps", parent)
        self._data: Occupancy | None = None
        self._levels: MaxPyramid | None = None
        self._most = 0
        self._core, self._step = 0, -1
        self._pointed: int | None = None
        self._followed: tuple[int, ...] = ()
        self.describe: Callable[[int], str] | None = None
        """What a core holds of what is followed, for tooltips."""
        self.setMinimumSize(px(120), px(120))

    def show_data(self, data: Occupancy) -> None:
        """Another plan. Full colour is the most that any core holds at any step."""
        self.forget_pointer()
        self._data, self._followed = data, ()
        self._most = int(data.fill.max()) if data.fill.size else 0
        levels = data.fill * _LEVELS // max(self._most, 1)
        self._levels = MaxPyramid.of(levels.astype(np.uint8))
        self.set_limits(Limits(0, max(len(data.steps), 1), 2), Limits(0, data.cores, data.cores))

    def show_marks(self, core: int, step: int) -> None:
        """Frame a core, and a step (-1 for none)."""
        self._core, self._step = core, step
        self.invalidate()

    def show_pointed(self, core: int | None) -> None:
        """Outline a core at which the pointer is, here or in another view."""
        if core != self._pointed:
            self._pointed = core
            self.update()

    def show_followed(self, rows: Collection[int]) -> None:
        """Residents (rows) that are followed: everything beside their cores and steps steps back."""
        if tuple(rows) != self._followed:
            self._followed = tuple(rows)
            self.invalidate()

    def item_at(self, pos: QPointF) -> Hashable | None:
        """Core and step under the pointer."""
        data, inside = self._data, self.plot_rect()
        if data is None or not inside.contains(pos) or not data.steps:
            return None
        core, step = int(self.y_axis.to_value(pos.y())), int(self.x_axis.to_value(pos.x()))
        return min(core, data.cores - 1), min(step, len(data.steps) - 1)

    def tooltip_for(self, item: Hashable) -> str:
        """How full it is."""
        data = self._data
        if data is None or not isinstance(item, tuple):
            return ""
        core, step = item
        used = int(data.fill[core, step])
        share = format_percent(used / data.budget)
        part = escape(self.describe(core)) if self.describe is not None else ""
        lines = (
            f"<b>core {core} · step {step}</b>",
            escape(data.steps[step]),
            f"{format_bytes(used)}, {share} of budget",
        )
        return "<br>".join((*lines, part) if part else lines)

    def step(self, dx: int, dy: int) -> bool:
        """Up and down choose the core; left and right scroll."""
        if dy == 0 or self._data is None:
            return False
        self.walked.emit(min(max(self._core + dy, 0), self._data.cores - 1))
        return True

    def x_ticks(self) -> Ticks:
        """Step numbers in the middle of their steps."""
        limit = len(self._data.steps) if self._data else 0
        ticks = shifted(step_ticks(self.x_axis, max(2, int(self.plot_rect().width() / px(72)))), limit)
        return clear_of(ticks, self.x_axis, self._step + 0.5, px(3 * GRID)) if self._step >= 0 else ticks

    def y_ticks(self) -> Ticks:
        """Core numbers in the middle of their rows; the selected one stands in the overlay."""
        limit = self._data.cores if self._data else 0
        return shifted(step_ticks(self.y_axis, max(1, int(self.plot_rect().height() / px(28)))), limit)

    def paint_grid(self, painter: QPainter) -> None:
        """The picture fills the plot."""

    def paint_plot(self, painter: QPainter, rect: QRectF) -> None:
        """One image; a column of pixels is the maximum of its steps."""
        if self._levels is None:
            return
        columns = max(1, min(int(rect.width()), 8192))
        values = self._levels.reduce(self.x_axis.lo, self.x_axis.hi, columns)
        image = heat_image(values.astype(np.uint8), active_theme().fill)
        painter.drawImage(rect, image)
        if self._followed and self._data is not None:
            self._paint_followed(painter, rect, image, self._data)

    def _paint_followed(self, painter: QPainter, rect: QRectF, image: QImage, data: Occupancy) -> None:
        """A veil over all but the cores and steps of what is followed."""
        theme, parts = active_theme(), QPainterPath()
        for row in self._followed:
            first, end = float(data.rects[row, 0]), float(data.rects[row, 2])
            for low, high in runs_of(data.present[row]):
                parts.addRect(self.to_rect(first, low, end, high))
        painter.fillRect(rect, qcolor(theme.bg, _VEIL))
        painter.save()
        painter.setClipPath(parts, Qt.ClipOperation.IntersectClip)
        painter.drawImage(rect, image)
        painter.restore()
        painter.setPen(QPen(qcolor(theme.text), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(parts.simplified())

    def paint_frame(self, painter: QPainter, rect: QRectF) -> None:
        """Heading, and what full colour means."""
        if self._data is None:
            return
        title = "All cores · fill over steps"
        paint_heading(painter, rect, title, "")
        left = QFontMetricsF(font("body", bold=True)).horizontalAdvance(title) + px(2 * GRID)
        self._paint_ramp(painter, QRectF(rect.left() + left, px(GRID), rect.width() - left, px(2.5 * GRID)))

    def _paint_ramp(self, painter: QPainter, room: QRectF) -> None:
        face, theme = font("micro"), active_theme()
        metrics = QFontMetricsF(face)
        low, high = "0", format_bytes(self._most)
        gap = px(GRID * 0.75)
        width = metrics.horizontalAdvance(low + high) + 2 * gap + px(_RAMP)
        if width > room.width():
            return
        painter.setFont(face)
        painter.setPen(qcolor(theme.mute))
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(room, Qt.AlignmentFlag.AlignRight | middle, high)
        left = room.right() - width
        painter.drawText(QRectF(left, room.top(), width, room.height()), Qt.AlignmentFlag.AlignLeft | middle, low)
        ramp = heat_image(np.arange(256, dtype=np.uint8)[None], theme.fill)
        where = QRectF(left + metrics.horizontalAdvance(low) + gap, room.center().y() - px(4), px(_RAMP), px(8))
        painter.drawImage(where, ramp)

    def paint_overlay(self, painter: QPainter, rect: QRectF) -> None:
        """A frame around the selected core, a line at the selected step."""
        if self._data is None:
            return
        theme, inside = active_theme(), self.plot_rect()
        paint_kernels(painter, inside, self.x_axis, self._data.kernels, named=False)
        if self._step >= 0 and self.x_axis.lo <= self._step + 0.5 <= self.x_axis.hi:
            x = self.x_axis.to_px(self._step + 0.5)
            painter.setPen(QPen(qcolor(theme.accent), 1.5))
            painter.drawLine(QPointF(x, inside.top()), QPointF(x, inside.bottom()))
        if self._pointed is not None and self._pointed < self._data.cores:
            pointed = self.to_rect(self.x_axis.lo, self._pointed, self.x_axis.hi, self._pointed + 1)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(qcolor(theme.accent), 1.5))
            painter.drawRect(pointed.adjusted(0.5, 0.5, -0.5, -0.5))
        row = self.to_rect(self.x_axis.lo, self._core, self.x_axis.hi, self._core + 1)
        if row.height() < 6:
            row = QRectF(row.left(), row.center().y() - 3, row.width(), 6)
        painter.setPen(QPen(qcolor(theme.bg), 3))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(row)
        painter.setPen(QPen(qcolor(theme.text), 1.5))
        painter.drawRect(row)
        self._paint_core(painter, row)
        if self._step >= 0:
            paint_tag(
                painter, QPointF(self.x_axis.to_px(self._step + 0.5), inside.bottom()), str(self._step), self.width()
            )

    def _paint_core(self, painter: QPainter, row: QRectF) -> None:
        """The number of the selected core, over the labels of the axis."""
        theme, metrics = active_theme(), QFontMetricsF(font("micro", mono=True))
        room = QRectF(0, row.center().y() - metrics.height() / 2, row.left() - px(4), metrics.height())
        painter.fillRect(room.adjusted(0, -2, 0, 2), qcolor(theme.bg))
        painter.setFont(font("micro", bold=True, mono=True))
        painter.setPen(qcolor(theme.text))
        painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(self._core))
