"""Differences of two compilations: what changed, its cause, and what it costs; none between equal plans."""

from dataclasses import replace

import pytest
from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.device import load_device
from compiler.diff import Change, ChangeKind, PlanDiff, diff, print_diff
from compiler.division import Division, Split
from compiler.graph import ModelGraph
from compiler.layout import Arrangement, stick_layout
from compiler.loops import LoopProgram
from compiler.pins import Pins
from compiler.pipeline import compile_problem
from compiler.plan import Edit, EditKind, ReasonCode, Slot, Spilled
from compiler.problem import Problem
from tests.programs import attention, product, softmax


def compiled(program: LoopProgram, pins: Pins | None = None, cores: int = 32) -> Compilation:
    problem = Problem(program, load_device("spyre").with_cores(cores), pins or Pins())
    return compile_problem(ModelGraph(program.name, (), (), ()), problem)


SOFTMAX = softmax(128, 256)
PLAIN = compiled(SOFTMAX)


def changed(found: PlanDiff, kind: ChangeKind, name: str) -> Change:
    (one,) = [change for change in found.of_kind(kind) if change.name == name]
    return one


@pytest.mark.parametrize("program", [SOFTMAX, attention(2, 64, 64), product(64, 128, 64)], ids=lambda one: one.name)
def test_a_plan_does_not_differ_from_itself(program: LoopProgram) -> None:
    whole = compiled(program)
    found = diff(whole, whole)
    assert found.same
    assert print_diff(found) == "no difference\n"


def test_a_pin_and_what_follows_from_it() -> None:
    found = diff(PLAIN, compiled(SOFTMAX, Pins(division=frozendict(exp=frozendict(i=4)))))
    assert changed(found, ChangeKind.PIN, "division:exp") == Change(
        ChangeKind.PIN, "division:exp", "none", "i 4", "honoured"
    )
    division = changed(found, ChangeKind.DIVISION, "exp")
    assert (division.before, division.after, division.cause) == ("i 32 on 32 cores", "i 4 on 4 cores", "pinned")
    placed = changed(found, ChangeKind.PLACEMENT, "sub")
    assert placed.after == "device memory (divided differently)"
    assert placed.cause.startswith("exp divided differently; ")
    assert found.total.delta_us == pytest.approx(sum(cost.delta_us for cost in found.costs))
    assert abs(found.costs[0].delta_us) == max(abs(cost.delta_us) for cost in found.costs)


def test_a_removed_pin_is_a_cause() -> None:
    pinned = compiled(SOFTMAX, Pins(division=frozendict(exp=frozendict(i=4)), placement=frozendict(max="hbm")))
    found = diff(pinned, PLAIN)
    assert changed(found, ChangeKind.DIVISION, "exp").cause.startswith("the pin was removed")
    assert changed(found, ChangeKind.PLACEMENT, "max").cause == "the pin was removed"
    pin = changed(found, ChangeKind.PIN, "placement:max")
    assert (pin.before, pin.after) == ("device memory", "none")


def test_a_refused_pin_says_why() -> None:
    found = diff(PLAIN, compiled(SOFTMAX, Pins(division=frozendict(exp=frozendict(i=5)))))
    assert changed(found, ChangeKind.PIN, "division:exp").cause.startswith("refused: 5 does not divide")
    assert not found.of_kind(ChangeKind.DIVISION)


def test_the_order_of_pinned_loops_counts() -> None:
    program = attention(2, 64, 64)
    orders = ({"m": 2, "n": 1}, {"n": 1, "m": 2})
    first, second = (compiled(program, Pins(division=frozendict(scores=frozendict(order)))) for order in orders)
    assert changed(diff(first, second), ChangeKind.PIN, "division:scores").after == "n 1, m 2"


def test_settings() -> None:
    found = diff(PLAIN, compiled(SOFTMAX, cores=4))
    assert changed(found, ChangeKind.SETTING, "cores") == Change(ChangeKind.SETTING, "cores", "32", "4")
    other = diff(PLAIN, compiled(softmax(64, 256)))
    assert changed(other, ChangeKind.SETTING, "program").after == "as captured now"


def test_hand_made_decisions_as_text() -> None:
    edit = Edit("x@d0", EditKind.RESTICKIFY, "x", "x@d0", "max", ("max",))
    arranged = stick_layout((128, 256), (256, 1), 64, (0, 1), Arrangement.F16_TO_F32)
    plan = replace(
        PLAIN.plan,
        layouts=PLAIN.plan.layouts.set("x", stick_layout((128, 256), (256, 1), 64, (1, 0))).set("max", arranged),
        divisions=PLAIN.plan.divisions.set("max", Division()).set("x@d0", Division((Split("d0", 2, 64),))),
        placement=PLAIN.plan.placement.set("exp", Slot(128, 2048, 2, 4, "sub")).set(
            "sum", Spilled(ReasonCode.CAPACITY, "needs 5 bytes more")
        ),
        edits=(edit,),
        reasons=PLAIN.plan.reasons.set("edit:x@d0", "max reads it along the other dim"),
    )
    found = diff(PLAIN, replace(PLAIN, plan=plan))
    lines = print_diff(found)
    for line in (
        "layout x: sticks of dim 1 [4,128,64] -> sticks of dim 0 [2,256,64]",
        "division max: i 32 on 32 cores -> one core",
        "division x@d0: none -> d0 2 on 2 cores",
        "placement sum: LX 0x00800 + 512 B, steps 3..4 -> device memory (no room)",
        "    needs 5 bytes more",
        "address exp: LX 0x00000 + 2,048 B, steps 2..4, in place of sub -> LX 0x00080 + 2,048 B",
        "+ restickify x@d0: x to x@d0, before max",
        "    max reads it along the other dim",
    ):
        assert line in lines
    assert "f16-to-f32" in changed(found, ChangeKind.LAYOUT, "max").after
    back = diff(replace(PLAIN, plan=plan), PLAIN)
    assert [entry.added for entry in back.edits] == [False]
    assert changed(back, ChangeKind.DIVISION, "x@d0").after == "none"


def test_totals_are_told_with_their_difference() -> None:
    cost = replace(PLAIN.cost, total_us=PLAIN.cost.total_us + 2.5, hbm_bytes=0, restickify_elements=1000)
    text = print_diff(diff(PLAIN, replace(PLAIN, cost=cost)))
    assert "(+2.50)" in text
    assert f"device memory: {PLAIN.cost.hbm_bytes:,} -> 0 B (-{PLAIN.cost.hbm_bytes:,})" in text
    assert "restickified: 0 -> 1,000 elements (+1,000)" in text


def test_different_models_can_be_compared() -> None:
    found = diff(PLAIN, compiled(attention(2, 64, 64)))
    assert changed(found, ChangeKind.SETTING, "model").after == "attention"
    assert changed(found, ChangeKind.DIVISION, "scores").before == "none"
    assert print_diff(found).startswith(f"{found.unlike}\n")
    assert "different models, softmax and attention" in found.unlike
    assert not diff(PLAIN, compiled(SOFTMAX, cores=4)).unlike


def test_seconds_are_no_difference() -> None:
    """Two runs with the same input differ in nothing else."""
    log = tuple(replace(record, seconds=record.seconds + 1) for record in PLAIN.log)
    later = replace(PLAIN, log=log, solver=replace(PLAIN.solver, seconds=PLAIN.solver.seconds + 1))
    found = diff(PLAIN, later)
    assert found.same
    assert print_diff(found) == "no difference\n"
