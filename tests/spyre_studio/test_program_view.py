"""The program view: text linked with the selection both ways, the core, search, passes, and long listings apart."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from compiler.pass_replay import AGAIN
from spyre_studio.failure import Failure
from spyre_studio.listing import Subject
from spyre_studio.listing_kinds import kinds
from spyre_studio.listing_search import NOTHING, Search
from spyre_studio.listing_text import Numbers, Text
from spyre_studio.selection import Selection
from spyre_studio.theme import Theme
from spyre_studio.typed_pattern import SLOW
from spyre_studio.views import program as program_module
from spyre_studio.views import text_search
from spyre_studio.views.program import ProgramView
from spyre_studio.views.text_menu import text_menu
from spyre_studio.views.text_paint import note_words
from tests.programs import attention
from tests.spyre_studio.hand import LEFT, NONE
from tests.spyre_studio.plans import compiled, divided
from tests.spyre_studio.stage import Stage, staged

Opened = tuple[ProgramView, Selection]


@pytest.fixture
def opened(qtbot: QtBot, stage: Stage, dark: Theme) -> Opened:
    stage.put(compiled(program=attention(2, 64, 64)))
    view, selection = staged(qtbot, stage, ProgramView, 800, 400)
    view.activateWindow()
    return view, selection


def line_at(view: ProgramView, part: str) -> int:
    text = view.lines.listing.text
    return next(number for number in range(len(text)) if part in text.line(number))


def is_in_view(view: ProgramView, line: int) -> bool:
    top = view.lines.top_of(view.lines.folding.row_of(line))
    return view.lines.folding.is_visible(line) and 0 <= top < view.lines.viewport().height()


def click_link(view: ProgramView, line: int, number: int) -> None:
    view.lines.go_to(line, centre=True)
    cut = view.lines.pieces[line]
    x = view.lines.left_of(cut, cut.links[number].start) + 3
    y = view.lines.top_of(view.lines.folding.row_of(line)) + view.lines.grid_.row / 2
    QTest.mouseClick(view.lines.viewport(), LEFT, NONE, QPoint(round(x), round(y)))


def test_every_listing_can_be_read(opened: Opened) -> None:
    view, _ = opened
    for row in kinds():
        view.show_kind(row.key)
        if row.key == "hints":
            assert (view.listing, view.writing.state.kind) == (None, "error"), "nothing is pinned"
            assert "no op has a pinned division" in view.writing.state.sentence
            continue
        assert view.listing is not None
        assert len(view.listing) > 3
        assert view.lines.isVisible()
    view.show_kind("passes")
    assert view.listing is not None
    assert view.listing.text.line(0).startswith("passes of attention")


def test_names_in_a_line_select_what_they_name(opened: Opened) -> None:
    view, selection = opened
    view.show_kind("loops")
    line = line_at(view, "  op exp ")
    click_link(view, line, 0)
    assert (selection.op, selection.buffer) == ("exp", None)
    click_link(view, line, 1)
    assert (selection.op, selection.buffer) == ("exp", "sub")


def test_a_line_of_a_core_selects_op_and_core_in_one_step(opened: Opened) -> None:
    view, selection = opened
    before = selection.place
    view.show_kind("program")
    line = int(view.lines.listing.owned(Subject("op", "exp"))[9])
    assert view.lines.listing.core_of(line) == 5
    view.lines.go_to(line)
    view.lines.follow()
    assert selection.place == replace(before, op="exp", core=5, step=selection.step)
    selection.back()
    assert selection.place == before


def test_following_a_link_does_not_scroll_the_text_away(opened: Opened) -> None:
    view, _ = opened
    view.show_kind("program")
    line = line_at(view, "  op exp ")
    click_link(view, line, 1)
    assert view.lines.line == line, "sub is selected, and one goes on reading here"


def test_the_selection_is_marked_unfolded_and_brought_into_view(opened: Opened) -> None:
    view, selection = opened
    view.show_kind("program")
    view.lines.fold_all(True)
    selection.select_op("context")
    listing = view.lines.listing
    subject = Subject("op", "context")
    assert view.lines.marks.owned.tolist() == listing.owned(subject).tolist()
    assert view.lines.marks.named.tolist() == listing.places(subject).tolist()
    assert is_in_view(view, int(listing.owned(subject)[0]))
    selection.select_buffer("q")
    assert is_in_view(view, line_at(view, "  tensor q "))
    assert set(listing.places(subject)) <= set(view.lines.marks.named), "the op is marked as well"


def test_the_core_is_marked_and_unfolded_in_what_is_selected(opened: Opened) -> None:
    view, selection = opened
    view.show_kind("program")
    selection.select_op("exp")
    assert not view.lines.folding.is_visible(int(view.lines.marks.owned[-1]))
    selection.select_core(9)
    assert view.lines.looks.core == 9
    (line,) = view.lines.marks.cores.tolist()
    assert view.lines.listing.core_of(line) == 9
    assert is_in_view(view, line)
    selection.clear()
    assert len(view.lines.marks.cores) == view.lines.listing.text.whole.count(" core 9 ")


def test_the_core_under_the_pointer_is_shared(opened: Opened) -> None:
    view, selection = opened
    selection.hover_core(3)
    assert view.lines.looks.hovered_core == 3
    view.lines.hovered.emit(7)
    assert selection.hovered_core == 7
    view.lines.hovered.emit(None)
    assert view.lines.looks.hovered_core == -1


def test_searching_counts_walks_and_unfolds(opened: Opened) -> None:
    view, _ = opened
    view.show_kind("program")
    QTest.keyClicks(view.search.line, "CORE 31 ")
    total = view.lines.listing.text.whole.count("core 31 ")
    assert view.search.count.text() == f"{total} lines found"
    fold = view.lines.listing.folds.headed_by(line_at(view, "    box core 0 "))
    assert note_words(view.lines, fold) == "… 31 cores like core 0, 31 lines · 1 found"
    QTest.keyClick(view.search.line, Qt.Key.Key_Return)
    assert view.search.count.text() == f"1 of {total}"
    assert is_in_view(view, view.lines.line), "it was folded away"
    QTest.keyClick(view.search.line, Qt.Key.Key_F3)
    assert view.search.count.text() == f"2 of {total}"
    QTest.keyClick(view.lines, Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
    QTest.mouseClick(view.search.previous, LEFT)
    assert view.search.count.text() == f"{total} of {total}"
    view.search.case.click()
    assert view.search.count.text() == "not found"
    assert not view.search.next.isEnabled()
    view.search.line.clear()
    assert view.search.count.text() == f"{len(view.lines.listing):,} lines"


def test_expressions_and_a_sentence_for_what_is_none(opened: Opened) -> None:
    view, _ = opened
    view.search.regex.click()
    view.search.line.setText("^  divide (exp|sub) ")
    assert view.search.count.text() == "2 lines found"
    view.search.line.setText("(exp")
    assert view.search.count.text().startswith("Not a regular expression: ")
    assert view.search.count.property("tone") == "bad"
    assert view.search.count.toolTip() == view.search.count.text()
    view.search.regex.click()
    assert view.search.count.property("tone") == "mute"


def test_the_search_goes_with_the_listing(opened: Opened) -> None:
    view, _ = opened
    view.search.line.setText("divide")
    assert len(view.lines.hits) > 3
    view.show_kind("program")
    assert len(view.lines.hits) == 0
    assert view.search.count.text() == "not found"


def test_keys_of_the_search(opened: Opened) -> None:
    view, _ = opened
    view.lines.setFocus()
    QTest.keyClick(view.lines, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert view.search.line.hasFocus()
    QTest.keyClicks(view.search.line, "exp")
    QTest.keyClick(view.search.line, Qt.Key.Key_Down)
    assert view.search.count.text().startswith("1 of ")
    QTest.keyClick(view.search.line, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert not view.search.count.text().startswith("1 of ")
    QTest.keyClick(view.search.line, Qt.Key.Key_Escape)
    assert view.lines.hasFocus()


def test_long_texts_are_searched_apart_and_the_newest_search_wins(
    qtbot: QtBot, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, _ = opened
    monkeypatch.setattr(text_search, "_AT_ONCE", 0)
    view.search.line.setText("layout")
    assert view.search.count.text() == "searching…"
    view.search.line.setText("divide")
    qtbot.waitUntil(lambda: not view.search.busy)
    text = view.lines.listing.text
    assert len(view.lines.hits) == sum("divide" in text.line(number) for number in range(len(text)))


def test_long_listings_are_written_apart(
    qtbot: QtBot, stage: Stage, dark: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program_module, "_AT_ONCE", 0)
    stage.put(compiled(program=attention(2, 64, 64)))
    view, _ = staged(qtbot, stage, ProgramView, 800, 400)
    view.show_kind("program")
    assert view.writing.isVisible()
    assert view.listing is None
    qtbot.waitUntil(lambda: view.listing is not None)
    assert view.lines.isVisible()
    assert view.lines.listing.text.line(0).startswith("device-program")
    view.show_kind("plan")
    qtbot.waitUntil(lambda: view.lines.listing.text.line(0).startswith("plan "))
    view.show_kind("program")
    assert view.listing is not None, "it is not written twice"


def test_folds_are_kept_for_each_listing(opened: Opened) -> None:
    view, _ = opened
    view.show_kind("program")
    view.lines.fold_all(True)
    rows = view.lines.rows
    view.show_kind("loops")
    view.show_kind("program")
    assert view.lines.rows == rows


def test_a_listing_that_cannot_be_written_says_why(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    whole = compiled()
    stage.put(replace(whole, verdicts=(replace(whole.verdicts[0], ok=False, violations=("it is wrong",)),)))
    view, _ = staged(qtbot, stage, ProgramView, 800, 400)
    view.show_kind("plan-json")
    assert view.writing.state.kind == "error"
    assert "it is wrong" in view.writing.state.sentence
    view.show_kind("plan")
    assert view.lines.isVisible()


def test_nothing_open_and_a_stale_plan(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view, _ = staged(qtbot, stage, ProgramView, 800, 400)
    assert view.state.title == "No plan yet"
    stage.put(compiled())
    assert view.lines.isVisible()
    stage.set_pins(divided("exp", i=4))
    assert view.stale.isVisible()
    assert view.stale.text() == "pins changed since this plan"


def test_the_place_is_kept_when_another_plan_arrives(opened: Opened, stage: Stage) -> None:
    view, _ = opened
    view.lines.verticalScrollBar().setValue(200)
    stage.put(compiled(pins=divided("exp", j=2), program=attention(2, 64, 64)))
    assert view.lines.verticalScrollBar().value() == 200
    assert "divide exp  j 2" in view.lines.listing.text.whole


def test_a_place_is_shown_also_from_a_listing_that_has_none(opened: Opened) -> None:
    view, selection = opened
    view.show_kind("plan")
    selection.select_op("exp")
    view.show_place("exp", None)
    assert view.kind.key == "plan"
    assert is_in_view(view, line_at(view, "  divide exp "))
    view.show_kind("loops")
    selection.select_buffer("k@d1")
    view.show_place(None, "k@d1")
    assert view.kind.key == "program", "a copy that the compiler inserted is not in the loops"
    assert is_in_view(view, line_at(view, "  tensor k@d1 "))
    assert view.lines.hasFocus()


# Passes


def test_passes_are_the_log_at_once_and_their_changes_when_they_are_known(opened: Opened, stage: Stage) -> None:
    view, selection = opened
    stage.answers = False
    view.show_kind("passes")
    assert stage.asked[-1] == "passes"
    assert "  pass assign-layouts" in view.lines.listing.text.whole
    assert "      + layout" not in view.lines.listing.text.whole
    assert view.phase.text() == "running the passes again: assign-layouts 50%"
    assert view.cancel.isVisible()
    stage.answers = True
    stage.request_passes(stage.waiting_passes[0], lambda _: None, lambda *_: None)
    assert AGAIN in view.lines.listing.text.whole
    assert not view.phase.isVisible()
    selection.select_op("exp")
    assert is_in_view(view, line_at(view, "    of exp"))


def test_cancelling_leaves_the_log_and_says_so(opened: Opened, stage: Stage) -> None:
    view, _ = opened
    stage.answers = False
    view.show_kind("passes")
    view.cancel.click()
    assert stage.asked[-1] == "cancel passes"
    assert "was cancelled" in view.lines.listing.text.line(1)
    assert not view.cancel.isVisible()
    stage.answers = True
    view.show_kind("passes")
    assert AGAIN in view.lines.listing.text.whole


def test_a_failure_is_told_in_the_listing(opened: Opened, stage: Stage) -> None:
    view, _ = opened
    stage.passes_failure = Failure("the worker", "it ended", "try again")
    view.show_kind("passes")
    assert view.lines.listing.text.line(1) == "  note the worker: it ended; try again"


def test_passes_follow_the_plan_on_screen(opened: Opened, stage: Stage) -> None:
    view, _ = opened
    view.show_kind("passes")
    stage.put(compiled(pins=divided("exp", j=2), program=attention(2, 64, 64)))
    assert stage.asked.count("passes") == 2
    assert "divide exp  j 2" in view.lines.listing.text.whole


# The menu


def entries(menu: QMenu) -> list[str]:
    return [action.text().partition("\t")[0] for action in menu.actions() if action.text()]


def test_the_menu_of_a_line(opened: Opened, stage: Stage) -> None:
    view, selection = opened
    view.show_kind("loops")
    line = line_at(view, "  op exp ")
    menu = text_menu(view.lines, line, stage)
    assert entries(menu)[:3] == ["Select op exp", "Select buffer sub", "Select buffer exp"]
    next(action for action in menu.actions() if action.text() == "Select buffer sub").trigger()
    assert selection.buffer == "sub"
    next(action for action in menu.actions() if action.text() == "Copy the name").trigger()
    assert QGuiApplication.clipboard().text() == "exp"
    next(action for action in menu.actions() if action.text().startswith("Fold\t")).trigger()
    assert view.lines.folding.is_closed(line)
    again = text_menu(view.lines, line, stage)
    assert "Unfold" in entries(again)
    assert "Next place of the selection" in entries(again)
    next(action for action in again.actions() if action.text() == "Copy the whole listing").trigger()
    assert QGuiApplication.clipboard().text() == view.lines.everything()


def test_the_menu_of_a_line_without_names_and_of_no_line(opened: Opened, stage: Stage) -> None:
    view, _ = opened
    view.show_kind("program")
    line = line_at(view, "    box core 0 ")
    assert entries(text_menu(view.lines, line, stage))[0] == "Select buffer max", "the tensor that it is a part of"
    nowhere = entries(text_menu(view.lines, -1, stage))
    assert nowhere[:3] == ["Fold all", "Unfold all", "Fold as at first"]
    view.lines.choose_all()
    assert "Copy the lines" in entries(text_menu(view.lines, line, stage))


def test_an_expression_that_would_take_for_ever_is_told(
    qtbot: QtBot, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, _ = opened
    monkeypatch.setattr(text_search, "_AT_ONCE_S", 0.0)
    view.search.regex.setChecked(True)
    view.search.line.setText("exp")
    qtbot.waitUntil(lambda: not view.search.busy)
    assert "lines found" in view.search.count.text(), "what is no matter of milliseconds is searched aside"
    monkeypatch.setattr(Search, "run", _given_up)
    view.search.line.setText("(a|aa)+[bc]")
    qtbot.waitUntil(lambda: not view.search.busy)
    assert view.search.count.text() == SLOW
    assert view.lines.looks.pattern is None, "nor is it looked for in lines that are painted"
    view.search.regex.setChecked(False)
    assert SLOW not in view.search.count.text()


def _given_up(search: Search, text: Text) -> Numbers:
    if search.query.regex:
        search.slow.set()
    return NOTHING
