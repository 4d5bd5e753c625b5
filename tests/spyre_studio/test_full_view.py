"""One view alone: it fills the window, Escape and F11 bring the others back as they were."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from spyre_studio.main_window import MainWindow
from spyre_studio.theme import Theme
from spyre_studio.views import VIEWS
from spyre_studio.workbench import Workbench
from tests.spyre_studio.door import Door, opened
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import quiet_settings


@pytest.fixture
def store(tmp_path: Path) -> QSettings:
    return QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, tmp_path: Path, store: QSettings, dark: Theme) -> Iterator[MainWindow]:
    door = Door(quiet_settings(str(tmp_path)))
    made = opened(qtbot, qapp, door, store)
    door.put_model(compiled())
    with qtbot.waitActive(made):
        made.activateWindow()
    made.workbench.graph.canvas.setFocus()
    yield made
    made.close()


def in_sight(bench: Workbench) -> set[str]:
    return {key for key, view in bench.views.items() if view.isVisible()}


@pytest.mark.parametrize("key", [row.key for row in VIEWS])
def test_each_view_fills_the_window_and_the_others_come_back(qtbot: QtBot, window: MainWindow, key: str) -> None:
    bench = window.workbench
    before = in_sight(bench)
    bench.full.enter(key)
    view = bench.views[key]
    qtbot.waitUntil(lambda: view.width() > bench.width() - 20 and view.height() > bench.height() - 140)
    assert in_sight(bench) == {key}
    assert bench.current_view == key
    assert bench.header.isVisible(), "the verdict is always on screen"
    bench.full.leave()
    at_bottom = bench.tabs.indexOf(view) >= 0
    assert in_sight(bench) == (before - {"scratchpad"} | {key} if at_bottom else before)
    assert not bench.full.strip.isVisible()


def test_f11_takes_the_view_with_the_keyboard_and_escape_goes_back(window: MainWindow) -> None:
    bench = window.workbench
    bench.graph.canvas.setFocus()
    QTest.keyClick(bench.graph.canvas, Qt.Key.Key_F11)
    assert bench.full.key == "graph"
    window.selection.select_op("exp")
    QTest.keyClick(bench.graph.canvas, Qt.Key.Key_Escape)
    assert bench.full.key == ""
    assert window.selection.op == "exp", "the key goes back; it does not clear the selection too"
    QTest.keyClick(bench.graph.canvas, Qt.Key.Key_F11)
    QTest.keyClick(bench.graph.canvas, Qt.Key.Key_F11)
    assert bench.full.key == ""


def test_escape_closes_the_line_of_find_first(window: MainWindow) -> None:
    bench = window.workbench
    bench.full.enter("graph")
    window.actions_.trigger("find")
    line = QApplication.focusWidget()
    assert line is not None
    assert line is not bench.graph.canvas
    QTest.keyClick(line, Qt.Key.Key_Escape)
    assert bench.full.key == "graph"
    assert not line.isVisible()
    focused = QApplication.focusWidget()
    assert focused is not None
    QTest.keyClick(focused, Qt.Key.Key_Escape)
    assert bench.full.key == ""


def test_another_view_takes_the_place_of_the_one_that_is_alone(window: MainWindow) -> None:
    bench = window.workbench
    bench.full.enter("graph")
    window.actions_.trigger("view-timeline")
    assert in_sight(bench) == {"timeline"}
    bench.full.leave()
    assert bench.graph.isVisible()


def test_panels_that_are_asked_for_bring_all_views_back(window: MainWindow) -> None:
    bench = window.workbench
    bench.full.enter("graph")
    window.actions_.trigger("left")
    assert bench.full.key == ""
    bench.full.enter("verify")
    window.actions_.trigger("reset")
    assert bench.full.key == ""
    assert bench.graph.isVisible()


def test_the_button_goes_back_and_the_keyboard_stays_in_the_view(window: MainWindow) -> None:
    bench = window.workbench
    bench.full.enter("roofline")
    focused = QApplication.focusWidget()
    assert focused is not None
    assert bench.views["roofline"].isAncestorOf(focused)
    bench.full.back.click()
    assert bench.full.key == ""


def test_the_layout_with_all_views_is_the_one_that_is_remembered(window: MainWindow) -> None:
    bench = window.workbench
    bench.toggle("right")
    before = bench.saved_layout()
    bench.full.enter("scratchpad")
    assert bench.saved_layout() == before
