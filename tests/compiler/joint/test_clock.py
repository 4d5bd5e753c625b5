"""The joint price against the cost model, and the clock of the CP-SAT model against both (row M15)."""

from collections import Counter
from functools import cache
from random import Random

import pytest

from compiler.device import load_device
from compiler.frontend.load import load
from compiler.solvers.joint.price import price_us
from tests.compiler.joint.grounds import Field, field_of, random_field

EXAMPLES = ("softmax", "mlp", "attention", "rmsnorm", "mismatch")
PER_TEST = 15
PROGRAMS = 150
RELATIVE = 1e-9


@cache
def example(name: str) -> Field:
    return field_of(load(name).program, load_device("spyre"))


def same_price(field: Field, rng: Random, count: int, seen: Counter[str]) -> None:
    """The plan of each answer takes what the joint problem says."""
    for answer, packing in field.answers(rng, count):
        told = price_us(field.ground.problem, answer)
        assert field.plan_us(answer, packing) == pytest.approx(told, rel=RELATIVE, abs=0)
        seen["answers"] += 1
        for item, row in enumerate(field.ground.problem.items):
            seen.update(row.copies[place].kind.value for place in answer.copies(item))
        seen["clone-out"] += sum(answer.out)


@pytest.mark.parametrize("name", EXAMPLES)
def test_plans_of_examples_cost_what_their_answers_do(name: str) -> None:
    seen = Counter[str]()
    same_price(example(name), Random(name), 12, seen)
    assert seen["answers"] == 12
    assert seen["relayout"] > 0
    assert seen["clone-out"] > 0


@pytest.mark.parametrize("first", range(0, PROGRAMS, PER_TEST))
def test_plans_of_random_programs_cost_what_their_answers_do(first: int) -> None:
    seen = Counter[str]()
    for seed in range(first, first + PER_TEST):
        field = random_field(seed)
        if field is not None:
            same_price(field, Random(seed), 3, seen)
    assert seen["answers"] > 2 * PER_TEST
    assert seen["clone-in"] > 0
    assert seen["relayout"] > 0
    assert seen["clone-out"] > 0
