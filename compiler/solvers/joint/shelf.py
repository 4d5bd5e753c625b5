"""Shelf: boxes with a height and a time, put on a shelf of so many units one after the other.

Owns the orders in which that is tried, whole rows of boxes that hand their place on first, and the rule that what
found no place goes first the next time.  Refuses proof: that no order works says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

ROUNDS = 15
"""How often what found no place is put first, at most."""

Group = tuple[int, ...]
Lows = dict[int, int]
Order = Callable[[Sequence["Box"], Group], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Box:
    """Units, ticks (both included), and the boxes whose place it may take over at its first tick, best first."""

    height: int
    first: int
    last: int
    parents: tuple[int, ...] = ()

    @property
    def span(self) -> int:
        """Number of ticks."""
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class _Around:
    """Of a group: boxes there at the same time, and those that may hand it a place or take it from it."""

    near: tuple[int, ...]
    kin: tuple[int, ...]


@dataclass
class Shelf:
    """Boxes by number and a shelf of `room` units; `work` counts how often a place was looked for."""

    boxes: tuple[Box, ...]
    room: int
    near: list[frozenset[int]] = field(init=False)
    kin: list[list[int]] = field(init=False)
    groups: tuple[Group, ...] = field(init=False)
    work: int = field(init=False, default=0)
    _known: dict[Group, _Around] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.near = _near(self.boxes)
        self.kin = [list(box.parents) for box in self.boxes]
        for number, box in enumerate(self.boxes):
            for parent in box.parents:
                self.kin[parent].append(number)
        self.groups = _rows(self.boxes)

    def drop(self, order: Iterable[Group], fixed: Mapping[int, int], best: bool = True) -> Lows:
        """Lowest units of all boxes that find a place, the groups as far as possible at one height."""
        at = dict(fixed)
        for group in order:
            low = self._low(group, at, best)
            if low is not None:
                at.update((one, low) for one in group)
                continue
            for one in group if len(group) > 1 else ():
                low = self._low((one,), at, best)
                if low is not None:
                    at[one] = low
        return at

    def fill(self, free: frozenset[int] | None = None, fixed: Mapping[int, int] | None = None) -> Lows:
        """The best that several orders come to; only `free` boxes are put, around the fixed ones."""
        groups = self._among(free)
        wanted, best = sum(map(len, groups)) + len(fixed or {}), Lows(fixed or {})
        for key in (_long_first, _in_time, _large_first, _high_first):
            order = _sorted(self.boxes, groups, key)
            for fits_best in (True, False):
                found = self.drop(order, fixed or {}, fits_best)
                if len(found) == wanted:
                    return found
                best = max(best, found, key=len)
        return best

    def insist(self, free: frozenset[int], fixed: Mapping[int, int], rng: Random | None = None) -> Lows:
        """The best that comes of putting first what found no place before, starting in time and with the longest, or
        (`rng`) anyhow."""
        best = Lows(fixed)
        for key in (_in_time, _long_first):
            order = _sorted(self.boxes, self._among(free), key)
            if rng is not None:
                rng.shuffle(order)
            urgent = dict.fromkeys(order, 0)
            for rounds in range(ROUNDS):
                found = self.drop(sorted(order, key=lambda group: -urgent[group]), fixed, rounds % 2 == 0)
                best = max(best, found, key=len)
                left = [group for group in order if any(one not in found for one in group)]
                if not left:
                    return best
                urgent.update((group, rounds + 1) for group in left)
        return best

    def _among(self, free: frozenset[int] | None) -> list[Group]:
        """The groups, of free boxes only."""
        if free is None:
            return list(self.groups)
        found = (tuple(one for one in group if one in free) for group in self.groups)
        return [group for group in found if group]

    def _low(self, group: Group, at: Lows, best: bool) -> int | None:
        """Where a group may lie: in the place of a box of its kin, or in a gap."""
        self.work += 1
        around, height = self._around(group), self.boxes[group[0]].height
        busy = sorted((at[one], at[one] + self.boxes[one].height) for one in around.near if one in at)
        for kin in around.kin:
            low = at.get(kin, -1)
            others = (one for one in around.near if one in at and one != kin)
            if low >= 0 and all(at[one] + self.boxes[one].height <= low or low + height <= at[one] for one in others):
                return low
        gaps = list(_gaps(busy, self.room, height))
        if not gaps:
            return None
        return min(gaps)[1] if best else min(low for _, low in gaps)

    def _around(self, group: Group) -> _Around:
        if group not in self._known:
            near = frozenset[int]().union(*(self.near[one] for one in group)).difference(group)
            kin = tuple(
                other
                for one in group
                for other in self.kin[one]
                if other not in group and not any(other in self.near[third] for third in group if third != one)
            )
            self._known[group] = _Around(tuple(sorted(near)), kin)
        return self._known[group]


def _near(boxes: Sequence[Box]) -> list[frozenset[int]]:
    """For every box those that are there at some tick of its own."""
    found: list[set[int]] = [set() for _ in boxes]
    alive: list[int] = []
    for number in sorted(range(len(boxes)), key=lambda number: boxes[number].first):
        alive = [other for other in alive if boxes[other].last >= boxes[number].first]
        found[number].update(alive)
        for other in alive:
            found[other].add(number)
        alive.append(number)
    return [frozenset(one) for one in found]


def _rows(boxes: Sequence[Box]) -> tuple[Group, ...]:
    """Boxes each of which may take over the place of the one before."""
    heir = {box.parents[0]: number for number, box in enumerate(boxes) if box.parents}
    heirs = set(heir.values())
    found = []
    for number in range(len(boxes)):
        row = [number] if number not in heirs else []
        while row and row[-1] in heir:
            row.append(heir[row[-1]])
        found += [tuple(row)] if row else []
    return tuple(found)


def _gaps(busy: Sequence[tuple[int, int]], room: int, height: int) -> Iterator[tuple[int, int]]:
    """What is left over of every gap that is high enough, and its lowest unit."""
    cursor = 0
    for low, high in (*busy, (room, room)):
        if low - cursor >= height:
            yield low - cursor - height, cursor
        cursor = max(cursor, high)


def _sorted(boxes: Sequence[Box], groups: Iterable[Group], key: Order) -> list[Group]:
    return sorted(groups, key=lambda group: (key(boxes, group), group))


def _span(boxes: Sequence[Box], group: Group) -> int:
    return boxes[group[-1]].last - boxes[group[0]].first


def _long_first(boxes: Sequence[Box], group: Group) -> tuple[int, int]:
    return -_span(boxes, group), -boxes[group[0]].height


def _large_first(boxes: Sequence[Box], group: Group) -> tuple[int, int]:
    return -_span(boxes, group) * boxes[group[0]].height, 0


def _high_first(boxes: Sequence[Box], group: Group) -> tuple[int, int]:
    return -boxes[group[0]].height, -_span(boxes, group)


def _in_time(boxes: Sequence[Box], group: Group) -> tuple[int, int]:
    return boxes[group[0]].first, -boxes[group[0]].height
