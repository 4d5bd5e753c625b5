"""Radix: loops taken apart into digits, so that floors and mods of long loops become sums of steps.

A loop of `count` iterations may be cut at q into the digits `iteration // q` and `iteration % q`, each of which may be
cut again.  Owns the cutting, and the smallest and largest sums over ranges of the loops: a range is a handful of
products of digit ranges, so nothing is listed.  Refuses to choose steps or to know layouts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.int64]
Span = tuple[int, int]
Sums = tuple[list[int], list[int]]


class Digit(NamedTuple):
    """`loop // weight`, modulo `size` unless it is the topmost digit."""

    loop: str
    weight: int
    size: int


@dataclass(slots=True)
class Cuts:
    """How digits are cut further: digit -> (q, the one above, the one below); the rest are leaves."""

    below: dict[Digit, tuple[int, Digit, Digit]] = field(default_factory=dict)

    def cut(self, digit: Digit, q: int) -> tuple[Digit, Digit]:
        """Cut a leaf at q; the digits above and below."""
        high = Digit(digit.loop, digit.weight * q, -(-digit.size // q))
        low = Digit(digit.loop, digit.weight, q)
        self.below[digit] = (q, high, low)
        return high, low

    def leaves(self, digit: Digit) -> list[Digit]:
        """The digit itself, or what it was cut into."""
        if digit not in self.below:
            return [digit]
        _, high, low = self.below[digit]
        return [*self.leaves(high), *self.leaves(low)]

    def blocks(self, digit: Digit, first: int, last: int) -> list[dict[Digit, Span]]:
        """Values first..last of a digit as disjoint products of ranges of its leaves, ends included."""
        if digit not in self.below:
            return [{digit: (first, last)}]
        q, high, low = self.below[digit]
        return [
            upper | lower
            for above, beneath in _products(first, last, q)
            for upper in self.blocks(high, *above)
            for lower in self.blocks(low, *beneath)
        ]


def _products(first: int, last: int, q: int) -> list[tuple[Span, Span]]:
    """first..last as products of a range of quotients and a range of remainders: head, whole middle, tail."""
    low, high = first // q, last // q
    if low == high:
        return [((low, low), (first % q, last % q))]
    found = []
    if first % q:
        found.append(((low, low), (first % q, q - 1)))
        low += 1
    if last % q != q - 1:
        found.append(((high, high), (0, last % q)))
        high -= 1
    if low <= high:
        found.append(((low, high), (0, q - 1)))
    return found


@dataclass(frozen=True, slots=True)
class Group:
    """What some digits add to several sums: `steps` per value of the only digit, or a `table` over all of them.

    The table has one axis for the sums and one per digit.  Steps are not negative.
    """

    digits: tuple[Digit, ...]
    steps: tuple[int, ...] = ()
    table: Array | None = None

    @property
    def loops(self) -> tuple[str, ...]:
        """Loops its digits belong to."""
        return tuple(dict.fromkeys(digit.loop for digit in self.digits))

    def ends(self, ranges: Mapping[Digit, Span]) -> tuple[Iterable[int], Iterable[int]]:
        """Smallest and largest summands within ranges of the digits, ends included."""
        if self.table is None:
            first, last = ranges[self.digits[0]]
            return [step * first for step in self.steps], [step * last for step in self.steps]
        axes = tuple(slice(ranges[digit][0], ranges[digit][1] + 1) for digit in self.digits)
        part = self.table[(slice(None), *axes)].reshape(len(self.table), -1)
        return part.min(axis=1).tolist(), part.max(axis=1).tolist()

    def moves(self, place: int, loop: str) -> bool:
        """True if a loop changes one of the sums."""
        if self.table is None:
            return self.digits[0].loop == loop and self.digits[0].size > 1 and self.steps[place] != 0
        return any(
            digit.loop == loop and bool(np.any(np.diff(self.table[place], axis=axis)))
            for axis, digit in enumerate(self.digits)
        )


@dataclass(frozen=True, slots=True)
class Digits:
    """All loops of an access: the first digit of each, and the cuts."""

    roots: Mapping[str, Digit]
    cuts: Cuts

    def sums(self, groups: tuple[Group, ...], ranges: Mapping[str, Span], width: int) -> Sums:
        """Smallest and largest sums of all groups over ranges of the loops (first, last); exact.

        Loops without a range run in full.
        """
        least, most = [0] * width, [0] * width
        for loops, members in _together(groups):
            spans = [ranges.get(loop, (0, self.roots[loop].size - 1)) for loop in loops]
            choices = [self.cuts.blocks(self.roots[loop], *span) for loop, span in zip(loops, spans, strict=True)]
            found = [_block_sums(members, blocks, width) for blocks in product(*choices)]
            least = [
                base + min(column)
                for base, column in zip(least, zip(*(low for low, _ in found), strict=True), strict=True)
            ]
            most = [
                base + max(column)
                for base, column in zip(most, zip(*(high for _, high in found), strict=True), strict=True)
            ]
        return least, most


def _block_sums(members: list[Group], blocks: tuple[dict[Digit, Span], ...], width: int) -> Sums:
    ranges: dict[Digit, Span] = {}
    for block in blocks:
        ranges |= block
    least, most = [0] * width, [0] * width
    for group in members:
        low, high = group.ends(ranges)
        least = [base + value for base, value in zip(least, low, strict=True)]
        most = [base + value for base, value in zip(most, high, strict=True)]
    return least, most


def _together(groups: tuple[Group, ...]) -> list[tuple[tuple[str, ...], list[Group]]]:
    """Groups that share loops, with these loops: their sums depend on each other."""
    found: list[tuple[tuple[str, ...], list[Group]]] = []
    for group in groups:
        loops, members, apart = group.loops, [group], []
        for other in found:
            if set(other[0]) & set(loops):
                loops, members = tuple(dict.fromkeys((*other[0], *loops))), other[1] + members
            else:
                apart.append(other)
        found = [*apart, (loops, members)]
    return found


def cut_at(step: int, count: int, levels: Iterable[int]) -> int:
    """Where to cut a digit so that its floors along the levels (strides in falling order) become steps.

    0 if they are steps already, -1 if cutting does not help.
    """
    for stride in levels:
        step %= stride
        if step * (count - 1) >= stride:
            period = stride // math.gcd(step, stride)
            return period if period < count else -1
    return 0
