"""Size of texts: the steps, what follows it, what is remembered, and that sizes do not drift."""

from collections.abc import Callable, Iterator
from typing import cast

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from spyre_studio.graph_place import place_of
from spyre_studio.main_window import MainWindow
from spyre_studio.qt_theme import font, px, set_text_zoom, text_zoom
from spyre_studio.text_zoom import NORMAL, STEPS, larger, smaller
from spyre_studio.text_zoom_apply import Rescaled, wear_text_size
from spyre_studio.theme import GRID, SIZE_BODY, Theme
from spyre_studio.views.inspector import InspectorView
from spyre_studio.views.program import ProgramView
from spyre_studio.views.scratchpad import ScratchpadView
from spyre_studio.views.verify import VerifyView
from tests.programs import attention
from tests.spyre_studio.door import Door, opened
from tests.spyre_studio.plans import compiled, divided


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, door: Door, dark: Theme) -> Iterator[MainWindow]:
    made = opened(qtbot, qapp, door, None)
    yield made
    door.settings.set("text_size", str(NORMAL))
    wear_text_size(door.settings)
    made.close()


def press(qtbot: QtBot, window: MainWindow, action: str) -> None:
    """Trigger an action of text size and wait for it to be worn, which is after the event, and for the views."""
    window.actions_.trigger(action)
    wanted = int(str(window.session.settings.value("text_size"))) / 100
    qtbot.waitUntil(lambda: text_zoom() == wanted and not window.maker.renewing)


def test_steps_go_up_and_down_and_end() -> None:
    assert [larger(step) for step in STEPS] == [*STEPS[1:], STEPS[-1]]
    assert [smaller(step) for step in STEPS] == [STEPS[0], *STEPS[:-1]]
    assert larger(101) == 110
    assert smaller(101) == NORMAL


def test_fonts_and_lengths_follow(qtbot: QtBot, window: MainWindow) -> None:
    body, length = font("body").pixelSize(), px(100)
    assert body == px(SIZE_BODY)
    for _ in range(3):
        press(qtbot, window, "text-larger")
    assert text_zoom() == 1.5
    assert font("body").pixelSize() == pytest.approx(1.5 * body, abs=1)
    assert px(100) == pytest.approx(1.5 * length, abs=1)
    assert QApplication.font().pixelSize() == font("body").pixelSize()
    assert window.status.height() == pytest.approx(1.5 * 24, abs=20)
    press(qtbot, window, "text-normal")
    assert font("body").pixelSize() == body
    press(qtbot, window, "text-smaller")
    assert font("body").pixelSize() < body


def test_the_size_is_remembered(qtbot: QtBot, qapp: QApplication, window: MainWindow, door: Door) -> None:
    press(qtbot, window, "text-larger")
    assert door.settings.value("text_size") == "110"
    set_text_zoom(1.0)
    again = opened(qtbot, qapp, Door(door.settings), None)
    assert text_zoom() == 1.1
    again.close()


def test_views_are_made_anew_where_one_was(qtbot: QtBot, window: MainWindow, door: Door) -> None:
    door.put_model(compiled())
    before = window.workbench
    window.selection.select_op("exp")
    before.show_view("roofline")
    before.toggle("left")
    press(qtbot, window, "text-larger")
    after = window.workbench
    assert after is not before
    assert window.page is after
    assert after.current_view == "roofline"
    assert after.docks["left"].isHidden()
    assert window.selection.op == "exp"
    assert after.graph.canvas.isVisible()
    assert after.graph.canvas.scene is not None
    window.actions_.trigger("table")
    assert after.graph.table_shown, "actions reach the new views"
    door.put(compiled())


def test_views_are_made_in_turns_and_what_is_on_screen_stands_still(
    qtbot: QtBot, window: MainWindow, door: Door
) -> None:
    door.put_model(compiled())
    before, shown = window.workbench, window.updatesEnabled()
    window.actions_.trigger("text-larger")
    qtbot.waitUntil(lambda: window.maker.renewing)
    assert not window.has_views
    assert (shown, window.updatesEnabled()) == (True, False)
    assert window.page not in {window.start, window.loading}, "nothing is there that could be pressed"
    page = window.page
    assert page is not None
    assert not page.findChildren(QWidget)
    qtbot.waitUntil(lambda: not window.maker.renewing)
    assert window.updatesEnabled()
    assert window.page is window.workbench is not before


