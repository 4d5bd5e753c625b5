"""Every lesson from its first step to its last in the real window with a real worker: by Show me, and by hand.

What a lesson names has to be in the plan, every figure has to have a value, and every task has to be possible.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication
from pytestqt.qtbot import QtBot

from spyre_studio.derived import schedule_of
from spyre_studio.guide import GuideStep
from spyre_studio.guide_figure_names import FIGURES, figures_in
from spyre_studio.guide_file import LESSONS
from spyre_studio.guide_places import place_widget
from spyre_studio.guide_progress import progress_of
from spyre_studio.jobs import Jobs
from spyre_studio.main_window import MainWindow
from spyre_studio.qt_theme import ThemeFollower
from spyre_studio.session import Session
from spyre_studio.settings import Settings
from spyre_studio.units import UNKNOWN
from spyre_studio.views.inspector import InspectorView
from tests.spyre_studio.hand import LEFT, NONE

PATIENCE = 120_000


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, jobs: Jobs, tmp_path: Path, dark: object) -> Iterator[MainWindow]:
    jobs.keep([])
    session = Session(jobs, Settings(QSettings(f"{tmp_path}/settings.ini", QSettings.Format.IniFormat)))
    made = MainWindow(session, ThemeFollower(qapp, "dark"))
    qtbot.addWidget(made)
    made.resize(1100, 800)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    session.cancel()
    made.guides.leave()


def settle(qtbot: QtBot, window: MainWindow) -> None:
    session = window.session
    qtbot.waitUntil(lambda: not session.busy and not session.stale, timeout=PATIENCE)
    QApplication.processEvents()


def begin(qtbot: QtBot, window: MainWindow, key: str) -> None:
    window.guides.begin(key)
    qtbot.waitUntil(lambda: window.guides.lesson is not None, timeout=PATIENCE)
    settle(qtbot, window)


def names_are_known(window: MainWindow, step: GuideStep) -> None:
    plan = window.session.compilation
    assert plan is not None
    steps, buffers = schedule_of(plan).step_map, plan.plan.layouts
    ops = {step.look.op, step.done.op, *step.done.split} - {""}
    known = {step.look.buffer, step.done.buffer, *step.done.placement, *step.done.relayout} - {""}
    for name, about in figures_in(step.text + step.task):
        ops |= {about} if FIGURES[name] == "op" else set()
        known |= {about} if FIGURES[name] == "buffer" else set()
    assert ops <= set(steps), step.title
    assert known <= set(buffers), step.title
    assert max(step.look.core, step.done.core) < plan.plan.cores


def figures_are_there(window: MainWindow, text: str) -> None:
    said = window.guides.stage.plain(text)
    assert UNKNOWN not in said, said
    assert "{" not in said
    assert "…" not in said


def all_is_seen(window: MainWindow) -> None:
    card = window.guides.stage.card
    for label in (card.text, card.task):
        assert label.heightForWidth(label.width()) <= label.height() + 1, label.text()


@pytest.mark.parametrize("key", LESSONS)
def test_every_step_is_done_by_show_me(qtbot: QtBot, window: MainWindow, key: str) -> None:
    guides = window.guides
    begin(qtbot, window, key)
    lesson = guides.lesson
    assert lesson is not None
    assert window.session.source == lesson.heading.model
    for number, step in enumerate(lesson.steps):
        assert guides.number == number
        settle(qtbot, window)
        names_are_known(window, step)
        figures_are_there(window, step.text)
        figures_are_there(window, step.task)
        QApplication.processEvents()
        all_is_seen(window)
        if step.look.at:
            assert guides.stage.outline.place is not None
            assert guides.stage.outline.isVisible(), step.title
        assert guides.done is not bool(step.done), f"'{step.title}' is done before it begins"
        QTest.mouseClick(guides.stage.card.show_me, LEFT, NONE)
        qtbot.waitUntil(lambda: guides.done, timeout=PATIENCE)
        settle(qtbot, window)
        figures_are_there(window, step.after)
        all_is_seen(window)
        assert not window.banner.isVisible(), window.banner.sentence
        QTest.mouseClick(guides.stage.card.next, LEFT, NONE)
    assert guides.lesson is None
    assert progress_of(window.session.settings, key).finished


@pytest.mark.parametrize(("key", "number"), [("softmax", 8), ("mlp", 7), ("mismatch", 4)])
def test_a_lesson_is_resumed_with_the_plan_that_its_step_speaks_of(
    qtbot: QtBot, window: MainWindow, key: str, number: int
) -> None:
    window.session.settings.set_lessons([f"{key} {number}"])
    begin(qtbot, window, key)
    guides, lesson = window.guides, window.guides.lesson
    assert lesson is not None
    assert guides.number == number
    asked = {pin for step in lesson.steps[:number] for pin in step.done.pin_keys}
    assert asked
    assert set(window.session.pins.keys) == asked
    figures_are_there(window, guides.step.text)
    if guides.step.done:
        guides.show_me()
        qtbot.waitUntil(lambda: guides.done, timeout=PATIENCE)


def test_a_lesson_begins_with_the_plan_of_its_first_step_and_none_before(qtbot: QtBot, window: MainWindow) -> None:
    session = window.session
    session.set_options("spyre", 8, "co-optimized")  # as the lesson before may have left it
    begin(qtbot, window, "mismatch")
    assert (session.options.pipeline, session.options.cores) == ("staged", None)
    assert session.compilation is not None
    assert session.before is None
    assert not session.undo_stack.canUndo()


def test_a_lesson_is_walked_by_hand(qtbot: QtBot, window: MainWindow) -> None:
    """The graph, the grid of cores, loops by keys, a button of the scratchpad and a tab, as a reader would."""
    begin(qtbot, window, "mismatch")
    with qtbot.waitActive(window):
        window.activateWindow()
    guides, bench = window.guides, window.workbench
    inspector = bench.views["inspector"]
    assert isinstance(inspector, InspectorView)

    def went_on() -> None:
        qtbot.waitUntil(lambda: guides.done, timeout=PATIENCE)
        QTest.keyClick(window, Qt.Key.Key_F9)
        settle(qtbot, window)

    click_op(window, "relu")
    went_on()
    place_widget(bench, "cores").findChildren(type(inspector.division.space.grid))[0].setFocus()
    for _ in range(3):
        QTest.keyClick(inspector.division.space.grid, Qt.Key.Key_Right)
    went_on()
    for loop, factor in (("j", 4), ("i", 8)):
        box = inspector.division.editor.boxes[loop]
        box.setFocus()
        QTest.keyClick(box, Qt.Key.Key_Home)
        for _ in range(box.findData(factor)):
            QTest.keyClick(box, Qt.Key.Key_Down)
    QTest.mouseClick(inspector.division.pin, LEFT, NONE)
    went_on()
    assert guides.number == 3
    went_on()
    press = next(one for one in bench.views["scratchpad"].findChildren(QAbstractButton) if one.text() == "Not in LX")
    QTest.mouseClick(press, LEFT, NONE)
    went_on()
    bar = inspector.tabs.tabBar()
    QTest.mouseClick(bar, LEFT, NONE, bar.tabRect(3).center())
    went_on()
    assert guides.number == 6
    QTest.keyClick(window, Qt.Key.Key_F9, Qt.KeyboardModifier.ShiftModifier)
    settle(qtbot, window)
    assert set(window.session.pins.keys) == {"division:relu"}


def click_op(window: MainWindow, op: str) -> None:
    canvas = window.workbench.graph.canvas
    assert canvas.scene is not None
    canvas.fit_all()
    x0, y0, x1, y1 = canvas.viewport.to_px(canvas.scene.layout.boxes[canvas.scene.box_of_op(op)].reshape(2, 2)).ravel()
    QTest.mouseClick(canvas, LEFT, NONE, QPointF((x0 + x1) / 2, (y0 + y1) / 2).toPoint())
