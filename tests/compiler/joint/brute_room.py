"""Room in LX by trying: who may take over whose place, whether all fits at every tick, and whether it has addresses.

Written from the rules alone.  Refuses large cases: every address is tried that is a sum of heights.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from frozendict import frozendict

Key = tuple[int, int]
"""Item, and which copy of it."""


@dataclass(frozen=True, slots=True)
class Rectangle:
    """Something in LX: `shape` is view and bytes, `height` in units, ticks both included; it may take over the place of
    any of `parents`."""

    key: Key
    shape: tuple[int, int]
    height: int
    first: int
    last: int
    parents: tuple[Key, ...] = ()


def with_heirs(found: list[Rectangle]) -> list[Rectangle]:
    """Those parents only whose place is left just then, and which are of the same shape."""
    known = {one.key: one for one in found}

    def leaves(parent: Key, child: Rectangle) -> bool:
        one = known.get(parent)
        return one is not None and one.first < one.last == child.first and one.shape == child.shape

    return [replace(one, parents=tuple(key for key in one.parents if leaves(key, one))) for one in found]


def crowded(found: list[Rectangle], room: int, taken: Mapping[int, int] = frozendict[int, int]()) -> bool:
    """True if at some tick more is in LX than there is room; what takes over a place counts from the next tick on.

    `taken` are units by tick that others have.
    """
    for tick in {one.first for one in found} | {one.first + 1 for one in found} | set(taken):
        there = [one for one in found if one.first + bool(one.parents) <= tick <= one.last]
        if taken.get(tick, 0) + sum(one.height for one in there) > room:
            return True
    return False


def lie(found: list[Rectangle], room: int) -> bool:
    """True if all of them have addresses."""
    if crowded(found, room):
        return False
    ordered = sorted(found, key=lambda one: (one.first, -one.height, one.key))
    sums = {0}
    for one in ordered:
        sums |= {low + one.height for low in sums}
    lows = sorted(low for low in sums if low < room)

    def descend(place: int, at: dict[Key, int]) -> bool:
        if place == len(ordered):
            return True
        one = ordered[place]
        return any(
            low + one.height <= room
            and all(_apart(one, low, other, at[other.key]) for other in ordered[:place])
            and descend(place + 1, {**at, one.key: low})
            for low in lows
        )

    return descend(0, {})


def overlaps(found: list[Rectangle], at: Mapping[Key, int]) -> list[tuple[Key, Key]]:
    """Pairs that lie in the same bytes at once; `at` are addresses in units."""
    pairs = [(one, other) for place, one in enumerate(found) for other in found[:place]]
    return [(one.key, other.key) for one, other in pairs if not _apart(one, at[one.key], other, at[other.key])]


def _apart(one: Rectangle, low: int, other: Rectangle, other_low: int) -> bool:
    if one.last < other.first or other.last < one.first:
        return True
    if low + one.height <= other_low or other_low + other.height <= low:
        return True
    return low == other_low and (one.key in other.parents or other.key in one.parents)
