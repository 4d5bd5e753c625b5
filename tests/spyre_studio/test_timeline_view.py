"""The timeline view driven as a user would: boxes, names, keys, ruler, strip, table, play, and its states."""

from math import isnan

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from simulator.timing.timeline import Cause
from spyre_studio.opinions import opinions
from spyre_studio.qt_theme import apply_theme
from spyre_studio.theme import DARK, LIGHT, Theme
from spyre_studio.timeline_data import TrackKind, timeline_of
from spyre_studio.timeline_words import CAUSES, bound_shares
from spyre_studio.views.timeline import TimelineView
from spyre_studio.views.timeline_legend import wait_entries
from spyre_studio.views.timeline_spots import Spot
from tests.source_tree import ROOT
from tests.spyre_studio.hand import CONTROL, LEFT, NONE, drag, turn_wheel
from tests.spyre_studio.stage import colours_in
from tests.spyre_studio.timelines import Opened, data_of
from tests.spyre_studio.traces import made_trace


def rect_of(view: TimelineView, kind: TrackKind, core: int, step: str) -> QRectF:
    """The first box of a step on a lane in view."""
    data = data_of(view)
    for number, track in enumerate(data.tracks):
        if track.kind is kind and track.core == core:
            rows = np.flatnonzero(track.step == data.places[step])
            box = int(track.tiles.offset[rows[0]]) if track.tiles is not None else int(rows[0])
            found = view.canvas.box_rect(Spot("box", number, box))
            assert found is not None, "not in view"
            return found
    raise AssertionError(f"no lane of {kind} on core {core}")


def click(view: TimelineView, at: QPointF) -> None:
    QTest.mouseClick(view.canvas, LEFT, NONE, at.toPoint())


# Selection


def test_a_click_on_a_box_selects_step_and_core(timeline: Opened) -> None:
    view, selection = timeline
    click(view, rect_of(view, TrackKind.STEPS, 2, "context").center())
    assert (selection.op, selection.core) == ("context", 2)
    assert view.line.text().startswith("<b>context</b>: ")
    click(view, rect_of(view, TrackKind.UNIT, 0, "scores").center())
    assert (selection.op, selection.core) == ("scores", 0)
    click(view, rect_of(view, TrackKind.CRITICAL, -1, "context").center())
    assert selection.op == "context"


def test_what_is_selected_elsewhere_is_highlighted_and_shown_by_f(timeline: Opened) -> None:
    view, selection = timeline
    before = colours_in(view.canvas)
    selection.select_op("scores")
    assert colours_in(view.canvas) != before
    assert DARK.matmul in colours_in(view.canvas), "in full colour"
    view.canvas.setFocus()
    QTest.keyClick(view.canvas, Qt.Key.Key_F)
    data, axis = data_of(view), view.canvas.x_axis
    step = data.places["scores"]
    start, end = int(data.step_start[step]), int(data.step_end[step])
    assert axis.lo <= start < end <= axis.hi
    assert axis.span < 2 * (end - start)
    QTest.keyClick(view.canvas, Qt.Key.Key_Home)
    assert (view.canvas.x_axis.lo, view.canvas.x_axis.hi) == (0, data.total_ps)


def test_arrows_walk_over_steps_and_cores(timeline: Opened) -> None:
    view, selection = timeline
    steps = data_of(view).trace.steps
    selection.select_op(steps[0])
    QTest.keyClick(view.canvas, Qt.Key.Key_Right)
    assert selection.op == steps[1]
    QTest.keyClick(view.canvas, Qt.Key.Key_Left)
    QTest.keyClick(view.canvas, Qt.Key.Key_Left)
    assert selection.op == steps[0], "there it ends"
    QTest.keyClick(view.canvas, Qt.Key.Key_Down)
    assert selection.core == 1
    QTest.keyClick(view.canvas, Qt.Key.Key_Return)
    assert view.canvas.opened == {0, 1}
    QTest.keyClick(view.canvas, Qt.Key.Key_Escape)
    assert selection.op is None


