"""The window as a whole: pages, errors, drops, keys, and what it remembers."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, QSettings, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from compiler.pins import Pins
from spyre_studio.failure import Failure
from spyre_studio.main_window import MainWindow
from spyre_studio.picker import Picker
from spyre_studio.qt_theme import ThemeFollower, active_theme
from spyre_studio.theme import DARK, LIGHT, Theme
from spyre_studio.views import VIEWS, view_row
from tests.programs import attention
from tests.spyre_studio.door import Door, opened
from tests.spyre_studio.hand import LEFT, NONE
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import quiet_settings


@pytest.fixture
def store(tmp_path: Path) -> QSettings:
    return QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, door: Door, store: QSettings, dark: Theme) -> Iterator[MainWindow]:
    made = opened(qtbot, qapp, door, store)
    yield made
    made.close()


def page_of(window: MainWindow) -> QWidget | None:
    return window.page


# Pages


def test_the_start_page_comes_without_any_view(window: MainWindow, door: Door) -> None:
    assert window.page is window.start
    assert window.maker.bench is None, "views are made when they are needed"
    window.start.examples[0].click()
    assert door.asked == ["open softmax"]


def test_a_model_brings_the_workbench_with_what_costs_most(window: MainWindow, door: Door) -> None:
    plan = compiled(program=attention(2, 64, 64))
    door.put_model(plan)
    assert window.page is window.workbench
    assert window.windowTitle() == "attention – Spyre Studio"
    ops = plan.problem.program.op_map
    heaviest = max((cost for cost in plan.cost.steps if cost.step in ops), key=lambda cost: cost.total_us).step
    assert window.selection.op == heaviest
    assert window.workbench.graph.canvas.marked_box >= 0
    assert list(window.workbench.views) == [row.key for row in VIEWS]


def test_a_new_model_gives_the_keyboard_to_the_graph(window: MainWindow, door: Door) -> None:
    door.put_model(compiled())
    assert window.focusWidget() is window.workbench.graph.canvas


def test_all_views_follow_one_selection(window: MainWindow, door: Door) -> None:
    door.put_model(compiled(program=attention(2, 64, 64)))
    window.selection.select_op("exp")
    bench = window.workbench
    assert bench.graph.canvas.marked_box == bench.graph.canvas.scene.box_of_op("exp")  # type: ignore[union-attr]
    assert bench.tree.currentIndex() == bench.tree.tree.index_of("exp")


def test_the_start_page_comes_back_and_goes_again(window: MainWindow, door: Door) -> None:
    door.put_model(compiled())
    window.actions_.trigger("start")
    assert page_of(window) is window.start
    door.changed.emit("state")
    assert page_of(window) is window.start, "it stays until one leaves it"
    window.actions_.trigger("start")
    assert page_of(window) is window.workbench


def test_opening_shows_progress_with_a_way_to_stop(qtbot: QtBot, window: MainWindow, door: Door) -> None:
    door._opening = "/models/decoder.pt2"
    door._enter("work", "open")
    assert page_of(window) is window.loading
    door.progressed.emit(0.4, "trace", "")
    state = window.loading.state
    assert (state.title, state.sentence, state.progress) == ("Opening decoder.pt2", "Tracing the model", 0.4)
    window.loading.action.click()
    assert page_of(window) is window.start


def test_views_are_made_while_a_model_is_read(qtbot: QtBot, window: MainWindow, door: Door) -> None:
    door._opening = "decoder"
    door._enter("work", "open")
    window.open("decoder")
    qtbot.waitUntil(lambda: window.maker.bench is not None)
    assert page_of(window) is window.loading
    assert list(window.workbench.views) == [row.key for row in VIEWS]


def test_a_module_of_the_tree_is_shown_in_the_graph(window: MainWindow, door: Door) -> None:
    door.put_model(compiled(program=attention(2, 64, 64)))
    window.workbench.graph.set_table(shown=True)
    window.workbench.tree.group_chosen.emit("")
    assert not window.workbench.graph.table_shown


# Errors, drops


def test_an_error_is_one_sentence_and_what_is_open_stays(window: MainWindow, door: Door) -> None:
    door.put_model(compiled())
    door._fail(Failure("model.pt2", "it is not a traced model", "export it with torch.export.save", "a traceback"))
    assert window.banner.isVisible()
    assert window.banner.sentence == "model.pt2: it is not a traced model; export it with torch.export.save."
    assert window.banner.details.toPlainText() == "a traceback"
    assert window.page is window.workbench
    window.open("softmax")
    assert not window.banner.isVisible()


def test_an_error_is_taken_back_once_something_succeeds(window: MainWindow, door: Door) -> None:
    door.put_model(compiled())
    door._fail(Failure("the worker process", "it ended", "try again"))
    door.changed.emit("state")
    assert window.banner.isVisible(), "nothing succeeded yet"
    door._failure = None
    door.changed.emit("state")
    assert not window.banner.isVisible()


def test_a_message_that_came_after_an_error_stays(window: MainWindow, door: Door) -> None:
    door.put_model(compiled())
    door._fail(Failure("the worker process", "it ended", "try again"))
    door.noted.emit("This runs the code of model.py.")
    door._failure = None
    door.changed.emit("state")
    assert window.banner.isVisible()


def test_a_mistake_of_ours_is_told_and_the_window_goes_on(
    window: MainWindow, door: Door, capsys: pytest.CaptureFixture[str]
) -> None:
    door.put_model(compiled())
    error = ValueError("two\nlines")
    window.mistaken(ValueError, error, None)
    assert "(ValueError: two lines)" in window.banner.sentence
    assert "two\nlines" in window.banner.details.toPlainText()
    assert "ValueError" in capsys.readouterr().err
    assert window.page is window.workbench


def test_a_note_is_shown_before_the_work_goes_on(window: MainWindow, door: Door) -> None:
    door.noted.emit("This runs the code of model.py.")
    assert (window.banner.kind, window.banner.sentence) == ("info", "This runs the code of model.py.")


def drop(window: MainWindow, *urls: QUrl) -> bool:
    """Drag these over the window and let go; True if they were welcome."""
    data = QMimeData()
    data.setUrls(list(urls))
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    over = QDragEnterEvent(QPointF(50, 50).toPoint(), copy, data, left, none)
    QApplication.sendEvent(window, over)
    if not over.isAccepted():
        return False
    QApplication.sendEvent(window, QDropEvent(QPointF(50, 50), copy, data, left, none))
    return True


def test_a_dropped_file_is_opened(window: MainWindow, door: Door, tmp_path: Path) -> None:
    assert drop(window, QUrl.fromLocalFile(str(tmp_path / "a.pt2")))
    assert door.asked == [f"open {tmp_path / 'a.pt2'}"]


def test_other_drops_are_refused(window: MainWindow, door: Door) -> None:
    assert not drop(window, QUrl("https://example.org/a.pt2"))
    assert not drop(window, QUrl.fromLocalFile("/a.pt2"), QUrl.fromLocalFile("/b.pt2"))
    assert not drop(window)
    assert door.asked == []


# Keys and actions


def test_undo_and_redo_by_keys(qtbot: QtBot, window: MainWindow, door: Door) -> None:
    door.put_model(compiled())
    door.pin_division("sum", {"i": 2})
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert not door.pins
    QTest.keyClick(window, Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
    assert door.pins.keys == ("division:sum",)
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    shifted = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(window, Qt.Key.Key_Z, shifted)
    assert door.pins.keys == ("division:sum",)


def test_keys_of_the_graph_hold_in_the_graph_alone(qtbot: QtBot, window: MainWindow, door: Door) -> None:
    door.put_model(compiled())
    graph = window.workbench.graph
    graph.canvas.setFocus()
    window.selection.select_op("max")
    QTest.keyClick(graph.canvas, Qt.Key.Key_Period)
    assert window.selection.step == 1
    QTest.keyClick(graph.canvas, Qt.Key.Key_Comma)
    assert window.selection.op == "max"
    window.workbench.tree.setFocus()
    QTest.keyClick(window.workbench.tree, Qt.Key.Key_Period)
    assert window.selection.op == "max"
    QTest.keyClick(graph.canvas, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert graph.finder.isVisible()
    QTest.keyClicks(graph.finder.line, "m.f")
    assert graph.finder.line.text() == "m.f", "keys of the graph do not steal letters"


def test_the_theme_changes_by_key_and_is_remembered(qtbot: QtBot, window: MainWindow, door: Door) -> None:
    shifted = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(window, Qt.Key.Key_T, shifted)
    assert active_theme() is LIGHT
    assert door.settings.value("theme") == "light"
    QTest.keyClick(window, Qt.Key.Key_T, shifted)
    assert active_theme() is DARK


def test_the_palette_does_what_one_types(qtbot: QtBot, window: MainWindow, door: Door) -> None:
    door.put_model(compiled())
    window.actions_.trigger("palette")
    picker = window.findChild(Picker)
    assert picker is not None
    QTest.keyClicks(picker.line, "ops table")
    QTest.keyClick(picker.line, Qt.Key.Key_Return)
    assert window.workbench.graph.table_shown


def test_go_to_selects_an_op_or_a_buffer(qtbot: QtBot, window: MainWindow, door: Door) -> None:
    door.put_model(compiled())
    window.actions_.trigger("go-to")
    picker = window.findChild(Picker)
    assert picker is not None
    QTest.keyClicks(picker.line, "exp buffer")
    assert [choice.key for choice in picker.list.choices] == ["buffer:exp"]
    QTest.keyClick(picker.line, Qt.Key.Key_Return)
    assert window.selection.buffer == "exp"


def test_verify_runs_and_is_shown(window: MainWindow, door: Door) -> None:
    door.put_model(compiled())
    window.actions_.trigger("verify")
    assert door.asked[-1] == "verify"
    assert window.workbench.tabs.currentWidget() is window.workbench.views["verify"]


def test_bottom_views_come_by_number(window: MainWindow, door: Door) -> None:
    door.put_model(compiled())
    bench = window.workbench
    for number, row in enumerate((row for row in VIEWS if row.area == "bottom"), 1):
        bench.docks["bottom"].hide()
        QTest.keyClick(window, Qt.Key(Qt.Key.Key_0 + number), Qt.KeyboardModifier.ControlModifier)
        assert bench.views[row.key].isVisible()


def test_unpin_takes_the_pins_of_the_selection_as_one_step(window: MainWindow, door: Door) -> None:
    door.put_model(compiled())
    door.pin_division("sum", {"i": 2})
    door.pin_placement("sum", "hbm")
    door.pin_division("max", {"i": 2})
    window.selection.select_op("sum")
    window.actions_.trigger("unpin")
    assert list(door.pins.keys) == ["division:max"]
    door.undo_stack.undo()
    assert len(door.pins.keys) == 3
    window.actions_.trigger("remove-pins")
    assert door.pins == Pins()


def test_zoom_holds_for_the_picture_with_the_keyboard(window: MainWindow, door: Door) -> None:
    door.put_model(compiled())
    canvas = window.workbench.graph.canvas
    window.actions_.trigger("zoom-reset")
    assert canvas.viewport.zoom == pytest.approx(1)
    window.actions_.trigger("zoom-in")
    assert canvas.viewport.zoom == pytest.approx(1.25)
    window.actions_.trigger("fit")
    assert canvas.viewport.visible().height >= canvas.bounds.height


# What is remembered


def test_panels_hide_come_back_and_are_reset(window: MainWindow, door: Door) -> None:
    door.put_model(compiled())
    bench = window.workbench
    width = bench.docks["left"].width()
    assert width >= 200
    for key in bench.docks:
        window.actions_.trigger(key)
        assert not bench.docks[key].isVisible()
    window.actions_.trigger("reset")
    assert all(dock.isVisible() for dock in bench.docks.values())
    assert bench.docks["left"].width() == pytest.approx(width, abs=32)


def test_size_and_panels_are_remembered(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, store: QSettings, dark: Theme
) -> None:
    first = opened(qtbot, qapp, Door(quiet_settings(str(tmp_path))), store)
    first.resize(1234, 777)
    assert isinstance(first.session, Door)
    first.session.put_model(compiled())
    first.actions_.trigger("left")
    first.close()
    second = MainWindow(Door(quiet_settings(str(tmp_path))), ThemeFollower(qapp, "dark"), store)
    qtbot.addWidget(second)
    assert second.size() != MainWindow(Door(second.session.settings), second.theme).size(), "the geometry was read"
    assert second.workbench.docks["left"].isHidden()
    second.close()


def test_every_view_of_the_table_has_a_class() -> None:
    assert len({row.key for row in VIEWS}) == len(VIEWS)
    for row in VIEWS:
        assert {"show_compilation", "show_selection"} <= set(dir(row.load()))
    assert view_row("graph") is VIEWS[0]
    assert view_row("nothing") is None


# Room for views of many rows


def test_the_timeline_gets_more_than_half_of_the_height(window: MainWindow, door: Door) -> None:
    door.put_model(compiled())
    bench = window.workbench
    QApplication.processEvents()
    bottom, before = bench.docks["bottom"], bench.docks["bottom"].height()
    bench.show_view("roofline")
    QApplication.processEvents()
    assert bottom.height() == before
    bench.show_view("timeline")
    QApplication.processEvents()
    assert bottom.height() > 0.5 * bench.height() > before


def test_the_height_that_somebody_chose_stays(window: MainWindow, door: Door) -> None:
    door.put_model(compiled())
    bench = window.workbench
    QApplication.processEvents()
    before = bench.docks["bottom"].height()
    QTest.mousePress(bench.panels, LEFT, NONE, QPoint(400, 400))
    bench.panels.resizeDocks([bench.docks["bottom"]], [before - 40], Qt.Orientation.Vertical)
    QApplication.processEvents()
    QTest.mouseRelease(bench.panels, LEFT, NONE, QPoint(400, 440))
    chosen = bench.docks["bottom"].height()
    assert chosen < before
    bench.show_view("timeline")
    QApplication.processEvents()
    assert bench.docks["bottom"].height() == chosen
