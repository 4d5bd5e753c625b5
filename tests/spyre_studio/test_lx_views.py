"""Following one buffer, the strip with its table, steps and cores shared with other views, and pins explained."""

import csv
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from frozendict import frozendict
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from spyre_studio.colour import MIN_TEXT, contrast, mix
from spyre_studio.conflict_model import Remedy
from spyre_studio.main_window import MainWindow
from spyre_studio.occupancy import KINDS, Occupancy
from spyre_studio.qt_theme import active_theme
from spyre_studio.selection import Selection
from spyre_studio.theme import THEMES, Theme
from spyre_studio.views.lx_heat import runs_of
from spyre_studio.views.lx_map import LxMap, Spot
from spyre_studio.views.lx_paint import _DIMMED, MOST
from spyre_studio.views.lx_rooms import LxRooms
from spyre_studio.views.lx_strip import LxStrip
from spyre_studio.views.lx_trail_bar import MOST as STATIONS
from spyre_studio.views.scratchpad import ScratchpadView
from tests.programs import attention, chain
from tests.spyre_studio.crowds import crowded
from tests.spyre_studio.door import Door
from tests.spyre_studio.door import opened as opened_window
from tests.spyre_studio.hand import LEFT, NONE, show, turn_wheel
from tests.spyre_studio.moves import moved
from tests.spyre_studio.occupancies import made_occupancy
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import Stage, colours_in, quiet_settings, staged

Opened = tuple[ScratchpadView, Selection]


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(quiet_settings(str(tmp_path)))


@pytest.fixture
def opened(qtbot: QtBot, stage: Stage, dark: Theme) -> Opened:
    stage.put(compiled(program=attention(2, 64, 64)))
    return staged(qtbot, stage, ScratchpadView, 900, 520)


@pytest.fixture
def travelled(qtbot: QtBot, stage: Stage, dark: Theme) -> Opened:
    """A plan with every kind of move within the chip."""
    stage.put(moved())
    return staged(qtbot, stage, ScratchpadView, 900, 520)


def data_of(view: ScratchpadView) -> Occupancy:
    assert view._data is not None
    return view._data


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


def test_a_buffer_outside_lx_leaves_nothing_standing_out(opened: Opened) -> None:
    view, selection = opened
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


def test_the_strip_draws_what_the_table_lists(opened: Opened) -> None:
    view, selection = opened
    room = view.strip.room
    assert room is not None
    assert room.used.tolist() == data_of(view).fill[0].tolist()
    used, hole, split = view.strip.curves(len(room.used))
    assert used.max() == 1
    assert hole.tolist() == pytest.approx((room.largest / room.budget).tolist())
    assert split.tolist() == pytest.approx(room.fragmentation.tolist())
    view.panels.steps_button.click()
    rows = view.steps.table.shown()
    assert [row.cells[1] for row in rows] == list(range(len(data_of(view).steps)))
    view.panels.copy.click()
    table = list(csv.reader(QGuiApplication.clipboard().text().splitlines()))
    assert table[0] == ["op", "step", "used, B", "free, B", "largest hole, B", "at", "holes", "fragmentation"]
    assert [int(row[4]) for row in table[1:]] == room.largest.tolist()
    view.steps.table.selectRow(3)
    assert selection.step == 3


def test_a_short_peak_is_never_lost(qtbot: QtBot, dark: Theme) -> None:
    data = made_occupancy(1, 5000, cores=1, lanes=1)
    strip = LxStrip()
    show(qtbot, strip, 300, 60)
    strip.show_data(data)
    room = LxRooms()
    room.show_data(data)
    found = []
    room.ask(0, found.append)
    used = found[0].used.copy()
    used[:] = 0
    used[3210] = 77
    strip.show_room(replace(found[0], used=used), 0)
    assert strip.curves(100)[0].tolist() == [float(column == 64) for column in range(100)]


def test_clicks_and_keys_on_the_strip_choose_steps(opened: Opened) -> None:
    view, selection = opened
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
    rooms, found = LxRooms(), []
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


