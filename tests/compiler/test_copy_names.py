"""Pins on names that only a plan has, or nobody: refused with whose copy it is, or which names are near."""

from dataclasses import replace

import pytest
from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.graph import ModelGraph
from compiler.joint.pins import joint_status
from compiler.loops import LoopProgram
from compiler.pins import Pins, PinState, PinStatus
from compiler.pipeline import compile_problem
from compiler.pipelines import PIPELINES
from compiler.plan import EditKind, Slot
from tests.programs import problem_of
from tests.sketch import Sketch

GREEDY = PIPELINES["co-optimized"].replace("solver=cp-sat seconds=10.0", "solver=greedy seconds=1.0")
MOVED = PIPELINES["staged"].replace("moves=no", "moves=yes")
ROWS, COLUMNS = frozendict({"i": 8}), frozendict({"j": 8})
RING = "neg@ring is no buffer of the model, but a copy that a plan makes of neg by itself; "
INSTEAD = "pin placement:neg or relayout:neg instead"
OP = "neg@ring is no op of the model, but a copy that a plan makes of neg by itself, divided as its readers need it; "


def two() -> LoopProgram:
    sketch = Sketch("two")
    x = sketch.input("x", 512, 1024)
    sketch.output(sketch.apply("sub", sketch.apply("neg", x), sketch.apply("abs", x)))
    return sketch.program()


def compiled(pins: Pins, pipeline: str = GREEDY) -> Compilation:
    """With divisions under which neg goes over the ring."""
    division = frozendict({"neg": ROWS, "sub": COLUMNS})
    pins = replace(pins, division=division | pins.division)
    return compile_problem(ModelGraph("two", (), (), ()), problem_of(two(), pins), pipeline=pipeline)


@pytest.mark.parametrize("pipeline", [GREEDY, MOVED], ids=["co-optimized", "moved"])
def test_a_copy_of_the_plan_cannot_be_pinned_and_says_what_can(pipeline: str) -> None:
    made = compiled(Pins(), pipeline).plan
    assert [edit.target for edit in made.edits if edit.kind is EditKind.RELAYOUT] == ["neg@ring"]
    assert isinstance(made.placement["neg@ring"], Slot)
    for pins in (
        Pins(placement=frozendict({"neg@ring": "hbm"})),
        Pins(placement=frozendict({"neg@ring": "lx"})),
        Pins(relayout=frozendict({"neg@ring": "none"})),
    ):
        plan = compiled(pins, pipeline).plan
        (key,) = pins.keys
        assert plan.pins[key] == PinStatus(PinState.REFUSED, RING + INSTEAD)
        assert plan.placement == made.placement, "the pin changes nothing else"


def test_what_the_refusal_says_to_pin_instead_does_it() -> None:
    plan = compiled(Pins(relayout=frozendict({"neg": "none"}))).plan
    assert "neg@ring" not in plan.placement
    plan = compiled(Pins(placement=frozendict({"neg": "hbm"}))).plan
    assert "neg@ring" not in plan.placement


@pytest.mark.parametrize(
    ("pins", "words"),
    [
        (Pins(placement=frozendict({"x@in": "lx"})), RING.replace("neg@ring", "x@in").replace("of neg", "of x")),
        (Pins(placement=frozendict({"nag@in": "lx"})), "there is no buffer nag@in"),
        (Pins(same=frozendict({"neg@ring": "abs"})), OP + "pin the division of sub instead"),
        (Pins(same=frozendict({"abs": "neg@ring"})), OP + "pin the division of sub instead"),
        (Pins(same=frozendict({"abs": "nag"})), "there is no op nag; the nearest name is neg"),
        (Pins(relayout=frozendict({"nag": "ring"})), "there is no buffer nag; the nearest name is neg"),
        (Pins(division=frozendict({"neg@ring": ROWS})), OP + "pin the division of sub instead"),
        (Pins(division=frozendict({"nag": ROWS})), "there is no op nag; the nearest name is neg"),
    ],
)
def test_other_pins_on_copies_and_on_nothing_say_so(pins: Pins, words: str) -> None:
    (key,) = pins.keys
    found = compiled(pins).plan.pins[key]
    assert found.state is PinState.REFUSED
    assert found.detail.startswith(words)


def test_a_copy_to_other_sticks_is_part_of_the_program_and_can_be_pinned() -> None:
    sketch = Sketch("turned")
    x, y = sketch.input("x", 256, 256), sketch.input("y", 256, 256)
    sketch.output(sketch.matmul(x, y.permuted((1, 0))))
    graph = ModelGraph("turned", (), (), ())
    free = compile_problem(graph, problem_of(sketch.program()), pipeline=GREEDY).plan
    (copy,) = [edit.target for edit in free.edits if edit.kind is EditKind.RESTICKIFY]
    for place in ("lx", "hbm"):
        pins = Pins(placement=frozendict({copy: place}))
        plan = compile_problem(graph, problem_of(sketch.program(), pins), pipeline=GREEDY).plan
        assert plan.pins == {f"placement:{copy}": PinStatus(PinState.HONOURED)}
        assert isinstance(plan.placement[copy], Slot) == (place == "lx")


def test_the_status_of_a_pin_on_a_copy_is_read_off_any_plan() -> None:
    """Whether a plan has the copy or not, so that a pin does not come and go with what a search finds."""
    pins = Pins(placement=frozendict({"neg@ring": "lx"}))
    with_copy = compiled(Pins()).plan
    without = compiled(Pins(relayout=frozendict({"neg": "none"}))).plan
    problem = problem_of(two(), pins)
    assert joint_status(problem, with_copy, {}) == joint_status(problem, without, {})
