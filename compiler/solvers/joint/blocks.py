"""Blocks: a long JointProblem cut into pieces that are solved apart, equal ones once.

Owns where the cuts are, the bound that the pieces prove together, and the answer of the whole that is stitched out of
theirs.  The bound is that of a weighted sum of compute and memory, which no kernel takes less than.  Refuses to decide
weights.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TypeVar

from compiler.plan import EditKind
from compiler.solvers.joint.bound import fused_us, least_us
from compiler.solvers.joint.judge import trivial
from compiler.solvers.joint.part import Menus, Part, block
from compiler.solvers.joint.price import written_view
from compiler.solvers.joint.problem import DEVICE, HOME, Answer, JointProblem
from compiler.solvers.joint.solve import Limits, Solution, solve
from compiler.solvers.joint.tables import Weights

T = TypeVar("T")
LEAST, MOST = 24, 64
"""Tasks of a block."""


def cuts(problem: JointProblem) -> tuple[int, ...]:
    """Where blocks begin, and the end of the last one: a period apart if the tasks repeat, where least crosses."""
    count = len(problem.tasks)
    crossing = _crossing(problem)
    period = _period(problem)
    if period:
        offset = min(range(period), key=lambda start: (sum(crossing[start:count:period]), start))
        inner = [place for place in range(offset, count, period) if place]
        return tuple(dict.fromkeys((0, *inner, count)))
    found = [0]
    while count - found[-1] > MOST:
        places = range(found[-1] + LEAST, min(found[-1] + MOST, count - LEAST) + 1)
        found.append(min(places, key=lambda place: (crossing[place], -place)))
    return (*found, count)


def _crossing(problem: JointProblem) -> list[int]:
    """For every task the bytes of items that tasks before and after its beginning share."""
    change = [0] * (len(problem.tasks) + 1)
    for item in problem.items:
        ends = [*([item.writer] if item.writer >= 0 else []), *item.readers]
        if item.feet and len(ends) > 1:
            change[min(ends) + 1] += item.size_bytes
            change[max(ends) + 1] -= item.size_bytes
    found, total = [], 0
    for step in change:
        total += step
        found.append(total)
    return found


def _period(problem: JointProblem) -> int:
    """Tasks after which most menus come again, 0 if they do not; short periods are taken several times."""
    menus = [id(task.menu) for task in problem.tasks]
    for period in range(8, min(MOST + 1, len(menus) // 2)):
        same = sum(one == other for one, other in zip(menus, menus[period:], strict=False))
        if same >= 0.9 * (len(menus) - period):
            return period * max(1, LEAST // period)
    return 0


@dataclass(slots=True)
class Blocks:
    """The blocks of a problem and their solutions under one pair of weights; `allowance` is the work for each."""

    problem: JointProblem
    ends: tuple[int, ...]
    menus: Menus = field(default_factory=Menus)
    parts: list[Part] = field(init=False)
    known: dict[object, Solution | None] = field(default_factory=dict)
    work: float = 0.0
    states: int = 0

    def __post_init__(self) -> None:
        pairs = zip(self.ends, self.ends[1:], strict=False)
        self.parts = [block(self.problem, first, last, self.menus) for first, last in pairs]

    def solved(
        self,
        weights: Weights,
        limits: Limits,
        told: Callable[[], bool],
        beside: Sequence[Solution] | None = None,
    ) -> list[Solution] | None:
        """A solution per block; None if there was no time for one, or `told` asked to end.

        Of those `beside` only the bounds have to be reached.
        """
        keys = [(form(part), weights) for part in self.parts]
        fresh = {key: number for number, key in reversed(list(enumerate(keys))) if key not in self.known}
        asked = sorted(fresh.values())

        def ask(number: int) -> Solution | None:
            part = self.parts[number]
            if told() or time.monotonic() > limits.until:
                return None
            if beside is None:
                return solve(part.problem, trivial(part.problem), limits, weights)
            return solve(
                part.problem, beside[number].answer, replace(limits, enough_us=beside[number].bound_us), weights
            )

        for number, made in zip(asked, side_by_side(ask, asked), strict=True):
            self.known[keys[number]] = made
            self.work += made.work if made else limits.work
            self.states += made.states if made else 0
        found = [self.known[key] for key in keys]
        whole = [solution for solution in found if solution is not None]
        return whole if len(whole) == len(found) else None

    def bound_us(self, solutions: Sequence[Solution], weights: Weights) -> float:
        """What no answer of the whole takes less than."""
        apart = weights.compute * fused_us(self.problem) + self._shared_us(weights)
        return sum(one.bound_us for one in solutions) + apart

    def _shared_us(self, weights: Weights) -> float:
        """Inputs that several blocks load: once in any case, by a reader or by a clone.  Blocks have neither, so that
        this is all that counts for them."""
        total = 0.0
        for number, item in enumerate(self.problem.items):
            blocks = {self._block(reader) for reader in item.readers}
            if item.writer < 0 and len(blocks) > 1:
                total += least_us(self.problem, number, weights)
        return total

    def _block(self, task: int) -> int:
        return sum(end <= task for end in self.ends[1:])

    # The whole

    def stitched(self, solutions: Sequence[Solution]) -> Answer:
        """The answer that the blocks make up: what crosses is at home only if both sides say so."""
        whole = trivial(self.problem)
        choices = list(whole.choices)
        ways: list[dict[int, int]] = [{} for _ in self.problem.items]
        inside = [False] * len(self.problem.items)
        for part, solution in zip(self.parts, solutions, strict=True):
            for task, kept, choice in zip(part.tasks, part.choices, solution.answer.choices, strict=True):
                if task >= 0:
                    choices[task] = kept[choice]
            for number, item in enumerate(part.items):
                self._item(part, number, solution.answer, ways[item], inside, item)
        made = replace(whole, choices=tuple(self._alike(choices)), resident=tuple(inside))
        return self._closed(made, ways)

    def _alike(self, choices: list[int]) -> list[int]:
        """The choices with tasks of different blocks that are tied cut like the first of them, if all can be."""
        for tie in self.problem.ties:
            wanted = (cuts[choices[task]] for task, cuts in zip(tie.tasks, tie.cuts, strict=True))
            cut = next((one for one in wanted if all(one in cuts for cuts in tie.cuts)), tie.cuts[0][0])
            for task, cuts in zip(tie.tasks, tie.cuts, strict=True):
                choices[task] = choices[task] if cuts[choices[task]] == cut else cuts.index(cut)
        return choices

    def _item(
        self, part: Part, number: int, found: Answer, ways: dict[int, int], inside: list[bool], item: int
    ) -> None:
        writer = self.problem.items[item].writer
        if writer >= 0 and writer in part.tasks:
            inside[item] = found.resident[number]
        for reader, way in zip(part.problem.items[number].readers, found.served[number], strict=True):
            ways[part.tasks[reader]] = part.copies[number][way] if way >= 0 else way

    def _closed(self, made: Answer, ways: list[dict[int, int]]) -> Answer:
        """Readers served as the blocks say where that holds in the whole, and else out of device memory."""
        inside, out, served = list(made.resident), [], []
        for number, item in enumerate(self.problem.items):
            left = written_view(self.problem, made, number) if inside[number] else None
            inside[number] = left in item.feet if left is not None else False
            mine = [
                self._way(made, number, reader, ways[number].get(reader, DEVICE), left if inside[number] else None)
                for reader in item.readers
            ]
            used = any(way == HOME or self._ring(number, way) for way in mine)
            if inside[number] and item.readers and not used:
                inside[number] = False
            abroad = item.output or any(way == DEVICE or not self._ring(number, way) for way in mine if way != HOME)
            out.append(inside[number] and abroad)
            served.append(tuple(mine))
        return replace(made, resident=tuple(inside), out=tuple(out), served=tuple(served))

    def _ring(self, number: int, way: int) -> bool:
        return way >= 0 and self.problem.items[number].copies[way].kind is EditKind.RELAYOUT

    def _way(self, made: Answer, number: int, reader: int, way: int, left: int | None) -> int:
        place = self.problem.places[reader].get(number)
        if way == DEVICE or place is None:
            return DEVICE
        view = self.problem.tasks[reader].menu.choices[made.choices[reader]].views[place]
        if way == HOME:
            return HOME if left is not None and left == view else DEVICE
        copy = self.problem.items[number].copies[way]
        fits = copy.view == view and (copy.kind is not EditKind.RELAYOUT or left in copy.bills)
        return way if fits else DEVICE


def side_by_side(ask: Callable[[int], T], numbers: Sequence[int]) -> list[T]:
    """Answers in the order of the numbers, as many at once as there are cores, two at most: each by itself is what it
    would be alone."""
    with ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        return list(pool.map(ask, numbers))


def form(part: Part) -> object:
    """What of a part matters to a solver: everything but names, and of kernels which tasks share one."""
    order = {kernel: number for number, kernel in enumerate(part.problem.kernels)}
    tasks = tuple(
        (id(task.menu), task.operands, task.writes, task.inputs, order[task.kernel]) for task in part.problem.tasks
    )
    items = tuple(replace(item, name="") for item in part.problem.items)
    return tasks, items, part.problem.reserved, part.problem.ties
