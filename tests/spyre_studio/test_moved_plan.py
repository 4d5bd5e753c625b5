"""A plan with moves within the chip in every view of the window: each step and buffer can be looked at."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from compiler.explain import explain, print_explanation
from spyre_studio.derived import schedule_of
from spyre_studio.selection import Selection
from spyre_studio.theme import Theme
from spyre_studio.views import VIEWS, ViewRow
from spyre_studio.views.scratchpad import ScratchpadView
from spyre_studio.views.sticks import SticksView
from tests.spyre_studio.hand import show
from tests.spyre_studio.moves import moved
from tests.spyre_studio.stage import Stage, all_texts, quiet_settings, staged


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    made = Stage(quiet_settings(str(tmp_path)))
    made.put(moved())
    return made


@pytest.mark.parametrize("row", VIEWS, ids=lambda row: row.key)
def test_every_step_and_buffer_can_be_selected(qtbot: QtBot, stage: Stage, dark: Theme, row: ViewRow) -> None:
    view, selection = staged(qtbot, stage, row.load(), 800, 600)
    schedule = schedule_of(moved())
    for step in schedule.steps:
        selection.select_op(step.name)
        assert not view.grab().isNull()
    for name in schedule.buffers:
        selection.select_buffer(name)
        assert not view.grab().isNull()


def test_the_stick_view_shows_both_sides_of_a_move(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view = SticksView(stage, Selection())
    show(qtbot, view, 900, 700)
    compilation = moved()
    found = {}
    for name in ("relu", "mm@ring", "mm@out"):
        view.show_buffer(compilation, schedule_of(compilation), name)
        found[name] = (len(view.pictures.pictures), view.copy.text().partition(" · ")[0])
    assert found["relu"][0] == 1
    assert found["mm@ring"] == (2, "relayout before relu")
    assert found["mm@out"] == (2, "clone out at the end")


def test_the_scratchpad_says_why_a_clone_is_outside(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view, selection = staged(qtbot, stage, ScratchpadView, 1200, 500)
    selection.select_buffer("mm@out")
    assert "is in device memory: copy in device memory" in all_texts(view)
    selection.select_buffer("w@in")
    assert "stays in LX at 0x02000: 32 KiB on each of 8 cores, steps 1 to 2" in all_texts(view)


def test_why_names_the_clone_as_the_result() -> None:
    text = {name: print_explanation(explain(moved(), name)) for name in ("mm", "mm@out", "mm@ring", "x@in")}
    assert "result     out0" in text["mm@out"]
    assert "result" not in text["mm"]
    assert "device memory (device-copy)" in text["mm@out"]
