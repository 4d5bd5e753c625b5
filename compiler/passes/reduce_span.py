"""reduce-span: the least division of every op whose tensors or loops are too large for one core (facts 3.2).

Owns the floors: a division without a reason is one, and later passes may raise it but never lower it.  Refuses, with a
LimitError, a step that no division brings within the limits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from frozendict import frozendict

from compiler.device import Device
from compiler.floors import floors_of
from compiler.limits import excess, refuse
from compiler.loops import LoopOp, OpKind
from compiler.pinning import apply_division_pins, decided
from compiler.plan import Plan
from compiler.problem import Problem
from compiler.schedule import expand
from compiler.spaces import space_of
from compiler.spans import reaches_of


@dataclass(frozen=True, slots=True)
class ReduceSpan:
    """Sets the division of ops and inserted copies that need one for the limits; decides pins first."""

    name: ClassVar[str] = "reduce-span"
    needs: ClassVar[tuple[str, ...]] = ("layouts", "edits")
    decides: ClassVar[tuple[str, ...]] = ("divisions", "reasons", "pins")

    def __call__(self, problem: Problem, plan: Plan) -> Plan:
        plan = apply_division_pins(problem, plan)
        schedule, device = expand(problem.program, plan), problem.device
        divisions = dict(plan.divisions)
        for step in schedule.steps:
            reaches = reaches_of(step.op, schedule, plan.layouts, device.span_limit_bytes)
            if decided(plan, step.name) or not (reaches or _long_loops(step.op, device)):
                continue
            space = space_of(step.op, schedule, plan.layouts)
            division = space.division(floors_of(space, reaches, device))
            beyond = excess(space, reaches, division, device)
            if beyond is not None:
                raise refuse(step, beyond, division, device)
            if division.splits:
                divisions[step.name] = division
        return replace(plan, divisions=frozendict(divisions))


def _long_loops(op: LoopOp, device: Device) -> bool:
    limit = device.count("loop_trip_limit")
    return op.kind is not OpKind.OPAQUE and any(loop.extent > limit for loop in op.loops)
