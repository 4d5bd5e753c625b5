"""How many moves are on offer: all in small programs, and where they are not, the plan says of what it is the best."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

import compiler.joint.kept as kept_module
import compiler.joint.offers as offers_module
from compiler.audit import audit
from compiler.compilation import Compilation
from compiler.device import load_device
from compiler.loops import LoopProgram
from compiler.passes.co_optimize import CoOptimize
from compiler.pipeline import compile_problem
from compiler.plan import EditKind
from compiler.solver_status import NOT_ALL, ON_OFFER, OPTIMAL, partly_offered, with_offer
from tests.compiler.joint.drawn_programs import GRAPH, spec
from tests.compiler.joint.grounds import field_of
from tests.programs import attention, problem_of, softmax


def solved(program: LoopProgram, solver: str = "cp-sat") -> Compilation:
    return compile_problem(GRAPH, problem_of(program), pipeline=spec(solver, 10.0))


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every program counts as large."""
    monkeypatch.setattr(kept_module, "_LATEST", [])
    monkeypatch.setattr(offers_module, "SMALL", 0)


def test_in_small_programs_the_best_plan_is_the_best_of_all_moves() -> None:
    found = solved(attention())
    assert found.cost.total_us == pytest.approx(48.794, abs=5e-4)
    assert found.solver.status == OPTIMAL
    assert not partly_offered(found.plan)


@pytest.mark.usefixtures("large")
def test_in_large_ones_it_is_called_the_best_of_what_was_on_offer() -> None:
    found = solved(attention())
    assert found.cost.total_us > 48.795, "more was on offer than is told"
    assert (found.solver.status, found.solver.gap) == (ON_OFFER, 0)
    assert found.plan.reasons["pass:co-optimize"].endswith(NOT_ALL)


@pytest.mark.usefixtures("large")
def test_an_audit_knows_the_one_from_the_other() -> None:
    found = solved(softmax())
    assert found.solver.status == ON_OFFER
    assert all(verdict.ok for verdict in audit(found))
    other = replace(found, solver=replace(found.solver, status=OPTIMAL))
    (fault,) = (verdict for verdict in audit(other) if not verdict.ok)
    assert "'optimal', which its claims do not bear out" in fault.violations[0]


@pytest.mark.usefixtures("large")
def test_without_a_bound_nothing_is_told_of_it() -> None:
    found = solved(softmax(), "greedy")
    assert found.solver.status == "heuristic"
    assert not partly_offered(found.plan)


def test_a_bound_that_was_taken_over_stays_one_of_what_was_on_offer() -> None:
    found, who = solved(softmax()).plan, CoOptimize.name
    told = with_offer(found, who, whole=False)
    assert partly_offered(told)
    assert with_offer(told, who, whole=False) == told
    assert with_offer(found, who, whole=True) == found
    bare = replace(found, claims=found.claims.set(who, replace(found.claims[who], bound=0)))
    assert with_offer(bare, who, whole=False) == bare


@pytest.mark.parametrize(("small", "most"), [(30, 41), (0, 6)])
def test_an_edge_has_so_many_destinations(monkeypatch: pytest.MonkeyPatch, small: int, most: int) -> None:
    monkeypatch.setattr(kept_module, "_LATEST", [])
    monkeypatch.setattr(offers_module, "SMALL", small)
    ground = field_of(attention(), load_device("spyre")).ground
    edges: Counter[tuple[str, int]] = Counter()
    for item in ground.problem.items:
        relaid = [copy for copy in item.copies if copy.kind is EditKind.RELAYOUT]
        edges.update((item.name, reader) for copy in relaid for reader in copy.readers)
    assert max(edges.values()) == most
    assert ground.whole == (small > 0)


def test_nothing_is_missed_where_no_moves_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offers_module, "SMALL", 0)
    ground = field_of(attention(), load_device("spyre"), moves=False).ground
    assert ground.whole
    assert ground.offers == ((),) * len(ground.problem.items)
