"""Pictures with an axis of steps or of time show the same steps, as long as they are linked."""

from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from compiler.compilation import Compilation
from spyre_studio.selection import Selection
from spyre_studio.shared_axis import LINKED, SharedAxis, Window
from spyre_studio.step_times import StepTimes, step_numbers, step_times
from spyre_studio.theme import Theme
from spyre_studio.timeline_data import TimelineData
from spyre_studio.views.roofline import RooflineView
from spyre_studio.views.scratchpad import ScratchpadView
from spyre_studio.views.timeline import TimelineView
from tests.programs import attention
from tests.spyre_studio.hand import CONTROL, show, turn_wheel
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import Stage, quiet_settings, staged


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    made = Stage(quiet_settings(str(tmp_path)))
    made.put(compiled(program=attention(2, 128, 64), cores=4))
    return made


def run_of(view: TimelineView) -> tuple[TimelineData, Compilation, StepTimes]:
    data, compilation = view.data, view.compilation
    assert data is not None
    assert compilation is not None
    return data, compilation, step_times(data, compilation)


def seen(selection: Selection) -> Window:
    """The steps that are in view together."""
    return selection.window


class Moved:
    """A view of nothing but steps, which counts how often it was moved."""

    def __init__(self, qtbot: QtBot, stage: Stage, selection: Selection) -> None:
        from PySide6.QtWidgets import QWidget

        self.widget, self.window, self.shown = QWidget(), None, 0
        self.steps: Window = None
        show(qtbot, self.widget)
        self.axis = SharedAxis(selection, stage.settings, self._show, lambda: self.steps, self.widget)

    def _show(self, window: Window) -> bool:
        self.steps, self.shown = window, self.shown + 1
        self.axis.tell()  # as a canvas does that tells whenever it was moved
        return True


def test_steps_and_times_are_each_others_inverse(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view, _ = staged(qtbot, stage, TimelineView, 1000, 480)
    data, compilation, times = run_of(view)
    assert len(times.begins) == len(step_numbers(compilation)) + 1
    assert (np.diff(times.begins) >= 0).all()
    assert (times.begins[0], times.begins[-1]) == (0, data.total_ps)
    context = step_numbers(compilation)["context"]
    assert times.begins[context] == data.step_start[data.places["context"]]
    for lo, hi in ((0.0, 2.0), (1.25, 3.5)):
        assert times.steps(*times.times(lo, hi)) == pytest.approx((lo, hi))


def test_a_step_that_never_ran_begins_with_the_one_behind_it(stage: Stage) -> None:
    compilation = stage.compilation
    assert compilation is not None
    stage.simulate()
    data = stage.timeline
    assert data is not None
    from dataclasses import replace

    start = data.step_start.copy()
    start[1] = -1
    begins = step_times(replace(data, step_start=start), compilation).begins
    assert begins[1] == begins[2] == start[2]


def test_zooming_the_timeline_has_its_steps_in_view_and_the_other_way_round(
    qtbot: QtBot, stage: Stage, dark: Theme
) -> None:
    view, selection = staged(qtbot, stage, TimelineView, 1000, 480)
    data, _, times = run_of(view)
    turn_wheel(view.canvas, view.canvas.plot_rect().center().toPoint(), 5, CONTROL)
    axis = view.canvas.x_axis
    assert seen(selection) == pytest.approx(times.steps(axis.lo, axis.hi))
    selection.look_at((1.0, 3.0))
    assert (view.canvas.x_axis.lo, view.canvas.x_axis.hi) == pytest.approx(times.times(1.0, 3.0))
    assert seen(selection) == (1.0, 3.0), "following is not telling"
    view.canvas.fit_all()
    assert seen(selection) is None
    selection.look_at((1.0, 3.0))
    selection.look_at(None)
    assert (view.canvas.x_axis.lo, view.canvas.x_axis.hi) == (0, data.total_ps)


def test_the_steps_stay_in_view_when_another_plan_has_other_times(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view, selection = staged(qtbot, stage, TimelineView, 1000, 480)
    selection.look_at((1.0, 2.0))
    stage.put(compiled(program=attention(2, 128, 64), cores=1))
    _, _, times = run_of(view)
    assert seen(selection) == (1.0, 2.0)
    assert (view.canvas.x_axis.lo, view.canvas.x_axis.hi) == pytest.approx(times.times(1.0, 2.0))


def test_two_views_that_tell_whenever_they_are_moved_do_not_answer_each_other(qtbot: QtBot, stage: Stage) -> None:
    selection = Selection()
    selection.retarget(stage.compilation)
    one, other = Moved(qtbot, stage, selection), Moved(qtbot, stage, selection)
    one.steps = (1.0, 3.0)
    one.axis.tell()
    assert (one.shown, other.shown, other.steps) == (0, 1, (1.0, 3.0))
    other.steps = None
    other.axis.tell()
    assert (one.shown, other.shown) == (1, 1)
    assert one.steps is None


def test_views_that_are_not_linked_go_their_own_ways_until_they_are_again(qtbot: QtBot, stage: Stage) -> None:
    selection = Selection()
    selection.retarget(stage.compilation)
    one, other = Moved(qtbot, stage, selection), Moved(qtbot, stage, selection)
    stage.settings.set(LINKED, False)
    one.steps = (1.0, 3.0)
    one.axis.tell()
    selection.look_at((0.0, 1.0))
    assert (one.shown, other.shown, seen(selection)) == (0, 0, (0.0, 1.0))
    other.widget.hide()
    stage.settings.set(LINKED, True)
    assert seen(selection) == (1.0, 3.0), "what can be seen tells"
    assert other.steps == (1.0, 3.0)


def test_the_roofline_makes_steps_faint_that_others_do_not_show(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view, selection = staged(qtbot, stage, RooflineView)
    assert view.plot.near is None
    selection.look_at((0.0, 2.0))
    compilation = stage.compilation
    assert compilation is not None
    names = list(step_numbers(compilation))[:2]
    assert view.plot.near == {view._data.places[name] for name in names} if view._data else False
    assert "steps 0–1 in view elsewhere" in [badge.text for badge in view.plot.state.badges]
    stage.settings.set(LINKED, False)
    assert view.plot.near is None
    assert "in view elsewhere" not in " ".join(badge.text for badge in view.plot.state.badges)


def test_the_scratchpad_and_the_timeline_show_the_same_steps(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    timeline, selection = staged(qtbot, stage, TimelineView, 1000, 480)
    pad = ScratchpadView(stage, selection)
    show(qtbot, pad, 1000, 480)
    pad.show_compilation(stage.compilation)
    _, _, times = run_of(timeline)
    pad.map.show_x(1.0, 4.0)
    assert selection.window == pytest.approx((1.0, 4.0))
    axis = timeline.canvas.x_axis
    assert (axis.lo, axis.hi) == pytest.approx(times.times(1.0, 4.0))
    timeline.canvas.show_x(*times.times(2.0, 5.0))
    assert (pad.map.x_axis.lo, pad.map.x_axis.hi) == pytest.approx((2.0, 5.0), abs=1e-6)
    stage.settings.set(LINKED, False)
    timeline.canvas.fit_all()
    assert (pad.map.x_axis.lo, pad.map.x_axis.hi) == pytest.approx((2.0, 5.0), abs=1e-6)
    pad.map.show_x(1.0, 4.0)
    assert seen(selection) == pytest.approx((2.0, 5.0), abs=1e-6)
