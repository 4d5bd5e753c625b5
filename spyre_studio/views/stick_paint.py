"""Painting of a stick picture: a sample per lane or pixel in the colour of its core, hatch and rings where nothing is.

Owns: what a part of a `StickGrid` looks like, and its colours.  Refuses: events, axes, and the marks over the picture;
whoever paints says which columns and rows lie where.  Nothing is computed for what is not in view.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from compiler.layout import Arrangement
from spyre_studio.colour import mix
from spyre_studio.qt_theme import active_theme, qcolor
from spyre_studio.scales import LinearScale
from spyre_studio.stick_grid import PADDING, ZERO, StickGrid
from spyre_studio.stick_model import NOBODY, StickModel
from spyre_studio.theme import Theme
from spyre_studio.views.paint import RectBatch, hatch, rings
from spyre_studio.views.stick_marks import paint_gaps, paint_notches, paint_words

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

_VEILED = 0.66  # how opaque the veil is


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """What is drawn: a tensor, laid flat, on a device of so many cores."""

    model: StickModel
    grid: StickGrid
    cores: int

    @property
    def woven(self) -> bool:
        """True if a cast left pairs of sticks interleaved."""
        return self.grid.layout.arrangement is not Arrangement.STANDARD and not self.grid.layout.sparse

    def inks(self, rows: Ints, columns: Ints) -> NDArray[np.object_]:
        """Colours in which words can be read on the lanes at `rows` x `columns`."""
        theme = active_theme()
        first, second = shades(theme, self.cores)
        table = np.array([*(theme.text_on(colour) for colour in (*first, *second)), theme.text], np.object_)
        return np.asarray(table[_codes(self, rows, columns)], np.object_)


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """The part in view: axes, and the first and one past the last row and column."""

    x: LinearScale
    y: LinearScale
    rows: tuple[int, int]
    columns: tuple[int, int]

    @staticmethod
    def of(grid: StickGrid, x: LinearScale, y: LinearScale) -> Window:
        """What of a grid the axes show."""
        rows = max(int(y.lo), 0), min(int(np.ceil(y.hi)), grid.rows)
        columns = max(int(x.lo), 0), min(int(np.ceil(x.hi)), grid.columns)
        return Window(x, y, rows, columns)

    def rect(self, left: float, top: float, right: float, bottom: float) -> QRectF:
        """A part of the grid in pixels."""
        corner = QPointF(self.x.to_px(left), self.y.to_px(top))
        return QRectF(corner, QPointF(self.x.to_px(right), self.y.to_px(bottom)))

    @property
    def area(self) -> QRectF:
        """All of the grid that is in view, in pixels."""
        return self.rect(self.columns[0], self.rows[0], self.columns[1], self.rows[1])


def paint_sticks(painter: QPainter, scene: Scene, window: Window, batch: RectBatch) -> None:
    """Everything inside the axes."""
    area = window.area.intersected(painter.clipBoundingRect())
    _paint_ground(painter, scene, window, area)
    image, where = picture(scene, window, area)
    painter.drawImage(where, image)
    paint_notches(painter, scene, window, batch)
    paint_gaps(painter, scene, window, batch)
    paint_words(painter, scene, window)


def picture(scene: Scene, window: Window, area: QRectF) -> tuple[QImage, QRectF]:
    """The lanes in `area` (pixels) as an image, one pixel a lane or one pixel a pixel, and where to draw it."""
    columns, left, right = _samples(window.x, window.columns, area.left(), area.right())
    rows, top, bottom = _samples(window.y, window.rows, area.top(), area.bottom())
    codes = np.ascontiguousarray(_codes(scene, rows, columns))
    image = QImage(codes.data, len(columns), len(rows), len(columns), QImage.Format.Format_Indexed8).copy()
    image.setColorTable(_table(active_theme(), scene.cores))
    return image, QRectF(QPointF(left, top), QPointF(right, bottom))


class Veil:
    """Covers what a core has no part in, made once for each core and part in view."""

    def __init__(self) -> None:
        self._key: tuple[Scene, LinearScale, LinearScale, QRectF, int, str] | None = None
        self._image, self._where = QImage(), QRectF()

    def paint(self, painter: QPainter, scene: Scene, window: Window, inside: QRectF, core: int) -> None:
        """Cover the others in `inside` (pixels); nothing is covered where the core has nothing at all."""
        key = (scene, window.x, window.y, inside, core, active_theme().name)
        if key != self._key:
            self._key = key
            self._image, self._where = _veil(scene, window, window.area.intersected(inside), core)
        if not self._image.isNull():
            painter.drawImage(self._where, self._image)


def _veil(scene: Scene, window: Window, area: QRectF, core: int) -> tuple[QImage, QRectF]:
    if core not in scene.model.owners.cores or area.isEmpty():
        return QImage(), QRectF()
    columns, left, right = _samples(window.x, window.columns, area.left(), area.right())
    rows, top, bottom = _samples(window.y, window.rows, area.top(), area.bottom())
    codes = np.ascontiguousarray(scene.model.held(scene.grid, rows, columns, core), np.uint8)
    image = QImage(codes.data, len(columns), len(rows), len(columns), QImage.Format.Format_Indexed8).copy()
    image.setColorTable([qcolor(active_theme().bg, _VEILED).rgba(), 0])
    return image, QRectF(QPointF(left, top), QPointF(right, bottom))


@lru_cache(maxsize=8)
def shades(theme: Theme, cores: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A colour per core in steps that follow its number, then one for nobody; the same in the second tone, for the
    other stick of a pair."""
    first = _ramp(theme, theme.matmul, cores), mix(theme.panel, theme.mute, 0.38)
    second = _ramp(theme, theme.reduction, cores), mix(theme.panel, theme.reduction, 0.38)
    return (*first[0], first[1]), (*second[0], second[1])


