"""Which demands of pins can be met together, against an enumeration; no search breaks what pins ask for."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from compiler.plan import EditKind
from compiler.solvers.cp_sat import SolverMissingError
from compiler.solvers.joint import keeping, proving
from compiler.solvers.joint.annealing import annealing
from compiler.solvers.joint.beam import beam
from compiler.solvers.joint.demands import Demand, asked_of
from compiler.solvers.joint.descent import improve
from compiler.solvers.joint.exact import search
from compiler.solvers.joint.faults import faults
from compiler.solvers.joint.judge import trivial
from compiler.solvers.joint.keeping import Keeping
from compiler.solvers.joint.mend import mended
from compiler.solvers.joint.price import price_us
from compiler.solvers.joint.problem import Answer, JointProblem, Menu, Task, Tie
from compiler.solvers.joint.proving import Proving
from compiler.solvers.joint.seating import Seating
from tests.compiler.joint.brute_joint import best_of_all
from tests.compiler.joint.random_answers import random_answer
from tests.compiler.joint.random_joint import random_joint


def pinned(
    problem: JointProblem, items: Sequence[int], rings: Sequence[int] = (), ties: Sequence[Tie] = ()
) -> JointProblem:
    """The problem with some items that have to be in LX, or to go over the ring, and ties."""
    made = tuple(
        replace(item, pinned="lx" if number in items else "", ring=number in rings)
        for number, item in enumerate(problem.items)
    )
    return replace(problem, items=made, ties=tuple(ties))


def drawn(seed: int) -> tuple[JointProblem, list[Demand]]:
    """A small problem and what is asked of it: items in LX, at times a relayout, at times a tie."""
    rng, problem = Random(f"demands {seed}"), random_joint(seed, 4)
    able = [number for number, item in enumerate(problem.items) if item.feet or item.copies]
    demands = [Demand(item) for item in sorted(rng.sample(able, min(len(able), rng.randint(1, 4))))]
    relaid = [n for n in able if any(copy.kind is EditKind.RELAYOUT for copy in problem.items[n].copies)]
    if seed % 2 and relaid:
        demands.append(Demand(rng.choice(relaid), ring=True))
    if seed % 2:
        tasks = tuple(sorted(rng.sample(range(4), 2)))
        cuts = (tuple(rng.randrange(2) for _ in problem.tasks[task].menu.choices) for task in tasks)
        demands.append(Demand(tie=Tie(tasks, tuple(cuts))))
    return problem, demands


def with_demands(problem: JointProblem, demands: Sequence[Demand]) -> JointProblem:
    inside = [demand.item for demand in demands if demand.item >= 0 and not demand.ring]
    rings = [demand.item for demand in demands if demand.ring]
    return pinned(problem, inside, rings, [demand.tie for demand in demands if demand.tie])


def can_be(problem: JointProblem, demands: Sequence[Demand]) -> bool:
    """Whether any decision does what is asked, by enumeration; relayouts and ties are left to `faults`."""
    return best_of_all(with_demands(problem, demands)) is not None


@pytest.mark.parametrize("first", range(0, 120, 20))
def test_what_is_kept_can_be_and_what_clashes_cannot(first: int) -> None:
    """Even seeds ask for places in LX alone, which the enumeration knows."""
    for seed in range(first, first + 20):
        problem, demands = drawn(seed)
        asked = Keeping(asked_of(problem, demands))
        kept, answer = asked.kept()
        assert {*kept, *asked.clashes} == set(range(len(demands)))
        whole = asked.asked.widened(answer, trivial(problem))
        assert faults(with_demands(problem, [demands[one] for one in kept]), whole) == [], seed
        for late, crowd in asked.clashes.items() if seed % 2 == 0 else ():
            assert all(one < late for one in crowd)
            assert not can_be(problem, [demands[one] for one in (*crowd, late)]), seed
            for one in (*crowd, late):
                assert can_be(problem, [demands[other] for other in (*crowd, late) if other != one]), seed


@pytest.mark.parametrize("first", range(1, 81, 20))
def test_trying_says_the_same_as_cp_sat(first: int) -> None:
    for seed in range(first, first + 20):
        problem, demands = drawn(seed)
        asked, everything = asked_of(problem, demands), tuple(range(len(demands)))
        seating = Seating(asked)
        found, proved = seating.found(everything), Proving(asked).ask(everything)
        assert seating.whole
        assert (found is not None) == isinstance(proved, Answer), seed
        if isinstance(proved, tuple):
            assert seating.found(proved) is None, seed
        least = seating.least(everything)
        if least is not None:
            assert seating.found(everything, least[0]) is not None
            assert seating.found(everything, least[0] - 1) is None


def test_without_or_tools_nothing_is_kept_that_cannot_be(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise SolverMissingError

    monkeypatch.setattr(proving, "require", missing)
    monkeypatch.setattr(keeping, "QUICK", 0)
    for seed in range(20):
        problem, demands = drawn(seed)
        asked = Keeping(asked_of(problem, demands))
        kept, answer = asked.kept()
        whole = asked.asked.widened(answer, trivial(problem))
        assert faults(with_demands(problem, [demands[one] for one in kept]), whole) == [], seed


def test_cp_sat_is_asked_where_trying_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same demands are kept if it is asked about everything."""
    for seed in range(30):
        problem, demands = drawn(seed)
        asked = asked_of(problem, demands)
        kept, _ = Keeping(asked).kept()
        with monkeypatch.context() as patch:
            patch.setattr(keeping, "QUICK", -2 * len(demands))
            patch.setattr(Seating, "found", _never)
            always = Keeping(asked)
            found, answer = always.kept()
        assert kept == found, seed
        whole = asked.widened(answer, trivial(problem))
        assert faults(with_demands(problem, [demands[one] for one in found]), whole) == [], seed


