"""The table of actions: whole, no key twice, and the only source of menus, palette and page of keys."""

from collections import Counter

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar
from pytestqt.qtbot import QtBot

from compiler.watch import Finding
from spyre_studio.action_set import ActionSet, holds
from spyre_studio.actions import ACTIONS, MENUS, Action
from spyre_studio.handlers import Handlers
from spyre_studio.keys_page import POINTER, KeysPage, key_rows
from spyre_studio.selection import Selection
from spyre_studio.settings import SETTINGS
from spyre_studio.theme import Theme
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import Stage


def action(key: str) -> Action:
    return next(row for row in ACTIONS if row.key == key)


@pytest.fixture
def actions(qtbot: QtBot, stage: Stage) -> ActionSet:
    selection = Selection(stage)
    stage.changed.connect(lambda what: selection.retarget(stage.compilation) if what == "plan" else None)
    return ActionSet(stage, selection, stage)


def test_keys_of_rows_are_unique_and_every_row_is_whole() -> None:
    assert len({row.key for row in ACTIONS}) == len(ACTIONS)
    assert {row.menu for row in ACTIONS} == set(MENUS)
    assert all(row.text and row.tip.endswith(".") for row in ACTIONS)
    assert {row.setting for row in ACTIONS} - {""} <= set(SETTINGS)


def test_no_shortcut_means_two_things() -> None:
    counts = Counter(QKeySequence(shortcut).toString() for row in ACTIONS for shortcut in row.shortcuts)
    assert [shortcut for shortcut, count in counts.items() if count > 1] == []
    assert "" not in counts, "a shortcut that Qt does not understand"


@pytest.mark.parametrize(
    ("key", "shortcuts"),
    [
        ("undo", ("Ctrl+Z",)),
        ("redo", ("Ctrl+Shift+Z", "Ctrl+Y")),
        ("open", ("Ctrl+O",)),
        ("resolve", ("Ctrl+R", "F5")),
        ("theme", ("Ctrl+Shift+T",)),
        ("find", ("Ctrl+F",)),
        ("palette", ("Ctrl+Shift+P",)),
        ("keys", ("F1", "?")),
    ],
)
def test_keys_that_people_know_from_elsewhere(actions: ActionSet, key: str, shortcuts: tuple[str, ...]) -> None:
    assert action(key).shortcuts == shortcuts
    assert [each.toString() for each in actions.by_key[key].shortcuts()] == [
        QKeySequence(shortcut).toString() for shortcut in shortcuts
    ]


@pytest.mark.parametrize("row", ACTIONS, ids=lambda row: row.key)
def test_every_row_has_a_handler_that_takes_the_row(row: Action) -> None:
    method = getattr(Handlers, row.handler)
    assert list(method.__annotations__.values()) == ["Action", "None"]
    assert method.__doc__


def test_menus_hold_every_action(qtbot: QtBot, actions: ActionSet) -> None:
    bar = QMenuBar()
    qtbot.addWidget(bar)
    menus = actions.fill(bar)
    inner = [QMenu.menuInAction(each) for menu in menus.values() for each in menu.actions()]
    every = [each for menu in (*menus.values(), *filter(None, inner)) for each in menu.actions()]
    listed = [each.objectName() for each in every if each.objectName()]
    assert [menu.title() for menu in filter(None, inner)] == ["Lessons"]
    assert sorted(listed) == sorted(row.key for row in ACTIONS)


def test_actions_wake_up_with_what_they_need(actions: ActionSet, stage: Stage) -> None:
    asleep = {row.key for row in ACTIONS if not actions.by_key[row.key].isEnabled()}
    assert {"resolve", "undo", "export", "find"} <= asleep
    assert not asleep & {"open", "palette", "theme", "keys", "quit"}
    stage.put(compiled())
    assert actions.by_key["resolve"].isEnabled()
    assert not actions.by_key["undo"].isEnabled()
    stage.pin_division("sum", {"i": 2})
    assert actions.by_key["undo"].isEnabled()
    assert actions.by_key["undo"].text() == "Undo: Pin division of sum"
    assert actions.by_key["remove-pins"].isEnabled()
    stage.undo_stack.undo()
    assert actions.by_key["redo"].text() == "Redo: Pin division of sum"
    assert not actions.by_key["undo"].isEnabled()


