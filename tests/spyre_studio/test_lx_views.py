"""Following one buffer, the strip with its table, steps and cores shared with other views, and pins explained."""

import csv
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from spyre_studio.lx_room import StepRoom
from spyre_studio.qt_theme import active_theme
from spyre_studio.theme import Theme
from spyre_studio.views.lx_heat import runs_of
from spyre_studio.views.lx_map import Spot
from spyre_studio.views.lx_rooms import LxRooms
from spyre_studio.views.lx_strip import LxStrip
from spyre_studio.views.lx_trail_bar import MOST as STATIONS
from spyre_studio.views.scratchpad import ScratchpadView
from tests.programs import attention, chain
from tests.spyre_studio.hand import LEFT, NONE, show, turn_wheel
from tests.spyre_studio.occupancies import made_occupancy
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.scratchpads import Opened, data_of
from tests.spyre_studio.stage import Stage, colours_in, staged

# Following


def test_all_forms_of_a_buffer_stand_out(travelled: Opened) -> None:
    view, selection = travelled
    selection.select_buffer("mm")
    plain = colours_in(view.heat)
    view.panels.follow.click()
    rows = {data_of(view).resident_map[name] for name in ("mm", "mm@ring")}
    assert view.map._followed == rows
    assert set(view.heat._followed) == rows
    assert colours_in(view.heat) != plain
    assert "Core 0 holds [" in view.line.text()
    assert "core 5 holds [" in view.heat.tooltip_for((5, 2))
    view.set_table(True)
    model = view.table.table.model()
    muted = {
        model.index(row, 0).data(): model.index(row, 0).data(Qt.ItemDataRole.ForegroundRole) is not None
        for row in range(model.rowCount())
    }
    assert {name for name, quiet in muted.items() if not quiet} == {"mm", "mm@ring", "mm@out"}
    view.set_following(False)
    assert not view.map._followed
    assert not view.trail.isVisible()


def test_one_goes_from_station_to_station(travelled: Opened) -> None:
    view, selection = travelled
    selection.select_buffer("mm")
    view.set_following(True)
    assert [button.text().partition("\n")[0] for button in view.trail.stations] == [
        "mm makes mm",
        "relayout to mm@ring",
        "read by relu",
        "clone out to mm@out",
        "result out0",
    ]
    view.trail.stations[1].click()
    assert (selection.op, selection.buffer) == ("mm@ring", "mm@ring")
    assert [button.isChecked() for button in view.trail.stations] == [False, True, False, False, False]
    view.trail.stations[4].click()
    assert selection.op == "mm@ring", "a result is no step"
    selection.back()
    selection.back()
    assert selection.buffer == "mm", "each station is one step of the way back"


def test_a_station_out_of_view_is_brought_into_it(travelled: Opened) -> None:
    view, selection = travelled
    selection.select_buffer("mm")
    view.set_following(True)
    view.map.show_x(0, 2)
    view.trail.stations[3].click()
    assert view.map.x_axis.lo <= 5 <= view.map.x_axis.hi - 1
    assert view.map.x_axis.span == 2
    assert selection.window == pytest.approx((view.map.x_axis.lo, view.map.x_axis.hi))


def test_a_buffer_outside_lx_leaves_nothing_standing_out(scratchpad: Opened) -> None:
    view, selection = scratchpad
    selection.select_buffer("q")
    view.set_following(True)
    assert view.map._followed == {-1}
    assert view.trail.isVisible()
    selection.select_buffer(None)
    assert not view.trail.isVisible()
    assert not view.map._followed


