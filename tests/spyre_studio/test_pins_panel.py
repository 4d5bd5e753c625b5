"""The pins panel with many pins, pins that are off, keys, menus, and the lines about the last change."""

from dataclasses import replace
from typing import cast

import pytest
from frozendict import frozendict
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from compiler.pins import Pins, PinState, PinStatus
from spyre_studio.resting_pins import RestingPins
from spyre_studio.selection import Selection
from spyre_studio.theme import Theme
from spyre_studio.views.pin_list import PinRow, counts_words
from spyre_studio.views.pins_panel import MANY, PinsPanel
from tests.spyre_studio.blocks import blocks
from tests.spyre_studio.hand import show
from tests.spyre_studio.plans import compiled, divided
from tests.spyre_studio.stage import Stage

FULL = Pins(
    division=frozendict(op=frozendict(m=8)),
    layout=frozendict(x=1),
    placement=frozendict(x="lx"),
    tiles=frozendict(op=frozendict(m=2)),
    order=frozendict(x=(0, 1)),
    same=frozendict(other="op"),
    relayout=frozendict(x="ring"),
)


@pytest.fixture
def panel(qtbot: QtBot, stage: Stage, dark: Theme) -> PinsPanel:
    selection = Selection()
    stage.changed.connect(lambda what: selection.retarget(stage.compilation) if what == "plan" else None)
    made = PinsPanel(stage, selection)
    show(qtbot, made, 260, 600)
    return made


def many(stage: Stage, count: int) -> None:
    """A plan with so many pins: the first is refused, the second adjusted."""
    names = [f"layers.{number}.op" for number in range(count)]
    pins = Pins(division=frozendict((name, frozendict(m=8)) for name in names))
    ends = {f"division:{name}": PinStatus(PinState.HONOURED) for name in names}
    ends["division:layers.7.op"] = PinStatus(PinState.REFUSED, "8 does not divide 12")
    ends["division:layers.9.op"] = PinStatus(PinState.ADJUSTED, "to m 4")
    whole = compiled()
    plan = replace(whole.plan, pins=frozendict(ends))
    stage.put(replace(whole, problem=replace(whole.problem, pins=pins), plan=plan))


@pytest.mark.parametrize("key", FULL.keys)
def test_a_pin_rests_and_comes_back(key: str) -> None:
    resting = RestingPins()
    less = resting.put(FULL, key)
    assert set(less.keys) == set(FULL.keys) - {key}
    assert resting.beside(less).keys == (key,)
    assert set(resting.take(less, key).keys) == set(FULL.keys)
    assert not resting.beside(FULL), "what is pinned does not rest"
    resting.forget(key)
    assert not resting.beside(less)


def test_many_pins_are_a_list_with_the_worst_first(panel: PinsPanel, stage: Stage) -> None:
    many(stage, 500)
    assert not panel.cards
    assert panel.list.isVisible()
    assert len(panel.list.rows) == 500
    assert [row.state for row in panel.list.rows[:3]] == ["refused", "adjusted", "honoured"]
    assert panel.list.counts.text() == "1 refused · 1 adjusted · 498 honoured"
    panel.list.shown._pick("unkept")
    assert [row.key for row in panel.list.rows] == ["division:layers.7.op", "division:layers.9.op"]
    panel.list.shown._pick("all")
    panel.list.filter.setText("does not divide")
    assert [row.state for row in panel.list.rows] == ["refused"]


def test_the_reason_of_the_current_pin_is_read_in_full(panel: PinsPanel, stage: Stage) -> None:
    many(stage, MANY)
    panel.list.list.setFocus()
    QTest.keyClick(panel.list.list, Qt.Key.Key_Home)
    assert panel.list.reason == "8 does not divide 12"
    QTest.keyClick(panel.list.list, Qt.Key.Key_End)
    assert panel.list.reason == ""


