"""Tables: the bills of a task as arrays, without the choices that another one beats in every respect.

Owns which views matter, the sums that a model counts (all apart, or one weighted sum), and how the bills come apart by
operand.  Refuses variables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from compiler.solvers.joint.problem import NOWHERE, Bill, Choice, JointProblem, Rates

Floats = NDArray[np.float64]
COMPUTE, FUSED, MEMORY, SERIAL, READ, WRITTEN = range(6)
SUMS = 6
PER_LOAD = 5
BYTES, POOLED, OWN_US, DELIVERY, MOST = range(PER_LOAD)
"""Of a load: bytes, those of them at the common rate, the time of the others at their own, delivery, and delivery or
bursts."""
ROUNDING = 1e-9
LEAST_US = 1e-6


@dataclass(frozen=True, slots=True)
class Weights:
    """What a microsecond of compute and of memory counts where both are added up; the rest counts one.

    The turnaround is that of written bytes, of read ones, or none: the true one is of the smaller side of each kernel.
    """

    compute: float
    memory: float
    turned: Literal["written", "read", "nothing"] = "written"


@dataclass(frozen=True, slots=True)
class Table:
    """A task: its kept choices by number, `views` of theirs that matter, and `sums[choice, mask]`: what is counted, the
    loads of the items that it touches last.  Bits of operands that cannot be in LX are never set in a mask."""

    choices: tuple[int, ...]
    views: tuple[tuple[int, ...], ...]
    sums: Floats
    masks: tuple[int, ...]
    touched: int

    @property
    def loads(self) -> Floats:
        """Of the sums, those of loads: shape (choices, masks, items touched, PER_LOAD)."""
        count = self.touched * PER_LOAD
        return self.sums[..., self.sums.shape[-1] - count :].reshape(*self.sums.shape[:2], self.touched, PER_LOAD)

    @property
    def full(self) -> int:
        """All operands in LX that can be."""
        return self.masks[-1]


def tables(problem: JointProblem, weights: Weights | None, kept: tuple[int, ...] | None = None) -> tuple[Table, ...]:
    """A table per task; `kept` are choices that may not be dropped (one per task)."""
    asked = _asked(problem)
    offered = _offered(problem)
    seen: dict[object, Table] = {}
    found = []
    for number, task in enumerate(problem.tasks):
        matter = tuple(
            offered[item] if place == task.writes else asked[item, number] for place, item in enumerate(task.operands)
        )
        own = kept[number] if kept else -1
        cuts = problem.tied[number][1] if number in problem.tied else ()
        key = (id(task.menu), matter, len(task.touched), own, cuts)
        if key not in seen:
            seen[key] = _table(task.menu.choices, matter, len(task.touched), problem.rates, weights, own, cuts)
        found.append(seen[key])
    return tuple(found)


def _views(problem: JointProblem, item: int, number: int) -> frozenset[int]:
    """Views that a task can have of an item."""
    place = problem.places[number].get(item)
    if place is None:
        return frozenset()
    return frozenset(problem.tasks[number].menu.by_view[place])


def _offered(problem: JointProblem) -> list[frozenset[int]]:
    """For every item the written views that serve somebody, at home or by a relayout."""
    found = []
    for number, item in enumerate(problem.items):
        wanted = frozenset[int]().union(*(_views(problem, number, reader) for reader in item.readers))
        moved = frozenset(view for copy in item.copies for view in copy.bills)
        free = not item.readers or item.pinned == "lx" or _clone_pays(problem, number)
        useful = item.feet if free else (wanted | moved) & frozenset(item.feet)
        found.append(frozenset(useful) if item.pinned != "hbm" else frozenset())
    return found


def _clone_pays(problem: JointProblem, number: int) -> bool:
    """True if under some choice it may be cheaper to write an item to LX and clone it out than to device memory at
    once: not where all that counts is as much or more."""
    item = problem.items[number]
    if item.writer < 0 or not item.feet:
        return False
    task = problem.tasks[item.writer]
    bit = 1 << task.writes
    return any(
        _spares(choice.bills[mask | bit], item.out, choice.bills[mask])
        for choice in task.menu.choices
        if choice.views[task.writes] in item.feet
        for mask in range(len(choice.bills))
        if not mask & bit
    )


def _spares(inside: Bill, out: Bill, outside: Bill) -> bool:
    pairs = (
        (inside.compute_us + out.compute_us, outside.compute_us),
        (max(inside.fused_us, out.fused_us), outside.fused_us),
        (inside.memory_us + out.memory_us, outside.memory_us),
        (inside.serial_us + out.serial_us, outside.serial_us),
        (inside.read_bytes + out.read_bytes, outside.read_bytes),
        (inside.written_bytes + out.written_bytes, outside.written_bytes),
    )
    return inside.loads != outside.loads or any(mine < theirs - LEAST_US for mine, theirs in pairs)


def _asked(problem: JointProblem) -> dict[tuple[int, int], frozenset[int]]:
    """For every reader of an item the views under which it may get it in LX."""
    found = {}
    for number, item in enumerate(problem.items):
        for reader in item.readers:
            copied = frozenset(copy.view for copy in item.copies if reader in copy.readers)
            lx = (frozenset(item.feet) | copied) if item.pinned != "hbm" else frozenset[int]()
            found[number, reader] = lx & _views(problem, number, reader)
    return found


def _table(
    choices: tuple[Choice, ...],
    matter: tuple[frozenset[int], ...],
    touched: int,
    rates: Rates,
    weights: Weights | None,
    own: int,
    cuts: tuple[int, ...],
) -> Table:
    bits = sum(1 << place for place, views in enumerate(matter) if views - {NOWHERE})
    masks = tuple(mask for mask in range(bits + 1) if mask & ~bits == 0)
    rivals: dict[tuple[tuple[int, ...], int], list[tuple[int, Floats]]] = {}
    for number, choice in enumerate(choices):
        views = tuple(view if view in matter[place] else NOWHERE for place, view in enumerate(choice.views))
        sums = np.array([_counted(choice.bills[mask], touched, rates, weights) for mask in masks])
        others = rivals.setdefault((views, cuts[number] if cuts else 0), [])
        if number != own and any(_beats(other, sums, touched) for _, other in others):
            continue
        others[:] = [one for one in others if one[0] == own or not _beats(sums, one[1], touched)]
        others.append((number, sums))
    rows = sorted((number, views, sums) for (views, _), group in rivals.items() for number, sums in group)
    numbers, kept_views, stacked = zip(*rows, strict=True)
    return Table(tuple(numbers), tuple(kept_views), np.stack(stacked), masks, touched)


def _beats(one: Floats, other: Floats, touched: int) -> bool:
    """True if no answer is cheaper with the other choice.  Who loads less may make those after it pay more, and so may
    who has its bursts without their delivery."""
    if not (one <= other + ROUNDING).all():
        return False
    plain = one.shape[1] - touched * PER_LOAD
    mine, theirs = (sums[:, plain:].reshape(len(sums), touched, PER_LOAD) for sums in (one, other))
    bursts = bool((theirs[..., MOST] > theirs[..., DELIVERY] + ROUNDING).any())
    strict = [BYTES, DELIVERY] if bursts else [BYTES]
    return bool((abs(mine[..., strict] - theirs[..., strict]) <= ROUNDING).all())


def _counted(bill: Bill, touched: int, rates: Rates, weights: Weights | None) -> Floats:
    loads = np.zeros((touched, PER_LOAD))
    for load in bill.loads:
        own = load.size_bytes / load.bytes_per_ns / 1000 if load.bytes_per_ns else 0.0
        pooled = 0 if load.bytes_per_ns else load.size_bytes
        most = max(load.delivery_us, load.burst_us)
        loads[load.operand] = load.size_bytes, pooled, own, load.delivery_us, most
    if weights is None:
        sums = [
            bill.compute_us,
            bill.fused_us,
            bill.memory_us,
            bill.serial_us,
            float(bill.read_bytes),
            float(bill.written_bytes),
        ]
        return np.array([*sums, *loads.ravel()])
    return np.array([weighed(bill, rates, weights), *loads.ravel()])


def weighed(bill: Bill, rates: Rates, weights: Weights) -> float:
    """The weighted sum of a bill, but for its loads."""
    turned = {"written": bill.written_bytes, "read": bill.read_bytes, "nothing": 0}[weights.turned]
    moved = (bill.read_bytes + bill.written_bytes) / rates.bytes_per_ns + turned * rates.turnaround_ns_per_byte
    return weights.compute * bill.compute_us + weights.memory * (bill.memory_us + moved / 1000) + bill.serial_us


def _changes_rates(table: Table) -> bool:
    """True if how fast an input is loaded depends on what else is in LX."""
    if not table.touched:
        return False
    there, own = table.loads[..., BYTES] > 0, table.loads[..., OWN_US]
    least, most = np.where(there, own, np.inf).min(axis=1), np.where(there, own, -np.inf).max(axis=1)
    return bool((most > least + ROUNDING).any())


def apart(table: Table) -> Floats | None:
    """What each choice counts more for each operand in device memory, shape (choices, operands, counts); None where
    that does not add up, or where a load has another rate with other operands in LX."""
    if _changes_rates(table):
        return None
    operands = len(table.views[0])
    place = {mask: number for number, mask in enumerate(table.masks)}
    full = table.sums[:, -1]
    extra = np.zeros((len(table.choices), operands, table.sums.shape[2]))
    for operand in range(operands):
        if table.full >> operand & 1:
            extra[:, operand] = table.sums[:, place[table.full & ~(1 << operand)]] - full
    for mask, number in place.items():
        away = [operand for operand in range(operands) if (table.full & ~mask) >> operand & 1]
        told = full + extra[:, away].sum(axis=1)
        if not np.allclose(told, table.sums[:, number], rtol=0, atol=1e-7):
            return None
    return extra