def test_a_buffer_with_many_readers_has_some_stations_and_a_count(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    stage.put(compiled(program=chain(64, 64, primitives=("neg",) + ("relu",) * 3)))
    view, selection = staged(qtbot, stage, ScratchpadView)
    selection.select_buffer("neg")
    view.set_following(True)
    one = view.trail._trail.stations[-1]
    view.trail.show_trail(replace(view.trail._trail, stations=(one,) * (STATIONS + 7)))
    assert len(view.trail.stations) == STATIONS


# Room


def test_the_strip_draws_what_the_table_lists(scratchpad: Opened) -> None:
    view, selection = scratchpad
    room = view.strip.room
    assert room is not None
    assert room.used.tolist() == data_of(view).fill[0].tolist()
    used, hole, split = view.strip.curves(len(room.used))
    assert used.max() == 1
    assert hole.tolist() == pytest.approx((room.largest / room.budget).tolist())
    assert split.tolist() == pytest.approx(room.fragmentation.tolist())
    view.panels.table_button.click()
    view.panels.twin.chosen.emit("steps")
    rows = view.steps.table.shown()
    assert [row.cells[1] for row in rows] == list(range(len(data_of(view).steps)))
    view.panels.copy.click()
    table = list(csv.reader(QGuiApplication.clipboard().text().splitlines()))
    assert table[0] == ["op", "step", "used, B", "free, B", "largest hole, B", "at", "holes", "fragmentation"]
    assert [int(row[4]) for row in table[1:]] == room.largest.tolist()
    view.steps.table.selectRow(3)
    assert selection.step == 3


def test_cores_have_a_table_too(scratchpad: Opened) -> None:
    view, selection = scratchpad
    view.panels.show_twin("cores")
    assert view.table_shown
    rows = view.cores.table.shown()
    assert [row.cells[1] for row in rows] == list(range(data_of(view).cores))
    assert [row.cells[2] for row in rows] == data_of(view).fill.max(axis=1).tolist()
    view.cores.table.selectRow(5)
    assert selection.core == 5
    view.panels.copy.click()
    assert QGuiApplication.clipboard().text().startswith("fullest at,core,")
    view.set_table(False)
    view.set_table(True)
    assert view.cores.isVisible(), "the last twin comes back"


def test_every_picture_has_a_menu(scratchpad: Opened) -> None:
    view, selection = scratchpad
    for picture, item, entries in (
        (view.heat, (4, 2), ["Look at core 4", "Go to step 2"]),
        (view.strip, 3, ["Go to step 3"]),
        (view.map, Spot("step", 1), ["Go to step 1"]),
    ):
        picture.menu_requested.emit(item, QPoint(5, 5))
        menu = next(menu for menu in view.findChildren(QMenu) if menu.isVisible())
        found = {action.text(): action for action in menu.actions()}
        assert {*entries, "As a table"} <= found.keys()
        for entry in entries:
            found[entry].trigger()
        menu.close()
        menu.setParent(None)
    assert (selection.core, selection.step) == (4, 1)


def test_a_short_peak_is_never_lost(qtbot: QtBot, dark: Theme) -> None:
    data = made_occupancy(1, 5000, cores=1, lanes=1)
    strip = LxStrip()
    show(qtbot, strip, 300, 60)
    strip.show_data(data)
    room = LxRooms()
    room.show_data(data)
    found: list[StepRoom] = []
    room.ask(0, found.append)
    used = found[0].used.copy()
    used[:] = 0
    used[3210] = 77
    strip.show_room(replace(found[0], used=used), 0)
    assert strip.curves(100)[0].tolist() == [float(column == 64) for column in range(100)]


def test_clicks_and_keys_on_the_strip_choose_steps(scratchpad: Opened) -> None:
    view, selection = scratchpad
    at = QPoint(round(view.strip.x_axis.to_px(2.5)), 40)
    QTest.mouseClick(view.strip, LEFT, NONE, at)
    assert selection.step == 2
    view.strip.setFocus()
    QTest.keyClick(view.strip, Qt.Key.Key_Right)
    assert selection.step == 3
    hint = view.strip.tooltip_for(3)
    assert "fragmentation" in hint
    assert "largest hole" in hint
    assert view.map.tooltip_for(Spot("step", 3)) == hint


def test_a_much_used_core_is_counted_on_a_thread(qtbot: QtBot) -> None:
    data = made_occupancy(2000, 4000, cores=2, lanes=40)
    rooms = LxRooms()
    found: list[StepRoom] = []
    rooms.show_data(data)
    rooms.ask(0, found.append)
    assert not found
    qtbot.waitUntil(lambda: len(found) == 1)
    rooms.ask(0, found.append)
    assert found[1] is found[0], "known by now"
    rooms.ask(1, found.append)
    rooms.show_data(data)
    rooms.background.finish()
    assert len(found) == 2, "of a plan that is no more nobody hears"


# Steps and cores shared with other views


def test_zooming_one_picture_moves_all_views_and_the_other_way_round(scratchpad: Opened) -> None:
    view, selection = scratchpad
    pictures = (view.map, view.heat, view.strip)
    turn_wheel(view.map, view.map.plot_rect().center().toPoint(), 3, Qt.KeyboardModifier.ControlModifier)
    assert selection.window == pytest.approx((view.map.x_axis.lo, view.map.x_axis.hi))
    assert view.map.x_axis.span < 6
    for one in pictures:
        assert (one.x_axis.lo, one.x_axis.hi) == pytest.approx(selection.window)
    selection.look_at((1.0, 4.0))
    assert {(one.x_axis.lo, one.x_axis.hi) for one in pictures} == {(1.0, 4.0)}
    view.heat.fit_all()
    assert selection.window is None
    assert view.map.x_axis.lo == 0


def test_what_was_moved_while_it_was_hidden_is_seen_later(scratchpad: Opened, stage: Stage) -> None:
    view, selection = scratchpad
    view.hide()
    selection.look_at((2.0, 5.0))
    view.show()
    assert (view.map.x_axis.lo, view.map.x_axis.hi) == (2.0, 5.0)
    stage.put(compiled(program=attention(2, 64, 128)))
    assert selection.window == (2.0, 5.0), "another plan does not move it"
    assert view.map.x_axis.lo == 2


def test_a_core_under_the_pointer_is_told_and_outlined(scratchpad: Opened) -> None:
    view, selection = scratchpad
    at = QPointF(view.heat.plot_rect().center().x(), view.heat.y_axis.to_px(7.5))
    view.heat._pointer.hover(at)
    told = [selection.hovered_core]
    view.heat._pointer.leave()
    told.append(selection.hovered_core)
    assert told == [7, None]
    picture = view.heat._cached()
    selection.hover_core(9)
    assert view.heat._pointed == 9
    assert view.heat._picture is picture, "only the overlay is drawn anew"
    assert active_theme().accent in colours_in(view.heat)


def test_runs_of_cores() -> None:
    assert runs_of(np.array([True, True, False, True])) == ((0, 2), (3, 4))
    assert runs_of(np.zeros(3, np.bool_)) == ()
