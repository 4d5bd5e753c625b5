"""Reach: the sticks of a tensor that one core touches through an access, and how contiguous they are.

Owns counts of sticks, mean length of contiguous runs, zeros that are read or written with the last row of a padded dim,
and which cores touch the same.  Refuses bytes and times, and where a gathered element lies: each counts for itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from compiler.layout import StickLayout
from simulator.timing.pieces import AccessForm, Integers, Piece, Ranges, pieces_of

MOST_SUMS = 1 << 20
"""Sums of two sets of sticks that are spelled out at once."""


@dataclass(frozen=True, slots=True)
class Part:
    """Sticks that a core touches; mean sticks of a contiguous run; equal parts of one access have equal numbers."""

    sticks: int
    run: float
    number: int


NOTHING = Part(0, 0.0, -1)


@dataclass(frozen=True, slots=True, eq=False)
class _Cluster:
    """Pieces that move along the same device dims: their sticks add up, those of different clusters multiply."""

    pieces: tuple[Piece, ...]
    dims: frozenset[int]


class Reach:
    """The sticks of one access for any ranges of its loops.

    `gathering` are loops that choose an element by a value in memory: each of their iterations counts for itself.
    `filled`: whoever touches the last row of a padded dim also touches the padding behind it.
    """

    def __init__(self, form: AccessForm, gathering: frozenset[str] = frozenset(), filled: bool = False) -> None:
        self._layout = form.layout
        found = pieces_of(form)
        self._happens = found is not None
        self._base, self._pieces = found or (0, ())
        self._loops = form.loops
        self._gathering = tuple(place for place, loop in enumerate(form.loops) if loop.name in gathering)
        self._strides = stick_strides(form.layout)
        self._clusters = _clusters(self._pieces, len(form.layout.device_size) - 1)
        self._padded = _padded(form.layout) if filled else ()
        self._whole = tuple((0, loop.extent) for loop in form.loops)
        self._sticks: dict[tuple[int, Ranges], Integers] = {}
        self._parts: dict[Ranges, Part] = {}
        self._numbers: dict[tuple[bytes, ...], int] = {}

    def part(self, ranges: Ranges) -> Part:
        """What is touched for half-open ranges of all loops."""
        if ranges not in self._parts:
            self._parts[ranges] = self._part(ranges)
        return self._parts[ranges]

    def movers(self, dim: int) -> frozenset[str]:
        """The loops that move along a device dim (negative: from the end, -1 for lanes)."""
        place = dim % len(self._layout.device_size)
        found = [each for piece in self._pieces if place in piece.dims for each in piece.places]
        return frozenset(self._loops[each].name for each in found)

    def _part(self, ranges: Ranges) -> Part:
        if not self._happens or any(high <= low for low, high in ranges):
            return NOTHING
        sets = [self._of_cluster(number, ranges) for number in range(len(self._clusters))]
        if any(not len(sticks) for sticks in sets):
            return NOTHING
        extra, repeats = self._unmoved_padding(), [ranges[place] for place in self._gathering]
        count = extra * int(np.prod([len(sticks) for sticks in sets], dtype=np.int64))
        count *= int(np.prod([high - low for low, high in repeats], dtype=np.int64))
        key = (repr(repeats).encode(), *(blake2b(sticks.tobytes(), digest_size=16).digest() for sticks in sets))
        return Part(count, self._run(sets), self._numbers.setdefault(key, len(self._numbers)))

    def _of_cluster(self, number: int, ranges: Ranges) -> Integers:
        """Sticks of a cluster, padding included; only its own loops matter."""
        cluster = self._clusters[number]
        places = [place for piece in cluster.pieces for place in piece.places]
        key = (number, tuple(ranges[place] for place in places))
        if key not in self._sticks:
            found = self._added(cluster, ranges)
            for dim, size in self._padded:
                if dim in cluster.dims and len(found):
                    found = self._filled(cluster, found, dim, size)
            self._sticks[key] = found
        return self._sticks[key]

    def _added(self, cluster: _Cluster, ranges: Ranges) -> Integers:
        total = np.zeros(1, dtype=np.int64)
        for piece in cluster.pieces:
            total = _sums(total, piece.sticks(ranges, self._strides))
        return total

    def _filled(self, cluster: _Cluster, sticks: Integers, dim: int, size: int) -> Integers:
        """The same with the padding behind the last row that anybody touches, if it is among them."""
        stride = int(self._strides[dim])
        rows = self._base_row(dim) + sticks // stride % size
        everything = self._added(cluster, self._whole)
        last = int((self._base_row(dim) + everything // stride % size).max())
        edge = sticks[rows == last]
        behind = np.arange(1, size - last, dtype=np.int64) * stride
        return np.union1d(sticks, (edge[:, None] + behind).ravel())

    def _unmoved_padding(self) -> int:
        """Rows of padded dims along which nothing moves: all of them are touched with the only one."""
        moved = frozenset().union(*(cluster.dims for cluster in self._clusters))
        return int(np.prod([size - self._base_row(dim) for dim, size in self._padded if dim not in moved], dtype=int))

    def _base_row(self, dim: int) -> int:
        return int(self._layout.coordinates(np.array([self._base]))[dim, 0])

    def _run(self, sets: list[Integers]) -> float:
        """Mean sticks from one gap to the next, walking outwards from the innermost dim."""
        sizes = self._layout.device_size[:-1]
        span, ends = 1, {*self._strides[:-1].tolist(), self._layout.sticks}
        for dim in reversed(range(len(sizes))):
            if sizes[dim] == 1 or self._strides[dim] < span:
                continue
            mine = next((place for place, cluster in enumerate(self._clusters) if dim in cluster.dims), None)
            if mine is None:
                return float(span)
            gaps = int(np.count_nonzero(np.diff(sets[mine]) != span))
            if gaps or span * len(sets[mine]) not in ends:
                return span * len(sets[mine]) / (gaps + 1)
            span *= len(sets[mine])
        return float(span)


def stick_strides(layout: StickLayout) -> Integers:
    """Sticks that one step of every device dim moves; 0 for lanes."""
    inner = np.cumprod((1, *layout.device_size[-2:0:-1]), dtype=np.int64)[::-1]
    return np.append(inner, 0)[-len(layout.device_size) :]


def _padded(layout: StickLayout) -> tuple[tuple[int, int], ...]:
    """Device dim and size of every dim that is longer on the device than on the host."""
    order = layout.dim_order
    dims = (*order[1:-1], order[-1], order[0]) if len(order) > 1 else order
    return tuple((dims.index(dim), layout.device_size[dims.index(dim)]) for dim, _ in layout.padding)


def _clusters(pieces: tuple[Piece, ...], lane: int) -> tuple[_Cluster, ...]:
    """Pieces by the dims they move along, lanes left out; a piece that moves within sticks only stands alone."""
    found: list[_Cluster] = []
    for piece in pieces:
        dims = piece.dims - {lane}
        together = [other for other in found if other.dims & dims]
        merged = tuple(each for other in together for each in other.pieces)
        apart = [other for other in found if not other.dims & dims]
        found = [*apart, _Cluster((*merged, piece), dims.union(*(other.dims for other in together)))]
    return tuple(found)


def _sums(one: Integers, other: Integers) -> Integers:
    """All sums of two sorted sets, each once."""
    if len(one) > len(other):
        one, other = other, one
    if len(one) * len(other) <= MOST_SUMS:
        return np.unique((one[:, None] + other).ravel())
    marks = np.zeros(int(one[-1] + other[-1]) + 1, dtype=bool)
    for each in one.tolist():
        marks[each + other] = True
    return np.flatnonzero(marks)
