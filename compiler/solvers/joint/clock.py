"""Clock: the time of a JointProblem as an expression of a model, in whole units.

Owns the sums of `compiler.solvers.joint.price`: with weights as one weighted sum, else per kernel the larger of compute
and memory, the turnaround of the smaller side, and inputs that are loaded once.  Bills that come apart by operand take
few variables, the others one per choice and mask.  Refuses to solve.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from compiler.solvers.joint.loads import Counted, Loads
from compiler.solvers.joint.model import JointModel, Terms
from compiler.solvers.joint.problem import NOWHERE, Bill
from compiler.solvers.joint.tables import (
    BYTES,
    COMPUTE,
    DELIVERY,
    FUSED,
    MEMORY,
    MOST,
    OWN_US,
    PER_LOAD,
    POOLED,
    READ,
    SERIAL,
    SUMS,
    WRITTEN,
    Floats,
    Table,
    apart,
    weighed,
)

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

LEAST = 1e-12


@dataclass(slots=True)
class Clock:
    """Builds the objective of a model; `total` is its expression, `constant` what has to be added in units, and `both`
    compute and memory of all kernels, of which only the larger one shows in the total."""

    made: JointModel
    total: Terms = field(default_factory=list)
    both: Terms = field(default_factory=list)
    constant: int = 0
    _variables: dict[int, cp_model.IntVar] = field(default_factory=dict)
    _sums: dict[tuple[int, int], Counted] = field(default_factory=dict)
    _loads: dict[tuple[int, int], dict[int, list[Counted]]] = field(default_factory=dict)
    _fused: dict[int, dict[int, Counted]] = field(default_factory=dict)

    def build(self) -> None:
        """Every bill counted, then closed kernel by kernel."""
        problem = self.made.problem
        for number, task in enumerate(problem.tasks):
            self._task(number, self.made.tables[number], task.kernel)
        for number, item in enumerate(problem.items):
            for place, copy in enumerate(item.copies):
                kernel = problem.tasks[copy.before].kernel
                for view, variable in self.made.made[number, place].items():
                    self._count(kernel, variable, self._vector(copy.bills[view]))
            out = self.made.out[number]
            if out is not None:
                self._count(problem.tasks[item.writer].kernel, out, self._vector(item.out))
        for kernel in problem.kernels:
            self._close(kernel)

    def units(self, microseconds: float) -> int:
        """Whole units of a time."""
        return round(microseconds * self.made.units_per_us)

    def expression(self) -> cp_model.LinearExprT:
        """The time in units."""
        return _linear(self.total) + self.constant

    def hidden(self) -> cp_model.LinearExprT:
        """Compute and memory of all kernels in units."""
        return _linear(self.both)

    # Counting

    def _vector(self, bill: Bill) -> Floats:
        rates, weights = self.made.problem.rates, self.made.weights
        if weights is None:
            sums = [bill.compute_us, bill.fused_us, bill.memory_us, bill.serial_us, bill.read_bytes, bill.written_bytes]
            return np.array(sums, dtype=np.float64)
        return np.array([weighed(bill, rates, weights)])

    def _count(self, kernel: int, variable: cp_model.IntVar, vector: Floats, number: int = -1) -> None:
        """Count a vector where a variable is true: sums of the kernel, then the loads of a task."""
        self._variables[variable.index] = variable
        plain = 1 if self.made.weights else SUMS
        for place, value in enumerate(vector[:plain].tolist()):
            if abs(value) > LEAST and plain > 1 and place == FUSED:
                mine = self._fused.setdefault(kernel, {}).setdefault(number, defaultdict(float))
                mine[variable.index] += value
            elif abs(value) > LEAST:
                self._sums.setdefault((kernel, place), defaultdict(float))[variable.index] += value
        for place, value in enumerate(vector[plain:].tolist()):
            if abs(value) > LEAST:
                item, figure = self.made.problem.tasks[number].touched[place // PER_LOAD], place % PER_LOAD
                rows = self._loads.setdefault((kernel, item), {})
                rows.setdefault(number, [defaultdict(float) for _ in range(PER_LOAD)])[figure][variable.index] += value

    def _task(self, number: int, table: Table, kernel: int) -> None:
        task = self.made.problem.tasks[number]
        chosen = self.made.chosen[number]
        extra = apart(table)
        if extra is None:
            self._by_mask(number, table, kernel)
            return
        for row, choice in enumerate(table.choices):
            self._count(kernel, chosen[choice], table.sums[row, -1], number)
        for place, item in enumerate(task.operands):
            if table.full >> place & 1:
                self._away(number, table, (place, item), extra[:, place], kernel)

    def _away(self, number: int, table: Table, operand: tuple[int, int], extra: Floats, kernel: int) -> None:
        """What choices count more for an operand that is in device memory."""
        place, item = operand
        chosen = self.made.chosen[number]
        served = self._served(number, item)
        rows: dict[int, list[int]] = defaultdict(list)
        for row, views in enumerate(table.views):
            rows[views[place]].append(row)
        for view, group in rows.items():
            for row in group:
                self._count(kernel, chosen[table.choices[row]], extra[row], number)
            ways = served.get(view, []) if view != NOWHERE else []
            if not ways:
                continue
            if len(group) == 1 or np.ptp(extra[group], axis=0).max() <= LEAST:
                for way in ways:
                    self._count(kernel, way, -extra[group[0]], number)
                continue
            both = self._split(number, [table.choices[row] for row in group], ways)
            for row, one in zip(group, both, strict=True):
                self._count(kernel, one, -extra[row], number)

    def _split(self, number: int, choices: list[int], ways: list[cp_model.IntVar]) -> list[cp_model.IntVar]:
        """Of choices with one view that save differently, one variable each: chosen and served in LX."""
        made = self.made
        served = made.value([(way, 1) for way in ways])
        both = []
        for choice in (made.chosen[number][one] for one in choices):
            one = made.boolean(bool(served and made.hints[choice.index]))
            made.model.add_implication(one, choice)
            both.append(one)
        made.model.add(sum(both) == sum(ways))
        return both

    def _served(self, number: int, item: int) -> dict[int, list[cp_model.IntVar]]:
        """View -> what tells that a task has an item in LX under it."""
        made = self.made
        if made.problem.items[item].writer == number:
            return {view: [one] for view, one in made.inside[item].items()}
        found: dict[int, list[cp_model.IntVar]] = {view: [one] for view, one in made.home[item, number].items()}
        for place, copy in enumerate(made.problem.items[item].copies):
            serve = made.serves[item, place].get(number)
            if serve is not None:
                found.setdefault(copy.view, []).append(serve)
        return found

    def _by_mask(self, number: int, table: Table, kernel: int) -> None:
        """One variable per choice and mask, tied to the choices and to who is served in LX."""
        made, task = self.made, self.made.problem.tasks[number]
        chosen = made.chosen[number]
        ways = {place: self._ways(number, item) for place, item in enumerate(task.operands)}
        start = sum(
            bool(made.value([(way, 1) for way in ways[place]])) << place for place in ways if table.full >> place & 1
        )
        by_bit: dict[int, Terms] = defaultdict(list)
        for row, choice in enumerate(table.choices):
            cells: Terms = []
            for column, mask in enumerate(table.masks):
                if any(mask >> place & 1 and table.views[row][place] == NOWHERE for place in ways):
                    continue
                cell = made.boolean(mask == start and bool(made.hints[chosen[choice].index]))
                cells.append((cell, 1))
                self._count(kernel, cell, table.sums[row, column], number)
                for place in ways:
                    if mask >> place & 1:
                        by_bit[place].append((cell, 1))
            made.model.add(sum(cell for cell, _ in cells) == chosen[choice])
        for place, served in ways.items():
            if table.full >> place & 1:
                made.model.add(sum(cell for cell, _ in by_bit[place]) == sum(served))

    def _ways(self, number: int, item: int) -> list[cp_model.IntVar]:
        return [way for ways in self._served(number, item).values() for way in ways]

    # Closing

    def _terms(self, found: Counted | None, factor: float = 1.0) -> Terms:
        """A sum in whole units, its factor applied."""
        whole = [(self._variables[at], self.units(factor * value)) for at, value in (found or {}).items()]
        return [(variable, value) for variable, value in whole if value]

    def _sum(self, kernel: int, place: int, factor: float = 1.0) -> Terms:
        return self._terms(self._sums.get((kernel, place)), factor)

    def _close(self, kernel: int) -> None:
        if self.made.weights is not None:
            loaded, beyond, turned = self._loaded(kernel, self.made.weights.memory)
            self.total += self._sum(kernel, 0) + loaded + beyond + turned
            return
        base, rates = self.made.problem.base.get(kernel, Bill()), self.made.problem.rates
        per_byte, turn = 1 / rates.bytes_per_ns / 1000, rates.turnaround_ns_per_byte / 1000
        loaded, beyond, turned = self._loaded(kernel, 1.0)
        compute = self._sum(kernel, COMPUTE) + self._slowest(kernel, base.fused_us)
        memory = self._sum(kernel, MEMORY) + self._sum(kernel, READ, per_byte) + self._sum(kernel, WRITTEN, per_byte)
        sides = (self._sum(kernel, READ, turn) + turned, self._sum(kernel, WRITTEN, turn))
        memory += loaded + self._smaller(
            sides, (self.units(base.read_bytes * turn), self.units(base.written_bytes * turn))
        )
        static = base.memory_us + (base.read_bytes + base.written_bytes) * per_byte
        self.both += compute + memory
        self.total += self._larger((compute, memory), (self.units(base.compute_us), self.units(static)))
        self.total += self._sum(kernel, SERIAL) + beyond
        self.constant += self.units(base.serial_us)

    def _slowest(self, kernel: int, base: float) -> Terms:
        """The slowest fused reduction of a kernel."""
        rows = [self._terms(mine) for mine in self._fused.get(kernel, {}).values()]
        return self._top(rows, self.units(base))

    def _top(self, rows: list[Terms], least: int = 0, plus: Terms | None = None) -> Terms:
        """A number that, with `plus`, no expression exceeds."""
        if not rows and not least:
            return []
        less = self.made.value(plus or [])
        most = max([least, *(self._most(row) for row in rows)])
        top = self.made.whole(most, max([least - less, 0, *(self.made.value(row) - less for row in rows)]))
        if least:
            self.made.model.add(top >= least)
        for row in rows:
            self.made.at_most(row, [(top, 1), *(plus or [])])
        return [(top, 1)]

    def _larger(self, sides: tuple[Terms, Terms], constants: tuple[int, int]) -> Terms:
        """Compute or memory, whichever is more."""
        made = self.made
        values = [made.value(side) + constant for side, constant in zip(sides, constants, strict=True)]
        most = [self._most(side) + constant for side, constant in zip(sides, constants, strict=True)]
        larger = made.whole(max(most), max(values))
        for side, constant in zip(sides, constants, strict=True):
            made.model.add(_linear(side) + constant <= larger)
        return [(larger, 1)]

    def _most(self, terms: Terms) -> int:
        """What an expression can be at most, its variables taken one by one."""
        return sum(factor * self.made.most[one.index] for one, factor in terms if factor > 0)

    def _smaller(self, sides: tuple[Terms, Terms], constants: tuple[int, int]) -> Terms:
        """The turnaround: of the smaller side, whichever that is."""
        made = self.made
        values = [made.value(side) + constant for side, constant in zip(sides, constants, strict=True)]
        most = [self._most(side) + constant for side, constant in zip(sides, constants, strict=True)]
        smaller = made.whole(max(0, *most), min(values))
        first = made.boolean(values[0] <= values[1])
        for literal, side, constant in ((first, sides[0], constants[0]), (~first, sides[1], constants[1])):
            made.model.add(smaller >= _linear(side) + constant).only_enforce_if(literal)
        return [(smaller, 1)]

    def _loaded(self, kernel: int, weight: float) -> tuple[Terms, Terms, Terms]:
        """Inputs that are loaded once for several tasks: memory time, what bursts add, turnaround of their bytes."""
        rates = self.made.problem.rates
        memory: Terms = []
        beyond: Terms = []
        turned: Terms = []
        per_byte, turn = weight / rates.bytes_per_ns / 1000, weight * rates.turnaround_ns_per_byte / 1000
        counts_turn = self.made.weights is not None and self.made.weights.turned == "read"
        for (where, item), rows in self._loads.items():
            if where != kernel:
                continue
            if self.made.weights is None:
                size, ordered = self.made.problem.items[item].size_bytes, [rows[number] for number in sorted(rows)]
                loads = Loads(self.made, self._variables, size, ordered, self.made.units_per_us)
                for mine, found in zip(
                    (memory, turned, memory, beyond), (*loads.moved(per_byte, turn), *loads.extra()), strict=True
                ):
                    mine += found
                continue
            if any(row[OWN_US] for row in rows.values()):
                memory += self._in_turn(rows, (per_byte, weight))
                turned += self._in_turn(rows, (turn, 0.0)) if counts_turn else []
            else:
                together = self._parts(item, rows)
                memory += self._bytes(rows, per_byte, together)
                turned += self._bytes(rows, turn, together) if counts_turn else []
            delivered = self._top([self._terms(row[DELIVERY]) for row in rows.values()])
            beyond += self._top([self._terms(row[MOST]) for row in rows.values()], 0, delivered)
            memory += self._weighed(delivered, weight)
        return memory, beyond, turned

    def _weighed(self, terms: Terms, weight: float) -> Terms:
        """An expression times a weight, in thousandths rounded down."""
        return [(one, factor) for one, factor in terms] if weight == 1.0 else self._part(terms, int(1000 * weight))

    def _part(self, terms: Terms, thousandths: int) -> Terms:
        if not terms or not thousandths:
            return []
        value = -(-self.made.value(terms) * thousandths // 1000)
        part = self.made.whole(sum(self.made.most[one.index] * factor for one, factor in terms), value)
        self.made.model.add(1000 * part >= thousandths * _linear(terms))
        return [(part, 1)]

    def _parts(self, item: int, rows: dict[int, list[Counted]]) -> bool:
        """True if the tasks load parts of an input that are no more than the whole together."""
        most = [max([0.0, *row[BYTES].values()]) for row in rows.values()]
        return sum(most) <= self.made.problem.items[item].size_bytes

    def _in_turn(self, rows: dict[int, list[Counted]], factors: tuple[float, float]) -> Terms:
        """What an input costs at least that moves at several rates: a task pays for what those before left.

        `factors` turn bytes at the common rate, and time at another one, into what is counted.  What was loaded before
        is taken off at the highest rate of the task, whether it would have been loaded again or not.
        """
        found: Terms = []
        before: Counted = defaultdict(float)
        for row in (rows[number] for number in sorted(rows)):
            counted: Counted = defaultdict(float)
            for part, factor in ((row[POOLED], factors[0]), (row[OWN_US], factors[1])):
                for at, value in part.items():
                    counted[at] += factor * value
            due = self._terms(counted)
            most = self._most(due)
            rate = max((counted[at] / value for at, value in row[BYTES].items() if abs(value) > LEAST), default=0.0)
            spared = self._terms(before, rate)
            paid = self.made.whole(most, max(0, self.made.value(due) - self.made.value(spared)))
            self.made.at_most(due, [(paid, 1), *spared])
            found.append((paid, 1))
            for at, value in row[BYTES].items():
                before[at] += value
        return found

    def _bytes(self, rows: dict[int, list[Counted]], per_byte: float, together: bool) -> Terms:
        terms = [self._terms(row[BYTES], per_byte) for row in rows.values()]
        return [term for row in terms for term in row] if together else self._top(terms)


def _linear(terms: Terms) -> cp_model.LinearExprT:
    from ortools.sat.python import cp_model

    return cp_model.LinearExpr.weighted_sum([one for one, _ in terms], [factor for _, factor in terms])
