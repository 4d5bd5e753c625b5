"""Level of detail without Qt: fewer numbers than pixels, rectangles under a point, rectangles cut to the view.

Owns: reduction of occupancy arrays by maximum (a short peak over the budget must never vanish), hit tests and clipping
of rectangle arrays. Refuses: Qt, colours and painting. Rectangles are (n, 4) float arrays of x0, y0, x1, y1.
"""

from dataclasses import dataclass
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Number = TypeVar("Number", bound=np.generic)


def reduce_max(values: NDArray[Number], lo: float, hi: float, columns: int) -> NDArray[Number]:
    """(rows, steps) as (rows, columns): the maximum of all steps that a pixel column touches while [lo, hi) is in view.

    Column c touches the steps from floor to ceil of its share of [lo, hi). Columns wholly outside are zero.
    """
    rows, steps = values.shape
    result = np.zeros((rows, columns), values.dtype)
    if columns == 0 or steps == 0 or hi <= lo:
        return result
    edges = lo + (hi - lo) * (np.arange(columns + 1) / columns)
    first = np.floor(edges[:-1] + 1e-9).astype(np.intp)
    last = np.maximum(np.ceil(edges[1:] - 1e-9).astype(np.intp), first + 1)
    inside = (last > 0) & (first < steps)
    if not inside.any():
        return result
    first, last = np.clip(first[inside], 0, steps), np.clip(last[inside], 0, steps)
    # reduceat takes pairs of (from, to) and gives a value for the gap between pairs too, which is dropped; the row of
    # zeros at the end makes `to == steps` a legal index and cannot win, because occupancy is never negative.
    start, stop = int(first[0]), int(last.max())
    padded = np.zeros((rows, stop - start + 1), values.dtype)
    padded[:, :-1] = values[:, start:stop]
    pairs = np.stack([first, last], axis=1).ravel() - start
    result[:, inside] = np.maximum.reduceat(padded, pairs, axis=1)[:, ::2]
    return result


@dataclass(frozen=True, slots=True)
class MaxPyramid:
    """An occupancy array (rows, steps) and its halvings by maximum: any zoom reads about as much as it shows."""

    levels: tuple[NDArray[np.generic], ...]

    @classmethod
    def of(cls, values: NDArray[np.generic]) -> Self:
        """Build all levels once; takes about as much memory again as `values`."""
        levels = [values]
        while levels[-1].shape[1] > 512:
            level = levels[-1]
            if level.shape[1] % 2:
                level = np.concatenate([level, level[:, -1:]], axis=1)
            levels.append(np.maximum(level[:, ::2], level[:, 1::2]))
        return cls(tuple(levels))

    def reduce(self, lo: float, hi: float, columns: int) -> NDArray[np.generic]:
        """As `reduce_max`; when zoomed far out a peak may be drawn up to a quarter of a column wider than it is."""
        per_column = (hi - lo) / max(columns, 1)
        level = 0
        while level + 1 < len(self.levels) and 2 ** (level + 3) <= per_column:
            level += 1
        size = 2.0**level
        return reduce_max(self.levels[level], lo / size, hi / size, columns)


def hit(rects: Floats, x: float, y: float, slack: float = 0.0) -> int:
    """Index of the topmost (last drawn) rectangle that holds the point, grown by `slack` on each side; -1 for none."""
    if not len(rects):
        return -1
    inside = (
        (rects[:, 0] - slack <= x)
        & (x <= rects[:, 2] + slack)
        & (rects[:, 1] - slack <= y)
        & (y <= rects[:, 3] + slack)
    )
    found = np.flatnonzero(inside)
    return int(found[-1]) if len(found) else -1


def overlapping(rects: Floats, x0: float, y0: float, x1: float, y1: float) -> Ints:
    """Indices, ascending, of the rectangles that share area or an edge with the given one (culling, rubber band)."""
    return np.flatnonzero((rects[:, 0] <= x1) & (rects[:, 2] >= x0) & (rects[:, 1] <= y1) & (rects[:, 3] >= y0))


def clipped(rects: Floats, x0: float, y0: float, x1: float, y1: float, margin: float = 2.0) -> tuple[Ints, Floats]:
    """Indices of the rectangles in view, and those rectangles cut to the view plus `margin`.

    Cutting first keeps Qt from stroking millions of pixels off screen; the margin keeps cut borders out of sight.
    """
    index = overlapping(rects, x0, y0, x1, y1)
    cut = rects[index].copy()
    np.clip(cut[:, ::2], x0 - margin, x1 + margin, out=cut[:, ::2])
    np.clip(cut[:, 1::2], y0 - margin, y1 + margin, out=cut[:, 1::2])
    return index, cut


def widened(rects: Floats, min_width: float, min_height: float) -> Floats:
    """Rectangles grown around their middle to a least size, so that nothing is too thin to be seen."""
    grow_x = np.maximum(min_width - (rects[:, 2] - rects[:, 0]), 0) / 2
    grow_y = np.maximum(min_height - (rects[:, 3] - rects[:, 1]), 0) / 2
    return rects + np.stack([-grow_x, -grow_y, grow_x, grow_y], axis=1)
