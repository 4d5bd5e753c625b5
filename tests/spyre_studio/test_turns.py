"""Work in turns of the event loop, and views of a large plan that wait for theirs."""

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from compiler.compilation import Compilation
from spyre_studio import view_host
from spyre_studio.selection import Selection
from spyre_studio.turns import Turns
from spyre_studio.view_host import ViewHost
from tests.spyre_studio.hand import show
from tests.spyre_studio.plans import compiled, divided
from tests.spyre_studio.stage import Stage, quiet_settings


def test_one_piece_in_a_turn_in_order_and_each_once(qtbot: QtBot) -> None:
    turns, done = Turns(), []

    def first() -> None:
        done.append("first")
        turns.add(third)

    def second() -> None:
        done.append("second")

    def third() -> None:
        done.append("third")

    for act in (first, second, first):
        turns.add(act)
    assert turns.busy
    assert done == []
    qtbot.waitUntil(lambda: not turns.busy)
    assert done == ["first", "second", "third"]


class Heard(QWidget):
    """A view that notes what it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[object] = []

    def show_compilation(self, compilation: Compilation | None) -> None:
        self.told.append(compilation)

    def show_selection(self) -> None:
        self.told.append("selection")


@pytest.fixture
def stage(qtbot: QtBot, tmp_path: object) -> Stage:
    return Stage(quiet_settings(str(tmp_path)))


def test_a_large_plan_comes_in_a_turn_of_its_own(qtbot: QtBot, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view_host, "LARGE", 1)
    view, turns, selection = Heard(), Turns(), Selection()
    ViewHost(view, view, stage, selection, turns)
    show(qtbot, view)
    first, second = compiled(), compiled(divided("exp", i=2))
    view.told.clear()
    stage.put(first)
    selection.retarget(first)
    selection.select_op("exp")
    stage.put(second)
    assert view.told == [], "nothing of a plan that it does not have"
    qtbot.waitUntil(lambda: not turns.busy)
    assert view.told == [second, "selection"], "the newest only, and what is selected after it"
    selection.select_op("sum")
    assert view.told[2:] == ["selection"], "at once where the plan is there"


def test_a_view_that_was_hidden_meanwhile_waits_until_it_is_seen(
    qtbot: QtBot, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view_host, "LARGE", 1)
    view, turns = Heard(), Turns()
    ViewHost(view, view, stage, Selection(), turns)
    show(qtbot, view)
    view.told.clear()
    plan = compiled()
    stage.put(plan)
    view.hide()
    qtbot.waitUntil(lambda: not turns.busy)
    assert view.told == []
    view.show()
    qtbot.waitUntil(lambda: view.told == [plan, "selection"])


def test_a_small_plan_is_there_at_once(qtbot: QtBot, stage: Stage) -> None:
    view = Heard()
    ViewHost(view, view, stage, Selection(), Turns())
    show(qtbot, view)
    view.told.clear()
    plan = compiled()
    stage.put(plan)
    assert view.told == [plan, "selection"]
