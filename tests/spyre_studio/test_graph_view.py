"""The graph view driven as a user would: click, double click, keys, find, table, overview, colours."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from compiler.compilation import Compilation
from compiler.loops import Origin
from spyre_studio.selection import Selection
from spyre_studio.theme import Theme
from spyre_studio.view_state import stale
from spyre_studio.views.graph import GraphView
from spyre_studio.views.graph_canvas import Hit
from spyre_studio.views.graph_layouts import AT_ONCE
from spyre_studio.views.graph_menu import graph_menu
from spyre_studio.views.graph_model import LX, NODE_KINDS
from spyre_studio.views.graph_scene import Scene
from tests.programs import attention, chain
from tests.spyre_studio.hand import LEFT, NONE, show
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import Stage

SOFTMAX = ("max", "sub", "exp", "sum", "truediv")


def grouped() -> Compilation:
    """Attention whose softmax is a module of its own."""
    made = compiled(program=attention(2, 64, 64))
    ops = [
        replace(op, origin=Origin(module="softmax" if op.name in SOFTMAX else "")) for op in made.problem.program.ops
    ]
    return replace(made, problem=replace(made.problem, program=replace(made.problem.program, ops=tuple(ops))))


@pytest.fixture
def opened(qtbot: QtBot, stage: Stage, dark: Theme) -> tuple[GraphView, Selection]:
    """The view on screen with a plan of attention, its softmax open."""
    stage.put(grouped())
    selection = Selection()
    selection.retarget(stage.compilation)
    view = GraphView(stage, selection)
    selection.changed.connect(view.show_selection)
    show(qtbot, view, 900, 700)
    return view, selection


def scene_of(view: GraphView) -> Scene:
    assert view.canvas.scene is not None
    return view.canvas.scene


def middle_of(view: GraphView, box: int) -> QPoint:
    """The middle of a box, in pixels."""
    x0, y0, x1, y1 = scene_of(view).layout.boxes[box].tolist()
    px, py = ((x0 + x1) / 2 - view.canvas.viewport.x, (y0 + y1) / 2 - view.canvas.viewport.y)
    return QPointF(px * view.canvas.viewport.zoom, py * view.canvas.viewport.zoom).toPoint()


def header_of(view: GraphView, group: str) -> QPoint:
    """A pixel in the title of an open group."""
    layout = scene_of(view).layout
    row = layout.frame_group.tolist().index(layout.group_paths.index(group))
    x0, y0, _, _ = layout.frames[row].tolist()
    zoom = view.canvas.viewport.zoom
    return QPointF((x0 + 20 - view.canvas.viewport.x) * zoom, (y0 + 10 - view.canvas.viewport.y) * zoom).toPoint()


def click(view: GraphView, at: QPoint) -> None:
    QTest.mouseClick(view.canvas, LEFT, NONE, at)


def test_a_click_on_an_op_selects_it_and_what_it_writes(opened: tuple[GraphView, Selection]) -> None:
    view, selection = opened
    click(view, middle_of(view, scene_of(view).box_of_op("exp")))
    assert (selection.op, selection.buffer) == ("exp", "exp")
    assert view.canvas.marked_box == scene_of(view).box_of_op("exp")
    assert view.canvas.marked_links == frozenset(scene_of(view).links_of_buffer("exp"))
    assert view.crumbs.titles == ("attention", "softmax")


def test_a_click_on_an_edge_selects_its_buffer(opened: tuple[GraphView, Selection]) -> None:
    view, selection = opened
    link = scene_of(view).links_of_buffer("scores")[0]
    points = scene_of(view).layout.points[scene_of(view).layout.starts[link]]
    at = view.canvas.viewport.to_px(points + np.array([0, 6]))
    click(view, QPoint(round(at[0]), round(at[1])))
    assert selection.buffer == "scores"
    assert selection.op is None


def test_a_click_on_an_input_selects_its_buffer_and_on_nothing_clears(opened: tuple[GraphView, Selection]) -> None:
    view, selection = opened
    box = scene_of(view).titles.index("q")
    click(view, middle_of(view, box))
    assert (selection.op, selection.buffer) == (None, "q")
    click(view, QPoint(3, view.height() // 2))
    assert selection.buffer is None


def test_selecting_elsewhere_marks_the_box_and_brings_it_into_view(opened: tuple[GraphView, Selection]) -> None:
    view, selection = opened
    view.canvas.zoom_reset()
    view.canvas.pan_by(0, 4000)
    selection.select_op("context")
    box = scene_of(view).box_of_op("context")
    assert view.canvas.marked_box == box
    assert view.canvas.rect().contains(middle_of(view, box))


def test_double_clicks_close_and_open_a_module_which_stays_in_place(opened: tuple[GraphView, Selection]) -> None:
    view, _ = opened
    view.canvas.pan_by(30, 10)
    at = header_of(view, "softmax")
    before = view.canvas.viewport.to_px(scene_of(view).layout.frames[0, :2])
    middle = before[0] + (scene_of(view).layout.frames[0, 2] - scene_of(view).layout.frames[0, 0]) / 2
    QTest.mouseDClick(view.canvas, LEFT, NONE, at)
    assert "softmax" not in view.fold.opened
    box = next(box for box in range(len(scene_of(view).titles)) if scene_of(view).group_of_box(box) == "softmax")
    corners = view.canvas.viewport.to_px(scene_of(view).layout.boxes[box].reshape(2, 2))
    assert corners[0, 1] == pytest.approx(before[1])
    assert corners[:, 0].mean() == pytest.approx(middle)
    assert scene_of(view).box_of_op("exp") == box, "the module stands for the ops in it"
    QTest.mouseDClick(view.canvas, LEFT, NONE, middle_of(view, box))
    assert "softmax" in view.fold.opened


def test_the_keyboard_walks_along_the_data_and_opens_modules(opened: tuple[GraphView, Selection]) -> None:
    view, selection = opened
    selection.select_op("scores")
    QTest.keyClick(view.canvas, Qt.Key.Key_Down)
    after = selection.op
    assert after in {"max", "sub"}
    QTest.keyClick(view.canvas, Qt.Key.Key_Up)
    assert selection.op == "scores"
    view.close_around()
    assert "softmax" in view.fold.opened, "scores lies in no module"
    selection.select_op("exp")
    view.close_around()
    assert view.fold.opened == frozenset()
    assert view.canvas.current_item() == Hit("box", scene_of(view).box_of_op("exp"))
    QTest.keyClick(view.canvas, Qt.Key.Key_Return)
    assert view.fold.opened == {"softmax"}


def test_left_and_right_go_to_the_neighbour(opened: tuple[GraphView, Selection]) -> None:
    view, selection = opened
    view.canvas.walked.emit(scene_of(view).titles.index("k"))
    boxes = scene_of(view).layout.boxes
    view.canvas.mark(scene_of(view).titles.index("k"), frozenset())
    before = boxes[view.canvas.marked_box, 0]
    with_neighbour = Qt.Key.Key_Right if boxes[scene_of(view).titles.index("q"), 0] > before else Qt.Key.Key_Left
    QTest.keyClick(view.canvas, with_neighbour)
    assert selection.buffer not in {None, "k"}


def test_find_counts_lists_and_shows(opened: tuple[GraphView, Selection]) -> None:
    view, selection = opened
    view.fold.close_all()
    view.open_find()
    assert view.finder.isVisible()
    QTest.keyClicks(view.finder.line, "exp")
    assert view.finder.count_text == "2 matches"
    QTest.keyClick(view.finder.line, Qt.Key.Key_Return)
    assert selection.op == "exp"
    assert "softmax" in view.fold.opened, "the module around the find is opened"
    assert view.finder.count_text == "1 of 2"
    QTest.keyClick(view.finder.line, Qt.Key.Key_Down)
    assert selection.buffer == "exp"
    view.finder.next()
    assert view.finder.count_text == "1 of 2", "round and round"
    QTest.keyClicks(view.finder.line, " zzz")
    assert view.finder.count_text == "0 matches"
    QTest.keyClick(view.finder.line, Qt.Key.Key_Escape)
    assert not view.finder.isVisible()


def test_the_table_is_the_twin_of_the_picture(opened: tuple[GraphView, Selection]) -> None:
    view, selection = opened
    selection.select_op("sum")
    view.set_table(shown=True)
    assert view.table_shown
    assert view.table.table.keys() == ("sum",)
    names = {row.key for row in view.table.table.shown()}
    assert names == {node.name for node in scene_of(view).model.nodes if node.name}
    view.table.table.select([])
    view.table.table.selectRow(0)
    assert selection.op == view.table.table.keys()[0]
    assert not view.minimap.isVisible()
    view.overlay.table_button.click()
    assert not view.table_shown


def test_colouring_changes_picture_and_legend(opened: tuple[GraphView, Selection], dark: Theme) -> None:
    view, _ = opened
    view.canvas.zoom_reset()
    seen = {}
    for key, expected in (("fate", "stays in LX"), ("kind", "matmul"), ("residency", "result in LX")):
        view.overlay.colour.chosen.emit(key)
        view.overlay.colour.choose(key)
        assert expected in view.overlay.legend.accessibleName()
        seen[key] = view.canvas.grab().toImage()
    view.set_colouring("time")
    assert not view.overlay.legend.isVisible()
    assert view.overlay.ramp.isVisible()
    seen["time"] = view.canvas.grab().toImage()
    assert len({bytes(image.constBits()) for image in seen.values()}) == 4


def test_edges_in_lx_and_kinds_of_ops_have_their_colours(opened: tuple[GraphView, Selection], dark: Theme) -> None:
    view, _ = opened
    view.canvas.zoom_reset()
    scene = scene_of(view)
    box = scene.box_of_op("max")
    view.canvas.mark(box, frozenset())
    view.canvas.focus_selection(fit=False)
    image = view.canvas.grab().toImage()
    x0, y0, _, y1 = view.canvas.viewport.to_px(scene.layout.boxes[box].reshape(2, 2)).ravel().tolist()
    assert NODE_KINDS[scene.kinds[box]] == "reduction"
    assert image.pixelColor(round(x0) + 2, round((y0 + y1) / 2)).name() == dark.reduction
    link = next(link for link in scene.links_of_buffer("sub") if scene.link_fates[link] == LX)
    start = view.canvas.viewport.to_px(scene.layout.points[scene.layout.starts[link]])
    assert image.pixelColor(round(start[0]), round(start[1]) + 6).name() == dark.lx


def test_hints_say_what_is_there(opened: tuple[GraphView, Selection]) -> None:
    view, _ = opened
    scene = scene_of(view)
    op = view.canvas.tooltip_for(Hit("box", scene.box_of_op("scores")))
    assert op.startswith("<b>scores</b>")
    assert "matmul" in op
    assert "µs" in op
    buffer = view.canvas.tooltip_for(Hit("link", scene.links_of_buffer("sub")[0]))
    assert "LX 0x" in buffer
    given = view.canvas.tooltip_for(Hit("box", scene.titles.index("q")))
    assert "Device memory: graph input" in given
    frame = view.canvas.tooltip_for(Hit("frame", 0))
    assert "5 ops" in frame
    view.fold.close_all()
    scene = scene_of(view)
    group = next(box for box in range(len(scene.titles)) if scene.group_of_box(box) == "softmax")
    assert "Double-click opens it" in view.canvas.tooltip_for(Hit("box", group))


def entries_of(view: GraphView, stage: Stage, item: Hit | None) -> dict[str, QAction]:
    """The menu on a place."""
    menu = graph_menu(scene_of(view), item, stage, view.fold, view)
    return {entry.text(): entry for entry in menu.actions() if not entry.isSeparator()}


def test_the_menu_of_an_op_pins_where_its_result_lies(opened: tuple[GraphView, Selection], stage: Stage) -> None:
    view, _ = opened
    place = Hit("box", scene_of(view).box_of_op("exp"))
    entries = entries_of(view, stage, place)
    assert list(entries) == [
        "Copy the name of the op",
        "Same division as…",
        "Sweep its splits",
        "Keep in LX: exp",
        "Keep in device memory: exp",
        "Relayout: exp",
    ]
    entries["Keep in device memory: exp"].trigger()
    assert stage.pins.placement == {"exp": "hbm"}
    entries = entries_of(view, stage, place)
    assert entries["Keep in device memory: exp"].isChecked()
    entries["Unpin"].trigger()
    assert not stage.pins


def test_the_menu_of_a_module_folds_it_and_the_ground_folds_all(
    opened: tuple[GraphView, Selection], stage: Stage
) -> None:
    view, _ = opened
    entries_of(view, stage, Hit("frame", 0))["Close module"].trigger()
    assert view.fold.opened == frozenset()
    scene = scene_of(view)
    group = next(box for box in range(len(scene.titles)) if scene.group_of_box(box) == "softmax")
    entries_of(view, stage, Hit("box", group))["Open module"].trigger()
    assert view.fold.opened == {"softmax"}
    ground = entries_of(view, stage, None)
    ground["Close all modules"].trigger()
    assert view.fold.opened == frozenset()
    ground["Open all modules"].trigger()
    assert "softmax" in view.fold.opened


def test_the_menu_comes_by_mouse_and_by_key(qtbot: QtBot, opened: tuple[GraphView, Selection]) -> None:
    view, selection = opened
    selection.select_op("exp")
    view.canvas.menu_requested.emit(view.canvas.current_item(), view.mapToGlobal(QPoint(10, 10)))
    menu = view.findChild(QMenu)
    assert menu is not None
    assert any("exp" in entry.text() for menu in view.findChildren(QMenu) for entry in menu.actions())
    for each in view.findChildren(QMenu):
        each.close()


def test_another_plan_keeps_folds_and_place(opened: tuple[GraphView, Selection], stage: Stage) -> None:
    view, _ = opened
    view.fold.close_all()
    view.canvas.pan_by(17, 23)
    before = view.canvas.viewport
    old = stage.compilation
    assert old is not None
    stage.put(replace(old, plan=replace(old.plan, pipeline="another")))
    view.show_compilation(stage.compilation)
    assert view.fold.opened == frozenset()
    assert view.canvas.viewport == before


def test_changed_pins_are_marked_and_the_picture_is_called_stale(
    opened: tuple[GraphView, Selection], stage: Stage
) -> None:
    view, _ = opened
    stage.pin_division("sum", {"i": 2})
    assert view.canvas.state == stale("pins changed since this plan")
    pinned = view.canvas._pinned
    assert pinned == {scene_of(view).model.of_op["sum"]}
    stage.undo_stack.undo()
    assert not view.canvas.state.badges
    assert view.canvas._pinned == frozenset()


def test_the_overview_shows_when_something_is_out_of_sight_and_moves_the_view(
    opened: tuple[GraphView, Selection],
) -> None:
    view, _ = opened
    view.canvas.fit_all()
    assert not view.minimap.isVisible()
    view.canvas.zoom_reset()
    view.canvas.zoom_by(2, QPointF(0, 0))
    assert view.minimap.isVisible()
    before = view.canvas.viewport
    QTest.mouseClick(view.minimap, LEFT, NONE, QPoint(view.minimap.width() // 2, view.minimap.height() - 10))
    assert view.canvas.viewport.y > before.y
    assert view.minimap.seen_rect().bottom() > view.minimap.height() / 2
    view.overlay.toggle_minimap()
    assert not view.minimap.isVisible()


def test_crumbs_bring_modules_into_view(opened: tuple[GraphView, Selection]) -> None:
    view, selection = opened
    selection.select_op("exp")
    view.canvas.pan_by(0, 3000)
    view.crumbs.chosen.emit(1)
    frame = scene_of(view).layout.frames[0]
    seen = view.canvas.viewport.visible()
    assert seen.y0 <= frame[1] < frame[3] <= seen.y1
    view.crumbs.chosen.emit(0)
    assert view.canvas.viewport.visible().height >= view.canvas.bounds.height


def test_nothing_open_says_so(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view = GraphView(stage, Selection())
    show(qtbot, view)
    assert view.canvas.state.kind == "empty"
    assert "Open a model" in view.canvas.state.sentence
    view.show_selection()
    view.reveal_selection()
    view.close_around()


def test_a_large_graph_is_laid_out_beside_the_window(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    program = chain(64, primitives=("neg",) * (AT_ONCE + 1))
    stage.put(compiled(program=program, cores=1))
    view = GraphView(stage, Selection())
    show(qtbot, view)
    qtbot.waitUntil(lambda: view.canvas.scene is not None, timeout=20_000)
    assert len(scene_of(view).titles) == AT_ONCE + 3
    view.canvas.fit_all()
    view.canvas.grab()  # far out: plain rectangles, straight lines
    view.fold.finish()
