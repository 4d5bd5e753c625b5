"""The division panel driven as a user would: grid and operands together, candidates, handovers, room."""

import pytest
from frozendict import frozendict
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollArea, QToolTip
from pytestqt.qtbot import QtBot

from compiler.candidates import candidates
from compiler.handover import Handover, WayKind
from compiler.loops import LoopProgram
from compiler.pins import Pins
from spyre_studio.failure import Failure
from spyre_studio.selection import Selection
from spyre_studio.theme import Theme
from spyre_studio.views.division import DivisionPanel
from spyre_studio.views.inspector import InspectorView
from tests.programs import chain, product
from tests.sketch import Sketch
from tests.spyre_studio.plans import compiled, divided
from tests.spyre_studio.stage import Stage, all_texts, colours_in, staged

LEFT = Qt.MouseButton.LeftButton


def summed() -> LoopProgram:
    """-(x @ y), in which the contraction can be split."""
    sketch = Sketch("summed")
    sketch.output(sketch.apply("neg", sketch.matmul(sketch.input("x", 64, 256), sketch.input("y", 256, 128), "dot")))
    return sketch.program()


def pinned(**pins: dict[str, int]) -> Pins:
    return Pins(division=frozendict((op, frozendict(factors)) for op, factors in pins.items()))


def opened(
    qtbot: QtBot, stage: Stage, program: LoopProgram, op: str, pins: Pins | None = None, width: int = 360
) -> tuple[DivisionPanel, Selection]:
    """The panel of an op in an inspector of this width."""
    stage.put(compiled(program=program, pins=pins))
    view, selection = staged(qtbot, stage, InspectorView, width, 900)
    selection.select_op(op)
    QApplication.processEvents()
    return view.division, selection


def centre(panel: DivisionPanel, core: int) -> QPoint:
    grid = panel.space.grid
    return grid.cell_rect(grid.grid.cells[core]).center().toPoint()


def shown(panel: DivisionPanel) -> str:
    """The buffer of the handover on screen, '' for none."""
    pair = panel.handovers.pair
    return pair.buffer if pair is not None else ""


# The iteration space


