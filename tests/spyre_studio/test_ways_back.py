"""The start page over an open model: the ways back, and what opening from it shows; and Re-solve with nothing to do."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox, QWidget

from spyre_studio.failure import Failure
from spyre_studio.main_window import MainWindow
from tests.programs import attention
from tests.spyre_studio.door import Door
from tests.spyre_studio.hand import LEFT
from tests.spyre_studio.plans import compiled


def page_of(window: MainWindow) -> QWidget | None:
    return window.page


def by_escape(window: MainWindow) -> None:
    QTest.keyClick(window.start, Qt.Key.Key_Escape)


def by_alt_left(window: MainWindow) -> None:
    QTest.keyClick(window.start, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)


def by_button(window: MainWindow) -> None:
    assert window.start.back_button.text() == "← Back to softmax"
    QTest.mouseClick(window.start.back_button, LEFT)


@pytest.mark.parametrize("go_back", [by_escape, by_alt_left, by_button])
def test_ways_lead_from_the_start_page_back_to_what_is_open(
    window: MainWindow, door: Door, go_back: Callable[[MainWindow], None]
) -> None:
    assert not window.start.back_button.isVisible(), "nothing is open"
    by_escape(window)
    by_alt_left(window)
    assert page_of(window) is window.start
    door.put_model(compiled())
    assert not window.leave_start_page(), "it is not in front"
    window.actions_.trigger("start")
    assert page_of(window) is window.start
    assert window.start.back_button.isVisible()
    go_back(window)
    assert page_of(window) is window.workbench
    assert window.focusWidget() is window.workbench.graph.canvas


def test_the_row_of_what_is_open_leads_back_and_asks_nothing(window: MainWindow, door: Door) -> None:
    door.put_model(compiled())
    door._source = "softmax"
    door.pin_division("sum", {"i": 2})
    assert window.project.unsaved
    window.actions_.trigger("start")
    door.settings.add_recent("softmax")
    window.start.recent[0].click()
    assert page_of(window) is window.workbench
    assert not [each for each in door.asked if each.startswith("open")]
    assert window.findChild(QMessageBox, "unsaved") is None


def test_opening_from_the_start_page_shows_progress_as_at_the_first_start(window: MainWindow, door: Door) -> None:
    door.put_model(compiled())
    window.actions_.trigger("start")
    assert window.status.counts.isVisible()
    door._opening = "/models/decoder.pt2"
    door._enter("work", "open")
    assert page_of(window) is window.loading
    assert not window.status.counts.isVisible(), "they are those of the model before"
    door.progressed.emit(0.4, "trace", "")
    assert window.loading.state.title == "Opening decoder.pt2"
    door._work_failed(Failure("decoder.pt2", "it is none", "choose another"))
    assert page_of(window) is window.start, "one chooses again"
    assert window.status.counts.isVisible()
    door._opening = "decoder"
    door._enter("work", "open")
    assert page_of(window) is window.loading
    door._opening = ""
    door._phases.clear()
    door.put_model(compiled(program=attention(2, 64, 64)))
    assert page_of(window) is window.workbench


def test_opening_from_the_views_leaves_them_in_front(window: MainWindow, door: Door) -> None:
    door.put_model(compiled())
    door._opening = "decoder"
    door._enter("work", "open")
    assert page_of(window) is window.workbench
    door.cancel()
    assert page_of(window) is window.workbench


def test_a_plan_that_is_there_already_is_not_made_again_and_that_is_said(window: MainWindow, door: Door) -> None:
    door.put_model(compiled())
    window.workbench.header.resolve.click()
    assert "resolve" not in door.asked
    assert window.status.words.text().startswith("Nothing to re-solve: first plan is the plan of these pins")
    door.pin_division("sum", {"i": 2})
    window.actions_.trigger("resolve")
    assert door.asked.count("resolve") == 1
