"""A tensor drawn as sticks: as it looks or as its memory lies, coloured by the core that has each part.

Owns: the axes, the marked lane with its way to memory, and moving it by mouse and keys.  Refuses: the arithmetic of
layouts (a `StickModel` and a `StickGrid` answer for every lane) and what sticks look like (stick_paint).
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from compiler.coordinates import outer_dim
from spyre_studio.qt_theme import active_theme, font, px, qcolor, scale
from spyre_studio.scales import LinearScale, Ticks, thin
from spyre_studio.stick_axes import column_label, column_ticks, first_extent, row_label, row_ticks, thickness
from spyre_studio.stick_grid import StickGrid
from spyre_studio.stick_model import NOBODY, StickModel
from spyre_studio.theme import GRID
from spyre_studio.views.paint import RectBatch
from spyre_studio.views.plot_canvas import Limits, Margins, PlotCanvas
from spyre_studio.views.plot_words import paint_heading, paint_tag
from spyre_studio.views.stick_paint import Scene, Veil, Window, paint_sticks

_BAR: Final = 3.0  # px; the bars that say which part is in view
_ARROW: Final = 5.0
_PAGE: Final = 0.9  # of the rows in view
_Place = tuple[int, int]


class StickCanvas(PlotCanvas):
    """Items are (row, column). `walked` carries the lane a key leads to."""

    walked = Signal(object)
    y_up = False

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._scene: Scene | None = None
        self._heading, self._caption = "", ""
        self._cursor: _Place | None = None
        self._pointed: _Place | None = None
        self._hovered_core, self._veil = NOBODY, Veil()
        self._batch = RectBatch()
        self._untouched = True  # shows what it began with, also in another size, until the user moves
        self.setMinimumSize(px(120), px(88))
        self.view_changed.connect(self._touched)

    # Data

    def show_scene(self, scene: Scene, heading: str, caption: str = "") -> None:
        """Another tensor, layout or way to lay it flat: from its beginning."""
        self.forget_pointer()
        self._scene, self._heading, self._caption = scene, heading, caption
        self._cursor = self._pointed = None
        self._begin()
        self.setAccessibleDescription(f"{heading}. {caption}")

    @property
    def scene(self) -> Scene | None:
        """What is drawn."""
        return self._scene

    @property
    def model(self) -> StickModel | None:
        """The tensor that is shown."""
        return self._scene.model if self._scene else None

    @property
    def cursor_lane(self) -> _Place | None:
        """Row and column of the marked lane."""
        return self._cursor

    @property
    def shown_lane(self) -> _Place | None:
        """The lane whose way is drawn: the one that is pointed at, here or elsewhere, else the marked one."""
        return self._pointed or self._cursor

    def show_core(self, core: int) -> None:
        """Set off the part of a core by a veil over the rest, NOBODY for none."""
        if core != self._hovered_core:
            self._hovered_core = core
            self.update()

    def mark(self, lane: _Place | None) -> None:
        """Mark a lane until another is marked."""
        self._cursor = lane
        self.update()

    def point(self, lane: _Place | None) -> None:
        """Draw the way of a lane as long as it is pointed at."""
        self._pointed = lane
        self.update()

    def reveal(self, lane: _Place, centre: bool = False) -> None:
        """Have a lane in view, with its whole stick if there is room and its neighbours; move as little as needed, or
        what moves to the middle."""
        if self._scene is None:
            return
        grid, (row, column) = self._scene.grid, lane
        start = (row if grid.upright else column) // grid.lanes * grid.lanes
        stick, beside = (start, start + grid.lanes), ((column if grid.upright else row) + place for place in (-1, 2))
        wanted = (tuple(beside), stick) if grid.upright else (stick, tuple(beside))
        x = _moved(self.x_axis, wanted[0], column, centre)
        y = _moved(self.y_axis, wanted[1], row, centre)
        if (x, y) != (self.x_axis, self.y_axis):
            self._set(x, y)

    # Asking

    def item_at(self, pos: QPointF) -> Hashable | None:
        """The lane under the pointer."""
        if self._scene is None or not self.plot_rect().contains(pos):
            return None
        row, column = int(self.y_axis.to_value(pos.y())), int(self.x_axis.to_value(pos.x()))
        grid = self._scene.grid
        return (row, column) if 0 <= row < grid.rows and 0 <= column < grid.columns else None

    def current_item(self) -> Hashable | None:
        """The marked lane."""
        return self._cursor

    def selection_ranges(self) -> tuple[float, float, float, float] | None:
        """The stick of the marked lane."""
        if self._cursor is None or self._scene is None:
            return None
        row, column = self._cursor
        grid = self._scene.grid
        if grid.upright:
            first = row // grid.lanes * grid.lanes
            return column, column + 1, first, first + grid.lanes
        first = column // grid.lanes * grid.lanes
        return first, first + grid.lanes, row, row + 1

    # Keys

    def step(self, dx: int, dy: int) -> bool:
        """To the next lane or row."""
        at = self._cursor
        if self._scene is None:
            return False
        self._walk((0, 0) if at is None else (at[0] + dy, at[1] + dx))
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Home, End and pages move the marked lane, + and - zoom around it, 0 shows everything."""
        if self._scene is None or not self._moved_by(Qt.Key(event.key()), event.modifiers()):
            super().keyPressEvent(event)

    def _moved_by(self, key: Qt.Key, held: Qt.KeyboardModifier) -> bool:
        assert self._scene is not None
        grid, far = self._scene.grid, bool(held & Qt.KeyboardModifier.ControlModifier)
        row, column = self._cursor or (0, 0)
        page = max(1, int(self.y_axis.span * _PAGE))
        match key:
            case Qt.Key.Key_Home:
                self._walk((0 if far else row, 0))
            case Qt.Key.Key_End:
                self._walk((grid.rows - 1 if far else row, grid.columns - 1))
            case Qt.Key.Key_PageUp:
                self._walk((row - page, column))
            case Qt.Key.Key_PageDown:
                self._walk((row + page, column))
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal if not far:
                self.zoom_by(1.25, self._middle())
            case Qt.Key.Key_Minus if not far:
                self.zoom_by(0.8, self._middle())
            case Qt.Key.Key_0 if not far:
                self.fit_all()
            case _:
                return False
        return True

    def _walk(self, lane: _Place) -> None:
        """Mark the nearest lane that there is, and bring it into view."""
        assert self._scene is not None
        grid = self._scene.grid
        lane = (min(max(lane[0], 0), grid.rows - 1), min(max(lane[1], 0), grid.columns - 1))
        self._pointed = None
        self.mark(lane)
        self.reveal(lane)
        self.walked.emit(lane)

    def _middle(self) -> QPointF:
        """Where keys zoom: the marked lane, or the middle."""
        if self._cursor is None:
            return self.plot_rect().center()
        row, column = self._cursor
        return QPointF(self.x_axis.to_px(column + 0.5), self.y_axis.to_px(row + 0.5))

    # Axes

    def fit_all(self) -> None:
        """All of the tensor."""
        if self._scene is None:
            return
        grid = self._scene.grid
        self._set(self.x_axis.with_domain(0, grid.columns), self.y_axis.with_domain(0, grid.rows))

    def x_ticks(self) -> Ticks:
        """Indices along the columns."""
        if self._scene is None:
            return Ticks((), (), "")
        return column_ticks(self._scene.grid, self.x_axis, max(2, int(self.plot_rect().width() / px(56))))

    def y_ticks(self) -> Ticks:
        """Indices of rows, as many as do not touch."""
        if self._scene is None:
            return Ticks((), (), "")
        ticks = row_ticks(self._scene.grid, self.y_axis, max(2, int(self.plot_rect().height() / px(20))))
        kept = thin([self.y_axis.to_px(value) for value in ticks.values], px(14))
        return Ticks(tuple(ticks.values[at] for at in kept), tuple(ticks.labels[at] for at in kept), ticks.unit)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The beginning again, as long as nobody moved."""
        if self._scene is not None:
            self.margins = self._room(self._scene.grid)
        super().resizeEvent(event)
        if self._untouched:
            self._begin()

    def theme_changed(self) -> None:
        """Another font needs other margins."""
        if self._scene is not None:
            self.margins = self._room(self._scene.grid)
        super().theme_changed()

    def _begin(self) -> None:
        if self._scene is None:
            return
        grid = self._scene.grid
        self.margins = self._room(grid)
        self.set_limits(Limits(0, grid.columns, min(grid.columns, 4)), Limits(0, grid.rows, min(grid.rows, 2)))
        self._place()
        rect = self.plot_rect()
        shown = first_extent(grid, rect.width(), rect.height(), scale())
        self._set(self.x_axis.with_domain(0, shown.columns), self.y_axis.with_domain(0, shown.rows))
        self._untouched = True
        self.invalidate()

    def _touched(self) -> None:
        self._untouched = False

    def _room(self, grid: StickGrid) -> Margins:
        """As much at the left as the longest index takes; what a few sticks leave free is margin."""
        longest = max((row_label(grid, row) for row in (0, grid.rows - 1)), key=len)
        width = QFontMetricsF(font("micro", mono=True)).horizontalAdvance(longest) / scale()
        left, top, right, bottom = max(24, round(width) + 2 * GRID), 48 if grid.in_memory_order else 34, 12, 30
        taken = thickness(grid)
        if grid.upright:
            right = max(right, round(self.width() / scale() - left - taken))
        else:
            bottom = max(bottom, round(self.height() / scale() - top - taken))
        return Margins(left, top, right, bottom)

    # Painting

    def paint_grid(self, painter: QPainter) -> None:
        """None: sticks have edges of their own."""

    def paint_plot(self, painter: QPainter, rect: QRectF) -> None:
        """The part in view."""
        if self._scene is not None:
            paint_sticks(painter, self._scene, Window.of(self._scene.grid, self.x_axis, self.y_axis), self._batch)

    def paint_frame(self, painter: QPainter, rect: QRectF) -> None:
        """Heading, heads of the columns of memory, and which part is in view."""
        if self._scene is None:
            return
        paint_heading(painter, rect, self._heading, self._caption)
        if self._scene.grid.in_memory_order:
            self._paint_heads(painter, self._scene.grid, rect)
        self._paint_bars(painter, self._scene.grid, rect)

    def _paint_heads(self, painter: QPainter, grid: StickGrid, rect: QRectF) -> None:
        """Over each column of memory the sticks it has, where all its sticks follow each other."""
        size = grid.layout.device_size
        tall = grid.rows
        face = font("micro", mono=True)
        metrics = QFontMetricsF(face)
        painter.setFont(face)
        painter.setPen(qcolor(active_theme().mute))
        first, last = int(self.x_axis.lo // grid.lanes), int(np.ceil(self.x_axis.hi / grid.lanes))
        blocks = any(part > 1 for part in size[: outer_dim(grid.layout)])
        if blocks or tall == 1 or self.x_axis.pixels_per_value * grid.lanes < metrics.horizontalAdvance("↓") + px(6):
            return
        for column in range(first, min(last, grid.columns // grid.lanes)):
            left = max(self.x_axis.to_px(float(column * grid.lanes)), rect.left())
            right = min(self.x_axis.to_px(float((column + 1) * grid.lanes)), rect.right())
            words = f"↓ {column * tall:,}–{(column + 1) * tall - 1:,}"
            for shown in (words, f"↓ {column * tall:,}", "↓"):
                if metrics.horizontalAdvance(shown) <= right - left - px(6):
                    painter.drawText(QPointF(left + px(5), rect.top() - px(5)), shown)
                    break

    def _paint_bars(self, painter: QPainter, grid: StickGrid, rect: QRectF) -> None:
        ink, x, y = qcolor(active_theme().mute, 0.55), self.x_axis, self.y_axis
        if x.lo > 0 or x.hi < grid.columns:
            span = rect.width() / max(grid.columns, x.hi)
            painter.fillRect(QRectF(rect.left() + x.lo * span, rect.bottom() + 1, max(x.span * span, 8), _BAR), ink)
        if y.lo > 0 or y.hi < grid.rows:
            span = rect.height() / max(grid.rows, y.hi)
            painter.fillRect(QRectF(rect.right() + 3, rect.top() + y.lo * span, _BAR, max(y.span * span, 8)), ink)

    # The way of a lane

    def paint_overlay(self, painter: QPainter, rect: QRectF) -> None:
        """The lane, its stick, where memory goes on, and its indices at the axes."""
        scene, lane = self._scene, self.shown_lane
        if scene is not None and self._hovered_core != NOBODY:
            window = Window.of(scene.grid, self.x_axis, self.y_axis)
            self._veil.paint(painter, scene, window, self.plot_rect(), self._hovered_core)
        if scene is None or lane is None:
            return
        inside = self.plot_rect()
        painter.save()
        painter.setClipRect(inside.adjusted(-3, -3, 3, 3))
        self._paint_stick(painter, scene, lane)
        self._paint_next(painter, scene, lane)
        painter.restore()
        self._paint_tags(painter, scene.grid, lane, inside)

    def _paint_stick(self, painter: QPainter, scene: Scene, lane: _Place) -> None:
        theme, grid = active_theme(), scene.grid
        row, column = lane
        start = row // grid.length * grid.length if grid.upright else 0
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(qcolor(theme.text), 2))
        for first, last in grid.runs(row % grid.length if grid.upright else column):
            if grid.upright:
                painter.drawRect(self.to_rect(column, start + first, column + 1, start + last))
            else:
                painter.drawRect(self.to_rect(first, row, last, row + 1))
        cell = self.to_rect(column, row, column + 1, row + 1)
        wider, taller = max(0.0, (5 - cell.width()) / 2), max(0.0, (5 - cell.height()) / 2)
        cell = cell.adjusted(-wider, -taller, wider, taller)
        painter.setPen(QPen(qcolor(theme.bg), 1))
        painter.setBrush(qcolor(theme.warn))
        painter.drawRect(cell)

    def _paint_next(self, painter: QPainter, scene: Scene, lane: _Place) -> None:
        """An arrow to the stick that follows in memory."""
        grid = scene.grid
        there = scene.model.next_stick(grid.place(*lane).coordinates)
        if there is None:
            return
        row, column = grid.locate(there)
        start = QPointF(self.x_axis.to_px(lane[1] + 0.5), self.y_axis.to_px(lane[0] + 0.5))
        end = QPointF(self.x_axis.to_px(column + 0.5), self.y_axis.to_px(row + 0.5))
        way = end - start
        length = (way.x() ** 2 + way.y() ** 2) ** 0.5
        if length < px(GRID):
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(qcolor(active_theme().text), 1.5))
        painter.drawLine(start, end)
        unit, side = way / length * px(_ARROW), QPointF(-way.y(), way.x()) / length * px(_ARROW) * 0.7
        painter.drawLine(end, end - unit + side)
        painter.drawLine(end, end - unit - side)

    def _paint_tags(self, painter: QPainter, grid: StickGrid, lane: _Place, inside: QRectF) -> None:
        row, column = lane
        x, y = self.x_axis.to_px(column + 0.5), self.y_axis.to_px(row + 0.5)
        if inside.left() <= x <= inside.right():
            paint_tag(painter, QPointF(x, inside.bottom()), column_label(grid, column), self.width())
        if grid.rows > 1 and inside.top() <= y <= inside.bottom():
            metrics = QFontMetricsF(font("micro"))
            words = row_label(grid, row)
            width = metrics.horizontalAdvance(words) + px(GRID * 1.5)
            right = inside.left() - px(3)
            paint_tag(painter, QPointF(right - width / 2, y - metrics.height() / 2 - px(5)), words, max(right, width))


def _moved(axis: LinearScale, wanted: tuple[int, ...], lane: int, centre: bool) -> LinearScale:
    """The axis moved to show what is wanted, or the lane alone where that is too much; the same if it is shown."""
    lo, hi = (wanted[0], wanted[1]) if wanted[1] - wanted[0] <= axis.span else (lane, lane + 1)
    shift = min(axis.lo, lo) - axis.lo or max(axis.hi, hi) - axis.hi
    if shift and centre:
        shift = (lo + hi) / 2 - (axis.lo + axis.hi) / 2
    return axis.with_domain(axis.lo + shift, axis.hi + shift)