def test_zooming_one_picture_moves_all_views_and_the_other_way_round(opened: Opened) -> None:
    view, selection = opened
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


def test_what_was_moved_while_it_was_hidden_is_seen_later(opened: Opened, stage: Stage) -> None:
    view, selection = opened
    view.hide()
    selection.look_at((2.0, 5.0))
    view.show()
    assert (view.map.x_axis.lo, view.map.x_axis.hi) == (2.0, 5.0)
    stage.put(compiled(program=attention(2, 64, 128)))
    assert selection.window == (2.0, 5.0), "another plan does not move it"
    assert view.map.x_axis.lo == 2


def test_a_core_under_the_pointer_is_told_and_outlined(opened: Opened) -> None:
    view, selection = opened
    at = QPointF(view.heat.plot_rect().center().x(), view.heat.y_axis.to_px(7.5))
    view.heat._pointer.hover(at)
    assert selection.hovered_core == 7
    view.heat.leaveEvent(None)  # type: ignore[arg-type]
    assert selection.hovered_core is None
    picture = view.heat._cached()
    selection.hover_core(9)
    assert view.heat._pointed == 9
    assert view.heat._picture is picture, "only the overlay is drawn anew"
    assert active_theme().accent in colours_in(view.heat)


def test_runs_of_cores() -> None:
    assert runs_of(np.array([True, True, False, True])) == ((0, 2), (3, 4))
    assert runs_of(np.zeros(3, np.bool_)) == ()


# Pins that could not be kept


@pytest.fixture
def refused(qtbot: QtBot, stage: Stage, dark: Theme) -> Opened:
    stage.put(crowded(a="lx", b="lx", c="lx"))
    return staged(qtbot, stage, ScratchpadView, 900, 560)


def test_a_pin_without_room_is_explained_where_it_was_made(refused: Opened, stage: Stage) -> None:
    view, selection = refused
    bar = view.conflict
    assert bar.isVisible()
    assert bar.pill.text == "refused"
    assert "at step 2 the largest hole" in bar.words.text()
    bar.words.linkActivated.emit("buffer:c")
    assert selection.buffer == "c"
    assert ">Spread b<" in bar.words.text()
    bar.words.linkActivated.emit("1")  # the second link that leads elsewhere
    assert selection.step == 2
    bar.deeds[0].click()
    assert "placement:a" not in stage.pins.keys
    assert set(stage.pins.placement) == {"b", "c"}


def test_it_can_be_given_up_or_put_away(refused: Opened, stage: Stage) -> None:
    view, _ = refused
    view.conflict.close_button.click()
    assert not view.conflict.isVisible()
    assert view.conflict.conflict is None
    stage.put(crowded(a="lx", b="lx", c="lx"))
    assert view.conflict.isVisible()
    view.conflict.deeds[-1].click()
    assert set(stage.pins.placement) == {"a", "c"}
    stage.put(crowded(a="lx", c="lx"))
    assert not view.conflict.isVisible()