def test_unpin_holds_for_what_is_selected(stage: Stage) -> None:
    stage.put(compiled())
    selection = Selection(stage)
    selection.retarget(stage.compilation)
    stage.pin_division("sum", {"i": 2})
    assert "selected" not in holds(stage, selection)
    selection.select_op("sum")
    assert "selected" in holds(stage, selection)


def test_pins_of_the_selection_hold_where_there_is_one(stage: Stage) -> None:
    stage.put(compiled())
    selection = Selection(stage)
    selection.retarget(stage.compilation)
    assert not holds(stage, selection) & {"op", "buffer"}
    selection.select_op("sum")
    assert "op" in holds(stage, selection)
    selection.select_buffer("exp")
    assert "buffer" in holds(stage, selection)


def test_a_search_can_be_stopped_once_it_has_found_something(actions: ActionSet, stage: Stage) -> None:
    stage.put(compiled())
    stage._enter("work", "co-optimize")
    assert not actions.by_key["stop"].isEnabled()
    assert actions.by_key["cancel"].isEnabled()
    stage._found(Finding("cp-sat", 10.0, 9.0, 0.1))
    assert actions.by_key["stop"].isEnabled()
    stage._leave("work")
    assert not actions.by_key["stop"].isEnabled()


def test_a_switch_shows_its_setting(actions: ActionSet, stage: Stage) -> None:
    switch = actions.by_key["automatic"]
    assert switch.isCheckable()
    assert switch.isChecked() == stage.settings.on("resolve_automatically")
    stage.settings.set("resolve_automatically", not switch.isChecked())
    assert switch.isChecked() == stage.settings.on("resolve_automatically")


def test_the_palette_finds_by_words_in_any_order(actions: ActionSet, stage: Stage) -> None:
    asleep = {choice.key: choice.enabled for choice in actions.choices("undo")}
    assert asleep == {"undo": False, "forward": False}, (
        "what cannot be done now is listed only where nothing else is found"
    )
    assert "undo" not in {choice.key for choice in actions.choices("")}
    assert [choice.note for choice in actions.choices("cancel")] == ["not now"]
    stage.put(compiled())
    every = [choice.key for choice in actions.choices("")]
    assert sorted(every) == sorted(
        row.key for row in ACTIONS if row.key != "palette" and actions.by_key[row.key].isEnabled()
    )
    assert [choice.key for choice in actions.choices("layout RESET")] == ["reset"]
    assert [choice.note for choice in actions.choices("re-solve plan pins")] == ["Ctrl+R, F5"]
    assert [choice.key for choice in actions.choices("ctrl+shift+t")] == ["theme"], "a key is found too"
    assert len(actions.choices("no such thing")) == 0


def test_the_palette_begins_with_what_was_used_last(actions: ActionSet, stage: Stage) -> None:
    stage.settings.add_used("about")
    stage.settings.add_used("keys")
    stage.settings.add_used("about")
    stage.settings.add_used("of a version with more actions")
    first, second, *_others = actions.choices("")
    assert (first.key, second.key) == ("about", "keys")


def test_triggering_tells_the_row(qtbot: QtBot, actions: ActionSet) -> None:
    with qtbot.waitSignal(actions.triggered) as told:
        actions.trigger("theme")
    assert told.args == [action("theme")]


def test_the_page_of_keys_shows_every_key(qtbot: QtBot, dark: Theme) -> None:
    page = KeysPage()
    qtbot.addWidget(page)
    shown = [row.cells for row in page.table.shown()]
    assert len(shown) == len(POINTER) + sum(bool(row.shortcuts) for row in ACTIONS)
    assert ("Ctrl+R, F5", "Re-solve", "Plan") in shown
    assert ("F", "Focus the selection", "Graph") in shown
    assert {row.key for row in key_rows()} >= {row.key for row in ACTIONS if row.shortcuts}
