"""Pins by menu and by keyboard: the division of another op, and how a buffer gets to other cores."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QWidget
from pytestqt.qtbot import QtBot

from spyre_studio.picker import Picker
from spyre_studio.pin_menu import SAME, SWEEP, add_buffer, add_op, add_unpin, choose_same
from spyre_studio.theme import Theme
from tests.spyre_studio.blocks import blocks
from tests.spyre_studio.hand import show
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import Stage, quiet_settings


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    made = Stage(quiet_settings(str(tmp_path)))
    made.put(compiled())
    return made


@pytest.fixture
def window(qtbot: QtBot, dark: Theme) -> QWidget:
    made = QWidget()
    show(qtbot, made, 900, 500)
    return made


def picker_of(window: QWidget) -> Picker:
    found = window.findChild(Picker)
    assert found is not None
    return found


def test_another_op_is_picked_by_a_part_of_its_name(qtbot: QtBot, stage: Stage, window: QWidget) -> None:
    choose_same(stage, "exp", window)
    picker = picker_of(window)
    assert [choice.key for choice in picker.list.choices] == ["max", "sub", "sum", "truediv"], "every op but itself"
    assert all(choice.note == "32 cores" for choice in picker.list.choices)
    QTest.keyClicks(picker.line, "tru")
    QTest.keyClick(picker.line, Qt.Key.Key_Return)
    assert stage.pins.same == {"exp": "truediv"}
    assert stage.undo_stack.undoText() == "Pin division of exp"
    stage.undo_stack.undo()
    assert not stage.pins


def test_the_menu_of_an_op_says_whose_division_it_has(stage: Stage, window: QWidget) -> None:
    menu = QMenu(window)
    add_op(menu, "exp", stage, window)
    stage.pin_same("exp", "sub")
    add_op(menu, "exp", stage, window)
    add_op(menu, "exp@ring", stage, window)
    texts = [entry.text() for entry in menu.actions()]
    assert texts == [SAME, SWEEP, f"{SAME} (now sub)", SWEEP], "nothing for an inserted move"


def test_a_relayout_is_chosen_and_marked(stage: Stage, window: QWidget) -> None:
    for way, words in (("ring", "Over the ring"), ("none", "Never")):
        entries = ways(stage, window)
        assert not entries[words].isChecked()
        entries[words].trigger()
        assert stage.pins.relayout == {"exp": way}
        assert ways(stage, window)[words].isChecked()
    menu = QMenu(window)
    add_unpin(menu, ("exp", "sum"), stage)
    menu.actions()[-1].trigger()
    assert not stage.pins
    menu = QMenu(window)
    add_unpin(menu, ("exp", "sum"), stage)
    assert menu.isEmpty()


def ways(stage: Stage, window: QWidget) -> dict[str, QAction]:
    menu = QMenu(window)
    add_buffer(menu, "exp", stage, named=False)
    (below,) = menu.findChildren(QMenu)
    return {entry.text(): entry for entry in below.actions()}


def test_everything_alike_is_pinned_from_the_menus_of_ops_and_buffers(tmp_path: Path, window: QWidget) -> None:
    stage = Stage(quiet_settings(str(tmp_path)))
    stage.put(compiled(program=blocks()))
    op, buffer = QMenu(window), QMenu(window)
    add_op(op, "layers.1.mlp.gate", stage, window)
    add_buffer(buffer, "layers.1.mlp.gate.weight", stage, named=False)
    pin = next(entry for entry in op.actions() if entry.text() == "Pin 3 ops like this")
    place = next(entry for entry in buffer.actions() if entry.text() == "Pin 3 buffers like this")
    pin.trigger()
    place.trigger()
    assert len(stage.pins.division) == 3
    assert len(stage.pins.placement) == 3
    assert stage.undo_stack.count() == 2
    again = QMenu(window)
    add_op(again, "layers.2.mlp.gate", stage, window)
    unpin = next(entry for entry in again.actions() if entry.text().startswith("Unpin everything"))
    assert unpin.text() == "Unpin everything like this (3 pins)"
    unpin.trigger()
    assert not stage.pins.division
    assert len(stage.pins.placement) == 3
