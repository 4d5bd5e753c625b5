"""Walks: how an access moves through the host dims of its buffer, loop by loop.

An index is a flat offset; a walk is the same index as one coordinate per host dim, each a start plus one summand per
loop (several loops share a summand only where floor or mod ties them, or where their sum carries into the next dim).
Owns that resolution, for affine, floor/mod, gathered and masked indices.  Refuses to enumerate the iteration space: a
summand is a step per iteration or a table over its own loops; what would need a larger table than TABLE_LIMIT is
reported as not known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

import numpy as np
from frozendict import frozendict
from numpy.typing import NDArray

from compiler.loops import Access, Apply, Buffer, Index, IndexValue, Load, LoopOp, Term
from compiler.masks import Range, mask_ranges

TABLE_LIMIT = 2_000_000
_Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """What some loops add to host coordinates: `steps[dim]` per iteration of the only loop, or `table[dim]` over all.

    No loops means a gathered value, which counts as taking all of `extents[0]` values.
    """

    loops: tuple[str, ...]
    extents: tuple[int, ...]
    steps: tuple[int, ...]
    table: _Ints | None = None

    def values(self, dim: int, ranges: Mapping[str, Range] | None = None) -> _Ints:
        """The summand of one host dim over the given half-open ranges (default: all iterations), one axis per loop."""
        bounds = [(ranges or {}).get(name, (0, extent)) for name, extent in zip(self.names, self.extents, strict=True)]
        if self.table is not None:
            return np.asarray(self.table[dim][tuple(slice(*bound) for bound in bounds)])
        return self.steps[dim] * np.arange(*bounds[0], dtype=np.int64)

    @property
    def names(self) -> tuple[str, ...]:
        """One name per axis; a gathered value has the name ''."""
        return self.loops or ("",)


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """Host coordinate `start[dim] + sum of parts`; `ranges` limits loops to where a mask lets the access happen.

    `chosen_by`: loops that choose gathered values.  `gathers`: a value read from memory chooses the element.
    `clipped`: a mask of several loops also hides points outside of the buffer.  `known` is False if the index could not
    be resolved; then nothing may be concluded but that any of `index_loops` may lead anywhere.
    """

    shape: tuple[int, ...]
    start: tuple[int, ...]
    parts: tuple[Part, ...]
    ranges: frozendict[str, Range]
    chosen_by: frozenset[str]
    index_loops: frozenset[str]
    gathers: bool = False
    masked: bool = False
    clipped: bool = False
    known: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class _Raw:
    """A part before it is cut into host dims: `coefficient` per iteration, or flat `values` (offsets) over its loops.

    `carries` marks values that already hold the index's constant.
    """

    loops: tuple[str, ...]
    extents: tuple[int, ...]
    bounds: tuple[Range, ...]
    coefficient: int = 0
    values: _Ints | None = None
    carries: bool = False

    def flat(self) -> _Ints:
        """Offsets over all iterations."""
        if self.values is not None:
            return self.values
        return self.coefficient * np.arange(self.extents[0], dtype=np.int64)

    def span(self) -> Range:
        """Smallest and largest offset within the bounds."""
        if self.values is None:
            low, high = self.bounds[0]
            ends = self.coefficient * low, self.coefficient * (high - 1)
            return min(ends), max(ends)
        inside = self.values[tuple(slice(*bound) for bound in self.bounds)]
        return int(inside.min()), int(inside.max())

    @property
    def base(self) -> int:
        """The offset that its table counts from."""
        return 0 if self.carries else self.span()[0]


def walk_of(op: LoopOp, access: Access, buffer: Buffer) -> Walk:
    """The walk of one access of `op` over `buffer`.  Cheap when asked again: walks are kept by index and shape."""
    reads = [number for number, read in enumerate(op.reads) if read == access]
    masked = bool(reads) and access not in op.writes and any(op.masked(read) for read in reads)
    ranges: dict[str, Range] = {}
    if masked and len(reads) == 1:
        ranges = mask_ranges(op, reads[0])
    extents = tuple((loop.name, loop.extent) for loop in op.loops if loop.name in access.index.loop_names)
    limits = tuple((name, ranges[name]) for name, _ in extents if name in ranges)
    return _walk(access.index, buffer.shape, buffer.strides, extents, limits, _choosers(op, access.index), masked)


def _choosers(op: LoopOp, index: Index) -> frozenset[str]:
    """Loops that the gathered values of an index depend on."""
    found: set[str] = set()
    waiting = [gather.value for gather in index.gathers]
    seen: set[int] = set()
    while waiting:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        step = op.body[value]
        inner = op.reads[step.read].index if isinstance(step, Load) else None
        inner = step.index if isinstance(step, IndexValue) else inner
        if inner is not None:
            found |= inner.loop_names
            waiting += [gather.value for gather in inner.gathers]
        if isinstance(step, Apply):
            waiting += step.args
    return frozenset(found)


@lru_cache(maxsize=1 << 15)
def _walk(
    index: Index,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    extents: tuple[tuple[str, int], ...],
    limits: tuple[tuple[str, Range], ...],
    chosen_by: frozenset[str],
    masked: bool,
) -> Walk:
    names = frozenset(name for name, extent in extents if extent > 1)
    walk = Walk(shape, tuple(0 for _ in shape), (), frozendict(limits), chosen_by, names, bool(index.gathers), masked)
    if 0 in shape or any(extent == 0 for _, extent in extents) or any(low >= high for _, (low, high) in limits):
        return replace(walk, masked=True)  # nothing is accessed
    sizes = dict(extents)
    constant, plain, tied = _summands(index, sizes)
    raws = _raws(plain, tied, sizes, dict(limits))
    if raws is None:
        return replace(walk, known=False)
    raws += [
        _Raw((), (gather.size,), ((0, gather.size),), gather.coefficient) for gather in index.gathers if gather.size > 1
    ]
    return _Resolution(walk, strides).resolve(raws, constant)


def _summands(index: Index, extents: dict[str, int]) -> tuple[int, dict[str, int], list[Term]]:
    """The index as constant, loop -> coefficient, and terms that stay floors or mods; loops of extent 1 are gone."""
    constant, plain, tied = index.offset, dict[str, int](), list[Term]()
    for term in index.terms:
        loops = tuple((name, factor) for name, factor in term.loops if extents[name] > 1 and factor)
        ends = [(factor * (extents[name] - 1), 0) for name, factor in loops]
        low = term.offset + sum(min(end) for end in ends)
        high = term.offset + sum(max(end) for end in ends)
        idle = term.modulus == 0 or 0 <= low // term.divisor <= high // term.divisor < term.modulus
        if low // term.divisor == high // term.divisor:
            quotient = low // term.divisor
            constant += term.coefficient * (quotient % term.modulus if term.modulus else quotient)
        elif term.divisor == 1 and idle:
            constant += term.coefficient * term.offset
            for name, factor in loops:
                plain[name] = plain.get(name, 0) + term.coefficient * factor
        else:
            tied.append(replace(term, loops=loops))
    return constant, plain, tied


def _raws(
    plain: dict[str, int], tied: list[Term], extents: dict[str, int], limits: dict[str, Range]
) -> list[_Raw] | None:
    groups: list[tuple[set[str], list[Term]]] = []
    for term in tied:
        names, terms = {name for name, _ in term.loops}, [term]
        apart = []
        for group in groups:
            if group[0] & names:
                names, terms = names | group[0], group[1] + terms
            else:
                apart.append(group)
        groups = [*apart, (names, terms)]
    raws = []
    for names, terms in groups:
        loops = tuple(sorted(names))
        sizes = tuple(extents[name] for name in loops)
        if np.prod(sizes, dtype=object) > TABLE_LIMIT:
            return None
        axes = dict(zip(loops, np.ix_(*(np.arange(size, dtype=np.int64) for size in sizes)), strict=True))
        values = np.zeros(sizes, dtype=np.int64)
        for term in terms:
            values = values + term.evaluate(axes)
        for name in loops:
            values = values + plain.pop(name, 0) * axes[name]
        bounds = tuple(limits.get(name, (0, extents[name])) for name in loops)
        raws.append(_Raw(loops, sizes, bounds, values=values))
    for name, coefficient in plain.items():
        if coefficient:
            raws.append(_Raw((name,), (extents[name],), (limits.get(name, (0, extents[name])),), coefficient))
    return raws


@dataclass(frozen=True, slots=True)
class _Resolution:
    """Cuts flat offsets into host dims: tries the simplest reading first and accepts one whose coordinates are in
    range, because coordinates in range are unique."""

    walk: Walk
    strides: tuple[int, ...]

    def resolve(self, raws: list[_Raw], constant: int) -> Walk:
        spans = [raw.span() for raw in raws]
        low, high = constant + sum(span[0] for span in spans), constant + sum(span[1] for span in spans)
        walk, bad = self._attempt(raws, constant)
        if not bad:
            return walk
        last = sum((size - 1) * stride for size, stride in zip(self.walk.shape, self.strides, strict=True))
        if low < 0 or high > last:
            return self._outside(raws, low) if self.walk.masked else replace(self.walk, known=False)
        tabled = [self._tabled(raw) if self._touches(raw, bad) else raw for raw in raws]
        if any(raw is None for raw in tabled):
            return replace(self.walk, known=False)
        raws = [raw for raw in tabled if raw is not None]
        walk, bad = self._attempt(raws, constant)
        if not bad:
            return walk
        return self._merged(raws, constant, bad)

    def _merged(self, raws: list[_Raw], constant: int, bad: set[int]) -> Walk:
        """Add up what meets in a dim that overflows, so that carries are seen."""
        together = [raw for raw in raws if self._touches(raw, bad)]
        others = [raw for raw in raws if not self._touches(raw, bad)]
        sizes = tuple(extent for raw in together for extent in raw.extents)
        if np.prod(sizes, dtype=object) > TABLE_LIMIT or any(not raw.loops for raw in together):
            return replace(self.walk, known=False)
        flats = [raw.flat() for raw in together]
        total = flats[0] if flats else np.zeros((), dtype=np.int64)
        for flat in flats[1:]:
            total = np.add.outer(total, flat)
        bases = sum(raw.base for raw in others)
        total = total + constant + bases
        loops = tuple(name for raw in together for name in raw.loops)
        bounds = tuple(bound for raw in together for bound in raw.bounds)
        merged = _Raw(loops, sizes, bounds, values=total, carries=True)
        walk, bad = self._attempt([*others, merged], -bases)
        return replace(self.walk, known=False) if bad else walk

    def _outside(self, raws: list[_Raw], low: int) -> Walk:
        """A masked access that would leave the buffer: the cut of the constant that overshoots least."""
        choices = []
        for rounding in product((0, 1), repeat=len(self._dims)):
            digits, rest = [0] * len(self.walk.shape), low
            for dim, up in zip(self._dims, rounding, strict=True):
                digits[dim] = -(-rest // self.strides[dim]) if up else rest // self.strides[dim]
                rest -= digits[dim] * self.strides[dim]
            if rest == 0:
                walk, _ = self._place(raws, tuple(digits))
                choices.append((self._overshoot(walk), digits, walk))
        if not choices:
            return replace(self.walk, known=False)
        return replace(min(choices, key=lambda choice: choice[:2])[2], clipped=True)

    def _overshoot(self, walk: Walk) -> int:
        total = 0
        for dim in self._dims:
            low, high = hull(walk, dim)
            total += max(0, -low) + max(0, high - walk.shape[dim] + 1)
        return total

    @property
    def _dims(self) -> tuple[int, ...]:
        """Host dims of size > 1, slowest first."""
        dims = [dim for dim, size in enumerate(self.walk.shape) if size > 1]
        return tuple(sorted(dims, key=lambda dim: -self.strides[dim]))

    def _touches(self, raw: _Raw, dims: set[int]) -> bool:
        part = self._part(raw)
        if part is None or part.table is None:
            return part is None or any(part.steps[dim] and part.extents[0] > 1 for dim in dims)
        return any(bool(np.any(part.table[dim])) for dim in dims)

    def _tabled(self, raw: _Raw) -> _Raw | None:
        if raw.values is not None or not raw.loops:
            return raw
        return replace(raw, values=raw.flat()) if raw.extents[0] <= TABLE_LIMIT else None

    def _attempt(self, raws: list[_Raw], constant: int) -> tuple[Walk, set[int]]:
        """A walk and the dims in which it leaves the buffer."""
        smallest = constant + sum(raw.base for raw in raws)
        digits, rest = self._digits(np.asarray(smallest))
        walk, cut = self._place(raws, tuple(int(digit) for digit in digits))
        if not cut or rest.any():
            return walk, set(self._dims) or {0}
        outside = set()
        for dim in self._dims:
            low, high = hull(walk, dim)
            if low < 0 or high >= walk.shape[dim]:
                outside.add(dim)
        return walk, outside

    def _place(self, raws: list[_Raw], digits: tuple[int, ...]) -> tuple[Walk, bool]:
        """The walk whose smallest offset has these digits; False if some part does not fit the strides."""
        start, parts, cut = list(digits), [], True
        for raw in raws:
            part = self._part(raw)
            if part is None:
                cut = False
                continue
            parts.append(part)
            for dim, step in enumerate(part.steps):
                low, high = raw.bounds[0]
                start[dim] -= min(step * low, step * (high - 1))
        return replace(self.walk, start=tuple(start), parts=tuple(parts)), cut

    def _part(self, raw: _Raw) -> Part | None:
        if raw.values is not None:
            digits, rest = self._digits(raw.values - raw.base)
            inside = rest[tuple(slice(*bound) for bound in raw.bounds)]
            return None if inside.any() else Part(raw.loops, raw.extents, (0,) * len(digits), digits)
        steps, left = [0] * len(self.walk.shape), abs(raw.coefficient)
        for dim in self._dims:
            steps[dim], left = divmod(left, self.strides[dim])
        sign = 1 if raw.coefficient > 0 else -1
        return None if left else Part(raw.loops, raw.extents, tuple(sign * step for step in steps))

    def _digits(self, offsets: _Ints) -> tuple[_Ints, _Ints]:
        digits = np.zeros((len(self.walk.shape), *offsets.shape), dtype=np.int64)
        rest = offsets
        for dim in self._dims:
            digits[dim], rest = np.divmod(rest, self.strides[dim])
        return digits, np.asarray(rest)


def hull(walk: Walk, dim: int) -> Range:
    """Smallest and largest coordinate of one host dim over all iterations (both included)."""
    low = high = walk.start[dim]
    for part in walk.parts:
        if part.table is None:
            first, last = walk.ranges.get(part.names[0], (0, part.extents[0]))
            ends = part.steps[dim] * first, part.steps[dim] * (last - 1)
            low, high = low + min(ends), high + max(ends)
        else:
            values = part.values(dim, walk.ranges)
            low, high = low + int(values.min()), high + int(values.max())
    return low, high
