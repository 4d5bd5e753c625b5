"""What a pin of a division says of itself from the click until its plan is there."""

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from compiler.pins import Pins
from spyre_studio.division_pin import is_pinned, pin_note
from spyre_studio.selection import Selection
from spyre_studio.session_state import WORK
from spyre_studio.theme import Theme
from spyre_studio.views.division import DivisionPanel
from spyre_studio.views.inspector import InspectorView
from tests.programs import chain
from tests.spyre_studio.plans import compiled, divided
from tests.spyre_studio.stage import Stage, staged

PINS = divided("neg", i=4)


@pytest.fixture
def opened(qtbot: QtBot, stage: Stage, dark: Theme) -> tuple[DivisionPanel, Selection]:
    stage.put(compiled(program=chain(512, 1024)))
    view, selection = staged(qtbot, stage, InspectorView, 360, 900)
    selection.select_op("neg")
    return view.division, selection


def heading(panel: DivisionPanel) -> str:
    _, note = panel.space.heading.findChildren(QLabel)
    return note.text()


def begin_solving(stage: Stage) -> None:
    """As the session does when the worker is asked for a plan."""
    stage._phases[WORK] = "compile"
    stage.changed.emit("state")


def test_a_pinned_split_is_no_draft_any_more(opened: tuple[DivisionPanel, Selection], stage: Stage) -> None:
    panel, _ = opened
    panel._chosen({"i": 4})
    assert heading(panel) == "draft"
    assert panel.pin.property("primary") is True
    panel.pin.click()
    assert stage.pins.division["neg"] == {"i": 4}
    assert heading(panel) == "pin not solved yet"
    assert panel.pin.property("primary") is False
    assert not panel.pin.isEnabled()
    assert not panel.reset.isVisible()
    assert panel.unpin.isVisible()


def test_it_says_that_it_is_being_solved(opened: tuple[DivisionPanel, Selection], stage: Stage) -> None:
    panel, _ = opened
    panel._chosen({"i": 4})
    panel.pin.click()
    begin_solving(stage)
    assert stage.solving
    assert heading(panel) == "pinned, solving…"
    assert "being solved again" in panel.objection.text()
    panel._chosen({"i": 2})
    assert heading(panel) == "draft", "another one is"
    assert panel.pin.property("primary") is True


def test_the_words_of_a_pin() -> None:
    plan = compiled(program=chain(512, 1024))
    pinned = compiled(program=chain(512, 1024), pins=PINS)
    assert pin_note("neg", Pins(), plan, solving=False) == ("", "mute", "")
    assert pin_note("neg", PINS, plan, solving=False)[0] == "pin not solved yet"
    assert pin_note("neg", PINS, plan, solving=True)[0] == "pinned, solving…"
    assert pin_note("neg", Pins(), pinned, solving=True)[0] == "unpinned, solving…"
    assert pin_note("neg", PINS, pinned, solving=True)[0] == "pinned", "what is solved is not doubted"
    assert is_pinned(PINS, "neg")
    assert not is_pinned(PINS, "relu")
