"""A sentence that is read in full: it breaks long names where it must, a clause a line, and can be selected and copied.

Owns: breaking and height. Refuses: scrolling, and words of its own.
"""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent, QTextOption, QWheelEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextEdit, QWidget

from spyre_studio.qt_theme import font
from spyre_studio.theme import Tone


class Sentence(QTextEdit):
    """As tall as its words need in the width that it is given; `tone` colours them."""

    def __init__(self, text: str, tone: Tone, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setAcceptRichText(False)
        self.setProperty("tone", tone)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(font("label"))
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        for set_policy in (self.setHorizontalScrollBarPolicy, self.setVerticalScrollBarPolicy):
            set_policy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(0)
        self.text = text
        self.setPlainText("\n".join(clauses(text)))
        self.setAccessibleName(text)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width needs another height."""
        super().resizeEvent(event)
        self._fit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Whoever it stands in scrolls."""
        event.ignore()

    def _fit(self) -> None:
        self.document().setTextWidth(self.viewport().width())
        self.setFixedHeight(max(ceil(self.document().size().height()), self.fontMetrics().height()))


def clauses(text: str) -> list[str]:
    """A long sentence in lines: one for each clause.

    >>> clauses("needs 2 B more; in the way: a; b")
    ['needs 2 B more;', 'in the way: a;', 'b']
    """
    parts = [part for line in text.splitlines() for part in line.split("; ")]
    return [f"{part};" for part in parts[:-1]] + parts[-1:]
