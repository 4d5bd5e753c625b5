"""Price of an answer to a JointProblem, by the same sums as `compiler.cost` prices a plan.

A kernel takes max(compute, memory) + serial, of compute and memory only `overlap` of the smaller one being hidden.
Compute has the slowest fused reduction once.  Memory has all bytes at the common rate, with one turnaround; an input
from outside is loaded once for its readers, and the dearest of them pays what comes on top.  Refuses to judge whether
the answer is allowed: that is `faults`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from compiler.solvers.joint.problem import DEVICE, Answer, Bill, JointProblem, Load


@dataclass(slots=True)
class Sums:
    """The sums of one kernel."""

    compute_us: float = 0.0
    fused_us: float = 0.0
    memory_us: float = 0.0
    serial_us: float = 0.0
    read_bytes: int = 0
    written_bytes: int = 0
    loads: defaultdict[int, list[Load]] = field(default_factory=lambda: defaultdict(list))

    def add(self, bill: Bill, operands: tuple[int, ...] = ()) -> None:
        """Add a bill; `operands` are the items that its loads count."""
        self.compute_us += bill.compute_us
        self.fused_us = max(self.fused_us, bill.fused_us)
        self.memory_us += bill.memory_us
        self.serial_us += bill.serial_us
        self.read_bytes += bill.read_bytes
        self.written_bytes += bill.written_bytes
        for load in bill.loads:
            self.loads[operands[load.operand]].append(load)


@dataclass(frozen=True, slots=True)
class Times:
    """What a kernel takes: compute and memory, which overlap, and the rest."""

    compute_us: float
    memory_us: float
    serial_us: float

    def total_us(self, overlap: float = 1.0) -> float:
        """Time of the kernel."""
        return self.compute_us + self.memory_us - overlap * min(self.compute_us, self.memory_us) + self.serial_us


def mask(problem: JointProblem, answer: Answer, number: int) -> int:
    """Which operands of a task are in LX, as bits."""
    task = problem.tasks[number]
    bits = 0
    for place, item in enumerate(task.operands):
        inside = answer.resident[item] if place == task.writes else _way(problem, answer, item, number) != DEVICE
        bits |= inside << place
    return bits


def _way(problem: JointProblem, answer: Answer, item: int, number: int) -> int:
    return answer.served[item][problem.items[item].readers.index(number)]


def bills(problem: JointProblem, answer: Answer) -> Iterator[tuple[int, Bill, tuple[int, ...]]]:
    """Kernel, bill and items of every task, copy and clone-out, in the order in which they run: of the readers of an
    input, those pay most that come first."""
    moves: list[list[tuple[int, Bill, tuple[int, ...]]]] = [[] for _ in range(len(problem.tasks) + 1)]
    for number, item in enumerate(problem.items):
        for place in answer.copies(number):
            copy = item.copies[place]
            bill = copy.bills[_from(problem, answer, number, copy.bills)]
            moves[copy.before].append((problem.tasks[copy.before].kernel, bill, (number,)))
        if answer.out[number]:
            moves[item.writer + 1].append((problem.tasks[item.writer].kernel, item.out, (number,)))
    for number, (task, place) in enumerate(zip(problem.tasks, answer.choices, strict=True)):
        yield from moves[number]
        yield task.kernel, task.menu.choices[place].bills[mask(problem, answer, number)], task.touched
    yield from moves[-1]


def _from(problem: JointProblem, answer: Answer, number: int, table: object) -> int:
    """Which bill of a copy counts: that of the view it starts from."""
    assert hasattr(table, "__contains__")
    return DEVICE if DEVICE in table else written_view(problem, answer, number)


def written_view(problem: JointProblem, answer: Answer, number: int) -> int:
    """The view under which the writer of an item leaves it."""
    writer = problem.items[number].writer
    choice = problem.tasks[writer].menu.choices[answer.choices[writer]]
    return choice.views[problem.tasks[writer].writes]


def times(problem: JointProblem, answer: Answer) -> dict[int, Times]:
    """Times of every kernel."""
    sums = {kernel: Sums() for kernel in problem.kernels}
    for kernel, bill in problem.base.items():
        sums[kernel].add(bill)
    for kernel, bill, operands in bills(problem, answer):
        sums[kernel].add(bill, operands)
    return {kernel: closed(problem, found) for kernel, found in sums.items()}


def closed(problem: JointProblem, sums: Sums) -> Times:
    """The times that the sums of a kernel come to."""
    delivered = serial = 0.0
    loaded = 0
    for item, loads in sums.loads.items():
        size, delivery, rest = shared(problem.items[item].size_bytes, loads)
        loaded, delivered, serial = loaded + size, delivered + delivery, serial + rest
    pooled = problem.rates.memory_us(sums.read_bytes + loaded, sums.written_bytes)
    memory = sums.memory_us + delivered + pooled
    return Times(sums.compute_us + sums.fused_us, memory, sums.serial_us + serial)


def shared(size_bytes: int, loads: list[Load]) -> tuple[int, float, float]:
    """What the loads of one input by several readers of a kernel come to: bytes at the common rate, memory time of the
    rest and of delivery (us), and bursts (us).

    >>> shared(100, [Load(0, 100, 10, 10), Load(0, 100, 1, 20)])
    (100, 10.0, 10.0)
    """
    left = max(size_bytes, *(load.size_bytes for load in loads))
    pooled, memory, delivered, charged, beyond = 0, 0.0, 0.0, 0.0, 0.0
    for load in loads:
        paid = min(load.size_bytes, left)
        left -= paid
        pooled += 0 if load.bytes_per_ns else paid
        memory += paid / load.bytes_per_ns / 1000 if load.bytes_per_ns else 0.0
        total, fresh = max(load.delivery_us, load.burst_us), max(0.0, load.delivery_us - delivered)
        beyond += max(fresh, total - charged) - fresh
        delivered, charged = delivered + fresh, max(charged, total)
    return pooled, memory + delivered, beyond


def price_us(problem: JointProblem, answer: Answer, overlap: float = 1.0) -> float:
    """Time of all kernels."""
    return math.fsum(kernel.total_us(overlap) for kernel in times(problem, answer).values())
