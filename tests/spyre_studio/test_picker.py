"""The dialog to pick one thing: typing narrows, arrows move, Enter picks, what is asleep cannot be picked."""

from collections.abc import Iterator, Sequence

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from spyre_studio.choice_list import Choice
from spyre_studio.picker import Picker
from spyre_studio.theme import Theme
from tests.spyre_studio.hand import LEFT, NONE, show

CHOICES = (
    Choice("a", "apple", "fruit", enabled=False),
    Choice("b", "banana", "fruit"),
    Choice("c", "cherry", "fruit"),
    Choice("d", "date", "fruit"),
)


def some(text: str) -> Sequence[Choice]:
    return [choice for choice in CHOICES if text in choice.text]


@pytest.fixture
def picker(qtbot: QtBot, dark: Theme) -> Iterator[Picker]:
    window = QWidget()
    show(qtbot, window, 900, 600)
    made = Picker("Fruit", "Which one?", some, window)
    made.open_over(window)
    yield made
    window.hide()


def test_it_begins_with_the_first_that_can_be_picked(qtbot: QtBot, picker: Picker) -> None:
    assert list(picker.list.choices) == list(CHOICES)
    assert picker.list.row == 1
    assert picker.count.text() == "4 matches"
    with qtbot.waitSignal(picker.picked) as told:
        QTest.keyClick(picker.line, Qt.Key.Key_Return)
    assert told.args == ["b"]


def test_typing_narrows_and_arrows_stop_at_the_ends(qtbot: QtBot, picker: Picker) -> None:
    QTest.keyClick(picker.line, Qt.Key.Key_PageDown)
    assert picker.list.row == 3
    QTest.keyClick(picker.line, Qt.Key.Key_Down)
    assert picker.list.row == 3
    QTest.keyClicks(picker.line, "rr")
    assert [choice.key for choice in picker.list.choices] == ["c"]
    assert picker.count.text() == "1 match"
    QTest.keyClicks(picker.line, "x")
    assert picker.list.choices == []
    assert picker.count.text() == "Nothing has this in its name"
    with qtbot.assertNotEmitted(picker.picked):
        QTest.keyClick(picker.line, Qt.Key.Key_Return)


def test_what_is_asleep_cannot_be_picked(qtbot: QtBot, picker: Picker) -> None:
    QTest.keyClicks(picker.line, "app")
    with qtbot.assertNotEmitted(picker.picked):
        QTest.keyClick(picker.line, Qt.Key.Key_Return)


def test_a_click_picks(qtbot: QtBot, picker: Picker) -> None:
    third = picker.list.visualRect(picker.list.model().index(2, 0)).center()
    with qtbot.waitSignal(picker.picked) as told:
        QTest.mouseClick(picker.list.viewport(), LEFT, NONE, third)
    assert told.args == ["c"]


def test_a_screen_reader_hears_text_and_note(picker: Picker) -> None:
    index = picker.list.model().index(1, 0)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "banana, fruit"
    assert picker.line.accessibleName() == "Which one?"