def test_a_step_that_is_selected_out_of_view_is_brought_into_it(timeline: Opened) -> None:
    view, selection = timeline
    data = data_of(view)
    view.canvas.show_x(0, data.total_ps / 50)
    selection.select_op(data.trace.steps[-1])
    step = len(data.trace.steps) - 1
    middle = (int(data.step_start[step]) + int(data.step_end[step])) / 2
    assert view.canvas.x_axis.lo <= middle <= view.canvas.x_axis.hi


# Moving


def test_the_plain_wheel_zooms_over_what_does_not_scroll(timeline: Opened) -> None:
    view, _ = timeline
    canvas, whole = view.canvas, float(data_of(view).total_ps)
    ruler, card = QPoint(600, 10), QPoint(600, round(canvas.plot_rect().top()) + 4)
    canvas.open_cores(frozenset(range(4)))
    for at in (ruler, card):
        canvas.fit_all()
        turn_wheel(canvas, at, 2)
        assert canvas.x_axis.span < whole
        assert canvas.scrolled[0] == 0
    canvas.fit_all()
    turn_wheel(canvas, QPoint(600, 200), -1)
    assert canvas.x_axis.span == whole, "below them it scrolls"
    canvas.open_cores(frozenset())
    view.resize(1000, 900)
    turn_wheel(canvas, QPoint(600, 200), 2)
    assert canvas.x_axis.span < whole, "where all lanes are in view there is nothing to scroll"
    view.strip.fit_all()
    turn_wheel(view.strip, view.strip.rect().center(), 2)
    assert view.strip.x_axis.span < whole


def test_the_wheel_zooms_in_time_at_the_pointer_and_scrolls_lanes(timeline: Opened) -> None:
    view, _ = timeline
    at = QPoint(600, 150)
    before = view.canvas.x_axis.to_value(600)
    turn_wheel(view.canvas, at, 5, CONTROL)
    assert view.canvas.x_axis.to_value(600) == pytest.approx(before, rel=1e-6)
    assert view.canvas.x_axis.span < data_of(view).total_ps / 2
    view.canvas.open_cores(frozenset(range(4)))
    turn_wheel(view.canvas, at, -2)
    assert view.canvas.scrolled[0] > 0
    turn_wheel(view.canvas, QPoint(20, 150), 3, CONTROL)
    assert view.canvas.x_axis.to_value(view.canvas.plot_rect().left()) >= 0


def test_keys_of_timelines_zoom_and_move(timeline: Opened) -> None:
    view, _ = timeline
    whole = view.canvas.x_axis.span
    QTest.keyClick(view.canvas, Qt.Key.Key_W)
    closer = view.canvas.x_axis
    assert closer.span == pytest.approx(whole / 1.25)
    QTest.keyClick(view.canvas, Qt.Key.Key_D)
    assert view.canvas.x_axis.lo > closer.lo
    QTest.keyClick(view.canvas, Qt.Key.Key_A)
    assert view.canvas.x_axis.lo == pytest.approx(closer.lo)
    QTest.keyClick(view.canvas, Qt.Key.Key_S)
    assert view.canvas.x_axis.span == pytest.approx(whole)


def test_cores_open_and_close_by_name_and_by_keys(timeline: Opened) -> None:
    view, selection = timeline
    heads = [lane for lane in view.canvas.lanes_in_view() if lane.is_head]
    click(view, QPointF(30, heads[3].top + 8))
    assert selection.core == 3
    assert view.canvas.opened == {0, 3}
    QTest.keyClick(view.canvas, Qt.Key.Key_Asterisk)
    assert view.canvas.opened == {0, 1, 2, 3}
    QTest.keyClick(view.canvas, Qt.Key.Key_1)
    assert view.canvas.opened == frozenset()


def test_a_double_click_fills_the_view_with_a_single_transfer(timeline: Opened) -> None:
    view, _ = timeline
    box = rect_of(view, TrackKind.UNIT, 0, "context")
    QTest.mouseDClick(view.canvas, LEFT, NONE, box.center().toPoint())
    after = rect_of(view, TrackKind.UNIT, 0, "context")
    assert after.width() > view.canvas.plot_rect().width() / 2


