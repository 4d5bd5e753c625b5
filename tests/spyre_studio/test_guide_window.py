"""Lessons in the window without a worker: where the strip is, what ends a lesson, resuming, keys and sizes."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from compiler.captured import Captured
from compiler.compilation import Compilation
from spyre_studio import guide_run
from spyre_studio.guide_file import LESSONS, lesson_path, read_lesson
from spyre_studio.guide_place_names import PLACE_WORDS
from spyre_studio.guide_places import bring_to_front, in_sight, place_widget
from spyre_studio.guide_progress import progress_of
from spyre_studio.guide_run import Guides
from spyre_studio.main_window import MainWindow
from spyre_studio.qt_theme import text_zoom
from spyre_studio.request import Shared
from spyre_studio.text_zoom_apply import wear_text_size
from spyre_studio.theme import Theme
from tests.programs import attention
from tests.spyre_studio.door import Door, opened
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import quiet_settings

TEXT = """
title = "Short"
line = "A short one"
minutes = 1
model = "softmax"

[[step]]
title = "Look"
text = "The plan takes {total_us}."
look = { at = "graph" }
task = "Click `exp`."
done = { op = "exp" }
after = "There it is."

[[step]]
title = "Pin"
text = "Pins change plans."
look = { at = "cores", op = "sum" }
task = "Pin sum."
done = { placement = { sum = "hbm" } }
after = "{total_us} now."

[[step]]
title = "Read"
text = "That is all."
look = { at = "pipeline" }
"""


class LessonDoor(Door):
    """Knows what it opened."""

    def open(self, spec: str) -> None:
        super().open(spec)
        self._opening = spec

    def put_model(self, compilation: Compilation, spec: str = "softmax") -> None:
        self._source, self._opening = spec, ""
        self._model = Shared(spec, Captured(compilation.graph, compilation.problem.program))
        super().put_model(compilation)


@pytest.fixture
def short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every lesson is the short one."""
    path = tmp_path / "short.toml"
    path.write_text(TEXT, encoding="utf-8")
    monkeypatch.setattr(guide_run, "lesson_path", lambda _key: path)


@pytest.fixture
def door(tmp_path: Path) -> LessonDoor:
    return LessonDoor(quiet_settings(str(tmp_path)))


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, door: LessonDoor, dark: Theme) -> Iterator[MainWindow]:
    made = opened(qtbot, qapp, door, None)
    made.resize(1280, 800)
    yield made
    made.close()


@pytest.fixture
def running(qtbot: QtBot, window: MainWindow, door: LessonDoor, short: None) -> MainWindow:
    """The short lesson at its first step."""
    door.put_model(compiled())
    window.guides.begin("softmax")
    with qtbot.waitActive(window):
        window.activateWindow()
    QApplication.processEvents()
    return window


def words(window: MainWindow) -> tuple[str, str, str]:
    card = window.guides.stage.card
    return card.lesson.text(), card.title.text(), card.task.text()


def is_done(guides: Guides) -> bool:
    """Asked anew each time."""
    return guides.done


def test_a_lesson_opens_its_example_from_the_start_page(
    qtbot: QtBot, window: MainWindow, door: LessonDoor, short: None
) -> None:
    row = window.start.lessons.rows[0]
    assert row.note == f"{read_lesson(lesson_path('softmax')).heading.minutes} min"
    QTest.mouseClick(row, Qt.MouseButton.LeftButton)
    assert door.asked[0] == "open softmax"
    assert window.guides.lesson is None
    door.put_model(compiled())
    qtbot.waitUntil(lambda: window.guides.lesson is not None)
    assert window.guides.stage.card.isVisible()
    assert words(window)[:2] == ("Short  ·  1 of 3", "Look")
    assert "µs" in window.guides.stage.card.text.text()


def test_another_model_than_the_one_that_was_awaited_begins_nothing(
    window: MainWindow, door: LessonDoor, short: None
) -> None:
    window.guides.begin("softmax")
    door.put_model(compiled(program=attention(2, 64, 64)), "other.json")
    door.put_model(compiled())
    QApplication.processEvents()
    assert window.guides.lesson is None


