"""improve-division: divisions that the cost model finds better than the staged rule.

Owns a descent from the divisions that stand: it tries other divisions of a step, also above the floors of its spans and
for products of a single row, which the public rule never prices, and lets the neighbours follow so that buffers stay
at home.  Time is all that counts; points of preference do not.  Ops that a pin ties to another one follow it in the
end.  Refuses to be worse: the whole plan is placed and priced before and after, and the better one is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

from frozendict import frozendict

from compiler.cost.model import price
from compiler.division import Division
from compiler.division_descent import DivisionDescent
from compiler.division_ground import DivisionGround, free_steps
from compiler.equal_divisions import Spread, bonds_of, fixed_by_pins
from compiler.errors import InputError
from compiler.loops import OpKind
from compiler.passes.place_scratchpad import PlaceScratchpad
from compiler.plan import Plan
from compiler.price import Cost, StepCost
from compiler.problem import Problem
from compiler.schedule import expand
from compiler.spaces import space_of
from compiler.splits import matmul_roles

FEW_STEPS = 200
TRIED = 2
FOLLOWERS = 24
LEAST_US = 1e-6
YES_NO = ("yes", "no")


@dataclass(frozen=True, slots=True)
class ImproveDivision:
    """Revises divisions and their reasons; pinned ones stay.

    `floors=no` leaves steps alone that a span has forced to be divided, `single_rows=no` products that the public
    ranking does not apply to, `neighbours=no` changes one step at a time.
    """

    floors: str = "yes"
    single_rows: str = "yes"
    neighbours: str = "yes"

    name: ClassVar[str] = "improve-division"
    needs: ClassVar[tuple[str, ...]] = ("layouts", "edits", "divisions")
    decides: ClassVar[tuple[str, ...]] = ("divisions", "reasons")

    def __post_init__(self) -> None:
        for option in ("floors", "single_rows", "neighbours"):
            if getattr(self, option) not in YES_NO:
                why = f"its {option} is {getattr(self, option)!r}"
                raise InputError(f"pass {self.name}", why, "use yes or no")

    def __call__(self, problem: Problem, plan: Plan) -> Plan:
        placed = PlaceScratchpad()(problem, plan)
        return self.improved(problem, plan, (placed, price(problem, placed)), lambda: False)[0]

    def improved(
        self, problem: Problem, plan: Plan, before: tuple[Plan, Cost], over: Callable[[], bool]
    ) -> tuple[Plan, Plan, Cost]:
        """The plan with better divisions, the same with its placement, and what that costs.

        `before` is the plan to start from with its placement; `over` is asked again and again whether to end with the
        best so far.
        """
        best = (plan, *before)
        for divisions in self._searched(problem, plan, before[0], over):
            if best[0] is not plan and over():
                break
            divisions, followers = _tied(problem, plan, divisions)
            changed = {name: division for name, division in divisions.items() if division != plan.divisions.get(name)}
            better = replace(plan, divisions=plan.divisions | changed)
            then = PlaceScratchpad()(problem, better)
            after = price(problem, then)
            if changed and self._better(problem, best[1:], (then, after)):
                told = _reasons(plan, changed, before[1], after) | followers
                why = frozendict({**plan.reasons, **told})
                placed = replace(then, reasons=frozendict({**then.reasons, **told}))
                best = (replace(better, reasons=why), placed, after)
        return best

    def _searched(
        self, problem: Problem, plan: Plan, placed: Plan, over: Callable[[], bool]
    ) -> list[dict[str, Division]]:
        """Divisions worth placing and pricing: the descent from those that stand, and of small programs the best of
        those that start from fewer cores, which a descent does not reach."""
        ground = DivisionGround(problem, placed, self._free(problem, plan))
        descent = DivisionDescent(ground, FOLLOWERS if self.neighbours == "yes" else 0, over)
        found = [descent.run(ground.start())]
        if len(ground.steps) > FEW_STEPS or self.neighbours == "no":
            return found
        others = []
        for cores in (2**power for power in range((problem.device.cores - 1).bit_length())):
            if over():
                break
            divisions = descent.run(ground.start(cores))
            others.append((ground.total_us(descent.at), cores, divisions))
        return [*found, *(divisions for _, _, divisions in sorted(others, key=lambda one: one[:2])[:TRIED])]

    def _better(self, problem: Problem, old: tuple[Plan, Cost], new: tuple[Plan, Cost]) -> bool:
        """True if the plan takes less time, or as much and less of what is hidden behind it."""
        if abs(new[1].total_us - old[1].total_us) > LEAST_US:
            return new[1].total_us < old[1].total_us
        overlap = problem.device.number("joint_overlap")
        before, after = (price(problem, plan, overlap=overlap).total_us for plan, _ in (old, new))
        return after < before - LEAST_US

    def _free(self, problem: Problem, plan: Plan) -> frozenset[str]:
        schedule = expand(problem.program, plan)
        free = free_steps(plan, schedule.steps)
        bonds = bonds_of(problem.pins.same, schedule)
        kept = {name for name, _ in bonds.pairs}
        for step in schedule.steps:
            if self.floors == "no" and "for the limits of one core" in plan.reasons.get(f"division:{step.name}", ""):
                kept.add(step.name)
            product = self.single_rows == "no" and step.op.kind is OpKind.MATMUL
            if product and matmul_roles(space_of(step.op, schedule, plan.layouts)) is None:
                kept.add(step.name)
        return free - kept


def _tied(problem: Problem, plan: Plan, divisions: dict[str, Division]) -> tuple[dict[str, Division], dict[str, str]]:
    """The divisions with those that pins tie to others like these, and reasons for them; where a pin would end in
    another way than with the plan, all that are tied stay as they are."""
    if not problem.pins.same:
        return divisions, {}
    schedule = expand(problem.program, plan)
    bonds = bonds_of(problem.pins.same, schedule)
    spread = Spread(schedule, plan.layouts, problem.device, dict(divisions), fixed_by_pins(plan), bonds)
    spread.run(problem.pins.division)
    if any(plan.pins.get(key) != status for key, status in spread.status.items()):
        return divisions | {name: plan.divisions[name] for name in bonds.neighbours()}, {}
    words = {f"division:{name}": f"the division of {lead}, as pinned" for name, (lead, _) in spread.taken.items()}
    return spread.divisions, words


def _reasons(plan: Plan, changed: dict[str, Division], before: Cost, after: Cost) -> dict[str, str]:
    """Why a step is divided anew: its time before and after, and the term that tells."""
    old = {cost.step: cost for cost in before.steps}
    new = {cost.step: cost for cost in after.steps}
    told = {}
    for name, division in changed.items():
        staged = plan.divisions.get(name, Division())
        mine, theirs = _own(new[name]), _own(old[name])
        times = f"{mine:,.1f} µs of its own instead of {theirs:,.1f} µs with {staged}"
        if abs(mine - theirs) < LEAST_US:
            times = f"{mine:,.1f} µs of its own, a tie with {staged}"
        term = _telling(old[name], new[name])
        told[f"division:{name}"] = f"{division}: {times}" + (f"; {term}" if term else "; it follows its neighbours")
    return told


def _own(cost: StepCost) -> float:
    return max(cost.compute_us, cost.hbm_us) + cost.serial_us


def _telling(old: StepCost, new: StepCost) -> str:
    """The term that changed most."""
    sums: dict[str, list[float]] = {}
    for side, cost in enumerate((old, new)):
        for term in cost.terms:
            sums.setdefault(str(term.name), [0.0, 0.0])[side] += term.microseconds
    if not sums:
        return ""
    name, (was, now) = max(sums.items(), key=lambda item: abs(item[1][1] - item[1][0]))
    return f"{name} {now:,.1f} instead of {was:,.1f} µs" if abs(now - was) > LEAST_US else ""
