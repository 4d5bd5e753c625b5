"""Bound: what a weighted sum of compute and memory has to say of a whole JointProblem beside the sums of its tasks.

Owns the side of the turnaround, the slowest fused reductions, and inputs that several blocks load.  A kernel takes no
less than a weighted sum of its compute and memory where the weights add up to one.  Refuses to solve.
"""

from __future__ import annotations

from dataclasses import replace

from compiler.solvers.joint.problem import JointProblem, Load, Task
from compiler.solvers.joint.tables import Weights, weighed


def elsewhere(problem: JointProblem, weights: Weights) -> Weights | None:
    """Where the turnaround has to be looked for beside written bytes: nowhere if every answer reads at least what it
    writes, kernel by kernel.  Of several kernels each may turn on another side, so that none of it is sure."""
    read, written = dict.fromkeys(problem.kernels, 0), dict.fromkeys(problem.kernels, 0)
    for task in problem.tasks:
        bills = [choice.bills for choice in task.menu.choices]
        read[task.kernel] += min(bill.read_bytes for row in bills for bill in row)
        written[task.kernel] += max(bill.written_bytes for row in bills for bill in row)
    for item in problem.items:
        if item.writer >= 0 and item.feet:
            written[problem.tasks[item.writer].kernel] += item.out.written_bytes
        for copy in item.copies:
            written[problem.tasks[copy.before].kernel] += max(
                (bill.written_bytes for bill in copy.bills.values()), default=0
            )
    if all(read[kernel] >= written[kernel] for kernel in problem.kernels):
        return None
    return replace(weights, turned="read" if len(problem.kernels) == 1 else "nothing")


def fused_us(problem: JointProblem) -> float:
    """The slowest fused reduction of every kernel, each under the choice in which it is quickest: it counts as compute,
    once, so that no sum over tasks has it."""
    slowest = dict.fromkeys(problem.kernels, 0.0)
    for task in problem.tasks:
        least = min(bill.fused_us for choice in task.menu.choices for bill in choice.bills)
        slowest[task.kernel] = max(slowest[task.kernel], least)
    return sum(slowest.values())


def least_us(problem: JointProblem, number: int, weights: Weights) -> float:
    """What an input is loaded for at least, by the reader of which that is most: by itself or by a clone.

    Other readers may pay for its bytes, but together no fewer, and at the fastest rate at best.
    """
    item, rates = problem.items[number], problem.rates
    tables = {reader: _loaded(problem.tasks[reader], number) for reader in item.readers}
    fastest = max(
        (load.bytes_per_ns or rates.bytes_per_ns for rows in tables.values() for row in rows for load in row),
        default=rates.bytes_per_ns,
    )
    most = 0.0
    for reader, rows in tables.items():
        ways = [
            weighed(bill, rates, weights)
            for copy in item.copies
            if reader in copy.readers
            for bill in copy.bills.values()
        ]
        for row in rows:
            top = max((max(load.delivery_us, load.burst_us) for load in row), default=0.0)
            ways.append(weights.memory * (sum(load.size_bytes for load in row) / fastest / 1000 + top))
        most = max(most, min(ways))
    return most


def _loaded(task: Task, item: int) -> set[tuple[Load, ...]]:
    """The loads by which a task may get an item out of device memory, under every choice and whatever else is in LX."""
    bit = 1 << task.operands.index(item) if item in task.operands else 0
    places = [place for place, touched in enumerate(task.touched) if touched == item]
    return {
        tuple(load for load in bill.loads if load.operand in places)
        for choice in task.menu.choices
        for mask, bill in enumerate(choice.bills)
        if not mask & bit
    }
