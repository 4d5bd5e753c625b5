"""The graph as a picture: all of it or what is in view, as on screen."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from compiler.compilation import Compilation
from spyre_studio.picture import to_image, to_svg
from spyre_studio.pill import pill_size
from spyre_studio.selection import Selection
from spyre_studio.theme import Theme
from spyre_studio.views.graph import GraphView
from tests.spyre_studio.odd_stack import odd_plan, run_box, scene, shown
from tests.spyre_studio.stage import Stage, quiet_settings


@pytest.fixture(scope="module")
def plan() -> Compilation:
    return odd_plan()


@pytest.fixture
def view(qtbot: QtBot, stage: Stage, plan: Compilation, dark: Theme) -> GraphView:
    return shown(qtbot, stage, plan)


def test_a_picture_holds_all_or_what_is_in_view(view: GraphView) -> None:
    view.fold.open_all()
    view.canvas.zoom_reset()
    whole, part = view.picture(in_view=False), view.picture(in_view=True)
    assert whole is not None
    assert part is not None
    assert whole.height > view.canvas.bounds.height
    assert part.height == pytest.approx(view.canvas.height() + whole.height - view.canvas.bounds.height, abs=60)
    assert part.shapes < whole.shapes
    texts = to_svg(whole).decode()
    for word in ("project", "softmax", "stays in LX", "coloured by fate of data", "32 cores"):
        assert word in texts, word
    assert texts.count("<text") > to_svg(part).decode().count("<text")
    assert "clip" not in texts.lower(), "many viewers know no clipping"


@pytest.mark.parametrize("colouring", ["fate", "time", "residency"])
def test_a_picture_has_the_colours_of_the_screen(view: GraphView, colouring: str) -> None:
    view.set_colouring(colouring)  # type: ignore[arg-type]
    picture = view.picture(in_view=True)
    assert picture is not None
    given = to_image(picture)
    screen = view.canvas.grab().toImage()
    box = run_box(view)
    _, y0, x1, y1 = view.canvas.viewport.to_px(scene(view).layout.boxes[box].reshape(2, 2)).ravel().tolist()
    scale = given.width() / picture.width
    at = (x1 - 20, (y0 + y1) / 2 - 2)
    mine = given.pixelColor(round(at[0] * scale), round(at[1] * scale))
    assert mine.name() == screen.pixelColor(round(at[0]), round(at[1])).name()


def test_no_graph_no_picture(qtbot: QtBot, tmp_path: Path, dark: Theme) -> None:
    empty = GraphView(Stage(quiet_settings(str(tmp_path))), Selection())
    qtbot.addWidget(empty)
    assert empty.picture(in_view=False) is None


def test_paint_is_given_back_after_a_picture(view: GraphView) -> None:
    """A picture draws every edge as a curve; the screen goes on with its own limit."""
    before = view.canvas._pen().curves
    picture = view.picture(in_view=False)
    assert picture is not None

    def fail(_painter: QPainter, _scale: float) -> None:
        raise RuntimeError

    to_image(picture)
    assert view.canvas._pen().curves == before


def test_frames_in_a_picture_do_not_grow_with_what_is_far_away_on_screen(view: GraphView, plan: Compilation) -> None:
    view.canvas.mark(scene(view).box_of_op(plan.problem.program.ops[0].name), frozenset())
    pictures = []
    for zoom in (1.0, 0.1):
        view.canvas.set_viewport(replace(view.canvas.viewport, zoom=zoom))
        picture = view.picture(in_view=False)
        assert picture is not None
        pictures.append(to_svg(picture))
    assert pictures[0] == pictures[1]


def test_remarks_stand_where_no_control_lies(view: GraphView, stage: Stage, plan: Compilation) -> None:
    op = next(one for one in plan.problem.program.ops if plan.plan.divisions[one.name].splits)
    stage.pin_division(op.name, {op.loops[0].name: 1})
    assert view.canvas.state.badges
    controls, crumbs = view.overlay.controls, view.overlay.crumbs
    for width, beside in ((1400, True), (420, False)):
        view.resize(width, 500)
        QApplication.processEvents()
        room = pill_size(view.canvas.state.badges[0].text)[0]
        at = view.canvas.badge_place(room)
        if beside:
            assert crumbs.geometry().right() < at.x()
            assert at.x() + room < controls.geometry().left()
            assert at.y() < controls.geometry().bottom()
        else:
            assert at.y() > controls.geometry().bottom()
