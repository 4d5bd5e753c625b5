"""Buffers carried by hand: from tray and list into the map, from the map out, and every way of not doing it."""

import pytest
from frozendict import frozendict
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from compiler.pins import Pins
from spyre_studio.options import CompileOptions
from spyre_studio.theme import Theme
from spyre_studio.views.lx_map import Spot
from spyre_studio.views.scratchpad import ScratchpadView
from tests.programs import attention
from tests.spyre_studio.crowds import crowded
from tests.spyre_studio.hand import LEFT, MIDDLE, NONE, drag, turn_wheel
from tests.spyre_studio.moves import moved
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.scratchpads import Opened, data_of
from tests.spyre_studio.stage import Stage, staged


@pytest.fixture
def opened(qtbot: QtBot, stage: Stage, dark: Theme) -> Opened:
    """Long buffers: of those not in LX, d fits nowhere."""
    stage.put(crowded())
    return staged(qtbot, stage, ScratchpadView, 900, 520)


def on_map(view: ScratchpadView, widget: QWidget) -> QPoint:
    """The middle of the map, as a point of another widget."""
    return widget.mapFromGlobal(view.map.mapToGlobal(view.map.plot_rect().center().toPoint()))


def chip(view: ScratchpadView, buffer: str) -> QPoint:
    return next(one.rect for one in view.tray.chips if one.buffer == buffer).center().toPoint()


def box(view: ScratchpadView, buffer: str) -> QPoint:
    rect = data_of(view).rects[data_of(view).resident_map[buffer]]
    return view.map.to_rect(*rect.tolist()).center().toPoint()


def outside(view: ScratchpadView) -> str:
    return view.tray.chips[0].buffer


# Into LX


def test_a_chip_dropped_on_the_map_is_pinned_in_one_step(opened: Opened, stage: Stage) -> None:
    view, selection = opened
    name = outside(view)
    drag(view.tray, chip(view, name), on_map(view, view.tray))
    assert stage.pins.placement == {name: "lx"}
    assert selection.buffer == name
    assert stage.undo_stack.count() == 1
    assert "pins changed" in view.map.state.badges[0].text
    stage.undo_stack.undo()
    assert not stage.pins


def test_while_it_is_carried_name_size_and_verdict_go_along(opened: Opened) -> None:
    view, _ = opened
    name = outside(view)
    drag(view.tray, chip(view, name), on_map(view, view.tray), release=False)
    ghost = view.carry.ghost
    assert ghost.isVisible()
    assert ghost.name == name
    assert ghost.size_words == "640 KiB on each of 8 cores"
    assert ghost.sentence.startswith("No room as things lie: needs 640 KiB on each core in steps")
    assert view.map._offer is not None
    assert view.map._offer.fit.lacking > 0
    assert view.rect().contains(ghost.geometry())
    QTest.mouseRelease(view.tray, LEFT, NONE, QPoint(2, 2))
    assert not ghost.isVisible()
    assert view.map._offer is None


