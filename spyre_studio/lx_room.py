"""Room in the scratchpad: how much is free at every step, in how many holes, and where one more buffer would fit.

Owns: free bytes, holes and fragmentation of a core step by step, holes that stay free through a lifetime, and who is in
the way of a buffer that fits nowhere.  Refuses: Qt, and any promise: a re-solve may move what lies there now.
Addresses and sizes are in bytes; steps count from 0, ends are included.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spyre_studio.occupancy import Hole, Occupancy

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Rows = NDArray[np.intp]
_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class StepRoom:
    """Arrays (steps,) of one core: bytes in `used`, bytes and address of the `largest` hole, number of `holes`.

    A hole is a free range below the budget.
    """

    used: Ints
    largest: Ints
    start: Ints
    holes: Ints
    budget: int

    @property
    def free(self) -> Ints:
        """Bytes that are free at every step."""
        return np.asarray(self.budget - self.used, np.int64)

    @property
    def fragmentation(self) -> Floats:
        """1 - largest hole / free bytes at every step: 0 where all that is free lies together, or nothing is free."""
        free = np.maximum(self.free, 1)
        return np.asarray(np.where(self.free > 0, 1 - self.largest / free, 0.0), np.float64)


@dataclass(frozen=True, slots=True)
class Blocker:
    """A buffer that lies in LX: its size on a core and its address."""

    name: str
    size: int
    address: int


@dataclass(frozen=True, slots=True)
class Fit:
    """Where `need` bytes would fit from step `first` to `last`.

    `holes` are free all through, in address order.  At `step` the room is least: `largest` bytes in one hole, `free` in
    all of them, with `blockers` around, the largest first.
    """

    need: int
    first: int
    last: int
    holes: tuple[Hole, ...]
    step: int
    largest: int
    free: int
    blockers: tuple[Blocker, ...]

    @property
    def fitting(self) -> tuple[Hole, ...]:
        """Holes that are large enough."""
        return tuple(hole for hole in self.holes if hole.size >= self.need)

    @property
    def lacking(self) -> int:
        """Bytes by which the largest hole is too small, 0 where the buffer fits."""
        return max(self.need - max((hole.size for hole in self.holes), default=0), 0)

    def nearest(self, address: float) -> Hole | None:
        """The place for the buffer that lies nearest to an address, None if there is none."""
        places = [Hole(_within(hole, self.need, address), self.need) for hole in self.fitting]
        return min(places, key=lambda place: abs(place.start + self.need / 2 - address), default=None)


def room_of(data: Occupancy, core: int) -> StepRoom:
    """The room of one core at every step."""
    return _room(data.rects[data.on_core(core)], 0, len(data.steps), data.budget)


def work_of(data: Occupancy, core: int) -> int:
    """How many pairs of a buffer and a step `room_of` looks at; a million take about a third of a second."""
    rects = data.rects[data.on_core(core)]
    return int((rects[:, 2] - rects[:, 0]).sum())


def fit_of(
    data: Occupancy, name: str, need: int, life: tuple[int, int], cores: int, without: Collection[str] = _NONE
) -> Fit:
    """Where a buffer of `need` bytes on each of the first `cores` cores would fit through its life, as things lie.

    The address is the same on all cores, so that what lies on any of them is in the way.  What is in `without`, and the
    buffer itself, is not.
    """
    first, last = life
    rects = data.rects
    near = (rects[:, 0] <= last) & (rects[:, 2] > first) & data.present[:, : max(cores, 1)].any(axis=1)
    rows = np.flatnonzero(near)
    gone = {name, *without}
    rows = np.array([row for row in rows.tolist() if data.residents[row].name not in gone], np.intp)
    tight = _room(rects[rows], first, last + 1, data.budget)
    worst = int(tight.largest.argmin()) if len(tight.largest) else 0
    step = first + worst
    alive = [data.residents[row] for row in rows.tolist() if rects[row, 0] <= step < rects[row, 2]]
    blockers = sorted((Blocker(one.name, one.size, one.address) for one in alive), key=lambda one: -one.size)
    holes = _holes(rects[rows, 1], rects[rows, 3], data.budget)
    largest = int(tight.largest[worst]) if len(tight.largest) else data.budget
    free = int(tight.free[worst]) if len(tight.largest) else data.budget
    return Fit(need, first, last, holes, step, largest, free, tuple(blockers))


def _within(hole: Hole, need: int, address: float) -> int:
    """The start nearest to where `address` would be in the middle."""
    return int(min(max(address - need / 2, hole.start), hole.start + hole.size - need))


def _holes(starts: Floats, ends: Floats, budget: int) -> tuple[Hole, ...]:
    """What is left of [0, budget) by ranges that may overlap."""
    order = starts.argsort(kind="stable")
    before = np.concatenate([[0.0], np.maximum.accumulate(ends[order])]) if len(order) else np.zeros(1)
    after = np.concatenate([starts[order], [float(budget)]])
    found = np.flatnonzero(after > before)
    return tuple(Hole(int(before[at]), int(after[at] - before[at])) for at in found.tolist())


def _room(rects: Floats, first: int, end: int, budget: int) -> StepRoom:
    """The room at the steps from `first` up to `end`; every rectangle counts in each step that it covers."""
    steps = max(end - first, 0)
    largest, start = np.full(steps, budget, np.int64), np.zeros(steps, np.int64)
    used, holes = np.zeros(steps, np.int64), np.full(steps, int(budget > 0), np.int64)
    order = rects[:, 1].argsort(kind="stable")
    lo = np.clip(rects[order, 0], first, end).astype(np.int64) - first
    hi = np.clip(rects[order, 2], first, end).astype(np.int64) - first
    step, row = _pairs(lo, np.maximum(hi - lo, 0))
    if not len(step):
        return StepRoom(used, largest, start, holes, budget)
    low, high = rects[order[row], 1].astype(np.int64), rects[order[row], 3].astype(np.int64)
    heads = np.flatnonzero(np.diff(step, prepend=-1))  # the first pair of each step
    tails = np.append(heads[1:], len(step)) - 1
    # One running maximum for all steps: each lies a whole address space above the one before.
    shift = step * (int(high.max()) + 1)
    tops = np.maximum.accumulate(high + shift) - shift
    below = np.concatenate([[0], tops[:-1]])
    below[heads] = 0
    gaps, rest = np.maximum(low - below, 0), np.maximum(budget - tops[tails], 0)
    busy = step[heads]
    largest[busy] = np.maximum(np.maximum.reduceat(gaps, heads), rest)
    used[busy] = budget - np.add.reduceat(gaps, heads) - rest
    holes[busy] = np.add.reduceat((gaps > 0).astype(np.int64), heads) + (rest > 0)
    start[busy] = tops[tails]
    is_largest = np.flatnonzero((gaps == largest[step]) & (gaps > 0))[::-1]
    start[step[is_largest]] = below[is_largest]  # from the end, so that the lowest of equal holes wins
    return StepRoom(used, largest, start, holes, budget)


def _pairs(lo: Ints, counts: Ints) -> tuple[Ints, Rows]:
    """Every step of every row, by step and then by row."""
    total = int(counts.sum())
    row = np.repeat(np.arange(len(counts)), counts)
    inside = np.arange(total) - np.repeat(counts.cumsum() - counts, counts)
    step = lo[row] + inside
    order = step.argsort(kind="stable")
    return step[order], row[order]
