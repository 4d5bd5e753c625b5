"""Prospects: what divisions and places in LX are worth to a search that decides task by task.

Owns a separable stand-in for the price (compute and memory each times a weight, so that kernels need not be summed),
and the look-ahead: what the readers of an item will save if it is in LX under a view.  Refuses to decide, and to be
exact: `price` is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from frozendict import frozendict

from compiler.solvers.joint.kinds import CopyKind, Gains, Kind
from compiler.solvers.joint.problem import DEVICE, NOWHERE, Bill, Copy, JointProblem, Load, Task
from compiler.solvers.joint.tables import Weights

FUSED = 0.05
"""Share of a fused reduction that counts: only the slowest of a kernel does, and which one that is is not known yet."""

FAITH = 0.35
"""How much of what the readers of an item gain counts for those before them: the farther ahead, the less certain it is
that it can be had, and without this gains that all have to come along the whole program drown those close by."""

DIGITS = 7
"""Of a microsecond: what steps gain is rounded to these, so that equal layers are equal."""

EVEN = Weights(0.5, 0.5)
"""Weights for what is not known to be bound by either."""

NO_GAINS: Gains = {}


@dataclass(frozen=True, slots=True)
class Slope:
    """What the sums of a kernel count: weights, and whether the turnaround is paid for bytes read, which then are the
    smaller side, and not for bytes written."""

    weights: Weights = EVEN
    turned_by_reads: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Costs:
    """Of a task: what every choice costs for each set of operands in LX, shared loads apart; these loads; and the cost
    with what they take beyond their bytes."""

    plain: tuple[tuple[float, ...], ...]
    shared: tuple[tuple[tuple[Load, ...], ...], ...]
    ahead: tuple[tuple[float, ...], ...]


@dataclass(slots=True)
class Prospects:
    """Tables on a problem under slopes, equal steps and items once: costs by task, kinds by item.

    Costs are weighed microseconds, units are of the alignment of the problem.
    """

    problem: JointProblem
    slope: Slope
    by_kernel: Mapping[int, Slope]
    costs: list[Costs] = field(default_factory=list)
    gains: list[tuple[Gains, ...]] = field(default_factory=list)
    kinds: list[Kind] = field(default_factory=list)
    _tables: dict[tuple[int, Slope, int], Costs] = field(default_factory=dict)
    _kinds: dict[tuple[object, ...], Kind] = field(default_factory=dict)
    _gains: dict[tuple[int, int], tuple[Gains, ...]] = field(default_factory=dict)
    _equal: dict[tuple[tuple[tuple[int, float], ...], ...], tuple[Gains, ...]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, problem: JointProblem, slope: Slope, by_kernel: Mapping[int, Slope] = frozendict[int, Slope]()
    ) -> Prospects:
        """The tables of a problem; `by_kernel` has other slopes for some kernels."""
        made = cls(problem, slope, by_kernel)
        made._fill()
        return made

    def weigh(self, bill: Bill, kernel: int) -> float:
        """What a bill counts without its loads."""
        slope, rates = self.by_kernel.get(kernel, self.slope), self.problem.rates
        moved = (bill.read_bytes + bill.written_bytes) / rates.bytes_per_ns
        moved += (bill.read_bytes if slope.turned_by_reads else bill.written_bytes) * rates.turnaround_ns_per_byte
        compute = bill.compute_us + FUSED * bill.fused_us
        memory = bill.memory_us + moved / 1000
        return slope.weights.compute * compute + slope.weights.memory * memory + bill.serial_us

    def load(self, load: Load, kernel: int) -> float:
        """What a load counts that nobody shares."""
        slope, rates = self.by_kernel.get(kernel, self.slope), self.problem.rates
        moved = load.size_bytes / (load.bytes_per_ns or rates.bytes_per_ns)
        if slope.turned_by_reads and not load.bytes_per_ns:
            moved += load.size_bytes * rates.turnaround_ns_per_byte
        return slope.weights.memory * moved / 1000 + self.delivery(load, kernel)

    def delivery(self, load: Load, kernel: int) -> float:
        """What a load counts beyond its bytes."""
        beyond = max(load.delivery_us, load.burst_us) - load.delivery_us
        return self.by_kernel.get(kernel, self.slope).weights.memory * load.delivery_us + beyond

    def _fill(self) -> None:
        problem = self.problem
        together = Counter((problem.tasks[r].kernel, n) for n, item in enumerate(problem.items) for r in item.readers)
        for task in problem.tasks:
            bits = sum((together[task.kernel, item] > 1) << place for place, item in enumerate(task.touched))
            self.costs.append(self._costs(task, bits))
        self.gains = [()] * len(problem.tasks)
        made: dict[int, Kind] = {}
        for number in range(len(problem.tasks) - 1, -1, -1):
            task = problem.tasks[number]
            written = task.operands[task.writes] if task.writes >= 0 else -1
            if written >= 0:
                made[written] = self._kind(written)
            self.gains[number] = self._ahead(number, made.get(written))
        self.kinds = [made[number] if number in made else self._kind(number) for number in range(len(problem.items))]

    def _costs(self, task: Task, shared: int) -> Costs:
        key = id(task.menu), self.by_kernel.get(task.kernel, self.slope), shared
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

    def _ahead(self, number: int, written: Kind | None) -> tuple[Gains, ...]:
        """What a task saves by each view of each operand, were that one alone in LX; the item it writes is kept in LX
        where its own readers gain by it."""
        task, costs = self.problem.tasks[number], self.costs[number]
        key = id(costs), id(written)
        if key not in self._gains:
            base = min(_best(task, costs, 0, written))
            found: list[Gains] = [{} for _ in task.operands]
            for place in range(len(task.operands)):
                if place != task.writes:
                    with_it = _best(task, costs, 1 << place, written)
                    for view, choices in task.menu.by_view[place].items():
                        if view != NOWHERE:
                            found[place][view] = round(base - min(with_it[choice] for choice in choices), DIGITS)
            # by value, so that what leads to equal gains is equal however far it is from the end of the program
            self._gains[key] = self._equal.setdefault(tuple(tuple(one.items()) for one in found), tuple(found))
        return self._gains[key]

    def _kind(self, number: int) -> Kind:
        """What is the same for all items that differ only in where they are in the program."""
        problem, item = self.problem, self.problem.items[number]
        base = item.writer if item.writer >= 0 else min(item.readers, default=0)
        out = self.weigh(item.out, problem.tasks[item.writer].kernel) if item.writer >= 0 else 0.0
        gains = tuple(self._gains_of(number, reader) for reader in item.readers)
        copies = tuple(self._copy(copy, base) for copy in item.copies)
        readers = tuple(reader - base for reader in item.readers)
        key = (item.feet, item.output, item.pinned, item.ring, out, readers, tuple(id(one) for one in gains), copies)
        if key not in self._kinds:
            heights = {view: problem.height(foot) for view, foot in item.feet.items()}
            self._kinds[key] = Kind(item, out, readers, gains, copies, heights)
        return self._kinds[key]

    def _gains_of(self, number: int, reader: int) -> Gains:
        place = self.problem.places[reader].get(number)
        return NO_GAINS if place is None else self.gains[reader][place]

    def _copy(self, copy: Copy, base: int) -> CopyKind:
        kernel = self.problem.tasks[copy.before].kernel
        costs = frozendict(
            (start, self.weigh(bill, kernel) + sum(self.load(load, kernel) for load in bill.loads))
            for start, bill in copy.bills.items()
        )
        height, readers = self.problem.height(copy.foot_bytes), tuple(reader - base for reader in copy.readers)
        ring = DEVICE not in copy.bills
        return CopyKind(copy.view, copy.foot_bytes, height, copy.before - base, readers, costs, ring)


def _best(task: Task, costs: Costs, inside: int, written: Kind | None) -> list[float]:
    """For every choice what it costs with these operands in LX, less what the written item is worth there."""
    if written is None:
        return [row[inside] for row in costs.ahead]
    found, bit = [], 1 << task.writes
    for choice, row in zip(task.menu.choices, costs.ahead, strict=True):
        value = written.values.get(choice.views[task.writes])
        kept = row[inside] if value is None else row[inside | bit] - (value if value < 0 else FAITH * value)
        found.append(kept if written.held else min(kept, row[inside]))
    return found
