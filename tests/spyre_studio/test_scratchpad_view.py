"""The scratchpad view driven as a user would: boxes, steps, cores, the reason line, the table."""

import csv
from collections.abc import Sequence
from functools import partial

import pytest
from frozendict import frozendict
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetricsF, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QWidget
from pytestqt.qtbot import QtBot

from compiler.pins import Pins
from spyre_studio.pin_change import with_placement
from spyre_studio.qt_theme import font
from spyre_studio.selection import Selection
from spyre_studio.theme import Theme
from spyre_studio.views.lx_map import Spot
from spyre_studio.views.scratchpad import ScratchpadView
from tests.programs import attention, chain
from tests.spyre_studio.hand import LEFT, NONE
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import Stage, staged


@pytest.fixture
def opened(qtbot: QtBot, stage: Stage, dark: Theme) -> tuple[ScratchpadView, Selection]:
    stage.put(compiled(program=attention(2, 64, 64)))
    return staged(qtbot, stage, ScratchpadView)


def middle_of(view: ScratchpadView, buffer: str) -> QPoint:
    """A pixel inside the box of a buffer."""
    assert view._data is not None
    x0, y0, x1, y1 = view._data.rects[view._data.resident_map[buffer]].tolist()
    return view.map.to_rect(x0, y0, x1, y1).center().toPoint()


def test_a_click_on_a_box_selects_its_buffer(opened: tuple[ScratchpadView, Selection]) -> None:
    view, selection = opened
    QTest.mouseClick(view.map, LEFT, NONE, middle_of(view, "exp"))
    assert selection.buffer == "exp"
    assert "exp" in view.line.text()
    assert "stays in LX" in view.line.text()
    assert view.map.current_item() == Spot("box", view._data.resident_map["exp"] if view._data else -1)


def test_a_click_on_the_axis_selects_the_step_and_its_op(opened: tuple[ScratchpadView, Selection]) -> None:
    view, selection = opened
    at = QPoint(round(view.map.x_axis.to_px(2.5)), round(view.map.plot_rect().bottom()) + 8)
    QTest.mouseClick(view.map, LEFT, NONE, at)
    assert selection.step == 2
    assert selection.op == (view._data.steps[2] if view._data else "")


def test_a_click_on_a_row_selects_the_core(opened: tuple[ScratchpadView, Selection]) -> None:
    view, selection = opened
    at = QPoint(round(view.heat.plot_rect().center().x()), round(view.heat.y_axis.to_px(5.5)))
    QTest.mouseClick(view.heat, LEFT, NONE, at)
    assert selection.core == 5
    assert view.map.caption().startswith("peak ")


def test_a_buffer_outside_shows_its_reason_and_the_remedy(opened: tuple[ScratchpadView, Selection]) -> None:
    view, selection = opened
    selection.select_buffer("q")
    assert "device memory" in view.line.text()
    assert "graph input" in view.line.text()
    assert "To change:" in view.line.text()
    assert view.map.current_item() is None


def test_keys_walk_over_steps_and_boxes(opened: tuple[ScratchpadView, Selection]) -> None:
    view, selection = opened
    view.map.setFocus()
    QTest.keyClick(view.map, Qt.Key.Key_Right)
    assert selection.step == 0
    for _ in range(2):
        QTest.keyClick(view.map, Qt.Key.Key_Right)
    assert selection.step == 2
    QTest.keyClick(view.map, Qt.Key.Key_Up)
    assert selection.buffer in {one.name for one in view._data.residents if one.first <= 2 <= one.last}  # type: ignore[union-attr]
    view.heat.setFocus()
    QTest.keyClick(view.heat, Qt.Key.Key_Down)
    assert selection.core == 1


def test_double_click_selects_the_producer(opened: tuple[ScratchpadView, Selection]) -> None:
    view, selection = opened
    QTest.mouseDClick(view.map, LEFT, NONE, middle_of(view, "exp"))
    assert selection.op == "exp"


def test_both_pictures_show_the_same_steps(opened: tuple[ScratchpadView, Selection]) -> None:
    view, _ = opened
    view.map.show_x(1, 4)
    assert (view.heat.x_axis.lo, view.heat.x_axis.hi) == (1, 4)
    view.heat.fit_all()
    assert view.map.x_axis.lo == 0


