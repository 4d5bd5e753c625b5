"""Prospects: what divisions and places in LX are worth to a search that decides task by task.

Owns a separable stand-in for the price (compute and memory each times a weight, so that kernels need not be summed),
and the look-ahead: what the readers of an item will save if it is in LX under a view.  Refuses to decide, and to be
exact: `price` is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from frozendict import frozendict

from compiler.plan import EditKind
from compiler.solvers.joint.problem import NOWHERE, Bill, Copy, JointProblem, Load, Task
from compiler.solvers.joint.tables import Weights

FUSED = 0.05
"""Share of a fused reduction that counts: only the slowest of a kernel does, and which one that is is not known yet."""


EVEN = Weights(0.5, 0.5)
"""Weights for what is not known to be bound by either."""


@dataclass(frozen=True, slots=True)
class Costs:
    """Of a task: what every choice costs for each set of operands in LX, shared loads apart; and these loads."""

    plain: tuple[tuple[float, ...], ...]
    shared: tuple[tuple[tuple[Load, ...], ...], ...]
    ahead: tuple[tuple[float, ...], ...]


@dataclass(slots=True)
class Prospects:
    """Tables on a problem under weights.  Costs are weighed microseconds, units are of the alignment of the problem."""

    problem: JointProblem
    weights: Weights
    by_kernel: Mapping[int, Weights]
    costs: list[Costs] = field(default_factory=list)
    gains: list[tuple[dict[int, float], ...]] = field(default_factory=list)
    outs: list[float] = field(default_factory=list)
    copies: list[tuple[dict[int, float], ...]] = field(default_factory=list)
    ends: list[dict[int, int]] = field(default_factory=list)
    copy_ends: list[tuple[int, ...]] = field(default_factory=list)
    values: list[dict[int, float]] = field(default_factory=list)
    _tables: dict[tuple[int, Weights, int], Costs] = field(default_factory=dict)

    @classmethod
    def of(
        cls, problem: JointProblem, weights: Weights, by_kernel: Mapping[int, Weights] = frozendict[int, Weights]()
    ) -> Prospects:
        """The tables of a problem; `by_kernel` has other weights for some kernels."""
        made = cls(problem, weights, by_kernel)
        made._fill()
        return made

    def weights_of(self, kernel: int) -> Weights:
        """The weights that hold for a kernel."""
        return self.by_kernel.get(kernel, self.weights)

    def weigh(self, bill: Bill, kernel: int) -> float:
        """What a bill counts without its loads; the side that is written is taken for the smaller one."""
        weights, rates = self.weights_of(kernel), self.problem.rates
        moved = (bill.read_bytes + bill.written_bytes) / rates.bytes_per_ns
        moved += bill.written_bytes * rates.turnaround_ns_per_byte
        compute = bill.compute_us + FUSED * bill.fused_us
        return weights.compute * compute + weights.memory * (bill.memory_us + moved / 1000) + bill.serial_us

    def load(self, load: Load, kernel: int) -> float:
        """What a load counts that nobody shares."""
        moved = load.size_bytes / (load.bytes_per_ns or self.problem.rates.bytes_per_ns) / 1000
        return self.weights_of(kernel).memory * moved + self.delivery(load, kernel)

    def delivery(self, load: Load, kernel: int) -> float:
        """What a load counts beyond its bytes."""
        beyond = max(load.delivery_us, load.burst_us) - load.delivery_us
        return self.weights_of(kernel).memory * load.delivery_us + beyond

    def _fill(self) -> None:
        problem = self.problem
        together = Counter((problem.tasks[r].kernel, n) for n, item in enumerate(problem.items) for r in item.readers)
        for item in problem.items:
            kernel = problem.tasks[item.writer].kernel if item.writer >= 0 else -1
            self.outs.append(self.weigh(item.out, kernel) if item.writer >= 0 else 0.0)
            self.copies.append(tuple(self._copy_costs(copy) for copy in item.copies))
            self.ends.append({})
            self.copy_ends.append(())
            self.values.append({})
        for task in problem.tasks:
            bits = sum((together[task.kernel, item] > 1) << place for place, item in enumerate(task.touched))
            self.costs.append(self._costs(task, bits))
        self.gains = [()] * len(problem.tasks)
        for number in range(len(problem.tasks) - 1, -1, -1):
            self._look_ahead(number)
        for number, item in enumerate(problem.items):
            if item.copies and not self.copy_ends[number]:
                self._ends(number)

    def _copy_costs(self, copy: Copy) -> dict[int, float]:
        kernel = self.problem.tasks[copy.before].kernel
        return {
            start: self.weigh(bill, kernel) + sum(self.load(load, kernel) for load in bill.loads)
            for start, bill in copy.bills.items()
        }

    def _costs(self, task: Task, shared: int) -> Costs:
        key = id(task.menu), self.weights_of(task.kernel), shared
        if key not in self._tables:
            rows = [[self._row(bill, task.kernel, shared) for bill in choice.bills] for choice in task.menu.choices]
            self._tables[key] = Costs(
                tuple(tuple(one[0] for one in row) for row in rows),
                tuple(tuple(one[1] for one in row) for row in rows),
                tuple(tuple(one[2] for one in row) for row in rows),
            )
        return self._tables[key]

    def _row(self, bill: Bill, kernel: int, shared: int) -> tuple[float, tuple[Load, ...], float]:
        common = tuple(load for load in bill.loads if shared >> load.operand & 1)
        alone = sum(self.load(load, kernel) for load in bill.loads if not shared >> load.operand & 1)
        plain = self.weigh(bill, kernel) + alone
        return plain, common, plain + sum(self.delivery(load, kernel) for load in common)

    def _look_ahead(self, number: int) -> None:
        """What a task saves by each view of each operand, were that one alone in LX; the item it writes is kept in
        LX where its own readers gain by it."""
        task = self.problem.tasks[number]
        if task.writes >= 0:
            self._ends(task.operands[task.writes])
            self.values[task.operands[task.writes]] = self._values(task.operands[task.writes])
        reads = [place for place in range(len(task.operands)) if place != task.writes]
        nothing = self._best(number, 0)
        base = min(nothing)
        found: list[dict[int, float]] = [{} for _ in task.operands]
        for place in reads:
            with_it = self._best(number, 1 << place)
            for view, choices in task.menu.by_view[place].items():
                if view != NOWHERE:
                    found[place][view] = base - min(with_it[choice] for choice in choices)
        self.gains[number] = tuple(found)

    def _best(self, number: int, inside: int) -> list[float]:
        """For every choice what it costs with these operands in LX, less what the written item is worth there."""
        task, costs = self.problem.tasks[number], self.costs[number].ahead
        if task.writes < 0:
            return [row[inside] for row in costs]
        item = self.problem.items[task.operands[task.writes]]
        values, bit = self.values[task.operands[task.writes]], 1 << task.writes
        found = []
        for choice, row in zip(task.menu.choices, costs, strict=True):
            value = values.get(choice.views[task.writes])
            kept = row[inside | bit] - value if value is not None else row[inside]
            found.append(kept if item.pinned == "lx" else min(kept, row[inside]))
        return found

    def _values(self, number: int) -> dict[int, float]:
        """What it is worth that an item is in LX, by view."""
        item = self.problem.items[number]
        if item.pinned == "hbm":
            return {}
        out = item.output * self.outs[number]
        return {view: self.worth(number, 0, view, item.output, ()) - out for view in item.feet}

    def worth(self, number: int, since: int, view: int, out: bool, copies: tuple[int, ...]) -> float:
        """What readers of an item from the `since`-th on save if it is in LX under a view (NOWHERE: it is not) and in
        these copies, less its clone-out where that is still to come."""
        item = self.problem.items[number]
        total, abroad = 0.0, out
        for reader in item.readers[since:]:
            gain = max(self._ways(number, reader, view, copies), default=0.0)
            total += max(gain, 0.0)
            abroad |= gain <= 0
        return total - (abroad and not out) * self.outs[number]

    def _ways(self, number: int, reader: int, view: int, copies: tuple[int, ...]) -> Iterator[float]:
        """What a reader saves by each way in which it may get an item out of LX."""
        item = self.problem.items[number]
        gains = self._gains(number, reader)
        if view != NOWHERE and view in gains:
            yield gains[view]
        for place, copy in enumerate(item.copies):
            if reader not in copy.readers or copy.view not in gains:
                continue
            if place in copies:
                yield gains[copy.view]
            elif view in copy.bills and copy.kind is EditKind.RELAYOUT:
                yield gains[copy.view] - self.copies[number][place][view] / len(copy.readers)

    def _gains(self, number: int, reader: int) -> dict[int, float]:
        """What a reader saves by each view of an item."""
        place = self.problem.places[reader].get(number)
        return {} if place is None else self.gains[reader][place]

    def _ends(self, number: int) -> None:
        """The last tick at which each view of an item as written, and each copy, may be of use."""
        item = self.problem.items[number]
        for view in item.feet:
            at = [2 * r + 1 for r in item.readers if view in self._gains(number, r)]
            at += [2 * copy.before for copy in item.copies if copy.kind is EditKind.RELAYOUT and view in copy.bills]
            self.ends[number][view] = max(at, default=NOWHERE)
        self.copy_ends[number] = tuple(
            max((2 * r + 1 for r in copy.readers if copy.view in self._gains(number, r)), default=NOWHERE)
            for copy in item.copies
        )
