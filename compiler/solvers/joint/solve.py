"""Solve: a JointProblem asked of CP-SAT once.

Owns the parameters that make the answer the same on every machine: time is the solver's own deterministic measure, and
the clock only stops what takes far too long.  Refuses to cut problems into parts.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from compiler.solvers.cp_sat import require
from compiler.solvers.joint.clock import Clock
from compiler.solvers.joint.model import JointModel
from compiler.solvers.joint.problem import Answer, JointProblem
from compiler.solvers.joint.room import Room
from compiler.solvers.joint.tables import Weights

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

ASKED_EVERY_S = 0.1
Told = Callable[[float, float], bool]
"""Objective and bound (us) -> whether to end with that."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Deterministic seconds to spend, and the moment (monotonic clock) at which all ends.  A bound of `enough_us` ends
    it as well, and so does `over`, which is asked a few times a second; what it raises is raised by `solve`."""

    work: float
    until: float
    seed: int = 0
    enough_us: float = inf
    over: Callable[[], bool] | None = None


@dataclass(frozen=True, slots=True)
class Solution:
    """An answer with what the model counts for it and what it proved no answer to count less than (us)."""

    answer: Answer
    objective_us: float
    bound_us: float
    optimal: bool
    work: float
    states: int


def solve(
    problem: JointProblem,
    start: Answer,
    limits: Limits,
    weights: Weights | None = None,
    told: Told | None = None,
    settled_us: float | None = None,
) -> Solution | None:
    """The best answer found, at least as good as the start if that is allowed; None if time ran out before any.  Where
    only a bound was asked for, the start may be all there is.

    Without `weights` what is counted is the time of all kernels, else the weighted sum of all that is counted, which
    is no more than the time of all kernels if the weights add up to one.  With `settled_us` the
    time is to be no more than that, and compute and memory are counted together: what is hidden behind what.
    """
    require()
    made = JointModel(problem, start, weights)
    Room(made).build()
    clock = Clock(made)
    clock.build()
    if settled_us is None:
        made.model.minimize(clock.expression())
    else:
        made.model.add(
            clock.expression() <= max(made.value(clock.total) + clock.constant, int(settled_us * made.units_per_us))
        )
        made.model.minimize(clock.hidden())
    for index, value in made.hints.items():
        made.model.add_hint(made.model.get_int_var_from_proto_index(index), value)
    return _answered(made, limits, told)


def _answered(made: JointModel, limits: Limits, told: Told | None) -> Solution | None:
    from ortools.sat.python import cp_model

    solver = _solver(limits, made.units_per_us)
    with _Guard(solver, limits.over):
        status = solver.solve(made.model, _teller(told, made.units_per_us) if told else None)
    response = solver.response_proto
    slack = len(made.problem.tasks) + len(
        made.problem.items
    )  # each figure is rounded to half a unit, the bound is to be sure
    if status == cp_model.UNKNOWN and limits.enough_us < inf:
        bound = (solver.best_objective_bound - slack) / made.units_per_us
        return Solution(made.start, inf, bound, False, response.deterministic_time, solver.num_branches)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None
    values = dict(enumerate(response.solution))
    return Solution(
        made.answer(values),
        solver.objective_value / made.units_per_us,
        (solver.best_objective_bound - slack) / made.units_per_us,
        status == cp_model.OPTIMAL,
        response.deterministic_time,
        solver.num_branches,
    )


def _solver(limits: Limits, units_per_us: int) -> cp_model.CpSolver:
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.catch_sigint_signal = False  # it would end the process where a thread of ours solves
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = limits.seed
    solver.parameters.presolve_inclusion_work_limit = 0  # else 9.15 proves wrong optima (or-tools 5293)
    solver.parameters.symmetry_level = 0  # this and the next cost more than they gain here
    solver.parameters.cp_model_probing_level = 0
    solver.parameters.linearization_level = 2  # views are classes, so that the linear relaxation is nearly exact
    solver.parameters.cut_level = 0
    solver.parameters.max_deterministic_time = limits.work
    solver.parameters.max_time_in_seconds = max(0.01, limits.until - time.monotonic())
    if limits.enough_us < inf:

        def bounded(bound: float) -> None:
            if bound / units_per_us >= limits.enough_us:
                solver.stop_search()

        solver.best_bound_callback = bounded
    return solver


class _Guard:
    """Ends a solver while it works, as soon as somebody says that it is over."""

    def __init__(self, solver: cp_model.CpSolver, over: Callable[[], bool] | None) -> None:
        self._solver, self._over = solver, over
        self._done = threading.Event()
        self._raised: BaseException | None = None
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> None:
        if self._over is not None:
            self._thread.start()

    def __exit__(self, *_ended: object) -> None:
        self._done.set()
        if self._over is not None:
            self._thread.join()
        if self._raised is not None:
            raise self._raised

    def _watch(self) -> None:
        assert self._over is not None
        try:
            while not self._done.wait(ASKED_EVERY_S):
                if self._over():
                    self._solver.stop_search()
        except BaseException as error:  # noqa: BLE001  it is raised where the answer was waited for
            self._raised = error
            self._solver.stop_search()


def _teller(told: Told, units_per_us: int) -> cp_model.CpSolverSolutionCallback:
    """Tells of every answer that the solver finds, and ends it when asked to."""
    from ortools.sat.python import cp_model

    class Teller(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            """A better answer was found."""
            if told(self.objective_value / units_per_us, self.best_objective_bound / units_per_us):
                self.stop_search()

    return Teller()
