"""Colours by a measure, what stands out around an op, folded blocks, pictures: the graph view as a person uses it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from frozendict import frozendict
from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from compiler.compilation import Compilation
from compiler.division import Division
from simulator.report import Agreement, Comparison, StepReport, Tolerance, VerifyReport
from spyre_studio.picture import to_image, to_svg
from spyre_studio.selection import Selection
from spyre_studio.theme import Theme
from spyre_studio.views.graph import GraphView
from spyre_studio.views.graph_canvas import GraphCanvas, Hit
from spyre_studio.views.graph_groups import everything
from spyre_studio.views.graph_measures import MEASURES, MeasureRow
from spyre_studio.views.graph_menu import graph_menu
from spyre_studio.views.graph_paint import MOST_LINES, GraphPainter
from spyre_studio.views.graph_palette import COLOURINGS
from spyre_studio.views.graph_scene import Scene, scene_of
from spyre_studio.views.module_rows import rows_of, walk
from spyre_studio.views.module_tree import ModuleTree
from spyre_studio.views.paint import LineBatch
from tests.spyre_studio.hand import show
from tests.spyre_studio.large import stack
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import Stage, quiet_settings

LAYERS = 4
ODD = 2  # the layer that is divided in another way


@pytest.fixture(scope="module")
def plan() -> Compilation:
    """A stack with one layer that is divided differently."""
    made = compiled(program=stack(LAYERS))
    inside = (op.name for op in made.problem.program.ops if op.origin.module == f"layers.{ODD}.mlp")
    wide = next(op for op in inside if made.plan.divisions[op].cores > 1)
    divisions = made.plan.divisions | {wide: Division()}
    return replace(made, plan=replace(made.plan, divisions=frozendict(divisions)))


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(quiet_settings(str(tmp_path)))


@pytest.fixture
def view(qtbot: QtBot, stage: Stage, plan: Compilation, dark: Theme) -> GraphView:
    stage.put(plan)
    selection = Selection()
    selection.retarget(plan)
    made = GraphView(stage, selection)
    selection.changed.connect(made.show_selection)
    show(qtbot, made, 1000, 700)
    return made


def scene(view: GraphView) -> Scene:
    assert view.canvas.scene is not None
    return view.canvas.scene


def run_box(view: GraphView) -> int:
    return next(box for box in range(len(scene(view).titles)) if scene(view).blocks_of_box(box))


def members(view: GraphView) -> tuple[str, ...]:
    return view.fold.runs[0].members


def entries(view: GraphView, stage: Stage, item: Hit) -> dict[str, object]:
    menu = graph_menu(scene(view), item, stage, view.fold, view)
    return {action.text(): action for action in menu.actions() if not action.isSeparator()}


# Equal blocks


def test_equal_layers_are_one_box_with_what_they_cost(view: GraphView, plan: Compilation) -> None:
    box = run_box(view)
    assert scene(view).titles[box].endswith(f"0–{LAYERS - 1} × {LAYERS}")
    assert scene(view).badges[box] == "≠ 2", "the odd one, and the last one, whose result is that of the model"
    assert scene(view).us[box] == pytest.approx(sum(cost.total_us for cost in plan.cost.steps))
    hint = view.canvas.tooltip_for(Hit("box", box))
    assert f"{LAYERS} equal modules" in hint
    assert f"1 of {LAYERS} divided differently: {ODD}" in hint
    assert "each" in hint


def test_a_double_click_shows_all_of_them_and_the_menu_folds_them(view: GraphView, stage: Stage) -> None:
    view.canvas.activated.emit(Hit("box", run_box(view)))
    shown = [scene(view).group_of_box(box) for box in range(len(scene(view).titles))]
    assert [path for path in shown if path] == list(members(view))
    first = shown.index(members(view)[0])
    fold = entries(view, stage, Hit("box", first))[f"Fold {view.fold.runs[0].title} into one"]
    fold.trigger()  # type: ignore[attr-defined]
    assert scene(view).blocks_of_box(run_box(view)) == members(view)


def test_one_of_them_is_shown_between_the_others_and_goes_back(view: GraphView, stage: Stage) -> None:
    found = entries(view, stage, Hit("box", run_box(view)))
    assert f"Show all {LAYERS} modules" in found
    menus = {menu.title(): menu for menu in view.findChildren(QMenu)}
    different = menus["Show one that is planned differently"].actions()
    assert [action.text() for action in different] == [str(ODD), str(LAYERS - 1)]
    assert len(menus["Show one of them"].actions()) == LAYERS
    different[0].trigger()
    assert members(view)[ODD] in view.fold.opened
    folded = [scene(view).blocks_of_box(box) for box in range(len(scene(view).titles))]
    assert [blocks for blocks in folded if blocks] == [members(view)[:ODD]]
    assert scene(view).badges[run_box(view)] == "", "the odd one is no longer in it"
    view.fold.toggle(members(view)[ODD])
    assert scene(view).blocks_of_box(run_box(view)) == members(view)


def test_the_box_stays_where_it_was_when_it_is_unfolded(view: GraphView) -> None:
    view.canvas.zoom_reset()
    box = run_box(view)
    before = view.canvas.viewport.to_px(scene(view).layout.boxes[box].reshape(2, 2))
    view.fold.show_block(members(view)[0], scene(view).group_of_box(box) or "")
    layout = scene(view).layout
    row = layout.frame_group.tolist().index(layout.group_paths.index(members(view)[0]))
    after = view.canvas.viewport.to_px(layout.frames[row].reshape(2, 2))
    assert after[0, 1] == pytest.approx(before[0, 1])
    assert after[:, 0].mean() == pytest.approx(before[:, 0].mean())


def test_finding_an_op_opens_its_layer_alone(view: GraphView) -> None:
    op = next(node.name for node in scene(view).model.nodes if node.group.startswith(members(view)[1]))
    view.finder.line.setText(op)
    view.open_find()
    view.finder.next()
    assert members(view)[1] in view.fold.opened
    assert members(view)[0] not in view.fold.opened
    assert view.canvas.marked_box == scene(view).box_of_op(op)


def test_f3_without_a_question_asks_for_one(view: GraphView) -> None:
    view.finder.next()
    assert view.finder.isVisible()
    view.finder.line.setText("kind:module")
    assert "matches" in view.finder.count_text
    view.finder.next()
    assert view.finder.count_text.startswith("1 of ")


def test_the_find_panel_teaches_and_tells_mistakes(view: GraphView) -> None:
    view.open_find()
    assert "kind:matmul" in view.finder.help_text
    view.finder.line.setText("/(/")
    assert "is not a pattern yet" in view.finder.help_text
    assert view.finder.count_text == "0 matches"
    view.finder.line.setText("colour:red")
    assert "No filter is called colour" in view.finder.help_text
    view.finder.line.setText("")
    assert "kind:matmul" in view.finder.help_text


def test_the_panel_lies_below_the_controls(view: GraphView) -> None:
    view.open_find()
    assert view.finder.geometry().top() >= view.overlay.controls.geometry().bottom()


def test_the_tree_has_a_row_for_equal_modules_and_marks_the_odd_one(
    qtbot: QtBot, stage: Stage, view: GraphView, plan: Compilation
) -> None:
    rows = [item for item in walk(rows_of(plan)) if item.group]
    (holder,) = [item for item in rows if "×" in item.title]
    assert holder.title.endswith(f"× {LAYERS} ≠ 2")
    assert f"1 of {LAYERS} divided differently" in holder.hint
    assert [item.group for item in holder.children] == list(members(view))
    assert ["≠" in item.title for item in holder.children] == [layer >= ODD for layer in range(LAYERS)]
    assert "divided differently" in holder.children[ODD].hint
    assert holder.us == pytest.approx(sum(child.us for child in holder.children))
    tree = ModuleTree(stage, Selection())
    qtbot.addWidget(tree)
    tree.group_chosen.connect(view.show_group)
    tree.group_chosen.emit(holder.group)
    assert scene(view).blocks_of_box(run_box(view)) == members(view), "it stays folded"
    tree.group_chosen.emit(holder.children[1].group)
    assert members(view)[1] in view.fold.opened


# Levels


def test_levels_by_key(view: GraphView) -> None:
    view.fold.close_all()
    counts = [len(scene(view).titles)]
    while True:
        view.fold.deeper()
        if len(scene(view).titles) == counts[-1]:
            break
        counts.append(len(scene(view).titles))
    assert view.fold.opened == everything(scene(view).model.graph)
    assert len(counts) > 2
    view.fold.shallower()
    assert len(scene(view).titles) < counts[-1]


# Colours


def compared() -> Comparison:
    return Comparison(Agreement.ROUNDING, 4, 0, 0, 0.0, 0.0, 0.0, 1.0, False, Tolerance(0.0, 1.0, 2.0))


def report(plan: Compilation) -> VerifyReport:
    steps = tuple(StepReport(op.name, op.write.buffer, "", compared()) for op in plan.problem.program.ops)
    return VerifyReport("stack", "spyre", 32, True, (), steps, "", 0.1)


def said(view: GraphView) -> str:
    """The number on the box of the equal layers."""
    return view.canvas.shade.text(run_box(view)) if view.canvas.shade is not None else ""


@pytest.mark.parametrize("row", MEASURES, ids=lambda row: row.key)
def test_each_measure_has_a_legend_and_a_number_on_every_box_of_ops(
    view: GraphView, stage: Stage, plan: Compilation, row: MeasureRow
) -> None:
    stage.put_report(report(plan))
    view.set_colouring(row.key)
    assert view.overlay.ramp.isVisible()
    assert not view.overlay.legend.isVisible()
    assert row.caption in view.overlay.ramp.accessibleName()
    pen = view.canvas._pen()
    numbers = {pen.number(box) for box in range(len(scene(view).titles)) if scene(view).group_of_box(box)}
    assert numbers
    assert all(numbers), "a number stands on the box: colour is never alone"


def test_errors_ask_for_verify_first_and_come_with_the_report(view: GraphView, stage: Stage, plan: Compilation) -> None:
    view.set_colouring("error")
    assert "Verify the numbers first" in view.overlay.ramp.accessibleName()
    assert not said(view)
    stage.put_report(report(plan))
    assert said(view) == "≈ 50 %"


def test_every_colouring_looks_different(view: GraphView, stage: Stage, plan: Compilation) -> None:
    stage.put_report(report(plan))
    seen = set()
    for key, _ in COLOURINGS:
        view.set_colouring(key)
        seen.add(bytes(view.grab().toImage().constBits()))
    assert len(seen) == len(COLOURINGS)


# What stands out


def test_neighbours_are_marked_and_the_rest_steps_back_on_demand(view: GraphView) -> None:
    view.fold.toggle(scene(view).group_of_box(run_box(view)) or "")
    middle = next(node.name for node in scene(view).model.nodes if node.group.startswith(members(view)[1]))
    view._selection.select_op(middle)
    near = view.canvas._near
    assert near is not None
    assert near.boxes.sum() == 3, "the layers before and after"
    before = bytes(view.canvas.grab().toImage().constBits())
    view.look.trace("up")
    trace = view.canvas.trace
    assert trace is not None
    assert trace.boxes.sum() == 2, "the layer before and itself; the input is drawn as a stub"
    assert bytes(view.canvas.grab().toImage().constBits()) != before
    view._selection.select_op(next(node.name for node in scene(view).model.nodes if node.group))
    assert view.canvas.trace is not trace, "it follows the selection"
    view.look.trace("up")
    assert not standing_out(view), "again: as before"


def standing_out(view: GraphView) -> bool:
    return view.canvas.trace is not None


def test_nothing_stands_out_without_a_selected_op(view: GraphView) -> None:
    view._selection.clear()
    view.look.trace("down")
    assert not standing_out(view)
    view._selection.select_op(next(node.name for node in scene(view).model.nodes if node.name))
    view.look.trace("down")
    assert standing_out(view)
    view.canvas.setFocus()
    QTest.keyClick(view.canvas, Qt.Key.Key_Escape)
    assert not standing_out(view)


def test_folding_keeps_the_trace(view: GraphView) -> None:
    view._selection.select_op(next(node.name for node in scene(view).model.nodes if node.name))
    view.look.trace("down")
    view.fold.open_all()
    trace = view.canvas.trace
    assert trace is not None
    assert len(trace.boxes) == len(scene(view).titles)


# Pictures


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
    shown = view.canvas.grab().toImage()
    box = run_box(view)
    _, y0, x1, y1 = view.canvas.viewport.to_px(scene(view).layout.boxes[box].reshape(2, 2)).ravel().tolist()
    scale = given.width() / picture.width
    at = (x1 - 20, (y0 + y1) / 2 - 2)
    mine = given.pixelColor(round(at[0] * scale), round(at[1] * scale))
    assert mine.name() == shown.pixelColor(round(at[0]), round(at[1])).name()


def test_no_graph_no_picture(qtbot: QtBot, tmp_path: Path, dark: Theme) -> None:
    empty = GraphView(Stage(quiet_settings(str(tmp_path))), Selection())
    qtbot.addWidget(empty)
    assert empty.picture(in_view=False) is None


# Many


def test_a_frame_of_a_large_graph_draws_a_bounded_number_of_shapes(
    qtbot: QtBot, dark: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    from spyre_studio.views.graph_layout import layout_graph
    from tests.benchmarks.graph import drawn

    model = drawn(20_000)
    made = scene_of(model, layout_graph(model.graph, everything(model.graph)))
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(1280, 800)
    canvas.show_scene(made, start=True)
    lines, boxes = [0], [0]
    _count(monkeypatch, LineBatch, "draw", lambda _self, _painter, rows: lines.append(len(rows)))
    _count(monkeypatch, GraphPainter, "_boxes", lambda _self, _painter, rows, *_: boxes.append(len(rows)))
    for zoom in (0.002, 0.01, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6):
        lines[:], boxes[:] = [0], [0]
        canvas.set_viewport(replace(canvas.viewport, zoom=zoom).centred(*canvas.bounds.centre))
        canvas.grab()
        assert sum(lines) <= MOST_LINES
        assert sum(boxes) <= 2000
    canvas.fit_all()
    lines[:] = [0]
    canvas.grab()
    assert 0 < sum(lines) <= MOST_LINES


def _count(monkeypatch: pytest.MonkeyPatch, owner: type, name: str, note: Callable[..., None]) -> None:
    real = getattr(owner, name)

    def counting(self: object, *arguments: object) -> object:
        note(self, *arguments)
        return real(self, *arguments)

    monkeypatch.setattr(owner, name, counting)


def test_words_of_a_large_graph_are_put_beside_the_window(
    qtbot: QtBot, stage: Stage, dark: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    from spyre_studio.views import graph

    threads = []

    def noting(*arguments: object) -> Scene:
        threads.append(threading.current_thread() is threading.main_thread())
        return scene_of(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(graph, "scene_of", noting)
    stage.put(compiled(program=stack(18)))
    view = GraphView(stage, Selection())
    show(qtbot, view)
    qtbot.waitUntil(lambda: view.canvas.scene is not None, timeout=20_000)
    assert threads == [False]
    view.fold.finish()


def test_what_boxes_are_shaded_by_is_prepared_where_a_plan_is_read() -> None:
    from spyre_studio.prepared import NEEDED
    from spyre_studio.views.graph_measures import measures_of
    from spyre_studio.views.graph_model import planned

    assert {planned, measures_of} <= set(NEEDED)


def test_far_out_every_box_keeps_the_colour_of_its_number(view: GraphView, dark: Theme) -> None:
    view.set_colouring("time")
    view.fold.open_all()
    shade = view.canvas.shade
    assert shade is not None
    canvas = view.canvas
    canvas.set_viewport(replace(canvas.viewport, zoom=0.2).centred(*canvas.bounds.centre))
    image = canvas.grab().toImage()
    boxes = canvas.viewport.to_px(scene(view).layout.boxes.reshape(-1, 2)).reshape(-1, 4)
    inside = [box for box in np.flatnonzero(np.isfinite(shade.values)).tolist() if 0 < boxes[box, 1] < 500]
    assert inside
    for box in inside[:20]:
        x, y = (boxes[box, 0] + boxes[box, 2]) / 2, (boxes[box, 1] + boxes[box, 3]) / 2
        assert image.pixelColor(round(x), round(y)).name() == dark.fill[shade.codes()[box]]


def test_paint_is_given_back_after_a_picture(view: GraphView) -> None:
    """A picture draws every edge as a curve; the screen goes on with its own limit."""
    before = view.canvas._pen().curves
    picture = view.picture(in_view=False)
    assert picture is not None

    def fail(_painter: QPainter, _scale: float) -> None:
        raise RuntimeError

    to_image(picture)
    assert view.canvas._pen().curves == before
