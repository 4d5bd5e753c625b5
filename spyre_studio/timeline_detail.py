"""Level of detail of a timeline: which boxes of a track are in view, and one row per pixel where there are too many.

Owns: the searches.  Refuses: Qt and colours.  Starts and ends of a track both ascend, so everything is a binary search
over rows and a division within one; what is asked for is made whole first, because a search with other numbers would
copy the column.
"""

from __future__ import annotations

from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from simulator.trace import Wide
from spyre_studio.timeline_data import Track

Places = NDArray[np.intp]


def in_view(track: Track, lo: float, hi: float) -> tuple[int, int]:
    """The first box that ends after `lo`, and the one behind the last that begins before `hi`."""
    low, high = floor(lo), ceil(hi)
    first = int(np.searchsorted(track.end, low, "right"))
    last = int(np.searchsorted(track.start, high, "left"))
    if track.tiles is None or first >= last:
        return (first, max(first, last)) if track.tiles is None else (0, 0)
    rows = np.array([first, last - 1])
    begun = _begun(track, rows, np.array([low - track.tiles.length[first] + 1, high]))
    boxes = track.tiles.offset[rows] + begun
    return int(boxes[0]), max(int(boxes[0]), int(boxes[1]))


def _begun(track: Track, rows: Places, before: Wide) -> Wide:
    """How many boxes of each row begin before a time."""
    tiles = track.tiles
    assert tiles is not None
    count, start = tiles.count[rows], track.start[rows]
    room = track.end[rows] - start - tiles.length[rows]
    gone = np.minimum(before - start, track.end[rows] - start)
    # Box k begins at start + k * room // (count - 1): that is before the time if k * room < gone * (count - 1).
    begun = np.where(room > 0, -(-gone * (count - 1) // np.maximum(room, 1)), count)
    return np.where(gone > 0, np.clip(begun, 1, count), 0)


def edges_of(lo: float, hi: float, columns: int) -> Wide:
    """The times at the edges of so many columns of pixels, whole picoseconds, `columns` + 1 of them."""
    return np.rint(lo + (hi - lo) * (np.arange(columns + 1) / columns)).astype(np.int64)


def sampled(track: Track, edges: Wide) -> Places:
    """By column the row of the last box that begins before its right edge and reaches into it; -1 where none does.

    A gap as wide as a column is seen as a gap; of several boxes within a column one is seen.
    """
    if not len(track.start):
        return np.full(len(edges) - 1, -1, np.intp)
    left, right = edges[:-1], np.maximum(edges[1:], edges[:-1] + 1)
    row = np.searchsorted(track.start, right, "left") - 1
    known = np.maximum(row, 0)
    end = track.end[known]
    if track.tiles is not None:
        last = np.maximum(_begun(track, known, right) - 1, 0)
        end = track.start[known] + track.delay(known, last) + track.tiles.length[known]
    return np.where((row >= 0) & (end > left), row, -1)


def box_at(track: Track, time_ps: float, slack_ps: float) -> int:
    """The box at a time, else the nearest one within `slack_ps`; -1 for none."""
    first, last = in_view(track, time_ps - slack_ps, time_ps + slack_ps)
    if first >= last:
        return -1
    start, end = track.times(np.arange(first, last))
    away = np.maximum(np.maximum(start - time_ps, time_ps - end), 0)
    return first + int(np.argmin(away))
