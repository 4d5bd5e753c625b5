"""divide-rest: the division of every step that has none yet, largest loop first (facts 3.5), and the check of limits.

Owns the general rule for ops and inserted copies alike; then ops that a pin ties to another one get the division of
that.  Refuses, with a LimitError, a step that still has a tensor whose span per core, or a loop whose turns, are above
the device's limit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from frozendict import frozendict

from compiler.device import Device
from compiler.division import Division
from compiler.equal_divisions import apply_same_pins
from compiler.idle import Idle, idle_of
from compiler.limits import excess, refuse
from compiler.loops import OpKind
from compiler.pinning import apply_division_pins, decided
from compiler.plan import Plan
from compiler.problem import Problem
from compiler.schedule import Schedule, Step, expand
from compiler.spaces import Space, space_of
from compiler.spans import reaches_of
from compiler.splits import largest_first


@dataclass(frozen=True, slots=True)
class DivideRest:
    """Sets division and reason of all steps left; raises floors, never lowers one."""

    name: ClassVar[str] = "divide-rest"
    needs: ClassVar[tuple[str, ...]] = ("layouts", "edits")
    decides: ClassVar[tuple[str, ...]] = ("divisions", "reasons", "pins")

    def __call__(self, problem: Problem, plan: Plan) -> Plan:
        plan = apply_division_pins(problem, plan)
        schedule = expand(problem.program, plan)
        divisions, reasons = dict(plan.divisions), dict(plan.reasons)
        for step in schedule.steps:
            if not decided(plan, step.name):
                floors = divisions.get(step.name, Division())
                division, reason = _divide(step, schedule, plan, floors, problem.device)
                divisions[step.name] = division
                reasons[f"division:{step.name}"] = reason
            _check_limits(step, schedule, plan, divisions[step.name], problem.device)
        made = replace(plan, divisions=frozendict(divisions), reasons=frozendict(reasons))
        return apply_same_pins(problem, made)


def _divide(step: Step, schedule: Schedule, plan: Plan, floors: Division, device: Device) -> tuple[Division, str]:
    if step.op.kind is OpKind.OPAQUE:
        return Division(), "runs on the host"
    space = space_of(step.op, schedule, plan.layouts)
    division = space.division(largest_first(space, device.cores, floors.factors))
    rule = "largest loop first"
    if floors.splits:
        rule = f"{floors} for the limits of one core, then {rule}"
    lost = idle_of(space, division.factors, device.cores, floors.factors)
    return division, f"{rule}: {_sizes(space, division, lost, device.cores)}"


def _sizes(space: Space, division: Division, lost: Idle | None, cores: int) -> str:
    """Which loops are cut by what, and what keeps other cores from work."""
    cut = [axis for axis in space.axes if division.factor(axis.name) > 1]
    said = [", ".join(f"{axis.name} ({axis.measure}) by {division.factor(axis.name)}" for axis in cut)] if cut else []
    if lost is not None:
        said.append(str(lost))
    blocked = next((axis for axis in space.axes if axis.size > 1 and axis.blocked and axis not in cut), None)
    if blocked is not None and division.cores < cores:
        said.append(f"{blocked.name} is not divided: {blocked.blocked}")
    if said:
        return "; ".join(said)
    return "there is only 1 core to use" if cores == 1 else "no loop has more than one part to give"


def _check_limits(step: Step, schedule: Schedule, plan: Plan, division: Division, device: Device) -> None:
    reaches = reaches_of(step.op, schedule, plan.layouts, device.span_limit_bytes)
    found = excess(space_of(step.op, schedule, plan.layouts), reaches, division, device)
    if found is not None:
        raise refuse(step, found, division, device)
