"""Trails: every copy of a buffer in one chain, whichever of them is followed."""

import pytest

from compiler.compilation import Compilation
from spyre_studio.lx_trail import Trail, part_words, trail_of
from spyre_studio.occupancy import occupancy_of
from tests.programs import attention
from tests.spyre_studio.moves import moved
from tests.spyre_studio.plans import compiled


@pytest.fixture(scope="module")
def plan() -> Compilation:
    return moved()


def followed(plan: Compilation, buffer: str) -> Trail:
    return trail_of(plan, occupancy_of(plan), buffer)


def test_the_chain_goes_from_the_producer_over_moves_to_readers_and_results(plan: Compilation) -> None:
    trail = followed(plan, "mm")
    assert trail.forms == ("mm", "mm@ring", "mm@out")
    assert [(one.kind, one.op, one.step) for one in trail.stations] == [
        ("made", "mm", 2),
        ("move", "mm@ring", 3),
        ("read", "relu", 4),
        ("move", "mm@out", 5),
        ("result", "", -1),
    ]
    words = trail.stations[1].words
    assert words == "step 3 · relayout to mm@ring · LX 0x0A800, 2 KiB on each of 8 cores"
    assert "device memory 0x" in trail.stations[3].words


@pytest.mark.parametrize("form", ["mm", "mm@ring", "mm@out"])
def test_every_form_has_the_same_trail(plan: Compilation, form: str) -> None:
    assert followed(plan, form) == followed(plan, "mm")


def test_an_input_begins_with_the_host(plan: Compilation) -> None:
    first, second, third = followed(plan, "w@in").stations
    assert (first.kind, first.buffer, first.step) == ("given", "w", -1)
    assert second.title == "clone into LX to w@in"
    assert third.title == "read by mm"


def test_a_trail_without_moves_is_made_and_read() -> None:
    trail = followed(compiled(program=attention(2, 64, 64)), "exp")
    assert [one.kind for one in trail.stations] == ["made", "read", "read"]
    assert trail.stations[0].place.startswith("LX 0x")


def test_the_station_of_a_step_is_the_last_one_it_has_passed(plan: Compilation) -> None:
    trail = followed(plan, "mm")
    assert [trail.at(step) for step in (None, 0, 2, 3, 4, 9)] == [0, 0, 0, 1, 2, 3]


def test_the_part_of_a_core(plan: Compilation) -> None:
    assert part_words(plan, "mm", 3) == "core 3 holds [0:1, 48:64, 0:64] of its device dims"
    assert part_words(plan, "mm", 99) == "core 99 holds nothing of it"
    assert part_words(plan, "x", 3) == ""
