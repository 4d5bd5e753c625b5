"""CP-SAT: placement as a model of residents, take-overs and rectangles of steps × bytes (facts 4.6, 5.3).

Owns the model and the only import of OR-Tools, which is loaded when it is asked for.  Refuses strategy: what is asked
in which order is for `compiler.solvers.exact`.  Time is counted by the solver's own deterministic measure, with one
worker and a fixed seed; the clock only stops a machine that is far slower than that, and then the answer says so.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING

from frozendict import frozendict

from compiler.errors import StudioError
from compiler.solvers.placement import PlacementProblem
from compiler.solvers.request import Request

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

WORKERS = 1
BUILDING = 2e-4  # deterministic seconds that a buffer of a model counts before the search: to build it takes time, too
ROUNDING = 1e-3  # weights are whole; the solver tells its bound as a float


class SolverMissingError(StudioError):
    """OR-Tools is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "solver cp-sat",
            "OR-Tools, which it stands on, is not installed",
            "install the package ortools, or use best-fit or annealing",
        )


def require() -> None:
    """SolverMissingError without OR-Tools."""
    try:
        from ortools.sat.python import cp_model as loaded
    except ImportError as error:
        raise SolverMissingError from error
    assert loaded is not None


@dataclass(slots=True)
class Budget:
    """Deterministic seconds in all and left, and the moment at which the clock stops everything."""

    seed: int
    whole: float
    left: float
    until: float
    branches: int = 0
    clock: bool = False

    @property
    def spent(self) -> bool:
        """True when there is no time left of either kind."""
        self.clock |= time.monotonic() >= self.until
        return self.clock or self.left <= 0


@dataclass(slots=True)
class Model:
    """A region as a model: who is resident, who takes whose place, and, with addresses, who lies where.

    Without addresses it asks less: bytes alive at each step fit.  Its optimum is a bound that no placement beats.
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

    def fix(self, addresses: Mapping[str, int]) -> None:
        """These buffers are resident, and there."""
        for name, address in addresses.items():
            self.model.add(self.resident[name] == 1)
            self.model.add(self.at[name] == address // self.region.alignment)

    def hint(self, addresses: Mapping[str, int]) -> None:
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

    def solve(self, budget: Budget, share: float = 1.0) -> frozendict[str, int] | None:
        """Address of every resident buffer (0 without addresses); None if `share` of the whole time found none."""
        from ortools.sat.python import cp_model

        if budget.spent:
            return None
        solver = self.solver = cp_model.CpSolver()
        solver.parameters.catch_sigint_signal = False  # it would end the process where a thread of ours solves
        solver.parameters.num_workers = WORKERS
        solver.parameters.random_seed = budget.seed
        solver.parameters.presolve_inclusion_work_limit = 0  # else 9.15 proves wrong optima (or-tools 5293)
        solver.parameters.max_deterministic_time = min(budget.left, share * budget.whole)
        solver.parameters.max_time_in_seconds = max(0.01, budget.until - time.monotonic())
        status = solver.solve(self.model)
        budget.left -= solver.response_proto.deterministic_time + BUILDING * len(self.region.requests)
        budget.branches += solver.num_branches
        budget.clock |= time.monotonic() >= budget.until
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return None
        names = [name for name, present in self.resident.items() if solver.boolean_value(present)]
        unit = self.region.alignment
        return frozendict((name, solver.value(self.at[name]) * unit if self.with_addresses else 0) for name in names)

    @property
    def impossible(self) -> bool:
        """True if the last solve proved that there is no answer."""
        from ortools.sat.python import cp_model

        return self.solver is not None and self.solver.response_proto.status == cp_model.INFEASIBLE

    @property
    def bound(self) -> int:
        """Weight that is lost in any case, as far as the last solve proved it; weights are whole, floats nearly so."""
        return 0 if self.solver is None else max(0, ceil(self.solver.best_objective_bound - ROUNDING))


def _alive(one: Request, step: int) -> bool:
    return one.start <= step < one.end
