"""The scratchpad view about pins that could not be kept, in every state, with very many buffers, and from the menus."""

from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest
from frozendict import frozendict
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from spyre_studio.colour import MIN_TEXT, contrast, mix
from spyre_studio.conflict_model import Remedy
from spyre_studio.main_window import MainWindow
from spyre_studio.occupancy import KINDS
from spyre_studio.qt_theme import active_theme
from spyre_studio.theme import THEMES, Theme
from spyre_studio.views import scratchpad
from spyre_studio.views.lx_map import LxMap, Spot
from spyre_studio.views.lx_paint import _DIMMED, MOST
from spyre_studio.views.scratchpad import ScratchpadView
from tests.programs import attention, chain
from tests.spyre_studio.crowds import crowded
from tests.spyre_studio.door import Door
from tests.spyre_studio.door import opened as opened_window
from tests.spyre_studio.hand import show
from tests.spyre_studio.occupancies import made_occupancy
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.scratchpads import Opened, data_of
from tests.spyre_studio.stage import Stage, quiet_settings, staged

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
    gate = Event()
    derive = scratchpad._derive
    monkeypatch.setattr(scratchpad, "_FEW", 0)
    monkeypatch.setattr(scratchpad, "_derive", lambda plan: gate.wait(5) and derive(plan))
    stage.put(compiled(program=attention(2, 64, 64)))
    view, selection = staged(qtbot, stage, ScratchpadView)
    assert view.page.state.title == "Laying out the scratchpad"
    assert "buffers over 8 steps" in view.state.sentence
    gate.set()
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
        assert contrast(theme.mute, mix(theme.bg, theme.kind(kind), _DIMMED)) >= MIN_TEXT
    for ground in (theme.raised, theme.bg, theme.selection):
        assert contrast(theme.mute, ground) >= MIN_TEXT


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
    told = [view.following]
    window.actions_.trigger("follow-buffer")
    told.append(view.following)
    assert told == [True, False]
    view.set_why(True)
    window.actions_.trigger("spilled")
    assert window.focusWidget() is view.tray
    assert view.tray.chips[0].buffer == view.why._found[0].buffer, "what would save most"
