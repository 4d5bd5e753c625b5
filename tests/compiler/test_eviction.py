"""Eviction: who leaves the scratchpad between two uses, what that costs, and how near the best of all ways it comes."""

import doctest
from itertools import combinations
from random import Random

import pytest

from compiler.solvers import stays as stays_module
from compiler.solvers.eviction import Evicted, evict
from compiler.solvers.placement import Effort, PlacementProblem, Status
from compiler.solvers.request import Request
from compiler.solvers.stays import Kept, least_evicted, request_of, stays_of
from compiler.solvers.table import SOLVERS
from tests.compiler.placement_cases import best_of_all, stay_faults

ALL = pytest.mark.parametrize("solver", SOLVERS)
Ways = dict[str, Kept]


def even(request: Request, rewritten: frozenset[int] = frozenset()) -> Kept:
    """A buffer whose uses cost its size, as do a dump and a reload."""
    return Kept(tuple(request.size for _ in request.uses), request.size, rewritten, not request.computed)


def ways(*requests: Request) -> Ways:
    return {one.name: even(one) for one in requests}


def stays(found: Evicted) -> list[tuple[str, int, int, int]]:
    return [(stay.name, stay.first, stay.last, at) for stay, at in found.stays]


LONG = Request("long", 8, (0, 1, 9, 10, 11), computed=True)
BETWEEN = Request("between", 8, (3, 4, 5, 6), computed=True)


@ALL
def test_a_buffer_leaves_for_another_one_and_comes_back(solver: str) -> None:
    question = PlacementProblem((LONG, BETWEEN), 10)
    found = evict(question, ways(LONG, BETWEEN), SOLVERS[solver], Effort())
    assert stays(found) == [("long", 0, 1, 0), ("long", 9, 11, 0), ("between", 3, 6, 0)]
    assert found.objective == 16, "one dump and one reload"
    assert SOLVERS[solver](question, Effort()).objective > found.objective
    assert found.breaks("long") == (9,)
    assert (found.holds("long", 1), found.holds("long", 2), found.holds("long", 10)) == (True, False, True)


@ALL
def test_what_device_memory_has_anyway_is_not_dumped(solver: str) -> None:
    kept = ways(LONG, BETWEEN) | {"long": Kept((8, 8, 8, 8, 8), 8, in_memory=True)}
    found = evict(PlacementProblem((LONG, BETWEEN), 10), kept, SOLVERS[solver], Effort())
    assert found.objective == 8


@ALL
def test_a_use_that_writes_anew_needs_neither_dump_nor_reload(solver: str) -> None:
    kept = ways(LONG, BETWEEN) | {"long": even(LONG, frozenset({9}))}
    found = evict(PlacementProblem((LONG, BETWEEN), 10), kept, SOLVERS[solver], Effort())
    assert (found.objective, found.bound, found.status) == (0, 0, Status.OPTIMAL)
    assert found.breaks("long") == ()


@ALL
def test_what_is_not_worth_it_stays_whole(solver: str) -> None:
    """To let `once` in saves 2 x 4; to send `long` away and back costs 2 x 8."""
    once = Request("once", 4, (4, 5), computed=True)
    found = evict(PlacementProblem((LONG, once), 10), ways(LONG, once), SOLVERS[solver], Effort())
    assert stays(found) == [("long", 0, 11, 0)]
    assert found.objective == 8


@ALL
def test_pinned_buffers_never_leave(solver: str) -> None:
    pinned = Request("long", 8, LONG.uses, computed=True, pinned=True)
    found = evict(PlacementProblem((pinned, BETWEEN), 10), ways(pinned, BETWEEN), SOLVERS[solver], Effort())
    assert stays(found) == [("long", 0, 11, 0)]


def test_only_those_that_may_be_given_up_are() -> None:
    found = evict(PlacementProblem((LONG, BETWEEN), 10), {}, SOLVERS["cp-sat"], Effort())
    assert stays(found) == [("long", 0, 11, 0)]
    larger = Request("larger", 100, (2, 3, 4), computed=True)
    found = evict(PlacementProblem((LONG, larger), 10), ways(LONG, larger), SOLVERS["best-fit"], Effort())
    assert (stays(found), found.objective, found.bound) == ([("long", 0, 11, 0)], 300, 300)


