"""CP-SAT: placement as rectangles of steps × bytes, with the best answer proved where time allows (facts 4.6, 5.3).

Owns the model and the only import of OR-Tools, which is loaded when it is asked for.  Refuses to depend on the clock:
time is counted by the solver's own deterministic measure, with one worker and a fixed seed; the clock only stops a
machine that is far slower than that measure, and then the answer says so.

Each region is asked twice at most.  First without addresses: bytes alive per step against the capacity, whose optimum
nothing can beat.  If its buffers can be packed, that is proved to be the best; only otherwise are residency and
addresses decided together.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING

from frozendict import frozendict

from compiler.errors import StudioError
from compiler.solvers.fit import fit
from compiler.solvers.placement import Effort, Placed, PlacementProblem, Status, bytes_lost, weight_lost
from compiler.solvers.regions import by_region
from compiler.solvers.request import Request

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

WORKERS = 1
PACK_SHARE = 0.5  # of the time left: to find that there is no packing can take for ever
CLOCK_FACTOR, CLOCK_SECONDS = 2.0, 1.0  # the clock stops what takes so many times its seconds and so many more
ROUNDING = 1e-3


class SolverMissingError(StudioError):
    """OR-Tools is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "solver cp-sat",
            "OR-Tools, which it stands on, is not installed",
            "install the package ortools, or use best-fit or annealing",
        )


def cp_sat(problem: PlacementProblem, effort: Effort) -> Placed:
    """The best placement, proved where the seconds suffice; never worse than best fit.

    Raises SolverMissingError without OR-Tools.
    """
    _require()
    return by_region(problem, effort, _search)


def _require() -> None:
    try:
        from ortools.sat.python import cp_model as loaded
    except ImportError as error:
        raise SolverMissingError from error
    assert loaded is not None


@dataclass(slots=True)
class _Budget:
    """Deterministic seconds that are left, and the moment at which the clock stops all."""

    seed: int
    left: float
    until: float
    branches: int = 0
    clock: bool = False


def _search(region: PlacementProblem, start: Placed, effort: Effort) -> Placed:
    wall = time.monotonic() + CLOCK_FACTOR * effort.seconds + CLOCK_SECONDS
    budget = _Budget(effort.seed, effort.seconds, wall)
    hint = start.addresses
    loads = _Model(region, with_addresses=False)
    loads.hint(hint)
    chosen = loads.solve(budget)
    bound = loads.bound
    best = hint
    if chosen is not None:
        packed = _pack(region, chosen, budget)
        best = packed if packed is not None and weight_lost(region, packed) < weight_lost(region, hint) else hint
    if weight_lost(region, best) > bound:
        both = _Model(region, with_addresses=True)
        both.hint(best)
        found = both.solve(budget)
        bound = max(bound, both.bound)
        if found is not None and weight_lost(region, found) < weight_lost(region, best):
            best = _calm(region, found)
    return _answer(region, best, bound, start, budget)


def _answer(region: PlacementProblem, best: frozendict[str, int], bound: int, start: Placed, budget: _Budget) -> Placed:
    """The claim in bytes: of the answers that keep as many pins, none loses fewer than the bound."""
    lost, weight = bytes_lost(region, best), weight_lost(region, best)
    least = lost if bound >= weight else max(start.bound, bound - (weight - lost), 0)
    open_ = Status.CLOCK if budget.clock else Status.LIMIT
    return Placed(best, lost, min(lost, least), Status.OPTIMAL if least >= lost else open_, budget.branches)


def _pack(region: PlacementProblem, chosen: frozendict[str, int], budget: _Budget) -> frozendict[str, int] | None:
    """Addresses for all of the chosen, by best fit or else by search; None where there are none, or no time."""
    part = region.among(chosen)
    calm = fit(part.requests, part.capacity, part.alignment)
    if len(calm) == len(chosen):
        return calm
    model = _Model(part, with_addresses=True)
    model.require_all()
    model.hint(calm)
    return model.solve(budget, PACK_SHARE)


def _calm(region: PlacementProblem, found: frozendict[str, int]) -> frozendict[str, int]:
    """Where best fit finds room for the same buffers, its addresses: they do not depend on the way of the search."""
    part = region.among(found)
    calm = fit(part.requests, part.capacity, part.alignment)
    return calm if len(calm) == len(found) else found


