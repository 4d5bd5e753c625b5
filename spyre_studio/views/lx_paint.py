"""Drawing the boxes of the scratchpad map: a bounded number of them, however many buffers there are.

Owns: colours, corners and names of boxes, take-overs, budget line and reserve, and how a crowd of small boxes becomes
one image. Refuses: which boxes those are and where; they come in pixels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPen, QPolygonF

from spyre_studio.colour import mix
from spyre_studio.detail import Floats, Ints
from spyre_studio.occupancy import KINDS, Occupancy
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.theme import GRID, RADIUS_SMALL, Theme
from spyre_studio.units import format_bytes
from spyre_studio.views.paint import Labels, RectBatch, hatch

MOST: Final = 4000  # boxes drawn one by one; of more, the smallest go into an image
BODY: Final = 0.62  # of the kind's colour in a box that is not selected
_DIMMED: Final = 0.13  # the same where another buffer is followed
_ROUNDED: Final = 400  # boxes; with more of them in view corners are not rounded
_CELL: Final = 2  # px of the image of small boxes


@dataclass(slots=True)
class Counts:
    """What the last picture took: rectangles, calls to draw them, names, and images of small boxes."""

    rects: int = 0
    calls: int = 0
    names: int = 0
    images: int = 0


@dataclass(frozen=True, slots=True)
class Crowd:
    """Boxes in view: `rows` of the occupancy, `cut` (n, 4) in pixels, `dimmed` (n,) those that step back."""

    rows: Ints
    cut: Floats
    dimmed: NDArray[np.bool_]


class BoxPainter:
    """Keeps the batches of one map. `counts` is that of the last picture."""

    def __init__(self) -> None:
        self.counts = Counts()
        self._batch = RectBatch()
        self._labels = Labels(font("label"))

    def theme_changed(self) -> None:
        """Fonts are measured anew."""
        self._labels = Labels(font("label"))

    def boxes(self, painter: QPainter, data: Occupancy, crowd: Crowd, rect: QRectF, selected: int) -> None:
        """All boxes, and the selected one (its row, -1 for none) over them."""
        self.counts = Counts()
        theme, codes = active_theme(), data.kinds[crowd.rows] + len(KINDS) * crowd.dimmed
        colours = [mix(theme.bg, theme.kind(kind), share) for share in (BODY, _DIMMED) for kind in KINDS]
        brushes = [qcolor(colour) for colour in colours]
        painter.setPen(Qt.PenStyle.NoPen)
        if len(crowd.rows) > _ROUNDED:
            self._many(painter, crowd.cut, codes, brushes, rect)
        else:
            self.counts.rects = self.counts.calls = len(crowd.rows)
            for (x0, y0, x1, y1), code in zip(crowd.cut.tolist(), codes.tolist(), strict=True):
                painter.setBrush(brushes[code])
                painter.drawRoundedRect(QRectF(x0, y0, x1 - x0, y1 - y0), RADIUS_SMALL, RADIUS_SMALL)
        for place in np.flatnonzero(crowd.rows == selected).tolist():
            x0, y0, x1, y1 = crowd.cut[place].tolist()
            painter.setBrush(qcolor(theme.kind(KINDS[data.kinds[selected]])))
            painter.setPen(QPen(qcolor(theme.text), 2))
            painter.drawRoundedRect(QRectF(x0, y0, x1 - x0, y1 - y0), RADIUS_SMALL, RADIUS_SMALL)
            self.counts.rects += 1

    def _many(
        self, painter: QPainter, cut: Floats, codes: NDArray[np.intp], brushes: list[QColor], rect: QRectF
    ) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if len(cut) > MOST:
            areas = (cut[:, 2] - cut[:, 0]) * (cut[:, 3] - cut[:, 1])
            order = areas.argpartition(len(cut) - MOST)
            small, large = order[: len(cut) - MOST], order[len(cut) - MOST :]
            painter.drawImage(rect, _image(cut[small], codes[small], brushes, rect))
            self.counts.images = 1
            cut, codes = cut[large], codes[large]
        self._batch.draw_by_code(painter, cut, codes, brushes)
        self.counts.rects, self.counts.calls = len(cut), len(np.unique(codes))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def names(
        self, painter: QPainter, data: Occupancy, crowd: Crowd, rect: QRectF, selected: int, titles: Mapping[str, str]
    ) -> None:
        """The name of every box that has room for one."""
        theme, least = active_theme(), self._labels.height
        cut = crowd.cut
        lefts = np.maximum(cut[:, 0], rect.left()) + px(6)
        fits = np.flatnonzero((cut[:, 3] - cut[:, 1] >= least + 2) & (cut[:, 2] - lefts >= px(24)))
        for place in fits.tolist():
            _, y0, x1, y1 = cut[place].tolist()
            left, row = float(lefts[place]), int(crowd.rows[place])
            painter.setPen(qcolor(_ink(theme, KINDS[data.kinds[row]], row == selected, bool(crowd.dimmed[place]))))
            top = max(y0, rect.top()) + min(px(4), (y1 - y0 - least) / 2)
            name = data.residents[row].name
            self._labels.draw(painter, left, top, titles.get(name, name), x1 - left - px(4))
            self.counts.names += 1

    def takeovers(self, painter: QPainter, at: Floats, middle: Floats) -> None:
        """A chevron at each of these points, where a buffer takes over the place of another."""
        half = px(3)
        painter.setPen(QPen(qcolor(active_theme().text), 1.4))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for x, y in zip(at.tolist(), middle.tolist(), strict=True):
            left, right = x - half * 0.7, x + half * 0.7
            painter.drawPolyline(QPolygonF([QPointF(left, y - half), QPointF(right, y), QPointF(left, y + half)]))


def paint_reserve(painter: QPainter, rect: QRectF, data: Occupancy, line: float, ratio: float) -> None:
    """The budget line at the height `line`, and the hatched reserve of the compiler above it."""
    theme = active_theme()
    above = QRectF(rect.left(), rect.top(), rect.width(), line - rect.top())
    painter.fillRect(above, hatch(theme.line, None, ratio))
    pen = QPen(qcolor(theme.bad), 1.5)
    pen.setDashPattern([4, 2])
    painter.setPen(pen)
    painter.drawLine(QPointF(rect.left(), line), QPointF(rect.right(), line))
    painter.setFont(font("micro"))
    metrics = QFontMetricsF(font("micro"))
    words = (
        (f"budget {format_bytes(data.budget)}", line + 2, theme.bad_text),
        (f"reserve {format_bytes(data.lx_bytes - data.budget)}", line - 2 - metrics.height(), theme.mute),
    )
    for text, top, colour in words:
        if top < rect.top() or text.startswith("reserve 0"):
            continue
        width = metrics.horizontalAdvance(text) + px(GRID)
        box = QRectF(rect.right() - width, top, width, metrics.height())
        painter.fillRect(box, qcolor(theme.bg))
        painter.setPen(qcolor(colour))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def _ink(theme: Theme, kind: str, selected: bool, dimmed: bool) -> str:
    """The colour of a name on its box."""
    if dimmed and not selected:
        return theme.mute
    return theme.text_on(theme.kind(kind) if selected else mix(theme.bg, theme.kind(kind), BODY))


def _image(cut: Floats, codes: NDArray[np.intp], brushes: list[QColor], rect: QRectF) -> QImage:
    """Small boxes as cells of an image over `rect`."""
    columns, rows = max(1, round(rect.width() / _CELL)), max(1, round(rect.height() / _CELL))
    scale = np.array([columns / rect.width(), rows / rect.height()] * 2)
    cells = (cut - np.array([rect.left(), rect.top()] * 2)) * scale
    left, top = (
        np.clip(np.floor(cells[:, side]), 0, most - 1).astype(np.intp) for side, most in ((0, columns), (1, rows))
    )
    right, bottom = (
        np.clip(np.ceil(cells[:, side]), 1, most).astype(np.intp) for side, most in ((2, columns), (3, rows))
    )
    wide, high = np.maximum(right - left, 1), np.maximum(bottom - top, 1)
    counts = wide * high
    box = np.repeat(np.arange(len(cut)), counts)
    inside = np.arange(int(counts.sum())) - np.repeat(counts.cumsum() - counts, counts)
    colours = np.array([brush.rgba() for brush in brushes], np.uint32)
    image = QImage(columns, rows, QImage.Format.Format_ARGB32)
    pixels = np.frombuffer(image.bits(), np.uint32).reshape(rows, columns)
    pixels[:] = 0
    pixels[top[box] + inside // wide[box], left[box] + inside % wide[box]] = colours[codes[box]]
    return image
