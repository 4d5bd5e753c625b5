"""The map of one core's scratchpad: addresses upwards, steps to the right, a box per buffer.

Owns: drawing the boxes, what is under the pointer, and moving by keys. Refuses: the selection (it tells what was
clicked) and the numbers, which come from an `Occupancy`.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from html import escape
from typing import Final, Literal

import numpy as np
from frozendict import frozendict
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from spyre_studio.colour import mix
from spyre_studio.detail import Floats, Ints, clipped, hit
from spyre_studio.occupancy import KINDS, Occupancy, Resident
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.scales import Ticks, byte_ticks, step_ticks
from spyre_studio.theme import GRID, RADIUS_SMALL
from spyre_studio.units import format_address, format_bytes, format_count, format_hex
from spyre_studio.views.paint import Labels, RectBatch, hatch
from spyre_studio.views.plot_canvas import Limits, Margins, PlotCanvas
from spyre_studio.views.plot_words import clear_of, paint_heading, paint_tag, shifted

_BODY: Final = 0.62  # of the kind's colour in a box that is not selected
_LEAST: Final = 3.0  # px; a box is seen however small
_ROUNDED: Final = 400  # boxes; with more of them in view corners are not rounded
_USED: Final = 0.25  # of the budget: a plan that uses less is shown enlarged at first


@dataclass(frozen=True, slots=True)
class Spot:
    """What is under the pointer: a resident by its row, or a step by its number."""

    kind: Literal["box", "step"]
    number: int


class LxMap(PlotCanvas):
    """Shows one core. `walked` carries the Spot that an arrow key leads to."""

    walked = Signal(object)
    margins = Margins(left=56, top=48, right=16, bottom=36)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Scratchpad of one core, address by step", parent)
        self._data: Occupancy | None = None
        self._titles: frozendict[str, str] = frozendict()
        self._core, self._box, self._step = 0, -1, -1
        self._rows = np.zeros(0, np.intp)
        self._boxes: Floats = np.zeros((0, 4))
        self._takeovers = np.zeros(0, np.intp)
        self._batch = RectBatch()
        self._labels = Labels(font("label"))
        self.setMinimumSize(px(160), px(120))

    # Data

    def show_data(self, data: Occupancy, titles: frozendict[str, str]) -> None:
        """Another plan; `titles` are short names of buffers."""
        self._data, self._titles = data, titles
        self._core = min(self._core, data.cores - 1)
        self._box, self._step = -1, -1
        pairs = (child for parent, child in data.chains() if _meet(data, parent, child))
        self._takeovers = np.array(list(pairs), np.intp)
        top = max(data.budget * 1.08, data.highest() * 1.02)
        self.set_limits(Limits(0, max(len(data.steps), 1), 2), Limits(0, top, 16 * data.stick_bytes))
        self.show_core(self._core)

    def show_core(self, core: int) -> None:
        """Look at another core."""
        self._core = core
        if self._data is not None:
            self._rows = self._data.on_core(core)
            self._boxes = _halved(self._data, self._rows)
        self.invalidate()

    def show_marks(self, box: int, step: int) -> None:
        """Outline a resident (its row, -1 for none) and a step (-1 for none)."""
        if (box, step) != (self._box, self._step):
            self._box, self._step = box, step
            self.invalidate()

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
            return _box_hint(data, data.residents[item.number])
        used, hole = data.fill[self._core, item.number], data.largest_hole(self._core, item.number)
        lines = (
            f"<b>step {item.number} · {escape(data.steps[item.number])}</b>",
            f"{format_bytes(int(used))} in use on core {self._core}",
            f"largest hole {format_bytes(hole.size)} at {format_hex(hole.start)}",
        )
        return "<br>".join(lines)

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
        self._labels = Labels(font("label"))

    def paint_plot(self, painter: QPainter, rect: QRectF) -> None:
        """Reserve, boxes with their names, take-overs."""
        data = self._data
        if data is None:
            return
        self._paint_reserve(painter, rect, data)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        index, cut = clipped(self._pixels(), rect.left(), rect.top(), rect.right(), rect.bottom())
        self._paint_boxes(painter, data, index, cut)
        self._paint_takeovers(painter, data)
        self._paint_names(painter, data, index, cut, rect)

    def _paint_reserve(self, painter: QPainter, rect: QRectF, data: Occupancy) -> None:
        theme = active_theme()
        if not self.shows_budget:
            return
        line = self.y_axis.to_px(float(data.budget))
        painter.fillRect(
            QRectF(rect.left(), rect.top(), rect.width(), line - rect.top()),
            hatch(theme.line, None, self.devicePixelRatioF()),
        )
        pen = QPen(qcolor(theme.bad), 1.5)
        pen.setDashPattern([4, 2])
        painter.setPen(pen)
        painter.drawLine(QPointF(rect.left(), line), QPointF(rect.right(), line))
        painter.setFont(font("micro"))
        painter.setPen(qcolor(theme.bad_text))
        text = f"budget {format_count(data.budget)} B"
        metrics = QFontMetricsF(font("micro"))
        width = metrics.horizontalAdvance(text) + px(GRID)
        box = QRectF(rect.right() - width, line + 2, width, metrics.height())
        painter.fillRect(box, qcolor(theme.bg))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_boxes(self, painter: QPainter, data: Occupancy, index: Ints, cut: Floats) -> None:
        theme = active_theme()
        brushes = [qcolor(mix(theme.bg, theme.kind(kind), _BODY)) for kind in KINDS]
        codes = data.kinds[self._rows[index]]
        painter.setPen(Qt.PenStyle.NoPen)
        if len(index) > _ROUNDED:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            self._batch.draw_by_code(painter, cut, codes, brushes)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        else:
            for (x0, y0, x1, y1), code in zip(cut.tolist(), codes.tolist(), strict=True):
                painter.setBrush(brushes[code])
                painter.drawRoundedRect(QRectF(x0, y0, x1 - x0, y1 - y0), RADIUS_SMALL, RADIUS_SMALL)
        for row in np.flatnonzero(self._rows[index] == self._box).tolist():
            x0, y0, x1, y1 = cut[row].tolist()
            painter.setBrush(qcolor(theme.kind(KINDS[codes[row]])))
            painter.setPen(QPen(qcolor(theme.text), 2))
            painter.drawRoundedRect(QRectF(x0, y0, x1 - x0, y1 - y0), RADIUS_SMALL, RADIUS_SMALL)

    def _paint_takeovers(self, painter: QPainter, data: Occupancy) -> None:
        """A chevron where a buffer takes over the place of another, if the boxes are large enough to hold one."""
        half, children = px(3), self._takeovers[data.present[self._takeovers, self._core]]
        rects = data.rects[children]
        x = self.x_axis.to_px(rects[:, 0] + 0.5)
        top, bottom = self.y_axis.to_px(rects[:, 3]), self.y_axis.to_px(rects[:, 1])
        inside = self.plot_rect()
        shown = (x >= inside.left()) & (x <= inside.right()) & (bottom - top >= 2 * half)
        if self.x_axis.pixels_per_value < 1.5 * half:
            return
        painter.setPen(QPen(qcolor(active_theme().text), 1.4))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for at, middle in zip(x[shown].tolist(), ((top + bottom) / 2)[shown].tolist(), strict=True):
            left, right = at - half * 0.7, at + half * 0.7
            points = [QPointF(left, middle - half), QPointF(right, middle), QPointF(left, middle + half)]
            painter.drawPolyline(QPolygonF(points))

    def _paint_names(self, painter: QPainter, data: Occupancy, index: Ints, cut: Floats, rect: QRectF) -> None:
        theme, least = active_theme(), self._labels.height
        lefts = np.maximum(cut[:, 0], rect.left()) + px(6)
        fits = np.flatnonzero((cut[:, 3] - cut[:, 1] >= least + 2) & (cut[:, 2] - lefts >= px(24)))
        for place in fits.tolist():
            _, y0, x1, y1 = cut[place].tolist()
            left, row = float(lefts[place]), int(self._rows[index[place]])
            kind = theme.kind(KINDS[data.kinds[row]])
            ground = kind if row == self._box else mix(theme.bg, kind, _BODY)
            painter.setPen(qcolor(theme.text_on(ground)))
            top = max(y0, rect.top()) + min(px(4), (y1 - y0 - least) / 2)
            name = data.residents[row].name
            self._labels.draw(painter, left, top, self._titles.get(name, name), x1 - left - px(4))

    def paint_overlay(self, painter: QPainter, rect: QRectF) -> None:
        """The selected step, and the outline of what is under the pointer."""
        theme, inside = active_theme(), self.plot_rect()
        hover = self.hover_item
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
        rects = self._boxes
        x0, x1 = self.x_axis.to_px(rects[:, 0]) + 0.5, self.x_axis.to_px(rects[:, 2]) - 0.5
        y0, y1 = self.y_axis.to_px(rects[:, 3]) + 0.5, self.y_axis.to_px(rects[:, 1]) - 0.5
        x1, y0 = np.maximum(x1, x0 + _LEAST), np.minimum(y0, y1 - _LEAST)
        return np.stack([x0, y0, x1, y1], axis=1)


def _halved(data: Occupancy, rows: Ints) -> Floats:
    """The rectangles to draw: in the step of a take-over the first half is the parent's, the second the child's."""
    rects = data.rects.copy()
    for parent, child in data.chains():
        if _meet(data, parent, child):
            rects[parent, 2] = rects[child, 0] = data.rects[child, 0] + 0.5
    return rects[rows]


def _meet(data: Occupancy, parent: int, child: int) -> bool:
    """True if the child is written in the last step of its parent."""
    return data.residents[parent].last == data.residents[child].first


def _box_hint(data: Occupancy, one: Resident) -> str:
    end = one.address + one.size - 1
    lines = [
        f"<b>{escape(one.name)}</b>",
        f"LX {escape(format_address(one.address, data.stick_bytes))} to {format_hex(end)}",
        f"{format_count(one.size)} B on each of {format_count(one.cores, 'core')}",
        f"steps {one.first} to {one.last}",
    ]
    if one.in_place_of:
        lines.append(f"in place of {escape(one.in_place_of)}")
    if one.producer:
        lines.append(f"made by {escape(one.producer)}")
    if one.consumers:
        more = f" and {len(one.consumers) - 6} more" if len(one.consumers) > 6 else ""
        lines.append("read by " + escape(", ".join(one.consumers[:6])) + more)
    return "<br>".join(lines)