@dataclass(slots=True)
class _Model:
    """A region as a model: who is resident, who takes whose place, and, with addresses, who lies where.

    Addresses and heights are in units of the alignment.
    """

    region: PlacementProblem
    with_addresses: bool
    model: cp_model.CpModel = field(init=False)
    resident: dict[str, cp_model.IntVar] = field(init=False, default_factory=dict)
    at: dict[str, cp_model.IntVar] = field(init=False, default_factory=dict)
    merged: dict[tuple[str, str], cp_model.IntVar] = field(init=False, default_factory=dict)
    alone: dict[str, cp_model.IntVar] = field(init=False, default_factory=dict)
    solver: cp_model.CpSolver | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        from ortools.sat.python import cp_model

        self.model = cp_model.CpModel()
        for one in self.region.requests:
            self.resident[one.name] = self.model.new_bool_var("")
            if one.size > self.region.capacity:
                self.model.add(self.resident[one.name] == 0)
            if self.with_addresses:
                top = max(0, self.region.capacity - one.size) // self.region.alignment
                self.at[one.name] = self.model.new_int_var(0, top, "")
        self._merges()
        self._loads()
        if self.with_addresses:
            self._rectangles()
        self.model.minimize(sum(self._weight(one) * (1 - self.resident[one.name]) for one in self.region.requests))

    def _weight(self, one: Request) -> int:
        return one.saves + self.region.pin_weight * one.pinned

    def _merges(self) -> None:
        """A child may take the place of one parent, a parent may give its place to one child."""
        given: dict[str, list[cp_model.IntVar]] = {}
        for child in self.region.requests:
            taken: list[cp_model.IntVar] = []
            for name in self.region.parents(child):
                merge = self.merged[name, child.name] = self.model.new_bool_var("")
                self.model.add_implication(merge, self.resident[name])
                self.model.add_implication(merge, self.resident[child.name])
                if self.with_addresses:
                    self.model.add(self.at[name] == self.at[child.name]).only_enforce_if(merge)
                taken.append(merge)
                given.setdefault(name, []).append(merge)
            self._alone(child, taken)
            self.model.add_at_most_one(taken)
        for one in self.region.requests:
            gives = given.get(one.name, [])
            self.model.add_at_most_one(gives)
            if one.span == 1 and gives:  # three in one place at one step would be two too many
                takes = [merge for (_, child), merge in self.merged.items() if child == one.name]
                self.model.add_at_most_one([*gives, *takes])

    def _alone(self, child: Request, taken: list[cp_model.IntVar]) -> None:
        """Whether a buffer needs bytes of its own at its first step: resident, and in nobody's place."""
        if not taken:
            self.alone[child.name] = self.resident[child.name]
            return
        alone = self.alone[child.name] = self.model.new_bool_var("")
        self.model.add(alone + sum(taken) == self.resident[child.name])

    def _loads(self) -> None:
        """Bytes alive at a step fit; only steps at which somebody is born can be the worst."""
        capacity = self.region.height(self.region.capacity)
        asked = self.region.requests
        for step in sorted({one.start for one in asked} | {one.start + 1 for one in asked if one.span > 1}):
            alive = [(self._present(one, step), self.region.height(one.size)) for one in asked if _alive(one, step)]
            if sum(height for _, height in alive) > capacity:
                self.model.add(sum(height * present for present, height in alive) <= capacity)

    def _present(self, one: Request, step: int) -> cp_model.IntVar:
        return self.alone[one.name] if step == one.start else self.resident[one.name]

    def _rectangles(self) -> None:
        """No two rectangles overlap; that of a child in another's place begins a step later."""
        steps: list[cp_model.IntervalVar] = []
        spans: list[cp_model.IntervalVar] = []
        for one in self.region.requests:
            height, at = self.region.height(one.size), self.at[one.name]
            whole = self.alone[one.name] is self.resident[one.name]
            cuts = ((one.start, one.end),) if whole else ((one.start, one.start + 1), (one.start + 1, one.end))
            for low, high in cuts:
                if low < high:
                    present = self._present(one, low)
                    steps.append(self.model.new_optional_fixed_size_interval_var(low, high - low, present, ""))
                    spans.append(self.model.new_optional_fixed_size_interval_var(at, height, present, ""))
        self.model.add_no_overlap_2d(steps, spans)

    def require_all(self) -> None:
        """Every buffer has to be resident: the question is only where."""
        for present in self.resident.values():
            self.model.add(present == 1)

    def hint(self, addresses: frozendict[str, int]) -> None:
        """Start from this answer; all variables are told, otherwise it is not taken up."""
        taken: set[str] = set()
        for (parent, child), merge in self.merged.items():
            together = parent in addresses and addresses.get(child) == addresses[parent]
            self.model.add_hint(merge, together)
            taken |= {child} if together else set()
        for name, resident in self.resident.items():
            self.model.add_hint(resident, name in addresses)
            if self.alone[name] is not resident:
                self.model.add_hint(self.alone[name], name in addresses and name not in taken)
            if self.with_addresses:
                self.model.add_hint(self.at[name], addresses.get(name, 0) // self.region.alignment)

    def solve(self, budget: _Budget, share: float = 1.0) -> frozendict[str, int] | None:
        """Address of every resident buffer (0 in a model without addresses); None if none was found in time."""
        from ortools.sat.python import cp_model

        seconds = budget.until - time.monotonic()
        if budget.left <= 0 or seconds <= 0:
            return None
        solver = self.solver = cp_model.CpSolver()
        solver.parameters.num_workers = WORKERS
        solver.parameters.random_seed = budget.seed
        solver.parameters.max_deterministic_time = share * budget.left
        solver.parameters.max_time_in_seconds = seconds
        status = solver.solve(self.model)
        budget.left -= solver.response_proto.deterministic_time
        budget.branches += solver.num_branches
        budget.clock |= time.monotonic() >= budget.until
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return None
        names = [name for name, present in self.resident.items() if solver.boolean_value(present)]
        unit = self.region.alignment
        return frozendict((name, solver.value(self.at[name]) * unit if self.with_addresses else 0) for name in names)

    @property
    def bound(self) -> int:
        """Weight that is lost in any case, as far as the last solve proved it; weights are whole, floats nearly so."""
        return 0 if self.solver is None else max(0, ceil(self.solver.best_objective_bound - ROUNDING))


def _alive(one: Request, step: int) -> bool:
    return one.start <= step < one.end
