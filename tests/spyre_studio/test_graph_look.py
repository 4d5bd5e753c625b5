"""Folded blocks, colours by a measure, what stands out around an op: the graph view as a person uses it."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from compiler.compilation import Compilation
from simulator.report import Agreement, Comparison, StepReport, Tolerance, VerifyReport
from spyre_studio import find_query
from spyre_studio.selection import Selection
from spyre_studio.theme import Theme
from spyre_studio.typed_pattern import SLOW
from spyre_studio.views.graph import GraphView
from spyre_studio.views.graph_canvas import Hit
from spyre_studio.views.graph_groups import everything
from spyre_studio.views.graph_measures import MEASURES, MeasureRow
from spyre_studio.views.graph_menu import graph_menu
from spyre_studio.views.graph_palette import COLOURINGS
from spyre_studio.views.module_rows import rows_of
from spyre_studio.views.module_tree import ModuleTree
from tests.spyre_studio.odd_stack import LAYERS, ODD, members, odd_plan, run_box, scene, shown
from tests.spyre_studio.stage import Stage


@pytest.fixture(scope="module")
def plan() -> Compilation:
    return odd_plan()


@pytest.fixture
def view(qtbot: QtBot, stage: Stage, plan: Compilation, dark: Theme) -> GraphView:
    return shown(qtbot, stage, plan)


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
    paths = [scene(view).group_of_box(box) for box in range(len(scene(view).titles))]
    assert [path for path in paths if path] == list(members(view))
    first = paths.index(members(view)[0])
    fold = entries(view, stage, Hit("box", first))[f"Fold {view.fold.runs[0].title} into one"]
    fold.trigger()  # type: ignore[attr-defined]
    assert scene(view).blocks_of_box(run_box(view)) == members(view)


def test_one_of_them_is_shown_between_the_others_and_goes_back(view: GraphView, stage: Stage) -> None:
    found = entries(view, stage, Hit("box", run_box(view)))
    assert f"Show all {LAYERS} modules" in found
    menus = {menu.title(): menu for menu in view.findChildren(QMenu)}
    different = menus["Show one that is planned differently"].actions()
    assert [action.text() for action in different] == [f"layers.{ODD}", f"layers.{LAYERS - 1}"]
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
    rows = [item for item in rows_of(plan).every if item.group]
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


def test_the_overview_wears_the_colours_too(view: GraphView, dark: Theme) -> None:
    view.fold.open_all()
    view.canvas.zoom_reset()
    looks = set()
    for key in ("fate", "time"):
        view.set_colouring(key)
        looks.add(bytes(view.minimap.grab().toImage().constBits()))
    assert len(looks) == 2


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


def test_numbers_keep_the_module_that_gives_them_their_name(view: GraphView) -> None:
    assert members(view) == tuple(f"layers.{layer}" for layer in range(LAYERS))
    assert scene(view).titles[run_box(view)] == f"layers 0–{LAYERS - 1} × {LAYERS}"
    view._selection.select_op(next(node.name for node in scene(view).model.nodes if node.group.startswith("layers.1")))
    assert view.crumbs.titles[1:3] == ("layers", "layers.1")


def test_a_pattern_that_would_take_for_ever_is_told(view: GraphView, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find_query, "_PATTERN_S", 0.0)
    view.open_find()
    view.finder.line.setText("/(a|aa)+[bc]/")
    assert view.finder.help_text == SLOW
    view.finder.line.setText("kind:module")
    assert view.finder.help_text != SLOW
