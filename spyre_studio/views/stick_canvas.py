"""A tensor drawn as sticks: lanes to the right, rows downwards, coloured by the core that has them, padding hatched.

Owns: drawing the part in view (a sample per pixel, so that size does not matter), the cursor, and moving it by keys.
Refuses: the arithmetic of layouts; a `StickModel` answers for every lane.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QImage, QPainter, QPen
from PySide6.QtWidgets import QWidget

from spyre_studio.colour import mix
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.scales import Ticks, step_ticks
from spyre_studio.stick_model import NOBODY, PADDING, StickModel
from spyre_studio.theme import Theme
from spyre_studio.views.paint import Labels
from spyre_studio.views.plot_canvas import Limits, Margins, PlotCanvas
from spyre_studio.views.plot_words import paint_heading, shifted

Ints = NDArray[np.int64]

_LINED_ROW: Final = 5.0  # px; rows and lanes at least so large are drawn apart
_LINED_LANE: Final = 4.0
_LINED_STICK: Final = 10.0
_WORDS: Final = 30.0  # px; lanes at least so wide show their element
_HATCH: Final = 6  # px between the lines of padding
_MOST_WORDS: Final = 2000


class StickCanvas(PlotCanvas):
    """Items are (row, column). `walked` carries the lane an arrow key leads to."""

    walked = Signal(object)
    y_up = False
    margins = Margins(left=48, top=36, right=16, bottom=28)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._model: StickModel | None = None
        self._cores = 1
        self._heading, self._caption = "", ""
        self._cursor: tuple[int, int] | None = None
        self._labels = Labels(font("micro", mono=True))
        self.setMinimumSize(px(120), px(96))

    # Data

    def show_model(self, model: StickModel, cores: int, heading: str, caption: str = "") -> None:
        """Another tensor, all of it; `cores` is how many the device has."""
        self._model, self._cores = model, cores
        self._heading, self._caption, self._cursor = heading, caption, None
        x = Limits(0, model.columns, min(model.columns, 8))
        self.set_limits(x, Limits(0, max(model.rows, 1), min(max(model.rows, 1), 4)))
        self.fit_all()
        self.invalidate()

    @property
    def model(self) -> StickModel | None:
        """What is shown."""
        return self._model

    @property
    def cursor_lane(self) -> tuple[int, int] | None:
        """Row and column of the marked lane."""
        return self._cursor

    def mark(self, lane: tuple[int, int] | None) -> None:
        """Outline a lane and its stick."""
        self._cursor = lane
        self.update()

    # Asking

    def item_at(self, pos: QPointF) -> Hashable | None:
        """The lane under the pointer."""
        model, inside = self._model, self.plot_rect()
        if model is None or not inside.contains(pos):
            return None
        row, column = int(self.y_axis.to_value(pos.y())), int(self.x_axis.to_value(pos.x()))
        return min(row, model.rows - 1), min(column, model.columns - 1)

    def tooltip_for(self, item: Hashable) -> str:
        """The lane in words."""
        if self._model is None or not isinstance(item, tuple):
            return ""
        return "<br>".join(self._model.describe(*item).split(" · "))

    def current_item(self) -> Hashable | None:
        """The marked lane."""
        return self._cursor

    def selection_ranges(self) -> tuple[float, float, float, float] | None:
        """The stick of the marked lane."""
        if self._cursor is None or self._model is None:
            return None
        row, column = self._cursor
        first = column // self._model.lanes * self._model.lanes
        return first, first + self._model.lanes, row, row + 1

    def step(self, dx: int, dy: int) -> bool:
        """Move the mark by a lane or a row, and keep it in view."""
        model = self._model
        if model is None:
            return False
        row, column = self._cursor or (0, 0)
        if self._cursor is not None:
            row, column = row + dy, column + dx
        row, column = min(max(row, 0), model.rows - 1), min(max(column, 0), model.columns - 1)
        self._reveal(row, column)
        self.walked.emit((row, column))
        return True

    def _reveal(self, row: int, column: int) -> None:
        x, y = self.x_axis, self.y_axis
        left = min(max(x.lo, column + 1 - x.span), float(column))
        top = min(max(y.lo, row + 1 - y.span), float(row))
        self.show_x(left, left + x.span)
        self.show_y(top, top + y.span)

    # Painting

    def x_ticks(self) -> Ticks:
        """At powers of two, so that they meet the ends of sticks; labels count lanes of the row."""
        rough = self.x_axis.span / max(2, int(self.plot_rect().width() / px(64)))
        step = 2 ** max(0, int(np.ceil(np.log2(rough))))
        first, last = -(-int(self.x_axis.lo) // step), int(self.x_axis.hi // step)
        values = tuple(float(place * step) for place in range(first, last + 1))
        return Ticks(values, tuple(f"{value:,.0f}" for value in values), "")

    def y_ticks(self) -> Ticks:
        """Row numbers in the middle of their rows."""
        limit = self._model.rows if self._model else 0
        return shifted(step_ticks(self.y_axis, max(1, int(self.plot_rect().height() / px(36)))), limit)

    def theme_changed(self) -> None:
        """Fonts are measured anew."""
        super().theme_changed()
        self._labels = Labels(font("micro", mono=True))

    def paint_grid(self, painter: QPainter) -> None:
        """The picture fills the plot."""

    def paint_frame(self, painter: QPainter, rect: QRectF) -> None:
        """The heading."""
        paint_heading(painter, rect, self._heading, self._caption)

    def paint_plot(self, painter: QPainter, rect: QRectF) -> None:
        """One sample per pixel, then lines and words where there is room."""
        model = self._model
        if model is None:
            return
        painter.drawImage(rect.topLeft(), self.picture(int(rect.width()) + 1, int(rect.height()) + 1))
        self._paint_lines(painter, rect, model)
        if self.x_axis.pixels_per_value >= px(_WORDS) and self.y_axis.pixels_per_value >= self._labels.height + 2:
            self._paint_words(painter, model)

    def picture(self, width: int, height: int) -> QImage:
        """The plot as an image of `width` x `height` pixels."""
        model, theme = self._model, active_theme()
        assert model is not None
        inside = self.plot_rect()
        columns = _samples(self.x_axis.to_value(inside.left() + _middles(width)), model.columns)
        rows = _samples(self.y_axis.to_value(inside.top() + _middles(height)), model.rows)
        # Neighbouring pixels mostly look at the same lane: ask once for each.
        distinct_rows, row_of = np.unique(rows, return_inverse=True)
        distinct_columns, column_of = np.unique(columns, return_inverse=True)
        cores = model.cores(distinct_rows, distinct_columns)
        codes = np.where(cores == NOBODY, self._cores, np.minimum(cores, self._cores - 1))
        codes[model.elements(distinct_rows, distinct_columns) == PADDING] = self._cores + 1
        codes = codes[np.ix_(row_of, column_of)]
        stripes = (np.arange(height)[:, None] + np.arange(width)[None, :]) % px(_HATCH) == 0
        codes = np.where((codes == self._cores + 1) & stripes, self._cores + 2, codes)
        pixels = _pixels(theme, self._cores)[codes]
        image = QImage(width, height, QImage.Format.Format_RGB32)
        np.frombuffer(image.bits(), np.uint32).reshape(height, width)[:] = pixels
        return image

    def _paint_lines(self, painter: QPainter, rect: QRectF, model: StickModel) -> None:
        theme, lane = active_theme(), self.x_axis.pixels_per_value
        pen = QPen(qcolor(theme.bg), 1)
        painter.setPen(pen)
        if self.y_axis.pixels_per_value >= px(_LINED_ROW):
            for row in range(int(self.y_axis.lo), int(self.y_axis.hi) + 1):
                y = self.y_axis.to_px(float(row))
                painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y))
        step = 1 if lane >= px(_LINED_LANE) else model.lanes if lane * model.lanes >= px(_LINED_STICK) else 0
        if not step:
            return
        first = int(self.x_axis.lo) // step * step
        for column in range(first, int(self.x_axis.hi) + 1, step):
            pen.setWidth(3 if column % model.lanes == 0 and step == 1 else 1)
            painter.setPen(pen)
            x = self.x_axis.to_px(float(column))
            painter.drawLine(QPointF(x, rect.top()), QPointF(x, rect.bottom()))

    def _paint_words(self, painter: QPainter, model: StickModel) -> None:
        """The offset of the element in every lane in view."""
        rows = np.arange(int(self.y_axis.lo), min(int(self.y_axis.hi) + 1, model.rows))
        columns = np.arange(int(self.x_axis.lo), min(int(self.x_axis.hi) + 1, model.columns))
        if not 0 < len(rows) * len(columns) <= _MOST_WORDS:
            return
        theme = active_theme()
        shades, cores = core_shades(theme, self._cores), model.cores(rows, columns)
        room = self.x_axis.pixels_per_value - 4
        for down, row in enumerate(rows.tolist()):
            y = self.y_axis.to_px(row + 0.5) - self._labels.height / 2
            for across, column in enumerate(columns.tolist()):
                index = model.lane(row, column).index
                if index is None:
                    continue
                core = int(cores[down, across])
                painter.setPen(qcolor(theme.text_on(shades[self._cores if core == NOBODY else core])))
                text = str(index[-1] if len(index) < 2 else index[model.layout.stick_dim])
                self._labels.draw(painter, self.x_axis.to_px(float(column)) + 3, y, text, room)

    def paint_overlay(self, painter: QPainter, rect: QRectF) -> None:
        """The marked lane and its stick, and the lane under the pointer."""
        theme, model = active_theme(), self._model
        if model is None:
            return
        painter.setClipRect(self.plot_rect().adjusted(-2, -2, 2, 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if isinstance(self.hover_item, tuple):
            self._frame_lane(painter, model, self.hover_item, theme.mute, 1)
        if self._cursor is not None:
            self._frame_lane(painter, model, self._cursor, theme.text, 2)

    def _frame_lane(
        self, painter: QPainter, model: StickModel, lane: tuple[int, int], colour: str, width: float
    ) -> None:
        row, column = lane
        first = column // model.lanes * model.lanes
        painter.setPen(QPen(qcolor(colour), width))
        for left, right in ((first, first + model.lanes), (column, column + 1)):
            box = self.to_rect(left, row, right, row + 1)
            grow_x, grow_y = max(0.0, (4 - box.width()) / 2), max(0.0, (4 - box.height()) / 2)
            painter.drawRect(box.adjusted(-grow_x, -grow_y, grow_x, grow_y))


def _middles(pixels: int) -> NDArray[np.float64]:
    """Where pixels have their middle, counted from the edge of the first."""
    return np.arange(pixels, dtype=np.float64) + 0.5


def _samples(values: NDArray[np.float64], limit: int) -> Ints:
    return np.asarray(np.clip(np.floor(values), 0, limit - 1), np.int64)


def core_shades(theme: Theme, cores: int) -> tuple[str, ...]:
    """A colour per core, in steps that follow the core number; then nobody, padding, and the lines of padding."""
    own = [mix(theme.panel, theme.matmul, 0.3 + 0.6 * core / max(cores - 1, 1)) for core in range(cores)]
    return (*own, mix(theme.panel, theme.mute, 0.35), theme.bg, theme.faint)


def _pixels(theme: Theme, cores: int) -> NDArray[np.uint32]:
    """The same as pixels."""
    return np.array([0xFF000000 | int(colour[1:], 16) for colour in core_shades(theme, cores)], np.uint32)
