"""The program view: text linked with the selection both ways, search, and long listings off the window's thread."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from spyre_studio.listing import Subject
from spyre_studio.selection import Selection
from spyre_studio.theme import Theme
from spyre_studio.views import program as program_module
from spyre_studio.views.program import ProgramView
from spyre_studio.views.text_lines import TextLines
from tests.programs import attention
from tests.spyre_studio.hand import LEFT, show
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import Stage, quiet_settings, staged


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(quiet_settings(str(tmp_path)))


@pytest.fixture
def opened(qtbot: QtBot, stage: Stage, dark: Theme) -> tuple[ProgramView, Selection]:
    stage.put(compiled(program=attention(2, 64, 64)))
    return staged(qtbot, stage, ProgramView, 800, 400)


def line_at(view: ProgramView, part: str) -> int:
    return next(number for number, line in enumerate(view.lines.lines) if part in line)


def test_a_click_on_a_line_selects_what_it_speaks_of(opened: tuple[ProgramView, Selection]) -> None:
    view, selection = opened
    number = line_at(view, "divide exp")
    view.lines.scrollTo(view.lines.model().index(number, 0))
    at = view.lines.visualRect(view.lines.model().index(number, 0)).center()
    at.setX(20)
    QTest.mouseClick(view.lines.viewport(), LEFT, pos=at)
    assert selection.op == "exp"
    view.lines.setCurrentIndex(view.lines.model().index(line_at(view, "layout q "), 0))
    assert selection.buffer == "q"


def test_the_selection_is_marked_and_brought_into_view(opened: tuple[ProgramView, Selection]) -> None:
    view, selection = opened
    view.kind.chosen.emit("program")
    view.kind.choose("program")
    view._kind_chosen()
    selection.select_op("context")
    assert view.listing is not None
    expected = {n for n, subject in enumerate(view.listing.subjects) if subject == Subject("op", "context")}
    assert view.lines.marked == expected
    assert expected
    rect = view.lines.visualRect(view.lines.model().index(min(expected), 0))
    assert 0 <= rect.top() <= view.lines.viewport().height()


def test_searching_counts_and_walks(opened: tuple[ProgramView, Selection]) -> None:
    view, _ = opened
    QTest.keyClicks(view.search, "EXP")
    total = sum("exp" in line.lower() for line in view.lines.lines)
    assert len(view.lines.hits) == total > 1
    assert view.count.text() == f"{total} lines found"
    QTest.keyClick(view.search, Qt.Key.Key_Return)
    assert view.count.text() == f"1 of {total}"
    QTest.keyClick(view.search, Qt.Key.Key_F3)
    assert view.count.text() == f"2 of {total}"
    QTest.keyClick(view.lines, Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
    assert view.count.text() == f"1 of {total}"
    view.search.clear()
    assert view.count.text() == f"{len(view.lines.lines)} lines"


def test_ctrl_f_goes_to_the_search_of_the_text(opened: tuple[ProgramView, Selection], qtbot: QtBot) -> None:
    view, _ = opened
    view.activateWindow()
    view.lines.setFocus()
    QTest.keyClick(view.lines, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert view.search.hasFocus()


def test_long_listings_are_written_apart(
    qtbot: QtBot, stage: Stage, dark: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program_module, "_AT_ONCE", 0)
    stage.put(compiled(program=attention(2, 64, 64)))
    view, _ = staged(qtbot, stage, ProgramView, 800, 400)
    view.kind.choose("program")
    view._kind_chosen()
    assert view.writing.isVisible()
    assert view.listing is None
    qtbot.waitUntil(lambda: view.listing is not None)
    assert view.lines.isVisible()
    assert view.lines.lines[0].startswith("device-program")


def test_lines_are_copied(qtbot: QtBot, dark: Theme) -> None:
    lines = TextLines("text")
    show(qtbot, lines)
    lines.show_lines(["one", "two", "three"])
    QTest.keyClick(lines, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "one\ntwo\nthree"
    lines.setCurrentIndex(lines.model().index(1, 0))
    assert lines.copied() == "two"


def test_many_lines_are_no_matter(qtbot: QtBot, dark: Theme) -> None:
    lines = TextLines("text")
    show(qtbot, lines)
    lines.show_lines([f"line {number}" for number in range(200_000)])
    assert lines.search("line 199999") == 1
    lines.next_hit()
    assert lines.currentIndex().row() == 199_999
    assert lines.grab().width() == lines.width()
