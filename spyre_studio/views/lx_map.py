"""The map of one core's scratchpad: addresses upwards, steps to the right, a box per buffer.

Owns: which boxes are in view, what is under the pointer, moving by keys, and showing where a buffer that is carried
would fit. Refuses: the selection (it tells what was clicked), pins, and the numbers, which come from an `Occupancy`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from frozendict import frozendict
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from spyre_studio.detail import Floats, clipped, hit
from spyre_studio.lx_room import Fit, StepRoom
from spyre_studio.occupancy import Hole, Occupancy
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.scales import Ticks, byte_ticks, step_ticks
from spyre_studio.theme import GRID, RADIUS_SMALL
from spyre_studio.units import format_bytes
from spyre_studio.views.gestures import Gesture
from spyre_studio.views.lx_kernels import paint_kernels
from spyre_studio.views.lx_paint import BoxPainter, Crowd, paint_reserve
from spyre_studio.views.lx_words import box_hint, step_hint
from spyre_studio.views.paint import hatch
from spyre_studio.views.plot_canvas import Limits, Margins, PlotCanvas
from spyre_studio.views.plot_words import clear_of, paint_heading, paint_tag, shifted

_LEAST: Final = 3.0  # px; a box is seen however small
_USED: Final = 0.25  # of the budget: a plan that uses less is shown enlarged at first


@dataclass(frozen=True, slots=True)
class Spot:
    """What is under the pointer: a resident by its row, or a step by its number."""

    kind: Literal["box", "step"]
    number: int


@dataclass(frozen=True, slots=True)
class Offer:
    """A buffer that is carried over the map: where it would fit, and where the pointer is (pixels)."""

    fit: Fit
    welcome: bool
    at: QPointF


class LxMap(PlotCanvas):
    """Shows one core. `walked` carries the Spot that an arrow key leads to, `sent_out` the row of the box that Delete
    was pressed on."""

    walked = Signal(object)
    sent_out = Signal(int)
    margins = Margins(left=56, top=44, right=16, bottom=32)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Scratchpad of one core, address by step", parent)
        self._data: Occupancy | None = None
        self._room: StepRoom | None = None
        self._titles: frozendict[str, str] = frozendict()
        self._core, self._box, self._step = 0, -1, -1
        self._rows = np.zeros(0, np.intp)
        self._halved: Floats = np.zeros((0, 4))
        self._followed: frozenset[int] = frozenset()
        self._takeovers = np.zeros(0, np.intp)
        self._offer: Offer | None = None
        self._boxes = BoxPainter()
        self.lift: Callable[[int, QPointF], Gesture | None] = lambda _row, _start: None
        """What a drag that begins on a box does; by default it moves the picture."""
        self.setMinimumSize(px(160), px(120))

    # Data

    def show_data(self, data: Occupancy, titles: frozendict[str, str]) -> None:
        """Another plan; `titles` are short names of buffers."""
        self.forget_pointer()
        self._data, self._titles, self._room = data, titles, None
        self._core = min(self._core, data.cores - 1)
        self._box, self._step = -1, -1
        self._followed, self._offer = frozenset(), None
        meeting = [pair for pair in data.chains() if _meet(data, *pair)]
        self._takeovers = np.array([child for _, child in meeting], np.intp)
        self._halved = _halved(data, meeting)
        top = max(data.budget * 1.08, data.highest() * 1.02)
        self.set_limits(Limits(0, max(len(data.steps), 1), 2), Limits(0, top, 16 * data.stick_bytes))
        self.show_core(self._core)

    def show_core(self, core: int) -> None:
        """Look at another core."""
        self._core = core
        self._room = None
        if self._data is not None:
            self._rows = self._data.on_core(core)
        self.invalidate()

    def show_room(self, room: StepRoom) -> None:
        """What is free on this core, for tooltips."""
        self._room = room

    def show_marks(self, box: int, step: int) -> None:
        """Outline a resident (its row, -1 for none) and a step (-1 for none)."""
        if (box, step) != (self._box, self._step):
            self._box, self._step = box, step
            self.invalidate()

    def show_followed(self, rows: Collection[int]) -> None:
        """Residents (rows) that are followed: all others step back. None of them: nothing steps back."""
        if frozenset(rows) != self._followed:
            self._followed = frozenset(rows)
            self.invalidate()

    def show_offer(self, offer: Offer | None) -> None:
        """A buffer is carried: show where it would fit, or who is in the way; None when that is over."""
        self._offer = offer
        self.update()

    @property
    def painter_counts(self) -> tuple[int, int, int, int]:
        """Rectangles, calls, names and images of the last picture."""
        counts = self._boxes.counts
        return counts.rects, counts.calls, counts.names, counts.images

    def show_range(self, whole: bool) -> None:
        """All addresses up to the budget, or those in use."""
        data = self._data
        if data is None:
            return
        used = data.highest() * 1.12
        top = data.budget * 1.08 if whole or not used else used
        self.show_y(0, max(top, data.highest() * 1.02))

    @property
    def shows_budget(self) -> bool:
        """True if the budget line is in view."""
        return self._data is not None and self.y_axis.hi > self._data.budget

    def badge_top(self) -> float:
        """Under the words of the budget line where that is in view."""
        top = super().badge_top()
        if self._data is None or not self.shows_budget:
            return top
        line = self.y_axis.to_px(float(self._data.budget))
        return max(top, line + QFontMetricsF(font("micro")).height() + px(GRID))

    @property
    def starts_whole(self) -> bool:
        """True if a plan uses so much that nothing needs to be enlarged."""
        return self._data is None or self._data.highest() > _USED * self._data.budget

    # Asking

    def item_at(self, pos: QPointF) -> Hashable | None:
        """A box, else the step under the pointer."""
        data, inside = self._data, self.plot_rect()
        if data is None or not inside.left() <= pos.x() <= inside.right() or pos.y() < inside.top():
            return None
        if pos.y() <= inside.bottom():
            found = hit(self._pixels(), pos.x(), pos.y(), 1)
            if found >= 0:
                return Spot("box", int(self._rows[found]))
        step = int(self.x_axis.to_value(pos.x()))
        return Spot("step", step) if 0 <= step < len(data.steps) else None

    def current_item(self) -> Hashable | None:
        """The selected box."""
        return Spot("box", self._box) if self._box >= 0 else None

    def tooltip_for(self, item: Hashable) -> str:
        """Where, how large, how long, whose, for whom."""
        data = self._data
        if data is None or not isinstance(item, Spot):
            return ""
        if item.kind == "box":
            return box_hint(data, data.residents[item.number])
        return step_hint(data, self._core, item.number, self._room)

    def selection_ranges(self) -> tuple[float, float, float, float] | None:
        """The selected box."""
        if self._data is None or self._box < 0:
            return None
        x0, y0, x1, y1 = self._data.rects[self._box].tolist()
        return x0, x1, y0, y1

    def step(self, dx: int, dy: int) -> bool:
        """Left and right walk over steps; up and down over the boxes alive at the selected one."""
        data = self._data
        if data is None or not data.steps:
            return False
        if dx:
            wanted = 0 if self._step < 0 else self._step + dx
            self.walked.emit(Spot("step", min(max(wanted, 0), len(data.steps) - 1)))
            return True
        rects = data.rects[self._rows]
        alive = (rects[:, 0] <= self._step) & (self._step < rects[:, 2])
        order = sorted(self._rows[alive].tolist(), key=lambda row: data.rects[row, 1])
        if not order:
            return True
        place = order.index(self._box) - dy if self._box in order else (0 if dy < 0 else len(order) - 1)
        self.walked.emit(Spot("box", order[min(max(place, 0), len(order) - 1)]))
        return True

    def begin_drag(self, item: Hashable, start: QPointF) -> Gesture | None:
        """A box is carried; from elsewhere the picture is moved."""
        return self.lift(item.number, start) if isinstance(item, Spot) and item.kind == "box" else None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete sends the selected box out of the scratchpad."""
        if event.key() == Qt.Key.Key_Delete and self._box >= 0:
            self.sent_out.emit(self._box)
        else:
            super().keyPressEvent(event)

    # Painting

    def x_ticks(self) -> Ticks:
        """Step numbers in the middle of their steps."""
        limit = len(self._data.steps) if self._data else 0
        ticks = shifted(step_ticks(self.x_axis, max(2, int(self.plot_rect().width() / px(56)))), limit)
        return clear_of(ticks, self.x_axis, self._step + 0.5, px(5 * GRID)) if self._step >= 0 else ticks

    def y_ticks(self) -> Ticks:
        """Round addresses."""
        return byte_ticks(self.y_axis, max(2, int(self.plot_rect().height() / px(36))))

    def theme_changed(self) -> None:
        """Fonts are measured anew."""
        super().theme_changed()
        self._boxes.theme_changed()

    def paint_plot(self, painter: QPainter, rect: QRectF) -> None:
        """Reserve, boxes with their names, take-overs."""
        data = self._data
        if data is None:
            return
        if self.shows_budget:
            paint_reserve(painter, rect, data, self.y_axis.to_px(float(data.budget)), self.devicePixelRatioF())
        paint_kernels(painter, rect, self.x_axis, data.kernels)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        index, cut = clipped(self._pixels(), rect.left(), rect.top(), rect.right(), rect.bottom())
        rows = self._rows[index]
        dimmed = ~np.isin(rows, list(self._followed)) if self._followed else np.zeros(len(rows), np.bool_)
        crowd = Crowd(rows, cut, dimmed)
        self._boxes.boxes(painter, data, crowd, rect, self._box)
        self._paint_takeovers(painter, data)
        self._boxes.names(painter, data, crowd, rect, self._box, self._titles)

    def _paint_takeovers(self, painter: QPainter, data: Occupancy) -> None:
        """Where a buffer takes over the place of another, if the boxes are large enough to hold a chevron."""
        half, children = px(3), self._takeovers[data.present[self._takeovers, self._core]]
        if self.x_axis.pixels_per_value < 1.5 * half or self._followed:
            return
        rects = data.rects[children]
        x = self.x_axis.to_px(rects[:, 0] + 0.5)
        top, bottom = self.y_axis.to_px(rects[:, 3]), self.y_axis.to_px(rects[:, 1])
        inside = self.plot_rect()
        shown = (x >= inside.left()) & (x <= inside.right()) & (bottom - top >= 2 * half)
        self._boxes.takeovers(painter, x[shown], ((top + bottom) / 2)[shown])

    def paint_overlay(self, painter: QPainter, rect: QRectF) -> None:
        """The selected step, and the outline of what is under the pointer."""
        theme, inside = active_theme(), self.plot_rect()
        hover = self.hover_item
        if self._offer is not None and self._data is not None:
            self._paint_offer(painter, self._offer, self._data, inside)
        if isinstance(hover, Spot) and hover.kind == "box" and self._data is not None:
            self._outline(painter, hover.number, inside)
        if self._step < 0 or not self.x_axis.lo <= self._step + 0.5 <= self.x_axis.hi:
            return
        x = self.x_axis.to_px(self._step + 0.5)
        painter.setPen(QPen(qcolor(theme.accent), 1.5))
        painter.drawLine(QPointF(x, inside.top()), QPointF(x, inside.bottom()))
        paint_tag(painter, QPointF(x, inside.bottom()), f"step {self._step}", self.width())

    def _outline(self, painter: QPainter, row: int, inside: QRectF) -> None:
        where = np.flatnonzero(self._rows == row)
        if not len(where):
            return
        x0, y0, x1, y1 = self._pixels()[where[0]].tolist()
        painter.setClipRect(inside)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(qcolor(active_theme().text), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(x0, y0, x1 - x0, y1 - y0), RADIUS_SMALL, RADIUS_SMALL)
        painter.setClipping(False)

    def _paint_offer(self, painter: QPainter, offer: Offer, data: Occupancy, inside: QRectF) -> None:
        """Holes that are free all through the life of what is carried, and the place nearest to the pointer."""
        theme, fit = active_theme(), offer.fit
        painter.setClipRect(inside)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for hole in fit.holes:
            fits = hole.size >= fit.need
            painter.setPen(QPen(qcolor(theme.ok if fits else theme.bad), 1))
            painter.setBrush(qcolor(theme.ok, 0.14) if fits else hatch(theme.bad, None, self.devicePixelRatioF()))
            painter.drawRect(self._span(fit, hole).adjusted(0.5, 0.5, -0.5, -0.5))
        place = fit.nearest(self.y_axis.to_value(offer.at.y())) if offer.welcome else None
        if place is not None:
            painter.setPen(QPen(qcolor(theme.accent), 2))
            painter.setBrush(qcolor(theme.accent, 0.35))
            painter.drawRoundedRect(self._span(fit, place), RADIUS_SMALL, RADIUS_SMALL)
        elif fit.lacking:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(qcolor(theme.bad), 2))
            for one in fit.blockers:
                row = data.resident_map[one.name]
                painter.drawRoundedRect(self.to_rect(*data.rects[row].tolist()), RADIUS_SMALL, RADIUS_SMALL)
        painter.setClipping(False)

    def _span(self, fit: Fit, hole: Hole) -> QRectF:
        """A range of addresses through the life of what is carried, at least a few pixels high."""
        found = self.to_rect(fit.first, hole.start, fit.last + 1, hole.start + hole.size)
        return found if found.height() >= _LEAST else QRectF(found.left(), found.bottom() - 3, found.width(), _LEAST)

    def paint_frame(self, painter: QPainter, rect: QRectF) -> None:
        """What is shown, and how full it is."""
        data = self._data
        if data is None:
            return
        paint_heading(painter, rect, f"Core {self._core} · address × step", self.caption())

    def caption(self) -> str:
        """Peak and largest hole of this core, at the selected step or else where it is fullest."""
        data = self._data
        if data is None or not data.steps:
            return ""
        peak, at = data.peak(self._core)
        hole = data.largest_hole(self._core, self._step if self._step >= 0 else at)
        return f"peak {format_bytes(peak)} of {format_bytes(data.budget)} · largest hole {format_bytes(hole.size)}"

    def _pixels(self) -> Floats:
        """Boxes in pixels, a hair apart, none too small to see."""
        rects = self._halved[self._rows]
        x0, x1 = self.x_axis.to_px(rects[:, 0]) + 0.5, self.x_axis.to_px(rects[:, 2]) - 0.5
        y0, y1 = self.y_axis.to_px(rects[:, 3]) + 0.5, self.y_axis.to_px(rects[:, 1]) - 0.5
        x1, y0 = np.maximum(x1, x0 + _LEAST), np.minimum(y0, y1 - _LEAST)
        return np.stack([x0, y0, x1, y1], axis=1)


def _halved(data: Occupancy, meeting: list[tuple[int, int]]) -> Floats:
    """The rectangles to draw: in the step of a take-over the first half is the parent's, the second the child's."""
    rects = data.rects.copy()
    for parent, child in meeting:
        rects[parent, 2] = rects[child, 0] = data.rects[child, 0] + 0.5
    return rects


def _meet(data: Occupancy, parent: int, child: int) -> bool:
    """True if the child is written in the last step of its parent."""
    return data.residents[parent].last == data.residents[child].first
