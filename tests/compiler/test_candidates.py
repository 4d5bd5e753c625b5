"""Candidate divisions as the division editor lists them."""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
from frozendict import frozendict

from compiler.candidates import MOST, Candidate, candidates
from compiler.cost.model import price
from compiler.division import Division
from compiler.errors import InputError
from compiler.loops import LoopProgram
from compiler.pins import Pins, PinState
from compiler.plan import Plan
from compiler.problem import Problem
from compiler.schedule import expand
from compiler.spaces import space_of
from tests.compiler.shapes import divided, placed
from tests.programs import chain, problem_of, product, softmax
from tests.sketch import Sketch


def listed(program: LoopProgram, op: str) -> tuple[Candidate, ...]:
    problem = problem_of(program)
    return candidates(problem, placed(problem), op)


def test_a_matmul_has_the_points_of_its_ranking_beside_its_time() -> None:
    found = listed(product(8, 1024, 1024), "matmul")
    ranked = sorted((one for one in found if one.legal), key=lambda one: one.points)
    assert [dict(one.factors) for one in ranked[:4]] == [
        {"j": 8, "k": 4},
        {"j": 16, "k": 2},
        {"j": 4, "k": 8},
        {"i": 2, "j": 8, "k": 2},
    ]
    assert [round(one.points, 3) for one in ranked[:4]] == [63.982, 68.513, 75.246, 81.422]
    chosen = next(one for one in found if one.chosen)
    assert chosen is ranked[0]
    assert [term.name for term in chosen.ranking] == ["compute", "hbm", "partial sums", "M lanes", "short M tile"]
    assert chosen.points == pytest.approx(sum(term.microseconds for term in chosen.ranking))


def test_times_are_those_of_the_plan() -> None:
    problem = problem_of(product(8, 1024, 1024))
    plan = placed(problem)
    found = candidates(problem, plan, "matmul")
    chosen = next(one for one in found if one.chosen)
    (cost,) = price(problem, plan).steps
    assert (chosen.total_us, chosen.terms) == (cost.total_us, cost.terms)
    for one in found:
        if one.legal:
            other = price(
                problem, replace(plan, divisions=plan.divisions.set("matmul", division_of(problem, plan, one)))
            )
            assert one.total_us == pytest.approx(other.total_us, abs=1e-9)


def division_of(problem: Problem, plan: Plan, one: Candidate) -> Division:
    schedule = expand(problem.program, plan)
    return space_of(schedule.steps[0].op, schedule, plan.layouts).division(one.factors)


def test_a_step_of_a_larger_kernel_is_timed_as_in_its_kernel() -> None:
    """The sum of a softmax reads values of its own kernel: it costs vector time and no memory."""
    found = listed(softmax(4096, 2048), "sum")
    chosen = next(one for one in found if one.chosen)
    assert [term.name for term in chosen.terms] == ["fused reduction"]
    assert chosen.total_us == pytest.approx(174.76, abs=0.005)
    assert chosen.points == 0
    assert chosen.ranking == ()
    alone = Sketch("sum")
    alone.output(alone.reduce("sum", alone.input("x", 4096, 2048), 1))
    assert [term.name for term in listed(alone.program(), "sum")[0].terms] == ["reduction alone"]


def test_of_equals_the_chosen_one_comes_first() -> None:
    found = listed(product(1024, 1024, 1024), "matmul")
    assert dict(found[0].factors) == {"i": 4, "j": 8}
    assert found[0].chosen
    assert found[1].total_us == pytest.approx(found[0].total_us)
    assert found[1].points == pytest.approx(found[0].points)


def test_the_general_rule_leads_where_times_are_equal() -> None:
    found = listed(chain(1024, 768), "neg")
    assert dict(found[0].factors) == {"i": 32}
    assert found[0].chosen
    assert all(one.cores <= 32 for one in found)


def test_fewer_cores_lead_where_more_would_read_in_short_bursts() -> None:
    found = listed(chain(33, 768), "neg")
    chosen = next(one for one in found if one.chosen)
    assert dict(chosen.factors) == {"i": 11, "j": 2}
    assert "short bursts" in [term.name for term in chosen.terms]
    assert found[0].total_us < chosen.total_us


