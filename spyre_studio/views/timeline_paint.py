"""Painting lanes of a timeline: boxes where there is room for them, else one image with a pixel per column and lane.

Owns: level of detail, batches, names in boxes, the outline of the critical path.  Refuses: axes, events and what is
selected; it is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QPen

from simulator.trace import CARD, Wide
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.scales import LinearScale
from spyre_studio.timeline_data import TimelineData, Track, TrackKind
from spyre_studio.timeline_detail import edges_of, in_view, sampled
from spyre_studio.timeline_lanes import Lane
from spyre_studio.timeline_words import CAUSES
from spyre_studio.views.paint import Labels, LineBatch, RectBatch
from spyre_studio.views.timeline_palette import PLAIN, SELECTED, Codes, Palette, codes_of, is_hatched

Floats = NDArray[np.float64]

_DENSE: Final = 4  # px a box; with less of them a lane is sampled
_MOST: Final = 12_000  # boxes of all lanes
_SAMPLES: Final = 90_000  # of all lanes; on large screens a sample is two pixels wide
_NAMED: Final = 50  # px; wider boxes have their names
_NAMES: Final = 400  # the widest ones
_SEEN: Final = 0.7  # of the height of a lane; with less of it in view its texts would be cut
_INSET: Final = 2  # px above and below a box
_OUTLINED: Final = 5  # px; wider pieces of the critical path get an outline


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """Boxes in pixels (n, 4) with their looks, and for each its track and place in it."""

    rects: Floats
    codes: Codes
    tracks: Codes
    places: Codes


@dataclass(slots=True)
class Counts:
    """What a picture took: boxes drawn, lanes that were sampled, names.  Whoever looks sets it back."""

    boxes: int = 0
    sampled: int = 0
    names: int = 0


class LanePainter:
    """Keeps batches and texts between pictures."""

    def __init__(self) -> None:
        self._data: TimelineData | None = None
        self._kinds: Codes = np.zeros(0, np.intp)
        self._titles: Sequence[str] = ()
        self._states: Codes = np.zeros(0, np.intp)
        self._palette: Palette | None = None
        self._batch, self._lines = RectBatch(), LineBatch()
        self._names = Labels(font("label"))
        self._link_cores: Codes = np.zeros(0, np.intp)
        self.counts = Counts()

    def show_data(self, data: TimelineData, kinds: Codes, titles: Sequence[str]) -> None:
        """Another run; `kinds` (codes into KINDS) and `titles` are by step."""
        self._data, self._kinds, self._titles = data, kinds, titles
        self._link_cores = np.array([link.core for link in data.trace.critical], np.intp)
        self.show_step(-1)

    def show_step(self, step: int) -> None:
        """Everything but this step is dimmed; -1 for none."""
        states = np.full(len(self._titles), PLAIN if step < 0 else 1, np.intp)
        if step >= 0:
            states[step] = SELECTED
        self._states = states

    def forget_looks(self) -> None:
        """Another theme, font or screen."""
        self._palette = None
        self._names = Labels(font("label"))

    def paint(self, painter: QPainter, rect: QRectF, axis: LinearScale, lanes: Sequence[Lane]) -> None:
        """The lanes, in pixels, into the plot `rect`."""
        data = self._data
        if data is None or not lanes:
            return
        ratio = painter.device().devicePixelRatio()
        if self._palette is None:
            self._palette = Palette.of(active_theme(), ratio)
        limit = min(rect.width() / _DENSE, _MOST / len(lanes))
        dense: list[Lane] = []
        sparse: list[tuple[Lane, int, int]] = []
        for lane in lanes:
            first, last = in_view(data.tracks[lane.track], axis.lo, axis.hi)
            if last - first > limit:
                dense.append(lane)
            elif last > first:
                sparse.append((lane, first, last))
        if dense:
            columns = max(1, min(round(rect.width() * ratio), _SAMPLES // len(dense)))
            self._paint_sampled(painter, rect, data, dense, edges_of(axis.lo, axis.hi, columns))
        boxes = _gathered(data, sparse, axis, rect, (self._kinds, self._states))
        self._paint_boxes(painter, boxes)
        self._paint_names(painter, data, boxes, rect)

    def _paint_sampled(
        self, painter: QPainter, rect: QRectF, data: TimelineData, lanes: Sequence[Lane], edges: Wide
    ) -> None:
        assert self._palette is not None
        columns = len(edges) - 1
        image = QImage(columns, len(lanes), QImage.Format.Format_RGB32)
        pixels = np.frombuffer(image.bits(), np.uint32).reshape(len(lanes), columns)
        for row, lane in enumerate(lanes):
            pixels[row] = self._sampled_row(data.tracks[lane.track], edges)
        for row, lane in enumerate(lanes):
            box = QRectF(rect.left(), lane.top + _INSET, rect.width(), lane.height - 2 * _INSET)
            painter.drawImage(box, image, QRectF(0, row, columns, 1))
        self.counts.sampled += len(lanes)

    def _sampled_row(self, track: Track, edges: Wide) -> NDArray[np.uint32]:
        assert self._palette is not None
        rows = sampled(track, edges)
        seen = rows >= 0
        codes = np.full(len(rows), len(self._palette.brushes), np.intp)
        codes[seen] = codes_of(track, rows[seen], self._kinds, self._states)
        return self._palette.pixels[codes]

    def _paint_boxes(self, painter: QPainter, boxes: Boxes) -> None:
        assert self._palette is not None
        painter.setPen(Qt.PenStyle.NoPen)
        self._batch.draw_by_code(painter, boxes.rects, boxes.codes, self._palette.brushes)
        self.counts.boxes += len(boxes.rects)

    def _paint_names(self, painter: QPainter, data: TimelineData, boxes: Boxes, rect: QRectF) -> None:
        assert self._palette is not None
        theme, least, pad = active_theme(), self._names.height, px(4)
        left = np.maximum(boxes.rects[:, 0], rect.left())
        width = np.minimum(boxes.rects[:, 2], rect.right()) - left
        clip, low, high = painter.clipBoundingRect(), boxes.rects[:, 1], boxes.rects[:, 3]
        whole = np.minimum(high, clip.bottom()) - np.maximum(low, clip.top()) >= _SEEN * (high - low)
        wide = np.flatnonzero((width >= px(_NAMED)) & whole)
        if len(wide) > _NAMES:
            wide = wide[np.argsort(-width[wide], kind="stable")[:_NAMES]]
        for place in wide.tolist():
            x, y, room = float(left[place]) + pad, float(boxes.rects[place, 1]), float(width[place]) - 2 * pad
            track, code = data.tracks[int(boxes.tracks[place])], int(boxes.codes[place])
            text = self._name(data, track, int(boxes.places[place]))
            top = y + (boxes.rects[place, 3] - y - least) / 2
            if is_hatched(code):
                shown = min(self._names.width(text), room)
                painter.fillRect(QRectF(x - 2, y, shown + 4, boxes.rects[place, 3] - y), qcolor(theme.bg))
                painter.setPen(qcolor(theme.text))
            else:
                painter.setPen(qcolor(theme.text_on(self._palette.grounds[code])))
            self._names.draw(painter, x, top, text, room)
        self.counts.names += len(wide)

    def _name(self, data: TimelineData, track: Track, place: int) -> str:
        if track.kind is TrackKind.KERNELS:
            return data.trace.kernels[place].name
        row = track.box(place)[0]
        title = self._titles[int(track.step[row])]
        match track.kind:
            case TrackKind.WAITS:
                return CAUSES[int(track.cause[row])].title
            case TrackKind.UNIT if track.tiles is not None:
                tile = int(track.tiles.number[row]) + place - int(track.tiles.offset[row])
                return f"{title} · tile {tile}"
            case TrackKind.CRITICAL:
                return f"{title} · {CAUSES[int(track.cause[row])].title}"
            case _:
                return title

    def paint_critical(self, painter: QPainter, rect: QRectF, axis: LinearScale, lanes: Sequence[Lane]) -> None:
        """The critical path over the lanes of cores and host: a line under each piece, an outline round the wide ones,
        and where it goes from one core to another."""
        data = self._data
        if data is None:
            return
        track = data.tracks[data.card[1]]
        first, last = in_view(track, axis.lo, axis.hi)
        tops = _tops(data, lanes)
        top = tops[self._link_cores[first:last] - CARD]
        x0 = np.clip(axis.to_px(track.start[first:last].astype(float)), rect.left() - 2, rect.right() + 2)
        x1 = np.clip(axis.to_px(track.end[first:last].astype(float)), rect.left() - 2, rect.right() + 2)
        height = lanes[0].height if lanes else 0.0
        seen = ~np.isnan(top)
        colour = qcolor(active_theme().text)
        painter.setBrush(colour)
        painter.setPen(Qt.PenStyle.NoPen)
        bottom = top + height
        bars = np.stack([x0, bottom - 2, np.maximum(x1, x0 + 1), bottom], axis=1)
        self._batch.draw(painter, bars[seen])
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(colour, 1.5))
        wide = seen & (x1 - x0 >= _OUTLINED)
        frames = np.stack([x0 + 0.5, top + 1.5, x1 - 0.5, bottom - 1], axis=1)
        self._batch.draw(painter, frames[wide])
        jumps = np.flatnonzero(seen[1:] & seen[:-1] & (top[1:] != top[:-1]))
        middle = top + height / 2
        self._lines.draw(painter, np.stack([x1[jumps], middle[jumps], x1[jumps], middle[jumps + 1]], axis=1))


def _tops(data: TimelineData, lanes: Sequence[Lane]) -> Floats:
    """Where the lane of steps of each core is (CARD first: the host's), in pixels; NaN where it is not in view."""
    tops = np.full(data.trace.cores - CARD, np.nan)
    for lane in lanes:
        if lane.is_head or data.tracks[lane.track].kind is TrackKind.HOST:
            tops[lane.core - CARD] = lane.top
    return tops


def _gathered(
    data: TimelineData,
    pieces: Sequence[tuple[Lane, int, int]],
    axis: LinearScale,
    rect: QRectF,
    looks: tuple[Codes, Codes],
) -> Boxes:
    """The boxes of many lanes as one array, cut to the view; a hair is left between neighbours that are wide enough."""
    starts: list[Wide] = []
    ends: list[Wide] = []
    codes: list[Codes] = []
    places: list[Codes] = []
    for lane, first, last in pieces:
        track, place = data.tracks[lane.track], np.arange(first, last)
        start, end = track.times(place)
        starts.append(start)
        ends.append(end)
        codes.append(codes_of(track, track.row_of(place), *looks))
        places.append(place)
    counts = [last - first for _, first, last in pieces]
    top = np.repeat([lane.top + _INSET for lane, _, _ in pieces], counts)
    height = np.repeat([lane.height - 2 * _INSET for lane, _, _ in pieces], counts)
    x0 = axis.to_px(np.concatenate([*starts, np.zeros(0, np.int64)]).astype(float))
    x1 = axis.to_px(np.concatenate([*ends, np.zeros(0, np.int64)]).astype(float))
    x1 = np.where(x1 - x0 >= _DENSE, x1 - 1, np.maximum(x1, x0 + 1))
    x0, x1 = (np.clip(x, rect.left() - 2, rect.right() + 2) for x in (x0, x1))
    rects = np.stack([x0, top, x1, top + height], axis=1)
    nothing = np.zeros(0, np.intp)
    tracks = np.repeat([lane.track for lane, _, _ in pieces], counts).astype(np.intp)
    return Boxes(rects, np.concatenate([*codes, nothing]), tracks, np.concatenate([*places, nothing]))
