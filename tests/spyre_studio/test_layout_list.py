"""The list of layouts: asked for once, in two steps, pinned by Enter, double click and button, with every state."""

from pathlib import Path

import pytest
from frozendict import frozendict
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from compiler.layout_candidates import layout_candidates
from compiler.pins import Pins
from spyre_studio.failure import Failure
from spyre_studio.theme import Theme
from spyre_studio.views.layout_list import LayoutList
from tests.programs import attention
from tests.spyre_studio.hand import show
from tests.spyre_studio.plans import DEFAULT_ORDERS, compiled
from tests.spyre_studio.stage import Stage, all_texts, quiet_settings


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    made = Stage(quiet_settings(str(tmp_path)))
    made.put(compiled(program=attention(4, 512, 64), pipeline=DEFAULT_ORDERS))
    return made


@pytest.fixture
def panel(qtbot: QtBot, stage: Stage, dark: Theme) -> LayoutList:
    made = LayoutList(stage)
    show(qtbot, made, 800, 300)
    return made


def look(panel: LayoutList, stage: Stage, name: str) -> None:
    compilation = stage.compilation
    assert compilation is not None
    panel.show_buffer(compilation, name)


def states(panel: LayoutList) -> list[object]:
    return [row.cells[1] for row in panel.table.shown()]


def row_of(panel: LayoutList, dim: int) -> int:
    return next(place for place, one in enumerate(panel.candidates) if one.layout.stick_dim == dim)


# Asking


def test_it_asks_first_for_what_is_quick_then_for_the_rest_and_once(panel: LayoutList, stage: Stage) -> None:
    look(panel, stage, "exp")
    look(panel, stage, "exp")
    assert stage.asked == ["layouts exp", "layouts exp follow"]
    assert states(panel)[0] == "this plan"
    compilation = stage.compilation
    assert compilation is not None
    assert panel.candidates == layout_candidates(compilation.problem, compilation.plan, "exp")


def test_where_nothing_else_is_possible_there_is_no_second_question(panel: LayoutList, stage: Stage) -> None:
    look(panel, stage, "scores")
    assert stage.asked == ["layouts scores"]
    assert states(panel) == ["this plan", "barred", "barred"]