def _never(self: Seating, wanted: Sequence[int], room: int | None = None, tried: int = 0) -> Answer | None:
    self.whole = False
    return None


def test_answers_are_mended_in_the_way_of_another_one() -> None:
    for seed in range(40):
        problem, demands = drawn(seed)
        asked = asked_of(problem, demands)
        kept, answer = Keeping(asked).kept()
        asks = with_demands(problem, [demands[one] for one in kept])
        guide, rng = asked.widened(answer, trivial(problem)), Random(f"mended {seed}")
        for _ in range(3):
            found = faults(asks, mended(asks, random_answer(rng, problem), guide))
            assert all(" B are in LX" in fault for fault in found), (seed, found)
        assert mended(problem, guide, trivial(problem)) is guide, "nothing is asked for, nothing changes"


# Ties and relayouts in searches


def tied(seed: int) -> JointProblem:
    """A small problem, the first divisions of two tasks of which are cut alike."""
    rng, problem = Random(f"tied {seed}"), random_joint(seed, 4, plain=True)
    tasks = tuple(sorted(rng.sample(range(4), 2)))
    cuts = tuple((0, *(rng.randrange(3) for _ in problem.tasks[task].menu.choices[1:])) for task in tasks)
    return replace(problem, ties=(Tie(tasks, cuts),))


def best_of_ties(problem: JointProblem) -> float:
    """The least time with the tied tasks cut in any one way."""
    (tie,) = problem.ties
    found = []
    for cut in sorted(set(tie.cuts[0]) & set(tie.cuts[1])):
        tasks = list(problem.tasks)
        for task, cuts in zip(tie.tasks, tie.cuts, strict=True):
            tasks[task] = _only(problem.tasks[task], [number for number, one in enumerate(cuts) if one == cut])
        best = best_of_all(replace(problem, tasks=tuple(tasks), ties=()))
        found += [best.us] if best else []
    return min(found)


def _only(task: Task, choices: list[int]) -> Task:
    return replace(task, menu=Menu(tuple(task.menu.choices[choice] for choice in choices)))


@pytest.mark.parametrize("first", range(0, 30, 10))
def test_no_search_breaks_a_tie_and_cp_sat_finds_the_best(first: int) -> None:
    for seed in range(first, first + 10):
        problem = tied(seed)
        start = trivial(problem)
        found = [improve(problem, start), annealing(problem, start, seed, 200), beam(problem) or start]
        exact = search(problem, [start], 5.0, 0, lambda _objective, _bound: False)
        assert exact is not None
        for answer in (*found, exact.answer):
            assert faults(problem, answer) == [], seed
        assert price_us(problem, exact.answer) == pytest.approx(best_of_ties(problem), rel=2e-5, abs=1e-4), seed


def test_a_tie_is_told_and_a_relayout_that_is_missing() -> None:
    problem = tied(3)
    (tie,) = problem.ties
    one, other = tie.tasks
    cuts = (tuple(range(len(tie.cuts[0]))), tuple(100 + number for number in range(len(tie.cuts[1]))))
    apart = replace(problem, ties=(Tie(tie.tasks, cuts),))
    name = problem.tasks
    assert faults(apart, trivial(problem)) == [f"{name[other].name} is not cut like {name[one].name}"]
    relaid = pinned(problem, (), [0])
    assert faults(relaid, trivial(problem)) == [f"{problem.items[0].name} is pinned to go over the ring"]
