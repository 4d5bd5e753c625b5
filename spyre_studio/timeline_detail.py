"""Level of detail of a timeline: which boxes of a track are in view, and one box per pixel where there are too many.

Owns: the searches.  Refuses: Qt and colours.  Starts and ends of a track both ascend, so everything is a binary search;
what is asked for is made whole first, because a search with other numbers would copy the column.
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
    first = int(np.searchsorted(track.end, floor(lo), "right"))
    last = int(np.searchsorted(track.start, ceil(hi), "left"))
    return first, max(first, last)


def edges_of(lo: float, hi: float, columns: int) -> Wide:
    """The times at the edges of so many columns of pixels, whole picoseconds, `columns` + 1 of them."""
    return np.floor(lo + (hi - lo) * (np.arange(columns + 1) / columns)).astype(np.int64)


def sampled(track: Track, edges: Wide) -> Places:
    """For every column the last box that begins before its right edge and reaches into it; -1 where none does.

    A gap as wide as a column is seen as a gap; of several boxes within a column one is seen.
    """
    if not len(track):
        return np.full(len(edges) - 1, -1, np.intp)
    last = np.searchsorted(track.start, np.maximum(edges[1:], edges[:-1] + 1), "left") - 1
    reaches = track.end[np.maximum(last, 0)] > edges[:-1]
    return np.where((last >= 0) & reaches, last, -1)


def box_at(track: Track, time_ps: float, slack_ps: float) -> int:
    """The box at a time, else the nearest one within `slack_ps`; -1 for none."""
    first, last = in_view(track, time_ps - slack_ps, time_ps + slack_ps)
    if first >= last:
        return -1
    start, end = track.start[first:last], track.end[first:last]
    away = np.maximum(np.maximum(start - time_ps, time_ps - end), 0)
    return first + int(np.argmin(away))