def test_nobody_asks_while_nobody_looks(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    panel = LayoutList(stage)
    qtbot.addWidget(panel)
    look(panel, stage, "exp")
    assert stage.asked == []
    panel.show()
    assert stage.asked == ["layouts exp", "layouts exp follow"]


def test_an_answer_about_another_buffer_is_not_this_ones(panel: LayoutList, stage: Stage) -> None:
    stage.answers = False
    look(panel, stage, "exp")
    assert "Working out" in all_texts(panel)
    look(panel, stage, "sub")
    compilation = stage.compilation
    assert compilation is not None
    stage.waiting_layouts[0](layout_candidates(compilation.problem, compilation.plan, "exp"))
    assert panel.candidates == ()
    stage.waiting_layouts[1](layout_candidates(compilation.problem, compilation.plan, "sub"))
    assert len(panel.candidates) == 3


def test_a_failure_is_said_and_can_be_tried_again(panel: LayoutList, stage: Stage) -> None:
    stage.layouts_failure = Failure("the worker process", "it ended", "try again")
    look(panel, stage, "exp")
    assert "the worker process: it ended; try again." in all_texts(panel)
    assert panel.again.isVisible()
    stage.layouts_failure = None
    panel.again.click()
    assert states(panel)[0] == "this plan"
    assert not panel.again.isVisible()


def test_a_copy_of_the_compiler_has_no_layouts_of_its_own(panel: LayoutList, stage: Stage) -> None:
    look(panel, stage, "k@d1")
    assert stage.asked == []
    assert "k@d1 is a copy that the compiler inserts" in all_texts(panel)


# Looking and pinning


def test_a_row_is_looked_at(panel: LayoutList, stage: Stage) -> None:
    seen: list[object] = []
    panel.previewed.connect(seen.append)
    look(panel, stage, "exp")
    assert not panel.pin.isVisible()
    panel.table.selectRow(row_of(panel, 1))
    assert seen == [panel.candidates[row_of(panel, 1)]]
    assert "If only this changes, the graph moves 2,228,224 elements" in panel.told.text()
    assert panel.pin.isEnabled()
    panel.table.selectRow(0)
    assert seen[1] is None, "the layout of the plan is no preview"
    assert not stage.pins


def test_enter_a_double_click_and_the_button_pin(panel: LayoutList, stage: Stage) -> None:
    look(panel, stage, "exp")
    panel.table.selectRow(row_of(panel, 1))
    QTest.keyClick(panel.table, Qt.Key.Key_Return)
    assert stage.pins == Pins(layout=frozendict(exp=1))
    panel.refresh()
    assert states(panel)[row_of(panel, 1)] == "not solved"
    assert not panel.pin.isEnabled()
    panel.unpin.click()
    panel.refresh()
    assert not stage.pins
    place = panel.table.visualRect(panel.table.model().index(row_of(panel, 0), 0)).center()
    QTest.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    QTest.mouseDClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert stage.pins == Pins(layout=frozendict(exp=0))
    panel.table.selectRow(row_of(panel, 1))
    panel.pin.click()
    assert stage.pins == Pins(layout=frozendict(exp=1))
    stage.undo_stack.undo()
    panel.refresh()
    assert stage.pins == Pins(layout=frozendict(exp=0))
    assert states(panel)[row_of(panel, 0)] == "not solved"


def test_what_is_not_possible_is_not_pinned_and_says_why(panel: LayoutList, stage: Stage) -> None:
    look(panel, stage, "scores")
    panel.table.selectRow(row_of(panel, 0))
    QTest.keyClick(panel.table, Qt.Key.Key_Return)
    assert not stage.pins
    assert not panel.pin.isEnabled()
    assert "Not possible: scores cannot write it in sticks of dim 0" in panel.told.text()


def test_inputs_say_why_they_cannot_be_pinned(panel: LayoutList, stage: Stage) -> None:
    look(panel, stage, "q")
    assert "Its layout cannot be pinned: the host fills an input" in panel.told.text()
    panel.table.selectRow(0)
    QTest.keyClick(panel.table, Qt.Key.Key_Return)
    assert not stage.pins


def test_one_value_per_stick_cannot_be_pinned(panel: LayoutList, stage: Stage) -> None:
    look(panel, stage, "max")
    panel.table.selectRow(row_of(panel, -1))
    assert not panel.pin.isEnabled()
    assert "only a dim to be cut into sticks can be pinned" in panel.told.text()


def test_a_solved_pin_is_marked_in_its_row(panel: LayoutList, stage: Stage) -> None:
    stage.put(
        compiled(Pins(layout=frozendict(exp=1, scores=0)), program=attention(4, 512, 64), pipeline=DEFAULT_ORDERS)
    )
    look(panel, stage, "exp")
    assert states(panel)[row_of(panel, 1)] == "pinned"
    look(panel, stage, "scores")
    assert states(panel)[row_of(panel, 0)] == "pin refused"
    assert panel.told.text().startswith("Pin refused: ")
    assert panel.unpin.isVisible()


def test_what_is_looked_at_stays_so_when_the_second_answer_comes(panel: LayoutList, stage: Stage) -> None:
    stage.answers = False
    look(panel, stage, "exp")
    compilation = stage.compilation
    assert compilation is not None
    stage.waiting_layouts[0](layout_candidates(compilation.problem, compilation.plan, "exp", follow=False))
    panel.table.selectRow(row_of(panel, 0))
    assert "the rest of the graph" in all_texts(panel)
    stage.waiting_layouts[1](layout_candidates(compilation.problem, compilation.plan, "exp"))
    assert panel.table.keys() == (row_of(panel, 0),)
    assert "if everything follows" in panel.told.text()


@pytest.mark.parametrize(("width", "hidden"), [(1200, 0), (286, 6)])
def test_columns_that_matter_least_go_first(panel: LayoutList, stage: Stage, width: int, hidden: int) -> None:
    panel.resize(width, 300)
    look(panel, stage, "exp")
    gone = [place for place in range(10) if panel.table.isColumnHidden(place)]
    assert len(gone) == hidden
    assert not {0, 1, 4, 6} & set(gone)
