"""The staged division of seeded random ops against the published rule written out anew (`tests.division_rule`)."""

import math
from collections import Counter
from functools import cache

import pytest

from compiler.dtypes import DType
from compiler.errors import LimitError
from compiler.loops import LoopProgram, OpKind
from compiler.pipeline import parse_pipeline
from compiler.plan import Plan
from compiler.problem import Problem
from compiler.schedule import expand
from tests.compiler.division_draw import SPYRE, Case, case_of
from tests.compiler.shapes import divided, factors, plain_layouts
from tests.division_rule import Factors, RefusedError, Rule, slots
from tests.programs import attention, reshaped, softmax, transposed
from tests.sketch import Sketch

SEEDS = range(300)


@cache
def answer_of(seed: int) -> Factors | str:
    """What the written-out rule says: factors above 1, or by which rule it refuses."""
    try:
        return case_of(seed).rule.answer()
    except RefusedError as error:
        return str(error)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_staged_division_is_the_published_one(seed: int) -> None:
    case, answer = case_of(seed), answer_of(seed)
    op = case.program.ops[0]
    if answer == "span":
        with pytest.raises(LimitError, match="needs a span of"):
            divided(case.problem, case.layouts)
        return
    plan = divided(case.problem, case.layouts)
    if isinstance(answer, str):
        assert sum(factors(plan, op.name).get(loop.name, 1) > 1 for loop in op.reduction_loops) <= 1
        return
    assert factors(plan, op.name) == answer, f"{op.kind} {dict(op.extents)} on {case.cores} cores"
    reason = plan.reasons[f"division:{op.name}"]
    if " by the matmul ranking" in reason:
        best = case.rule.ranking()
        assert best is not None
        assert f": {best[0]:,.1f} µs by the matmul ranking" in reason
    division = plan.divisions[op.name]
    for core in range(division.cores):
        assert division.slots(core) == slots(op, answer, core)


def test_the_seeds_reach_every_part_of_the_rule() -> None:
    seen: Counter[str] = Counter()
    for seed in SEEDS:
        case, answer = case_of(seed), answer_of(seed)
        if isinstance(answer, str):
            seen[answer] += 1
            continue
        kind, floors = case.program.ops[0].kind, case.rule.floors()
        seen["floors"] += bool(floors)
        seen["raised floors"] += any(answer[loop] > factor for loop, factor in floors.items())
        seen["reduced"] += any(loop in answer for loop in case.rule.reduced)
        seen["idle"] += math.prod(answer.values()) < case.cores
        seen[kind] += 1
        if kind is OpKind.MATMUL and not floors:
            seen["ranked" if case.rule.ranked() else "declined"] += 1
    least = {"floors": 60, "raised floors": 25, "reduced": 40, "idle": 60, "ranked": 35, "declined": 8, "span": 30}
    kinds = {OpKind.MATMUL: 70, OpKind.REDUCTION: 60, OpKind.POINTWISE: 60}
    assert {what: (seen[what], count) for what, count in (least | kinds).items() if seen[what] < count} == {}


# Whole programs, with the copies that their layouts need


def mixed_up() -> LoopProgram:
    """A sum and a product that need copies to other sticks."""
    sketch = Sketch("mixed")
    x, y = sketch.input("x", 96, 320), sketch.input("y", 320, 96)
    total = sketch.apply("add", x, transposed(y))
    sketch.output(sketch.matmul(transposed(total), sketch.input("w", 96, 192)))
    return sketch.program()


def feed_forward() -> LoopProgram:
    """Two linear layers over a batch."""
    sketch = Sketch("feed forward")
    hidden = sketch.matmul(sketch.input("x", 4, 100, 256), sketch.parameter("up", 256, 1024), "up")
    sketch.output(sketch.matmul(sketch.apply("gelu", hidden), sketch.parameter("down", 1024, 256), "down"))
    return sketch.program()


@pytest.mark.parametrize("cores", [3, 32])
@pytest.mark.parametrize(
    "program",
    [softmax(33, 768), softmax(512, 1024), attention(4, 96, 64), attention(3, 512, 128), mixed_up(), feed_forward()],
    ids=["odd softmax", "softmax", "short attention", "attention", "restickifies", "feed forward"],
)
def test_every_step_of_a_program_is_divided_by_the_rule(program: LoopProgram, cores: int) -> None:
    problem = Problem(program, SPYRE.with_cores(cores))
    plan = Plan(program.name, SPYRE.name, cores, "staged")
    for one in parse_pipeline("staged"):
        plan = one(problem, plan)
    for step in expand(program, plan).steps:
        rule = Rule(step.op, plan.layouts, cores, SPYRE.span_limit_bytes)
        assert factors(plan, step.name) == rule.answer(), step.name


# Where the compiler knowingly goes on, or stops, where the description does not


def test_a_floor_on_two_reduced_loops_is_avoided_if_one_will_do() -> None:
    """The description takes i 2 j 2 (4 cores) before i 5 (5 cores), and then refuses what it took."""
    sketch = Sketch("sum")
    stored = sketch.input("x", 80, 64)
    sketch.output(sketch.reduce("sum", reshaped(stored, 10, 8, 64), 0, 1, keep=False))
    program = sketch.program()
    case = Case(program, dict(plain_layouts(Problem(program, SPYRE))), 32, 38 * 128)
    with pytest.raises(RefusedError, match="two reductions"):
        case.rule.answer()
    assert factors(divided(case.problem, case.layouts), "sum") == {"i": 10}


def test_a_span_is_what_a_core_walks_also_where_sticks_of_two_widths_end_ragged() -> None:
    """65 columns are two units of 64: the description counts 32 columns per core, and the first core still has 64."""
    sketch = Sketch("cast")
    sketch.output(sketch.cast(sketch.input("x", 8, 65), DType.F32))
    program = sketch.program()
    case = Case(program, dict(plain_layouts(Problem(program, SPYRE))), 2, 8 * 128)
    assert case.rule.answer() == {"j": 2}
    with pytest.raises(LimitError, match="needs a span of 2,048 B"):
        divided(case.problem, case.layouts)
