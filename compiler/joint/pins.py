"""Pins: what became of those that a joint answer decides.

Owns the status of placement pins.  Refuses to drop one.
"""

from __future__ import annotations

from compiler.pinning import nearest, refused
from compiler.pins import PinState, PinStatus
from compiler.plan import EditKind, Plan, Slot, Spilled
from compiler.problem import Problem
from compiler.reasons import NO_REMEDY, REASONS
from compiler.schedule import expand


def placement_status(problem: Problem, plan: Plan) -> dict[str, PinStatus]:
    """The status of every placement pin."""
    schedule = expand(problem.program, plan)
    return {
        f"placement:{name}": _status(name, place, plan, frozenset(schedule.buffers))
        for name, place in problem.pins.placement.items()
    }


def _status(name: str, place: str, plan: Plan, known: frozenset[str]) -> PinStatus:
    if name not in known:
        return refused(f"there is no buffer {name}{nearest(name, known)}")
    if place not in ("lx", "hbm"):
        return refused(f"{place!r} is no place; use 'lx' or 'hbm'")
    found = plan.placement[name]
    clones = [edit.target for edit in plan.edits if edit.source == name and edit.kind is EditKind.CLONE_IN]
    if place == "lx" and (isinstance(found, Slot) or clones):
        detail = "" if isinstance(found, Slot) else f"by its clone {clones[0]}"
        return PinStatus(PinState.HONOURED, detail)
    if place == "hbm" and not isinstance(found, Slot) and not clones:
        return PinStatus(PinState.HONOURED)
    if isinstance(found, Spilled):
        remedy = REASONS[found.code].remedy
        return refused(found.detail if remedy.startswith(NO_REMEDY) else f"{found.detail}. {remedy}")
    return refused("it is in LX all the same")
