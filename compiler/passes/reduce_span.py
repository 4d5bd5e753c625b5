"""reduce-span: the least division of every op whose tensors are too large for one core to address (facts 3.2).

Owns the floors: a division without a reason is one, and later passes may raise it but never lower it.  Refuses
nothing itself: what stays above the limit is refused by `divide-rest`, when every loop has its factor.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from frozendict import frozendict

from compiler.floors import span_floors
from compiler.pinning import apply_division_pins, decided
from compiler.plan import Plan
from compiler.problem import Problem
from compiler.schedule import expand
from compiler.spaces import space_of
from compiler.spans import reaches_of


@dataclass(frozen=True, slots=True)
class ReduceSpan:
    """Sets the division of ops and inserted copies that need one for the span limit; decides pins first."""

    name: ClassVar[str] = "reduce-span"
    needs: ClassVar[tuple[str, ...]] = ("layouts",)
    decides: ClassVar[tuple[str, ...]] = ("divisions", "reasons", "pins")

    def __call__(self, problem: Problem, plan: Plan) -> Plan:
        plan = apply_division_pins(problem, plan)
        schedule = expand(problem.program, plan)
        divisions = dict(plan.divisions)
        for step in schedule.steps:
            reaches = reaches_of(step.op, schedule, plan.layouts, problem.device.span_limit_bytes)
            if not reaches or decided(plan, step.name):
                continue
            space = space_of(step.op, schedule, plan.layouts)
            floors = span_floors(space, reaches, problem.device)
            if floors:
                divisions[step.name] = space.division(floors)
        return replace(plan, divisions=frozendict(divisions))