def test_hovering_a_core_shows_what_it_owns_in_every_operand(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    panel, selection = opened(qtbot, stage, summed(), "dot", pinned(dot={"i": 4, "j": 2}))
    selection.select_core(0)
    QTest.mouseMove(panel.space.grid, centre(panel, 6))
    assert panel.space.owns.text() == "core 6 owns i 32–47, j 64–127"
    assert dark.matmul in colours_in(panel.space.maps)
    QTest.mouseMove(panel.space.grid, QPoint(0, 0))
    assert panel.space.owns.text().startswith("core 0 owns")


def test_hovering_a_slice_shows_its_cores(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    panel, selection = opened(qtbot, stage, summed(), "dot", pinned(dot={"i": 4, "j": 2}))
    maps = panel.space.maps
    assert [picture.title for picture in maps.pictures] == ["x", "y", "→ dot"]
    rect = maps.picture_rect(0)
    second = QPointF(rect.center().x(), rect.top() + rect.height() * 0.4).toPoint()
    QTest.mouseMove(maps, second)
    assert panel.space.grid.lit == {1, 5}
    QTest.mouseClick(maps, LEFT, pos=second)
    assert selection.core == 1
    QTest.mouseClick(maps, LEFT, pos=second)
    assert selection.core == 5, "a second click goes to the next core of the slice"
    QTest.mouseMove(maps, QPoint(2, 2))
    assert panel.space.grid.lit == frozenset()


def test_slices_say_how_large_they_are_and_whose(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    panel, _ = opened(qtbot, stage, summed(), "dot", pinned(dot={"i": 4, "j": 2}))
    maps = panel.space.maps
    at = maps.picture_rect(0).center().toPoint()
    QApplication.sendEvent(maps, QHelpEvent(QHelpEvent.Type.ToolTip, at, maps.mapToGlobal(at)))
    assert "2 cores: 1, 5" in QToolTip.text()
    QToolTip.hideText()


def test_partial_sums_are_said_and_drawn(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    panel, selection = opened(qtbot, stage, summed(), "dot", pinned(dot={"k": 4, "i": 2}))
    selection.select_core(1)
    assert panel.space.owns.text().endswith("adds to the sum of core 0, core 2 goes on")
    assert panel.space.grid.grid.chains == ((0, 1, 2, 3), (4, 5, 6, 7))
    assert dark.move in colours_in(panel.space.grid)


def test_idle_cores_are_explained_and_a_link_uses_them(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    panel, selection = opened(qtbot, stage, chain(64, 128), "neg", pinned(neg={"i": 8}))
    assert len(panel.space.grid.grid.idle) == 24
    assert panel.space.lost.text().startswith("8 of 32 cores: ")
    assert "href" in panel.space.lost.text()
    idle = panel.space.grid.idle_rect(20).center().toPoint()
    QTest.mouseClick(panel.space.grid, LEFT, pos=idle)
    assert selection.core == 20
    assert panel.space.owns.text() == "core 20 is idle"
    panel.space.lost.linkActivated.emit("fuller")
    assert panel.is_draft
    assert not panel.space.grid.grid.idle
    assert not panel.space.lost.isVisible()


def test_where_nothing_is_left_to_give_that_is_said(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    panel, _ = opened(qtbot, stage, chain(2, 64), "neg")
    assert panel.space.lost.text() == "2 of 32 cores work: no loop has more parts to give."


def test_the_table_twin_lists_every_core(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    panel, selection = opened(qtbot, stage, summed(), "dot", pinned(dot={"k": 4, "i": 2}))
    panel.space.table_button.click()
    rows = {row.key: row.cells for row in panel.space.table.table.shown()}
    assert len(rows) == 32
    assert rows[3][1:3] == ("k 192–255, i 0–31", "from 2: sum")
    assert rows[9][1] == "idle"
    assert not panel.space.grid.isVisible()
    panel.space.table.table.selectRow(5)
    assert selection.core == 5
    panel.space.table_button.click()
    assert panel.space.grid.isVisible()


# Candidates


def test_the_list_is_sorted_and_filtered(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    panel, _ = opened(qtbot, stage, summed(), "dot")
    listed = panel.candidates
    times = [row.total_us for row in listed.rows if row.legal]
    assert times == sorted(times)
    listed.order.choose("cores")
    listed.order.chosen.emit("cores")
    cores = [row.cores for row in listed.rows if row.legal]
    assert cores == sorted(cores, reverse=True)
    assert [line.key for line in listed.list.lines] == [row.key for row in listed.rows]
    listed.legal_only.setChecked(True)
    assert all(row.legal or row.chosen for row in listed.rows)


def test_the_pinned_row_says_what_became_of_the_pin(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    panel, _ = opened(qtbot, stage, summed(), "dot", pinned(dot={"i": 4}))
    line = next(line for line in panel.candidates.list.lines if line.title == "i 4")
    assert line.note.startswith("pinned · this plan")
    assert line.tone == "accent"
    stage.pin_division("dot", {"i": 8})
    line = next(line for line in panel.candidates.list.lines if line.title == "i 8")
    QApplication.processEvents()
    panel.show_pins()
    line = next(line for line in panel.candidates.list.lines if line.title == "i 8")
    assert line.note.startswith("pin not solved yet · ")


def test_a_refused_pin_is_marked_in_the_table(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    panel, _ = opened(qtbot, stage, summed(), "dot", divided("dot", i=4), width=900)
    verdicts = [str(row.cells[-1]) for row in panel.candidates.table.shown()]
    assert sum(verdict.startswith("pinned · ") for verdict in verdicts) == 1


def test_a_wide_panel_has_a_table_that_pins(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    panel, _ = opened(qtbot, stage, summed(), "dot", width=900)
    table = panel.candidates.table
    assert panel.candidates.wide
    assert table.isVisible()
    assert len(table.shown()) == len(panel.candidates.rows)
    assert table.horizontalScrollBar().maximum() == 0
    wanted = next(row for row in panel.candidates.rows if row.legal and not row.chosen)
    place = next(place for place, row in enumerate(table.shown()) if row.key == wanted.key)
    table.selectRow(place)
    assert panel.is_draft
    QTest.keyClick(table, Qt.Key.Key_Return)
    assert "dot" in stage.pins.division


def test_candidates_stand_until_those_of_the_new_plan_come(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    program = summed()
    panel, _ = opened(qtbot, stage, program, "dot")
    before = panel.candidates.rows
    assert len(before) > 1
    panel.candidates.list.setFocus()
    stage.answers = False
    stage.put(compiled(program=program, pins=divided("dot", i=2)))
    QApplication.processEvents()
    assert len(panel.candidates.rows) == len(before)
    assert panel.candidates.list.isVisible(), "the keyboard stays where it is"
    assert "listing…" in all_texts(panel.candidates.heading)
    stage.waiting.pop()(candidates(stage.compilation.problem, stage.compilation.plan, "dot"))  # type: ignore[union-attr]
    assert "listing…" not in all_texts(panel.candidates.heading)
    stage.put(compiled(program=summed()))
    QApplication.processEvents()
    assert not panel.candidates.rows, "those of another model mean nothing here"


def test_a_narrow_panel_has_the_list(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    panel, _ = opened(qtbot, stage, summed(), "dot", width=360)
    assert not panel.candidates.wide
    assert panel.candidates.list.isVisible()


def test_what_is_under_the_pointer_stays_there(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    panel, _ = opened(qtbot, stage, chain(64, 128), "neg")
    area = panel.parentWidget()
    while not isinstance(area, QScrollArea):
        assert area is not None
        area = area.parentWidget()
    area.verticalScrollBar().setValue(150)
    top = panel.candidates.mapTo(area, QPoint()).y()
    idle = next(row for row in panel.candidates.rows if row.cores < 32 and row.legal)
    panel.candidates.list.select("")
    panel.candidates._went(idle.key)
    assert panel.space.lost.isVisible(), "the panel grew above the list"
    assert panel.candidates.mapTo(area, QPoint()).y() == top


# Handovers


def test_data_that_is_at_hand_is_said_to_be(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    panel, _ = opened(qtbot, stage, chain(64, 128), "relu", pinned(neg={"i": 8}, relu={"i": 8}))
    assert panel.handovers.good.isVisible()
    assert "finds on itself" in panel.handovers.good.text()
    assert "handover neg" not in stage.asked


def test_inputs_alone_hand_nothing_over(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    panel, _ = opened(qtbot, stage, product(64, 128, 256), "matmul")
    assert not panel.handovers.isVisible()


def test_a_mismatch_is_drawn_and_priced(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    panel, selection = opened(qtbot, stage, chain(64, 128), "relu", pinned(neg={"i": 8}, relu={"j": 2}))
    hand = panel.handovers
    assert stage.asked.count("handover neg") == 1
    assert [picture.title for picture in hand.maps.pictures] == ["written by neg", "read by relu"]
    assert hand.maps.pictures[1].short == {0, 1}
    assert "2 of 2 cores lack data" in hand.words.text()
    assert {line.key for line in hand.ways.lines} == set(map(str, WayKind))
    ring = next(line for line in hand.ways.lines if line.key == WayKind.RELAYOUT)
    assert ring.note == "the reader uses 2 cores, the writer 8: a relayout needs at least as many"
    assert ring.faded
    spill = next(line for line in hand.ways.lines if line.key == WayKind.SPILL)
    assert spill.note == "as in this plan"
    selection.select_core(1)
    assert stage.asked.count("handover neg") == 1, "another core is no reason to ask again"
    assert hand.core_words.text().startswith("core 1 holds [8:16], reads [:, 64:128]")
    assert next(picture.note for picture in panel.space.maps.pictures if picture.loud) == "≠ neg"


def test_a_way_becomes_a_pin(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    panel, _ = opened(qtbot, stage, chain(64, 128), "relu", pinned(neg={"i": 8}, relu={"i": 4}))
    hand = panel.handovers
    hand.ways.committed.emit(str(WayKind.READER_FOLLOWS))
    assert stage.pins.division["relu"] == {"i": 8}
    hand.ways.committed.emit(str(WayKind.WRITER_FOLLOWS))
    assert stage.pins.division["neg"] == {"i": 4}
    hand.ways.committed.emit(str(WayKind.SPILL))
    assert stage.pins.placement == {"neg": "hbm"}
    before = stage.pins
    hand.ways.committed.emit(str(WayKind.RELAYOUT))
    assert stage.pins == before, "what cannot be made is not pinned"


def test_the_ring_is_a_way_with_a_price_that_becomes_a_pin(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    panel, _ = opened(qtbot, stage, chain(512, 1024), "relu", pinned(neg={"i": 8}, relu={"j": 8}))
    hand = panel.handovers
    ring = next(line for line in hand.ways.lines if line.key == WayKind.RELAYOUT)
    assert not ring.faded
    assert ring.value.startswith("+")
    stage.pin_placement("neg", "hbm")
    hand.ways.committed.emit(str(WayKind.RELAYOUT))
    assert stage.pins.relayout == {"neg": "ring"}
    assert not stage.pins.placement, "from there nothing goes over the ring"
    stage.undo_stack.undo()
    assert stage.pins.placement == {"neg": "hbm"}


def test_a_pin_to_the_division_of_another_op_is_said_and_taken_back(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    panel, _ = opened(qtbot, stage, chain(64, 128), "relu", Pins())
    stage.pin_same("relu", "neg")
    panel.show_pins()
    assert panel.unpin.isVisible()
    assert panel._pin_note()[0] == "pin not solved yet"
    panel.unpin.click()
    assert stage.pins == Pins()


def test_a_draft_is_priced_as_such(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    panel, _ = opened(qtbot, stage, chain(64, 128), "relu", pinned(neg={"i": 8}, relu={"i": 8}))
    assert shown(panel) == ""
    boxes = panel.editor.boxes
    boxes["i"].setCurrentIndex(boxes["i"].findData(4))
    assert shown(panel) == "neg"
    assert stage.asked.count("handover neg") == 1
    panel.reset.click()
    assert shown(panel) == ""


def test_several_pairs_can_be_chosen_from(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    program = chain(64, 128, primitives=("neg", "relu", "exp"))
    panel, _ = opened(qtbot, stage, program, "relu", pinned(neg={"i": 8}, relu={"i": 4}, exp={"i": 2}))
    hand = panel.handovers
    assert hand.choose.isVisible()
    assert hand.choose.count() == 2
    assert shown(panel) == "neg"
    hand.choose.setCurrentIndex(1)
    assert shown(panel) == "relu"
    panel.space.opened.emit("neg")
    assert shown(panel) == "neg"


def test_prices_that_do_not_come_say_why(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    stage.handover_failure = Failure("the worker", "it ended", "try again")
    panel, _ = opened(qtbot, stage, chain(64, 128), "relu", pinned(neg={"i": 8}, relu={"i": 4}))
    assert "the worker: it ended; try again." in all_texts(panel.handovers)


def test_prices_of_another_pair_are_not_shown(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    stage.answers = False
    panel, _ = opened(qtbot, stage, chain(64, 128), "relu", pinned(neg={"i": 8}, relu={"i": 4}))
    assert "Pricing the ways out" in all_texts(panel.handovers)
    boxes = panel.editor.boxes
    boxes["i"].setCurrentIndex(boxes["i"].findData(2))
    stage.waiting_handovers[0](Handover("neg", "neg", "relu", ()))
    assert "Pricing the ways out" in all_texts(panel.handovers), "that was the price of another draft"
    stage.waiting_handovers[1](Handover("neg", "neg", "relu", ()))
    assert "Pricing the ways out" not in all_texts(panel.handovers)


# Room


@pytest.mark.parametrize("width", [320, 640, 1300])
def test_nothing_is_wider_than_the_panel(qtbot: QtBot, stage: Stage, dark: Theme, width: int) -> None:
    panel, _ = opened(qtbot, stage, summed(), "dot", pinned(dot={"k": 2, "i": 4, "j": 2}, neg={"i": 2}), width)
    area = panel.parentWidget()
    while not isinstance(area, QScrollArea):
        assert area is not None
        area = area.parentWidget()
    content = area.widget()
    assert content is not None
    assert content.width() <= area.viewport().width()
    assert panel.space.grid.grid.panels == ("j 0–63", "j 64–127")
    last = panel.space.grid.grid.cells[-1]
    assert panel.space.grid.cell_rect(last).right() <= panel.space.grid.width()
