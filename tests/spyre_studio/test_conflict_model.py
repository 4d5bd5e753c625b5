"""Conflicts of pins: who is in the way, and remedies that a plan made with them proves to help."""

from dataclasses import replace

import pytest
from frozendict import frozendict

from compiler.pins import Pins, PinState
from compiler.plan import Slot
from spyre_studio.conflict_model import Conflict, conflicts_of
from tests.programs import attention
from tests.spyre_studio.crowds import crowded
from tests.spyre_studio.plans import compiled


def told(conflict: Conflict, deed: str) -> list[str]:
    return [remedy.target for remedy in conflict.remedies if remedy.deed == deed]


@pytest.fixture(scope="module")
def full() -> Conflict:
    """Three long buffers are pinned, of which two fit."""
    (conflict,) = conflicts_of(crowded(a="lx", b="lx", c="lx"))
    return conflict


def test_kept_pins_are_no_conflict() -> None:
    assert conflicts_of(crowded()) == ()
    assert conflicts_of(crowded(a="lx", b="hbm")) == ()


def test_the_sentence_has_bytes_step_and_names(full: Conflict) -> None:
    assert (full.buffer, full.where, full.state) == ("b", "lx", PinState.REFUSED)
    assert full.sentence.startswith("needs 640 KiB on each core in steps 1 to 8; at step 2 the largest hole has")
    assert full.sentence.endswith("332.8 KiB too few; there lie a (640 KiB), c (640 KiB)")
    assert full.blockers == ("a", "c")
    assert told(full, "step") == ["2"]


def test_unpinning_who_is_in_the_way_helps(full: Conflict) -> None:
    assert told(full, "unpin")[-1] == "b", "giving up is the last one"
    (other,) = told(full, "unpin")[:-1]
    pins = {name: "lx" for name in ("a", "b", "c") if name != other}
    made = crowded(**pins)
    assert conflicts_of(made) == ()
    assert isinstance(made.plan.placement["b"], Slot)


def test_who_lies_there_without_a_pin_can_be_sent_out() -> None:
    made = crowded(a="lx", b="lx", c="lx")
    loose = replace(made, problem=replace(made.problem, pins=Pins(placement=frozendict(b="lx"))))
    (conflict,) = conflicts_of(loose)
    (other,) = told(conflict, "evict")
    assert other in conflict.blockers
    assert conflicts_of(crowded(**{"b": "lx", other: "hbm"})) == ()


def test_larger_than_lx_leads_to_its_division() -> None:
    made = compiled(program=attention(8, 2048, 64), cores=4, pins=Pins(placement=frozendict(exp="lx")))
    (conflict,) = conflicts_of(made)
    assert "more than the" in conflict.sentence
    assert told(conflict, "op") == ["exp"]
    assert conflict.step == -1


def test_what_is_not_about_room_has_other_remedies() -> None:
    pins = Pins(placement=frozendict(q="lx", scores="lx"))
    one, other = conflicts_of(compiled(program=attention(2, 64, 64), pins=pins))
    assert told(one, "clones") == ["co-optimized"]
    assert told(other, "apart") == ["scores"]
    assert told(other, "op") == ["scores"]
    assert [told(each, "unpin") for each in (one, other)] == [["q"], ["scores"]]


def test_a_pin_of_what_the_model_does_not_have_can_be_taken_back() -> None:
    (conflict,) = conflicts_of(compiled(pins=Pins(placement=frozendict(nobody="lx"))))
    assert "there is no buffer nobody" in conflict.sentence
    assert told(conflict, "unpin") == ["nobody"]
