"""The roofline as a picture: operations per byte across, operations per ns upwards, both in powers of ten.

Owns: drawing roofs and steps (those that fall on the same place as one mark), what is under the pointer, and moving by
keys.  Refuses: the selection (it tells which step was clicked) and the numbers, which come from a `Roofline`.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from html import escape
from math import ceil, floor, inf, isfinite, log10
from typing import Final

import numpy as np
from frozendict import frozendict
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QWidget

from spyre_studio.occupancy import KINDS
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.roofline_model import REDUCTIONS, Roof, Roofline, short_number
from spyre_studio.scales import LinearScale, Ticks
from spyre_studio.theme import GRID
from spyre_studio.units import format_count, format_us
from spyre_studio.views.plot_canvas import Limits, Margins, PlotCanvas
from spyre_studio.views.plot_words import paint_heading

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

_LEAST: Final = 3.5  # px; radius of the quickest step
_MOST: Final = 13.0  # px; radius of the slowest
_SAME: Final = 5  # px; steps closer than this are one mark
_ASIDE: Final = 0.45  # decades; how far right of the rest stand steps without traffic
_PAD: Final = 0.35  # decades around everything
_NAMES: Final = 12  # the slowest steps that are named if there is room
_FAINT: Final = 0.2  # how opaque steps are that are not in view elsewhere
_DECADE_X: Final = 64  # px between ticks, at least
_DECADE_Y: Final = 24


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """Steps drawn as one: their numbers, the slowest first, and the place and radius of the mark in pixels."""

    steps: tuple[int, ...]
    x: float
    y: float
    radius: float
    kind: str


class RooflinePlot(PlotCanvas):
    """Items are numbers of steps. `walked` carries the one that an arrow key leads to."""

    walked = Signal(int)
    margins = Margins(left=56, top=48, right=16, bottom=40)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Roofline: operations per byte by operations per nanosecond", parent)
        self._data: Roofline | None = None
        self._titles: frozendict[int, str] = frozendict()
        self._shown: Ints = np.zeros(0, np.intp)
        self._x_values: Floats = np.zeros(0)
        self._y_values: Floats = np.zeros(0)
        self._edge = inf
        self._step = -1
        self._near: frozenset[int] | None = None
        self._marks: tuple[Mark, ...] | None = None
        self.setMinimumSize(px(160), px(120))

    # Data

    def show_data(self, data: Roofline, titles: frozendict[int, str]) -> None:
        """Another plan; `titles` are short names of steps by number."""
        self.forget_pointer()
        self._data, self._titles, self._step = data, titles, -1
        self._shown = data.drawn
        intensity, rate = data.intensity[self._shown], data.rate[self._shown]
        finite = np.isfinite(intensity)
        ridge = _ridge(data.roofs)
        known = [*np.log10(intensity[finite & (intensity > 0)]).tolist(), log10(ridge)]
        right = max(known)
        self._edge = right + _ASIDE if not finite.all() else inf
        with np.errstate(divide="ignore"):
            self._x_values = np.where(finite, np.log10(intensity), right + 2 * _ASIDE)
            self._y_values = np.log10(rate)
        tops = [log10(roof.rate) for roof in data.roofs if not roof.sloped and roof.title != REDUCTIONS]
        lo, hi = min([*self._y_values.tolist(), *tops]), max([*self._y_values.tolist(), *tops])
        end = (right + 3 * _ASIDE) if isfinite(self._edge) else right + 2 * _PAD
        self.set_limits(Limits(min(known) - 2 * _PAD, end, 0.2), Limits(lo - 2 * _PAD, hi + 2 * _PAD, 0.2))

    def show_step(self, step: int) -> None:
        """Ring this step, -1 for none."""
        if step != self._step:
            self._step = step
            self.invalidate()

    @property
    def near(self) -> frozenset[int] | None:
        """Steps that are in view elsewhere, None for all."""
        return self._near

    def show_near(self, steps: frozenset[int] | None) -> None:
        """Steps that are in view elsewhere; the others are faint.  None for all."""
        if steps != self._near:
            self._near = steps
            self.invalidate()

    def moved(self) -> None:
        """Marks are gathered anew."""
        self._marks = None
        super().moved()

    def invalidate(self) -> None:
        """The marks too."""
        self._marks = None
        super().invalidate()

    @property
    def marks(self) -> tuple[Mark, ...]:
        """What is drawn, large marks first."""
        if self._marks is None:
            self._marks = self._gathered()
        return self._marks

    def _gathered(self) -> tuple[Mark, ...]:
        """Steps of one kind that are close together on the screen."""
        data = self._data
        if data is None or not len(self._shown):
            return ()
        x, y = self.x_axis.to_px(self._x_values), self.y_axis.to_px(self._y_values)
        inside = self.plot_rect().adjusted(-_MOST, -_MOST, _MOST, _MOST)
        seen = (x >= inside.left()) & (x <= inside.right()) & (y >= inside.top()) & (y <= inside.bottom())
        order = np.flatnonzero(seen)[np.argsort(-data.us[self._shown][seen], kind="stable")]
        cell = px(_SAME)
        keys = np.stack([x[order] // cell, y[order] // cell, data.kinds[self._shown[order]]], axis=1)
        _, first, where = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        groups: list[list[int]] = [[] for _ in first]
        for place, group in zip(order.tolist(), np.ravel(where).tolist(), strict=True):
            groups[group].append(place)
        slowest = float(data.us[self._shown].max())
        made = [self._mark(data, group, x, y, slowest) for group in groups]
        return tuple(sorted(made, key=lambda mark: -mark.radius))

    def _mark(self, data: Roofline, group: list[int], x: Floats, y: Floats, slowest: float) -> Mark:
        steps = tuple(int(self._shown[place]) for place in group)
        share = min(1.0, float(data.us[list(steps)].sum()) / slowest)
        radius = px(_LEAST) + (px(_MOST) - px(_LEAST)) * share**0.5
        return Mark(steps, float(x[group[0]]), float(y[group[0]]), radius, KINDS[data.kinds[steps[0]]])

    # Asking

    def mark_at(self, pos: QPointF) -> Mark | None:
        """The topmost mark under a point."""
        for mark in reversed(self.marks):
            if (mark.x - pos.x()) ** 2 + (mark.y - pos.y()) ** 2 <= (mark.radius + px(2)) ** 2:
                return mark
        return None

    def item_at(self, pos: QPointF) -> Hashable | None:
        """The step of the mark under the pointer: the slowest, or the one after the selected one."""
        mark = self.mark_at(pos) if self.plot_rect().contains(pos) else None
        if mark is None:
            return None
        if self._step in mark.steps:
            return mark.steps[(mark.steps.index(self._step) + 1) % len(mark.steps)]
        return mark.steps[0]

    def current_item(self) -> Hashable | None:
        """The selected step."""
        return self._step if self._step >= 0 else None

    def tooltip_for(self, item: Hashable) -> str:
        """The step in words, and how many lie at the same place."""
        data = self._data
        if data is None or not isinstance(item, int):
            return ""
        mark = next((mark for mark in self.marks if item in mark.steps), None)
        shown = self._step if mark is not None and self._step in mark.steps else item
        lines = [f"<b>{escape(data.names[shown])}</b>", escape(data.words(shown))]
        if mark is not None and len(mark.steps) > 1:
            total = format_us(float(data.us[list(mark.steps)].sum()))
            lines.append(f"{format_count(len(mark.steps), 'step')} here, {total} in all; click again for the next")
        return "<br>".join(lines)

    def selection_ranges(self) -> tuple[float, float, float, float] | None:
        """A little around the selected step."""
        found = np.flatnonzero(self._shown == self._step)
        if not len(found):
            return None
        x, y = float(self._x_values[found[0]]), float(self._y_values[found[0]])
        return x - 0.1, x + 0.1, y - 0.1, y + 0.1

    def step(self, dx: int, dy: int) -> bool:
        """Arrows go to the next step in that direction."""
        if not len(self._shown):
            return False
        found = np.flatnonzero(self._shown == self._step)
        values = self._x_values if dx else self._y_values
        order = np.lexsort((self._y_values, self._x_values) if dx else (self._x_values, self._y_values))
        ahead = dx - dy
        if not len(found):
            place = 0 if ahead > 0 else len(order) - 1
        else:
            place = int(np.flatnonzero(order == found[0])[0]) + ahead
        if 0 <= place < len(values):
            self.walked.emit(int(self._shown[order[place]]))
        return True

    # Painting

    def x_ticks(self) -> Ticks:
        """Powers of ten, and infinity for what moves nothing."""
        ticks = _decades(self.x_axis, self.plot_rect().width() / px(_DECADE_X), self._edge)
        if self._edge + _ASIDE < self.x_axis.hi:
            return Ticks((*ticks.values, self._edge + _ASIDE), (*ticks.labels, "∞"), "operations per byte")
        return Ticks(ticks.values, ticks.labels, "operations per byte")

    def y_ticks(self) -> Ticks:
        """Powers of ten."""
        ticks = _decades(self.y_axis, self.plot_rect().height() / px(_DECADE_Y), inf)
        return Ticks(ticks.values, ticks.labels, "per ns")

    def badge_top(self) -> float:
        """Between heading and caption, where no mark is."""
        return px(GRID)

    def paint_grid(self, painter: QPainter) -> None:
        """Lines at the powers of ten, both ways."""
        super().paint_grid(painter)
        inside = self.plot_rect()
        for value in self.x_ticks().values:
            across = round(self.x_axis.to_px(value)) + 0.5
            painter.drawLine(QPointF(across, inside.top()), QPointF(across, inside.bottom()))

    def paint_plot(self, painter: QPainter, rect: QRectF) -> None:
        """Roofs, then steps, the slow ones below the quick ones."""
        data = self._data
        if data is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_aside(painter, rect)
        for roof in data.roofs:
            self._paint_roof(painter, data, roof)
        theme = active_theme()
        for mark in self.marks:
            chosen = self._step in mark.steps
            near = self._near is None or chosen or not self._near.isdisjoint(mark.steps)
            painter.setBrush(qcolor(theme.kind(mark.kind), 0.85 if near else _FAINT))
            painter.setPen(QPen(qcolor(theme.text if chosen else theme.bg), 2 if chosen else 1))
            painter.drawEllipse(QPointF(mark.x, mark.y), mark.radius, mark.radius)
        self._paint_roof_names(painter, rect, data)
        self._paint_names(painter, rect)

    def _paint_aside(self, painter: QPainter, rect: QRectF) -> None:
        """A ground of its own for steps without traffic."""
        if not isfinite(self._edge):
            return
        left = self.x_axis.to_px(self._edge)
        painter.fillRect(QRectF(left, rect.top(), rect.right() - left, rect.height()), qcolor(active_theme().panel))

    def _paint_roof(self, painter: QPainter, data: Roofline, roof: Roof) -> None:
        if roof.title == REDUCTIONS and not (data.kinds[self._shown] == KINDS.index("reduction")).any():
            return
        theme = active_theme()
        pen = QPen(qcolor(theme.text if roof.firm else theme.mute), 1.5 if roof.firm else 1)
        if not roof.firm:
            pen.setDashPattern([5, 4])
        painter.setPen(pen)
        painter.drawLine(*self._roof_ends(data, roof))

    def _roof_ends(self, data: Roofline, roof: Roof) -> tuple[QPointF, QPointF]:
        """A memory roof ends at the compute roof of its kind, and that begins there."""
        partner = [one for one in data.roofs if one.sloped != roof.sloped and one.firm == roof.firm]
        partner = [one for one in partner if one.title != REDUCTIONS]
        lo, hi = self.x_axis.lo, min(self.x_axis.hi, self._edge)
        if roof.title == REDUCTIONS or not partner:
            return self._at(lo, log10(roof.rate)), self._at(self.x_axis.hi, log10(roof.rate))
        slope, flat = (roof, partner[0]) if roof.sloped else (partner[0], roof)
        meet = log10(flat.rate / slope.rate)
        if roof.sloped:
            end = min(meet, hi)
            return self._at(lo, log10(roof.rate) + lo), self._at(end, log10(roof.rate) + end)
        return self._at(max(meet, lo), log10(roof.rate)), self._at(self.x_axis.hi, log10(roof.rate))

    def _at(self, x: float, y: float) -> QPointF:
        return QPointF(self.x_axis.to_px(x), self.y_axis.to_px(y))

    def _paint_roof_names(self, painter: QPainter, rect: QRectF, data: Roofline) -> None:
        """Over the higher of a pair of roofs: sustained and peak."""
        theme, metrics = active_theme(), QFontMetricsF(font("micro"))
        painter.setFont(font("micro"))
        painter.setPen(qcolor(theme.text))
        for sloped in (True, False):
            pair = [roof for roof in data.roofs if roof.sloped == sloped and roof.title != REDUCTIONS]
            if not pair:
                continue
            highest = max(pair, key=lambda roof: roof.rate)
            unit, text = ("GB/s" if sloped else "/ns"), " · ".join(map(_roof_text, pair))
            text, (start, end) = f"{text} {unit}", self._roof_ends(data, highest)
            if sloped:
                self._paint_along(painter, text, start, end)
                continue
            room = QRectF(0, end.y() - metrics.height() - px(1), rect.right() - px(GRID), metrics.height())
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_along(self, painter: QPainter, text: str, start: QPointF, end: QPointF) -> None:
        """Words over the lower part of a slope."""
        run, rise = end.x() - start.x(), end.y() - start.y()
        angle = float(np.degrees(np.arctan2(rise, run)))
        inside = self.plot_rect()
        left = (
            max(start.x(), inside.left())
            if start.y() <= inside.bottom() or not rise
            else (start.x() + (inside.bottom() - start.y()) / rise * run)
        )
        if run <= 0 or (end.x() - left) < QFontMetricsF(font("micro")).horizontalAdvance(text):
            return
        painter.save()
        painter.translate(QPointF(left, start.y() + (left - start.x()) / run * rise))
        painter.rotate(angle)
        painter.drawText(QPointF(px(1.5 * GRID), -px(4)), text)
        painter.restore()

    def _paint_names(self, painter: QPainter, rect: QRectF) -> None:
        """Names of the slowest marks and of the selected one, where they cover no other name."""
        theme, face = active_theme(), font("micro")
        metrics, taken = QFontMetricsF(face), list[QRectF]()
        painter.setFont(face)
        chosen = [mark for mark in self.marks if self._step in mark.steps]
        for mark in (*chosen, *self.marks[:_NAMES]):
            step = self._step if mark in chosen else mark.steps[0]
            more = f" ×{len(mark.steps)}" if len(mark.steps) > 1 else ""
            text = f"{self._titles.get(step, '')}{more}"
            width = metrics.horizontalAdvance(text)
            beside = mark.radius * 0.7 + px(2)
            room = QRectF(mark.x + beside, mark.y + beside - px(3), width + 2, metrics.height())
            if room.right() > rect.right():
                room.moveRight(mark.x - beside)
            if any(room.intersects(other) for other in taken):
                continue
            taken.append(room)
            painter.setPen(qcolor(theme.text if mark in chosen else theme.mute))
            painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)

    def paint_frame(self, painter: QPainter, rect: QRectF) -> None:
        """Heading, and how many steps are where."""
        if self._data is None:
            return
        many = format_count(len(self._shown), "step")
        paint_heading(painter, rect, "Roofline", f"{many} · larger marks take longer")


def _ridge(roofs: tuple[Roof, ...]) -> float:
    """Operations per byte from which on the sustained compute roof is lower than that of memory."""
    memory = next((roof.rate for roof in roofs if roof.sloped and roof.firm), 1.0)
    compute = next((roof.rate for roof in roofs if not roof.sloped and roof.firm), memory)
    return compute / memory


def _roof_text(roof: Roof) -> str:
    return f"{roof.title} {short_number(roof.rate)}"


def _decades(axis: LinearScale, most: float, end: float) -> Ticks:
    """Powers of ten in view below `end`, at most so many."""
    first, last = ceil(axis.lo - 1e-9), floor(min(axis.hi, end) + 1e-9)
    step = max(1, ceil((last - first + 1) / max(most, 1)))
    values = tuple(range(first, last + 1, step))
    return Ticks(tuple(map(float, values)), tuple(_power(value) for value in values), "")


def _power(exponent: int) -> str:
    """'0.01', '10', '1 k', '1 M'."""
    return short_number(10.0**exponent)