def test_canvas_and_strip_show_the_same_time(timeline: Opened) -> None:
    view, _ = timeline
    view.canvas.zoom_by(8, QPointF(500, 100))
    assert (view.strip.x_axis.lo, view.strip.x_axis.hi) == (view.canvas.x_axis.lo, view.canvas.x_axis.hi)
    turn_wheel(view.strip, QPoint(400, 30), -3, CONTROL)
    assert (view.strip.x_axis.lo, view.strip.x_axis.hi) == (view.canvas.x_axis.lo, view.canvas.x_axis.hi)
    assert view.strip.plot_rect().left() == view.canvas.plot_rect().left()
    assert view.strip.plot_rect().right() == view.canvas.plot_rect().right()


# Hints


def test_hints_of_boxes_waits_and_fill(timeline: Opened) -> None:
    view, _ = timeline
    where = rect_of(view, TrackKind.UNIT, 0, "context").center()
    hint = view.canvas.tooltip_for(view.canvas.item_at(where))
    assert "<b>context</b>" in hint
    assert "core 0" in hint
    assert "tile 0" in hint
    strip = view.strip
    item = strip.item_at(strip.plot_rect().center())
    assert "in LX" in strip.tooltip_for(item)
    name = next(lane for lane in view.canvas.lanes_in_view() if lane.inner)
    assert view.canvas.tooltip_for(view.canvas.item_at(QPointF(40, name.top + 8))), "the long name of the unit"


# The moment that is played


def test_dragging_the_ruler_passes_over_steps(qtbot: QtBot, timeline: Opened) -> None:
    view, selection = timeline
    data, inside = data_of(view), view.canvas.plot_rect()
    selection.select_op("max")
    top = round(inside.top() / 2)
    drag(view.canvas, QPoint(round(inside.left()) + 20, top), QPoint(round(inside.right()) - 4, top))
    assert view.canvas.moment == pytest.approx(data.total_ps, rel=0.02)
    qtbot.waitUntil(lambda: selection.op == data.trace.steps[-1])
    selection.back()
    assert selection.op == "max", "what was passed over is not on the way back"


def test_a_click_on_the_ruler_or_the_strip_chooses_a_moment(timeline: Opened) -> None:
    view, selection = timeline
    inside = view.canvas.plot_rect()
    click(view, QPointF(inside.center().x(), inside.top() / 2))
    assert view.canvas.moment == pytest.approx(data_of(view).total_ps / 2, rel=0.01)
    at = view.strip.plot_rect()
    QTest.mouseClick(view.strip, LEFT, NONE, QPointF(at.left() + 30, at.bottom() - 2).toPoint())
    assert selection.core == 3
    assert view.canvas.moment < data_of(view).total_ps / 10


def test_playing_passes_through_the_run_and_ends_with_it(timeline: Opened) -> None:
    view, selection = timeline
    steps, seen = data_of(view).trace.steps, []
    selection.changed.connect(lambda: seen.append(selection.op))
    view.play_button.click()
    assert view.play_button.text() == "Pause"
    for _ in range(2600):
        view.playback.advance(0.004)
        view._follow()
    assert view.play_button.text() == "Play"
    assert list(dict.fromkeys(seen)) == list(steps), "every step, in order"
    assert view.canvas.moment == data_of(view).total_ps
    view.play_button.click()
    view.play_button.click()
    assert not view.playback.player.playing
    assert view.canvas.moment == view.playback.player.time_ps


def test_playing_close_up_turns_the_pages(timeline: Opened) -> None:
    view, _ = timeline
    total = data_of(view).total_ps
    view.canvas.show_x(0, total / 10)
    view.toggle_play()
    for _ in range(15):
        view.playback.advance(1.0)
    assert view.canvas.x_axis.lo <= view.playback.player.time_ps <= view.canvas.x_axis.hi
    assert view.canvas.x_axis.span == pytest.approx(total / 10)
    view.hide()
    assert not view.playback.player.playing


# Critical path, table, size, themes


