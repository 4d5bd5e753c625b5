"""Pins: what became of those that a joint answer decides: places, relayouts and equal divisions.

Owns the status of each, read off the plan that was made.  Refuses to drop one, and to call one honoured that is not.
"""

from __future__ import annotations

from collections.abc import Mapping

from compiler.equal_divisions import cut_of
from compiler.pinning import nearest, no_op, refused
from compiler.pins import PinState, PinStatus
from compiler.plan import HOMEWARD, EditKind, Plan, Slot, Spilled
from compiler.problem import Problem
from compiler.reasons import NO_REMEDY, REASONS
from compiler.schedule import Schedule, expand

HONOURED = PinStatus(PinState.HONOURED)


def joint_status(problem: Problem, plan: Plan, why: Mapping[str, str]) -> dict[str, PinStatus]:
    """The status of every pin of a place, a relayout or an equal division; `why` has sentences by key on pins that
    could not be kept."""
    schedule = expand(problem.program, plan)
    pins, found = problem.pins, dict[str, PinStatus]()
    for name, place in pins.placement.items():
        found[f"placement:{name}"] = _place(name, place, plan, schedule, why.get(f"placement:{name}", ""))
    for name, other in pins.same.items():
        found[f"same:{name}"] = _same(name, other, plan, schedule, why.get(f"same:{name}", ""))
    for name, way in pins.relayout.items():
        found[f"relayout:{name}"] = _relayout(name, way, plan, schedule, why.get(f"relayout:{name}", ""))
    return found


def _place(name: str, place: str, plan: Plan, schedule: Schedule, why: str) -> PinStatus:
    if name not in schedule.buffers:
        return refused(f"there is no buffer {name}{nearest(name, schedule.buffers)}")
    if place not in ("lx", "hbm"):
        return refused(f"{place!r} is no place; use 'lx' or 'hbm'")
    found = plan.placement[name]
    clones = [edit.target for edit in plan.edits if edit.source == name and edit.kind is EditKind.CLONE_IN]
    if place == "hbm":
        return refused("it is in LX all the same") if isinstance(found, Slot) or clones else HONOURED
    if isinstance(found, Slot):
        return HONOURED
    if clones:
        return PinStatus(PinState.ADJUSTED, f"its clone {clones[0]} is in LX; {found.detail}")
    return refused(why or with_remedy(found))


def with_remedy(found: Spilled) -> str:
    """Why a buffer is not in LX, and what would bring it there."""
    remedy = REASONS[found.code].remedy
    return found.detail if remedy.startswith(NO_REMEDY) else f"{found.detail}. {remedy}"


def _same(name: str, other: str, plan: Plan, schedule: Schedule, why: str) -> PinStatus:
    for one in (name, other):
        if one not in schedule.step_map:
            return refused(no_op(one, schedule))
    if why:
        return refused(why)
    ops = (schedule.step_map[name].op, schedule.step_map[other].op)
    cuts = [cut_of(op, plan.divisions[op.name], schedule.buffers) for op in ops]
    if cuts[0] == cuts[1] and not isinstance(cuts[0], str):
        return HONOURED
    return refused(f"{name} is divided by {plan.divisions[name]} and {other} by {plan.divisions[other]}")


def tie_reasons(problem: Problem, plan: Plan, status: Mapping[str, PinStatus]) -> dict[str, str]:
    """Reasons of divisions that are what they are because a pin ties them to others."""
    return {
        f"division:{name}": f"{plan.divisions[name]}: the division of {other}, as pinned"
        for name, other in problem.pins.same.items()
        if status[f"same:{name}"] == HONOURED and not plan.reasons.get(f"division:{name}", "").startswith("pinned")
    }


def _relayout(name: str, way: str, plan: Plan, schedule: Schedule, why: str) -> PinStatus:
    if name not in schedule.buffers:
        return refused(f"there is no buffer {name}{nearest(name, schedule.buffers)}")
    if way not in ("ring", "none"):
        return refused(f"{way!r} is no way; use 'ring' or 'none'")
    ring = _over_ring(name, plan)
    if bool(ring) == (way == "ring"):
        return HONOURED
    return refused(f"{ring} moves it all the same" if ring else why or "every reader finds its part where it is")


def _over_ring(name: str, plan: Plan) -> str:
    """The relayout of a buffer, or of a copy of it with the same layout."""
    forms = {name}
    for edit in plan.edits:
        if edit.kind in HOMEWARD and edit.source in forms:
            forms.add(edit.target)
            if edit.kind is EditKind.RELAYOUT:
                return edit.name
    return ""
