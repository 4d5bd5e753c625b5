"""Cost terms in groups: whatever the cost model tells is a time of some unit, only points are points."""

import pytest

from compiler.cost.matmul import PREFERENCE as POINTS
from compiler.cost.model import price
from compiler.cost.patterns import Pattern
from compiler.loops import LoopProgram
from compiler.price import CostTerm, StepCost
from spyre_studio.term_groups import (
    ALONE,
    COMPUTE,
    DELIVERY,
    MEMORY,
    ORDER,
    PREFERENCE,
    SUMS,
    TURNS,
    group_of,
    side_us,
    summed,
)
from tests.compiler.shapes import divided
from tests.programs import attention, chain, problem_of, product, softmax

PROGRAMS = [attention(), softmax(), chain(64, 4096), product(64, 4096, 64)]


@pytest.mark.parametrize("pattern", Pattern)
def test_measured_patterns_are_memory_time(pattern: Pattern) -> None:
    assert group_of(pattern) is MEMORY


def steps_of(program: LoopProgram, form: str) -> tuple[StepCost, ...]:
    problem = problem_of(program)
    return price(problem, divided(problem), "planner" if form == "planner" else "bundled").steps


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("form", ["planner", "bundled"])
def test_terms_of_a_price_are_times(program: LoopProgram, form: str) -> None:
    names = {term.name for step in steps_of(program, form) for term in step.terms}
    assert names
    assert {name for name in names if group_of(name) is PREFERENCE} == set()


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("form", ["planner", "bundled"])
def test_sides_are_those_of_the_price(program: LoopProgram, form: str) -> None:
    for step in steps_of(program, form):
        assert side_us(step.terms, "compute") == pytest.approx(step.compute_us)
        assert side_us(step.terms, "memory") == pytest.approx(step.hbm_us)
        assert side_us(step.terms, "alone") == pytest.approx(step.serial_us)


@pytest.mark.parametrize(
    ("term", "group"),
    [
        *((name, COMPUTE) for name in ("compute", "batch step", "split re-read", "fused reduction")),
        ("dim order", ORDER),
        ("partial sums", SUMS),
        *((name, MEMORY) for name in ("device memory", "read/write turnaround", "reduction alone")),
        ("restickify", TURNS),
        *((name, DELIVERY) for name in ("replicated operand", "shared operand", "indirect store")),
        *((name, ALONE) for name in ("short bursts", "copy requests", "load into LX", "relayout")),
        *((row.name, PREFERENCE) for row in POINTS),
    ],
)
def test_a_term_has_its_group(term: str, group: object) -> None:
    assert group_of(term) is group


def test_groups_are_summed_in_their_order() -> None:
    terms = [CostTerm(name, time, "", "") for name, time in (("hbm", 2.0), ("compute", 1.0), ("device memory", 3.0))]
    assert summed(terms) == ((COMPUTE, 1.0), (MEMORY, 5.0))
