"""The choice of layouts on 300 random programs: the optimum, what the beam finds, and an enumeration of small ones."""

from __future__ import annotations

import math
from functools import cache

import pytest

from compiler.errors import UnsupportedError
from compiler.passes.assign_layouts import AssignLayouts
from compiler.passes.insert_restickify import InsertRestickify
from compiler.plan import Claim, Plan
from compiler.problem import Problem
from tests.compiler.legal_enumeration import least_legal_cost, suits
from tests.compiler.stick_enumeration import least_cost
from tests.programs import problem_of
from tests.stick_graphs import (
    DISPUTED,
    PLANNED,
    SEEDS,
    TINY_SEEDS,
    StickGraph,
    disputed_graph,
    stick_graph,
    tiny_graph,
)

PER_TEST = 15
SMALL = 16
ENUMERATED = 6
STARTS = SEEDS[::PER_TEST]


def planned(graph: StickGraph, method: str, width: int = 200, copies: str = "shared") -> tuple[Problem, Plan] | None:
    """Problem and plan of a graph with its layouts; None if it is refused."""
    problem = problem_of(graph.program)
    empty = Plan(graph.program.name, problem.device.name, problem.device.cores, "")
    assign = AssignLayouts(method=method, weights=graph.weights, copies=copies, width=width)
    try:
        return problem, assign(problem, empty)
    except UnsupportedError:
        return None


def claimed(graph: StickGraph, method: str, width: int = 200, copies: str = "shared") -> Claim | None:
    """What a method claims for a graph; None if it is refused."""
    made = planned(graph, method, width, copies)
    return None if made is None else made[1].claims["assign-layouts"]


@cache
def optimum(seed: int) -> Claim | None:
    """What the exact method claims."""
    return claimed(stick_graph(seed), "exact")


def seeds(first: int) -> range:
    return SEEDS[first : first + PER_TEST]


@pytest.mark.parametrize("first", STARTS)
@pytest.mark.parametrize("width", [200, 2])
def test_the_exact_method_is_never_worse_than_a_beam(first: int, width: int) -> None:
    for seed in seeds(first):
        best, beam = optimum(seed), claimed(stick_graph(seed), "beam", width)
        if best is None or beam is None:
            assert beam is None, f"{seed}: refused by the exact method only"
            continue
        assert best.bound <= best.objective <= beam.objective, seed
        assert beam.bound <= best.objective, f"{seed}: no bound of the beam may be above the optimum"


@pytest.mark.parametrize("first", STARTS)
def test_small_programs_are_solved_with_proof(first: int) -> None:
    for seed in seeds(first):
        best = optimum(seed)
        if best is not None and len(stick_graph(seed).program.ops) <= SMALL:
            assert best.gap == 0, seed
            assert best.states > 0


@pytest.mark.parametrize("first", STARTS)
def test_what_is_claimed_is_what_is_copied(first: int) -> None:
    for seed in seeds(first):
        made = planned(stick_graph(seed), "exact")
        if made is None:
            continue
        problem, assigned = made
        plan = InsertRestickify()(problem, assigned)
        copied = sum(math.prod(plan.layouts[edit.source].device_size) for edit in plan.edits)
        assert copied == plan.claims["assign-layouts"].objective, seed


@pytest.mark.parametrize("copies", ["shared", "each"])
@pytest.mark.parametrize("first", STARTS)
def test_small_programs_cost_what_an_enumeration_finds(first: int, copies: str) -> None:
    for seed in seeds(first):
        graph = stick_graph(seed)
        if len(graph.program.ops) <= ENUMERATED:
            assert_least(graph, copies, seed)


@pytest.mark.parametrize("copies", ["shared", "each"])
@pytest.mark.parametrize("first", DISPUTED[::PER_TEST])
def test_disputed_programs_cost_what_an_enumeration_finds(first: int, copies: str) -> None:
    for seed in DISPUTED[first : first + PER_TEST]:
        assert_least(disputed_graph(seed), copies, seed)


def assert_least(graph: StickGraph, copies: str, seed: int) -> None:
    """The exact method agrees with the enumeration, and says so."""
    least = least_cost(problem_of(graph.program), graph.weights, copies)
    if least is None:
        return  # nothing the rules offer at first sight is complete: the pass gives way, or refuses
    claim = claimed(graph, "exact", copies=copies)
    assert claim is not None, seed
    assert (claim.objective, claim.bound) == (least, least), seed


@pytest.mark.parametrize("first", TINY_SEEDS[::PER_TEST])
def test_no_legal_way_is_cheaper(first: int) -> None:
    """No rule hides a way: nothing that is legal by the words of the stick rules costs less, or works where the pass
    refuses."""
    compared = 0
    for seed in TINY_SEEDS[first : first + PER_TEST]:
        graph = tiny_graph(seed)
        least = least_legal_cost(graph.program) if suits(graph.program) else None
        if least is None:
            continue
        claim = claimed(graph, "exact")
        assert claim is not None, seed
        assert claim.objective <= least, seed
        compared += 1
    assert compared >= 5


def test_enough_is_planned_disputed_and_enumerated() -> None:
    """The tests above say something: most programs are planned, most of these cannot do without a copy."""
    found = [(seed, claim) for seed in SEEDS if (claim := optimum(seed)) is not None]
    assert len(found) >= PLANNED
    assert sum(claim.objective > 0 for _, claim in found) >= 200
    small = [seed for seed, _ in found if len(stick_graph(seed).program.ops) <= ENUMERATED]
    assert len(small) >= 60
    narrow = [claimed(stick_graph(seed), "beam", 2) for seed, _ in found[:60]]
    worse = [
        seed for (seed, best), beam in zip(found, narrow, strict=False) if beam and beam.objective > best.objective
    ]
    assert worse, "a beam of two frontiers misses the optimum now and then"