def test_the_pin_made_here_is_explained_first(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    stage.put(compiled(program=attention(2, 64, 64)))
    view, selection = staged(qtbot, stage, ScratchpadView)
    stage.pin_placement("q", "lx")
    view.keep("scores", "lx")
    stage.put(compiled(program=attention(2, 64, 64), pins=stage.pins))
    assert view.conflict.conflict is not None
    assert view.conflict.conflict.buffer == "scores"
    with qtbot.waitSignal(view.apart_asked) as asked:
        view.conflict.deeds[0].click()
    assert asked.args == ["scores"]
    view.conflict.next.click()
    assert view.conflict.conflict.buffer == "q"
    view.conflict.deeds[0].click()
    assert stage.options.pipeline == "co-optimized"
    view.conflict.chosen.emit(Remedy("evict", "exp", ""))
    assert stage.pins.placement["exp"] == "hbm"
    view.conflict.chosen.emit(Remedy("op", "exp", ""))
    assert selection.op == "exp"


# States and scale


def test_a_large_plan_is_laid_out_on_a_thread(
    qtbot: QtBot, stage: Stage, dark: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spyre_studio.views.scratchpad._FEW", 0)
    stage.put(compiled(program=attention(2, 64, 64)))
    view, selection = staged(qtbot, stage, ScratchpadView)
    assert view.state.kind == "loading"
    assert "buffers over 8 steps" in view.state.sentence
    selection.select_buffer("exp")
    qtbot.waitUntil(lambda: view.state.kind == "ready")
    assert view.map.current_item() == Spot("box", data_of(view).resident_map["exp"])
    assert view.strip.room is not None
    before = stage.compilation
    stage.put(compiled(program=attention(2, 64, 128)))
    assert before is not None
    stage.put(before)
    assert view.state.kind == "ready", "what is known is shown at once"


def test_without_residents_everything_still_stands(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    stage.put(compiled(program=chain(64, 64, primitives=("neg",))))
    view, _ = staged(qtbot, stage, ScratchpadView)
    assert [badge.text for badge in view.map.state.badges] == ["no buffer lives in LX under this plan"]
    assert view.strip.room is not None
    assert not view.strip.room.used.any()
    view.grab()


@pytest.mark.parametrize("buffers", [10_000, 40_000])
def test_a_picture_takes_a_bounded_number_of_shapes(qtbot: QtBot, dark: Theme, buffers: int) -> None:
    plot = LxMap()
    show(qtbot, plot, 1200, 700)
    plot.show_data(made_occupancy(buffers, 5000), frozendict())
    plot.grab()
    rects, calls, names, images = plot.painter_counts
    assert rects <= MOST + 1
    assert calls <= 2 * len(KINDS)
    assert images == 1
    assert names < 700
    plot.zoom_by(40, plot.plot_rect().center())
    plot.grab()
    rects, calls, names, images = plot.painter_counts
    assert 0 < rects < 400
    assert names > 0
    assert images == 0


def test_a_crowd_of_small_boxes_covers_what_each_would_cover(qtbot: QtBot, dark: Theme) -> None:
    plot = LxMap()
    show(qtbot, plot, 900, 500)
    data = made_occupancy(MOST + 2000, 4000)
    plot.show_data(data, frozendict())
    picture = plot.grab().toImage()
    inside, ground = plot.plot_rect(), active_theme().bg
    boxes = plot._pixels()
    kept = (boxes[:, 0] >= inside.left() + 2) & (boxes[:, 2] <= inside.right() - 2)
    middles = (boxes[kept, :2] + boxes[kept, 2:]) / 2
    bare = [1 for x, y in middles[::37].tolist() if picture.pixelColor(int(x), int(y)).name() == ground]
    assert len(bare) == 0


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_names_stay_readable_on_boxes_that_step_back(theme: Theme) -> None:
    for kind in KINDS:
        assert contrast(theme.mute, mix(theme.bg, theme.kind(kind), _DIMMED)) >= MIN_TEXT * 0.9
    for ground in (theme.raised, theme.bg, theme.selection):
        assert contrast(theme.mute, ground) >= MIN_TEXT * 0.9


# Menus


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, tmp_path: Path, dark: Theme) -> Iterator[MainWindow]:
    door = Door(quiet_settings(str(tmp_path)))
    made = opened_window(qtbot, qapp, door, None)
    door.put_model(compiled(program=attention(2, 64, 64)))
    yield made
    made.close()


def test_actions_lead_to_following_and_to_the_chips(window: MainWindow) -> None:
    bench = window.workbench
    view = bench.views["scratchpad"]
    assert isinstance(view, ScratchpadView)
    window.selection.select_buffer("exp")
    bench.show_view("compare")
    window.actions_.trigger("follow-buffer")
    assert bench.current_view == "scratchpad"
    assert view.following
    window.actions_.trigger("follow-buffer")
    assert not view.following
    view.set_why(True)
    window.actions_.trigger("spilled")
    assert window.focusWidget() is view.tray
    assert "scores" in [chip.buffer for chip in view.tray.chips]
