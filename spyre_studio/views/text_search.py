"""The search of a text: a line to type in, capitals, regular expressions, how many there are, next and previous.

Owns: these controls, and searching long texts off the window's thread. Refuses: what a find looks like.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QSizePolicy, QToolButton, QWidget

from spyre_studio.background import Background
from spyre_studio.listing import NOWHERE
from spyre_studio.listing_search import Query, Search
from spyre_studio.listing_text import Numbers
from spyre_studio.qt_theme import font, px
from spyre_studio.theme import GRID
from spyre_studio.typed_pattern import SLOW
from spyre_studio.units import format_count
from spyre_studio.views.text_lines import TextLines
from spyre_studio.widgets import restyle

_AT_ONCE = 1_000_000  # letters that are searched while one types; a few milliseconds
_AT_ONCE_S = 0.03  # for an expression, which may need longer than anybody lives


class TextSearch(QWidget):
    """Searches one text. `left` tells that the keyboard should go back to it."""

    left = Signal()

    def __init__(self, lines: TextLines, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines, self._background = lines, Background(self)
        self._search: Search | None = None
        self._place = -1
        self.line, self.count = QLineEdit(), QLabel()
        self.case, self.regex, self.previous, self.next = QToolButton(), QToolButton(), QToolButton(), QToolButton()
        self._arrange()
        self.line.textChanged.connect(lambda _: self.again())
        self.line.returnPressed.connect(self.go)
        self.line.installEventFilter(self)
        for switch in (self.case, self.regex):
            switch.toggled.connect(lambda _: self.again())
        self.next.clicked.connect(lambda _: self.go())
        self.previous.clicked.connect(lambda: self.go(forwards=False))
        self.again()

    @property
    def query(self) -> Query:
        """What is searched."""
        return Query(self.line.text(), self.case.isChecked(), self.regex.isChecked())

    @property
    def busy(self) -> bool:
        """True while a long text is searched."""
        return self._background.busy

    def open(self) -> None:
        """Go to the line."""
        self.line.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.line.selectAll()

    def again(self) -> None:
        """Search anew: the words or the text are other ones."""
        query, text = self.query, self._lines.listing.text
        if self._search is not None:
            self._search.stop.set()
        self._background.cancel()
        self._search, self._place = Search(query, _AT_ONCE_S), -1
        usable = bool(query.words) and not query.fault
        self._lines.looks.pattern = query.pattern() if usable else None
        if not usable or len(text.whole) <= _AT_ONCE:
            hits = self._search.run(text)
            if not self._search.slow.is_set():
                self._found(hits)
                return
        self._lines.looks.pattern = None  # until it is known how long it takes for a line
        self._lines.show_hits(NOWHERE)
        self._say("searching…")
        search = self._search = Search(query)
        self._background.run(lambda: search.run(text), self._found)

    def go(self, forwards: bool = True) -> None:
        """To the next line found, or to the one before."""
        self._place = self._lines.next_hit(forwards)
        self._tell()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Escape goes back to the text, the arrows down and up to the next find and the one before."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            match event.key():
                case Qt.Key.Key_Escape:
                    self.left.emit()
                    return True
                case Qt.Key.Key_Down | Qt.Key.Key_Up:
                    self.go(event.key() == Qt.Key.Key_Down)
                    return True
                case Qt.Key.Key_Return if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                    self.go(forwards=False)
                    return True
        return super().eventFilter(watched, event)

    def _found(self, hits: Numbers) -> None:
        query, slow = self.query, self._search is not None and self._search.slow.is_set()
        self._lines.looks.pattern = query.pattern() if query.words and not query.fault and not slow else None
        self._lines.show_hits(hits)
        self._tell()

    def _tell(self) -> None:
        query, total = self.query, len(self._lines.hits)
        for button in (self.next, self.previous):
            button.setEnabled(total > 0)
        if query.fault:
            self._say(query.fault, "bad")
        elif self._search is not None and self._search.slow.is_set():
            self._say(SLOW, "bad")
        elif not query.words:
            self._say(format_count(len(self._lines.listing), "line"))
        elif self._place >= 0 and total:
            self._say(f"{self._place + 1:,} of {total:,}")
        else:
            self._say(format_count(total, "line found", "lines found") if total else "not found")

    def _say(self, words: str, tone: str = "mute") -> None:
        self.count.setText(words)
        self.count.setToolTip(words if tone == "bad" else "")
        if self.count.property("tone") != tone:
            self.count.setProperty("tone", tone)
            restyle(self.count)

    def _arrange(self) -> None:
        self.line.setPlaceholderText("Search the listing")
        self.line.setAccessibleName("Search the listing")
        self.line.setClearButtonEnabled(True)
        self.line.setMinimumWidth(px(12 * GRID))
        self.line.setMaximumWidth(px(40 * GRID))
        rows = (
            (self.case, "Aa", "Capitals differ from small letters", True),
            (self.regex, ".*", "Search with a regular expression", True),
            (self.previous, "↑", "The line found before (Shift+F3)", False),
            (self.next, "↓", "The next line found (F3)", False),
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(px(GRID / 2))
        row.addWidget(self.line, 1)
        for button, text, tip, switch in rows:
            button.setText(text)
            button.setToolTip(tip)
            button.setAccessibleName(tip)
            button.setCheckable(switch)
            row.addWidget(button)
        self.count.setFont(font("label"))
        self.count.setProperty("tone", "mute")
        self.count.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.count.setMinimumWidth(px(9 * GRID))  # a number of lines; a fault is longer, and a tooltip too
        row.addWidget(self.count, 1)
