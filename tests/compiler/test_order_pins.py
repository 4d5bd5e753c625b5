"""Order pins: kept, or refused with a sentence that says why."""

import pytest
from frozendict import frozendict

from compiler.graph import ModelGraph
from compiler.layout import UNIT
from compiler.loops import LoopProgram
from compiler.pins import Pins, PinState
from compiler.pipeline import compile_problem
from compiler.plan import Plan
from tests.compiler.order_cases import computed, embedding, ordered
from tests.programs import problem_of

GRAPH = ModelGraph("pins", (), (), ())
OUTSIDE = (1, 0, 2)


def pinned(program: LoopProgram, **pins: object) -> Plan:
    return ordered(program, pins=Pins(order=frozendict(pins)))  # type: ignore[arg-type]


def test_a_pinned_order_is_kept_and_a_copy_made_where_that_pays() -> None:
    plan = pinned(computed(), relu=(0, 1, 2), exp=(UNIT, 0, 1, 2))
    assert plan.pins["order:relu"].state is plan.pins["order:exp"].state is PinState.HONOURED
    assert plan.layouts["relu"].dim_order == (0, 1, 2)
    assert plan.layouts["exp"].device_size == (4, 512, 8, 1, 64)
    assert [edit.name for edit in plan.edits] == ["relu_1@d1", "relu@order102"]
    assert plan.reasons["layout:relu"].endswith("dim order 0, 1, 2, pinned")
    found = compile_problem(GRAPH, problem_of(computed(), Pins(order=frozendict(relu=(0, 1, 2)))))
    assert found.ok
    assert found.plan.pins["order:relu"].state is PinState.HONOURED


def test_advice_for_a_copy_ends_with_what_can_be_pinned() -> None:
    plan = ordered(computed(), pins=Pins(order=frozendict({"relu_1@d1": (0, 1, 2)})))
    words = "as a copy of relu_1 it has the sticks that its reader needs: pin an order that ends with 1"
    assert plan.pins["order:relu_1@d1"].detail.endswith(words)
    assert "pin layout:" not in plan.pins["order:relu_1@d1"].detail


def test_a_copy_can_be_pinned_too() -> None:
    plan = ordered(computed(), pins=Pins(order=frozendict({"relu_1@d1": (0, 2, 1)})))
    assert plan.pins["order:relu_1@d1"].state is PinState.HONOURED
    assert plan.layouts["relu_1@d1"].dim_order == (0, 2, 1)
    assert plan.claims["order-dims"].objective == 104858


@pytest.mark.parametrize(
    ("name", "order", "words"),
    [
        ("rel", (0, 1, 2), "there is no buffer rel; the nearest names are relu, relu_1"),
        ("relu", (0, 1, 1), "the dim order of relu must name each of its dims 0 to 2 once, [0, 1, 1] does not"),
        ("relu", (0, 1), "must name each of its dims 0 to 2 once, [0, 1] does not"),
        ("relu", (), "must name each of its dims 0 to 2 once, [] does not"),
        ("relu", (0, 1, 2, 3), "must name each of its dims 0 to 2 once"),
        ("relu", (UNIT, UNIT, 0, 1, 2), "must name each of its dims 0 to 2 once"),
        ("relu", (0, UNIT, 1, 2), "must name each of its dims 0 to 2 once"),
        ("relu", (0, 1, 2, 3, 4, 5, 6), "the dim order of relu has 7 entries, a stick layout has at most 6"),
        ("relu", "0, 1, 2", "the dim order of relu is '0, 1, 2', not a list of whole numbers"),
        ("relu", (0, True, 2), "is (0, True, 2), not a list of whole numbers"),
        (
            "relu",
            (0, 2, 1),
            "its dim order ends with 2, but [0, 2, 1] ends with 1; pin layout:relu to move its sticks",
        ),
        ("q", (0, 2, 1), "ends with 1; the host fills it and decides that; pin a tensor computed from it"),
        ("relu", (0, 1, 2, -1), "so that its dim order ends with 2, but [0, 1, 2, -1] ends with -1"),
        ("q", OUTSIDE, "q is filled by the host, which uses the order [0, 1, 2]; pin a tensor computed from it"),
    ],
)
def test_a_pin_that_cannot_be_kept_is_refused(name: str, order: object, words: str) -> None:
    plan, free = pinned(computed(), **{name: order}), ordered(computed())
    assert plan.pins[f"order:{name}"].state is PinState.REFUSED
    assert words in plan.pins[f"order:{name}"].detail
    assert (plan.layouts, plan.edits) == (free.layouts, free.edits)


def test_a_pin_on_an_input_that_asks_for_what_it_has_is_kept() -> None:
    assert pinned(computed(), q=(0, 1, 2)).pins["order:q"].state is PinState.HONOURED


def test_a_pin_that_moves_what_is_picked_inside_is_refused() -> None:
    plan = pinned(embedding("parameter"), table=(0, 1))
    assert plan.pins["order:table"].detail == (
        "gather picks from table along dim 0, which must come first on the device; [0, 1] gives device sizes "
        "[2, 1000, 64]"
    )
    assert plan.layouts["table"].dim_order == (UNIT, 0, 1)


def test_pins_are_decided_under_every_rule() -> None:
    for rule in ("public", "default"):
        plan = ordered(computed(), rule, Pins(order=frozendict(relu=(UNIT, 0, 1, 2), nobody=(0,))))
        assert plan.pins["order:relu"].state is PinState.HONOURED
        assert plan.layouts["relu"].dim_order == (UNIT, 0, 1, 2)
        assert plan.pins["order:nobody"].state is PinState.REFUSED
