"""Reasons of a joint answer: one for everything outside LX, on any example; copies to other sticks count."""

from functools import cache
from random import Random

import pytest
from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.cost.model import price
from compiler.device import Device, load_device
from compiler.frontend.load import load
from compiler.graph import ModelGraph
from compiler.joint.judge import Judge
from compiler.joint.starts import answer_of
from compiler.loops import LoopProgram
from compiler.passes.place_scratchpad import PlaceScratchpad
from compiler.pins import Pins, PinState, PinStatus
from compiler.pipeline import compile_problem
from compiler.pipelines import PIPELINES
from compiler.plan import EditKind, ReasonCode, Slot, Spilled
from compiler.problem import Problem
from compiler.solvers.joint.demote import fitting
from compiler.solvers.joint.faults import faults
from compiler.solvers.joint.judge import trivial
from compiler.solvers.joint.price import price_us
from tests.compiler.joint.grounds import field_of, tiny_lx
from tests.compiler.joint.random_answers import random_answer

EXAMPLES = ("softmax", "mlp", "attention", "rmsnorm", "mismatch", "convnet", "decoder")
GREEDY = PIPELINES["co-optimized"].replace("solver=cp-sat seconds=10.0", "solver=greedy seconds=0.5")
SMALL = 400_000


@cache
def program_of(name: str) -> LoopProgram:
    return load(name).program


def on(cores: int, budget_bytes: int = 0) -> Device:
    device = load_device("spyre").with_cores(cores)
    return tiny_lx(device, budget_bytes) if budget_bytes else device


def compiled(name: str, device: Device, pins: Pins | None = None, pipeline: str = GREEDY) -> Compilation:
    problem = Problem(program_of(name), device, pins or Pins())
    return compile_problem(ModelGraph(name, (), (), ()), problem, pipeline=pipeline)


@pytest.mark.parametrize("cores", [1, 3, 4])
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_item_of_every_example_has_an_answer_to_where_room_is_lacking(name: str, cores: int) -> None:
    """Items without views, without a place among the operands of their writer, or too large for LX included."""
    field = field_of(program_of(name), on(cores, SMALL))
    problem, rng, lacks = field.ground.problem, Random(f"{name} {cores}"), 0
    assert any(not item.feet for item in problem.items), "one at least may not be in LX"
    drawn = (fitting(problem, random_answer(rng, problem)) for _ in range(2))
    for answer in (trivial(problem), *(one for one in drawn if one is not None)):
        told = Judge(field.ground, answer)
        for number in range(len(problem.items)):
            words = told.lack(number)
            lacks += bool(words)
            assert words == "" or words.startswith("needs "), words
            told.inside_us(number)
    assert lacks or cores > 1 or name not in ("attention", "decoder")


@pytest.mark.parametrize("cores", [1, 3, 4])
@pytest.mark.parametrize("name", EXAMPLES[:5])
def test_every_buffer_outside_lx_has_a_reason(name: str, cores: int) -> None:
    found = compiled(name, on(cores))
    outside = [place for place in found.plan.placement.values() if isinstance(place, Spilled)]
    assert outside
    assert all(place.detail for place in outside)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_tables_have_all_that_the_staged_plan_has_on_one_core(name: str) -> None:
    """Copies to other sticks in LX included, so that a search cannot be worse for want of them."""
    for budget in (0, SMALL):
        field = field_of(program_of(name), on(1, budget))
        plan = PlaceScratchpad()(field.problem, field.ground.plan)
        answer = answer_of(field.ground, plan)
        assert faults(field.ground.problem, answer) == []
        slots = {buffer for buffer, place in plan.placement.items() if isinstance(place, Slot)}
        inside = {one.buffer for one, here in zip(field.ground.subjects, answer.resident, strict=True) if here}
        assert inside == slots
        assert price_us(field.ground.problem, answer) == pytest.approx(price(field.problem, plan).total_us)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_plan_is_never_above_the_staged_one_on_one_core(name: str) -> None:
    for budget in (0, SMALL) if name not in ("decoder", "convnet") else (SMALL,):
        staged = compiled(name, on(1, budget), pipeline="staged")
        assert compiled(name, on(1, budget)).cost.total_us <= staged.cost.total_us + 1e-6


def test_a_copy_to_other_sticks_is_in_lx_where_a_pin_wants_it() -> None:
    free = compiled("attention", on(1)).plan
    (copy,) = [edit.target for edit in free.edits if edit.kind is EditKind.RESTICKIFY]
    plan = compiled("attention", on(1), Pins(placement=frozendict({copy: "lx"}))).plan
    assert plan.pins == {f"placement:{copy}": PinStatus(PinState.HONOURED)}
    assert isinstance(plan.placement[copy], Slot)


@pytest.mark.parametrize(
    ("division", "words"),
    [
        ({}, "matmul takes 65,536 B per core at least: 49,152 B are lacking, as LX has 16,384 B."),
        (
            {"matmul": frozendict({"b": 4})},
            "matmul takes 524,288 B per core at least (matmul is pinned to b 4): 507,904 B are lacking, as LX has",
        ),
    ],
)
def test_a_product_that_is_larger_than_lx_says_so(division: dict[str, frozendict[str, int]], words: str) -> None:
    pins = Pins(placement=frozendict({"matmul": "lx"}), division=frozendict(division))
    found = compiled("attention", on(32, 16_384), pins).plan.pins["placement:matmul"]
    assert found.state is PinState.REFUSED
    assert found.detail.startswith(words)


def test_without_a_pin_it_says_so_as_well() -> None:
    """And not that its neighbours leave no room."""
    place = compiled("attention", on(1, 16_384)).plan.placement["matmul"]
    assert place == Spilled(ReasonCode.CAPACITY, "it takes 2,097,152 B per core, and LX has 16,384 B")
