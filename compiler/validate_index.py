"""Validation of indices: whether every element an index leads to is one that its buffer has.

Owns the bounds of index arithmetic: by intervals first, point by point where floors and remainders hide a bound.
Refuses indices whose arithmetic could leave 64 bits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from compiler.checks.elements import accessed
from compiler.counts import counted
from compiler.loops import Index, Term

LARGEST = 1 << 60
MOST_POINTS = 100_000
Bounds = Mapping[str, tuple[int, int]]
Range = tuple[int, int]


def form_fault(index: Index, extents: Mapping[str, int]) -> str:
    """Why an index has no value, as the end of a sentence; '' if it has one at every iteration."""
    total = abs(index.offset)
    for term in index.terms:
        unknown = [name for name, _ in term.loops if name not in extents]
        if unknown:
            return f"names a loop {unknown[0]!r} that the op does not have"
        if term.divisor < 1:
            return f"divides by {term.divisor}"
        if term.modulus < 0:
            return f"takes the remainder of {term.modulus}"
        inner = abs(term.offset) + sum(abs(factor) * extents[name] for name, factor in term.loops)
        if inner > LARGEST or term.divisor > LARGEST or term.modulus > LARGEST:
            return "has numbers beyond 64 bits"
        total += abs(term.coefficient) * (term.modulus or inner // term.divisor + 1)
    for gather in index.gathers:
        if gather.size < 1:
            return f"picks one of {gather.size} entries"
        total += abs(gather.coefficient) * gather.size
    return "has numbers beyond 64 bits" if total > LARGEST else ""


def idle_loop(index: Index, extents: Mapping[str, int]) -> str:
    """A loop that the index names although no step of it leads to another element; '' if there is none.

    Who reads and shares what is told by the names in an index, so such a name would be taken for a dependence.
    """
    for name in sorted(index.loop_names):
        terms = tuple(term for term in index.terms if any(loop == name for loop, _ in term.loops))
        if extents[name] > 1 and not _moves(terms, name, extents):
            return name
    return ""


def _moves(terms: tuple[Term, ...], name: str, extents: Mapping[str, int]) -> bool:
    if all(term.plain for term in terms):
        return sum(term.coefficient for term in terms) != 0
    names = sorted({loop for term in terms for loop, _ in term.loops})
    if math.prod(extents[loop] for loop in names) > MOST_POINTS:
        bounds = {loop: (0, extents[loop]) for loop in names}
        return any(low < high for low, high in (_term(term, bounds) for term in terms))
    grids = np.ix_(*(np.arange(extents[loop], dtype=np.int64) for loop in names))
    values = Index(0, terms).evaluate(dict(zip(names, grids, strict=True)))
    return bool(np.any(np.diff(values, axis=names.index(name))))


def reach_fault(index: Index, bounds: Bounds, storage: int) -> str:
    """Why the index leaves the `storage` elements of a buffer within half-open ranges of its loops; '' if it stays."""
    if any(low >= high for low, high in bounds.values()):
        return ""
    low, high = _interval(index, bounds)
    if low < 0 or high >= storage:
        low, high = _exact(index, bounds) or (low, high)
    if low < 0:
        return f"reaches {counted(-low, 'element')} before the first one"
    return f"reaches element {high} of {storage}" if high >= storage else ""


def _interval(index: Index, bounds: Bounds) -> Range:
    ends = [(index.offset, index.offset), *(_term(term, bounds) for term in index.terms), *_gathered(index)]
    return sum(end[0] for end in ends), sum(end[1] for end in ends)


def _term(term: Term, bounds: Bounds) -> Range:
    low = high = term.offset
    for name, factor in term.loops:
        ends = factor * bounds[name][0], factor * (bounds[name][1] - 1)
        low, high = low + min(ends), high + max(ends)
    low, high = low // term.divisor, high // term.divisor
    if term.modulus:
        same = low // term.modulus == high // term.modulus
        low, high = (low % term.modulus, high % term.modulus) if same else (0, term.modulus - 1)
    ends = term.coefficient * low, term.coefficient * high
    return min(ends), max(ends)


def _gathered(index: Index) -> list[Range]:
    ends = [gather.coefficient * (gather.size - 1) for gather in index.gathers]
    return [(min(end, 0), max(end, 0)) for end in ends]


def _exact(index: Index, bounds: Bounds) -> Range | None:
    """First and last element, None if there are too many points to follow."""
    elements = accessed(replace(index, gathers=()), bounds)
    if elements is None or not elements.starts:
        return None
    rows = _gathered(index)
    reach = sum(stride * (count - 1) for stride, count in elements.runs) + sum(row[1] for row in rows)
    return min(elements.starts) + sum(row[0] for row in rows), max(elements.starts) + reach
