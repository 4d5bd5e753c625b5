"""Reasons: why everything that is not in LX is where it is, and what the moves and divisions of a joint answer gain.

Owns the placements outside LX: a rule of eligibility, a lack of room, or a plan that was quicker, with its figure.
Refuses to decide.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from frozendict import frozendict

from compiler.eligibility import judge, scene_of
from compiler.joint.assembly import Assembly
from compiler.joint.ground import Ground
from compiler.plan import EditKind, Placement, Plan, ReasonCode, Slot, Spilled
from compiler.problem import Problem
from compiler.solvers.joint.faults import faults, loads
from compiler.solvers.joint.price import price_us
from compiler.solvers.joint.problem import DEVICE, HOME, NOWHERE, Answer

LEAST_US = 1e-6
T = TypeVar("T")


@dataclass(slots=True)
class Judge:
    """Tells of one answer why its items are where they are."""

    ground: Ground
    answer: Answer
    total: float = field(init=False)
    taken: dict[int, int] = field(init=False)

    def __post_init__(self) -> None:
        self.total = price_us(self.ground.problem, self.answer)
        self.taken = loads(self.ground.problem, self.answer)

    def inside_us(self, number: int) -> float | None:
        """What the plan would take more with an item in LX, its readers at home where they can be; None if that is not
        allowed as things are."""
        item, answer = self.ground.problem.items[number], self.answer
        if item.writer < 0 or not item.feet:
            return None
        ways = tuple(HOME if self._meets(number, reader) else DEVICE for reader in item.readers)
        abroad = item.output or DEVICE in ways
        tried = Answer(
            answer.choices,
            _with(answer.resident, number, True),
            _with(answer.out, number, abroad),
            _with(answer.served, number, ways),
        )
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


def _with(values: tuple[T, ...], number: int, value: T) -> tuple[T, ...]:
    return (*values[:number], value, *values[number + 1 :])


def placements(problem: Problem, plan: Plan, assembly: Assembly) -> frozendict[str, Placement]:
    """A placement of every buffer of a plan whose slots are set."""
    scene = scene_of(problem.program, plan)
    told = Judge(assembly.ground, assembly.answer)
    items = {one.buffer: number for number, one in enumerate(assembly.ground.subjects) if one.writer >= 0}
    clones = {name: assembly.ground.subjects[number].buffer for number, name in assembly.outs.items()}
    found: dict[str, Placement] = {}
    for name in scene.schedule.buffers:
        slot = plan.placement.get(name)
        if isinstance(slot, Slot):
            found[name] = slot
        elif name in clones:
            found[name] = Spilled(ReasonCode.DEVICE_COPY, f"the clone of {clones[name]}, which is in LX")
        elif problem.pins.placement.get(name) == "hbm":
            found[name] = Spilled(ReasonCode.PINNED, "a pin keeps it in device memory")
        else:
            verdict = judge(scene, name)
            found[name] = verdict if isinstance(verdict, Spilled) else _outside(told, items.get(name))
    return frozendict(found)


def _outside(told: Judge, number: int | None) -> Spilled:
    """Why a buffer that may be in LX is not there."""
    if number is None:
        return Spilled(ReasonCode.NOT_WORTH_IT, "it was not looked at: the steps that read it read too many buffers")
    more = told.inside_us(number)
    if more is None:
        lack = told.lack(number)
        return Spilled(ReasonCode.CAPACITY, lack or "the buffers around it leave no room for it")
    if more >= -LEAST_US:
        return Spilled(ReasonCode.NOT_WORTH_IT, f"in LX the plan would take {max(0.0, more):,.2f} us more")
    return Spilled(ReasonCode.CAPACITY, f"in LX it would save {-more:,.2f} us, and no address was found for it")


def reasons(before: Plan, plan: Plan) -> frozendict[str, str]:
    """Why steps are divided anew, and what moves are for."""
    found = dict(before.reasons)
    for name, division in plan.divisions.items():
        seed = before.divisions.get(name)
        if seed is not None and seed != division:
            found[f"division:{name}"] = f"{division}: chosen together with all others, instead of {seed}"
    for edit in plan.edits:
        if edit not in before.edits:
            found[f"edit:{edit.name}"] = _purpose(edit.kind, edit.source, edit.readers)
    return frozendict(found)


def _purpose(kind: EditKind, source: str, readers: tuple[str, ...]) -> str:
    who = ", ".join(readers[:3]) + (f" and {len(readers) - 3} more" if len(readers) > 3 else "")
    if kind is EditKind.RELAYOUT:
        return f"{who} read {source} on other cores than those that wrote it: over the ring that is quickest"
    if kind is EditKind.CLONE_IN:
        return f"one load of {source} into LX serves {who}"
    return f"{source} is in LX, and {who} need it in device memory"
