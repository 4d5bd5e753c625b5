"""Marks over a stick picture: gaps between sticks, notches between lanes, and the numbers that have room.

Owns: at which zoom each of them is drawn, and that their count has a limit.  Refuses: colours of lanes and axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from compiler.layout import SPARSE
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.scales import LinearScale
from spyre_studio.stick_grid import ELEMENT, Ints, StickGrid, unarranged
from spyre_studio.views.paint import RectBatch

if TYPE_CHECKING:
    from spyre_studio.views.stick_paint import Scene, Window

Floats = NDArray[np.float64]

NOTCH: Final = 3.5  # px; lanes at least so long are notched like a ruler
WORDS: Final = 22.0  # px; and at least so long show the place of their element along the stick dim
CELL: Final = 5.0  # px; sticks at least so thick are drawn apart
STICK: Final = 12.0  # px; and at least so long
_RANGE: Final = 150.0  # px; sticks at least so long say which elements they hold
_MOST_NOTCHES: Final = 9000
_MOST_WORDS: Final = 400
_LETTERS: Final = ("a", "b")  # the sticks of a pair


@dataclass(frozen=True, slots=True, eq=False)
class Marked:
    """A picture turned so that sticks lie along `line`, seen places `along`, and side by side along `cross`."""

    grid: StickGrid
    line: LinearScale
    cross: LinearScale
    along: tuple[int, int]
    beside: tuple[int, int]

    @staticmethod
    def of(grid: StickGrid, window: Window) -> Marked:
        """The same for standing and for lying sticks."""
        if grid.upright:
            return Marked(grid, window.y, window.x, window.rows, window.columns)
        return Marked(grid, window.x, window.y, window.columns, window.rows)

    @property
    def lane(self) -> float:
        """Pixels of a lane."""
        return self.line.pixels_per_value

    @property
    def thick(self) -> float:
        """Pixels of a stick across."""
        return self.cross.pixels_per_value

    def ends(self) -> Ints:
        """Places where a stick begins, in view."""
        grid = self.grid
        places = np.arange(*self.along, dtype=np.int64) if self.lane * grid.lanes >= STICK else np.zeros(0, np.int64)
        return np.asarray(places[places % grid.length % grid.lanes == 0], np.int64)

    def rects(self, line: tuple[Floats, Floats], cross: tuple[Floats, Floats]) -> Floats:
        """Every combination of intervals along the line and across it (pixels), as corners."""
        (start, end), (near, far) = line, cross
        count = len(start) * len(near)
        corners = np.empty((count, 4))
        places = (1, 0, 3, 2) if self.grid.upright else (0, 1, 2, 3)
        pairs = ((start, False), (near, True), (end, False), (far, True))
        for place, (values, across) in zip(places, pairs, strict=True):
            corners[:, place] = np.tile(values, len(near)) if not across else np.repeat(values, len(start))
        return corners


def paint_gaps(painter: QPainter, scene: Scene, window: Window, batch: RectBatch) -> None:
    """Cut sticks apart in the colour of the ground: a little as the tensor looks, visibly where memory jumps."""
    marked = Marked.of(scene.grid, window)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(qcolor(active_theme().bg))
    whole_cross = _ends_px(marked.cross, marked.beside)
    whole_line = _ends_px(marked.line, marked.along)
    if marked.thick >= CELL:
        edges = np.arange(marked.beside[0], marked.beside[1] + 1, dtype=np.int64)
        width = np.full(len(edges), 2.0 if marked.thick >= 2 * CELL else 1.0)
        block = scene.grid.size_of(scene.grid.down[-1]) if scene.grid.in_memory_order and scene.grid.down else 1
        if block > 1:
            width[(edges % block == 0) & (edges > 0)] = min(6.0, marked.thick / 2)
        batch.draw(painter, marked.rects(whole_line, _around(marked.cross, edges, width)))
    ends = marked.ends()
    stick = marked.lane * scene.grid.lanes
    gap = min(8.0, stick / 8) if scene.grid.in_memory_order else 2.0
    width = np.full(len(ends), gap)
    if scene.grid.upright:
        width[ends % scene.grid.length == 0] = min(6.0, stick / 4)
    batch.draw(painter, marked.rects(_around(marked.line, ends, width), whole_cross))


def paint_notches(painter: QPainter, scene: Scene, window: Window, batch: RectBatch) -> None:
    """Lanes like the marks of a ruler; cut through where they are wide."""
    marked = Marked.of(scene.grid, window)
    places = np.arange(*marked.along, dtype=np.int64)
    places = places[places % scene.grid.length % scene.grid.lanes != 0]
    rows = np.arange(*marked.beside, dtype=np.int64)
    if marked.lane < NOTCH or marked.thick < CELL or len(places) * len(rows) > _MOST_NOTCHES:
        return
    deep = 1.0 if marked.lane >= WORDS else 0.3
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(qcolor(active_theme().bg, 0.6))
    far = np.asarray(marked.cross.to_px(np.asarray(rows + 1, np.float64)))
    near = far - (far - np.asarray(marked.cross.to_px(rows.astype(np.float64)))) * deep
    batch.draw(painter, marked.rects(_around(marked.line, places, np.ones(len(places))), (near, far)))


def _ends_px(axis: LinearScale, seen: tuple[int, int]) -> tuple[Floats, Floats]:
    return np.array([axis.to_px(float(seen[0]))]), np.array([axis.to_px(float(seen[1]))])


def _around(axis: LinearScale, places: Ints, width: Floats) -> tuple[Floats, Floats]:
    """Pixels around places, rounded so that thin lines stay sharp."""
    middle = np.round(np.asarray(axis.to_px(places.astype(np.float64))) - width / 2)
    return middle, middle + width


# Words


def paint_words(painter: QPainter, scene: Scene, window: Window) -> None:
    """Places of elements where lanes have room, else letters of woven sticks, else the numbers of sticks."""
    marked = Marked.of(scene.grid, window)
    face = font("micro", mono=True)
    metrics = QFontMetricsF(face)
    if marked.thick < metrics.height() * 0.9:
        return
    painter.setFont(face)
    if marked.lane >= WORDS and not scene.grid.upright:
        _paint_places(painter, scene, marked, metrics)
    elif scene.woven and not (scene.grid.in_memory_order and _whole_tones(scene.grid)):
        _paint_letters(painter, scene, marked, metrics)
    else:
        _paint_numbers(painter, scene, marked, metrics)


def _whole_tones(grid: StickGrid) -> bool:
    """True if a stick has one tone."""
    return len(set(grid.tones(np.arange(grid.lanes, dtype=np.int64)).tolist())) == 1


def _paint_places(painter: QPainter, scene: Scene, marked: Marked, metrics: QFontMetricsF) -> None:
    grid, dim = scene.grid, scene.grid.layout.stick_dim
    places, rows = np.arange(*marked.along, dtype=np.int64), np.arange(*marked.beside, dtype=np.int64)
    if len(places) * len(rows) > 4 * _MOST_WORDS:
        return
    side, states = grid.side_across(places), grid.states(rows, places)
    words = [f"{value}" for value in (side.host[dim] if dim != SPARSE else places % grid.lanes).tolist()]
    fit = [metrics.horizontalAdvance(word) <= marked.lane - 4 for word in words]
    inks = scene.inks(rows, places)
    for down, row in enumerate(rows.tolist()):
        base = marked.cross.to_px(row + 0.5) + metrics.ascent() / 2 - 1
        for across, place in enumerate(places.tolist()):
            if states[down, across] == ELEMENT and fit[across]:
                painter.setPen(qcolor(inks[int(down), int(across)]))
                painter.drawText(QPointF(marked.line.to_px(float(place)) + 3, base), words[across])


def _paint_letters(painter: QPainter, scene: Scene, marked: Marked, metrics: QFontMetricsF) -> None:
    """'a' and 'b' in the groups of lanes that a cast dealt out."""
    grid = scene.grid
    places = np.arange(*marked.along, dtype=np.int64)
    tones = grid.tones(places % grid.length)
    starts = np.flatnonzero(np.diff(tones.astype(np.int8), prepend=-1))
    rows = np.arange(*marked.beside, dtype=np.int64)
    room = marked.lane * 4
    if room < metrics.horizontalAdvance("a") + 3 or len(starts) * len(rows) > 2 * _MOST_WORDS:
        return
    firsts = places[starts]
    lines, sides = (firsts, rows) if grid.upright else (rows, firsts)
    states, inks = grid.states(lines, sides), scene.inks(lines, sides)
    for beside, row in enumerate(rows.tolist()):
        for along, place in enumerate(firsts.tolist()):
            here = (along, beside) if grid.upright else (beside, along)
            if states[here] == ELEMENT:
                painter.setPen(qcolor(inks[here]))
                letter = _LETTERS[tones[starts[along]]]
                _draw(painter, marked, metrics, (place + 2.0, row + 0.5), letter, centred=True)


def _paint_numbers(painter: QPainter, scene: Scene, marked: Marked, metrics: QFontMetricsF) -> None:
    """The number of every stick in memory, and its elements where there is room."""
    grid, lane = scene.grid, marked.lane
    first = marked.along[0] // grid.lanes * grid.lanes
    starts = np.arange(first, marked.along[1], grid.lanes, dtype=np.int64)
    beside = np.arange(*marked.beside, dtype=np.int64)
    if lane * grid.lanes < metrics.horizontalAdvance("0") + px(8) or len(starts) * len(beside) > _MOST_WORDS:
        return
    rows, columns = (starts, beside) if grid.upright else (beside, starts)
    numbers, states = scene.model.stick_numbers(grid, rows, columns), grid.states(rows, columns)
    inks, letters = (
        scene.inks(rows, columns),
        [f" {_LETTERS[tone]}" if scene.woven else "" for tone in grid.tones(starts)],
    )
    fills = [_filled(grid, int(start)) for start in starts]
    told = _Contents(grid, rows, columns) if lane * grid.lanes >= px(_RANGE) else None
    for side, along in product(range(len(beside)), range(len(starts))):
        here = (along, side) if grid.upright else (side, along)
        if states[here] != ELEMENT:
            continue
        seen = max(int(starts[along]), marked.along[0])
        room = (int(starts[along]) + grid.lanes - seen) * lane - px(8)
        words = f"{numbers[here]:,}{letters[along]}"
        longer = f"{words}  {told.words(*here)}" if told is not None else words
        shown = next((each for each in (longer, words) if metrics.horizontalAdvance(each) <= room), "")
        at = (float(seen), int(beside[side]) + 0.5)
        if shown and fills[along] * lane < metrics.horizontalAdvance(shown) + px(8):
            _clear(painter, marked, metrics, at, shown, fills[along])
            painter.setPen(qcolor(active_theme().text))
        else:
            painter.setPen(qcolor(inks[here]))
        _draw(painter, marked, metrics, at, shown)


def _filled(grid: StickGrid, start: int) -> int:
    """Lanes from the first on that the stick beginning at a place of the line has elements in."""
    dim = grid.layout.stick_dim
    return 1 if dim == SPARSE else min(grid.lanes, grid.shape[dim] - start % grid.length)


def _clear(
    painter: QPainter, marked: Marked, metrics: QFontMetricsF, at: tuple[float, float], words: str, filled: int
) -> None:
    """Room for words where they reach beyond the filled lanes, over padding."""
    line, cross = marked.line.to_px(at[0]), marked.cross.to_px(at[1])
    start, end = line + filled * marked.lane, line + metrics.horizontalAdvance(words) + px(8)
    tall = marked.thick - 2
    room = QRectF(start, cross - tall / 2, end - start, tall)
    if marked.grid.upright:
        room = QRectF(room.y(), room.x(), tall, end - start)
    painter.fillRect(room, qcolor(active_theme().bg))


class _Contents:
    """What sticks hold, as '[3,64–127]'; the host indices of rows and columns are looked up once."""

    def __init__(self, grid: StickGrid, rows: Ints, columns: Ints) -> None:
        self.rank, self.along = len(grid.shape), grid.layout.stick_dim
        self.sides = [
            {dim: [str(value) for value in values.tolist()] for dim, values in side.host.items() if dim != self.along}
            for side in (grid.side_down(rows), grid.side_across(columns))
        ]
        starts = rows if grid.upright else columns
        self.runs = [_run_words(grid, start) for start in (starts % grid.length).tolist()]
        self.upright = grid.upright

    def words(self, row: int, column: int) -> str:
        """The contents of the stick at a row and a column of those given."""
        down, across = self.sides
        parts = []
        for dim in range(self.rank):
            if dim == self.along:
                parts.append(self.runs[row if self.upright else column])
            elif dim in down:
                parts.append(down[dim][row])
            else:
                parts.append(across[dim][column] if dim in across else "0")
        return f"[{','.join(parts)}]"


def _run_words(grid: StickGrid, start: int) -> str:
    """'64–127' for the stick that begins at a place along the line; the first two runs where it is woven."""
    dim = grid.layout.stick_dim
    if dim == SPARSE:
        return ""
    places = np.arange(start, start + grid.lanes, dtype=np.int64)
    host = unarranged(places, grid.layout) if grid.in_memory_order else places
    host = host[host < grid.shape[dim]]
    cuts = np.flatnonzero(np.diff(host) != 1) + 1
    runs = [f"{part[0]}–{part[-1]}" if len(part) > 1 else f"{part[0]}" for part in np.split(host, cuts) if len(part)]
    return ", ".join(runs[:2]) + (", …" if len(runs) > 2 else "")


def _draw(
    painter: QPainter,
    marked: Marked,
    metrics: QFontMetricsF,
    at: tuple[float, float],
    words: str,
    centred: bool = False,
) -> None:
    """Words along a stick from `at` (lanes, sticks) on, or around it; turned where sticks stand."""
    line, cross = marked.line.to_px(at[0]), marked.cross.to_px(at[1])
    shift = -metrics.horizontalAdvance(words) / 2 if centred else px(5)
    if not marked.grid.upright:
        painter.drawText(QPointF(line + shift, cross + metrics.ascent() / 2 - 1), words)
        return
    painter.save()
    painter.translate(cross, line)
    painter.rotate(90)
    painter.drawText(QPointF(shift, metrics.ascent() / 2 - 1), words)
    painter.restore()
