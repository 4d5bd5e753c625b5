"""Lists of rows with bars: titles come first, bars take what is left."""

import pytest
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from spyre_studio.candidate_model import Lanes
from spyre_studio.qt_theme import font
from spyre_studio.term_groups import COMPUTE
from spyre_studio.theme import Theme
from spyre_studio.views.line_list import Line, LineList, bar_start
from tests.spyre_studio.hand import show


@pytest.mark.parametrize(
    ("right", "widest", "start"),
    [
        (300.0, 100.0, 108.0),  # behind the widest title
        (300.0, 400.0, 244.0),  # as late as a bar fits
        (100.0, 80.0, 100.0),  # no room for a bar
    ],
)
def test_bars_begin_behind_the_titles(qtbot: QtBot, dark: Theme, right: float, widest: float, start: float) -> None:
    assert bar_start(0.0, right, widest) == start


def test_the_longest_title_decides_for_all_rows(qtbot: QtBot, dark: Theme) -> None:
    rows = LineList("Candidates")
    bar = Lanes(compute=((COMPUTE, 1.0),))
    rows.show_lines([Line("a", "m 2", lanes=bar), Line("b", "b0 2 · b1 2 · m 4 · n 2", lanes=bar)])
    show(qtbot, rows)
    role = 0x0100 + 2
    short, long = (rows.model().index(row, 0).data(role) for row in range(2))
    assert short == long >= rows.fontMetrics().horizontalAdvance("b0 2 · b1 2 · m 4 · n 2")


def test_a_readable_list_cuts_no_word_of_a_note_whatever_its_width(qtbot: QtBot, dark: Theme) -> None:
    """Rows are as tall as the notes need; others keep two lines."""
    long = "Every element of every result is written, and by one core only. " * 3
    lines = [Line("a", "coverage", long.strip(), "holds", mark="ok"), Line("b", long, tone="bad", wrapped=True)]
    rows, plain = LineList("Checks", readable=True), LineList("Candidates")
    for each in (rows, plain):
        each.show_lines([*lines, Line("c", "pins", "short")])
        show(qtbot, each, 240, 600)
    assert {plain.sizeHintForRow(row) for row in range(3)} == {plain.sizeHintForRow(2)}
    assert rows.sizeHintForRow(2) == plain.sizeHintForRow(2)
    narrow = [rows.visualRect(rows.model().index(row, 0)).height() for row in range(2)]
    line = QFontMetricsF(font("label")).height()
    for row, words in enumerate((lines[0].note, lines[1].title)):
        assert narrow[row] >= line * QFontMetricsF(font("label")).horizontalAdvance(words) / rows.viewport().width()
    rows.resize(900, 600)
    QApplication.processEvents()
    wide = [rows.visualRect(rows.model().index(row, 0)).height() for row in range(2)]
    assert max(wide) < min(narrow)
