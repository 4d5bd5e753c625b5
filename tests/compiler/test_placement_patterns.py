"""The published allocation patterns: who leaves no more traffic than the plan a person found.

P4 and P5 need a buffer to be thrown out and loaded again, or moved.  That no constant addresses can reach those plans
is proved here by CP-SAT's bound; with eviction every solver reaches them.
"""

import pytest

from compiler.solvers.eviction import evict
from compiler.solvers.placement import Effort, Status
from compiler.solvers.table import SOLVERS
from tests.compiler.placement_cases import faults, stay_faults
from tests.compiler.placement_patterns import EVICTING, KEPT_IN_PLACE, LX, STICK, Pattern

PATTERN = pytest.mark.parametrize("pattern", KEPT_IN_PLACE, ids=lambda pattern: pattern.name)
EVICTION = pytest.mark.parametrize("pattern", EVICTING, ids=lambda pattern: pattern.name)


def test_sizes_are_those_of_the_card() -> None:
    assert (LX, STICK) == (1_625_344, 128)
    sizes = {pattern.name: pattern.sizes for pattern in (*KEPT_IN_PLACE, *EVICTING)}
    assert (sizes["P1"]["A"], sizes["P1"]["C"]) == (541_696, 2 * 541_696)
    assert (sizes["P2"]["A1"], sizes["P2"]["B7"]) == (46_336, 7 * 46_336)
    assert (sizes["P3"]["Z"], sizes["P3"]["A1"]) == (95_488, 5 * 95_488)
    assert (sizes["P7"]["hidden"], sizes["P7"]["lists"], sizes["P7"]["M1_HBM0"]) == (393_216, 7_680, 262_144)


@PATTERN
def test_the_plan_is_legal_and_leaves_the_listed_traffic(pattern: Pattern) -> None:
    problem = pattern.problem
    assert {one.name for one in problem.requests} == set(pattern.plan)
    assert faults(problem, pattern.plan) == []
    assert pattern.traffic(pattern.plan) == pattern.good
    peak = max(at + pattern.sizes[name] for name, at in pattern.plan.items())
    assert peak == (pattern.peak or peak) <= LX


@PATTERN
@pytest.mark.parametrize("solver", ["first-fit", "best-fit", "annealing", "cp-sat"])
def test_no_more_traffic_than_the_plan(pattern: Pattern, solver: str) -> None:
    found = SOLVERS[solver](pattern.problem, Effort())
    assert faults(pattern.problem, found.addresses) == []
    assert pattern.traffic(found.addresses) <= pattern.good
    assert (found.objective, found.bound, found.status) == (0, 0, Status.OPTIMAL)


@pytest.mark.parametrize("pattern", [*KEPT_IN_PLACE[:3], *EVICTING], ids=lambda pattern: pattern.name)
def test_the_greedy_sweep_does_not_reach_the_plan(pattern: Pattern) -> None:
    found = SOLVERS["greedy"](pattern.problem, Effort())
    assert faults(pattern.problem, found.addresses) == []
    assert pattern.traffic(found.addresses) > pattern.good


@EVICTION
@pytest.mark.parametrize("solver", SOLVERS)
def test_without_eviction_nobody_can_reach_the_plan(pattern: Pattern, solver: str) -> None:
    found = SOLVERS[solver](pattern.problem, Effort())
    assert faults(pattern.problem, found.addresses) == []
    assert pattern.traffic(found.addresses) > pattern.good
    best = SOLVERS["cp-sat"](pattern.problem, Effort())
    assert best.status is Status.OPTIMAL
    outside = pattern.traffic({one.name: 0 for one in pattern.problem.requests})
    assert outside + best.bound > pattern.good, "no constant addresses do"


@pytest.mark.parametrize("pattern", [*KEPT_IN_PLACE, *EVICTING], ids=lambda pattern: pattern.name)
@pytest.mark.parametrize("solver", SOLVERS)
def test_with_eviction_everybody_reaches_the_plan(pattern: Pattern, solver: str) -> None:
    found = evict(pattern.problem, pattern.kept, SOLVERS[solver], Effort())
    assert stay_faults(pattern.problem, found) == []
    assert pattern.traffic_of(found) <= pattern.good
    assert (found.objective, found.bound, found.status) == (0, 0, Status.OPTIMAL)


def test_traffic_of_the_best_constant_addresses() -> None:
    """P4 loses the three accesses of B; P5 keeps B and the one A that fits beside it, and loses ten of each other A."""
    first, second = (pattern.traffic(SOLVERS["cp-sat"](pattern.problem, Effort()).addresses) for pattern in EVICTING)
    assert first == (9 + 3) * LX
    assert second == (9 + 16 + 2 * 10) * EVICTING[1].sizes["A0"]
