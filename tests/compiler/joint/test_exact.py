"""CP-SAT on joint problems: the optimum that an enumeration finds, bounds that hold, blocks and windows."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from random import Random
from time import monotonic
from typing import Literal

import pytest
from frozendict import frozendict

from compiler.plan import EditKind
from compiler.solvers.joint import blocks, exact
from compiler.solvers.joint.blocks import Blocks, cuts
from compiler.solvers.joint.bound import elsewhere, fused_us
from compiler.solvers.joint.exact import search
from compiler.solvers.joint.faults import faults
from compiler.solvers.joint.judge import firsts, trivial
from compiler.solvers.joint.price import price_us
from compiler.solvers.joint.problem import (
    DEVICE,
    Answer,
    Bill,
    Choice,
    Copy,
    Item,
    JointProblem,
    Load,
    Menu,
    Rates,
    Task,
)
from compiler.solvers.joint.solve import Limits, Solution, solve
from compiler.solvers.joint.tables import Weights
from tests.compiler.joint.brute_joint import best_of_all, rectangles
from tests.compiler.joint.brute_room import overlaps
from tests.compiler.joint.random_answers import random_answer
from tests.compiler.joint.random_joint import random_joint, realistic_joint

Turned = Literal["written", "read", "nothing"]
CLOSE = 1e-4  # us: a figure is rounded to a unit, and there are a few dozen of them
ROUNDED = 1e-6
PROBLEMS, PER_TEST = 120, 10
ENOUGH = 30.0  # seconds, never needed


def limits() -> Limits:
    return Limits(ENOUGH, monotonic() + ENOUGH)


def never(_objective_us: float, _bound_us: float) -> bool:
    return False


@pytest.mark.parametrize("first", range(0, PROBLEMS, PER_TEST))
def test_the_optimum_is_that_of_the_enumeration_and_is_proved(first: int) -> None:
    for seed in range(first, first + PER_TEST):
        problem = random_joint(seed, 5, plain=True)
        best = best_of_all(problem, packed=True)
        found = search(problem, [trivial(problem)], ENOUGH, 0, never)
        assert best is not None
        assert found is not None
        assert found.objective_us == pytest.approx(best.us, abs=CLOSE), seed
        assert found.objective_us == price_us(problem, found.answer)
        assert found.objective_us - ROUNDED <= found.bound_us <= found.objective_us, seed
        assert faults(problem, found.answer) == []
        check_addresses(problem, found)


def check_addresses(problem: JointProblem, found: exact.Outcome) -> None:
    """Everything in LX has an address, within LX and apart from the others."""
    there = rectangles(problem, found.answer)
    assert there is not None
    at = {key: low // problem.alignment for key, low in found.packing.addresses.items()}
    assert {one.key for one in there} == set(at)
    assert overlaps(there, at) == []
    assert all(at[one.key] + one.height <= problem.capacity // problem.alignment for one in there)


def parts(seed: int) -> JointProblem:
    """A part of a program, with others in LX and in its kernels."""
    return random_joint(seed, 4, plain=True, part=True)


def cheap_clones(seed: int) -> JointProblem:
    """Where it may pay to write to LX only to clone out of it."""
    problem = random_joint(seed, 4, plain=True)
    items = (replace(one, out=replace(one.out, serial_us=one.out.serial_us % 1)) for one in problem.items)
    return replace(problem, items=tuple(items))


def pinned(seed: int) -> JointProblem:
    """Some items are pinned to LX, or to device memory."""
    return random_joint(seed, 4, pins=0.15, plain=True)


@pytest.mark.parametrize("make", [parts, cheap_clones, pinned])
def test_one_question_has_the_answer_of_the_enumeration(make: Callable[[int], JointProblem]) -> None:
    asked = 0
    for seed in range(40):
        problem = make(seed)
        start = start_of(problem, seed)
        best = best_of_all(problem)
        if start is None or best is None:
            continue
        found = solve(problem, start, limits())
        assert found is not None
        assert found.optimal
        assert faults(problem, found.answer) == [], seed
        assert price_us(problem, found.answer) == pytest.approx(best.us, abs=CLOSE), seed
        assert found.objective_us == pytest.approx(best.us, abs=CLOSE), seed
        assert best.us - CLOSE <= found.bound_us <= best.us + 1e-9, seed
        asked += 1
    assert asked > 30


def start_of(problem: JointProblem, seed: int) -> Answer | None:
    """Everything in device memory if that is allowed, else any answer that is found at random."""
    rng = Random(f"start {seed}")
    tries = [trivial(problem), *(random_answer(rng, problem) for _ in range(40))]
    return next((one for one in tries if not faults(problem, one)), None)


# Blocks


def whole(problem: JointProblem, weights: Weights | None = None) -> Solution:
    """The problem asked at once; the tests above say that this is right."""
    found = solve(problem, trivial(problem), limits(), weights)
    assert found is not None
    assert found.optimal
    return found


def cut(rng: Random, count: int) -> tuple[int, ...]:
    """Ends of two to four blocks."""
    return tuple(sorted({0, count, *rng.sample(range(1, count), rng.randint(1, 3))}))


@pytest.mark.parametrize("turned", ["written", "read", "nothing"])
def test_blocks_ask_for_no_more_than_the_whole_whatever_counts(turned: Turned) -> None:
    """Shared inputs, copies across the seams, outputs, several kernels: what a block does not see is free."""
    tight = 0
    for seed in range(40):
        problem, rng = random_joint(seed, 7, plain=True), Random(f"blocks {seed}")
        share = rng.choice((0.0, 0.016, 0.2, 0.5, 0.9))
        weights = Weights(share, 1 - share, turned)
        found = Blocks(problem, cut(rng, 7))
        solutions = found.solved(weights, limits(), lambda: False)
        assert solutions is not None
        least = whole(problem, weights).objective_us + weights.compute * fused_us(problem)
        bound = found.bound_us(solutions, weights)
        assert bound <= least + CLOSE, seed
        tight += bound > 0.9 * least
    assert tight > 10


def test_several_kernels_may_turn_on_different_sides() -> None:
    """Weights are a bound on the true time, whatever side of each kernel is the smaller one."""
    kernels = Counter[int]()
    for seed in range(40):
        problem = random_joint(seed, 5, plain=True)
        first = Weights(0.016, 0.984)
        second = elsewhere(problem, first)
        bounds = [whole(problem, weights).objective_us for weights in (first, second) if weights is not None]
        assert min(bounds) <= whole(problem).objective_us + CLOSE, seed
        kernels[len(problem.kernels)] += 1
    assert kernels[1] > 10
    assert kernels[2] + kernels[3] > 10


def test_an_input_that_blocks_share_is_loaded_once_even_by_a_clone() -> None:
    """Both tasks are slow unless x is in LX: one clone for both is the best, and the bound may not count it twice."""
    slow = Choice((0,), (Bill(memory_us=50.0, loads=(Load(0, 1000),)), Bill()))
    clone = Copy(EditKind.CLONE_IN, 0, 128, 0, (0, 1), frozendict({DEVICE: Bill(read_bytes=1000)}))
    tasks = tuple(Task(name, (0,), -1, Menu((slow,))) for name in ("a", "b"))
    problem = JointProblem(tasks, (Item("x", 1000, -1, (0, 1), copies=(clone,)),), 1024, 128, Rates(1.0, 0.0))
    weights = Weights(0.0, 1.0)
    assert whole(problem, weights).objective_us == pytest.approx(1.0)
    found = Blocks(problem, (0, 1, 2))
    solutions = found.solved(weights, limits(), lambda: False)
    assert solutions is not None
    assert found.bound_us(solutions, weights) == pytest.approx(1.0, abs=CLOSE)


@pytest.mark.parametrize("first", range(0, 20, 4))
def test_problems_that_are_cut_have_true_bounds_and_good_answers(monkeypatch: pytest.MonkeyPatch, first: int) -> None:
    """Short ones, cut as if they were long."""
    monkeypatch.setattr(exact, "SHORT", 3)
    monkeypatch.setattr(blocks, "LEAST", 2)
    monkeypatch.setattr(blocks, "MOST", 4)
    gaps = []
    for seed in range(first, first + 4):
        problem = random_joint(seed, 6 + seed % 7, plain=True)
        least = whole(problem)
        found = search(problem, [trivial(problem)], 1.0, 0, never)
        assert found is not None
        assert faults(problem, found.answer) == []
        assert found.bound_us <= least.objective_us + CLOSE, seed
        assert least.objective_us - CLOSE <= found.objective_us <= price_us(problem, trivial(problem)), seed
        check_addresses(problem, found)
        gaps.append(found.objective_us / least.objective_us - 1)
    assert sum(gaps) / len(gaps) < 0.05


def test_cuts_are_where_tasks_repeat_or_where_least_crosses() -> None:
    layers = realistic_joint(0, 6)
    ends = cuts(layers)
    count = len(layers.tasks) // 6
    assert ends[0] == 0
    assert ends[-1] == len(layers.tasks)
    assert {after - before for before, after in pairwise(ends[1:-1])} == {count}
    menus = [id(task.menu) for task in layers.tasks]
    assert all(menus[one] == menus[ends[1]] for one in ends[1:-1])
    short = random_joint(3, 12, plain=True)
    assert cuts(short) == (0, 12)


def test_layers_are_solved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    layers = realistic_joint(1, 8)
    found = Blocks(layers, cuts(layers))
    asked = []

    def counted(problem: JointProblem, start: Answer, within: Limits, weights: Weights | None = None) -> Solution:
        asked.append(len(problem.tasks))
        return Solution(start, 1.0, 1.0, True, 0.0, 0)

    monkeypatch.setattr(blocks, "solve", counted)
    solutions = found.solved(Weights(0.1, 0.9), limits(), lambda: False)
    assert solutions is not None
    assert len(solutions) == len(found.parts) >= 8
    assert len(asked) <= 4


# Ties


def test_the_first_of_equal_divisions_comes_to_the_same() -> None:
    """Menus with every division three times over, the first of which is taken wherever any of the three is."""
    swapped = 0
    for seed in range(30):
        once = random_joint(seed, 6, plain=True)
        tasks = (replace(one, menu=Menu(one.menu.choices * 3)) for one in once.tasks)
        problem, rng = replace(once, tasks=tuple(tasks)), Random(f"firsts {seed}")
        answer = random_answer(rng, problem)
        found = firsts(problem, answer)
        assert price_us(problem, found) == price_us(problem, answer)
        assert faults(problem, found) == faults(problem, answer)
        for task, before, after in zip(problem.tasks, answer.choices, found.choices, strict=True):
            assert after <= before % (len(task.menu.choices) // 3)
        swapped += found != answer
    assert swapped > 20
