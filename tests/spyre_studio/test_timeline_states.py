"""What the timeline asks for, and what it says while there is no run."""

from dataclasses import replace

from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from compiler.machine import NO_MACHINE
from spyre_studio.failure import Failure
from spyre_studio.pin_change import with_placement
from spyre_studio.selection import Selection
from spyre_studio.theme import Theme
from spyre_studio.views.timeline import TimelineView
from tests.spyre_studio.hand import LEFT, show
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import Stage, all_texts, staged
from tests.spyre_studio.timelines import Opened, data_of


def test_the_run_is_asked_for_when_the_view_is_first_shown(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view = TimelineView(stage, Selection())
    qtbot.addWidget(view)
    stage.put(compiled(cores=2))
    view.show_compilation(stage.compilation)
    assert stage.asked == [], "nobody looks yet"
    show(qtbot, view, 800, 400)
    assert stage.asked == ["simulate"]
    assert view.run_state().kind == "ready"
    view.hide()
    view.show()
    assert stage.asked == ["simulate"]


def test_each_plan_keeps_its_run(timeline: Opened, stage: Stage) -> None:
    view, _ = timeline
    first = data_of(view)
    entry = stage._shown
    stage.put(compiled(cores=2))
    assert data_of(view) is not first
    assert data_of(view).trace.cores == 2
    assert entry is not None
    stage._shown = entry
    stage.changed.emit("plan")
    assert data_of(view) is first
    assert stage.asked == ["simulate", "simulate"]


def test_without_a_run_there_is_a_button(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    stage.answers = False
    stage.put(compiled(cores=2))
    view, _ = staged(qtbot, stage, TimelineView)
    assert "Not simulated yet" in all_texts(view)
    stage.answers = True
    QTest.mouseClick(view.waiting.action, LEFT)
    assert view.content.isVisible()
    assert not view.waiting.isVisible()


def test_a_running_simulation_says_how_far_it_is_and_can_be_cancelled(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    stage.answers = False
    stage.put(compiled(cores=2))
    view, _ = staged(qtbot, stage, TimelineView)
    stage._phases["simulate"] = "timing"
    stage._simulation_progress(0.4, "timing", "exp")
    assert view.waiting.state.kind == "loading"
    assert (view.waiting.state.progress, view.waiting.state.sentence) == (0.4, "exp")
    assert stage.busy == "timing"
    QTest.mouseClick(view.waiting.action, LEFT)
    assert not stage.simulating
    assert view.waiting.state.title == "Not simulated yet"


def test_a_device_without_a_machine_is_a_sentence(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    plan = compiled(cores=2)
    bare = replace(plan.problem.device, machine=NO_MACHINE)
    stage.put(replace(plan, problem=replace(plan.problem, device=bare)))
    view, _ = staged(qtbot, stage, TimelineView)
    assert view.waiting.state.kind == "error"
    assert stage.not_simulated is not None
    assert stage.not_simulated.why in view.waiting.state.sentence
    assert stage.failure is None, "no banner: nobody asked"


def test_a_failure_can_be_tried_again(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    stage.answers = False
    stage.put(compiled(cores=2))
    view, _ = staged(qtbot, stage, TimelineView)
    entry = stage._shown
    assert entry is not None
    stage._simulated_to(entry, Failure("the worker process", "it ended", "try again", "Traceback"))
    assert view.waiting.state.details == "Traceback"
    stage.answers = True
    QTest.mouseClick(view.waiting.action, LEFT)
    assert view.run_state().kind == "ready"


def test_changed_pins_leave_the_picture_and_a_badge(timeline: Opened, stage: Stage) -> None:
    view, _ = timeline
    stage.set_pins(with_placement(stage.pins, "exp", "hbm"))
    assert view.canvas.state.badges[0].text == "pins changed since this plan"


def test_without_a_plan_it_says_what_it_will_show(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view, _ = staged(qtbot, stage, TimelineView)
    assert view.state.kind == "empty"
    assert stage.asked == []
