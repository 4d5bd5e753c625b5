"""Variants in a session: kept, shown without being made again, undone, and spared from being forgotten."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from compiler.pins import Pins
from spyre_studio.session import Session
from spyre_studio.variant import FIRST
from tests.programs import attention
from tests.spyre_studio.plans import compiled, divided, write_model
from tests.spyre_studio.stage import Stage, quiet_settings


@pytest.fixture
def stage(qapp: object, tmp_path: Path) -> Stage:
    made = Stage(quiet_settings(str(tmp_path)))
    made.put(compiled())
    return made


def settle(qtbot: QtBot, session: Session) -> None:
    qtbot.waitUntil(lambda: not session.busy, timeout=60_000)


def names(session: Session) -> list[tuple[int, str]]:
    return [(depth, one.name) for depth, one in session.variants.walk()]


def test_a_model_begins_with_one_variant_whose_plan_is_known(session: Session) -> None:
    assert names(session) == [(0, FIRST)]
    assert session.plan_of(FIRST) is session.compilation
    assert session.shown_variant == FIRST


def test_a_variant_is_shown_at_once_and_undo_goes_back(qtbot: QtBot, session: Session) -> None:
    first = session.compilation
    session.pin_division("sum", {"i": 4})
    settle(qtbot, session)
    second = session.compilation
    assert session.proposed_variant() == "sum i 4"
    assert session.shown_variant == ""
    assert session.keep_variant("sum i 4", "what the table says")
    assert names(session) == [(0, FIRST), (1, "sum i 4")]
    session.show_variant(FIRST)
    assert (session.busy, session.pins, session.stale) == ("", Pins(), False)
    assert session.compilation is first
    assert session.variants.chosen == FIRST
    session.undo_stack.undo()
    assert session.compilation is second
    assert session.pins == divided("sum", i=4)
    assert session.variants.chosen == "sum i 4"
    session.undo_stack.undo()
    assert names(session) == [(0, FIRST)], "keeping is a step of undo"
    session.undo_stack.undo()
    assert session.compilation is first
    session.undo_stack.redo()
    session.undo_stack.redo()
    assert names(session) == [(0, FIRST), (1, "sum i 4")]
    assert session.plan_of("sum i 4") is second


def test_device_and_options_belong_to_a_variant(qtbot: QtBot, session: Session) -> None:
    session.set_options("spyre", 8, "staged")
    settle(qtbot, session)
    assert session.proposed_variant() == "8 cores"
    session.keep_variant("8 cores")
    session.show_variant(FIRST)
    assert session.device.cores == 32
    session.show_variant("8 cores")
    assert (session.device.cores, session.options.cores, session.busy) == (8, 8, "")
    session.undo_stack.undo()
    assert session.device.cores == 32


def test_a_variant_without_a_plan_is_made(qtbot: QtBot, session: Session) -> None:
    session.settings.set("resolve_automatically", False)
    session.pin_division("sum", {"i": 2})
    session.keep_variant("draft")
    assert session.plan_of("draft") is None
    session.show_variant(FIRST)
    session.settings.set("resolve_automatically", True)
    session.show_variant("draft")
    assert session.stale
    settle(qtbot, session)
    assert session.plan_of("draft") is session.compilation


def test_names_that_are_taken_are_told(stage: Stage) -> None:
    told: list[str] = []
    stage.failed.connect(lambda _what, why, _remedy: told.append(why))
    assert not stage.keep_variant(FIRST)
    assert not stage.rename_variant(FIRST, " ")
    assert told == ["there is one of that name already", "its name is empty"]
    assert stage.undo_stack.count() == 0
    assert stage.rename_variant(FIRST, "start")
    assert stage.annotate_variant("start", "as it came")
    assert stage.remove_variant("start")
    assert names(stage) == []
    stage.undo_stack.undo()
    found = stage.variants.get("start")
    assert found is not None
    assert found.note == "as it came"
    assert [stage.undo_stack.text(at) for at in range(3)] == [
        f"Rename variant {FIRST}",
        "Note on variant start",
        "Remove variant start",
    ]


def test_plans_of_variants_are_spared(stage: Stage) -> None:
    first = stage.compilation
    other = compiled(pins=divided("sum", i=2))
    for cores in range(1, 31):
        stage._options = type(stage.options)(seconds=float(cores))
        stage.put(other)
    assert stage.plan_of(FIRST) is first
    assert len(stage._plans.handles) == 25


def test_variants_go_with_their_model_and_stay_when_it_is_read_again(
    qtbot: QtBot, session: Session, tmp_path: Path
) -> None:
    session.keep_variant("again")
    session.pin_division("sum", {"i": 2})
    session.resolve()
    settle(qtbot, session)
    session.keep_variant("sum i 2")
    kept, told = session.plan_of(FIRST), list[str]()
    session.noted.connect(told.append)
    session.reopen()
    settle(qtbot, session)
    assert names(session) == [(0, FIRST), (1, "again"), (2, "sum i 2")]
    assert session.plan_of("sum i 2") is session.compilation
    assert session.plan_of(FIRST) is session.plan_of("again") is kept is not None, "what still holds is not made again"
    assert told == ["The model is as it was: its plans are kept."]
    found: list[object] = []
    session.request_candidates("sum", found.append)
    qtbot.waitUntil(lambda: bool(found), timeout=60_000)  # the worker still knows them
    other = tmp_path / "other"
    other.mkdir()
    session.open(str(write_model(other, attention(2, 64, 64))))
    settle(qtbot, session)
    assert names(session) == [(0, FIRST)]


def test_nothing_is_kept_where_nothing_is_open(qapp: object, tmp_path: Path) -> None:
    empty = Stage(quiet_settings(str(tmp_path)))
    assert not empty.keep_variant("x")
    empty.show_variant("x")
    assert (len(empty.variants), empty.shown_variant, empty.undo_stack.count()) == (0, "", 0)
