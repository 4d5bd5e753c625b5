"""Edges as curves, in numbers: from the routes of the layout to short straight pieces, and the edge under a point.

Owns: the shape of an edge (straight within a pair of route points, a cubic with upright ends from pair to pair).
Refuses: Qt and colours; paint.py draws, graph_layout.py routes.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


def flattened(points: Floats, starts: Ints, pieces: int = 8) -> tuple[Floats, Ints]:
    """Routes (p, 2) with `starts` (m + 1) as polylines of the same form, each slanting part cut into `pieces`.

    The curve from (x0, y0) to (x1, y1) is the cubic with control points (x0, middle) and (x1, middle).
    """
    if not len(points):
        return points, starts
    index = np.arange(len(points))
    edge = np.searchsorted(starts, index, side="right") - 1
    place = index - starts[edge]
    slanting = np.flatnonzero((place % 2 == 1) & (index + 1 < starts[edge + 1]))
    inner = pieces - 1
    share = np.arange(1, pieces) / pieces
    ease = 3 * share**2 - 2 * share**3  # x of that cubic; its y is 1.5 t (1 - t) + t^3
    fall = 1.5 * share * (1 - share) + share**3
    begin, end = points[slanting], points[slanting + 1]
    between = np.empty((len(slanting), inner, 2))
    between[:, :, 0] = begin[:, :1] + (end - begin)[:, :1] * ease
    between[:, :, 1] = begin[:, 1:] + (end - begin)[:, 1:] * fall
    extra = np.zeros(len(points), np.intp)
    extra[slanting] = inner
    shift = np.cumsum(extra) - extra  # how far each route point moves back
    result = np.empty((len(points) + int(extra.sum()), 2))
    result[index + shift] = points
    result[(slanting + shift[slanting])[:, None] + np.arange(1, pieces)] = between
    moved = np.append(shift, extra.sum())[np.minimum(starts, len(points))]
    return result, (starts + moved).astype(np.intp)


def as_lines(points: Floats, starts: Ints) -> tuple[Floats, Ints]:
    """Polylines as single lines (k, 4) x0, y0, x1, y1 and the number of the polyline each belongs to (k,)."""
    if len(points) < 2:
        return np.zeros((0, 4)), np.zeros(0, np.intp)
    edge = np.searchsorted(starts, np.arange(len(points)), side="right") - 1
    joined = np.flatnonzero(edge[1:] == edge[:-1])
    return np.concatenate([points[joined], points[joined + 1]], axis=1), edge[joined]


def nearest(lines: Floats, owner: Ints, x: float, y: float, within: float) -> int:
    """Number of the polyline whose line passes closest to (x, y), at most `within` away; -1 for none."""
    if not len(lines):
        return -1
    begin, way = lines[:, :2], lines[:, 2:] - lines[:, :2]
    length = np.maximum((way**2).sum(axis=1), 1e-12)
    share = np.clip(((np.array([x, y]) - begin) * way).sum(axis=1) / length, 0, 1)
    gap = begin + way * share[:, None] - np.array([x, y])
    distance = (gap**2).sum(axis=1)
    best = int(distance.argmin())
    return int(owner[best]) if distance[best] <= within**2 else -1
