"""Demands: what pins ask of a JointProblem, and the part of it that these are about.

Owns the cut: tasks that touch an item that is asked for, each with the choices that differ for these items; all else is
in device memory, where it stands in nobody's way.  Refuses to answer: that is `seating` and `proving`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from frozendict import frozendict

from compiler.solvers.joint.problem import DEVICE, Answer, Bill, Choice, Copy, Item, JointProblem, Menu, Task, Tie


@dataclass(frozen=True, slots=True)
class Demand:
    """An item that one of its readers at least finds in LX, with `ring` by a relayout; or a tie of two tasks."""

    item: int = -1
    ring: bool = False
    tie: Tie | None = None


@dataclass(frozen=True, eq=False)
class Asked:
    """The part of a problem that `demands` (in numbers of the part) are about.

    Its tasks and items stand for those of the whole, and every choice for those that are no different here.
    """

    problem: JointProblem
    demands: tuple[Demand, ...]
    tasks: tuple[int, ...]
    items: tuple[int, ...]
    choices: tuple[tuple[tuple[int, ...], ...], ...]

    def widened(self, answer: Answer, whole: Answer) -> Answer:
        """An answer of the whole that has in LX what an answer of the part has there, and nothing else.

        Choices are those of `whole` where these will do.
        """
        choices = list(whole.choices)
        for task, groups, choice in zip(self.tasks, self.choices, answer.choices, strict=True):
            if choices[task] not in groups[choice]:
                choices[task] = groups[choice][0]
        count = len(whole.resident)
        resident, out = [False] * count, [False] * count
        served = [(DEVICE,) * len(ways) for ways in whole.served]
        for number, item in enumerate(self.items):
            resident[item], out[item], served[item] = answer.resident[number], answer.out[number], answer.served[number]
        return Answer(tuple(choices), tuple(resident), tuple(out), tuple(served))


def asked_of(problem: JointProblem, demands: Sequence[Demand]) -> Asked:
    """The part that some demands are about."""
    items = sorted({demand.item for demand in demands if demand.item >= 0})
    ties = [demand.tie for demand in demands if demand.tie is not None]
    tasks = sorted({task for tie in ties for task in tie.tasks}.union(*(_ends(problem.items[item]) for item in items)))
    at = {task: place for place, task in enumerate(tasks)}
    numbers = {item: place for place, item in enumerate(items)}
    made, groups = [], []
    for task in tasks:
        cuts = [cuts for tie in ties for one, cuts in zip(tie.tasks, tie.cuts, strict=True) if one == task]
        narrow, mine = _task(problem.tasks[task], numbers, cuts)
        made.append(narrow)
        groups.append(mine)
    part = replace(
        problem,
        tasks=tuple(made),
        items=tuple(_item(problem.items[item], at, numbers) for item in items),
        base=frozendict(),
        reserved=(),
        ties=(),
    )
    own = tuple(
        replace(demand, item=numbers.get(demand.item, -1), tie=demand.tie and _tie(demand.tie, at, groups))
        for demand in demands
    )
    return Asked(part, own, tuple(tasks), tuple(items), tuple(groups))


def _ends(item: Item) -> set[int]:
    return {*item.readers, *((item.writer,) if item.writer >= 0 else ())}


def _task(
    task: Task, numbers: dict[int, int], cuts: Sequence[tuple[int, ...]]
) -> tuple[Task, tuple[tuple[int, ...], ...]]:
    """A task with nothing but the items that are asked for, and the choices that each of its choices stands for."""
    places = [place for place, item in enumerate(task.operands) if item in numbers]
    groups: dict[tuple[object, ...], list[int]] = {}
    for choice, division in enumerate(task.menu.choices):
        key = (tuple(division.views[place] for place in places), *(row[choice] for row in cuts))
        groups.setdefault(key, []).append(choice)
    views = [tuple(task.menu.choices[group[0]].views[place] for place in places) for group in groups.values()]
    bills = [(_no_better(number, len(views)),) * (1 << len(places)) for number in range(len(views))]
    choices = tuple(Choice(one, row) for one, row in zip(views, bills, strict=True))
    operands = tuple(numbers[task.operands[place]] for place in places)
    writes = len(places) - 1 if task.writes in places else -1
    return Task(task.name, operands, writes, Menu(choices)), tuple(tuple(group) for group in groups.values())


def _no_better(number: int, count: int) -> Bill:
    """A bill that is no better and no worse than those of other numbers."""
    return Bill(compute_us=float(number), memory_us=float(count - number))


def _item(item: Item, at: dict[int, int], numbers: dict[int, int]) -> Item:
    return Item(
        item.name,
        item.size_bytes,
        at.get(item.writer, -1),
        tuple(at[reader] for reader in item.readers),
        item.feet,
        item.output,
        copies=tuple(_copy(copy, at) for copy in item.copies),
        parents=tuple(numbers[parent] for parent in item.parents if parent in numbers),
    )


def _copy(copy: Copy, at: dict[int, int]) -> Copy:
    return replace(copy, before=at[copy.before], readers=tuple(at[reader] for reader in copy.readers))


def _tie(tie: Tie, at: dict[int, int], groups: Sequence[tuple[tuple[int, ...], ...]]) -> Tie:
    tasks = tuple(at[task] for task in tie.tasks)
    cuts = (tuple(cuts[group[0]] for group in groups[task]) for task, cuts in zip(tasks, tie.cuts, strict=True))
    return Tie(tasks, tuple(cuts))
