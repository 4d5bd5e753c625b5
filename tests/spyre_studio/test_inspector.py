"""The inspector driven as a user would: drafts and pins of a division, places of buffers, cost, sticks."""

import pytest
from frozendict import frozendict
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollArea
from pytestqt.qtbot import QtBot

from compiler.pins import Pins
from spyre_studio.qt_theme import apply_theme
from spyre_studio.selection import Selection
from spyre_studio.theme import LIGHT, Theme
from spyre_studio.views.inspector import InspectorView
from tests.programs import attention
from tests.spyre_studio.plans import DEFAULT_ORDERS, compiled, divided
from tests.spyre_studio.stage import Stage, all_texts, colours_in, staged

Opened = tuple[InspectorView, Selection]


def open_with(qtbot: QtBot, stage: Stage, pins: Pins | None = None) -> Opened:
    stage.put(compiled(program=attention(4, 512, 64), pins=pins, pipeline=DEFAULT_ORDERS))
    return staged(qtbot, stage, InspectorView, 360, 900)


@pytest.fixture
def opened(qtbot: QtBot, stage: Stage, dark: Theme) -> Opened:
    return open_with(qtbot, stage)


# Heading and states


def test_an_op_heads_the_page(opened: Opened) -> None:
    view, selection = opened
    assert "Nothing is selected" in all_texts(view)
    selection.select_op("scores")
    assert view.heading.text() == "scores"
    assert "step 1" in view.subline.text()
    assert "kernel0" in view.subline.text()


def test_a_buffer_alone_heads_it_too(opened: Opened) -> None:
    view, selection = opened
    selection.select_buffer("q")
    assert view.heading.text() == "q"
    assert "f16[4,512,64] · input" in view.subline.text()
    assert "No op is selected" in all_texts(view)


