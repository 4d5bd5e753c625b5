"""divide-rest: the division of every step that has none yet, largest loop first (facts 3.5), and the final span check.

Owns the general rule for ops and inserted copies alike.  Refuses, with a LimitError, a step that still has a tensor
whose span per core is above the device's limit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from frozendict import frozendict

from compiler.device import Device
from compiler.division import Division
from compiler.errors import Breach, LimitError
from compiler.loops import OpKind
from compiler.pinning import apply_division_pins, decided, widest
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
    needs: ClassVar[tuple[str, ...]] = ("layouts",)
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
            _check_spans(step, schedule, plan, divisions[step.name], problem.device)
        return replace(plan, divisions=frozendict(divisions), reasons=frozendict(reasons))


def _divide(step: Step, schedule: Schedule, plan: Plan, floors: Division, device: Device) -> tuple[Division, str]:
    if step.op.kind is OpKind.OPAQUE:
        return Division(), "runs on the host"
    space = space_of(step.op, schedule, plan.layouts)
    division = space.division(largest_first(space, device.cores, floors.factors))
    rule = "largest loop first"
    if floors.splits:
        rule = f"{floors} for the span limit of {device.span_limit_bytes:,} B, then {rule}"
    return division, f"{rule}: {_sizes(space, division)}"


def _sizes(space: Space, division: Division) -> str:
    """Which loops are cut by what, or why none is."""
    cut = [f"{axis.name} ({axis.measure}) by {division.factor(axis.name)}" for axis in space.axes]
    cut = [text for text, axis in zip(cut, space.axes, strict=True) if division.factor(axis.name) > 1]
    if cut:
        return ", ".join(cut)
    blocked = next((axis for axis in space.axes if axis.blocked and axis.size > 1), None)
    return f"{blocked.name} is not divided: {blocked.blocked}" if blocked else "no loop has more than one part to give"


def _check_spans(step: Step, schedule: Schedule, plan: Plan, division: Division, device: Device) -> None:
    limit = device.span_limit_bytes
    wide = widest(reaches_of(step.op, schedule, plan.layouts, limit), division)
    if wide is None or wide[1] <= limit:
        return
    breach = Breach(step.name, wide[0], step.op.origin.source, f"{limit:,} B per core", f"{wide[1]:,} B on one core")
    remedy = (
        f"the best division found is {division} ({division.cores} of {device.cores} cores); use more cores or smaller "
        "tensors, because this pipeline does not cut loops into tiles"
    )
    raise LimitError(breach, remedy)