def test_hints_say_where_and_for_whom(opened: tuple[ScratchpadView, Selection]) -> None:
    view, _ = opened
    item = view.map.item_at(middle_of(view, "exp").toPointF())
    hint = view.map.tooltip_for(item)
    assert "0x" in hint
    assert "stick" in hint
    assert "made by exp" in hint
    assert "truediv" in hint
    assert "in use on core 0" in view.map.tooltip_for(Spot("step", 1))
    assert "core 3" in view.heat.tooltip_for((3, 1))


def test_the_budget_is_in_view_on_demand(opened: tuple[ScratchpadView, Selection]) -> None:
    view, _ = opened
    assert not view.map.shows_budget, "a plan that uses little is enlarged"
    view.panels.range.chosen.emit("whole")
    assert view.map.shows_budget


def test_badges_leave_the_words_of_the_budget_free(opened: tuple[ScratchpadView, Selection]) -> None:
    view, _ = opened
    enlarged = view.map.badge_top()
    view.panels.range.chosen.emit("whole")
    assert view._data is not None
    line = view.map.y_axis.to_px(float(view._data.budget))
    words = QFontMetricsF(font("micro")).height()
    assert view.map.badge_top() >= line + words
    assert enlarged < view.map.badge_top()


def test_a_buffer_that_is_divided_differently_leads_to_who_holds_what(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    pins = Pins(division=frozendict({"neg": frozendict(i=8), "relu": frozendict(i=4)}))
    stage.put(compiled(program=chain(64, 128), pins=pins))
    view, selection = staged(qtbot, stage, ScratchpadView)
    selection.select_buffer("x")
    assert "href" not in view.line.text()
    selection.select_buffer("neg")
    assert "Who holds what" in view.line.text()
    with qtbot.waitSignal(view.apart_asked) as asked:
        view.line.linkActivated.emit("apart")
    assert asked.args == ["neg"]


def test_the_table_lists_every_buffer_with_its_reason(opened: tuple[ScratchpadView, Selection]) -> None:
    view, selection = opened
    view.set_table(True)
    assert view.table_shown
    rows = {row.key: row.cells for row in view.table.table.shown()}
    assert "graph-input" in rows["q"]
    assert "LX" in rows["exp"]
    selection.select_buffer("q")
    assert view.table.table.keys() == ("q",)
    QTest.keyClick(view.table.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert "graph-input" in QGuiApplication.clipboard().text()


def test_in_little_room_the_legend_goes_and_the_controls_stay(
    qtbot: QtBot, opened: tuple[ScratchpadView, Selection]
) -> None:
    view, _ = opened
    assert view.panels.legend.isVisible()
    for table in (False, True):
        view.set_table(table)
        view.resize(320, 480)
        qtbot.waitUntil(lambda: view.width() == 320)
        assert not view.panels.legend.isVisible()
        shown = [
            one
            for one in (view.panels.copy, view.panels.range, view.panels.why_button, view.panels.table_button)
            if one.isVisible()
        ]
        assert len(shown) == (3 if table else 2)
        qtbot.waitUntil(partial(inside, shown, 320))


def inside(widgets: Sequence[QWidget], width: int) -> bool:
    """True if no widget reaches over the width."""
    return all(widget.geometry().right() < width for widget in widgets)


# What is not in LX


@pytest.fixture
def outside(qtbot: QtBot, stage: Stage, dark: Theme) -> tuple[ScratchpadView, Selection]:
    """The list for a plan in which buffers are outside for three reasons."""
    pins = Pins(division=frozendict(scores=frozendict(j=4)), placement=frozendict(exp="hbm"))
    stage.put(compiled(program=attention(2, 64, 64), pins=pins))
    view, selection = staged(qtbot, stage, ScratchpadView)
    view.panels.why_button.click()
    return view, selection


def test_the_list_has_what_would_save_most_on_top(outside: tuple[ScratchpadView, Selection]) -> None:
    view, _ = outside
    rows = view.why.table.shown()
    saves = [row.cells[1] for row in rows]
    assert saves == sorted(saves, reverse=True)
    assert saves[0] != 0
    exp = next(row for row in rows if row.key == "exp")
    assert "pinned to device memory" in exp.cells
    assert "Remove the pin." in exp.cells
    assert "Remove the pin." in exp.hint
    assert view.why.table.isVisible()
    assert not view.map.isVisible()
    view.panels.table_button.click()
    assert not view.panels.why_button.isChecked()
    view.panels.table_button.click()
    assert view.map.isVisible()


def test_the_list_is_filtered_by_reason_and_by_words(outside: tuple[ScratchpadView, Selection]) -> None:
    view, _ = outside
    every = len(view.why.table.shown())
    assert view.why.reasons.itemText(0) == f"Every reason ({every})"
    view.why.reasons.setCurrentIndex(view.why.reasons.findData("graph-input"))
    assert {row.key for row in view.why.table.shown()} == {"q", "k", "v"}
    assert view.why.count.text().startswith(f"3 of {every} buffers")
    view.why.words.setText("Q")
    assert [row.key for row in view.why.table.shown()] == ["q"]
    view.why.words.clear()
    view.why.reasons.setCurrentIndex(0)
    assert len(view.why.table.shown()) == every


def test_a_reason_stays_chosen_under_another_plan(outside: tuple[ScratchpadView, Selection], stage: Stage) -> None:
    view, _ = outside
    view.why.reasons.setCurrentIndex(view.why.reasons.findData("graph-input"))
    stage.put(compiled(program=attention(2, 64, 64)))
    assert view.why.reasons.currentData() == "graph-input"
    view.why.reasons.setCurrentIndex(view.why.reasons.findData("graph-output"))
    assert {row.key for row in view.why.table.shown()} == {"context"}


def test_list_and_selection_follow_each_other(outside: tuple[ScratchpadView, Selection]) -> None:
    view, selection = outside
    selection.select_buffer("exp")
    assert view.why.table.keys() == ("exp",)
    assert view.why.keep.isEnabled()
    selection.select_buffer("max")
    assert view.why.table.keys() == ()
    assert not view.why.keep.isEnabled(), "that one is in LX"
    view.why.table.selectRow([row.key for row in view.why.table.shown()].index("q"))
    assert selection.buffer == "q"


def test_what_is_selected_is_pinned_into_lx_as_one_step(
    outside: tuple[ScratchpadView, Selection], stage: Stage
) -> None:
    view, selection = outside
    selection.select_buffer("exp")
    before = stage.pins
    view.why.table.selectAll()
    view.why.keep.click()
    assert set(stage.pins.placement) == {row.key for row in view.why.table.shown()}
    assert set(stage.pins.placement.values()) == {"lx"}
    stage.undo_stack.undo()
    assert stage.pins == before


def test_the_list_is_copied_as_csv_as_it_is_shown(outside: tuple[ScratchpadView, Selection]) -> None:
    view, _ = outside
    view.why.reasons.setCurrentIndex(view.why.reasons.findData("graph-input"))
    view.why.table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    view.panels.copy.click()
    rows = list(csv.reader(QGuiApplication.clipboard().text().splitlines()))
    assert rows[0][:3] == ["buffer", "saves, B", "reason"]
    assert [row[0] for row in rows[1:]] == ["v", "q", "k"]
    assert all(row[1].isdigit() for row in rows[1:]), "numbers as numbers"
    view.set_table(True)
    view.panels.copy.click()
    table = list(csv.reader(QGuiApplication.clipboard().text().splitlines()))
    assert len(table) == 1 + len(view.table.table.shown())
    assert table[0][0] == "buffer"


def test_menus_of_a_box_and_of_a_row_pin(outside: tuple[ScratchpadView, Selection], stage: Stage) -> None:
    view, selection = outside
    selection.select_buffer("exp")
    view.why.table.customContextMenuRequested.emit(QPoint(5, 5))
    _trigger(view, "Over the ring")
    assert stage.pins.relayout == {"exp": "ring"}
    view.panels.why_button.click()
    view.map.menu_requested.emit(Spot("box", view._data.resident_map["max"] if view._data else -1), QPoint(9, 9))
    _trigger(view, "Keep in device memory: max")
    assert stage.pins.placement["max"] == "hbm"


def _trigger(view: ScratchpadView, words: str) -> None:
    """Choose an entry of the menu that is open, or of one in it."""
    menu = next(menu for menu in view.findChildren(QMenu) if menu.isVisible())
    entries = [*menu.actions(), *(entry for below in menu.findChildren(QMenu) for entry in below.actions())]
    next(entry for entry in entries if entry.text() == words).trigger()
    menu.close()
    menu.setParent(None)


def test_without_a_plan_it_says_what_it_will_show(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view, _ = staged(qtbot, stage, ScratchpadView)
    assert view.state.kind == "empty"
    assert "Open a model" in view.state.sentence


def test_changed_pins_leave_the_picture_and_a_badge(opened: tuple[ScratchpadView, Selection], stage: Stage) -> None:
    view, _ = opened
    stage.set_pins(with_placement(stage.pins, "exp", "hbm"))
    assert view.state.kind == "ready"
    assert [badge.text for badge in view.map.state.badges] == ["pins changed since this plan"]
