"""Pieces: an access taken apart into groups of loops whose places in a tensor simply add up.

Owns which loops have to be looked at together (because an index or a mask mixes them, or a sum of their offsets carries
from one device dim into the next) and the sticks that each group reaches.  Refuses cores: a range of loop values comes
from outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from compiler.layout import Arrangement, StickLayout
from compiler.loops import Index, Loop, Term
from simulator.timing.conditions import Condition

Integers = NDArray[np.int64]
Ranges = tuple[tuple[int, int], ...]

MOST_PLACES = 1 << 20
"""Loop values of one piece that are spelled out; of a larger piece evenly spaced ones, and all that lies between."""


@dataclass(frozen=True, slots=True)
class AccessForm:
    """What decides the places of an access: its index without gathered parts, the loops it is under, the tensor's
    layout, and conditions that hold wherever it happens."""

    index: Index
    loops: tuple[Loop, ...]
    layout: StickLayout
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A group of loops (their places in the nest).  `values` are the values looked at of each, `offsets` the host
    offsets they add (one axis per loop, least 0), `happens` where the access does, `coordinates` (device dims first)
    follow from the offsets; `coarse` if not all values are there."""

    places: tuple[int, ...]
    values: tuple[Integers, ...]
    offsets: Integers
    happens: NDArray[np.bool_]
    coordinates: Integers
    coarse: bool

    @property
    def dims(self) -> frozenset[int]:
        """The device dims it moves along."""
        inside = self.coordinates[:, self.happens]
        if not inside.shape[1]:
            return frozenset()
        return frozenset(np.flatnonzero(inside.max(axis=1) > inside.min(axis=1)).tolist())

    def sticks(self, ranges: Ranges, strides: Integers) -> Integers:
        """Numbers of the sticks it reaches for ranges of all loops of the nest, in order; `strides` are the sticks that
        one step of every device dim moves, 0 for lanes."""
        taken = tuple(self._window(axis, *ranges[place]) for axis, place in enumerate(self.places))
        coordinates = self.coordinates[(slice(None), *taken)][:, self.happens[taken]]
        if self.coarse and coordinates.size:
            return _hull(coordinates, strides)
        return np.unique((coordinates * strides[:, None]).sum(axis=0))

    def _window(self, axis: int, low: int, high: int) -> slice:
        """The values of a loop within a range, and those around it where not all are known."""
        values = self.values[axis]
        if high <= low:
            return slice(0, 0)
        first = int(np.searchsorted(values, low, side="right")) - 1
        return slice(max(0, first), int(np.searchsorted(values, high - 1, side="left")) + 1)


def pieces_of(form: AccessForm) -> tuple[int, tuple[Piece, ...]] | None:
    """The offset that all share, and the pieces, in order of their first loops; None if the access never happens.

    Where pieces are coarse, or a mask is not understood, places before the tensor's begin count as its begin.
    """
    if any(loop.extent == 0 for loop in form.loops):
        return None
    groups, home = _coupled(form), None
    while True:
        base, pieces = _spelled(form, groups, home)
        if any(not piece.happens.any() for piece in pieces):
            return None
        clash = _clash(form.layout, base, pieces)
        if not clash:
            return max(0, base), pieces
        merged = tuple(sorted(place for number in clash for place in groups[number]))
        groups = sorted([*(group for number, group in enumerate(groups) if number not in clash), merged])
        home = merged


def _coupled(form: AccessForm) -> list[tuple[int, ...]]:
    """Groups of loops that an index term or a condition mixes; loops that move nothing are left out."""
    places = {loop.name: place for place, loop in enumerate(form.loops)}
    mixed = [frozenset(name for name, _ in term.loops) for term in form.index.terms if not _linear(term)]
    mixed += [condition.loops for condition in form.conditions]
    single = [frozenset({name}) for term in form.index.terms for name, _ in term.loops]
    groups: list[frozenset[str]] = []
    for names in (*single, *mixed):
        together = [group for group in groups if group & names]
        groups = [group for group in groups if not group & names] + [names.union(*together)]
    return sorted(tuple(sorted(places[name] for name in group)) for group in groups if group)


def _linear(term: Term) -> bool:
    return term.divisor == 1 and not term.modulus


