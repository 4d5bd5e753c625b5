"""The picture of an error map: shaded cells, those beyond rounding outlined, the selected core framed.

Owns: drawing, and which cell is under the pointer or walked to by keys.  Refuses: what a cell stands for (the grid has
the words) and the selection; it tells which cell was chosen.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QWidget

from spyre_studio.error_map_grid import HeatGrid, border_of
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.scales import LinearScale, Ticks, step_ticks
from spyre_studio.theme import GRID, Theme
from spyre_studio.views.paint import LineBatch, heat_image
from spyre_studio.views.plot_canvas import Limits, Margins, PlotCanvas

_WITH_AXES: Final = Margins(left=44, top=6, right=6, bottom=22)
_WITHOUT: Final = Margins(left=1, top=6, right=1, bottom=2)
_GAP: Final = 2  # px between tiles
_APART_X: Final = 48  # px between the last tick and the one before
_APART_Y: Final = 16
_SMALL: Final = 7  # px; smaller cells have thinner outlines

Lines = NDArray[np.float64]


def frame_colour(theme: Theme) -> str:
    """Of the frame of the selected core: neither on the scale of errors, which is blue, nor that of a fault."""
    return theme.move


class ErrorMapCanvas(PlotCanvas):
    """Items are (row, column) of a cell.  `walked` carries the one that an arrow key leads to."""

    walked = Signal(object)
    y_up = False
    margins = _WITH_AXES

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Map of errors", parent)
        self._grid: HeatGrid | None = None
        self._lines, self._core, self._hovered = LineBatch(), 0, -1
        self._beyond: Lines = np.zeros((0, 4))
        self._owned: Lines = np.zeros((0, 4))
        self._pointed: dict[int, Lines] = {}
        self._at: tuple[int, int] | None = None
        self.setMinimumSize(px(120), px(72))

    def show_grid(self, grid: HeatGrid) -> None:
        """Another map."""
        self.forget_pointer()
        self._grid, self._at = grid, None
        self._pointed.clear()
        self.margins = _WITHOUT if grid.labels else _WITH_AXES
        rows, columns = grid.extent
        self._place()
        self.set_limits(Limits(0, columns, min(columns, 4)), Limits(0, rows, min(rows, 4)))
        self.fit_all()
        self._beyond = self._scaled(border_of(grid.beyond))
        self.show_core(self._core)
        self.invalidate()

    def show_core(self, core: int) -> None:
        """Frame the cells of a core, unless all are."""
        self._core = core
        if self._grid is None:
            return
        owned = self._grid.owned(core)
        self._owned = self._scaled(border_of(owned & ~owned.all()))
        self.update()

    def show_hover(self, core: int) -> None:
        """Frame the cells of the core that is pointed at in any view, -1 for none; the frame of each is made once."""
        if core == self._hovered:
            return
        self._hovered = core
        if self._grid is not None and core >= 0 and core not in self._pointed:
            owned = self._grid.owned(core)
            self._pointed[core] = self._scaled(border_of(owned & ~owned.all()))
        self.update()

    @property
    def pointed(self) -> int:
        """How many lines frame the core that is pointed at."""
        return len(self._pointed.get(self._hovered, ()))

    @property
    def framed(self) -> int:
        """How many lines frame the selected core."""
        return len(self._owned)

    @property
    def outlined(self) -> int:
        """How many lines surround what is beyond rounding."""
        return len(self._beyond)

    def cell_rect(self, row: int, column: int) -> QRectF:
        """Where a cell is drawn."""
        (down, across), (high, wide) = self._steps(), self.extents()
        return self.to_rect(column * across, row * down, min((column + 1) * across, wide), min((row + 1) * down, high))

    def extents(self) -> tuple[int, int]:
        """What the axes count."""
        return self._grid.extent if self._grid else (1, 1)

    def _steps(self) -> tuple[float, float]:
        """Height and width of a cell in what the axes count."""
        if self._grid is None:
            return 1.0, 1.0
        (high, wide), (rows, columns) = self._grid.extent, self._grid.cells
        return high / rows, wide / columns

    def _scaled(self, lines: Lines) -> Lines:
        down, across = self._steps()
        return np.asarray(lines * np.array([across, down, across, down]), np.float64)

    # What is under the pointer

    def item_at(self, pos: QPointF) -> Hashable | None:
        """The cell under the pointer."""
        grid = self._grid
        if grid is None or not self.plot_rect().contains(pos):
            return None
        (high, wide), (rows, columns) = grid.extent, grid.cells
        row = min(max(int(self.y_axis.to_value(pos.y())), 0), high - 1) * rows // high
        column = min(max(int(self.x_axis.to_value(pos.x())), 0), wide - 1) * columns // wide
        return (row, column) if grid.present[row, column] else None

    def tooltip_for(self, item: Hashable) -> str:
        """Nothing: the line below says it, and a tooltip would cover that."""
        return ""

    def words_for(self, item: object) -> str:
        """What is wrong at a cell, on one line."""
        grid = self._grid
        match item:
            case (int(row), int(column)) if grid is not None:
                return grid.words[grid.number(row, column)]
            case _:
                return ""

    def current_item(self) -> Hashable | None:
        """The cell that the keys are at."""
        return self._at

    def go_to(self, item: tuple[int, int]) -> None:
        """Put the keys at a cell."""
        self._at = item
        self.update()

    def step(self, dx: int, dy: int) -> bool:
        """The next cell that way; from nowhere, the first."""
        grid = self._grid
        if grid is None:
            return False
        rows, columns = grid.cells
        row, column = self._at or (-dy, -dx)
        wanted = (min(max(row + dy, 0), rows - 1), min(max(column + dx, 0), columns - 1))
        if not grid.present[wanted]:
            return True
        self.go_to(wanted)
        self.walked.emit(wanted)
        return True

    def selection_ranges(self) -> tuple[float, float, float, float] | None:
        """Where the keys are."""
        if self._at is None:
            return None
        (down, across), (row, column) = self._steps(), self._at
        return column * across, (column + 1) * across, row * down, (row + 1) * down

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The keys are no longer at a core; the pointer may be."""
        super().focusOutEvent(event)
        self.hovered.emit(self.hover_item)

    # Painting

    def x_ticks(self) -> Ticks:
        """Columns of elements; tiles have labels instead."""
        return self._ticks(super().x_ticks(), self.x_axis, self.extents()[1], px(_APART_X))

    def y_ticks(self) -> Ticks:
        """Rows of elements."""
        ticks = step_ticks(self.y_axis, max(2, int(self.plot_rect().height() / px(36))))
        return self._ticks(ticks, self.y_axis, self.extents()[0], px(_APART_Y))

    def _ticks(self, ticks: Ticks, axis: LinearScale, extent: int, apart: float) -> Ticks:
        """With the last one where the result ends, if that is in view: it seldom ends at a round number."""
        if self._grid is None or self._grid.labels:
            return Ticks((), (), "")
        if axis.hi < extent:
            return ticks
        room = apart / axis.pixels_per_value
        kept = sum(value <= extent - room for value in ticks.values)
        return Ticks((*ticks.values[:kept], extent), (*ticks.labels[:kept], f"{extent:,}"), ticks.unit)

    def paint_grid(self, painter: QPainter) -> None:
        """The picture fills the plot."""

    def paint_plot(self, painter: QPainter, rect: QRectF) -> None:
        """Cells, then the outlines."""
        grid = self._grid
        if grid is None:
            return
        if grid.labels:
            self._paint_tiles(painter, grid)
            return
        high, wide = grid.extent
        painter.drawImage(self.to_rect(0, 0, wide, high), heat_image(grid.shades, active_theme().fill))
        self._paint_lines(painter, self._beyond, active_theme().bad, self._outline())

    def _outline(self) -> int:
        """The width of outlines: thin ones leave small cells to be seen."""
        cell = self.cell_rect(0, 0)
        return 1 if min(cell.width(), cell.height()) < px(_SMALL) else 2

    def _paint_tiles(self, painter: QPainter, grid: HeatGrid) -> None:
        theme, face = active_theme(), font("micro", mono=True)
        metrics = QFontMetricsF(face)
        painter.setFont(face)
        for row, column in np.argwhere(grid.present).tolist():
            rect = self.cell_rect(row, column).adjusted(0, 0, -px(_GAP), -px(_GAP))
            colour = theme.fill[int(grid.shades[row, column])]
            painter.fillRect(rect, qcolor(colour))
            if grid.beyond[row, column]:
                painter.setPen(QPen(qcolor(theme.bad), 2))
                painter.drawRect(rect.adjusted(1, 1, -1, -1))
            label = metrics.elidedText(
                grid.labels[grid.number(row, column)], Qt.TextElideMode.ElideMiddle, rect.width() - px(GRID)
            )
            if rect.height() >= metrics.height():
                painter.setPen(qcolor(theme.text_on(colour)))
                painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, label)

    def _paint_lines(self, painter: QPainter, lines: Lines, colour: str, width: float) -> None:
        """Lines of a colour on a border of the ground's, so that they are seen on every shade."""
        if not len(lines):
            return
        placed = np.empty_like(lines)
        placed[:, 0::2] = np.asarray(self.x_axis.to_px(lines[:, 0::2]))
        placed[:, 1::2] = np.asarray(self.y_axis.to_px(lines[:, 1::2]))
        if width > 1:
            painter.setPen(QPen(qcolor(active_theme().bg), width + 2))
            self._lines.draw(painter, placed)
        painter.setPen(QPen(qcolor(colour), width))
        self._lines.draw(painter, placed)

    def paint_overlay(self, painter: QPainter, rect: QRectF) -> None:
        """Frames around the cells of the selected core and the cell of the keys."""
        if self._grid is None:
            return
        painter.setClipRect(self.plot_rect().adjusted(-2, -2, 2, 2))
        self._paint_lines(painter, self._owned, frame_colour(active_theme()), self._outline())
        if self._hovered in self._pointed:
            self._paint_lines(painter, self._pointed[self._hovered], active_theme().text, self._outline())
        if self._at is not None:
            frame = self.cell_rect(*self._at).adjusted(0, 0, -px(_GAP) if self._grid.labels else 0, 0)
            painter.setPen(QPen(qcolor(active_theme().bg), 4))
            painter.drawRect(frame)
            painter.setPen(QPen(qcolor(active_theme().text), 2))
            painter.drawRect(frame)
