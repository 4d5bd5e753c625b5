"""Where the weights of compute and memory begin, and where they lead."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

import pytest

from compiler.solvers.joint import exact
from compiler.solvers.joint.exact import Search, search
from compiler.solvers.joint.judge import trivial
from compiler.solvers.joint.ladder import FIRST_PART, LEAST_PART, first_weights, ladder
from compiler.solvers.joint.problem import Bill, Choice, JointProblem, Menu
from tests.compiler.joint.random_joint import random_joint, realistic_joint

SECONDS = 20.0


def scaled(problem: JointProblem, factor: float) -> JointProblem:
    """The problem with compute so many times as long, all of it in sums over tasks."""
    menus = {id(task.menu): _scaled(task.menu, factor) for task in problem.tasks}
    return replace(problem, tasks=tuple(replace(task, menu=menus[id(task.menu)]) for task in problem.tasks))


def _scaled(menu: Menu, factor: float) -> Menu:
    def bill(one: Bill) -> Bill:
        return replace(one, compute_us=factor * one.compute_us, fused_us=0.0)

    return Menu(tuple(Choice(one.views, tuple(map(bill, one.bills))) for one in menu.choices))


def searched(problem: JointProblem) -> Search:
    """A search that has the trivial answer."""
    found = Search(problem, SECONDS, 0, lambda _objective, _bound: False, monotonic() + SECONDS)
    found.offer(trivial(problem))
    return found


@pytest.mark.parametrize("factor", [1e-4, 1e4])
def test_the_lesser_of_compute_and_memory_counts_little_at_first(
    monkeypatch: pytest.MonkeyPatch, factor: float
) -> None:
    found = searched(scaled(realistic_joint(0, 1), factor))
    lesser = first_weights(found).compute if factor < 1 else first_weights(found).memory
    assert lesser == pytest.approx(FIRST_PART)
    monkeypatch.setattr(exact, "SHORT", 0)
    lesser = first_weights(found).compute if factor < 1 else first_weights(found).memory
    assert lesser == pytest.approx(LEAST_PART)


def test_weights_go_to_the_side_that_takes_longer() -> None:
    """While compute binds, memory counts less and less; once memory does, it counts more again."""
    problem = realistic_joint(0, 1)
    found = searched(scaled(problem, 1e4))
    steps = ladder(found)
    shares = [next(steps).memory]
    for factor in (1e4, 1e4, 1e-4):
        found.problem, found.tried, found.bound_us = scaled(problem, factor), found.best, found.bound_us + 1.0
        shares.append(next(steps).memory)
    assert shares[0] > shares[1] > shares[2]
    assert shares[2] < shares[3] < shares[1]


@pytest.mark.parametrize("first", [0, 5])
def test_long_problems_that_compute_binds_are_bounded_closely(monkeypatch: pytest.MonkeyPatch, first: int) -> None:
    def cuts(problem: JointProblem) -> tuple[int, ...]:
        return 0, len(problem.tasks)

    monkeypatch.setattr(exact, "SHORT", 1)
    monkeypatch.setattr(exact, "cuts", cuts)
    drawn = ((seed, random_joint(seed, 6, plain=True)) for seed in range(first, first + 5))
    for seed, problem in ((seed, scaled(one, 100.0)) for seed, one in drawn if len(one.kernels) == 1):
        found = search(problem, [trivial(problem)], SECONDS, 0, lambda _objective, _bound: False)
        assert found is not None
        assert 0.98 * found.objective_us <= found.bound_us <= found.objective_us, seed