def _spelled(
    form: AccessForm, groups: Sequence[tuple[int, ...]], home: tuple[int, ...] | None
) -> tuple[int, tuple[Piece, ...]]:
    """Every group as a piece that begins at 0, and the offset that is left for all; the group `home` has it."""
    base, pieces = form.index.offset, []
    for term in form.index.terms:
        if _linear(term):
            base += term.coefficient * term.offset
        elif not term.loops:
            base += int(term.evaluate({}))
    for group in groups:
        piece = _piece(form, group)
        least = int(piece.offsets[piece.happens].min()) if piece.happens.any() else 0
        base += least
        pieces.append(_at(form.layout, piece, -least))
    if home is not None:
        number = groups.index(home)
        pieces[number] = _at(form.layout, pieces[number], max(0, base))
        base = 0
    return base, tuple(pieces)


def _piece(form: AccessForm, group: tuple[int, ...]) -> Piece:
    loops = [form.loops[place] for place in group]
    names = {loop.name for loop in loops}
    counts = _counts([loop.extent for loop in loops])
    values = tuple(
        np.unique(np.linspace(0, loop.extent - 1, count).round().astype(np.int64))
        for loop, count in zip(loops, counts, strict=True)
    )
    shape = tuple(len(one) for one in values)
    grid = dict(zip((loop.name for loop in loops), np.ix_(*values), strict=True))
    offsets = np.zeros(shape, dtype=np.int64)
    for term in form.index.terms:
        offsets = offsets + _moved(term, names, grid)
    happens = np.ones(shape, dtype=bool)
    for condition in form.conditions:
        if condition.loops <= names:
            happens = happens & condition.holds(grid)
    coarse = any(len(one) < loop.extent for one, loop in zip(values, loops, strict=True))
    return Piece(group, values, offsets, happens, offsets[None], coarse)


def _moved(term: Term, names: set[str], grid: dict[str, Integers]) -> Integers:
    """What the loops of a piece add to a term; nothing if the term is another piece's."""
    total = np.zeros(1, dtype=np.int64)
    if _linear(term):
        for name, factor in term.loops:
            if name in names:
                total = total + term.coefficient * factor * grid[name]
        return total
    return term.evaluate(grid) if term.loops and term.loops[0][0] in names else total


def _counts(extents: list[int]) -> list[int]:
    """How many values of each loop are looked at: all, if that is not too much, else fewer of the long ones."""
    counts = list(extents)
    while np.prod(counts, dtype=np.float64) > MOST_PLACES:
        longest = max(range(len(counts)), key=lambda place: counts[place])
        counts[longest] = -(-counts[longest] // 2)
    return counts


def _at(layout: StickLayout, piece: Piece, shift: int) -> Piece:
    """The same with its offsets shifted; the places where nothing happens count as the first."""
    offsets = np.where(piece.happens, piece.offsets + shift, 0)
    return replace(piece, offsets=offsets, coordinates=layout.coordinates(np.maximum(offsets, 0)))


def _clash(layout: StickLayout, base: int, pieces: tuple[Piece, ...]) -> list[int]:
    """The pieces that carry from one device dim into the next when their offsets are added; none if none do.

    Coordinates are the digits of an offset, the largest stride first.  Digits of a sum are the sums of digits if what
    remains behind each digit stays below its stride.  A single piece in the answer carries with the shared offset,
    which then becomes a part of it.
    """
    plain = replace(layout, arrangement=Arrangement.STANDARD)
    tops = [piece.offsets[piece.happens] for piece in pieces] + [np.array([max(0, base)])]
    digits = [plain.coordinates(top) for top in tops]
    for dim in sorted(range(len(layout.stride_map)), key=lambda place: -layout.stride_map[place]):
        stride = layout.stride_map[dim]
        if stride <= 0 or layout.device_size[dim] == 1:
            continue
        tops = [top - digit[dim] * stride for top, digit in zip(tops, digits, strict=True)]
        rests = [int(top.max()) for top in tops]
        if sum(rests) >= stride:
            return [number for number, rest in enumerate(rests[:-1]) if rest]
    if layout.arrangement is Arrangement.STANDARD or layout.sparse:
        return []
    outer = max(0, len(layout.device_size) - 3)
    along = [number for number, digit in enumerate(digits) if digit[[outer, -1]].any()]
    return [number for number in along if number < len(pieces)] if len(along) > 1 else []


def _hull(coordinates: Integers, strides: Integers) -> Integers:
    """All sticks of the box around coordinates."""
    total = np.zeros(1, dtype=np.int64)
    for low, high, stride in zip(coordinates.min(axis=1), coordinates.max(axis=1), strides, strict=True):
        if stride:
            total = (total[:, None] + np.arange(low, high + 1) * stride).ravel()
    return np.unique(total)
