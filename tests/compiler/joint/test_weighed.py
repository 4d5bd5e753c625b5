"""What inputs and outputs are said to cost and save in LX: the figures are those of the plans, the rest is a reason."""

import re

import pytest
from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.device import Device, load_device
from compiler.errors import StudioError
from compiler.explain import explain, print_explanation
from compiler.graph import ModelGraph
from compiler.joint.weighed import unweighed
from compiler.loops import LoopProgram
from compiler.passes.co_optimize import CoOptimize
from compiler.pins import Pins
from compiler.pipeline import compile_problem, parse_pipeline
from compiler.pipelines import PIPELINES
from compiler.plan import Plan, ReasonCode, Spilled
from compiler.problem import Problem
from compiler.watch import Watch
from tests.compiler.joint.grounds import tiny_lx
from tests.programs import attention, softmax
from tests.random_programs import random_program
from tests.sketch import Sketch

GREEDY = PIPELINES["co-optimized"].replace("solver=cp-sat seconds=10.0", "solver=greedy seconds=1.0")
IN = Pins(placement=frozendict({"x": "lx"}))
TAKES, SAVES = re.compile(r"takes ([\d.]+) µs"), re.compile(r"would (save|cost) ([\d.]+) µs")


def on(cores: int) -> Device:
    return load_device("spyre").with_cores(cores)


def compiled(program: LoopProgram, device: Device, pins: Pins | None = None, pipeline: str = GREEDY) -> Compilation:
    problem = Problem(program, device, pins or Pins())
    return compile_problem(ModelGraph(program.name, (), (), ()), problem, pipeline=pipeline)


def spilled(found: Compilation, name: str) -> Spilled:
    place = found.plan.placement[name]
    assert isinstance(place, Spilled)
    return place


def more_us(detail: str) -> float:
    """What a plan would take more, out of price and gain of a copy."""
    (takes,), gain = TAKES.findall(detail), SAVES.search(detail)
    if gain is None:
        assert "would save nothing" in detail
        return float(takes)
    return float(takes) - float(gain[2]) * (1 if gain[1] == "save" else -1)


def fed_back() -> LoopProgram:
    """A result that two steps read."""
    sketch = Sketch("fed")
    neg = sketch.apply("neg", sketch.input("x", 512, 1024))
    sketch.output(neg)
    sketch.output(sketch.apply("mul", sketch.apply("exp", neg), neg))
    return sketch.program()


def test_a_clone_that_is_left_out_has_the_price_that_a_pin_for_it_costs() -> None:
    free, pinned = compiled(softmax(), on(4)), compiled(softmax(), on(4), IN)
    found = spilled(free, "x")
    assert found.code is ReasonCode.NOT_WORTH_IT
    assert found.detail.startswith(
        "1,048,576 B: an input, it arrives in device memory; a clone for max and sub needs 262,144 B per core, takes "
    )
    cost = pinned.cost.total_us - free.cost.total_us
    assert cost > 1
    assert more_us(found.detail) == pytest.approx(cost, abs=0.011)


def test_a_clone_that_costs_more_than_its_load_says_in_which_part() -> None:
    """As compute and device memory overlap, the parts that grow add up to no less than what the plan takes more."""
    found = spilled(compiled(random_program(9, 5), on(2)), "in2").detail
    assert "would cost 1.01 µs besides with op1/conv divided like that" in found
    (parts,) = re.findall(r" like that \(in all: (.*)\)$", found)
    more = dict(re.findall(r"(compute|device memory|beside them) ([+-][\d.]+) µs", parts))
    assert set(more) == {"compute", "device memory", "beside them"}
    assert more_us(found) <= sum(max(0.0, float(us)) for us in more.values()) + 0.02
    assert float(more["compute"]) == pytest.approx(1.01)


def test_a_clone_that_was_made_is_named() -> None:
    found = spilled(compiled(softmax(), on(4), IN), "x")
    words = "1,048,576 B: an input, it arrives in device memory; its clone x@in is in LX for max and sub"
    assert found == Spilled(ReasonCode.CLONED_IN, words)


