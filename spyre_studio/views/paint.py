"""Drawing many things at once from numpy arrays, and the pens, brushes and texts that all pictures share.

Owns: batches of rectangles and lines, cached labels, dash and hatch styles, edge paths, arrowheads, heat images.
Refuses: what they stand for. Positions are in the painter's coordinates (pixels, unless the caller transformed it).
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Generic, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QPainter,
    QPainterPath,
    QPen,
    QStaticText,
    QTransform,
)
from shiboken6 import Shiboken

from spyre_studio.qt_theme import active_theme, qcolor
from spyre_studio.theme import DASHES, Fate

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

Shape = TypeVar("Shape", QRectF, QLineF)

_HATCH_TILE: Final = 8  # px between hatch lines
_MAX_LABELS: Final = 4096


class _Batch(Generic[Shape]):
    """A growing buffer of four doubles per shape, seen by Qt as shapes without copying.

    PySide takes lists only, and building objects costs far more than drawing them. So the objects are made once over
    the buffer, and only its numbers change. A new buffer comes with new objects; the old ones go first, because they
    point into the old buffer.
    """

    def __init__(self, kind: type[Shape]) -> None:
        self._kind: type[Shape] = kind
        self._shapes: list[Shape] = []  # goes first, so it stands first: it points into the buffer
        self._buffer = np.empty((0, 4))

    def shapes(self, values: Floats) -> list[Shape]:
        """One shape per row; valid until the next call."""
        count = len(values)
        if count > len(self._buffer):
            self._grow(max(count, 2 * len(self._buffer), 256))
        self._buffer[:count] = values
        return self._shapes[:count]

    def _grow(self, size: int) -> None:
        self._shapes = []
        self._buffer = np.empty((size, 4))
        base, step = self._buffer.ctypes.data, self._buffer.strides[0]
        self._shapes = [cast("Shape", Shiboken.wrapInstance(base + step * row, self._kind)) for row in range(size)]


class RectBatch:
    """Draws rectangles (n, 4) given by their corners x0, y0, x1, y1. Keep one per canvas and use it for all of them."""

    def __init__(self) -> None:
        self._batch = _Batch(QRectF)

    def draw(self, painter: QPainter, rects: Floats) -> None:
        """All rectangles with the painter's pen and brush."""
        if len(rects):
            sized = np.concatenate([rects[:, :2], rects[:, 2:] - rects[:, :2]], axis=1)
            painter.drawRects(self._batch.shapes(sized))

    def draw_by_code(self, painter: QPainter, rects: Floats, codes: Ints, brushes: Sequence[QBrush | QColor]) -> None:
        """Each rectangle filled with `brushes[code]`, one Qt call per brush in use."""
        for code in np.unique(codes).tolist():
            painter.setBrush(brushes[code])
            self.draw(painter, rects[codes == code])


class LineBatch:
    """Draws lines (n, 4) given by their ends x0, y0, x1, y1."""

    def __init__(self) -> None:
        self._batch = _Batch(QLineF)

    def draw(self, painter: QPainter, lines: Floats) -> None:
        """All lines with the painter's pen."""
        if len(lines):
            painter.drawLines(self._batch.shapes(lines))

    def draw_by_code(self, painter: QPainter, lines: Floats, codes: Ints, pens: Sequence[QPen]) -> None:
        """Each line with `pens[code]`, one Qt call per pen in use."""
        for code in np.unique(codes).tolist():
            painter.setPen(pens[code])
            self.draw(painter, lines[codes == code])


class Labels:
    """Texts of one font, elided to a width and laid out once. Make a new one when the font changes."""

    def __init__(self, font: QFont) -> None:
        self._font = font
        self._metrics = QFontMetricsF(font)
        self._texts: dict[tuple[str, int], QStaticText] = {}

    @property
    def height(self) -> float:
        """Height of a line."""
        return self._metrics.height()

    def width(self, text: str) -> float:
        """Width of a text that is not elided."""
        return self._metrics.horizontalAdvance(text)

    def draw(self, painter: QPainter, x: float, y: float, text: str, width: float) -> None:
        """`text` with its top left corner at (x, y), elided to `width`; nothing where not even two letters fit."""
        if width >= self.width(text[:2] + "…") or width >= self.width(text):
            painter.setFont(self._font)
            painter.drawStaticText(QPointF(x, y), self._laid_out(text, width))

    def draw_right(self, painter: QPainter, right: float, y: float, text: str) -> None:
        """`text` ending at `right`, never elided: numbers are shown whole or not at all."""
        self.draw(painter, right - self.width(text), y, text, self.width(text) + self.height)

    def _laid_out(self, text: str, width: float) -> QStaticText:
        key = (text, int(width))
        if key not in self._texts:
            if len(self._texts) >= _MAX_LABELS:
                self._texts.clear()
            made = QStaticText(self._metrics.elidedText(text, Qt.TextElideMode.ElideRight, width))
            made.setTextFormat(Qt.TextFormat.PlainText)
            made.prepare(QTransform(), self._font)
            self._texts[key] = made
        return self._texts[key]


