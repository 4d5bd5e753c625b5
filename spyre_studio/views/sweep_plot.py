"""The picture of a sweep: predicted time over the values of a knob, its parts as bars, traffic and LX peak below.

Owns: drawing the values, which one is under the pointer, and moving by keys.  Refuses: running a sweep, and figures,
which come with it.
"""

from __future__ import annotations

from collections.abc import Hashable
from html import escape
from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QWidget

from spyre_studio.lights import draw_mark
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.scales import Ticks, number_ticks
from spyre_studio.sweep import Figures, Setting, Sweep
from spyre_studio.sweep_knobs import CORES, LX
from spyre_studio.sweep_words import BEST, NO_PLAN, ON_SCREEN, TRYING, figures_words, standing
from spyre_studio.theme import GRID, RADIUS_SMALL, Tone
from spyre_studio.units import format_bytes, format_percent, format_us_below
from spyre_studio.views.plot_canvas import Limits, Margins, PlotCanvas
from spyre_studio.views.plot_words import paint_heading

_WIDEST: Final = 72  # px; of both bars of a value
_TICKS: Final = 8  # at most
_DOT: Final = 4  # px; radius
_ROW: Final = 22  # px; of a reading below the plot
_READINGS: Final = ("traffic", "LX peak")
_HEADROOM: Final = 52  # px over the longest; words stand above the dots
_MOST_AIR: Final = 0.6  # of the height, where there is little of it
_WORDS: Final[tuple[tuple[str, Tone], ...]] = ((BEST, "ok"), (ON_SCREEN, "accent"), (TRYING, "mute"), (NO_PLAN, "bad"))
_CENTRE: Final = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter


class SweepPlot(PlotCanvas):
    """Items are keys of settings.  `walked` carries the one that an arrow key leads to."""

    walked = Signal(str)
    margins = Margins(left=64, top=40, right=16, bottom=28 + len(_READINGS) * _ROW)
    zoom_axes = "x"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Sweep: predicted time by the values of a knob", parent)
        self._sweep: Sweep | None = None
        self._shown, self._current = "", ""
        self.setMinimumSize(px(200), px(160))

    # Data

    def show_sweep(self, sweep: Sweep | None, shown: str, current: str) -> None:
        """Another sweep, or more of it; `shown` is on screen, `current` is what keys are at."""
        self.forget_pointer()
        if (sweep, shown, current) == (self._sweep, self._shown, self._current):
            return
        self._sweep, self._shown, self._current = sweep, shown, current
        self._limit()
        self.invalidate()

    def _limit(self) -> None:
        """The vertical axis ends where there is room for words over the longest time."""
        known = [found for key in self.keys if (found := self._figures(key)) is not None]
        top = max((max(found.total_us, found.bound_us) for found in known), default=1.0) or 1.0
        air = min(px(_HEADROOM) / self.plot_rect().height(), _MOST_AIR)
        many, top = max(len(self.keys), 1), top / (1 - air)
        self.set_limits(Limits(0, many, min(2, many)), Limits(0, top, top))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Words need the same room on more or fewer pixels."""
        super().resizeEvent(event)
        self._limit()

    def _figures(self, key: str) -> Figures | None:
        return self._sweep.figures(key) if self._sweep else None

    @property
    def keys(self) -> tuple[str, ...]:
        """The settings from left to right."""
        return tuple(one.key for one in self._sweep.settings) if self._sweep else ()

    def column_of(self, key: str) -> QRectF:
        """Where a setting stands: over the plot and the readings below it."""
        place, inside = self.keys.index(key), self.plot_rect()
        left, right = float(self.x_axis.to_px(place)), float(self.x_axis.to_px(place + 1))
        return QRectF(left, inside.top(), right - left, self.height() - inside.top() - px(GRID / 2))

    # Asking

    def item_at(self, pos: QPointF) -> Hashable | None:
        """The setting in whose column the pointer is."""
        inside = self.plot_rect()
        if not inside.left() <= pos.x() <= inside.right() or pos.y() < inside.top():
            return None
        place = int(self.x_axis.to_value(pos.x()))
        return self.keys[place] if 0 <= place < len(self.keys) else None

    def current_item(self) -> Hashable | None:
        """What the keyboard is at."""
        return self._current if self._current in self.keys else None

    def tooltip_for(self, item: Hashable) -> str:
        """All figures of a setting."""
        one = self._sweep.setting(str(item)) if self._sweep else None
        if self._sweep is None or one is None:
            return ""
        title = f"<b>{escape(one.title)}</b>" + (f" · {escape(one.hint)}" if one.hint != one.title else "")
        return "<br>".join([title, *map(escape, figures_words(self._sweep, one.key, self._shown))])

    def selection_ranges(self) -> tuple[float, float, float, float] | None:
        """The column of the current setting."""
        if self._current not in self.keys:
            return None
        place = self.keys.index(self._current)
        return place, place + 1, self.y_axis.lo, self.y_axis.hi

    def step(self, dx: int, _dy: int) -> bool:
        """Left and right go to the next value."""
        keys = self.keys
        if not dx or not keys:
            return bool(keys)
        place = keys.index(self._current) + dx if self._current in keys else 0 if dx > 0 else len(keys) - 1
        if 0 <= place < len(keys):
            self.walked.emit(keys[place])
        return True

    # Painting

    def x_ticks(self) -> Ticks:
        """The values, cut where there is no room."""
        metrics, titles = QFontMetricsF(font("micro", mono=True)), [one.title for one in self._settings()]
        room = self._step() - px(GRID)
        cut = (metrics.elidedText(title, Qt.TextElideMode.ElideRight, max(room, px(GRID))) for title in titles)
        return Ticks(tuple(place + 0.5 for place in range(len(titles))), tuple(cut), "")

    def y_ticks(self) -> Ticks:
        """Times."""
        ticks = number_ticks(self.y_axis, min(max(2, int(self.plot_rect().height() / px(40))), _TICKS))
        return Ticks(ticks.values, ticks.labels, "µs")

    def paint_plot(self, painter: QPainter, rect: QRectF) -> None:
        """Bars of the parts, then the times over them."""
        sweep = self._sweep
        if sweep is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._current in self.keys:
            painter.fillRect(self.column_of(self._current), qcolor(active_theme().selection, 0.55))
        for one in sweep.settings:
            found = self._figures(one.key)
            if found is not None:
                self._paint_bars(painter, one.key, found)
        if sweep.knob in (CORES, LX):
            self._paint_line(painter)
        for one in sweep.settings:
            self._paint_point(painter, rect, sweep, one.key)

    def _paint_bars(self, painter: QPainter, key: str, found: Figures) -> None:
        """Compute and memory side by side, because they run at once, on what hides behind neither."""
        theme, middle, half = active_theme(), self.column_of(key).center().x(), self._half()
        ground = float(self.y_axis.to_px(0))
        beside = float(self.y_axis.to_px(found.beside_us))
        if ground - beside >= 0.5:
            painter.fillRect(QRectF(middle - half, beside, 2 * half, ground - beside), qcolor(theme.mute, 0.8))
        for left, us, colour in (
            (middle - half, found.compute_us, theme.matmul),
            (middle + 0.5, found.memory_us, theme.reduction),
        ):
            top = float(self.y_axis.to_px(found.beside_us + us))
            painter.fillRect(QRectF(left, top, half - 0.5, beside - top), qcolor(colour, 0.8))

    def _paint_line(self, painter: QPainter) -> None:
        """Between neighbours that both have a plan."""
        runs: list[list[QPointF]] = [[]]
        for key in self.keys:
            found = self._figures(key)
            if found is None:
                runs.append([])
            else:
                runs[-1].append(QPointF(self.column_of(key).center().x(), float(self.y_axis.to_px(found.total_us))))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(qcolor(active_theme().text, 0.6), 1.25))
        for run in runs:
            painter.drawPolyline(QPolygonF(run))

    def _paint_point(self, painter: QPainter, rect: QRectF, sweep: Sweep, key: str) -> None:
        theme, found, middle = active_theme(), sweep.figures(key), self.column_of(key).center().x()
        said = standing(sweep, key, self._shown)
        if found is None:
            at = QPointF(middle, rect.bottom() - px(2 * GRID))
            if NO_PLAN in said:
                draw_mark(painter, at, "bad", px(10))
            self._paint_words(painter, at, said, "")
            return
        if found.bound_us >= 0:
            pen = QPen(qcolor(theme.text), 1.5)
            pen.setDashPattern([3, 2])
            painter.setPen(pen)
            height, half = float(self.y_axis.to_px(found.bound_us)), self._half() + px(4)
            painter.drawLine(QPointF(middle - half, height), QPointF(middle + half, height))
        at = QPointF(middle, float(self.y_axis.to_px(found.total_us)))
        painter.setPen(QPen(qcolor(theme.bg), 1))
        painter.setBrush(qcolor(theme.ok if BEST in said else theme.text))
        painter.drawEllipse(at, px(_DOT), px(_DOT))
        if ON_SCREEN in said:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(qcolor(theme.accent), 2))
            painter.drawEllipse(at, px(_DOT + 3), px(_DOT + 3))
        self._paint_words(painter, at, said, format_us_below(found.total_us))

    def _paint_words(self, painter: QPainter, at: QPointF, said: tuple[str, ...], value: str) -> None:
        """Over a dot: what it is, the time under that."""
        theme, small, bold = active_theme(), font("micro"), font("micro", bold=True, mono=True)
        line = QFontMetricsF(small).height()
        bottom = at.y() - px(_DOT + 5)
        step = self._step()
        if value and QFontMetricsF(bold).horizontalAdvance(value) <= step:
            bottom -= line
            painter.setFont(bold)
            painter.setPen(qcolor(theme.text))
            painter.drawText(QRectF(at.x() - step / 2, bottom, step, line), _CENTRE, value)
        painter.setFont(small)
        for word, tone in _WORDS:
            if word not in said or QFontMetricsF(small).horizontalAdvance(word) > step:
                continue
            bottom -= line
            painter.setPen(qcolor(theme.tone_text(tone)))
            painter.drawText(QRectF(at.x() - step / 2, bottom, step, line), _CENTRE, word)

    def paint_frame(self, painter: QPainter, rect: QRectF) -> None:
        """Heading above, readings below."""
        sweep = self._sweep
        if sweep is None:
            return
        many, done = len(sweep.settings), len(sweep.outcomes)
        caption = (
            f"{done} of {many} tried" if done < many else "double-click shows a plan · dots: predicted · dashes: bound"
        )
        paint_heading(painter, rect, sweep.title, caption)
        for row, name in enumerate(_READINGS):
            top = rect.bottom() + px(26) + row * px(_ROW)
            painter.setFont(font("micro"))
            painter.setPen(qcolor(active_theme().mute))
            head = QRectF(0, top, rect.left() - px(GRID), px(14))
            painter.drawText(head, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, name)
        painter.setClipRect(QRectF(rect.left(), rect.bottom(), rect.width(), self.height() - rect.bottom()))
        most = max((found.hbm_bytes for key in self.keys if (found := self._figures(key))), default=1) or 1
        for key in self.keys:
            found = self._figures(key)
            if found is not None:
                self._paint_readings(painter, rect, key, found, most)

    def _paint_readings(self, painter: QPainter, rect: QRectF, key: str, found: Figures, most: int) -> None:
        theme, column = active_theme(), self.column_of(key)
        of_lx = found.lx_peak_bytes / found.lx_budget_bytes if found.lx_budget_bytes else 0.0
        peak = f"{format_bytes(found.lx_peak_bytes)} · {format_percent(of_lx)}"
        readings = (
            ((format_bytes(found.hbm_bytes),), found.hbm_bytes / most, theme.hbm),
            ((peak, format_percent(of_lx)), of_lx, theme.lx),
        )
        width = min(column.width() - px(GRID), px(2 * _WIDEST))
        metrics = QFontMetricsF(font("micro", mono=True))
        painter.setFont(font("micro", mono=True))
        for row, (texts, share, colour) in enumerate(readings):
            top = rect.bottom() + px(26) + row * px(_ROW)
            text = next((one for one in texts if metrics.horizontalAdvance(one) <= column.width()), "")
            painter.setPen(qcolor(theme.text))
            painter.drawText(QRectF(column.left(), top, column.width(), px(14)), _CENTRE, text)
            bar = QRectF(column.center().x() - width / 2, top + px(15), width, px(3))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(qcolor(theme.line))
            painter.drawRoundedRect(bar, RADIUS_SMALL / 2, RADIUS_SMALL / 2)
            painter.setBrush(qcolor(colour))
            bar.setWidth(width * min(max(share, 0.0), 1.0))
            painter.drawRoundedRect(bar, RADIUS_SMALL / 2, RADIUS_SMALL / 2)

    def paint_overlay(self, painter: QPainter, rect: QRectF) -> None:
        """A band over the column under the pointer."""
        if self.hover_item in self.keys:
            column = self.column_of(str(self.hover_item)).intersected(QRectF(self.plot_rect().left(), 0, 1e6, 1e6))
            painter.fillRect(column, qcolor(active_theme().accent, 0.08))

    def _settings(self) -> tuple[Setting, ...]:
        return self._sweep.settings if self._sweep else ()

    def _step(self) -> float:
        """Pixels between values."""
        return abs(float(self.x_axis.to_px(1)) - float(self.x_axis.to_px(0)))

    def _half(self) -> float:
        """Pixels of one of the two bars of a value."""
        return min(self._step() * 0.3, px(_WIDEST) / 2)
