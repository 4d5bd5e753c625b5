"""Judge: what an answer to a joint problem would take with one thing of it decided otherwise.

Owns those prices, within a number of them that is bearable, and where in its life an item has no room.  Refuses words
on why a plan is as it is: those are `compiler.joint.reasons` and `compiler.joint.weighed`.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from typing import TypeVar

from compiler.joint.ground import Ground
from compiler.plan import EditKind
from compiler.solvers.joint.faults import faults, loads
from compiler.solvers.joint.price import price_us, written_view
from compiler.solvers.joint.problem import DEVICE, HOME, NOWHERE, Answer, Item, JointProblem

LEAST_US = 1e-6
FEWEST, MOST_PRICED = 8, 20_000
"""Figures per plan at least, and steps that are priced for them in all."""
T = TypeVar("T")


@dataclass(slots=True)
class Judge:
    """Tells of one answer why its items are where they are; without `moves` none was offered.

    From the moment `until` (monotonic seconds) on no more figures are worked out.
    """

    ground: Ground
    answer: Answer
    moves: bool = True
    until: float = math.inf
    total: float = field(init=False)
    taken: dict[int, int] = field(init=False)
    left: int = field(init=False)
    """Figures that may still be worked out: each prices the whole program once more."""

    def __post_init__(self) -> None:
        self.left = max(FEWEST, MOST_PRICED // max(1, len(self.ground.problem.tasks)))
        self.total = price_us(self.ground.problem, self.answer)
        self.taken = loads(self.ground.problem, self.answer)

    def inside_us(self, number: int) -> float | None:
        """What the plan would take more with an item in LX, its readers at home where they can be; None if that is not
        allowed as things are."""
        item, answer = self.ground.problem.items[number], self.answer
        if item.writer < 0 or not item.feet or self.left <= 0:
            return None
        ways = tuple(HOME if self._meets(number, reader) else DEVICE for reader in item.readers)
        abroad = item.output or DEVICE in ways
        tried = Answer(
            answer.choices,
            _with(answer.resident, number, True),
            _with(answer.out, number, abroad),
            _with(answer.served, number, ways),
        )
        return self._more(tried)

    def seed_us(self, number: int) -> float | None:
        """What the plan would take more with the first division of a task, all else as it is but for what that breaks;
        None if that is not allowed, or not worked out."""
        if self.left <= 0 or not self.answer.choices[number]:
            return None
        tried = replace(self.answer, choices=_with(self.answer.choices, number, 0))
        for item in self.ground.problem.tasks[number].operands:
            tried = served_again(self.ground.problem, tried, item)
        return self._more(tried)

    def spend(self) -> None:
        """One figure less; none is left once the time is up."""
        self.left = self.left - 1 if time.monotonic() < self.until else 0

    def _more(self, tried: Answer) -> float | None:
        self.spend()
        return None if faults(self.ground.problem, tried) else price_us(self.ground.problem, tried) - self.total

    def _meets(self, number: int, reader: int) -> bool:
        item, tasks = self.ground.problem.items[number], self.ground.problem.tasks
        views = []
        for task in (item.writer, reader):
            place = self.ground.problem.places[task][number]
            views.append(tasks[task].menu.choices[self.answer.choices[task]].views[place])
        return views[0] == views[1] != NOWHERE

    def lack(self, number: int) -> str:
        """Where in its life an item has no room, in bytes; empty if it has."""
        item, problem = self.ground.problem.items[number], self.ground.problem
        if not item.feet:
            return ""
        task = problem.tasks[item.writer]
        view = task.menu.choices[self.answer.choices[item.writer]].views[task.writes]
        if view not in item.feet:
            return ""
        size, last = item.feet[view], 2 * max(item.readers, default=item.writer) + 1
        ticks = range(2 * item.writer + 1, last + 1)
        worst = max(ticks, key=lambda tick: self.taken.get(tick, 0))
        free = problem.capacity - self.taken.get(worst, 0) * problem.alignment
        if size <= free:
            return ""
        at = problem.tasks[min(worst // 2, len(problem.tasks) - 1)].name
        return f"needs {size:,} B per core; at {at} {max(0, free):,} B of {problem.capacity:,} B are free"


def served_again(problem: JointProblem, answer: Answer, number: int) -> Answer:
    """An answer whose choices have changed, with the readers of an item served as before where that still goes, and
    else out of device memory."""
    item = problem.items[number]
    left = written_view(problem, answer, number) if answer.resident[number] else NOWHERE
    inside = left in item.feet
    ways = []
    for reader, way in zip(item.readers, answer.served[number], strict=True):
        place = problem.places[reader].get(number)
        choice = problem.tasks[reader].menu.choices[answer.choices[reader]]
        view = NOWHERE if place is None else choice.views[place]
        ways.append(way if way != DEVICE and _goes(item, way, view, left if inside else NOWHERE) else DEVICE)
    out = inside and (item.output or answer.out[number] or DEVICE in ways)
    return replace(
        answer,
        resident=_with(answer.resident, number, inside),
        out=_with(answer.out, number, out),
        served=_with(answer.served, number, tuple(ways)),
    )


def _goes(item: Item, way: int, view: int, left: int) -> bool:
    """True if a reader with a view can still be served like that, the item lying in LX under `left`."""
    if way == HOME:
        return view == left != NOWHERE
    copy = item.copies[way]
    return copy.view == view and (copy.kind is not EditKind.RELAYOUT or left in copy.bills)


def _with(values: tuple[T, ...], number: int, value: T) -> tuple[T, ...]:
    return (*values[:number], value, *values[number + 1 :])
