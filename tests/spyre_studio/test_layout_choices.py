"""Candidate layouts in words, what may be pinned, and what became of pins."""

from dataclasses import replace

import pytest
from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.layout import StickLayout, stick_layout
from compiler.layout_candidate import UNKNOWN, LayoutCandidate
from compiler.loops import BufferKind, LoopProgram
from compiler.pins import Pins, PinState, PinStatus
from spyre_studio.layout_choices import (
    bytes_text,
    detail_of,
    elements_text,
    objection_to,
    pin_note,
    pin_objection,
    pinned_one,
    pins_for,
    share_text,
    title_of,
    us_text,
    without_pins,
)
from tests.programs import softmax
from tests.sketch import Sketch
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stick_cases import TO_F32

SHAPE = (128, 256)


def candidate(layout: StickLayout, **others: object) -> LayoutCandidate:
    made = LayoutCandidate(layout, False, True, "", 500, 12.25, 0, 0.0, layout.size_bytes, 0)
    return replace(made, **others)  # type: ignore[arg-type]


ROWS = candidate(stick_layout(SHAPE, (256, 1), 64), chosen=True, alone_elements=0, alone_us=0.0)
COLUMNS = candidate(stick_layout(SHAPE, (256, 1), 64, (1, 0)))
SPARSE = candidate(stick_layout(SHAPE, (256, 1), 64, (0, 1, -1)))
BARRED = candidate(stick_layout(SHAPE, (256, 1), 64, (1, 0)), legal=False, why_not="max reads it along dim 1")
FOUND = (ROWS, COLUMNS, SPARSE)


@pytest.fixture(scope="module")
def program() -> LoopProgram:
    return softmax(*SHAPE)


def test_titles_name_what_is_cut() -> None:
    assert [title_of(one) for one in FOUND] == ["dim 1", "dim 0", "sparse"]
    assert title_of(candidate(stick_layout((), (), 64))) == "one value"
    assert title_of(candidate(stick_layout(SHAPE, (256, 1), 32, None, TO_F32))) == "dim 1 ab"


def test_cells_show_a_dash_for_what_nobody_worked_out() -> None:
    assert (elements_text(131072), elements_text(0), elements_text(UNKNOWN)) == ("131,072", "0", "–")
    assert (us_text(12.25), us_text(0.0), us_text(UNKNOWN), us_text(2500.0)) == ("12.2", "0.0", "–", "2.50 ms")
    assert (bytes_text(65536), share_text(0.25), share_text("x"), bytes_text("x")) == ("64 KiB", "25 %", "–", "–")


def test_details_say_what_moves_or_what_is_in_the_way() -> None:
    assert detail_of(ROWS) == "Device size [4,128,64], dim order [0,1]. Chosen: the graph moves nothing."
    assert detail_of(COLUMNS).endswith("the graph moves 500 elements in 12.2 µs; if everything follows, nothing.")
    slow = candidate(COLUMNS.layout, alone_us=2500.0, follow_elements=UNKNOWN)
    assert detail_of(slow).endswith("If only this changes, the graph moves 500 elements in 2.50 ms.")
    assert detail_of(BARRED).endswith("Not possible: max reads it along dim 1.")


# What may be pinned


def owned(kind: BufferKind, written: bool = False, returned: bool = False) -> LoopProgram:
    sketch = Sketch("owned")
    x, w = sketch.input("x", *SHAPE), sketch.parameter("w", *SHAPE)
    result = sketch.apply("add", x, w)
    sketch.output(*((result, w) if returned else (result,)))
    made = sketch.program()
    buffers = tuple(replace(one, kind=kind) if one.name == "w" else one for one in made.buffers)
    if not written:
        return replace(made, buffers=buffers)
    writes = tuple(replace(access, buffer="w") for access in made.ops[0].writes)
    return replace(made, buffers=buffers, ops=(replace(made.ops[0], writes=writes),))


