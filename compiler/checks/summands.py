"""Summands: an index as a constant plus independent non-negative parts, each a step per value of a digit or a table.

Owns the taking apart of terms: floors and mods become steps of digits of their loops, where they can; otherwise all
points of the loops are listed.  Refuses (None) what would need a list of more than CAP points.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from compiler.checks.domains import Domain
from compiler.checks.elements import CAP
from compiler.checks.radix import Array, Cuts, Digit, Digits, Group, cut_at
from compiler.loops import Index, Term


@dataclass(frozen=True, slots=True)
class Part:
    """`step` per value of the only digit, or `values` over all digits, one axis each; never negative."""

    digits: tuple[Digit, ...]
    step: int = 0
    values: Array | None = None

    def listed(self) -> Array | None:
        """The values over all digits; None if they are too many."""
        if self.values is not None:
            return self.values
        count = self.digits[0].size
        return self.step * np.arange(count, dtype=np.int64) if count <= CAP else None


@dataclass(frozen=True, slots=True)
class Summands:
    """The parts and the loops behind them; a loop in `backward` counts from its last iteration."""

    offset: int
    parts: tuple[Part, ...]
    digits: Digits
    backward: frozenset[str]


def summands(index: Index, domain: Domain) -> Summands | None:
    """The parts of an index over a domain that is not empty; None if that takes too long a list.

    Digits count from the first iteration of the domain.
    """
    roots: dict[str, Digit] = {}
    cuts, offset = Cuts(), index.offset
    parts: list[Part] = []
    backward: set[str] = set()
    for names, terms in connected(index.terms):
        for name in names:
            roots[name] = Digit(name, 1, domain[name][1] - domain[name][0])
        found = _stepped(names, terms, domain, roots) or _listed(names, terms, domain, roots)
        if found is None:
            return None
        constant, mine, theirs, reverse = found
        offset += constant
        parts += mine
        cuts.below |= theirs.below
        backward |= reverse
    for number, gather in enumerate(index.gathers):
        row = Digit(f"row {number}", 1, max(gather.size, 1))
        roots[row.loop] = row
        offset += min(0, gather.coefficient * (row.size - 1))
        parts.append(Part((row,), abs(gather.coefficient)))
    return Summands(offset, tuple(parts), Digits(roots, cuts), frozenset(backward))


def connected(terms: tuple[Term, ...]) -> list[tuple[tuple[str, ...], list[Term]]]:
    """Terms in groups that share loops."""
    groups: list[tuple[set[str], list[Term]]] = []
    for term in terms:
        names, mine = {name for name, _ in term.loops}, [term]
        apart = []
        for group in groups:
            if group[0] & names:
                names, mine = names | group[0], group[1] + mine
            else:
                apart.append(group)
        groups = [*apart, (names, mine)]
    return [(tuple(sorted(names)), mine) for names, mine in groups]


Found = tuple[int, list[Part], Cuts, set[str]]


def _stepped(names: tuple[str, ...], terms: list[Term], domain: Domain, roots: dict[str, Digit]) -> Found | None:
    """All terms as steps of digits; None if some term does not come apart so."""
    if len(names) == 1 and all(term.plain for term in terms):
        return _plain(names[0], sum(term.coefficient for term in terms), domain, roots)
    cuts, offset = Cuts(), 0
    gains: list[tuple[Digit, int]] = []
    for term in terms:
        gained = _floored(term, domain, roots, cuts)
        if gained is None:
            return None
        offset += gained[0]
        gains += gained[1]
    steps: dict[Digit, int] = {leaf: 0 for name in names for leaf in cuts.leaves(roots[name])}
    for digit, step in gains:  # a digit may have been cut after it got its step
        for leaf in cuts.leaves(digit):
            steps[leaf] += step * (leaf.weight // digit.weight)
    if any(step < 0 for leaf, step in steps.items() if leaf.size > 1):
        return None
    return offset, [Part((leaf,), max(step, 0)) for leaf, step in steps.items()], cuts, set()


def _plain(name: str, step: int, domain: Domain, roots: dict[str, Digit]) -> Found:
    low, high = domain[name]
    first = low if step >= 0 else high - 1
    return step * first, [Part((roots[name],), abs(step))], Cuts(), {name} if step < 0 else set()


def _floored(
    term: Term, domain: Domain, roots: dict[str, Digit], cuts: Cuts
) -> tuple[int, list[tuple[Digit, int]]] | None:
    """One term as a constant and steps of leaves; None if it is no such sum."""
    levels = (term.divisor * term.modulus, term.divisor) if term.modulus else (term.divisor,)
    rests: dict[Digit, int] = {}
    start = term.offset
    for name, factor in term.loops:
        if factor < 0:
            return None
        start += factor * domain[name][0]
        for leaf, step in stepping(Part((roots[name],), factor), levels, cuts):
            rests[leaf] = rests.get(leaf, 0) + step
    if len({name for name, _ in term.loops}) < len(term.loops):
        return None
    digits, quotients = Digits(roots, cuts), dict[Digit, int]()
    quotient = 0
    for level in levels:
        for leaf, step in rests.items():
            quotients[leaf], rests[leaf] = divmod(step, level)
        quotient, start = divmod(start, level)
        left = tuple(Group((leaf,), (step,)) for leaf, step in rests.items())
        if any(step * (leaf.size - 1) >= level for leaf, step in rests.items()):
            return None
        if start + digits.sums(left, {}, 1)[1][0] >= level:
            return None
    return term.coefficient * quotient, [(leaf, term.coefficient * step) for leaf, step in quotients.items()]


def stepping(part: Part, levels: Iterable[int], cuts: Cuts) -> list[tuple[Digit, int]]:
    """The leaves of a stepping part with their steps, cut until their floors along the levels step too, if they can."""
    levels = tuple(levels)
    waiting = [(leaf, part.step * (leaf.weight // part.digits[0].weight)) for leaf in cuts.leaves(part.digits[0])]
    found = []
    while waiting:
        leaf, step = waiting.pop()
        q = cut_at(step, leaf.size, levels)
        if q <= 0:
            found.append((leaf, step))
            continue
        high, low = cuts.cut(leaf, q)
        waiting += [(high, step * q), (low, step)]
    return found


def _listed(names: tuple[str, ...], terms: list[Term], domain: Domain, roots: dict[str, Digit]) -> Found | None:
    """All points of the loops."""
    if math.prod(roots[name].size for name in names) > CAP:
        return None
    grids = np.meshgrid(*(np.arange(*domain[name], dtype=np.int64) for name in names), indexing="ij", sparse=True)
    values = dict(zip(names, grids, strict=True))
    total = np.zeros([roots[name].size for name in names], dtype=np.int64)
    for term in terms:
        total = total + term.evaluate(values)
    least = int(total.min())
    return least, [Part(tuple(roots[name] for name in names), values=total - least)], Cuts(), set()
