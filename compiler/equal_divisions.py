"""Equal divisions: ops that a pin ties to the division of another one (facts 3.7).

Owns what "the same division" means (as many cores, and both results cut alike along every dim), which of these pins can
be looked at, and how a division goes from one op to the next.  Refuses to choose the division that they share.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from frozendict import frozendict

from compiler.counts import counted
from compiler.device import Device
from compiler.division import Division
from compiler.layout import StickLayout
from compiler.loops import Buffer, LoopOp, OpKind
from compiler.pin_names import loop_along
from compiler.pinning import no_op, objection, pinned_division, refused
from compiler.pins import PinState, PinStatus
from compiler.plan import Plan
from compiler.problem import Problem
from compiler.schedule import Schedule, expand
from compiler.spaces import space_of

Cut = tuple[int, tuple[int, ...]]
"""Cores, and parts along each dim of the result."""


@dataclass(frozen=True, slots=True)
class Bonds:
    """Pins `op -> other` that can be looked at, in their order, none of which closes a circle; the others' statuses.

    `closing` are those that close a circle: they ask for what the pins before them come to, as long as these are kept.
    """

    pairs: tuple[tuple[str, str], ...]
    refused: frozendict[str, PinStatus]
    closing: tuple[tuple[str, str], ...] = ()

    def neighbours(self) -> dict[str, list[tuple[str, str]]]:
        """For every op the pins that it has to do with."""
        found: dict[str, list[tuple[str, str]]] = {}
        for pair in self.pairs:
            for name in pair:
                found.setdefault(name, []).append(pair)
        return found


def cut_of(op: LoopOp, division: Division, buffers: Mapping[str, Buffer]) -> Cut | str:
    """How a division cuts the result of an op; a clause where it cuts a loop that runs along no dim of it."""
    result = buffers[op.write.buffer]
    parts, told = [1] * len(result.shape), {loop.name for loop in op.reduction_loops}
    for dim in range(len(result.shape)):
        loop, _ = loop_along(op, dim, result)
        if loop:
            parts[dim] = division.factor(loop)
            told.add(loop)
    vague = next((split.loop for split in division.splits if split.loop not in told), "")
    if vague:
        return f"{op.name} cuts {vague}, which runs along no dim of {result.name}"
    return division.cores, tuple(parts)


def bonds_of(same: Mapping[str, str], schedule: Schedule) -> Bonds:
    """The pins that can be looked at, and why not the others."""
    found: list[tuple[str, str]] = []
    closing: list[tuple[str, str]] = []
    why: dict[str, PinStatus] = {}
    group: dict[str, str] = {}
    for name, other in same.items():
        objected = _objected(name, other, schedule)
        if objected:
            why[f"same:{name}"] = refused(objected)
        elif _root(group, name) == _root(group, other):
            closing.append((name, other))
        else:
            found.append((name, other))
            group[_root(group, name)] = _root(group, other)
    return Bonds(tuple(found), frozendict(why), tuple(closing))


def _root(group: dict[str, str], name: str) -> str:
    while group.get(name, name) != name:
        name = group[name]
    return name


def _objected(name: str, other: str, schedule: Schedule) -> str:
    steps = schedule.step_map
    for one in (name, other):
        if one not in steps:
            return no_op(one, schedule)
        if steps[one].op.kind is OpKind.OPAQUE:
            return f"{one} runs on the host and is not divided"
    if name == other:
        return f"{name} has its own division in any case"
    mine, theirs = (len(schedule.buffers[steps[one].op.write.buffer].shape) for one in (name, other))
    if mine != theirs:
        dims = f"has {counted(mine, 'dim')}, that of {other} {theirs}"
        return f"the result of {name} {dims}: no telling which belong together"
    return ""


def division_like(
    name: str, other: str, division: Division, schedule: Schedule, layouts: Mapping[str, StickLayout], device: Device
) -> tuple[Division | None, PinStatus]:
    """The division of an op that cuts its result as the `division` of another one cuts that one's.

    What it cannot take is left out, and the status says so; nothing is left of a division: None and a refusal.
    """
    lead = schedule.step_map[other].op
    cut = cut_of(lead, division, schedule.buffers)
    if isinstance(cut, str):
        return None, refused(cut)
    asked, notes = _asked(name, other, cut, schedule)
    kept: dict[str, int] = {}
    space = space_of(schedule.step_map[name].op, schedule, layouts)
    for loop, factor in asked.items():
        why = objection(space, {loop: factor}, device) or objection(space, {**kept, loop: factor}, device)
        if why:
            notes.append(f"{loop} {factor} of {other} left out: {why}")
        else:
            kept[loop] = factor
    if cut[0] > 1 and not kept:
        return None, refused("; ".join(notes))
    found, status = pinned_division(name, kept, schedule, layouts, device)
    if found is None:
        return None, status
    notes += [status.detail] if status.detail else []
    return found, PinStatus(PinState.ADJUSTED, "; ".join(notes)) if notes else PinStatus(PinState.HONOURED)


def _asked(name: str, other: str, cut: Cut, schedule: Schedule) -> tuple[dict[str, int], list[str]]:
    """Factors by loop that cut the result of an op in a given way, and a sentence on each that has no loop."""
    op = schedule.step_map[name].op
    result = schedule.buffers[op.write.buffer]
    cores, parts = cut
    asked: dict[str, int] = {}
    notes = []
    for dim, factor in enumerate(parts):
        if factor == 1:
            continue
        loop, why = loop_along(op, dim, result)
        if loop:
            asked[loop] = factor
        else:
            notes.append(f"{factor} parts of {other} along dim {dim} left out: {why}")
    rest = cores // math.prod(parts)
    if rest > 1:
        loops = [loop.name for loop in op.reduction_loops if loop.extent > 1]
        if len(loops) == 1:
            asked[loops[0]] = rest
        else:
            why = f"{name} has {len(loops)} reduced loops" if loops else f"{name} reduces nothing"
            notes.append(f"{other} splits its reduction over {rest} cores, which is left out: {why}")
    return asked, notes


def apply_same_pins(problem: Problem, plan: Plan) -> Plan:
    """The plan, in which every step has a division, with all ops that are tied to others divided like these."""
    pins = problem.pins.same
    if all(f"same:{name}" in plan.pins for name in pins):
        return plan
    schedule = expand(problem.program, plan)
    bonds = bonds_of(pins, schedule)
    spread = Spread(schedule, plan.layouts, problem.device, dict(plan.divisions), fixed_by_pins(plan), bonds)
    spread.run(problem.pins.division)
    reasons = {
        f"division:{name}": f"the division of {lead}, as pinned" + (f"; {status.detail}" if status.detail else "")
        for name, (lead, status) in spread.taken.items()
    }
    return replace(
        plan,
        divisions=frozendict(spread.divisions),
        reasons=plan.reasons | reasons,
        pins=plan.pins | bonds.refused | spread.status,
    )


def fixed_by_pins(plan: Plan) -> frozenset[str]:
    """Ops whose division a pin has decided."""
    kept = (key for key, status in plan.pins.items() if status.state is not PinState.REFUSED)
    return frozenset(key.removeprefix("division:") for key in kept if key.startswith("division:"))


@dataclass(slots=True)
class Spread:
    """Divisions on their way along bonds: from an op that a pin has `fixed`, else from the one that the others name.

    `taken` are the ops divided anew, each with the one that it follows and how well that went.
    """

    schedule: Schedule
    layouts: Mapping[str, StickLayout]
    device: Device
    divisions: dict[str, Division]
    fixed: frozenset[str]
    bonds: Bonds
    status: dict[str, PinStatus] = field(default_factory=dict)
    taken: dict[str, tuple[str, PinStatus]] = field(default_factory=dict)

    def run(self, first: Iterable[str]) -> None:
        """Go along all bonds; of several fixed ops of a group the one that comes first in `first` leads it."""
        near, seen = self.bonds.neighbours(), set[str]()
        named = {name for name, _ in self.bonds.pairs}
        leaders = [name for name in first if name in near and name in self.fixed]
        for name in (*leaders, *(other for _, other in self.bonds.pairs if other not in named)):
            waiting = [name]
            while waiting:
                lead = waiting.pop(0)
                for pair in near[lead] if lead not in seen else ():
                    follower = pair[1] if pair[0] == lead else pair[0]
                    if follower not in seen:
                        self._follow(pair, lead, follower)
                        waiting.append(follower)
                seen.add(lead)
        for name, other in self.bonds.closing:
            self.status[f"same:{name}"] = self._closed(name, other)

    def _closed(self, name: str, other: str) -> PinStatus:
        """What became of a pin whose ops others tie already."""
        mine, theirs = self.divisions[name], self.divisions[other]
        if self._cut(name, mine) == self._cut(other, theirs):
            return PinStatus(PinState.HONOURED)
        if name in self.fixed and other in self.fixed:
            return refused(differs(name, mine, other, theirs))
        return refused(f"{name} is divided by {mine} and {other} by {theirs}: the other pins between them come to that")

    def _follow(self, pair: tuple[str, str], lead: str, name: str) -> None:
        division = self.divisions[lead]
        found, status = division_like(name, lead, division, self.schedule, self.layouts, self.device)
        if name in self.fixed:
            mine = self.divisions[name]
            equal = self._cut(name, mine) == self._cut(lead, division)
            status = PinStatus(PinState.HONOURED) if equal else refused(differs(name, mine, lead, division))
        elif found is not None:
            self.divisions[name], self.taken[name] = found, (lead, status)
        self.status[f"same:{pair[0]}"] = status

    def _cut(self, name: str, division: Division) -> Cut | str:
        return cut_of(self.schedule.step_map[name].op, division, self.schedule.buffers)


def differs(name: str, mine: Division, lead: str, theirs: Division) -> str:
    """Why an op that is pinned to a division cannot have that of another one."""
    return f"{lead} is divided by {theirs} and {name} is pinned to {mine}; unpin one of the two"
