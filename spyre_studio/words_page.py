"""The page of words: the glossary as a table that can be searched, by word and by meaning.

Owns: the dialog. Refuses: words of its own; they come from the glossary.
"""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLineEdit, QVBoxLayout, QWidget

from spyre_studio.glossary import TERMS
from spyre_studio.qt_theme import px
from spyre_studio.table import Column, CopyableTable, Row, TableModel
from spyre_studio.theme import GRID, PAD


def word_rows() -> tuple[Row, ...]:
    """One row per term, by the alphabet: the word, where it belongs, what it means."""
    ordered = sorted(TERMS, key=lambda term: term.word.casefold())
    return tuple(Row(term.word, (term.word, term.area, _told(term.meaning)), _told(term.meaning)) for term in ordered)


def _told(meaning: str) -> str:
    return f"{meaning[:1].upper()}{meaning[1:]}."


class WordsPage(QDialog):
    """The words, and a field that finds them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Words")
        self.filter = QLineEdit(self)
        self.filter.setPlaceholderText("Find a word or what it means")
        self.filter.setAccessibleName("Find a word")
        self.filter.setClearButtonEnabled(True)
        columns = (Column("word"), Column("of"), Column("meaning"))
        self.table = CopyableTable(TableModel(columns, word_rows()), "Words", self)
        self.filter.textChanged.connect(self.table.filter)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(px(PAD), px(PAD), px(PAD), px(PAD))
        column.setSpacing(px(GRID))
        for widget in (self.filter, self.table, buttons):
            column.addWidget(widget)
        self.filter.setFocus()
        self.resize(px(112 * GRID), px(72 * GRID))