def fate_pen(fate: Fate, width: float = 1.5) -> QPen:
    """The line of data that stays in LX (solid), goes to device memory (dotted) or is moved (dashed)."""
    pen = QPen(qcolor(active_theme().fate(fate)), width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if DASHES[fate]:
        pen.setDashPattern(list(DASHES[fate]))
    return pen


@lru_cache(maxsize=64)
def hatch(colour: str, ground: str | None = None, ratio: float = 1.0) -> QBrush:
    """Diagonal lines of `colour` on `ground` (None: on what is there): data outside LX. `ratio`: device pixel ratio."""
    side = round(_HATCH_TILE * ratio)
    # An image, not a pixmap: the cache may outlive the application, which a pixmap must not.
    tile = QImage(side, side, QImage.Format.Format_ARGB32_Premultiplied)
    tile.fill(qcolor(ground) if ground else Qt.GlobalColor.transparent)
    painter = QPainter(tile)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(qcolor(colour), 1.4 * ratio))
    for shift in (-side, 0, side):  # the neighbours' lines close the corners
        painter.drawLine(QPointF(shift - 1, side + 1), QPointF(shift + side + 1, -1))
    painter.end()
    tile.setDevicePixelRatio(ratio)
    return QBrush(tile)


@lru_cache(maxsize=16)
def rings(colour: str, ground: str, ratio: float = 1.0) -> QBrush:
    """Small rings of `colour` on `ground`, like the digit: zeros that were written to fill a tensor up."""
    side = round(_HATCH_TILE * ratio)
    tile = QImage(side, side, QImage.Format.Format_RGB32)
    tile.fill(qcolor(ground))
    painter = QPainter(tile)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(qcolor(colour), 1.1 * ratio))
    painter.drawEllipse(QRectF(side * 0.28, side * 0.18, side * 0.4, side * 0.6))
    painter.end()
    tile.setDevicePixelRatio(ratio)
    return QBrush(tile)


def route_path(points: Floats) -> QPainterPath:
    """One route of the layout (2 k, 2) as a path with curves, for dashed or highlighted edges (see curves.py)."""
    rows = points.tolist()
    path = QPainterPath(QPointF(*rows[0]))
    for place in range(1, len(rows)):
        (x0, y0), (x1, y1) = rows[place - 1], rows[place]
        if place % 2 or x0 == x1:
            path.lineTo(x1, y1)
        else:
            middle = (y0 + y1) / 2
            path.cubicTo(x0, middle, x1, middle, x1, y1)
    return path


def draw_arrows(painter: QPainter, tips: Floats, upwards: NDArray[np.bool_], size: float) -> None:
    """Filled arrowheads with their points at `tips` (n, 2), looking down, or up where told; the painter's brush."""
    path = QPainterPath()
    path.setFillRule(Qt.FillRule.WindingFill)  # edges that end at one point must not cancel each other's heads
    for (x, y), up in zip(tips.tolist(), upwards.tolist(), strict=True):
        back = y + size if up else y - size
        path.moveTo(x, y)
        path.lineTo(x - size * 0.6, back)
        path.lineTo(x + size * 0.6, back)
        path.closeSubpath()
    painter.drawPath(path)


def heat_image(levels: NDArray[np.uint8], colours: Sequence[str]) -> QImage:
    """(rows, columns) of 0..255 as an image with one pixel per value, in the 256 colours of a scale of the theme.

    Draw it with `drawImage` into a rectangle; without SmoothPixmapTransform its pixels stay sharp.
    """
    rows, columns = levels.shape
    pixels = _colour_table(tuple(colours))[levels]
    image = QImage(columns, rows, QImage.Format.Format_RGB32)
    if rows and columns:
        np.frombuffer(image.bits(), np.uint32).reshape(rows, columns)[:] = pixels
    return image


@lru_cache(maxsize=8)
def _colour_table(colours: tuple[str, ...]) -> NDArray[np.uint32]:
    return np.array([0xFF000000 | int(colour[1:], 16) for colour in colours], np.uint32)
