"""CP-SAT against an enumeration of 500 small problems; every solver against the rules and its own bound."""

from random import Random

import pytest

from compiler.solvers.placement import Effort, PlacementProblem, Status, least_lost
from compiler.solvers.table import SOLVERS
from tests.compiler.placement_cases import best_of_all, faults, lost_by, random_problem

PER_TEST = 20
EFFORT = Effort(seed=1, seconds=2.0)


def small(seed: int) -> PlacementProblem:
    return random_problem(Random(f"small {seed}"), 8, 6, 8, pins=0.1 if seed % 4 == 0 else 0.0)


@pytest.mark.parametrize("first", range(0, 500, PER_TEST))
def test_cp_sat_equals_the_enumeration(first: int) -> None:
    for seed in range(first, first + PER_TEST):
        problem = small(seed)
        best = best_of_all(problem)
        found = SOLVERS["cp-sat"](problem, EFFORT)
        assert faults(problem, found.addresses) == [], seed
        assert lost_by(problem, found.addresses) == best, seed
        assert (found.objective, found.bound, found.status) == (best[1], best[1], Status.OPTIMAL), seed


@pytest.mark.parametrize("solver", [name for name in SOLVERS if name != "cp-sat"])
def test_the_others_are_legal_and_claim_no_more_than_is_true(solver: str) -> None:
    proved = 0
    for seed in range(150):
        problem = small(seed)
        best = best_of_all(problem)
        found = SOLVERS[solver](problem, EFFORT)
        assert faults(problem, found.addresses) == [], seed
        assert lost_by(problem, found.addresses) >= best, seed
        assert found.objective == lost_by(problem, found.addresses)[1]
        assert (found.status is Status.OPTIMAL) <= (lost_by(problem, found.addresses) == best), seed
        assert least_lost(problem) <= found.objective, seed
        assert found.bound <= best[1], seed
        proved += found.status is Status.OPTIMAL
    assert 10 <= proved < 150, "some optima are proved without a search, not all"


def test_the_problems_say_something() -> None:
    """Best fit is often beaten, places are taken over, and some optima need more than a capacity at each step."""
    beaten = taken = loose = 0
    for seed in range(150):
        problem = small(seed)
        best, found = best_of_all(problem), SOLVERS["cp-sat"](problem, EFFORT)
        beaten += lost_by(problem, SOLVERS["best-fit"](problem, EFFORT).addresses) > best
        where = found.addresses
        taken += any(where.get(name, -1) == where.get(one.name, -2) for one in problem.requests for name in one.parents)
        loose += least_lost(problem) < best[1]
    assert beaten >= 50
    assert taken >= 20
    assert loose >= 50


@pytest.mark.parametrize("solver", ["annealing", "cp-sat"])
def test_searches_are_never_worse_than_best_fit_and_repeat_themselves(solver: str) -> None:
    better = 0
    for seed in range(12):
        problem = random_problem(Random(f"large {seed}"), 40, 40, 60, pins=0.05)
        found, start = SOLVERS[solver](problem, EFFORT), SOLVERS["best-fit"](problem, EFFORT)
        assert faults(problem, found.addresses) == [], seed
        assert lost_by(problem, found.addresses) <= lost_by(problem, start.addresses), seed
        assert SOLVERS[solver](problem, EFFORT) == found, seed
        better += found.objective < start.objective
    assert better >= 6


def test_annealing_depends_on_its_seed_only_by_the_way_it_takes() -> None:
    problem = random_problem(Random("seeds"), 60, 30, 60)
    found = {SOLVERS["annealing"](problem, Effort(seed, 1.0)).objective for seed in range(6)}
    least = SOLVERS["cp-sat"](problem, EFFORT)
    assert least.status is Status.OPTIMAL
    assert all(objective >= least.objective for objective in found)
