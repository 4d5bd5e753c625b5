"""Candidates: the divisions an op could have, best first, with what each would cost and what forbids the others.

Owns the list that the division editor shows.  Refuses to decide: the chosen one is whatever the plan says.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product

from frozendict import frozendict

from compiler.contractions import contraction_of, cut_of
from compiler.cost.matmul import EXECUTION, PREFERENCE, terms
from compiler.cost.memory import one_way_us, traffic_of, turnaround_us
from compiler.cost.model import compute_terms
from compiler.device import Device
from compiler.division import Division
from compiler.errors import InputError
from compiler.limits import excess, widest
from compiler.loops import OpKind
from compiler.pinning import nearest, objection
from compiler.plan import Plan
from compiler.price import CostTerm
from compiler.problem import Problem
from compiler.schedule import Schedule, Step, expand
from compiler.spaces import Axis, Space, space_of
from compiler.spans import Reach, reaches_of
from compiler.splits import largest_first, matmul_roles

MOST = 400


@dataclass(frozen=True, slots=True)
class Candidate:
    """One division: factors above 1, whether it is legal (else `why_not`), terms in microseconds and their sum.

    For a matmul that the ranking applies to, the terms are those of the ranking, preference points included.
    `span_bytes` is the largest span of a tensor on one core.
    """

    factors: frozendict[str, int]
    legal: bool
    why_not: str
    total_us: float
    terms: tuple[CostTerm, ...]
    cores: int
    span_bytes: int
    chosen: bool


def candidates(problem: Problem, plan: Plan, op_name: str) -> tuple[Candidate, ...]:
    """Divisions of one step: legal ones first, then by time, more cores, and how close to largest-loop-first they are.

    InputError if there is no such step.  At most MOST are returned; the chosen one is always among them.
    """
    schedule = expand(problem.program, plan)
    if op_name not in schedule.step_map:
        why = f"the program has no such op{nearest(op_name, schedule.step_map)}"
        raise InputError(f"op {op_name}", why, "choose an op of the graph")
    step = schedule.step_map[op_name]
    maker = _Maker(step, schedule, plan, problem.device)
    chosen = plan.divisions.get(op_name, Division()).factors
    found = [
        maker.candidate(factors, factors == chosen) for factors in _menus(maker.space, chosen, problem.device.cores)
    ]
    found.sort(key=maker.rank)
    kept = found[:MOST]
    return tuple(kept if any(one.chosen for one in kept) else (*kept, *(one for one in found if one.chosen)))


class _Maker:
    """Prices divisions of one step; what does not depend on the division is worked out once."""

    def __init__(self, step: Step, schedule: Schedule, plan: Plan, device: Device) -> None:
        self.step, self.schedule, self.plan, self.device = step, schedule, plan, device
        self.space = space_of(step.op, schedule, plan.layouts)
        self.roles = matmul_roles(self.space)
        self.reaches: tuple[Reach, ...] = reaches_of(step.op, schedule, plan.layouts)
        self.general = largest_first(self.space, device.cores)
        self.memory = self._memory_term(Division())

    def candidate(self, factors: Mapping[str, int], chosen: bool) -> Candidate:
        """The candidate with these factors."""
        division = self.space.division(factors)
        wide = widest(self.reaches, division)
        span = wide[1] if wide else 0
        why = objection(self.space, factors, self.device) if factors else ""
        beyond = None if why else excess(self.space, self.reaches, division, self.device)
        why = why or (str(beyond) if beyond else "")
        shown = self._terms(division)
        total = sum(term.microseconds for term in shown) if self.roles else _overlapped(shown)
        return Candidate(frozendict(factors), not why, why, total, shown, division.cores, span, chosen)

    def rank(self, one: Candidate) -> tuple[bool, float, bool, int, tuple[int, ...]]:
        """Sorting key; of candidates that take the same time the chosen one comes first."""
        apart = tuple(abs(one.factors.get(name, 1) - factor) for name, factor in self.general.items())
        return (not one.legal, round(one.total_us, 6), not one.chosen, -one.cores, apart)

    def _terms(self, division: Division) -> tuple[CostTerm, ...]:
        if self.roles is not None:
            work = contraction_of(self.space, self.roles, self.plan.layouts)
            return terms(self.device, work, cut_of(self.roles, division.factors), EXECUTION + PREFERENCE)
        memory = self._memory_term(division) if self.step.op.kind is OpKind.MATMUL else self.memory
        return (*compute_terms(self.space, division, self.plan.layouts, self.device), memory)

    def _memory_term(self, division: Division) -> CostTerm:
        """Only operands of a true bmm are loaded more often under one division than under another."""
        plan = replace(self.plan, divisions=self.plan.divisions.set(self.step.name, division))
        traffic = traffic_of(self.step, self.schedule, plan)
        read, written = traffic.read_bytes, traffic.write_bytes
        time = one_way_us(self.device, read + written) + turnaround_us(self.device, read, written)
        words = "(read + written) at the one-way rate + turnaround of the smaller"
        return CostTerm("device memory", time, words, f"read={read:,} B written={written:,} B")


def _overlapped(shown: tuple[CostTerm, ...]) -> float:
    """The larger of compute and memory time; memory is the last term."""
    return max(sum(term.microseconds for term in shown[:-1]), shown[-1].microseconds)


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
