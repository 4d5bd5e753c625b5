"""Handovers: what each way out costs, against the price of whole plans and the published example."""

from dataclasses import replace

import pytest
from frozendict import frozendict

from compiler.codec import structure, unstructure
from compiler.cost.model import price
from compiler.device import load_device
from compiler.errors import InputError
from compiler.graph import ModelGraph
from compiler.handover import Handover, Way, WayKind
from compiler.handovers import handover
from compiler.loops import LoopProgram
from compiler.ownership import holding, mismatch
from compiler.pins import Pins
from compiler.pipeline import compile_problem
from compiler.plan import Plan, Slot
from compiler.problem import Problem
from compiler.schedule import expand
from compiler.spaces import space_of
from tests.programs import chain, product
from tests.sketch import Sketch


def planned(program: LoopProgram, cores: int = 32, **pins: dict[str, int]) -> tuple[Problem, Plan]:
    division = frozendict((op, frozendict(factors)) for op, factors in pins.items())
    problem = Problem(program, load_device("spyre").with_cores(cores), Pins(division=division))
    return problem, compile_problem(ModelGraph(program.name, (), (), ()), problem, pipeline="staged").plan


def way(found: Handover, kind: WayKind) -> Way:
    return next(one for one in found.ways if one.kind is kind)


def published() -> tuple[Problem, Plan]:
    """relu(neg(x)), x = [8,256,512] fp16 on 8 cores, divided so that a run of 4096 B split by 2 governs the ring."""
    program = chain(8, 256, 512, primitives=("neg", "relu"))
    return planned(program, 8, neg={"j": 8}, relu={"j": 4, "l": 2})


def test_the_published_round_trip_and_relayout() -> None:
    problem, plan = published()
    found = handover(problem, plan, "neg", ("neg", "relu"), {})
    spill, ring = way(found, WayKind.SPILL), way(found, WayKind.RELAYOUT)
    assert spill.extra_us == pytest.approx(40.0, abs=0.05)
    assert "39.9997 µs alone" in spill.inputs
    assert ring.possible
    assert ring.why_not == ""
    assert ring.extra_us == pytest.approx(1.1364, abs=1e-4)


def test_a_spill_is_what_the_price_of_the_plan_grows_by() -> None:
    problem, plan = published()
    found = handover(problem, plan, "neg", ("neg", "relu"), {})
    inside = replace(plan, placement=plan.placement.set("neg", Slot(0, plan.layouts["neg"].size_bytes, 0, 1)))
    assert way(found, WayKind.SPILL).extra_us == pytest.approx(
        price(problem, plan).total_us - price(problem, inside).total_us
    )


def test_a_relayout_that_no_ring_can_make_says_why() -> None:
    problem, plan = planned(chain(1024, 1024, primitives=("neg", "relu")), 16, neg={"i": 16}, relu={"j": 16})
    ring = way(handover(problem, plan, "neg", ("neg", "relu"), {}), WayKind.RELAYOUT)
    assert not ring.possible
    assert ring.why_not == "each core would send to 16 cores, the limit is 8"
    assert ring.extra_us > 0


def test_a_copy_that_would_leave_parts_at_two_places_is_not_offered() -> None:
    sketch = Sketch("spread")
    x, row = sketch.input("x", 4, 256, 128), sketch.apply("neg", sketch.input("y", 1, 256, 1))
    sketch.output(sketch.apply("add", x, row.expanded((4, 256, 128))))
    problem, plan = planned(sketch.program(), 8, neg={"j": 2}, add={"i": 2, "j": 2, "l": 2})
    ring = way(handover(problem, plan, "neg", ("neg", "add"), {}), WayKind.RELAYOUT)
    assert not ring.possible
    assert ring.why_not


def test_following_makes_every_core_find_its_part() -> None:
    problem, plan = published()
    found = handover(problem, plan, "neg", ("neg", "relu"), {})
    schedule = expand(problem.program, plan)
    for kind, name in ((WayKind.READER_FOLLOWS, "relu"), (WayKind.WRITER_FOLLOWS, "neg")):
        one = way(found, kind)
        assert one.possible
        division = space_of(schedule.step_map[name].op, schedule, plan.layouts).division(one.factors)
        changed = replace(plan, divisions=plan.divisions.set(name, division))
        held = holding(schedule.step_map["neg"], "neg", schedule, changed)
        assert mismatch(held, schedule.step_map["relu"], schedule, changed) == ""
        assert one.extra_us == pytest.approx(0, abs=1e-6), "pointwise ops take as long under either"


def test_ways_are_ranked_and_impossible_ones_come_last() -> None:
    problem, plan = published()
    ways = handover(problem, plan, "neg", ("neg", "relu"), {}).ways
    assert {one.kind for one in ways} == set(WayKind)
    assert [one.possible for one in ways] == sorted((one.possible for one in ways), reverse=True)
    times = [one.extra_us for one in ways if one.possible]
    assert times == sorted(times)


def test_drafts_stand_in_for_divisions_of_the_plan() -> None:
    problem, plan = published()
    found = handover(problem, plan, "neg", ("neg", "relu"), {"relu": {"i": 8}})
    assert way(found, WayKind.WRITER_FOLLOWS).factors == {"i": 8}


def test_where_nothing_fits_that_is_said() -> None:
    sketch = Sketch("dot")
    value = sketch.apply("neg", sketch.input("x", 64, 256))
    sketch.output(sketch.matmul(value, sketch.input("y", 256, 512), "dot"))
    problem, plan = planned(sketch.program(), neg={"i": 32}, dot={"j": 8})
    found = handover(problem, plan, "neg", ("neg", "dot"), {})
    writer = way(found, WayKind.WRITER_FOLLOWS)
    assert not writer.possible
    assert writer.why_not.startswith("none of ")
    assert way(found, WayKind.READER_FOLLOWS).factors == {"i": 32}


def test_partial_sums_are_not_taken_for_held_data() -> None:
    problem, plan = planned(_summed(), dot={"k": 4, "i": 2}, neg={"i": 2})
    found = handover(problem, plan, "dot", ("dot", "neg"), {})
    assert not way(found, WayKind.READER_FOLLOWS).possible
    assert "k" not in way(found, WayKind.WRITER_FOLLOWS).factors


def _summed() -> LoopProgram:
    sketch = Sketch("summed")
    sketch.output(sketch.apply("neg", sketch.matmul(sketch.input("x", 64, 256), sketch.input("y", 256, 128), "dot")))
    return sketch.program()


@pytest.mark.parametrize(
    ("buffer", "ends", "word"),
    [
        ("neg", ("nobody", "relu"), "no such step"),
        ("x", ("neg", "relu"), "does not write it"),
        ("neg", ("neg", "neg"), "does not read it"),
    ],
)
def test_wrong_questions_are_refused(buffer: str, ends: tuple[str, str], word: str) -> None:
    problem, plan = published()
    with pytest.raises(InputError, match=word):
        handover(problem, plan, buffer, ends, {})


def test_handovers_travel_as_json() -> None:
    problem, plan = published()
    found = handover(problem, plan, "neg", ("neg", "relu"), {})
    assert structure(Handover, unstructure(found), "a test") == found


def test_inputs_are_nobodys() -> None:
    problem, plan = planned(product(64, 128, 256))
    with pytest.raises(InputError, match="does not write it"):
        handover(problem, plan, "x", ("matmul", "matmul"), {})
