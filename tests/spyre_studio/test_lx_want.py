"""Wants: what a buffer asks of LX, and what bars it, against the compiler's own words."""

import pytest
from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.pins import Pins
from compiler.plan import ReasonCode, Slot, Spilled
from spyre_studio.lx_want import bar_of, want_of
from tests.programs import attention
from tests.spyre_studio.crowds import NEED, crowded
from tests.spyre_studio.moves import moved
from tests.spyre_studio.plans import compiled

CLONING = "co-optimized"


@pytest.fixture(scope="module")
def plan() -> Compilation:
    return compiled(program=attention(2, 64, 64))


def test_a_resident_asks_for_what_it_has(plan: Compilation) -> None:
    for name, place in plan.plan.placement.items():
        want = want_of(plan, name, "staged")
        if isinstance(place, Slot):
            assert (want.size, want.first, want.last) == (place.size_bytes, place.first_step, place.last_step)
            assert not want.barred
            assert not want.doubt


def test_without_room_it_asks_for_what_the_planner_found_too_much() -> None:
    made = crowded()
    for name, place in made.plan.placement.items():
        if isinstance(place, Spilled) and place.code is ReasonCode.CAPACITY:
            want = want_of(made, name, "staged")
            assert f"needs {want.size:,} B per core in steps {want.first} to {want.last}" in place.detail
            assert (want.size, want.barred, want.doubt) == (NEED, "", "")


def test_inputs_and_outputs_need_a_pipeline_with_clones(plan: Compilation) -> None:
    for name in ("q", "context"):
        assert "co-optimized" in bar_of(plan, name, "staged")
        assert bar_of(plan, name, CLONING) == ""
        assert want_of(plan, name, CLONING).doubt
    assert want_of(plan, "q", CLONING).size == 512, "what a core reads of it"


def test_a_division_that_does_not_match_is_a_doubt_not_a_bar(plan: Compilation) -> None:
    want = want_of(plan, "scores", "staged")
    assert want.barred == ""
    assert want.doubt.startswith("divided differently: scores is divided")


def test_a_pin_to_device_memory_is_no_doubt_unless_something_is_behind_it() -> None:
    pins = Pins(placement=frozendict(exp="hbm", scores="hbm"))
    made = compiled(program=attention(2, 64, 64), pins=pins)
    assert want_of(made, "exp", "staged").doubt == ""
    assert want_of(made, "scores", "staged").doubt.startswith("scores is divided")


def test_copies_that_the_plan_makes_cannot_be_pinned() -> None:
    made = moved()
    assert bar_of(made, "mm@ring", CLONING).endswith("pin mm instead")
    assert bar_of(made, "w@in", CLONING).endswith("pin w instead")
    assert bar_of(made, "mm", CLONING) == ""
    assert bar_of(made, "nobody", CLONING) == "this plan has no such buffer"