def test_what_fits_is_shown_its_place(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    pins = Pins(placement=frozendict(exp="hbm"))
    stage.put(compiled(program=attention(2, 64, 64), pins=pins))
    view, _ = staged(qtbot, stage, ScratchpadView)
    drag(view.tray, chip(view, "exp"), on_map(view, view.tray), release=False)
    offer = view.map._offer
    assert offer is not None
    assert offer.welcome
    assert offer.fit.nearest(0) is not None
    assert "large enough" in view.carry.ghost.sentence
    view.map.grab()  # draws the offer
    QTest.mouseRelease(view.tray, LEFT, NONE, on_map(view, view.tray))
    assert stage.pins.placement["exp"] == "lx"


def test_escape_and_a_drop_elsewhere_change_nothing(opened: Opened, stage: Stage) -> None:
    view, _ = opened
    name = outside(view)
    drag(view.tray, chip(view, name), on_map(view, view.tray), release=False)
    QTest.keyClick(view.tray, Qt.Key.Key_Escape)
    assert not view.carry.ghost.isVisible()
    QTest.mouseRelease(view.tray, LEFT, NONE, on_map(view, view.tray))
    drag(view.tray, chip(view, name), view.tray.mapFromGlobal(view.heat.mapToGlobal(QPoint(60, 60))))
    assert stage.undo_stack.count() == 0


def test_a_short_way_is_a_click(opened: Opened, stage: Stage) -> None:
    view, selection = opened
    name = outside(view)
    QTest.mouseClick(view.tray, LEFT, NONE, chip(view, name))
    assert selection.buffer == name
    assert not stage.pins


def test_what_no_pin_brings_into_lx_says_so_and_is_not_pinned(opened: Opened, stage: Stage) -> None:
    view, _ = opened
    view.set_why(True)
    table = view.why.table
    row = next(place for place, row in enumerate(table.shown()) if row.key == "x")
    start = table.visualRect(table.model().index(row, 0)).center()
    drag(table.viewport(), start, start + QPoint(30, 0), release=False)
    assert view.carry.ghost.sentence.startswith("No pin brings it into LX. Graph input")
    QTest.mouseRelease(table.viewport(), LEFT, NONE, on_map(view, table.viewport()))
    assert not stage.pins


def test_a_pipeline_with_clones_takes_inputs(opened: Opened, stage: Stage) -> None:
    view, _ = opened
    assert "x" in view.tray._barred
    stage._options = CompileOptions(pipeline="co-optimized")
    stage.changed.emit("options")
    assert "x" not in view.tray._barred


def test_a_row_of_the_list_finds_the_map_beside_it(opened: Opened, stage: Stage) -> None:
    view, _ = opened
    view.set_why(True)
    assert not view.map.isVisible()
    table = view.why.table
    name = str(table.shown()[0].key)
    start = table.visualRect(table.model().index(0, 0)).center()
    drag(table.viewport(), start, start + QPoint(30, 0), release=False)
    assert view.map.isVisible()
    assert table.isVisible()
    QApplication.processEvents()
    QTest.mouseRelease(table.viewport(), LEFT, NONE, on_map(view, table.viewport()))
    assert stage.pins.placement == {name: "lx"}
    assert not view.map.isVisible()


def test_escape_in_the_list_too(opened: Opened, stage: Stage) -> None:
    view, _ = opened
    view.set_why(True)
    table = view.why.table
    start = table.visualRect(table.model().index(0, 0)).center()
    drag(table.viewport(), start, start + QPoint(30, 0), release=False)
    QTest.keyClick(table, Qt.Key.Key_Escape)
    assert not view.map.isVisible()
    QTest.mouseRelease(table.viewport(), LEFT, NONE, start)
    assert not stage.pins


def test_at_the_edge_the_map_moves(opened: Opened) -> None:
    view, _ = opened
    view.map.show_x(0, 4)
    edge = view.map.mapToGlobal(QPointF(view.map.plot_rect().right() - 3, view.map.plot_rect().center().y()))
    assert view.lift(outside(view), edge)
    view.carry.tick()
    assert view.map.x_axis.lo > 0
    view.carry.cancel()
    before = view.map.x_axis.lo
    view.carry.tick()
    assert view.map.x_axis.lo == before


def test_the_wheel_still_zooms_on_the_way(opened: Opened) -> None:
    view, _ = opened
    view.lift(outside(view), QPointF(view.map.mapToGlobal(on_map(view, view.map))))
    before = view.map.x_axis.span
    turn_wheel(view.map, on_map(view, view.map), 2, Qt.KeyboardModifier.ControlModifier)
    assert view.map.x_axis.span < before
    assert view.carry.want is not None
    view.carry.cancel()


def test_another_plan_ends_it(opened: Opened, stage: Stage) -> None:
    view, _ = opened
    view.lift(outside(view), QPointF(0, 0))
    stage.put(crowded(a="lx"))
    assert view.carry.want is None
    assert not view.lift("nobody", QPointF(0, 0))


# Out of LX


def test_a_box_dropped_on_the_tray_is_kept_in_device_memory(opened: Opened, stage: Stage) -> None:
    view, selection = opened
    name = data_of(view).residents[0].name
    end = view.map.mapFromGlobal(view.tray.mapToGlobal(QPoint(20, 40)))
    drag(view.map, box(view, name), end, release=False)
    assert view.tray._target
    assert "outside the map" in view.carry.ghost.sentence
    QTest.mouseRelease(view.map, LEFT, NONE, end)
    assert stage.pins.placement == {name: "hbm"}
    assert selection.buffer == name
    assert not view.tray._target


def test_dropped_inside_or_with_escape_it_stays(opened: Opened, stage: Stage) -> None:
    view, _ = opened
    name = data_of(view).residents[0].name
    drag(view.map, box(view, name), box(view, name) + QPoint(40, 0))
    drag(view.map, box(view, name), QPoint(5, 5), release=False)
    QTest.keyClick(view.map, Qt.Key.Key_Escape)
    QTest.mouseRelease(view.map, LEFT, NONE, QPoint(5, 5))
    assert not stage.pins


def test_beside_boxes_and_with_the_middle_button_the_picture_moves(opened: Opened, stage: Stage) -> None:
    view, _ = opened
    view.map.show_x(2, 6)
    name = data_of(view).residents[0].name
    drag(view.map, box(view, name), box(view, name) - QPoint(60, 0), button=MIDDLE)
    assert view.map.x_axis.lo > 2
    assert not stage.pins


def test_a_copy_that_the_plan_makes_is_not_carried(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    stage.put(moved())
    view, _ = staged(qtbot, stage, ScratchpadView)
    assert view.map.begin_drag(Spot("box", data_of(view).resident_map["mm@ring"]), QPointF()) is None
    assert view.map.begin_drag(Spot("step", 1), QPointF()) is None
    assert view.map.begin_drag(Spot("box", data_of(view).resident_map["mm"]), QPointF()) is not None
    view.carry.cancel()


# By keys


def test_delete_sends_the_selected_box_out(opened: Opened, stage: Stage) -> None:
    view, selection = opened
    QTest.keyClick(view.map, Qt.Key.Key_Delete)
    assert not stage.pins, "nothing is selected"
    name = data_of(view).residents[0].name
    selection.select_buffer(name)
    QTest.keyClick(view.map, Qt.Key.Key_Delete)
    assert stage.pins.placement == {name: "hbm"}


def test_arrows_choose_chips_and_enter_keeps_one(opened: Opened, stage: Stage) -> None:
    view, selection = opened
    names = [one.buffer for one in view.tray.chips if one.buffer]
    view.tray.setFocus()
    QTest.keyClick(view.tray, Qt.Key.Key_Right)
    assert selection.buffer == names[1]
    QTest.keyClick(view.tray, Qt.Key.Key_Home)
    assert selection.buffer == names[0]
    assert view.tray.accessibleDescription().startswith(names[0])
    QTest.keyClick(view.tray, Qt.Key.Key_Return)
    assert stage.pins.placement == {names[0]: "lx"}
    QTest.keyClick(view.tray, Qt.Key.Key_End)
    QTest.keyClick(view.tray, Qt.Key.Key_Return)
    assert view.panels.page == "why", "the last chip stands for the rest"
