"""Small pieces that every panel is made of: headings with a note, cards, hairlines, buttons by role.

Owns: their look and spacing. Refuses: meaning and layout of a panel. Larger pieces have files of their own: pill.py,
lights.py, bars.py, banner.py, table.py, sparkline.py, legend.py, and state_page.py for a page with nothing to show.
"""

from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from spyre_studio.glossary import hint_of, hints_in
from spyre_studio.qt_theme import font, px
from spyre_studio.theme import GRID, Tone

Role = Literal["primary", "secondary", "quiet"]


class SectionLabel(QWidget):
    """Heads a section of a panel: a quiet capital word, with a note (a unit, a count) at the right edge."""

    def __init__(self, text: str, note: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text, self._note = QLabel(text, self), QLabel(note, self)
        face = font("micro", bold=True)
        face.setCapitalization(QFont.Capitalization.AllUppercase)
        face.setLetterSpacing(QFont.SpacingType.PercentageSpacing, 106)
        self._text.setFont(face)
        self._note.setFont(font("micro"))
        _in_row(self, self._text, self._note)
        self._text.setProperty("tone", "mute")
        self._note.setProperty("tone", "mute")
        self._text.setToolTip(hint_of(text))

    def set_note(self, note: str) -> None:
        """Change what stands at the right."""
        self._note.setText(note)
        self._note.setToolTip(hint_of(note))


class Heading(QWidget):
    """Heads a part of a page: bold words in the text colour, with a quiet note at the right edge."""

    def __init__(self, text: str, note: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text, self._note = QLabel(text, self), QLabel(note, self)
        self._text.setFont(font("body", bold=True))
        self._note.setFont(font("label"))
        _in_row(self, self._text, self._note)
        self._note.setProperty("tone", "mute")
        self._explain()

    def set_heading(self, text: str, note: str = "", tone: Tone = "mute") -> None:
        """Change the words, the note and the verdict that colours the note."""
        self._text.setText(text)
        self._note.setText(note)
        self._note.setProperty("tone", tone)
        restyle(self._note)
        self._explain()

    def _explain(self) -> None:
        """What the words mean that are terms of the field."""
        self._text.setToolTip(hint_of(self._text.text()))
        self._note.setToolTip(hints_in(self._note.text()))


class Card(QFrame):
    """A raised surface for one thing, without a border. Add widgets to `column`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("raised", True)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(px(GRID), px(GRID), px(GRID), px(GRID))
        self.column.setSpacing(px(GRID / 2))


def text_label(text: str, tone: Tone | None = None, wrap: bool = True) -> QLabel:
    """Words that can be selected and copied; `tone` None is the text colour.  A term of the field is explained."""
    label = QLabel(text)
    label.setToolTip(hint_of(text))
    label.setWordWrap(wrap)
    label.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.LinksAccessibleByMouse
    )
    label.setProperty("tone", tone or "")
    return label


def button(text: str, role: Role = "secondary", hint: str = "") -> QPushButton:
    """A button: one 'primary' in a place at most, 'secondary' for the rest, 'quiet' for a text link."""
    made = QPushButton(text)
    made.setProperty("primary", role == "primary")
    made.setProperty("quiet", role == "quiet")
    made.setToolTip(hint)
    made.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
    return made


def hairline() -> QFrame:
    """A line of one pixel between parts of a panel."""
    line = QFrame()
    line.setFixedHeight(1)
    line.setProperty("hairline", True)
    return line


def restyle(widget: QWidget) -> None:
    """Make the stylesheet see a property that changed."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)


def _in_row(holder: QWidget, text: QLabel, note: QLabel) -> None:
    row = QHBoxLayout(holder)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(px(GRID))
    row.addWidget(text)
    row.addStretch(1)
    row.addWidget(note)
    holder.setAccessibleName(text.text())