def test_without_a_plan_it_says_so(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view, _ = staged(qtbot, stage, InspectorView, 360, 600)
    assert view.state.kind == "empty"


# Division


def test_the_grid_shows_the_division_and_a_click_selects_the_core(opened: Opened) -> None:
    view, selection = opened
    selection.select_op("scores")
    grid, owns = view.division.space.grid, view.division.space.owns
    assert len(grid.grid.cells) == 32
    cell = grid.grid.cells[5]
    QTest.mouseClick(grid, Qt.MouseButton.LeftButton, pos=grid.cell_rect(cell).center().toPoint())
    assert selection.core == 5
    assert owns.text().startswith("core 5 owns j 160–191, l 0–255")
    QTest.keyClick(grid, Qt.Key.Key_Right)
    assert selection.core == 6


def test_candidates_are_asked_for_once(opened: Opened, stage: Stage) -> None:
    view, selection = opened
    selection.select_op("scores")
    selection.select_core(3)
    selection.select_buffer("q")
    assert stage.asked.count("candidates scores") == 1
    lines = view.division.candidates.list.lines
    assert [line.strong for line in lines].count(True) == 1
    assert any(line.note.startswith("this plan") for line in lines)


def test_while_they_are_listed_the_panel_says_so(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    stage.answers = False
    view, selection = open_with(qtbot, stage)
    selection.select_op("scores")
    assert "Pricing every legal split" in all_texts(view)
    selection.select_op("context")
    stage.waiting[0](())
    assert "Pricing every legal split" in all_texts(view), "an answer about another op is not this one's"
    stage.failed.emit("the worker", "it ended", "try again")
    assert "could not list" in all_texts(view)


def test_going_to_a_candidate_makes_a_draft(opened: Opened, stage: Stage) -> None:
    view, selection = opened
    selection.select_op("scores")
    panel = view.division
    other = next(row for row, line in enumerate(panel.candidates.list.lines) if line.title == "j 32")
    panel.candidates.list.setCurrentIndex(panel.candidates.list.model().index(other, 0))
    assert panel.is_draft
    assert panel.draft == {"j": 32}
    assert panel.editor.factors["j"] == 32
    assert "draft" in all_texts(panel)
    assert not stage.pins
    panel.reset.click()
    assert not panel.is_draft


def test_enter_pins_a_candidate(opened: Opened, stage: Stage) -> None:
    view, selection = opened
    selection.select_op("scores")
    other = next(row for row, line in enumerate(view.division.candidates.list.lines) if line.title == "j 32")
    view.division.candidates.list.setCurrentIndex(view.division.candidates.list.model().index(other, 0))
    QTest.keyClick(view.division.candidates.list, Qt.Key.Key_Return)
    assert stage.pins.division["scores"] == {"j": 32}
    assert "pin not solved yet" in all_texts(view) or view.division.is_draft
    assert view.badge.isVisible()


def test_a_double_click_pins_a_candidate(opened: Opened, stage: Stage) -> None:
    view, selection = opened
    selection.select_op("scores")
    listed = view.division.candidates.list
    row = next(row for row, line in enumerate(listed.lines) if line.title == "j 32")
    QApplication.processEvents()
    listed.scrollTo(listed.model().index(row, 0))
    at = listed.visualRect(listed.model().index(row, 0)).center()
    top = listed.mapTo(view, QPoint(0, 0))
    QTest.mouseClick(listed.viewport(), Qt.MouseButton.LeftButton, pos=at)
    QApplication.processEvents()
    assert listed.mapTo(view, QPoint(0, 0)) == top, "what is under the pointer stays there between two clicks"
    QTest.mouseDClick(listed.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert stage.pins.division["scores"] == {"j": 32}


def test_the_editor_pins_what_is_chosen_in_it(opened: Opened, stage: Stage) -> None:
    view, selection = opened
    selection.select_op("scores")
    boxes = view.division.editor.boxes
    boxes["l"].setCurrentIndex(boxes["l"].findData(1))
    boxes["j"].setCurrentIndex(boxes["j"].findData(8))
    assert view.division.space.heading.accessibleName() is not None
    assert view.division.draft == {"j": 8}
    view.division.pin.click()
    assert stage.pins.division["scores"] == {"j": 8}


def test_what_cannot_be_done_is_said_and_cannot_be_pinned(opened: Opened, stage: Stage) -> None:
    view, selection = opened
    selection.select_op("scores")
    boxes = view.division.editor.boxes
    boxes["j"].setCurrentIndex(boxes["j"].findData(32))
    assert "needs 64 cores and 32 are available" in view.division.objection.text()
    assert not view.division.pin.isEnabled()


def test_a_pinned_op_can_be_unpinned(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view, selection = open_with(qtbot, stage, divided("scores", j=32))
    selection.select_op("scores")
    assert "pinned" in all_texts(view.division)
    assert view.division.unpin.isVisible()
    view.division.unpin.click()
    assert "scores" not in stage.pins.division
    assert "unpinned, not solved yet" in all_texts(view.division)


def test_a_refused_pin_says_why(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view, selection = open_with(qtbot, stage, divided("scores", j=7))
    selection.select_op("scores")
    assert "pin refused" in all_texts(view.division)
    assert "7 does not divide" in view.division.objection.text()


def test_a_handover_is_shown_at_its_reader(opened: Opened) -> None:
    view, selection = opened
    view.show_tab("Cost")
    view.show_handover("k@d1")
    assert selection.op == "scores"
    assert view.division.isVisible()
    assert view.division.handovers.pair is not None
    assert view.division.handovers.pair.buffer == "k@d1"
    view.show_handover("q")
    assert selection.op == "scores", "nobody writes an input"


# Facts


def test_reads_and_writes_say_where_data_lies(opened: Opened) -> None:
    view, selection = opened
    selection.select_op("exp")
    view.show_tab("Facts")
    assert [line.key for line in view.facts.reads.lines] == ["sub"]
    assert view.facts.reads.lines[0].fate == "lx"
    assert view.facts.reads.lines[0].value.startswith("LX 0x")
    selection.select_op("scores")
    fates = {line.key: line.fate for line in view.facts.reads.lines}
    assert fates == {"q": "hbm", "k@d1": "move"}
    assert "exp" in view.facts.listing.toPlainText() or "matmul" in view.facts.listing.toPlainText()


def test_a_click_on_a_read_selects_the_buffer_and_shows_its_reason(opened: Opened) -> None:
    view, selection = opened
    selection.select_op("scores")
    view.show_tab("Facts")
    at = view.facts.reads.visualRect(view.facts.reads.model().index(0, 0)).center()
    QTest.mouseClick(view.facts.reads.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert selection.buffer == "q"
    assert "graph input" in view.facts.card.place.text()
    assert "What would change it" in view.facts.card.change.text()


def test_places_are_pinned_and_freed(opened: Opened, stage: Stage) -> None:
    view, selection = opened
    selection.select_buffer("exp")
    view.show_tab("Facts")
    card = view.facts.card
    card.out.click()
    assert stage.pins.placement == {"exp": "hbm"}
    assert "not solved yet" in card.status.text()
    assert not card.out.isEnabled()
    card.keep.click()
    assert stage.pins.placement == {"exp": "lx"}
    card.free.click()
    assert not stage.pins.placement


def test_stick_dims_are_pinned(opened: Opened, stage: Stage) -> None:
    view, selection = opened
    selection.select_buffer("exp")
    view.show_tab("Facts")
    sticks = view.facts.card.sticks
    sticks.setCurrentIndex(sticks.findData(1))
    assert stage.pins.layout == {"exp": 1}
    sticks.setCurrentIndex(0)
    assert not stage.pins.layout


def test_a_contradicting_dim_order_goes_with_a_stick_dim(opened: Opened, stage: Stage) -> None:
    view, selection = opened
    stage.set_pins(Pins(order=frozendict(exp=(1, 0, 2))))
    selection.select_buffer("exp")
    view.show_tab("Facts")
    card = view.facts.card
    assert "Pin not solved yet." in card.status.text()
    card.sticks.setCurrentIndex(card.sticks.findData(1))
    assert stage.pins == Pins(layout=frozendict(exp=1))
    stage.set_pins(Pins(order=frozendict(exp=(1, 0, 2))))
    card.unordered.click()
    assert not stage.pins


def test_what_the_host_fills_anew_cannot_be_pinned_and_says_why(opened: Opened, stage: Stage) -> None:
    view, selection = opened
    selection.select_buffer("q")
    view.show_tab("Facts")
    card = view.facts.card
    assert not card.sticks.isEnabled()
    assert "the host fills an input" in card.fixed.text()
    selection.select_buffer("exp")
    assert card.sticks.isEnabled()
    assert not card.fixed.isVisible()


# Cost


def test_cost_shows_terms_with_formula_and_inputs(opened: Opened) -> None:
    view, selection = opened
    selection.select_op("scores")
    view.show_tab("Cost")
    compilation = view.compilation
    assert compilation is not None
    cost = next(one for one in compilation.cost.steps if one.step == "scores")
    assert len(view.cost.cards) == len(cost.terms) > 0
    texts = all_texts(view.cost)
    for term in cost.terms:
        assert term.name in texts
        assert term.formula in texts
        assert term.inputs in texts


# Sticks


def test_sticks_are_those_of_the_result_or_of_the_buffer(opened: Opened) -> None:
    view, selection = opened
    selection.select_op("exp")
    view.show_tab("Sticks")
    assert view.sticks.name.text() == "exp"
    selection.select_buffer("q")
    assert view.sticks.name.text() == "q"


def test_with_nothing_selected_the_tab_teaches_what_a_stick_is(opened: Opened) -> None:
    view, selection = opened
    selection.select_op("exp")
    view.show_tab("Sticks")
    selection.clear()
    assert "What is a stick?" in all_texts(view)
    view.show_tab("Division")
    assert "No op is selected" in all_texts(view)


# Themes


def test_another_theme_recolours_what_is_shown(opened: Opened, qapp: QApplication, dark: Theme) -> None:
    view, selection = opened
    selection.select_op("scores")
    listed = view.division.candidates.list.viewport()
    assert dark.reduction in colours_in(listed), "memory is in the bars"
    apply_theme(qapp, LIGHT)
    QApplication.processEvents()
    assert LIGHT.reduction in colours_in(listed)
    assert dark.reduction not in colours_in(listed)


@pytest.mark.parametrize("title", ["Division", "Facts", "Cost"])
def test_nothing_is_cut_off_in_a_narrow_dock(opened: Opened, title: str) -> None:
    view, selection = opened
    view.resize(320, 500)
    selection.select_op("scores")
    selection.select_buffer("exp")
    view.session.pin_placement("exp", "hbm")
    view.show_tab(title)
    QApplication.processEvents()
    area = next(one for one in view.findChildren(QScrollArea) if one.isVisible())
    content = area.widget()
    assert content is not None
    assert content.width() <= area.viewport().width()
