"""Tally: the price of an answer, kept while single bills come and go.

Owns the sums of every kernel, and of every input the loads in the order in which they run.  Says the same as `price`,
which it is tested against, up to the order of sums.  Refuses to know where bills come from.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from compiler.solvers.joint.price import shared
from compiler.solvers.joint.problem import Bill, JointProblem, Load

OVERLAP = 0.46
"""What compute and memory hide of each other by the second aim (facts 6.2)."""

Key = tuple[int, int, int, int]
"""When a bill is due: slot, task after moves, item and move."""

Entry = tuple[int, Key, Bill, tuple[int, ...]]
"""A bill: kernel, when it is due, and the items that its loads count."""

Loads = dict[Key, tuple[Load, ...]]


@dataclass(slots=True)
class Sums:
    """Of a kernel: sums of its bills and of what its shared loads come to, and its times by either aim."""

    compute_us: float = 0.0
    memory_us: float = 0.0
    serial_us: float = 0.0
    read_bytes: int = 0
    written_bytes: int = 0
    fused_us: float = 0.0
    us: float = 0.0
    partly_us: float = 0.0
    compute_binds: bool = False

    def copy(self) -> Sums:
        """The same sums, to be changed."""
        return Sums(self.compute_us, self.memory_us, self.serial_us, self.read_bytes, self.written_bytes, self.fused_us)


@dataclass(slots=True)
class Change:
    """What some bills would change: new sums, new loads, and the times of the whole by either aim."""

    sums: dict[int, Sums]
    loads: dict[tuple[int, int], tuple[Loads, tuple[int, float, float]]]
    gone: list[Entry]
    come: list[Entry]
    us: float = 0.0
    partly_us: float = 0.0


@dataclass(slots=True)
class Tally:
    """The sums of an answer."""

    problem: JointProblem
    sums: dict[int, Sums] = field(default_factory=dict)
    loads: dict[tuple[int, int], Loads] = field(default_factory=dict)
    shares: dict[tuple[int, int], tuple[int, float, float]] = field(default_factory=dict)
    fused: dict[int, dict[Key, float]] = field(default_factory=dict)
    us: float = 0.0
    partly_us: float = 0.0

    @classmethod
    def of(cls, problem: JointProblem, entries: list[Entry]) -> Tally:
        """The sums of these bills, and of the base of a part."""
        made = cls(problem, {kernel: Sums() for kernel in problem.kernels}, fused={k: {} for k in problem.kernels})
        base = [(kernel, (-1, 0, 0, 0), bill, ()) for kernel, bill in problem.base.items()]
        change = made.change([], [*base, *entries])
        change.sums |= {
            kernel: _closed(problem, sums) for kernel, sums in made.sums.items() if kernel not in change.sums
        }
        made.commit(change)
        return made

    def change(self, gone: list[Entry], come: list[Entry]) -> Change:
        """What it would change if some bills went and others came."""
        made = Change({}, {}, gone, come, self.us, self.partly_us)
        self._add(made, gone, -1)
        self._add(made, come, 1)
        for (kernel, item), (loads, _) in made.loads.items():
            share = _share(self.problem.items[item].size_bytes, loads)
            made.loads[kernel, item] = loads, share
            before, sums = self.shares.get((kernel, item), (0, 0.0, 0.0)), made.sums[kernel]
            sums.read_bytes += share[0] - before[0]
            sums.memory_us += share[1] - before[1]
            sums.serial_us += share[2] - before[2]
        for kernel, sums in made.sums.items():
            _closed(self.problem, sums)
            old = self.sums[kernel]
            made.us += sums.us - old.us
            made.partly_us += sums.partly_us - old.partly_us
        return made

    def commit(self, change: Change) -> None:
        """Make a change."""
        for kernel, key, bill, _ in change.gone:
            if bill.fused_us:
                del self.fused[kernel][key]
        for kernel, key, bill, _ in change.come:
            if bill.fused_us:
                self.fused[kernel][key] = bill.fused_us
        self.sums |= change.sums
        for place, (loads, share) in change.loads.items():
            self.loads[place], self.shares[place] = loads, share
        self.us, self.partly_us = change.us, change.partly_us

    def _add(self, made: Change, entries: Iterable[Entry], sign: int) -> None:
        for kernel, key, bill, items in entries:
            sums = made.sums.get(kernel)
            if sums is None:
                sums = made.sums[kernel] = self.sums[kernel].copy()
            sums.compute_us += sign * bill.compute_us
            sums.memory_us += sign * bill.memory_us
            sums.serial_us += sign * bill.serial_us
            sums.read_bytes += sign * bill.read_bytes
            sums.written_bytes += sign * bill.written_bytes
            if bill.fused_us:
                self._fuse(made, kernel, sums, bill.fused_us, sign)
            for load in bill.loads:
                self._load(made, kernel, items[load.operand], key, load, sign)

    def _fuse(self, made: Change, kernel: int, sums: Sums, fused_us: float, sign: int) -> None:
        """The slowest fused reduction of a kernel; one that goes is looked for again only if it was that."""
        if sign > 0:
            sums.fused_us = max(sums.fused_us, fused_us)
        elif fused_us >= sums.fused_us:
            gone = {key for place, key, _, _ in made.gone if place == kernel}
            left = (us for key, us in self.fused[kernel].items() if key not in gone)
            sums.fused_us = max(left, default=0.0)

    def _load(self, made: Change, kernel: int, item: int, key: Key, load: Load, sign: int) -> None:
        place = kernel, item
        if place not in made.loads:
            made.loads[place] = dict(self.loads.get(place, {})), (0, 0.0, 0.0)
        loads = made.loads[place][0]
        if sign < 0:
            loads.pop(key, None)
        else:
            loads[key] = (*loads.get(key, ()), load)


def _share(size_bytes: int, loads: Loads) -> tuple[int, float, float]:
    """What the loads of an input come to (see `shared`)."""
    if not loads:
        return 0, 0.0, 0.0
    return shared(size_bytes, [load for key in sorted(loads) for load in loads[key]])


def _closed(problem: JointProblem, sums: Sums) -> Sums:
    """Set the times of a kernel by its sums."""
    compute = sums.compute_us + sums.fused_us
    memory = sums.memory_us + problem.rates.memory_us(sums.read_bytes, sums.written_bytes)
    sums.compute_binds = compute > memory
    hidden, whole = min(compute, memory), compute + memory + sums.serial_us
    sums.us, sums.partly_us = whole - hidden, whole - OVERLAP * hidden
    return sums
