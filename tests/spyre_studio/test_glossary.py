"""One table of words: complete for prices and waits, found in labels, told by tooltips, searched on a page."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QHeaderView, QLabel, QWidget
from pytestqt.qtbot import QtBot

from spyre_studio.check_words import CHECK_WORDS
from spyre_studio.glossary import TERMS, hint_of, hinted, hints_in, sentence, term_of
from spyre_studio.legend import FATES, Entry, Legend, WrappedLegend
from spyre_studio.main_window import MainWindow
from spyre_studio.table import Column, TableModel
from spyre_studio.term_groups import GROUPS
from spyre_studio.theme import Theme
from spyre_studio.timeline_words import CAUSES
from spyre_studio.widgets import Heading, SectionLabel
from spyre_studio.words_page import WordsPage
from tests.programs import attention
from tests.spyre_studio.door import Door, opened
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import quiet_settings

LONGEST = 130  # characters of a sentence
ASKED = (
    *("span", "stick", "bound", "gap", "relayout", "restickify", "partial sums", "turnaround", "requests", "LX"),
    *("reserve", "device memory", "claim", "clone in", "clone out", "sparse", "lane", "padding", "critical path"),
)


def test_every_word_is_explained_once_and_shortly() -> None:
    names = [name.casefold() for term in TERMS for name in (term.word, *term.also)]
    assert len(names) == len(set(names))
    for term in TERMS:
        assert len(term.meaning) <= LONGEST, term.word
        assert not term.meaning.endswith("."), term.word
        assert ". " not in term.meaning, "one sentence"
        assert term.meaning.casefold() != term.word.casefold()
    assert all(hint_of(word) for word in ASKED)


def test_every_term_of_a_price_and_every_cause_of_waiting_has_a_sentence() -> None:
    terms = {name for group in GROUPS for name in (group.title, *group.terms)}
    assert [name for name in sorted(terms) if not hint_of(name)] == []
    causes = [words.title for words in CAUSES.values() if words.title != "nothing"]
    assert [title for title in causes if not hint_of(title)] == []
    assert all(CHECK_WORDS.values())


@pytest.mark.parametrize(
    ("label", "word"),
    [
        ("Bound, µs", "bound"),
        ("12 pins", "pin"),
        ("1,024 sticks", "stick"),
        ("compute 9.4 µs", "compute"),
        ("read/write turnaround", "turnaround"),
        ("waits: producer", "producer"),
        ("Partial sums", "partial sums"),
        ("gap 0.4 %", "gap"),
        ("HBM", "device memory"),
    ],
)
def test_a_term_is_found_in_what_a_label_says(label: str, word: str) -> None:
    found = term_of(label)
    assert found is not None
    assert found.word == word
    assert hint_of(label) == sentence(found)


@pytest.mark.parametrize("label", ["", "Table", "matmul", "m 8 · n 4", "12", "stickiness", "0.5 µs"])
def test_what_is_no_term_has_no_sentence(label: str) -> None:
    assert hint_of(label) == ""


def test_terms_in_a_line_are_told_once_each_in_its_order() -> None:
    told = hints_in("49 ops · 61 buffers · 32 outside LX · 1 restickify · 2 ops").splitlines()
    assert [line.partition(":")[0] for line in told] == ["op", "buffer", "device memory", "restickify"]
    assert hints_in("nothing of the kind") == ""
    assert hints_in("a stick-like thing, an operator") == "", "whole words only"
    assert hinted("gap", "For this plan.").splitlines()[0] == "For this plan."


# Where they are told


def test_headings_notes_columns_and_legends_tell_them(qtbot: QtBot, dark: Theme) -> None:
    heading, section = Heading("Partial sums", "3 pins"), SectionLabel("Pins", "")
    for widget in (heading, section):
        qtbot.addWidget(widget)
    assert [label.toolTip() for label in heading.findChildren(QLabel)] == [hint_of("partial sums"), hint_of("pin")]
    heading.set_heading("Something else")
    assert [label.toolTip() for label in heading.findChildren(QLabel)] == ["", ""]
    assert section.findChildren(QLabel)[0].toolTip() == hint_of("pins")
    model = TableModel((Column("bound, µs"), Column("gap", hint="Of this plan"), Column("operators")))
    role, across = Qt.ItemDataRole.ToolTipRole, Qt.Orientation.Horizontal
    assert model.headerData(0, across, role) == hint_of("bound")
    assert model.headerData(1, across, role) == f"Of this plan\n{hint_of('gap')}"
    assert model.headerData(2, across, role) is None
    legend, wrapped = Legend(FATES), WrappedLegend()
    for one in (legend, wrapped):
        qtbot.addWidget(one)
    assert legend.hint_at(30) == hint_of("LX")
    wrapped.set_entries((Entry("partial sums go on", "move"), Entry("other", "mute")))
    assert wrapped.toolTip() == hint_of("partial sums")


def labels(root: QWidget) -> Iterator[tuple[str, str]]:
    """Text and tooltip of everything visible that says something; of tables, their titles."""
    for widget in root.findChildren(QWidget):
        if not widget.isVisible():
            continue
        if isinstance(widget, QHeaderView) and isinstance(widget.model(), QAbstractItemModel):
            for place in range(widget.count()):
                title = widget.model().headerData(place, widget.orientation())
                tip = widget.model().headerData(place, widget.orientation(), Qt.ItemDataRole.ToolTipRole)
                yield str(title), str(tip or "")
        elif isinstance(widget, QLabel | QAbstractButton):
            yield widget.text(), widget.toolTip()


def test_every_label_of_the_window_that_is_a_term_has_a_tooltip(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, dark: Theme
) -> None:
    door = Door(quiet_settings(str(tmp_path)))
    window = opened(qtbot, qapp, door, None)
    door.put_model(compiled(program=attention(2, 128, 64), cores=4))
    bench = window.workbench
    silent = set[str]()
    met = set[str]()
    for key in bench.views:
        bench.show_view(key)
        QApplication.processEvents()
        for text, tip in labels(window):
            term = term_of(text)
            met |= {term.word} if term else set()
            silent |= {text} if term and not tip else set()
    window.close()
    assert silent == set()
    assert len(met) >= 8, "the window is full of them"


def test_the_page_of_words_is_searched_by_word_and_by_meaning(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, dark: Theme
) -> None:
    window: MainWindow = opened(qtbot, qapp, Door(quiet_settings(str(tmp_path))), None)
    window.actions_.trigger("words")
    page = window.findChild(WordsPage)
    assert page is not None
    qtbot.waitUntil(page.isVisible)
    assert len(page.table.shown()) == len(TERMS)
    assert page.table.horizontalScrollBar().maximum() == 0
    QTest.keyClicks(page.filter, "restick")
    assert {row.key for row in page.table.shown()} == {"restickify"}
    page.filter.setText("scratchpads of some cores")
    assert [row.key for row in page.table.shown()] == ["relayout"]
    page.close()
    window.close()