def test_the_critical_path_can_be_taken_away(timeline: Opened) -> None:
    view, selection = timeline
    selection.select_op(None)
    at = rect_of(view, TrackKind.STEPS, 0, "scores")
    with_path = view.canvas.grab().toImage().pixelColor(round(at.center().x()), round(at.bottom()) - 1)
    assert with_path.name() == DARK.text
    view.toggle_critical()
    assert not view.canvas.critical_shown
    without = view.canvas.grab().toImage().pixelColor(round(at.center().x()), round(at.bottom()) - 1)
    assert without.name() != DARK.text


def test_the_table_has_every_step_and_can_be_filtered_and_copied(timeline: Opened) -> None:
    view, selection = timeline
    view.table_button.click()
    assert view.table_shown
    rows = view.table.table.shown()
    assert [row.key for row in rows] == list(data_of(view).trace.steps)
    view.table.filter.setText("cont")
    assert [row.key for row in view.table.table.shown()] == ["context"]
    view.table.table.selectRow(0)
    assert selection.op == "context"
    view.copy.click()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].startswith('step,"time, µs","predicted, µs",ratio,bound by,')
    assert len(lines) == 2
    view.table_button.click()
    assert not view.table_shown


def test_table_rows_add_up() -> None:
    from spyre_studio.views.timeline_table import step_rows

    data = timeline_of(made_trace(cores=4, steps=3))
    first, second, _ = (row.cells for row in step_rows(data, [0, 1, 2]))
    assert isnan(float(first[2]))
    assert isnan(float(first[3]))
    assert (*first[:2], *first[4:]) == ("step0", 0.9, "memory", 0.0, 0.0, "", 512, 4, 0, "matmul", "")
    assert second[4:8] == ("compute", 1.0, 0.1, "producer")


def test_the_table_has_both_opinions_and_why_they_part(timeline: Opened) -> None:
    view, _ = timeline
    data, compilation = data_of(view), view.compilation
    assert compilation is not None
    wanted = opinions(compilation, data.trace).steps
    view.table_button.click()
    rows = view.table.table.shown()
    assert [row.cells[2] for row in rows] == [one.predicted_us for one in wanted]
    assert [row.cells[3] for row in rows if row.cells[3] == row.cells[3]] == [
        one.ratio for one in wanted if one.ratio is not None
    ]
    assert [row.cells[-1] for row in rows] == [row.hint for row in rows] == [one.reason for one in wanted]
    assert any(row.hint for row in rows)


def test_words_of_the_clock_are_explained_where_they_are_shown(timeline: Opened) -> None:
    view, _ = timeline
    data = data_of(view)
    _, waits = view.legends
    (first, *_) = wait_entries(data)
    assert first.hint
    assert waits.hint_at(4) == f"{first.text}: {first.hint}."
    assert waits.hint_at(waits.width() + 100) == ""
    assert view.legends[0].hint_at(4) == "", "kinds of steps explain themselves"
    for cause, _ in bound_shares(data)[:3]:
        assert CAUSES[cause].meaning in view.facts.toolTip()
    hints = [column.hint for column in view.table.table._model.columns]
    assert any(CAUSES[Cause.DELIVERY].meaning in hint for hint in hints)
    assert "Ctrl+wheel" in view.line.toolTip()
    view.selection.select_op("context")
    assert view.line.text().endswith(" Ctrl+wheel zooms.")
    view.table_button.click()
    assert "wheel" not in view.line.text()


def test_the_readme_explains_every_word_of_the_clock() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    section = readme[readme.index("**Words of the clock.**") : readme.index("In the window, *Timeline*")]
    for words in CAUSES.values():
        assert words.title == "nothing" or f"*{words.title}*" in section


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: str(theme.name))
def test_both_themes_draw_kinds_and_fill(qapp: QApplication, timeline: Opened, theme: Theme) -> None:
    view, selection = timeline
    apply_theme(qapp, theme)
    selection.select_op("scores")
    assert {theme.bg, theme.text, theme.matmul, theme.accent} <= colours_in(view.canvas)
    assert theme.fill[255] in colours_in(view.strip)
