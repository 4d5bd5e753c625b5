"""Elements: sets of host element offsets, such as all that one core reads of a buffer.

Owns their canonical form (start offsets plus arithmetic runs, merged and in falling stride), equality and containment.
Refuses to guess: an answer that would need more than CAP intervals is None.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from compiler.loops import Buffer, Index

CAP = 2_000_000
Bounds = Mapping[str, tuple[int, int]]
Array = NDArray[np.int64]
Runs = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Elements:
    """All `start + sum of k * stride` with 0 <= k < count over the runs (stride, count); no starts: the empty set."""

    starts: tuple[int, ...]
    runs: Runs = ()

    @property
    def size(self) -> int | None:
        """Number of distinct offsets."""
        if len(self.starts) < 2 and _nested(self.runs):
            return len(self.starts) * math.prod(count for _, count in self.runs)
        found = self.intervals()
        return None if found is None else int((found[:, 1] - found[:, 0]).sum())

    def intervals(self) -> Array | None:
        """Disjoint half-open intervals in rising order, touching ones joined, shape (n, 2); None beyond CAP."""
        runs = list(self.runs)
        length = runs.pop()[1] if runs and runs[-1][0] == 1 else 1
        if len(self.starts) * math.prod(count for _, count in runs) > CAP:
            return None
        lows = np.array(self.starts, dtype=np.int64)
        for stride, count in runs:
            lows = (lows[:, None] + stride * np.arange(count, dtype=np.int64)).ravel()
        return joined(np.stack([lows, lows + length], axis=1))


def of_one_row(sets: list[Elements]) -> list[Elements]:
    """Sets that all repeat in the same way, in windows that do not meet, cut down to the first of these windows."""
    runs = [one.runs[0] for one in sets if one.runs]
    if len(runs) < len(sets) or not all(one.starts for one in sets):
        return sets
    stride, count = max(runs)
    rows = [_first_row(one, stride, count) for one in sets]
    known = [row for row in rows if row is not None]
    if len(known) < len(sets):
        return sets
    lowest = min(min(row.starts) for row in known)
    highest = max(max(row.starts) + sum(step * (size - 1) for step, size in row.runs) for row in known)
    return of_one_row(known) if highest - lowest < stride else sets


def _first_row(one: Elements, stride: int, count: int) -> Elements | None:
    """The set without its outermost run of `count` times `stride`; None if it has no such run."""
    (step, size), rest = one.runs[0], one.runs[1:]
    if (step, size) == (stride, count):
        return Elements(one.starts, rest)
    if step < stride and stride % step == 0 and size == stride // step * count:
        return Elements(one.starts, ((step, stride // step), *rest))
    return None


def joined(intervals: Array) -> Array:
    """Intervals in rising order with overlapping and touching ones joined."""
    if len(intervals) == 0:
        return intervals.reshape(0, 2)
    ordered = intervals[np.argsort(intervals[:, 0], kind="stable")]
    reach = np.maximum.accumulate(ordered[:, 1])
    first = np.concatenate([[True], ordered[1:, 0] > reach[:-1]])
    last = np.concatenate([first[1:], [True]])
    return np.stack([ordered[first, 0], reach[last]], axis=1)


def merged(runs: list[tuple[int, int]]) -> Runs:
    """Canonical runs: where a run continues the one below it without a gap, both become one."""
    result: list[tuple[int, int]] = []
    for stride, count in sorted(run for run in runs if run[1] > 1):
        below = result[-1] if result else (0, 0)
        if below[0] and stride % below[0] == 0 and stride // below[0] <= below[1]:
            result[-1] = (below[0], (count - 1) * (stride // below[0]) + below[1])
        else:
            result.append((stride, count))
    return tuple(reversed(result))


def _nested(runs: Runs) -> bool:
    """True if no two choices of k give the same offset."""
    reach = 0
    for stride, count in reversed(runs):
        if stride <= reach:
            return False
        reach += stride * (count - 1)
    return True


def accessed(index: Index, bounds: Bounds) -> Elements | None:
    """What an index touches while its loops run through `bounds`; None if gathered or too many points to list."""
    if index.gathers:
        return None
    if any(low >= high for low, high in bounds.values()):
        return Elements(())
    offset, runs, uneven = index.offset, [], set[str]()
    for term in index.terms:
        if not term.plain:
            uneven |= {name for name, _ in term.loops}
    steps: dict[str, int] = {}
    for term in index.terms:
        if term.plain and term.loops[0][0] not in uneven:
            steps[term.loops[0][0]] = steps.get(term.loops[0][0], 0) + term.coefficient
    for name, step in steps.items():
        low, high = bounds[name]
        offset += step * (low if step > 0 else high - 1)
        if step:
            runs.append((abs(step), high - low))
    starts = _listed(index, uneven, bounds)
    if starts is None:
        return None
    return Elements(tuple(int(start) + offset for start in starts), merged(runs))


def _listed(index: Index, names: set[str], bounds: Bounds) -> Array | None:
    """Distinct sums of all terms in `names`, point by point; [0] if there are none."""
    if not names:
        return np.zeros(1, dtype=np.int64)
    ordered = sorted(names)
    if math.prod(bounds[name][1] - bounds[name][0] for name in ordered) > CAP:
        return None
    grids = np.meshgrid(*(np.arange(*bounds[name], dtype=np.int64) for name in ordered), indexing="ij", sparse=True)
    values = dict(zip(ordered, grids, strict=True))
    total = np.zeros(1, dtype=np.int64)
    for term in index.terms:
        if any(name in names for name, _ in term.loops):
            total = total + term.evaluate(values)
    return np.unique(total)


def stored(buffer: Buffer) -> Elements:
    """All elements of a buffer."""
    if 0 in buffer.shape:
        return Elements(())
    return Elements((0,), merged(list(zip(buffer.strides, buffer.shape, strict=True))))


def same(left: Elements, right: Elements) -> bool | None:
    """Equality; None if it cannot be proved either way within CAP."""
    if left == right:
        return True
    mine, other = left.intervals(), right.intervals()
    if mine is None or other is None:
        return None
    return bool(np.array_equal(mine, other))


def within(inner: Elements, outer: Elements) -> bool | None:
    """Containment; None if it cannot be proved either way within CAP."""
    if inner == outer:
        return True
    mine, other = inner.intervals(), outer.intervals()
    if mine is None or other is None:
        return None
    if len(mine) == 0 or len(other) == 0:
        return len(mine) == 0
    place = np.searchsorted(other[:, 0], mine[:, 0], side="right") - 1
    return bool(np.all(place >= 0) and np.all(mine[:, 1] <= other[np.maximum(place, 0), 1]))
