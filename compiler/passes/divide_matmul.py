"""divide-matmul: the split of every matmul by the published ranking (facts 3.3, 3.4).

Owns when the ranking applies.  Declines, and so leaves the op to `divide-rest`, if the op is pinned or has a span
floor, if it lacks an N along the stick, a private row loop or a single reduced loop, or if the best split uses fewer
cores than the general rule would.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

from frozendict import frozendict

from compiler.idle import idle_of
from compiler.pinning import apply_division_pins, decided
from compiler.plan import Plan
from compiler.problem import Problem
from compiler.schedule import expand
from compiler.spaces import Space, space_of
from compiler.splits import Ranked, largest_first, matmul_roles, rank_matmul


@dataclass(frozen=True, slots=True)
class DivideMatmul:
    """Sets division and reason of the matmuls that the ranking applies to."""

    name: ClassVar[str] = "divide-matmul"
    needs: ClassVar[tuple[str, ...]] = ("layouts", "edits")
    decides: ClassVar[tuple[str, ...]] = ("divisions", "reasons", "pins")

    def __call__(self, problem: Problem, plan: Plan) -> Plan:
        plan = apply_division_pins(problem, plan)
        schedule = expand(problem.program, plan)
        divisions, reasons = dict(plan.divisions), dict(plan.reasons)
        for step in schedule.steps:
            if decided(plan, step.name) or step.name in plan.divisions:
                continue
            space = space_of(step.op, schedule, plan.layouts)
            roles = matmul_roles(space)
            if roles is None:
                continue
            ranked = rank_matmul(space, roles, plan.layouts, problem.device)
            general = largest_first(space, problem.device.cores)
            if math.prod(ranked[0].factors.values()) < math.prod(general.values()):
                continue
            divisions[step.name] = space.division(ranked[0].factors)
            reasons[f"division:{step.name}"] = _reason(space, ranked, problem.device.cores)
        return replace(plan, divisions=frozendict(divisions), reasons=frozendict(reasons))


def _reason(space: Space, ranked: tuple[Ranked, ...], cores: int) -> str:
    text = f"{space.division(ranked[0].factors)}: {ranked[0].points:,.1f} µs by the matmul ranking"
    if len(ranked) > 1:
        text += f"; next best {space.division(ranked[1].factors)}: {ranked[1].points:,.1f} µs"
    lost = idle_of(space, ranked[0].factors, cores)
    return f"{text}; {lost}" if lost else text