def _ramp(theme: Theme, hue: str, cores: int) -> tuple[str, ...]:
    return tuple(mix(theme.panel, hue, 0.36 + 0.56 * core / max(cores - 1, 1)) for core in range(cores))


@lru_cache(maxsize=8)
def _table(theme: Theme, cores: int) -> list[int]:
    """Colours of the codes: two tones of every core and of nobody, and nothing where no element lies."""
    first, second = shades(theme, cores)
    solid = [QColor(colour).rgba() for colour in (*first, *second)]
    return [*solid, 0]


def _samples(axis: LinearScale, seen: tuple[int, int], start: float, end: float) -> tuple[Ints, float, float]:
    """The lanes in view between two pixels, or one lane per pixel where there are more; and the pixels they take."""
    first, last = seen
    pixels = max(1, round(end - start))
    if last - first <= pixels:
        return np.arange(first, last, dtype=np.int64), axis.to_px(float(first)), axis.to_px(float(last))
    middles = axis.to_value(start + np.arange(pixels, dtype=np.float64) + 0.5)
    return np.clip(np.floor(middles).astype(np.int64), first, last - 1), start, start + pixels


def _codes(scene: Scene, rows: Ints, columns: Ints) -> Bytes:
    """Index of every lane into the colour table; cores are asked for once per stick."""
    grid, nobody = scene.grid, scene.cores
    line, other = (rows, columns) if grid.upright else (columns, rows)
    _, first, stick_of = np.unique(grid.stick_keys(line), return_index=True, return_inverse=True)
    ends = line[first]
    cores = scene.model.cores(grid, ends, other) if grid.upright else scene.model.cores(grid, other, ends)
    small = np.where(cores == NOBODY, nobody, np.minimum(cores, nobody - 1)).astype(np.uint8)
    codes = np.take(small, stick_of, axis=0 if grid.upright else 1)
    if scene.woven:
        tones = grid.tones(line % grid.length) * np.uint8(nobody + 1)
        codes += tones[:, None] if grid.upright else tones[None, :]
    down, across = grid.side_down(rows).state, grid.side_across(columns).state
    for state in (PADDING, ZERO):
        codes[down == state] = 2 * nobody + 2
        codes[:, across == state] = 2 * nobody + 2
    return codes


def _paint_ground(painter: QPainter, scene: Scene, window: Window, area: QRectF) -> None:
    """Hatched where nothing is defined, rings where zeros are; the picture lies over it and is open there."""
    theme, ratio = active_theme(), painter.device().devicePixelRatioF()
    painter.fillRect(area, hatch(theme.mute, theme.bg, ratio))
    rows, top, bottom = _samples(window.y, window.rows, area.top(), area.bottom())
    columns, left, right = _samples(window.x, window.columns, area.left(), area.right())
    brush = rings(theme.mute, mix(theme.bg, theme.mute, 0.12), ratio)
    for start, stop in _runs(scene.grid.side_down(rows).state == ZERO):
        scale = (bottom - top) / len(rows)
        painter.fillRect(QRectF(left, top + start * scale, right - left, (stop - start) * scale), brush)
    for start, stop in _runs(scene.grid.side_across(columns).state == ZERO):
        scale = (right - left) / len(columns)
        painter.fillRect(QRectF(left + start * scale, top, (stop - start) * scale, bottom - top), brush)


def _runs(mask: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """(first, one past the last) of every run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], mask.astype(np.int8), [0]))))
    return [(int(start), int(stop)) for start, stop in edges.reshape(-1, 2)]