def test_sizes_in_quick_succession_make_the_views_once(
    qtbot: QtBot, window: MainWindow, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[object] = []
    door.put_model(compiled())
    monkeypatch.setattr(window.maker, "_made", made.append)
    for _ in range(3):
        window.actions_.trigger("text-larger")
    qtbot.waitUntil(lambda: window.maker.renewing)
    window.actions_.trigger("text-larger")
    window.actions_.trigger("text-smaller")
    qtbot.waitUntil(lambda: text_zoom() == 1.5 and not window.maker.renewing)
    assert window.workbench.header.height() > 60
    assert len(made) <= 2, "the views of the sizes between were never whole, but for an action that needs them"


def test_what_is_done_meanwhile_holds(qtbot: QtBot, window: MainWindow, door: Door) -> None:
    door.put_model(compiled())
    assert not window.workbench.docks["left"].isHidden()
    window.actions_.trigger("text-larger")
    qtbot.waitUntil(lambda: window.maker.renewing)
    window.actions_.trigger("left")
    assert window.workbench.docks["left"].isHidden(), "it was done to the views that are there now"
    window.actions_.trigger("text-normal")
    qtbot.waitUntil(lambda: window.maker.renewing)
    window.close()
    assert window.workbench.docks["left"].isHidden(), "closing remembers what was there"


def test_what_was_chosen_in_the_views_stays(qtbot: QtBot, window: MainWindow, door: Door) -> None:
    door.put_model(compiled())
    bench = window.workbench
    program, inspector = bench.views["program"], bench.views["inspector"]
    assert isinstance(program, ProgramView)
    assert isinstance(inspector, InspectorView)
    bench.graph.set_table(True)
    bench.graph.set_colouring("time")
    bench.show_view("program")
    program.show_kind("program")
    inspector.show_tab("Facts")
    bench.tree.collapseAll()
    press(qtbot, window, "text-larger")
    again = window.workbench
    assert again is not bench
    assert again.graph.table_shown
    assert again.graph.look.colouring == "time"
    assert again.graph.overlay.colour.key == "time"
    shown, front = again.views["program"], again.views["inspector"]
    assert isinstance(shown, ProgramView)
    assert isinstance(front, InspectorView)
    assert shown.kind.key == "program"
    assert front.tabs.tabText(front.tabs.currentIndex()) == "Facts"
    assert again.tree.open_groups == frozenset()


def test_what_was_typed_in_the_views_stays(qtbot: QtBot, window: MainWindow, door: Door) -> None:
    door.put_model(compiled(program=attention(2, 64, 64)))
    door.put(compiled(program=attention(2, 64, 64), pins=divided("exp", i=1)))
    bench = window.workbench
    scratchpad, program, verify = (bench.views[key] for key in ("scratchpad", "program", "verify"))
    assert isinstance(scratchpad, ScratchpadView)
    assert isinstance(program, ProgramView)
    assert isinstance(verify, VerifyView)
    bench.show_view("program")
    program.search.line.setText("ex.")
    program.search.regex.setChecked(True)
    verify.show_page("traffic")
    bench.show_view("scratchpad")
    scratchpad.set_why(shown=True)
    scratchpad.panels.why.words.setText("v")
    saving = bench.pins.saving.text()
    assert saving
    press(qtbot, window, "text-larger")
    again = window.workbench
    assert again is not bench
    scratchpad, program, verify = (again.views[key] for key in ("scratchpad", "program", "verify"))
    assert isinstance(scratchpad, ScratchpadView)
    assert isinstance(program, ProgramView)
    assert isinstance(verify, VerifyView)
    assert (scratchpad.panels.page, scratchpad.panels.why.words.text()) == ("why", "v")
    assert (program.search.line.text(), program.search.regex.isChecked()) == ("ex.", True)
    assert verify.page_key == "traffic"
    assert again.pins.saving.text() == saving


def test_views_that_are_half_made_are_made_in_the_new_size(qtbot: QtBot, window: MainWindow, door: Door) -> None:
    window.maker._make_part()
    window.maker._make_part()
    assert not window.has_views
    for _ in range(3):
        press(qtbot, window, "text-larger")
    door.put_model(compiled())
    assert window.workbench.header.height() > 60


def test_panels_beside_the_views_grow_with_their_texts(qtbot: QtBot, window: MainWindow, door: Door) -> None:
    window.resize(2200, 1200)
    door.put_model(compiled())
    QApplication.processEvents()
    before = window.workbench.docks["right"].width()
    for _ in range(3):
        press(qtbot, window, "text-larger")
    qtbot.waitUntil(lambda: window.workbench.docks["right"].width() == pytest.approx(1.5 * before, rel=0.1))
    press(qtbot, window, "text-normal")
    qtbot.waitUntil(lambda: window.workbench.docks["right"].width() == pytest.approx(before, rel=0.1))


def test_answers_to_views_that_are_gone_are_dropped(qtbot: QtBot, window: MainWindow, door: Door) -> None:
    """What a view asked the worker, or a thread, is answered after the view was made anew."""
    door.answers = False
    door.put_model(compiled())
    window.selection.select_op("exp")
    window.workbench.show_view("division")
    program = window.workbench.views["program"]
    assert isinstance(program, ProgramView)
    program.desk.ask(compiled())
    qtbot.waitUntil(lambda: bool(door.waiting) and bool(door.waiting_passes))
    gone = [cast("Callable[[object], None]", each) for each in (*door.waiting, *door.waiting_passes)]
    press(qtbot, window, "text-larger")
    for callback in gone:
        callback(None)  # a view that heard it would look into it


def test_a_view_that_is_alone_stays_alone(qtbot: QtBot, window: MainWindow, door: Door) -> None:
    door.put_model(compiled())
    window.workbench.full.enter("scratchpad")
    press(qtbot, window, "text-larger")
    assert window.workbench.full.key == "scratchpad"
    window.workbench.full.leave()
    assert not window.workbench.docks["left"].isHidden()


def test_measures_of_a_widget_follow_without_drift(qtbot: QtBot, window: MainWindow) -> None:
    root = QWidget()
    qtbot.addWidget(root)
    column, label = QVBoxLayout(root), QLabel("text")
    column.setContentsMargins(7, 5, 3, 1)
    column.setSpacing(3)
    label.setFont(font("label"))
    label.setFixedSize(33, 1)
    column.addWidget(label)
    size, frame = label.font().pixelSize(), Rescaled()
    frame.note(root)
    for zoom in (1.1, 1.25, 2.0):
        set_text_zoom(zoom)
        frame.note(root)
        frame.follow(root)
    assert label.font().pixelSize() == 2 * size
    assert (label.width(), label.maximumHeight()) == (66, 1), "a line stays a line"
    assert (column.contentsMargins().left(), column.spacing()) == (14, 6)
    set_text_zoom(1.0)
    frame.follow(root)
    assert (column.contentsMargins().left(), column.spacing()) == (7, 3)
    assert (label.font().pixelSize(), label.minimumWidth()) == (size, 33)
    assert root.maximumWidth() == 16777215


def test_the_window_stays_small_enough_for_a_small_screen(qtbot: QtBot, window: MainWindow) -> None:
    for _ in STEPS:
        press(qtbot, window, "text-larger")
    assert text_zoom() == 2.0
    assert window.minimumWidth() <= 1280
    assert window.minimumHeight() <= 800


def test_panels_make_room_for_large_text_and_come_back(qtbot: QtBot, window: MainWindow, door: Door) -> None:
    window.resize(1280, 800)
    door.put_model(compiled())
    docks = window.workbench.docks
    assert not docks["left"].isHidden()
    while not window.workbench.docks["left"].isHidden():
        press(qtbot, window, "text-larger")
        QApplication.processEvents()
        assert text_zoom() <= STEPS[-1] / 100
    qtbot.waitUntil(lambda: "Ctrl+B" in window.status.words.text())
    inspector = window.workbench.views["inspector"]
    assert isinstance(inspector, InspectorView)
    qtbot.waitUntil(lambda: inspector.width() >= inspector.needed_width - px(GRID))
    press(qtbot, window, "text-normal")
    qtbot.waitUntil(lambda: not window.workbench.docks["left"].isHidden())
    assert not window.workbench.docks["right"].isHidden()


def test_the_part_of_the_graph_that_was_on_screen_stays_there(qtbot: QtBot, window: MainWindow, door: Door) -> None:
    door.put_model(compiled())
    QApplication.processEvents()
    canvas = window.workbench.graph.canvas
    canvas.zoom_reset()
    for _ in range(3):
        canvas.zoom_in()
    canvas.pan_by(0, -40)
    before = place_of(window.workbench.graph)
    assert before is not None
    press(qtbot, window, "text-larger")
    qtbot.waitUntil(lambda: place_of(window.workbench.graph) is not None)
    after = place_of(window.workbench.graph)
    assert after is not None
    assert after.zoom == before.zoom
    assert (after.across, after.down) == pytest.approx((before.across, before.down), abs=0.02)


def test_a_graph_that_nobody_moved_begins_as_it_does(qtbot: QtBot, window: MainWindow, door: Door) -> None:
    door.put_model(compiled())
    assert place_of(window.workbench.graph) is None
    press(qtbot, window, "text-larger")
    QApplication.processEvents()
    assert place_of(window.workbench.graph) is None
