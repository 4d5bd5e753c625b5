"""The joint price against the cost model, and the clock of the CP-SAT model against both (row M15)."""

from collections import Counter
from functools import cache
from random import Random

import pytest

from compiler.device import load_device
from compiler.frontend.load import load
from compiler.solvers.joint.bound import elsewhere
from compiler.solvers.joint.clock import Clock
from compiler.solvers.joint.demote import fitting
from compiler.solvers.joint.model import JointModel
from compiler.solvers.joint.price import price_us
from compiler.solvers.joint.problem import Answer, JointProblem
from compiler.solvers.joint.room import Room
from compiler.solvers.joint.tables import Weights
from tests.compiler.joint.grounds import Field, field_of, random_field
from tests.compiler.joint.random_answers import random_answer
from tests.compiler.joint.random_joint import random_joint

EXAMPLES = ("softmax", "mlp", "attention", "rmsnorm", "mismatch")
PER_TEST = 10
PROGRAMS = 60
RELATIVE = 1e-9
SHARE, NANOSECOND = 1e-3, 1e-3
ROUNDED = 1e-4
"""A few dozen figures, each rounded to a unit of at most a picosecond, in problems that are as small as these."""


@cache
def example(name: str) -> Field:
    return field_of(load(name).program, load_device("spyre"))


def clock_of(problem: JointProblem, answer: Answer, weights: Weights | None = None) -> tuple[JointModel, Clock]:
    """The model of a problem, hinted from an answer, and its objective."""
    made = JointModel(problem, answer, weights)
    Room(made).build()
    clock = Clock(made)
    clock.build()
    return made, clock


def counted_us(problem: JointProblem, answer: Answer, weights: Weights | None = None) -> float | None:
    """What the model counts for an answer; None if it leaves that out, as another one is no worse whatever counts."""
    made, clock = clock_of(problem, answer, weights)
    if made.answer(made.hints) != answer:
        return None
    return (made.value(clock.total) + clock.constant) / made.units_per_us


def same_price(field: Field, rng: Random, count: int, seen: Counter[str]) -> None:
    """The plan of each answer takes what the joint problem says."""
    for answer, packing in field.answers(rng, count):
        told = price_us(field.ground.problem, answer)
        assert field.plan_us(answer, packing) == pytest.approx(told, rel=RELATIVE, abs=0)
        counted = counted_us(field.ground.problem, answer)
        assert counted is None or counted == pytest.approx(told, rel=SHARE, abs=NANOSECOND)
        seen["answers"] += 1
        seen["counted"] += counted is not None
        for item, row in enumerate(field.ground.problem.items):
            seen.update(row.copies[place].kind.value for place in answer.copies(item))
        seen["clone-out"] += sum(answer.out)


@pytest.mark.parametrize("name", EXAMPLES)
def test_plans_of_examples_cost_what_their_answers_do(name: str) -> None:
    seen = Counter[str]()
    same_price(example(name), Random(name), 8, seen)
    assert seen["answers"] == 8
    assert seen["counted"] > 4
    assert seen["relayout"] > 0
    assert seen["clone-out"] > 0


@pytest.mark.parametrize("first", range(0, PROGRAMS, PER_TEST))
def test_plans_of_random_programs_cost_what_their_answers_do(first: int) -> None:
    seen = Counter[str]()
    for seed in range(first, first + PER_TEST):
        field = random_field(seed)
        if field is not None:
            same_price(field, Random(seed), 2, seen)
    assert seen["answers"] > PER_TEST
    assert seen["counted"] > 2
    assert seen["clone-in"] > 0
    assert seen["clone-out"] > 0


def allowed_answers(seed: int, tasks: int, count: int) -> list[tuple[JointProblem, Answer]]:
    """Random answers without faults."""
    problem, rng = random_joint(seed, tasks, plain=True), Random(f"clock {seed}")
    found = [fitting(problem, random_answer(rng, problem)) for _ in range(count)]
    return [(problem, one) for one in found if one is not None]


@pytest.mark.parametrize("first", range(0, 90, 30))
def test_the_model_counts_the_price_of_an_answer(first: int) -> None:
    """Shared loads at several rates, bursts and deliveries in any order, bills that do not add up, several kernels."""
    counted = 0
    for seed in range(first, first + 30):
        for problem, answer in allowed_answers(seed, 6, 4):
            found = counted_us(problem, answer)
            assert found is None or found == pytest.approx(price_us(problem, answer), abs=ROUNDED), seed
            counted += found is not None
    assert counted > 40


def test_hints_are_whole_and_allowed() -> None:
    """With all variables at their hints CP-SAT has an answer, and it takes what was counted."""
    fixed = 0
    for seed in range(40):
        for problem, answer in allowed_answers(seed, 5, 2):
            made, clock = clock_of(problem, answer)
            if made.answer(made.hints) != answer:
                continue
            assert settled(made, clock) == made.value(clock.total) + clock.constant, seed
            fixed += 1
    assert fixed > 25


def settled(made: JointModel, clock: Clock) -> float:
    """The objective with every variable fixed."""
    from ortools.sat.python import cp_model

    made.model.minimize(clock.expression())
    for index, value in made.hints.items():
        made.model.add(made.model.get_int_var_from_proto_index(index) == value)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    assert solver.solve(made.model) == cp_model.OPTIMAL
    return solver.objective_value


@pytest.mark.parametrize("share", [0.0, 0.016, 0.3, 0.9])
def test_weights_count_no_more_than_the_price(share: float) -> None:
    """Of compute and memory the larger one counts, so that no share of both is more."""
    tight = 0
    for seed in range(40):
        for problem, answer in allowed_answers(seed, 5, 2):
            first = Weights(share, 1 - share)
            second = elsewhere(problem, first)
            told = [counted_us(problem, answer, one) for one in (first, second) if one is not None]
            counted = [one for one in told if one is not None]
            if len(counted) < len(told):
                continue
            assert min(counted) <= price_us(problem, answer) + ROUNDED, seed
            tight += min(counted) > 0.8 * price_us(problem, answer)
    assert tight > 0