def test_a_task_is_seen_to_be_done_and_the_next_step_comes(running: MainWindow) -> None:
    guides, card = running.guides, running.guides.stage.card
    assert not is_done(guides)
    assert not card.next.property("primary")
    running.selection.select_op("exp")
    QApplication.processEvents()
    assert is_done(guides)
    assert card.next.property("primary")
    assert (card.mark.text(), card.task.text()) == ("✓", "There it is.")
    assert not card.show_me.isEnabled()
    running.selection.select_op("max")
    QApplication.processEvents()
    assert is_done(guides), "what was done stays done"
    QTest.mouseClick(card.next, Qt.MouseButton.LeftButton)
    assert words(running)[1] == "Pin"
    assert running.selection.op == "sum", "the step shows its place"
    assert "Done: " not in card.accessibleName()
    assert "To do: Pin sum." in card.accessibleName()


def test_a_pin_counts_once_the_plan_has_it(running: MainWindow, door: LessonDoor) -> None:
    guides = running.guides
    guides.next()
    guides.show_me()
    assert door.pins.placement == {"sum": "hbm"}
    QApplication.processEvents()
    assert not is_done(guides), "it is not solved yet"
    assert door.asked[-1] == "resolve"
    door.put(compiled(door.pins))
    QApplication.processEvents()
    assert is_done(guides)
    assert "µs" in running.guides.stage.card.task.text()


def test_a_step_that_is_skipped_is_prepared_and_back_takes_it_back(running: MainWindow, door: LessonDoor) -> None:
    guides = running.guides
    door.pin_division("max", {"i": 2})
    guides.next()
    guides.next()
    assert set(door.pins.keys) == {"division:max", "placement:sum"}
    guides.back()
    assert set(door.pins.keys) == {"division:max"}, "pins that the lesson does not speak of stay"
    door.undo_stack.undo()
    assert "placement:sum" in door.pins.keys


def test_it_is_left_and_goes_on_where_it_was(running: MainWindow, door: LessonDoor) -> None:
    guides = running.guides
    guides.next()
    QTest.mouseClick(guides.stage.card.leave, Qt.MouseButton.LeftButton)
    assert guides.lesson is None
    assert not guides.stage.card.isVisible()
    assert not running.actions_.by_key["lesson-next"].isEnabled()
    door.put_model(compiled(program=attention(2, 64, 64)), "other.json")
    guides.begin("softmax")
    assert door.asked[-1] == "open softmax"
    door.put_model(compiled())
    QApplication.processEvents()
    assert guides.number == 1


def test_the_end_is_remembered_with_a_tick(running: MainWindow, door: LessonDoor) -> None:
    guides = running.guides
    guides.next()
    guides.next()
    assert guides.stage.card.next.text() == "Finish"
    assert is_done(guides), "there is nothing to do"
    door.put(compiled(door.pins))
    guides.next()
    assert guides.lesson is None
    assert progress_of(door.settings, "short").finished
    assert "You finished the lesson" in running.status.words.text()
    guides.begin("softmax")
    assert guides.number == 0


def test_the_start_page_tells_how_far_one_is(window: MainWindow, door: LessonDoor) -> None:
    first, second = window.start.lessons.rows[:2]
    door.settings.set_lessons(["softmax 4", "mlp 0 finished"])
    assert first.note.startswith("at step 5 · ")
    assert second.note.startswith("✓ ")
    assert "finished" in second.accessibleName()
    window.start.grab()


def test_another_model_ends_it_politely_and_the_same_one_does_not(running: MainWindow, door: LessonDoor) -> None:
    guides = running.guides
    guides.next()
    door.put_model(compiled())
    assert guides.number == 1
    door.put_model(compiled(program=attention(2, 64, 64)), "other.json")
    assert guides.lesson is None
    assert not guides.stage.card.isVisible()
    assert "waits for you under Help > Lessons" in running.status.words.text()
    assert not running.banner.isVisible()


def test_keys_go_on_and_back(running: MainWindow) -> None:
    guides = running.guides
    canvas = running.workbench.graph.canvas
    canvas.setFocus()
    QTest.keyClick(canvas, Qt.Key.Key_F9)
    assert guides.number == 1
    QTest.keyClick(canvas, Qt.Key.Key_F9, Qt.KeyboardModifier.ShiftModifier)
    assert guides.number == 0
    QTest.keyClick(canvas, Qt.Key.Key_F9, Qt.KeyboardModifier.ControlModifier)
    assert is_done(guides)
    running.actions_.trigger("lesson-end")
    assert guides.lesson is None


