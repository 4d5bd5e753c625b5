"""Reasons: why everything that is not in LX is where it is, and what the moves and divisions of a joint answer gain.

Owns the placements outside LX: a rule of eligibility, a lack of room, or a plan that was quicker, with its figure.
Refuses to decide.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from frozendict import frozendict

from compiler.counts import verb
from compiler.eligibility import Scene, judge, scene_of
from compiler.joint.arrivals import arrives
from compiler.joint.assembly import Assembly
from compiler.joint.judge import FEWEST, LEAST_US, Judge
from compiler.joint.weighed import Weighed
from compiler.plan import EditKind, Placement, Plan, ReasonCode, Slot, Spilled
from compiler.problem import Problem


def placements(problem: Problem, plan: Plan, assembly: Assembly, told: Judge) -> frozendict[str, Placement]:
    """A placement of every buffer of a plan whose slots are set."""
    subjects = assembly.ground.subjects
    numbers = {one.buffer: number for number, one in enumerate(subjects) if one.writer >= 0}
    clones = {name: subjects[number].buffer for number, name in assembly.outs.items()}
    scene, weighed = scene_of(problem.program, plan), Weighed(problem, plan, told)
    places = _Places(problem, plan, told, scene, weighed, numbers, clones)
    names = places.scene.schedule.buffers
    computed = {name: places.of(name) for name in names if not arrives(places.scene.schedule, name)}
    if time.monotonic() < told.until:
        told.left = max(told.left, FEWEST)  # those that arrive have figures of their own
    return frozendict((name, computed[name] if name in computed else places.of(name)) for name in names)


@dataclass(frozen=True, slots=True)
class _Places:
    """The places of the buffers of one plan."""

    problem: Problem
    plan: Plan
    told: Judge
    scene: Scene
    weighed: Weighed
    numbers: Mapping[str, int]
    clones: Mapping[str, str]

    def of(self, name: str) -> Placement:
        """Where a buffer is, and why."""
        slot = self.plan.placement.get(name)
        if isinstance(slot, Slot):
            return slot
        if name in self.clones:
            return Spilled(ReasonCode.DEVICE_COPY, f"the clone of {self.clones[name]}, which is in LX")
        if self.problem.pins.placement.get(name) == "hbm":
            return Spilled(ReasonCode.PINNED, "a pin keeps it in device memory")
        verdict = judge(self.scene, name)
        if isinstance(verdict, Spilled) and verdict.code is ReasonCode.GRAPH_INPUT:
            return self.weighed.arriving(name, verdict.detail)
        if isinstance(verdict, Spilled) and verdict.code is ReasonCode.GRAPH_OUTPUT:
            return self._output(name, verdict)
        return verdict if isinstance(verdict, Spilled) else self._outside(name, verdict.bytes_per_core)

    def _output(self, name: str, fetched: Spilled) -> Spilled:
        """Why a buffer that the host fetches is not in LX as well."""
        verdict = judge(replace(self.scene, outputs=frozenset()), name)
        if isinstance(verdict, Spilled):
            if verdict.code is ReasonCode.NOT_READ:
                return replace(verdict, detail=f"{fetched.detail}, and no step reads it")
            return replace(verdict, detail=f"{verdict.detail}; the host fetches it as well")
        number = self.numbers.get(name)
        words = self.weighed.output(number) if number is not None and self.told.left > 0 else ""
        return Spilled(ReasonCode.NOT_WORTH_IT, words) if words else self._outside(name, verdict.bytes_per_core)

    def _outside(self, name: str, foot_bytes: int) -> Spilled:
        """Why a buffer that may be in LX is not there; it would take so many bytes per core."""
        number, told, capacity = self.numbers.get(name), self.told, self.problem.device.lx_budget_bytes
        if foot_bytes > capacity:
            return Spilled(ReasonCode.CAPACITY, f"it takes {foot_bytes:,} B per core, and LX has {capacity:,} B")
        if number is None:
            return Spilled(
                ReasonCode.NOT_WORTH_IT, "it was not looked at: the steps that read it read too many buffers"
            )
        if told.left <= 0:
            why = told.lack(number) or "the quickest plan that was found has it outside"
            return Spilled(ReasonCode.NOT_WORTH_IT, why)
        more = told.inside_us(number)
        if more is None:
            lack = told.lack(number)
            return Spilled(ReasonCode.CAPACITY, lack or "the buffers around it leave no room for it")
        if more >= -LEAST_US:
            return Spilled(ReasonCode.NOT_WORTH_IT, f"in LX the plan would take {max(0.0, more):,.2f} µs more")
        return Spilled(ReasonCode.CAPACITY, f"in LX it would save {-more:,.2f} µs, and no address was found for it")


def reasons(before: Plan, plan: Plan, told: Judge) -> frozendict[str, str]:
    """Why steps are divided anew, and what moves are for."""
    found = dict(before.reasons)
    numbers = {task.name: number for number, task in enumerate(told.ground.problem.tasks)}
    for name, division in plan.divisions.items():
        seed = before.divisions.get(name)
        if seed is not None and seed != division:
            more = told.seed_us(numbers[name])
            lost = "" if more is None else f", with which the plan would take {more:,.2f} µs more as all else is"
            found[f"division:{name}"] = f"{division}: chosen together with all others, instead of {seed}{lost}"
    for edit in plan.edits:
        if edit not in before.edits:
            found[f"edit:{edit.name}"] = _purpose(edit.kind, edit.source, edit.readers)
    return frozendict(found)


def _purpose(kind: EditKind, source: str, readers: tuple[str, ...]) -> str:
    who = ", ".join(readers[:3]) + (f" and {len(readers) - 3} more" if len(readers) > 3 else "")
    if kind is EditKind.RELAYOUT:
        found = f"{who} {verb(readers, 'read')} {source} on other cores than those that wrote it"
        return f"{found}: over the ring that is quickest"
    if kind is EditKind.CLONE_IN:
        return f"one load of {source} into LX serves {who}"
    return f"{source} is in LX, and {who} {verb(readers, 'need')} it in device memory"