def test_inputs_copies_and_weights_that_change_are_not_pinned() -> None:
    assert "the host fills an input at every run" in pin_objection(owned(BufferKind.INPUT), "w")
    assert pin_objection(owned(BufferKind.PARAMETER), "w") == ""
    assert pin_objection(owned(BufferKind.CONSTANT), "w") == ""
    assert "add writes this parameter" in pin_objection(owned(BufferKind.PARAMETER, written=True), "w")
    assert "returns this constant" in pin_objection(owned(BufferKind.CONSTANT, returned=True), "w")
    assert "a copy that the compiler inserts" in pin_objection(owned(BufferKind.PARAMETER), "w@d0")


def test_candidates_that_no_pin_can_name(program: LoopProgram) -> None:
    assert objection_to(COLUMNS, FOUND, program, "exp") == ""
    assert objection_to(BARRED, (ROWS, BARRED), program, "exp") == "max reads it along dim 1"
    assert "one value per stick" in objection_to(SPARSE, FOUND, program, "exp")
    woven = candidate(stick_layout(SHAPE, (256, 1), 64, None, TO_F32))
    assert "follows from its op" in objection_to(woven, (ROWS, woven), program, "exp")
    assert "the host fills an input" in objection_to(COLUMNS, FOUND, program, "x")


def test_a_candidate_becomes_a_pin_of_its_dim_and_where_needed_of_its_order() -> None:
    assert pins_for(Pins(), "exp", COLUMNS, FOUND) == Pins(layout=frozendict(exp=0))
    shape = (4, 128, 256)
    orders = [candidate(stick_layout(shape, (32768, 256, 1), 64, order)) for order in ((0, 1, 2), (1, 0, 2))]
    pins = pins_for(Pins(), "exp", orders[1], orders)
    assert pins == Pins(layout=frozendict(exp=2), order=frozendict(exp=(1, 0, 2)))
    assert pinned_one(orders, pins, "exp") is orders[1]
    assert pins_for(pins, "exp", COLUMNS, FOUND) == Pins(layout=frozendict(exp=0)), "an older order goes"
    assert without_pins(pins, "exp") == Pins()


def test_the_pinned_candidate_is_found() -> None:
    assert pinned_one(FOUND, Pins(), "exp") is None
    assert pinned_one(FOUND, Pins(layout=frozendict(exp=0)), "exp") is COLUMNS
    assert pinned_one(FOUND, Pins(order=frozendict(exp=(1, 0))), "exp") is COLUMNS
    assert pinned_one(FOUND, Pins(layout=frozendict(exp=7)), "exp") is None
    twin = candidate(stick_layout(SHAPE, (256, 1), 64, None, TO_F32))
    assert pinned_one((twin, ROWS), Pins(layout=frozendict(exp=1)), "exp") is ROWS


# What became of pins


@pytest.fixture(scope="module")
def solved() -> Compilation:
    return compiled(Pins(layout=frozendict(exp=1)))


def with_status(whole: Compilation, pins: Pins, **status: PinStatus) -> Compilation:
    keyed = frozendict({f"{kind}:exp": one for kind, one in status.items()})
    return replace(whole, problem=replace(whole.problem, pins=pins), plan=replace(whole.plan, pins=keyed))


def test_pins_are_told_with_their_worst_end(solved: Compilation) -> None:
    pins = solved.problem.pins
    assert pin_note(solved, Pins(), "exp").word == ""
    assert pin_note(solved, pins, "exp").word == "pinned"
    assert pin_note(solved, Pins(layout=frozendict(exp=0)), "exp").word == "not solved"
    both = Pins(layout=frozendict(exp=1), order=frozendict(exp=(0, 1)))
    refused = with_status(
        solved, both, layout=PinStatus(PinState.HONOURED), order=PinStatus(PinState.REFUSED, "it is a table")
    )
    note = pin_note(refused, both, "exp")
    assert (note.word, note.tone, note.sentence) == ("pin refused", "bad", "Pin refused: it is a table.")
