"""Parts of joint problems: windows, which keep all that lies outside, and blocks, which leave it free."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from time import monotonic

import pytest

from compiler.solvers.joint import exact
from compiler.solvers.joint.blocks import form
from compiler.solvers.joint.demote import fitting
from compiler.solvers.joint.exact import Search
from compiler.solvers.joint.faults import faults, loads, stays
from compiler.solvers.joint.judge import aims, trivial
from compiler.solvers.joint.part import Menus, Part, block, window
from compiler.solvers.joint.price import price_us, written_view
from compiler.solvers.joint.problem import DEVICE, Answer, JointProblem
from compiler.solvers.joint.solve import Limits, solve
from compiler.solvers.joint.tables import Weights
from tests.compiler.joint.random_answers import random_answer
from tests.compiler.joint.random_joint import random_joint, realistic_joint

TASKS = 8
ENOUGH = 30.0
HALF = Weights(0.3, 0.7)


def limits() -> Limits:
    return Limits(ENOUGH, monotonic() + ENOUGH)


def windows(first: int, count: int) -> Iterator[tuple[JointProblem, Answer, Part]]:
    """Random windows of random problems around random answers."""
    for seed in range(first, first + count):
        problem, rng = random_joint(seed, TASKS, plain=True), Random(f"window {seed}")
        for _ in range(2):
            answer = fitting(problem, random_answer(rng, problem))
            assert answer is not None
            low = rng.randrange(TASKS)
            high = rng.randint(low + 1, TASKS)
            yield problem, answer, window(problem, answer, low, high, stays(problem, answer), Menus())


@pytest.mark.parametrize("first", range(0, 120, 30))
def test_what_a_window_leaves_as_it_is_stays_as_it_is(first: int) -> None:
    for problem, answer, part in windows(first, 30):
        assert part.widened(answer, part.narrowed(answer)) == answer
        assert len(part.problem.tasks) == len(part.tasks) <= len(problem.tasks)


@pytest.mark.parametrize("first", range(0, 60, 15))
def test_whatever_is_decided_in_a_window_is_allowed_in_the_whole(first: int) -> None:
    """Also what costs more: any answer of the window, and the one that CP-SAT finds there."""
    seen = Counter[str]()
    for problem, answer, part in windows(first, 15):
        rng = Random(first)
        tries = [random_answer(rng, part.problem) for _ in range(4)]
        found = solve(part.problem, part.narrowed(answer), limits(), HALF)
        assert found is not None
        for one in (found.answer, *tries):
            if faults(part.problem, one):
                continue
            changed = part.widened(answer, one)
            assert faults(problem, changed) == []
            seen["changed"] += changed != answer
            seen["cheaper"] += price_us(problem, changed) < price_us(problem, answer) - 1e-9
    assert seen["changed"] > 30
    assert seen["cheaper"] > 15


@pytest.mark.parametrize("first", range(0, 60, 30))
def test_a_window_reserves_at_least_what_others_take(first: int) -> None:
    """At every tick of its tasks what the window counts is no less than what is there."""
    for problem, answer, part in windows(first, 30):
        there, counted = loads(problem, answer), loads(part.problem, part.narrowed(answer))
        for place, task in enumerate(part.tasks):
            for late in (0, 1):
                assert counted.get(2 * place + late, 0) >= there.get(2 * task + late, 0)


def test_the_best_answer_never_gets_worse_by_windows() -> None:
    gained = 0
    for seed in range(12):
        problem, rng = random_joint(seed, TASKS, plain=True), Random(f"never {seed}")
        found = Search(problem, 3.0, 0, lambda _objective, _bound: False, monotonic() + ENOUGH)
        start = fitting(problem, random_answer(rng, problem))
        assert start is not None
        found.offer(start)
        reached = [aims(problem, start)]
        for share in (0.016, 0.5, 0.9):
            exact._windows(found, Weights(share, 1 - share), (0, 3, 5, TASKS))
            assert found.best is not None
            assert faults(problem, found.best) == []
            reached.append(aims(problem, found.best))
        assert reached == sorted(reached, reverse=True)
        gained += reached[-1] < reached[0]
    assert gained > 8


def test_a_window_over_everything_is_the_whole_question() -> None:
    for seed in range(20):
        problem = random_joint(seed, 5, plain=True)
        start = trivial(problem)
        part = window(problem, start, 0, 5, stays(problem, start), Menus())
        apart, whole = (solve(one, trivial(one), limits(), HALF) for one in (part.problem, problem))
        assert apart is not None
        assert whole is not None
        assert apart.objective_us == pytest.approx(whole.objective_us, abs=1e-4), seed


# Blocks


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_an_answer_of_the_whole_is_one_of_each_block(first: int) -> None:
    """What it says of the tasks and items of a block is allowed there, so that no block asks for more than it."""
    for seed in range(first, first + 20):
        problem, rng = random_joint(seed, TASKS, plain=True), Random(f"block {seed}")
        answer = fitting(problem, random_answer(rng, problem))
        assert answer is not None
        for low, high in ((0, 3), (3, 6), (6, TASKS)):
            part = block(problem, low, high, Menus())
            assert faults(part.problem, with_sources(problem, answer, part)) == [], seed


def with_sources(problem: JointProblem, answer: Answer, part: Part) -> Answer:
    """An answer as a block sees it: what others left, they left under the view that the answer says."""
    narrowed = part.narrowed(answer)
    choices = list(narrowed.choices)
    for number, item in enumerate(part.items):
        writer = part.problem.items[number].writer
        if writer >= 0 and part.tasks[writer] < 0 and answer.resident[item]:
            menu, view = part.problem.tasks[writer].menu, written_view(problem, answer, item)
            choices[writer] = [choice.views[0] for choice in menu.choices].index(view)
    resident = tuple(
        narrowed.resident[number] and (not part.problem.items[number].readers or used(part, narrowed, number))
        for number in range(len(part.items))
    )
    return Answer(tuple(choices), resident, narrowed.out, narrowed.served)


def used(part: Part, answer: Answer, number: int) -> bool:
    return any(way != DEVICE for way in answer.served[number]) or answer.out[number]


def test_equal_layers_are_equal_blocks() -> None:
    layers = realistic_joint(0, 4)
    count, menus = len(layers.tasks) // 4, Menus()
    forms = [form(block(layers, count * layer, count * (layer + 1), menus)) for layer in range(4)]
    assert forms[1] == forms[2]
    assert forms[0] != forms[1]