def test_keys_remove_and_switch_in_the_list(panel: PinsPanel, stage: Stage) -> None:
    many(stage, 40)
    listed = panel.list.list
    listed.setFocus()
    listed.select("division:layers.3.op")
    QTest.keyClick(listed, Qt.Key.Key_Delete)
    assert "division:layers.3.op" not in stage.pins.keys
    stage.undo_stack.undo()
    listed.select("division:layers.3.op")
    QTest.keyClick(listed, Qt.Key.Key_Space)
    assert "division:layers.3.op" not in stage.pins.keys
    assert panel.list.rows[-1].state == "off"
    listed.select("division:layers.3.op")
    QTest.keyClick(listed, Qt.Key.Key_Space)
    assert "division:layers.3.op" in stage.pins.keys


def test_a_card_is_switched_off_and_on_by_space(panel: PinsPanel, stage: Stage) -> None:
    stage.put(compiled(divided("sum", i=2)))
    (card,) = panel.cards
    card.setFocus()
    QTest.keyClick(card, Qt.Key.Key_Space)
    assert not stage.pins
    (card,) = panel.cards
    assert (card.pill.text, card.off) == ("off", True)
    QTest.keyClick(card, Qt.Key.Key_Space)
    assert stage.pins == divided("sum", i=2)
    assert panel.cards[0].pill.text == "honoured"
    stage.undo_stack.undo()
    assert panel.cards[0].pill.text == "off"
    panel.cards[0].remove.click()
    assert not panel.cards, "forgotten"


def test_delete_removes_and_enter_goes_there(panel: PinsPanel, stage: Stage) -> None:
    stage.put(compiled(divided("sum", i=2)))
    QTest.keyClick(panel.cards[0], Qt.Key.Key_Return)
    assert panel._selection.op == "sum"
    QTest.keyClick(panel.cards[0], Qt.Key.Key_Delete)
    assert not stage.pins


def test_the_menu_of_a_pin_pins_everything_like_it(panel: PinsPanel, stage: Stage) -> None:
    stage.put(compiled(divided("layers.1.mlp.gate", n=2), program=blocks()))
    panel.cards[0].menu_requested.emit("division:layers.1.mlp.gate", panel.mapToGlobal(QPoint(5, 5)))
    menu = cast("QMenu", QApplication.activePopupWidget())
    texts = [action.text() for action in menu.actions()]
    assert texts == ["Go there", "Switch off", "Remove", "Pin 3 ops like this"]
    menu.actions()[3].trigger()
    menu.close()
    assert len(stage.pins.division) == 3
    assert set(stage.pins.division.values()) == {frozendict(n=2)}
    assert stage.undo_stack.undoText() == "Pin division of 2 ops", "one has it already"
    stage.undo_stack.undo()
    assert stage.pins == divided("layers.1.mlp.gate", n=2)


def test_the_last_change_is_told(panel: PinsPanel, stage: Stage) -> None:
    told: list[str] = []
    panel.told.connect(told.append)
    stage.put(compiled())
    assert not panel.saving.isVisible()
    stage.put(compiled(divided("sum", i=7)))
    assert panel.outcome.text() == "1 pin: 1 refused (sum)"
    assert "7 does not divide" in panel.outcome.toolTip()
    stage.put(compiled(divided("sum", i=1)))
    assert panel.saving.text().startswith("+")
    assert told[-1] == f"{panel.saving.text()} · {panel.outcome.text()}"


def test_a_long_plan_is_compared_aside(qtbot: QtBot, panel: PinsPanel, stage: Stage) -> None:
    stage.put(compiled(program=blocks(40)))
    stage.put(compiled(divided("head.neg", i=1), program=blocks(40)))
    qtbot.waitUntil(lambda: bool(panel.outcome.text()), timeout=20_000)
    assert panel.outcome.text() == "1 pin: 1 honoured"


def test_counts_have_the_worst_first() -> None:
    rows = [PinRow("a", "", None), PinRow("b", "", PinStatus(PinState.REFUSED, "no")), PinRow("c", "", None, off=True)]
    assert counts_words(rows) == "1 refused · 1 not solved · 1 off"
