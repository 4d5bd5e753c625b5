"""lift-floors: another dim order for a tensor whose span would force a reduced loop to be split.

A reduction that is split over cores runs on one of two corelets and passes partial sums around, which costs a large
contraction half of its speed.  If the rows of its operand lie outermost, dividing the rows shortens the span as well.
Owns that change: for nothing where the layout is the plan's to choose, by a copy where that pays.  Refuses changes that
leave another step without a division.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from frozendict import frozendict

from compiler.coordinates import device_dims
from compiler.cost.requests import copy_us
from compiler.cost.setting import setting_of
from compiler.dim_orders import reordered
from compiler.division_menu import legal_divisions
from compiler.floors import floors_of
from compiler.layout import MAX_DIM_ORDER, UNIT, StickLayout
from compiler.loops import BufferKind, Role
from compiler.order_copies import free_name, reader_names
from compiler.order_spans import too_wide
from compiler.pinning import pinned_division
from compiler.pins import PinState
from compiler.plan import Edit, EditKind, Plan
from compiler.problem import Problem
from compiler.scene import scene_of
from compiler.schedule import Schedule, Step, expand
from compiler.spaces import space_of
from compiler.spans import reaches_of
from compiler.stick_ways import free_weights
from compiler.tails import CONTRACTIONS


@dataclass(frozen=True, slots=True)
class LiftFloors:
    """Revises `layouts`, adds `edits`, and a reason for each."""

    name: ClassVar[str] = "lift-floors"
    needs: ClassVar[tuple[str, ...]] = ("layouts", "edits")
    decides: ClassVar[tuple[str, ...]] = ("layouts", "edits", "reasons")

    def __call__(self, problem: Problem, plan: Plan) -> Plan:
        schedule = expand(problem.program, plan)
        for step in schedule.steps:
            if step.op.kind in CONTRACTIONS and _splits_reduction(problem, plan, schedule, step):
                plan = _lifted(problem, plan, step.name)
        return plan


@dataclass(frozen=True, slots=True)
class _Trial:
    """A plan with one operand in another order, the time of the step at its best, and of the copy that takes."""

    plan: Plan
    step_us: float
    copy_us: float


def _splits_reduction(problem: Problem, plan: Plan, schedule: Schedule, step: Step) -> bool:
    device = problem.device
    reaches = reaches_of(step.op, schedule, plan.layouts, device.span_limit_bytes)
    if not reaches:
        return False
    space = space_of(step.op, schedule, plan.layouts)
    floors = floors_of(space, reaches, device)
    return any(axis.role is Role.REDUCTION and floors.get(axis.name, 1) > 1 for axis in space.axes)


def _lifted(problem: Problem, plan: Plan, name: str) -> Plan:
    """The plan with the change that saves most, or as it is."""
    if _keeps_pin(problem, plan, name):
        return plan
    present = _best_us(problem, plan, name)
    trials = [trial for trial in _trials(problem, plan, name) if trial.step_us + trial.copy_us < present]
    if name in problem.pins.division:
        trials = [trial for trial in trials if _keeps_pin(problem, trial.plan, name)]
    if not trials:
        return plan
    best = min(trials, key=lambda trial: trial.step_us + trial.copy_us)
    changed = [key for key in best.plan.layouts if best.plan.layouts[key] != plan.layouts.get(key)]
    words = f"rows outermost, so that {name} need not split a reduced loop for the span of one core: "
    words += f"{best.step_us:,.1f} µs instead of {present:,.1f} µs"
    words += f", less {best.copy_us:,.1f} µs for the copy" if best.copy_us else ""
    reasons = dict(best.plan.reasons)
    for key in changed:
        before = reasons.get(f"layout:{key}", "")
        reasons[f"layout:{key}"] = f"{before}; {words}" if before else words
        if key not in plan.layouts:
            reasons[f"edit:{key}"] = words
    return replace(best.plan, reasons=frozendict(reasons))


def _keeps_pin(problem: Problem, plan: Plan, name: str) -> bool:
    """True if a pinned division of a step is kept with the layouts as they are, so that there is nothing to lift."""
    if name not in problem.pins.division:
        return False
    schedule = expand(problem.program, plan)
    _, status = pinned_division(name, problem.pins.division[name], schedule, plan.layouts, problem.device)
    return status.state is PinState.HONOURED


def _best_us(problem: Problem, plan: Plan, name: str) -> float:
    """Time of a step under its quickest legal division; infinite if it has none."""
    setting = setting_of(problem, plan)
    step = setting.schedule.step_map[name]
    menu = legal_divisions(step, setting.schedule, plan.layouts, problem.device)
    times = (cost.total_us for cost in setting.menu(step, menu, frozenset(), lone=True))
    return min(times, default=float("inf"))


def _trials(problem: Problem, plan: Plan, name: str) -> Iterator[_Trial]:
    schedule = expand(problem.program, plan)
    step = schedule.step_map[name]
    for number, access in enumerate(step.op.reads):
        present = plan.layouts[access.buffer]
        pinned = plan.pins.get(f"order:{access.buffer}")
        kept = pinned is not None and pinned.state is not PinState.REFUSED
        if present.size_bytes <= problem.device.span_limit_bytes or kept:
            continue
        for order in _orders(present):
            target = reordered(present, schedule.buffers[access.buffer], order)
            made = _with_order(problem, plan, schedule, (step, number), target)
            if made is not None:
                copied = 0.0
                if len(made.edits) > len(plan.edits):
                    copied = copy_us(problem.device, schedule.buffers[access.buffer], present, target)
                yield _Trial(made, _best_us(problem, made, name), copied)


def _orders(present: StickLayout) -> list[tuple[int, ...]]:
    """Orders with one of the other dims outermost and none just before the stick."""
    stick = present.dim_order[-1]
    others = [dim for dim in dict.fromkeys(device_dims(present)) if dim not in (stick, -1)]
    if len(others) + 2 > MAX_DIM_ORDER:
        return []
    return [(UNIT, first, *(dim for dim in others if dim != first), stick) for first in others]


def _with_order(
    problem: Problem, plan: Plan, schedule: Schedule, read: tuple[Step, int], target: StickLayout
) -> Plan | None:
    """The plan with an operand in another order: the buffer itself if it is the plan's to lay out, else a copy."""
    step, number = read
    name = step.op.reads[number].buffer
    if _ours(problem, plan, schedule, name):
        changed = plan.layouts.set(name, target)
        if not too_wide(problem.device, schedule, plan.layouts, changed):
            return replace(plan, layouts=changed)
    edited = next((edit for edit in plan.edits if edit.target == name), None)
    if edited is not None or step.edit is not None:
        return None
    letters = "".join("u" if dim == UNIT else str(dim) for dim in target.dim_order)
    copy = free_name(f"{name}@order{letters}", {*plan.layouts, *schedule.step_map})
    original = problem.program.op_map[step.name]
    edit = Edit(copy, EditKind.REORDER, name, copy, step.name, reader_names(original, name, [number]))
    places = {op.name: place for place, op in enumerate(problem.program.ops)}
    edits = tuple(sorted((*plan.edits, edit), key=lambda one: places[one.before]))
    made = replace(plan, edits=edits, layouts=plan.layouts.set(copy, target))
    again = expand(problem.program, made)
    legal = legal_divisions(again.step_map[copy], again, made.layouts, problem.device)
    return made if legal else None


def _ours(problem: Problem, plan: Plan, schedule: Schedule, name: str) -> bool:
    """True if the layout of a buffer is the plan's to choose."""
    if any(edit.target == name for edit in plan.edits):
        return True
    if schedule.buffers[name].kind is BufferKind.COMPUTED:
        return all(step.op.call is None for step in schedule.steps if _writes(step, name))
    return name in free_weights(problem.program, scene_of(problem.program, problem.device))


def _writes(step: Step, name: str) -> bool:
    return any(access.buffer == name for access in step.op.writes)
