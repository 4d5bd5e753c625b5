"""Going somewhere in a large graph: what is opened for it is laid out on a thread, and something is always in view."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from spyre_studio.selection import Selection
from spyre_studio.theme import Theme
from spyre_studio.views.graph import GraphView
from spyre_studio.views.graph_layouts import AT_ONCE
from tests.spyre_studio.hand import show
from tests.spyre_studio.large import stack
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import Stage, quiet_settings

LAYERS = 18


@pytest.fixture
def view(qtbot: QtBot, tmp_path: Path, dark: Theme) -> Iterator[GraphView]:
    """A graph that is too large to be laid out at once, as it is first shown."""
    stage, selection = Stage(quiet_settings(str(tmp_path))), Selection()
    stage.put(compiled(program=stack(LAYERS)))
    selection.retarget(stage.compilation)
    made = GraphView(stage, selection)
    selection.changed.connect(made.show_selection)
    show(qtbot, made, 900, 700)
    settle(qtbot, made)
    assert made.canvas.scene is not None
    assert len(made.canvas.scene.model.nodes) > AT_ONCE
    yield made
    made.fold.finish()


def settle(qtbot: QtBot, view: GraphView) -> None:
    qtbot.waitUntil(lambda: not view.fold.awaited, timeout=20_000)


def ops_in_view(view: GraphView) -> set[str]:
    """Ops whose own box, not that of a module around them, is on screen as a whole."""
    scene, seen = view.canvas.scene, view.canvas.viewport.visible()
    assert scene is not None
    found = set()
    for box, (x0, y0, x1, y1) in enumerate(scene.layout.boxes.tolist()):
        node = scene.node_of_box(box)
        if node is not None and x0 >= seen.x0 and y0 >= seen.y0 and x1 <= seen.x1 and y1 <= seen.y1:
            found.add(scene.model.nodes[node].name)
    return found


def far_op(view: GraphView) -> str:
    scene = view.canvas.scene
    assert scene is not None
    return next(node.name for node in scene.model.nodes if node.group == "layers.12.mlp" and node.name)


def find(view: GraphView) -> None:
    view.open_find()
    view.finder.line.setText(far_op(view))
    view.finder.next(1)


def go_to(view: GraphView) -> None:
    view._selection.select_op(far_op(view))
    view.reveal_selection()


def choose_in_tree(view: GraphView) -> None:
    view.show_group("layers.12.mlp")


def select_while_it_is_laid_out(view: GraphView) -> None:
    view.fold.open_all()
    view._selection.select_op(far_op(view))


@pytest.mark.parametrize("way", [find, go_to, choose_in_tree, select_while_it_is_laid_out])
def test_what_is_gone_to_is_in_view_once_it_is_laid_out(
    qtbot: QtBot, view: GraphView, way: Callable[[GraphView], None]
) -> None:
    name = far_op(view)
    assert name not in ops_in_view(view)
    way(view)
    on_a_thread = view.fold.awaited
    assert on_a_thread
    settle(qtbot, view)
    assert name in ops_in_view(view)


def test_the_newest_place_wins(qtbot: QtBot, view: GraphView) -> None:
    view.show_group("layers.3.mlp")
    go_to(view)
    settle(qtbot, view)
    assert far_op(view) in ops_in_view(view)


def test_something_is_in_view_whatever_is_opened_and_closed(qtbot: QtBot, view: GraphView) -> None:
    opening, closing = (view.fold.open_all, view.fold.deeper), (view.fold.close_all, view.fold.shallower)
    for step in (opening[0], closing[0], opening[1], opening[1], opening[0], closing[1], closing[0]):
        step()
        settle(qtbot, view)
        assert in_sight(view), step.__name__


def test_something_is_in_view_after_one_moved(qtbot: QtBot, view: GraphView) -> None:
    view.canvas.pan_by(40, 40)
    for step in (view.fold.open_all, view.fold.close_all, view.fold.open_all):
        step()
        settle(qtbot, view)
        assert in_sight(view), step.__name__


def test_what_was_in_view_stays_where_it_was(qtbot: QtBot, view: GraphView) -> None:
    go_to(view)
    settle(qtbot, view)
    before = place_on_screen(view)
    view.fold.open_all()
    settle(qtbot, view)
    assert place_on_screen(view) == pytest.approx(before, abs=1)


def place_on_screen(view: GraphView) -> tuple[float, float]:
    bounds = view.canvas.selection_bounds()
    assert bounds is not None
    at = view.canvas.viewport.rect_to_px(bounds)
    return at.centre[0], at.y0


def in_sight(view: GraphView) -> bool:
    scene, seen = view.canvas.scene, view.canvas.viewport.visible()
    assert scene is not None
    boxes = scene.layout.boxes.tolist()
    return any(x0 < seen.x1 and x1 > seen.x0 and y0 < seen.y1 and y1 > seen.y0 for x0, y0, x1, y1 in boxes)


def test_a_selection_that_moves_nothing_leaves_the_beginning(qtbot: QtBot, view: GraphView) -> None:
    scene = view.canvas.scene
    assert scene is not None
    view._selection.select_op(next(node.name for node in scene.model.nodes if node.name))
    assert view.canvas.at_start
    view.fold.open_all()
    settle(qtbot, view)
    assert view.canvas.viewport.zoom == 1
    assert view._selection.op in ops_in_view(view)


def test_what_was_fitted_is_not_made_a_line_of_dots(qtbot: QtBot, view: GraphView) -> None:
    view.canvas.fit_all()
    zoom = view.canvas.viewport.zoom
    view.fold.open_all()
    settle(qtbot, view)
    assert view.canvas.viewport.zoom == pytest.approx(zoom)
    assert ops_in_view(view)
    view.canvas.fit_all()
    assert view.canvas.viewport.zoom < 0.25, "unless that is asked for"
    view.fold.shallower()
    settle(qtbot, view)
    assert view.canvas.fitted