def test_every_division_is_listed_once() -> None:
    found = listed(chain(8, 256), "neg")
    wanted = {(i, j) for i in (1, 2, 4, 8) for j in (1, 2, 4) if i * j <= 32}
    assert {(one.factors.get("i", 1), one.factors.get("j", 1)) for one in found} == wanted
    assert len(found) == len(wanted)


def test_blocked_loops_are_shown_with_their_reason() -> None:
    sketch = Sketch("arg")
    sketch.output(sketch.reduce("argmax", sketch.input("x", 64, 64), 0))
    illegal = [one for one in listed(sketch.program(), "argmax") if not one.legal]
    assert [dict(one.factors) for one in illegal] == [{"i": factor} for factor in (32, 16, 8, 4, 2)]
    assert all("argmax cannot be put together" in one.why_not for one in illegal)


def test_two_reduced_loops_and_spans_are_shown_with_their_reason() -> None:
    sketch = Sketch("sum")
    sketch.output(sketch.reduce("sum", sketch.input("x", 4, 4, 64), 0, 1))
    whys = {one.why_not for one in listed(sketch.program(), "sum") if not one.legal}
    assert whys == {"i and j are both reduced and only one reduced loop may be divided"}
    found = listed(product(8192, 32768, 4096), "matmul")
    over = [one for one in found if not one.legal]
    assert over
    assert all(one.span_bytes == 2**29 for one in over)
    assert over[0].why_not == "x needs a span of 536,870,912 B on one core and the limit is 268,435,456 B"
    assert [one.legal for one in found] == sorted((one.legal for one in found), reverse=True)


def test_a_host_op_has_one_candidate() -> None:
    sketch = Sketch("host")
    sketch.output(sketch.opaque("sort", sketch.input("x", 8, 64)))
    (only,) = listed(sketch.program(), "sort")
    assert only.chosen
    assert only.cores == 1


def test_the_list_is_bounded_and_holds_the_chosen_one() -> None:
    program = chain(16, 16, 16, 16, 64 * 4)
    problem = problem_of(program, Pins(division=frozendict(neg=frozendict(i=2))))
    found = candidates(problem, divided(problem), "neg")
    assert len(found) <= MOST + 1
    assert [dict(one.factors) for one in found if one.chosen] == [{"i": 2}]


def test_an_unknown_op_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(InputError, match="op exq: the program has no such op; the nearest name is exp"):
        listed(softmax(), "exq")


@pytest.mark.parametrize("op", ["max", "exp", "truediv"])
def test_each_legal_candidate_is_a_pin_that_is_kept(op: str) -> None:
    for one in listed(softmax(64, 256), op):
        pins = Pins(division=frozendict({op: one.factors or frozendict(i=1)}))
        problem: Problem = replace(problem_of(softmax(64, 256)), pins=pins)
        plan = divided(problem)
        assert (plan.pins[f"division:{op}"].state is PinState.HONOURED) is one.legal
        assert math.prod(plan.divisions[op].factors.values()) == one.cores or not one.legal


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            lambda plan: replace(plan, layouts=plan.layouts.delete("exp")),
            "buffer exp: the plan gives it no layout; compile the model again.",
        ),
        (
            lambda plan: replace(plan, placement=plan.placement.set("expx", plan.placement["exp"])),
            "buffer expx: the plan decides on it, and there is no such buffer; compile the model again.",
        ),
        (
            lambda plan: replace(plan, divisions=plan.divisions.set("expx", plan.divisions["exp"])),
            "step expx: the plan decides on it, and there is no such step; compile the model again.",
        ),
        (
            lambda plan: replace(plan, kernels=(replace(plan.kernels[0], steps=("expx",)),)),
            "step expx: the plan decides on it, and there is no such step; compile the model again.",
        ),
    ],
)
def test_a_plan_that_names_what_does_not_exist_is_refused(change: Callable[[Plan], Plan], sentence: str) -> None:
    problem = problem_of(softmax(64, 128))
    broken = change(placed(problem))
    for ask in (lambda: candidates(problem, broken, "exp"), lambda: price(problem, broken)):
        with pytest.raises(InputError) as caught:
            ask()
        assert caught.value.sentence == sentence
