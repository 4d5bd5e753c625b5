"""Cost terms in groups: whatever the cost model tells is a time of some unit, only points are points."""

import pytest

from compiler.cost.matmul import PREFERENCE as POINTS
from compiler.cost.model import price
from compiler.cost.patterns import Pattern
from compiler.loops import LoopProgram
from spyre_studio.term_groups import COMPUTE, MEMORY, MOVES, PREFERENCE, group_of
from tests.compiler.shapes import divided
from tests.programs import attention, chain, problem_of, product, softmax


@pytest.mark.parametrize("pattern", Pattern)
def test_measured_patterns_are_memory_time(pattern: Pattern) -> None:
    assert group_of(pattern) is MEMORY


@pytest.mark.parametrize("program", [attention(), softmax(), chain(64, 4096), product(64, 4096, 64)])
@pytest.mark.parametrize("form", ["planner", "bundled"])
def test_terms_of_a_price_are_times(program: LoopProgram, form: str) -> None:
    problem = problem_of(program)
    cost = price(problem, divided(problem), "planner" if form == "planner" else "bundled")
    names = {term.name for step in cost.steps for term in step.terms}
    assert names
    assert {name for name in names if group_of(name) is PREFERENCE} == set()


@pytest.mark.parametrize(
    ("term", "group"),
    [
        *((name, COMPUTE) for name in ("compute", "dim order", "batch step", "split re-read", "fused reduction")),
        *((name, MEMORY) for name in ("device memory", "replicated operand", "indirect store", "short bursts")),
        *((name, MOVES) for name in ("partial sums", "restickify", "copy requests", "load into LX", "relayout")),
        *((row.name, PREFERENCE) for row in POINTS),
    ],
)
def test_a_term_has_its_group(term: str, group: object) -> None:
    assert group_of(term) is group
