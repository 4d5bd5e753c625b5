"""Changes of pins as values and in words."""

import pytest
from frozendict import frozendict

from compiler.pins import Pins
from spyre_studio.pin_change import (
    describe,
    with_division,
    with_layout,
    with_order,
    with_placement,
    with_relayout,
    with_same,
    without,
)

FULL = Pins(
    division=frozendict(op=frozendict(m=8)),
    layout=frozendict(x=1),
    placement=frozendict(x="lx"),
    tiles=frozendict(op=frozendict(m=2)),
    order=frozendict(x=(0, 1)),
    same=frozendict(other="op"),
    relayout=frozendict(x="ring"),
)


@pytest.mark.parametrize("key", FULL.keys)
def test_one_pin_goes_and_the_others_stay(key: str) -> None:
    assert set(without(FULL, key).keys) == set(FULL.keys) - {key}


@pytest.mark.parametrize("key", ["division:nosuch", "nosuch:op", "", "layout"])
def test_a_pin_that_is_not_there_changes_nothing(key: str) -> None:
    assert without(FULL, key) == FULL


def test_pins_are_replaced() -> None:
    assert with_division(FULL, "op", {"n": 2}).division == frozendict(op=frozendict(n=2))
    assert with_layout(FULL, "y", 0).layout == frozendict(x=1, y=0)
    assert with_placement(FULL, "x", "hbm").placement == frozendict(x="hbm")


def test_one_pin_at_a_time_says_how_an_op_is_divided() -> None:
    same = with_same(FULL, "op", "third")
    assert not same.division
    assert same.same == {"other": "op", "op": "third"}
    assert with_division(same, "op", {"m": 4}).same == {"other": "op"}
    assert with_same(FULL, "op", "other").same == {"op": "other"}, "not each the other"
    with pytest.raises(ValueError, match="its own division"):
        with_same(FULL, "op", "op")


def test_the_ring_and_device_memory_exclude_each_other() -> None:
    out = with_placement(FULL, "x", "hbm")
    assert out.placement == {"x": "hbm"}
    assert not out.relayout
    ring = with_relayout(out, "x", "ring")
    assert not ring.placement
    assert ring.relayout == {"x": "ring"}
    never = with_relayout(out, "x", "none")
    assert never.placement == {"x": "hbm"}
    assert never.relayout == {"x": "none"}
    assert with_placement(never, "x", "hbm").relayout == {"x": "none"}


def test_a_stick_dim_takes_the_place_of_an_order_that_contradicts_it() -> None:
    ordered = with_order(Pins(), "x", (0, 2, 1))
    assert with_layout(ordered, "x", 1).order == {"x": (0, 2, 1)}
    assert with_layout(ordered, "x", 0).order == {}
    assert with_layout(ordered, "y", 0).order == {"x": (0, 2, 1)}


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (Pins(), with_division(Pins(), "a:b", {"m": 2}), "Pin division of a:b"),
        (FULL, with_division(FULL, "op", {"m": 4}), "Pin division of op"),
        (FULL, without(FULL, "tiles:op"), "Unpin tiles of op"),
        (FULL, with_same(FULL, "op", "third"), "Pin division of op"),
        (FULL, without(FULL, "same:other"), "Unpin division of other"),
        (FULL, with_placement(FULL, "x", "hbm"), "Pin placement of x"),
        (Pins(), with_relayout(Pins(), "x", "none"), "Pin relayout of x"),
        (FULL, Pins(), "Remove all pins"),
        (Pins(), FULL, "Change pins"),
        (with_layout(Pins(), "x", 1), with_layout(Pins(), "y", 1), "Change pins"),
        (Pins(), with_order(with_layout(Pins(), "x", 1), "x", (0, 1)), "Pin layout of x"),
        (with_order(Pins(), "x", (0, 1)), with_layout(with_order(Pins(), "x", (0, 1)), "x", 0), "Pin layout of x"),
        (with_order(Pins(), "x", (0, 1)), Pins(), "Unpin layout of x"),
        (
            with_division(Pins(), "op", {"m": 2, "n": 4}),
            with_division(Pins(), "op", {"n": 4, "m": 2}),
            "Pin division of op",
        ),
    ],
)
def test_words(before: Pins, after: Pins, words: str) -> None:
    assert describe(before, after) == words
