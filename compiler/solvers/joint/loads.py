"""Loads: what several tasks of a kernel pay for one input, as expressions of a model.

Owns the rule of `compiler.solvers.joint.price.shared`: who loads first pays for the bytes, at that load's rate, and of
what comes on top each pays what is beyond those before.  Loads that are simple, all at one rate and none with bursts
before one with a delivery, take a variable each.  Refuses weights: a bound needs less.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd
from typing import TYPE_CHECKING

from compiler.solvers.joint.model import JointModel, Terms
from compiler.solvers.joint.tables import BYTES, DELIVERY, MOST, OWN_US

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

Counted = defaultdict[int, float]
"""A sum in the making: what each variable, by index, counts."""
DIGITS = 15
FINE = 1_000_000
LEAST = 1e-12


@dataclass(frozen=True, slots=True)
class Loads:
    """The loads of one input of `size_bytes` in a kernel: `rows` of what each task counts, in order; `units` are those
    of a microsecond."""

    made: JointModel
    variables: dict[int, cp_model.IntVar]
    size_bytes: int
    rows: list[list[Counted]]
    units: int

    # Bytes

    def moved(self, per_byte: float, turn: float) -> tuple[Terms, Terms]:
        """Memory time, and turnaround of the bytes at the common rate; the factors are us per byte."""
        memory: Terms = []
        turned: Terms = []
        part, groups = self._groups()
        for own, paid in self._paid(self.size_bytes // part, groups):
            memory += self._times(paid, part * (own or per_byte))
            turned += self._times(paid, 0.0 if own else part * turn)
        return memory, turned

    def _groups(self) -> tuple[int, list[tuple[float, list[Terms]]]]:
        """The largest part that all sizes are multiples of, and loads in parts, next ones of equal rate together.

        A rate is us per byte, 0 for the common one.
        """
        part = gcd(self.size_bytes, *(round(value) for row in self.rows for value in row[BYTES].values())) or 1
        found: list[tuple[float, list[Terms]]] = []
        for row in self.rows:
            by_rate: dict[float, Terms] = {}
            for at, value in row[BYTES].items():
                if not round(value):
                    continue
                rate = round(row[OWN_US].get(at, 0.0) / value, DIGITS)
                by_rate.setdefault(rate, []).append((self.variables[at], round(value) // part))
            for rate, terms in sorted(by_rate.items()):
                if not found or found[-1][0] != rate:
                    found.append((rate, []))
                found[-1][1].append(terms)
        return part, found

    def _paid(self, size: int, groups: list[tuple[float, list[Terms]]]) -> Iterator[tuple[float, Terms]]:
        """Rate and parts that the loads of each group pay for: together no more than the whole, or the largest load."""
        rows = [row for _, group in groups for row in group]
        if len(groups) == 1 and all(factor >= size for row in rows for _, factor in row if factor > 0):
            yield groups[0][0], self.top(rows)
            return
        limit = self._whole(size, rows)
        done: list[Terms] = []
        before: Terms = []
        for rate, group in groups:
            done += group
            until = self._until(size, done, limit)
            yield rate, until + [(one, -factor) for one, factor in before]
            before = until

    def _whole(self, size: int, rows: list[Terms]) -> cp_model.IntVar | int:
        """Parts that are loaded at most."""
        most = max(self._most(row) for row in rows)
        if most <= size:
            return size
        found = self.made.whole(most, max([size, *(self.made.value(row) for row in rows)]))
        self.made.model.add_max_equality(found, [size, *(linear(row) for row in rows)])
        return found

    def _until(self, size: int, rows: list[Terms], limit: cp_model.IntVar | int) -> Terms:
        """Parts that these loads pay for together."""
        terms = [term for row in rows for term in row]
        if sum(self._most(row) for row in rows) <= size:
            return terms
        made = self.made
        full = limit if isinstance(limit, int) else made.hints[limit.index]
        most = limit if isinstance(limit, int) else made.most[limit.index]
        found = made.whole(most, min(full, made.value(terms)))
        made.model.add_min_equality(found, [linear(terms), limit])
        for row in rows:
            made.at_most(row, [(found, 1)])  # it follows, but not for the linear relaxation
        return [(found, 1)]

    def _times(self, terms: Terms, factor: float) -> Terms:
        """An expression in units; where parts are many and short, by way of a number that is no less."""
        factor *= self.units
        if not terms or not factor:
            return []
        most = self._sum_of_most(terms)
        if abs(round(factor) - factor) * most <= 1:
            return [(one, times * round(factor)) for one, times in terms]
        value = -(-self.made.value(terms) * round(FINE * factor) // FINE)
        found = self.made.whole(round(most * factor) + 1, value)
        self.made.model.add(FINE * found >= round(FINE * factor) * linear(terms))
        return [(found, 1)]

    # What comes on top

    def extra(self) -> tuple[Terms, Terms]:
        """Delivery, which is memory time, and what bursts add to it."""
        delivered, most = ([self._in_units(row[figure]) for row in self.rows] for figure in (DELIVERY, MOST))
        if not self._late():
            found: Terms = []
            for mine in delivered:
                found = self._longest(found, mine)
            return found, self.top(most, found)
        beyond: Terms = []
        brought: Terms = []
        charged: Terms = []
        for mine, all_mine in zip(delivered, most, strict=True):
            longer, more = self._longest(brought, mine), self._longest(charged, all_mine)
            beyond += self.top([minus(longer, brought), minus(all_mine, charged)])
            brought, charged = longer, more
        return brought, minus(beyond, brought)

    def _late(self) -> bool:
        """True if a load with bursts may come before one with a delivery, which then takes more than the dearest."""
        bursts = False
        for row in self.rows:
            if bursts and any(value > LEAST for value in row[DELIVERY].values()):
                return True
            bursts = bursts or any(value > row[DELIVERY].get(at, 0.0) + LEAST for at, value in row[MOST].items())
        return False

    def _longest(self, before: Terms, mine: Terms) -> Terms:
        """The larger of two numbers, and of 0: no more than that, as what is no delivery may count outside of it."""
        if not before or not mine:
            return before or mine
        made = self.made
        most = max(self._sum_of_most(before), self._sum_of_most(mine))
        found = made.whole(most, max(made.value(before), made.value(mine), 0))
        made.model.add_max_equality(found, [linear(before), linear(mine), 0])
        return [(found, 1)]

    def _in_units(self, found: Counted) -> Terms:
        whole = [(self.variables[at], round(self.units * value)) for at, value in found.items()]
        return [(variable, value) for variable, value in whole if value]

    def _most(self, row: Terms) -> int:
        """What a task counts at most: one of its variables is true."""
        return max((factor for _, factor in row if factor > 0), default=0)

    def _sum_of_most(self, terms: Terms) -> int:
        """What an expression can be at most, its variables taken one by one."""
        return sum(factor * self.made.most[one.index] for one, factor in terms if factor > 0)

    def top(self, rows: list[Terms], plus: Terms | None = None) -> Terms:
        """A number that, with `plus`, no expression exceeds."""
        rows = [row for row in rows if row]
        if not rows:
            return []
        less = self.made.value(plus or [])
        most = max(self._sum_of_most(row) for row in rows)
        found = self.made.whole(most, max([0, *(self.made.value(row) - less for row in rows)]))
        for row in rows:
            self.made.at_most(row, [(found, 1), *(plus or [])])
        return [(found, 1)]


def minus(one: Terms, other: Terms) -> Terms:
    """The difference of two expressions."""
    return one + [(variable, -factor) for variable, factor in other]


def linear(terms: Terms) -> cp_model.LinearExprT:
    """An expression of the model."""
    if not terms:
        return 0
    from ortools.sat.python import cp_model

    return cp_model.LinearExpr.weighted_sum([one for one, _ in terms], [factor for _, factor in terms])
