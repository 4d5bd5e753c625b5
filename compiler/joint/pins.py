"""Pins: what became of those that a joint answer decides: places, relayouts and equal divisions.

Owns the status of each, read off the plan that was made.  Refuses to drop one, and to call one honoured that is not.
"""

from __future__ import annotations

from collections.abc import Mapping

from compiler.copy_names import made_copies, no_copied_op
from compiler.equal_divisions import cut_of
from compiler.pinning import no_buffer, no_op, refused
from compiler.pins import Pins, PinState, PinStatus
from compiler.plan import HOMEWARD, EditKind, Plan, ReasonCode, Slot, Spilled
from compiler.problem import Problem
from compiler.reasons import NO_REMEDY, REASONS
from compiler.schedule import Schedule, expand

HONOURED = PinStatus(PinState.HONOURED)


def joint_status(problem: Problem, plan: Plan, why: Mapping[str, str]) -> dict[str, PinStatus]:
    """The status of every pin of a place, a relayout or an equal division; `why` has sentences by key on pins that
    could not be kept."""
    schedule = expand(problem.program, plan)
    pins, found = problem.pins, _unnamed(problem.pins, plan, schedule)
    for name, place in pins.placement.items():
        key = f"placement:{name}"
        found[key] = found.get(key) or _place(name, place, plan, why.get(key, ""))
    for name, other in pins.same.items():
        key = f"same:{name}"
        found[key] = found.get(key) or _same(name, other, plan, schedule, why.get(key, ""))
    for name, way in pins.relayout.items():
        key = f"relayout:{name}"
        found[key] = found.get(key) or _relayout(name, way, plan, why.get(key, ""))
    return found


def _unnamed(pins: Pins, plan: Plan, schedule: Schedule) -> dict[str, PinStatus]:
    """Refusals of pins on what is no buffer or op of the program, but at most a copy that the plan makes by itself."""
    made = made_copies(plan)
    buffers = {name: None for name in schedule.buffers if name not in made}
    steps = [step.name for step in schedule.steps if step.name not in made]
    found = dict[str, PinStatus]()
    for kind, names in (("placement", pins.placement), ("relayout", pins.relayout)):
        found.update((f"{kind}:{name}", refused(no_buffer(name, buffers))) for name in names if name not in buffers)
    for name, other in pins.same.items():
        for one in (other, name):
            if one not in steps:
                found[f"same:{name}"] = refused(no_copied_op(one, schedule, made) or no_op(one, schedule))
    return found


def _place(name: str, place: str, plan: Plan, why: str) -> PinStatus:
    if place not in ("lx", "hbm"):
        return refused(f"{place!r} is no place; use 'lx' or 'hbm'")
    found = plan.placement[name]
    clones = [edit.target for edit in plan.edits if edit.source == name and edit.kind is EditKind.CLONE_IN]
    if place == "hbm":
        return refused("it is in LX all the same") if isinstance(found, Slot) or clones else HONOURED
    if isinstance(found, Slot):
        return HONOURED
    if clones:
        said = "" if found.code is ReasonCode.CLONED_IN else f"its clone {clones[0]} is in LX; "
        return PinStatus(PinState.ADJUSTED, f"{said}{found.detail}")
    return refused(why or with_remedy(found))


def with_remedy(found: Spilled) -> str:
    """Why a buffer is not in LX, and what would bring it there."""
    remedy = REASONS[found.code].remedy
    return found.detail if remedy.startswith(NO_REMEDY) else f"{found.detail}. {remedy}"


def _same(name: str, other: str, plan: Plan, schedule: Schedule, why: str) -> PinStatus:
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


def _relayout(name: str, way: str, plan: Plan, why: str) -> PinStatus:
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
