"""A text with the mouse and with the keyboard: folding, links, choosing and copying lines, marks, tooltips."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from spyre_studio.listing import Listing, linked
from spyre_studio.listing_links import Names, Subject
from spyre_studio.qt_theme import px
from spyre_studio.theme import LIGHT, Theme
from spyre_studio.views.text_lines import TextLines
from spyre_studio.views.text_marks import WIDTH, Marks
from spyre_studio.views.text_paint import note_area
from tests.spyre_studio.hand import CONTROL, LEFT, NONE, SHIFT, drag, show
from tests.spyre_studio.stage import colours_in

NAMES = Names(frozenset({"first", "second"}), frozenset({"x", "y", "first", "second"}))
STEPS = 40


def program(cores: int = 4) -> Listing:
    """Steps that take turns between two ops, each on cores that do the same."""
    lines = ["device-program p", "  kernel k"]
    for step in range(STEPS):
        op = ("first", "second")[step % 2]
        lines += [f"  step {step} {op}", f"  op {op}  pointwise  (i:8)  x[i], y[i] -> {op}[i]"]
        lines += ["    body  %0 load 0 f16; return %0"]
        lines += [f"    core {core}  ({core}..{core + 1})" for core in range(cores)]
    return linked("\n".join(lines), NAMES, np.ones(STEPS * cores, np.int64))


@pytest.fixture
def text(qtbot: QtBot, dark: Theme) -> TextLines:
    made = TextLines("Listing")
    show(qtbot, made, 700, 300)
    made.show_listing(program())
    made.activateWindow()
    made.setFocus()
    return made


def key(text: TextLines, pressed: Qt.Key, held: Qt.KeyboardModifier = NONE) -> None:
    QTest.keyClick(text, pressed, held)


def spot(text: TextLines, line: int, column: int) -> QPoint:
    """The middle of a letter on screen."""
    cut = text.pieces[line]
    x = text.left_of(cut, column) + text.grid_.letter / 2
    return QPoint(round(x), round(text.top_of(text.folding.row_of(line)) + text.grid_.row / 2))


def click(text: TextLines, line: int, column: int, held: Qt.KeyboardModifier = NONE) -> None:
    QTest.mouseClick(text.viewport(), LEFT, held, spot(text, line, column))


def test_each_link_of_a_line_is_reached_by_the_mouse(qtbot: QtBot, text: TextLines) -> None:
    followed: list[Subject] = []
    text.followed.connect(followed.append)
    for link in text.pieces[3].links:
        click(text, 3, link.start)
        click(text, 3, link.end - 1)
    assert [(one.kind, one.name) for one in followed[::2]] == [
        ("op", "first"),
        ("buffer", "x"),
        ("buffer", "y"),
        ("buffer", "first"),
    ]
    assert followed[::2] == followed[1::2]


def test_each_link_of_a_line_is_reached_by_the_keyboard(text: TextLines) -> None:
    followed: list[Subject] = []
    text.followed.connect(followed.append)
    text.go_to(3)
    for _ in range(5):
        key(text, Qt.Key.Key_Right, CONTROL)
        key(text, Qt.Key.Key_Return)
    assert [one.name for one in followed] == ["first", "x", "y", "first", "first"]
    key(text, Qt.Key.Key_Left, CONTROL)
    assert text.link is not None
    assert text.link.subject == Subject("buffer", "y")
    assert text.accessibleDescription() == "buffer y"
    key(text, Qt.Key.Key_Escape)
    assert text.looks.link == -1
    key(text, Qt.Key.Key_Left, CONTROL)
    assert text.looks.link == 3, "backwards one comes to the last"


def test_a_click_elsewhere_and_enter_tell_of_the_line(text: TextLines) -> None:
    told: list[int] = []
    text.went_to.connect(told.append)
    click(text, 4, 8)
    key(text, Qt.Key.Key_Return)
    assert told == [4, 4]
    key(text, Qt.Key.Key_Down)
    assert told == [4, 4], "walking through a text selects nothing"


def test_a_link_is_underlined_under_the_pointer(text: TextLines) -> None:
    before = text.grab().toImage()
    link = text.pieces[3].links[1]
    QTest.mouseMove(text.viewport(), spot(text, 3, link.start))
    assert text.looks.hovered == (3, 1)
    assert text.viewport().cursor().shape() == Qt.CursorShape.PointingHandCursor
    assert text.grab().toImage() != before
    QTest.mouseMove(text.viewport(), spot(text, 4, 8))
    assert text.viewport().cursor().shape() == Qt.CursorShape.ArrowCursor


def test_the_core_of_a_line_is_told_and_taken_back(text: TextLines) -> None:
    cores: list[object] = []
    text.hovered.connect(cores.append)
    QTest.mouseMove(text.viewport(), spot(text, 5, 4))
    QTest.mouseMove(text.viewport(), spot(text, 4, 4))
    assert cores == [0, None]


def test_the_margin_folds_and_the_note_unfolds(text: TextLines) -> None:
    rows = text.rows
    QTest.mouseClick(text.viewport(), LEFT, NONE, QPoint(px(4), spot(text, 2, 2).y()))
    assert text.folding.is_closed(2)
    assert text.rows == rows - 3, "op, body and the first of the cores"
    cut, fold = text.pieces[2], text.listing.folds.headed_by(2)
    note = note_area(text, cut, fold, text.top_of(text.folding.row_of(2)))
    QTest.mouseMove(text.viewport(), note.center().toPoint())
    assert text.viewport().cursor().shape() == Qt.CursorShape.PointingHandCursor
    QTest.mouseClick(text.viewport(), LEFT, NONE, note.center().toPoint())
    assert not text.folding.is_closed(2)


def test_keys_fold_and_unfold(text: TextLines) -> None:
    text.go_to(4)
    key(text, Qt.Key.Key_Left)
    assert text.line == 3, "a line that begins no block goes to the one that does"
    key(text, Qt.Key.Key_Minus)
    assert text.folding.is_closed(3)
    key(text, Qt.Key.Key_Plus, SHIFT)
    assert not text.folding.is_closed(3)
    key(text, Qt.Key.Key_Right)
    assert text.line == 4, "what is open is gone into"
    key(text, Qt.Key.Key_Asterisk, SHIFT)
    assert text.rows == len(text.listing)
    key(text, Qt.Key.Key_1)
    assert text.rows == 2, "the head, and its kernel"
    assert text.line == 1, "a line that is folded away hands over to its block"
    key(text, Qt.Key.Key_0)
    assert text.rows == 2 + 4 * STEPS
    key(text, Qt.Key.Key_Space)
    assert text.folding.is_closed(1)


def test_walking_skips_what_is_folded_and_going_somewhere_unfolds_it(text: TextLines) -> None:
    text.go_to(5)
    key(text, Qt.Key.Key_Down)
    assert text.line == 9
    text.go_to(7)
    assert text.folding.is_visible(7)
    assert text.rows == 2 + 4 * STEPS + 3
    text.go_to(-1)
    text.go_to(10_000)
    assert text.line == 7, "there is no such line"


def test_pages_and_ends(text: TextLines) -> None:
    key(text, Qt.Key.Key_Down)
    assert text.line == 0
    key(text, Qt.Key.Key_PageDown)
    assert text.line > 5
    key(text, Qt.Key.Key_End)
    assert text.folding.row_of(text.line) == text.rows - 1
    assert text.verticalScrollBar().value() == text.verticalScrollBar().maximum()
    key(text, Qt.Key.Key_Home, CONTROL)
    assert (text.line, text.verticalScrollBar().value()) == (0, 0)


def test_lines_are_chosen_and_copied_with_what_is_folded_in_them(text: TextLines) -> None:
    text.go_to(4)
    key(text, Qt.Key.Key_Down, SHIFT)
    key(text, Qt.Key.Key_C, CONTROL)
    assert QGuiApplication.clipboard().text() == text.listing.text.lines(4, 9), "the cores that are folded too"
    key(text, Qt.Key.Key_Up)
    key(text, Qt.Key.Key_C, CONTROL)
    assert QGuiApplication.clipboard().text() == text.listing.text.line(4)
    key(text, Qt.Key.Key_A, CONTROL)
    assert text.copied() == text.listing.text.whole.rstrip("\n")
    key(text, Qt.Key.Key_Escape)
    click(text, 3, 60)
    click(text, 9, 60, SHIFT)
    assert text.looks.chosen == (3, 10)


def test_a_drag_chooses_lines(text: TextLines) -> None:
    drag(text.viewport(), spot(text, 2, 30), spot(text, 4, 30))
    assert text.looks.chosen == (2, 5)
    assert text.copied() == text.listing.text.lines(2, 5)


def test_occurrences_go_round(text: TextLines) -> None:
    subject = Subject("op", "second")
    text.show_marks(Marks(text.listing.owned(subject), text.listing.places(subject)))
    seen = []
    for _ in range(3):
        key(text, Qt.Key.Key_N)
        seen.append(text.listing.text.line(text.line))
    assert seen[0].endswith("step 1 second")
    assert seen[2].endswith("step 3 second")
    key(text, Qt.Key.Key_N, SHIFT)
    assert text.listing.text.line(text.line).startswith("  op second")
    text.go_to(0)
    key(text, Qt.Key.Key_N, SHIFT)
    assert text.line == text.listing.places(subject)[-1]
    text.show_marks(Marks())
    assert text.next_occurrence() == -1


def test_marks_are_painted_at_the_scroll_bar_and_a_click_there_goes_to_one(text: TextLines, dark: Theme) -> None:
    hit = len(text.listing) - 1
    assert dark.warn not in colours_in(text)
    text.show_hits(np.array([hit]))
    assert dark.warn in colours_in(text)
    where = QPoint(text.viewport().width() - px(WIDTH) // 2, text.viewport().height() - 4)
    QTest.mouseClick(text.viewport(), LEFT, NONE, where)
    assert text.line == hit
    assert text.folding.is_visible(hit)


def test_the_strip_without_marks_scrolls(text: TextLines) -> None:
    where = QPoint(text.viewport().width() - px(WIDTH) // 2, text.viewport().height() // 2)
    QTest.mouseClick(text.viewport(), LEFT, NONE, where)
    assert text.verticalScrollBar().value() > 0
    assert text.line == -1


def test_sideways_by_keys_and_to_a_link_out_of_view(qtbot: QtBot, text: TextLines) -> None:
    text.resize(300, 300)
    text.go_to(3)
    for _ in range(4):
        key(text, Qt.Key.Key_Right, CONTROL)
    moved = text.horizontalScrollBar().value()
    assert moved > 0
    link = text.pieces[3].links[3]
    assert text.left_of(text.pieces[3], link.end) <= text.text_width()
    key(text, Qt.Key.Key_Left, SHIFT)
    assert text.horizontalScrollBar().value() < moved
    key(text, Qt.Key.Key_Left, CONTROL)
    key(text, Qt.Key.Key_Left, CONTROL)
    key(text, Qt.Key.Key_Left, CONTROL)
    assert text.left_of(text.pieces[3], text.pieces[3].links[0].start) >= text.grid_.margin


def test_the_menu_is_asked_for_by_mouse_and_by_key(text: TextLines) -> None:
    asked: list[int] = []
    text.menu_requested.connect(lambda line, _: asked.append(line))
    at = spot(text, 3, text.pieces[3].links[2].start)
    by_mouse = QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(text.viewport(), QContextMenuEvent(by_mouse, at, text.viewport().mapToGlobal(at)))
    assert asked == [3]
    assert text.link is not None
    assert text.link.subject.name == "y", "the name under the pointer is meant"
    QApplication.sendEvent(text, QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, at, text.mapToGlobal(at)))
    assert asked == [3, 3]


def test_tabbing_into_a_text_is_somewhere(qtbot: QtBot, text: TextLines) -> None:
    text.clearFocus()
    text.setFocus(Qt.FocusReason.TabFocusReason)
    assert text.line == 0
    assert text.accessibleDescription() == "line 1: device-program p"
    assert text.accessibleName() == "Listing"


def test_wide_letters_are_where_they_are_drawn(text: TextLines) -> None:
    text.show_listing(linked('  why "layout:x"  "µs → 語 of y@1"\n', Names(frozenset(), frozenset({"x", "y@1"}))))
    followed: list[Subject] = []
    text.followed.connect(followed.append)
    cut = text.pieces[0]
    assert not cut.narrow
    link = cut.links[1]
    where = QPoint(round(text.left_of(cut, link.start + 1)) + 1, text.grid_.row // 2)
    QTest.mouseClick(text.viewport(), LEFT, NONE, where)
    assert followed == [Subject("buffer", "y@1")]


def test_another_theme_and_nothing_at_all(qapp: QApplication, text: TextLines) -> None:
    from spyre_studio.qt_theme import apply_theme

    apply_theme(qapp, LIGHT)
    assert LIGHT.panel in colours_in(text)
    text.show_listing(linked("", NAMES))
    for pressed in (Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Return, Qt.Key.Key_Space):
        key(text, pressed)
    assert text.copied() == ""
    assert text.line == -1


def test_only_rows_in_view_are_looked_at(qtbot: QtBot, dark: Theme) -> None:
    text = TextLines("Listing")
    show(qtbot, text, 700, 300)
    listing = linked("\n".join(f"  step {number} first" for number in range(200_000)), NAMES)
    text.show_listing(listing)
    text.go_to(150_000, centre=True)
    text.grab()
    assert len(text.pieces) < 200
