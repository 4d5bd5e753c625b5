"""Candidates: the divisions an op could have, best first, with what each would cost and what forbids the others.

Owns the list that the division editor shows.  Times are those of the cost model, step by step as in the price of the
plan; the points by which the staged rule ranks matmuls stand beside them and are no time.  Refuses to decide: the
chosen one is whatever the plan says.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product

from frozendict import frozendict

from compiler.contractions import contraction_of, cut_of
from compiler.cost.matmul import EXECUTION, PREFERENCE, terms
from compiler.cost.setting import Setting, kernels, setting_of
from compiler.division import Division
from compiler.errors import InputError
from compiler.limits import excess, widest
from compiler.loops import OpKind
from compiler.pinning import nearest, objection
from compiler.plan import Plan
from compiler.price import CostTerm, StepCost
from compiler.problem import Problem
from compiler.schedule import Step
from compiler.spaces import Axis, Space, space_of
from compiler.spans import Reach, reaches_of
from compiler.splits import largest_first, matmul_roles

MOST = 400


@dataclass(frozen=True, slots=True)
class Candidate:
    """One division: factors above 1, whether it is legal (else `why_not`), the time of the step under it and its terms.

    `ranking` has the terms by which the staged rule ranks a matmul, times and points of preference, and `points` their
    sum; both are empty for other ops.  `span_bytes` is the largest span of a tensor on one core.
    """

    factors: frozendict[str, int]
    legal: bool
    why_not: str
    total_us: float
    terms: tuple[CostTerm, ...]
    cores: int
    span_bytes: int
    chosen: bool
    points: float = 0.0
    ranking: tuple[CostTerm, ...] = ()


def candidates(problem: Problem, plan: Plan, op_name: str) -> tuple[Candidate, ...]:
    """Divisions of one step: legal ones first, then by time, more cores, and how close to largest-loop-first they are.

    InputError if there is no such step.  At most MOST are returned; the chosen one is always among them.
    """
    setting = setting_of(problem, plan)
    steps = setting.schedule.step_map
    if op_name not in steps:
        why = f"the program has no such op{nearest(op_name, steps)}"
        raise InputError(f"op {op_name}", why, "choose an op of the graph")
    run = next(run for _, run in kernels(plan, setting.schedule) if op_name in run)
    maker = _Maker(setting, steps[op_name], run)
    chosen = plan.divisions.get(op_name, Division()).factors
    found = maker.candidates(tuple(_menus(maker.space, chosen, problem.device.cores)), chosen)
    found.sort(key=maker.rank)
    kept = found[:MOST]
    return tuple(kept if any(one.chosen for one in kept) else (*kept, *(one for one in found if one.chosen)))


class _Maker:
    """Prices divisions of one step; what does not depend on the division is worked out once."""

    def __init__(self, setting: Setting, step: Step, run: tuple[str, ...]) -> None:
        self.setting, self.step, self.device = setting, step, setting.device
        self.inside, self.lone = setting.written(run), len(run) == 1
        self.space = space_of(step.op, setting.schedule, setting.layouts)
        self.roles = matmul_roles(self.space)
        self.reaches: tuple[Reach, ...] = reaches_of(step.op, setting.schedule, setting.layouts)
        self.general = largest_first(self.space, self.device.cores)

    def candidates(self, menu: tuple[frozendict[str, int], ...], chosen: Mapping[str, int]) -> list[Candidate]:
        """A candidate for all factors of a menu."""
        divisions = [self.space.division(factors) for factors in menu]
        costs = self.setting.menu(self.step, divisions, self.inside, self.lone)
        rows = zip(menu, divisions, costs, strict=True)
        return [self._candidate(factors, division, cost, factors == chosen) for factors, division, cost in rows]

    def _candidate(self, factors: frozendict[str, int], division: Division, cost: StepCost, chosen: bool) -> Candidate:
        wide = widest(self.reaches, division)
        why = objection(self.space, factors, self.device) if factors else ""
        over = wide is not None and wide[1] > self.device.span_limit_bytes
        beyond = None if why else excess(self.space, self.reaches if over else (), division, self.device)
        why = why or (str(beyond) if beyond else "")
        ranking = self._ranking(division)
        return Candidate(
            factors=factors,
            legal=not why,
            why_not=why,
            total_us=cost.total_us,
            terms=cost.terms,
            cores=division.cores,
            span_bytes=wide[1] if wide else 0,
            chosen=chosen,
            points=math.fsum(term.microseconds for term in ranking),
            ranking=ranking,
        )

    def rank(self, one: Candidate) -> tuple[bool, float, bool, int, tuple[int, ...]]:
        """Sorting key; of candidates that take the same time the chosen one comes first."""
        apart = tuple(abs(one.factors.get(name, 1) - factor) for name, factor in self.general.items())
        return (not one.legal, round(one.total_us, 6), not one.chosen, -one.cores, apart)

    def _ranking(self, division: Division) -> tuple[CostTerm, ...]:
        if self.roles is None:
            return ()
        work = contraction_of(self.space, self.roles, self.setting.layouts)
        return terms(self.device, work, cut_of(self.roles, division.factors), EXECUTION + PREFERENCE)


def _menus(space: Space, chosen: Mapping[str, int], cores: int) -> Iterator[frozendict[str, int]]:
    """Factors above 1: every whole division within the cores, blocked loops one at a time, and the chosen division."""
    seen = {frozendict(chosen)}
    yield frozendict(chosen)
    if space.op.kind is OpKind.OPAQUE:
        return
    menus = [[(axis.name, factor) for factor in axis.factors(cores)] for axis in space.axes]
    blocked = ([(axis.name, factor) for factor in _anyhow(axis, cores)] for axis in space.axes if axis.blocked)
    for combination in (*product(*menus), *((item,) for row in blocked for item in row)):
        factors = frozendict({name: factor for name, factor in combination if factor > 1})
        if factors not in seen and math.prod(factors.values()) <= cores:
            seen.add(factors)
            yield factors


def _anyhow(axis: Axis, cores: int) -> tuple[int, ...]:
    """Factors of a blocked loop as if it were free: shown with the reason that blocks them."""
    return replace(axis, blocked="").factors(cores)[1:]