def test_buttons_are_in_the_chain_of_tab_and_have_names(running: MainWindow) -> None:
    card = running.guides.stage.card
    card.show_me.setFocus()
    for one in (card.show_me, card.next, card.leave):
        assert QApplication.focusWidget() is one
        QTest.keyClick(one, Qt.Key.Key_Tab)
    QTest.keyClick(card.next, Qt.Key.Key_Space)
    assert running.guides.number == 1
    assert card.accessibleName().startswith("Lesson Short, step 2 of 3. Pin.")


def test_the_strip_covers_nothing_and_keeps_its_height(running: MainWindow) -> None:
    card, guides = running.guides.stage.card, running.guides
    pages = running.workbench.parentWidget()
    assert pages is not None
    assert not card.geometry().intersects(pages.geometry())
    height = card.height()
    assert height < running.height() / 6
    while guides.lesson is not None:
        QApplication.processEvents()
        assert card.height() == height
        for label in (card.text, card.task):
            assert label.heightForWidth(label.width()) <= label.height() + 1, guides.step.title
        guides.next()


def test_the_outline_is_around_the_place_and_follows_it(running: MainWindow) -> None:
    outline, guides = running.guides.stage.outline, running.guides
    QApplication.processEvents()
    assert outline.place is running.workbench.graph
    assert outline.isVisible()
    guides.next()
    QApplication.processEvents()
    cores = place_widget(running.workbench, "cores")
    assert outline.place is cores
    page = running.centralWidget()
    assert page is not None
    where = QRect(cores.mapTo(page, cores.rect().topLeft()), cores.size())
    assert outline.geometry().intersects(where)
    running.workbench.toggle("right")
    QApplication.processEvents()
    assert not outline.isVisible(), "its place is hidden"
    running.workbench.toggle("right")
    QApplication.processEvents()
    assert outline.isVisible()
    assert outline.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)


@pytest.mark.parametrize("alone", ["", "graph", "timeline"])
def test_every_place_is_brought_to_the_front(running: MainWindow, alone: str) -> None:
    bench = running.workbench
    running.selection.select_op("sum")
    for key in PLACE_WORDS:
        bench.full.leave()
        for dock in bench.docks.values():
            dock.hide()
        if alone:
            bench.full.enter(alone)
        bring_to_front(bench, key)
        QApplication.processEvents()
        assert in_sight(bench, key) or key == "handovers", key  # no buffer changes hands in this plan


def test_it_lives_on_in_full_view_and_on_the_start_page_it_is_silent(running: MainWindow) -> None:
    card, outline = running.guides.stage.card, running.guides.stage.outline
    running.workbench.full.enter("scratchpad")
    QApplication.processEvents()
    assert card.isVisible()
    running.guides.next()
    assert running.workbench.full.key == "inspector"
    running.toggle_start_page()
    QApplication.processEvents()
    assert not card.isVisible()
    assert not outline.isVisible()
    running.toggle_start_page()
    QApplication.processEvents()
    assert card.isVisible()
    assert running.guides.number == 1


def test_larger_texts_make_the_strip_anew(qtbot: QtBot, running: MainWindow, door: LessonDoor) -> None:
    before = running.guides.stage.card.height()
    door.settings.set("text_size", "150")
    try:
        qtbot.waitUntil(lambda: text_zoom() == 1.5 and not running.maker.renewing)
        card = running.guides.stage.card
        assert card.isVisible()
        assert card.height() > before
        assert card.title.text() == "Look"
        running.guides.next()
        QApplication.processEvents()
        assert running.guides.stage.outline.isVisible()
    finally:
        door.settings.set("text_size", "100")
        wear_text_size(door.settings)


def test_a_broken_lesson_is_one_sentence_in_the_banner(
    window: MainWindow, door: LessonDoor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "broken.toml"
    path.write_text("title = 5", encoding="utf-8")
    monkeypatch.setattr(guide_run, "lesson_path", lambda _key: path)
    window.actions_.trigger("lesson-softmax")
    assert "the lesson broken.toml: 'title' has to be a text" in window.banner.sentence
    assert door.asked == []


def test_lessons_are_found_in_the_palette(window: MainWindow) -> None:
    found = [choice.key for choice in window.actions_.choices("lesson on")]
    assert set(found) == {f"lesson-{key}" for key in LESSONS}