def test_a_child_takes_the_place_of_the_last_stay() -> None:
    child = Request("child", 8, (11, 12), ("long",), computed=True)
    found = evict(PlacementProblem((LONG, BETWEEN, child), 10), ways(LONG, BETWEEN, child), SOLVERS["cp-sat"], Effort())
    assert stays(found)[-1] == ("child", 11, 12, stays(found)[1][-1])
    assert found.objective == 16


def test_what_a_stay_saves() -> None:
    def worths(kept: Kept, *gaps: int, computed: bool = True) -> list[int]:
        asked = Request("a", 4, (0, 2, 4, 6), computed=computed)
        return [stay.worth for stay in stays_of(asked, kept, frozenset(("a", gap) for gap in gaps))]

    plain = Kept((5, 6, 7, 8), 4)
    assert worths(plain) == [26]
    assert worths(plain, 1) == [11 - 4, 15 - 4], "the first is dumped, the second reloaded"
    assert worths(plain, 0, 2) == [5 - 4, 13 - 4, 8 - 4], "a clean stay is not dumped again"
    assert worths(Kept((5, 6, 7, 8), 4, frozenset({4})), 1) == [11, 15]
    assert worths(Kept((5, 6, 7, 8), 4, in_memory=True), 1, computed=False) == [11, 15 - 4]


# Against all ways


def drawn(rng: Random) -> tuple[PlacementProblem, Ways]:
    """Two to four buffers with two to four uses each, mostly too large to be in the scratchpad together."""
    asked: list[Request] = []
    for number in range(rng.randint(2, 4)):
        uses = tuple(sorted(rng.sample(range(7), rng.randint(2, 4))))
        ending = [one.name for one in asked if one.uses[-1] == uses[0]]
        parents = tuple(ending[: rng.randint(0, 1)])
        size = rng.randint(1, 6)
        asked.append(Request(f"r{number}", size, uses, parents, rng.random() < 0.7, size * len(uses)))
    kept = {
        one.name: even(one, frozenset(use for use in one.uses[1:] if rng.random() < 0.15))
        for one in asked
        if rng.random() < 0.9
    }
    return PlacementProblem(tuple(asked), rng.randint(5, 9)), kept


def best_of_all_ways(question: PlacementProblem, kept: Ways) -> int:
    """The least traffic over all sets of gaps and all addresses."""
    gaps = [(one.name, n) for one in question.requests if one.name in kept for n in range(len(one.uses) - 1)]
    best = question.total
    for chosen in (frozenset(some) for count in range(len(gaps) + 1) for some in combinations(gaps, count)):
        cut = {one.name: stays_of(one, kept.get(one.name), chosen) for one in question.requests}
        asked = [request_of(stay, one, cut) for one in question.requests for stay in cut[one.name] if stay.worth > 0]
        left = PlacementProblem(tuple(asked), question.capacity)
        best = min(best, question.total - left.total + best_of_all(left)[1])
    return best


def small(count: int) -> list[int]:
    seeds = range(10 * count)
    return [seed for seed in seeds if sum(len(one.uses) - 1 for one in drawn(Random(seed))[0].requests) <= 7][:count]


@pytest.mark.parametrize("seed", small(60))
def test_nobody_beats_the_best_of_all_ways_and_bounds_hold(seed: int) -> None:
    question, kept = drawn(Random(seed))
    best = best_of_all_ways(question, kept)
    assert least_evicted(question, kept) <= best
    for name, solver in SOLVERS.items():
        found = evict(question, kept, solver, Effort())
        assert stay_faults(question, found) == []
        assert found.bound <= best <= found.objective, name
        assert found.objective <= solver(question, Effort()).objective, f"{name} is not worse with eviction"
        if found.status is Status.OPTIMAL:
            assert found.objective == best


def test_cp_sat_finds_nearly_all_of_the_best() -> None:
    missed = 0
    for seed in small(60):
        question, kept = drawn(Random(seed))
        found = evict(question, kept, SOLVERS["cp-sat"], Effort())
        missed += found.objective > best_of_all_ways(question, kept)
    assert missed <= 2


def test_the_same_question_gets_the_same_answer() -> None:
    question, kept = drawn(Random(5))
    answers = [evict(question, kept, SOLVERS["annealing"], Effort(seed=3)) for _ in range(2)]
    assert answers[0] == answers[1]


def test_the_examples_of_stays_are_true() -> None:
    result = doctest.testmod(stays_module)
    assert result.attempted >= 2
    assert result.failed == 0
