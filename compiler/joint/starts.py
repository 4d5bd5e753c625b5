"""Starts: a plan as an answer to a joint problem, as far as the problem offers what the plan does.

Owns the way from names to numbers.  What a plan has and the problem does not offer is left out; the rest is still an
answer, though it may have faults.  Refuses to improve it.
"""

from __future__ import annotations

from collections.abc import Mapping

from compiler.joint.ground import Ground
from compiler.plan import EditKind, Plan, Slot
from compiler.solvers.joint.problem import DEVICE, HOME, NOWHERE, Answer

Copied = Mapping[tuple[str, str], EditKind]
"""Buffer and reader -> how a plan brings the one to the other."""


def answer_of(ground: Ground, plan: Plan) -> Answer:
    """The answer that is nearest to a plan for the same program."""
    choices = tuple(
        kind.divisions.index(plan.divisions[task.name]) if plan.divisions.get(task.name) in kind.divisions else 0
        for task, kind in zip(ground.problem.tasks, ground.kinds, strict=True)
    )
    copied = _copied(plan)
    resident, out, served = [], [], []
    for number, one in enumerate(ground.subjects):
        item = ground.problem.items[number]
        left = _view(ground, choices, number, one.writer) if item.writer >= 0 else NOWHERE
        inside = isinstance(plan.placement.get(one.buffer), Slot) and left in item.feet
        ways = tuple(
            _way(ground, choices, number, reader, left if inside else NOWHERE, copied) for reader in item.readers
        )
        resident.append(inside)
        out.append(inside and (item.output or any(way != HOME and not _ring(ground, number, way) for way in ways)))
        served.append(ways)
    return Answer(choices, tuple(resident), tuple(out), tuple(served))


def _copied(plan: Plan) -> Copied:
    """Through chains of moves the last one counts; the buffer is the one at the beginning."""
    origin: dict[str, str] = {}
    found = {}
    for edit in plan.edits:
        if edit.kind in (EditKind.RELAYOUT, EditKind.CLONE_IN, EditKind.CLONE_OUT):
            origin[edit.target] = origin.get(edit.source, edit.source)
            for reader in edit.readers:
                found[origin[edit.target], reader] = edit.kind
    return found


def _view(ground: Ground, choices: tuple[int, ...], item: int, task: int) -> int:
    place = ground.problem.places[task].get(item)
    return NOWHERE if place is None else ground.problem.tasks[task].menu.choices[choices[task]].views[place]


def _ring(ground: Ground, item: int, way: int) -> bool:
    return way >= 0 and ground.problem.items[item].copies[way].kind is EditKind.RELAYOUT


def _way(ground: Ground, choices: tuple[int, ...], item: int, reader: int, left: int, copied: Copied) -> int:
    needed = _view(ground, choices, item, reader)
    name = ground.subjects[item].buffer
    step = ground.schedule.steps[reader]
    reads = (f"{step.name}#{number}" for number, read in enumerate(step.op.reads) if read.buffer == name)
    kind = next((copied[name, one] for one in (step.name, *reads) if (name, one) in copied), None)
    if kind in (EditKind.RELAYOUT, EditKind.CLONE_IN):
        for place, copy in enumerate(ground.problem.items[item].copies):
            starts = copy.kind is not EditKind.RELAYOUT or left in copy.bills
            if copy.kind is kind and copy.view == needed and reader in copy.readers and starts:
                return place
    return HOME if kind is None and needed == left != NOWHERE else DEVICE