def test_a_clone_without_room_names_the_step_and_who_has_it() -> None:
    sketch = Sketch("late")
    x = sketch.input("x", 512, 1024)
    sketch.output(sketch.apply("mul", sketch.apply("exp", sketch.apply("neg", x)), x))
    found = spilled(compiled(sketch.program(), on(1), Pins(placement=frozendict({"neg": "lx"}))), "x")
    assert found.code is ReasonCode.CAPACITY
    head = "1,048,576 B: an input, it arrives in device memory; a clone for neg and mul needs 1,048,576 B per core"
    assert found.detail == f"{head}; at neg 576,768 B of 1,625,344 B are free beside neg 1,048,576 B"


def test_an_output_that_is_read_has_the_price_of_its_clone() -> None:
    out = Pins(placement=frozendict({"neg": "hbm"}))
    free = compiled(fed_back(), on(1))
    assert not isinstance(free.plan.placement["neg"], Spilled), "its readers find it in LX, and a clone goes out"
    kept = compiled(fed_back(), on(1), out)
    assert spilled(kept, "neg").code is ReasonCode.PINNED
    assert kept.cost.total_us > free.cost.total_us


@pytest.mark.parametrize("cores", [1, 32])
def test_an_output_that_nobody_reads_saves_nothing(cores: int) -> None:
    found = spilled(compiled(softmax(), on(cores)), "truediv")
    words = "1,048,576 B: the host fetches it from device memory, and no step reads it"
    assert found == Spilled(ReasonCode.NOT_READ, words)


def test_an_input_that_no_copy_serves_says_why() -> None:
    sketch = Sketch("masked")
    sketch.output(sketch.pad(sketch.input("x", 64, 128), 0, 64))
    found = spilled(compiled(sketch.program(), on(32)), "x")
    words = "16,384 B: an input, it arrives in device memory; pad reads it under a mask"
    assert found == Spilled(ReasonCode.NO_CLONE, words)


def test_an_input_that_is_too_large_on_all_cores_says_so() -> None:
    found = spilled(compiled(softmax(), tiny_lx(on(4), 65_536)), "x")
    assert found.code is ReasonCode.NO_CLONE
    assert found.detail.endswith("; on each of 4 cores a clone takes 262,144 B at least, and LX has 65,536 B")


def circular(found: Compilation) -> list[str]:
    said = (print_explanation(explain(found, name)) for name in found.plan.placement)
    return [text for text in said if "co-optimized pipeline weighs" in text]


@pytest.mark.parametrize("program", [softmax(), attention(), fed_back()], ids=lambda program: program.name)
def test_no_explanation_sends_to_the_pipeline_that_made_the_plan(program: LoopProgram) -> None:
    for cores in (1, 3):
        assert circular(compiled(program, on(cores))) == []
    assert circular(compiled(program, on(1), pipeline="staged")), "there it is the right remedy"


def test_random_programs_do_not_either() -> None:
    told = 0
    for seed in range(5):
        try:
            found = compiled(random_program(seed, 5), on((1, 8, 32)[seed % 3]))
        except StudioError:
            continue  # it has no plan
        assert circular(found) == []
        told += sum(isinstance(place, Spilled) for place in found.plan.placement.values())
    assert told > 4


def test_a_search_that_is_ended_at_once_does_not_either() -> None:
    problem = Problem(fed_back(), on(1), Pins())
    asked = Watch(enough=lambda: True)
    passes = parse_pipeline(GREEDY)
    plan = Plan(problem.program.name, problem.device.name, problem.device.cores, GREEDY)
    for one in passes[:-1]:
        plan = one(problem, plan)
    last = passes[-1]
    assert isinstance(last, CoOptimize)
    codes = {place.code for place in last.search(problem, plan, asked).placement.values() if isinstance(place, Spilled)}
    assert ReasonCode.UNWEIGHED in codes
    assert codes.isdisjoint({ReasonCode.GRAPH_INPUT, ReasonCode.GRAPH_OUTPUT})


def test_a_plan_of_before_the_search_says_that_nothing_better_was_found() -> None:
    staged = compiled(fed_back(), on(1), pipeline="staged")
    plan = unweighed(staged.problem, staged.plan)
    codes = {name: place.code for name, place in plan.placement.items() if isinstance(place, Spilled)}
    assert codes["x"] is codes["neg"] is ReasonCode.UNWEIGHED
    assert codes["mul"] is ReasonCode.NOT_READ
    kept = {name for name, place in plan.placement.items() if place == staged.plan.placement[name]}
    assert kept == plan.placement.keys() - {"x", "neg", "mul"}
