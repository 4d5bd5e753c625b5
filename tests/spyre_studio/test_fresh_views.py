"""Views of a model that was just opened, in the real window: lists show all, the timeline is where one looks."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from spyre_studio.main_window import MainWindow
from spyre_studio.views.scratchpad import ScratchpadView
from spyre_studio.views.timeline import TimelineView
from spyre_studio.views.timeline_spots import Spot
from tests.spyre_studio.door import LinkedDoor
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import quiet_settings


@pytest.fixture
def door(tmp_path: Path) -> LinkedDoor:
    return LinkedDoor(quiet_settings(str(tmp_path)))


def test_the_timeline_is_opened_at_the_core_of_the_link(qtbot: QtBot, window: MainWindow, door: LinkedDoor) -> None:
    window.open("softmax#core=27&view=timeline")
    door.put_model(compiled())
    view = window.workbench.views["timeline"]
    assert isinstance(view, TimelineView)
    qtbot.waitUntil(lambda: view.data is not None)
    number = next(n for n, track in enumerate(view.data.tracks if view.data else ()) if track.core == 27)
    qtbot.waitUntil(lambda: view.canvas.box_rect(Spot("box", number, 0)) is not None)


@pytest.mark.parametrize("key", [Qt.Key.Key_F7, Qt.Key.Key_F8])
def test_the_timeline_that_is_asked_for_has_the_keyboard(
    qtbot: QtBot, window: MainWindow, door: LinkedDoor, key: Qt.Key
) -> None:
    door.put_model(compiled())
    window.workbench.graph.canvas.setFocus()
    QTest.keyClick(window, key)
    view = window.workbench.views["timeline"]
    assert isinstance(view, TimelineView)
    assert window.workbench.current_view == "timeline"
    qtbot.waitUntil(view.canvas.hasFocus)


def test_the_keyboard_is_the_timelines_while_its_run_is_made(
    qtbot: QtBot, window: MainWindow, door: LinkedDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    door.put_model(compiled())
    with monkeypatch.context() as patched:
        patched.setattr(LinkedDoor, "simulate", lambda _door: None)
        QTest.keyClick(window, Qt.Key.Key_F7)
        view = window.workbench.views["timeline"]
        assert isinstance(view, TimelineView)
        assert view.data is None
        assert view.hasFocus()
    door.simulate()
    qtbot.waitUntil(view.canvas.hasFocus)


def test_lists_of_another_model_are_not_filtered(window: MainWindow, door: LinkedDoor) -> None:
    door.put_model(compiled())
    view = window.workbench.views["scratchpad"]
    assert isinstance(view, ScratchpadView)
    window.workbench.show_view("scratchpad")
    view.set_why(True)
    view.why.reasons.setCurrentIndex(1)
    view.why.words.setText("zzz")
    door.changed.emit("plan")
    assert (view.why.reasons.currentIndex(), view.why.words.text()) == (1, "zzz"), "another plan of the same model"
    door.put_model(compiled())
    assert (view.why.reasons.currentIndex(), view.why.words.text()) == (0, "")
    assert view.why.table.shown()
