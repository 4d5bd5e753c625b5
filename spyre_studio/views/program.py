"""The program view: plan, device program and loops as text, linked with the selection in both directions.

Owns: which listing is shown, writing it off the window's thread if it is long, and the search. Refuses: editing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, cast

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QStackedLayout, QVBoxLayout, QWidget

from compiler.compilation import Compilation
from spyre_studio.background import Background
from spyre_studio.listing import Listing, ListingKind, Subject, listing_of
from spyre_studio.qt_theme import font, px
from spyre_studio.selection import Selection
from spyre_studio.session import Session
from spyre_studio.state_page import StatePage
from spyre_studio.theme import GRID, PAD
from spyre_studio.units import format_count
from spyre_studio.view_state import Badge, empty, loading
from spyre_studio.views.overlay import Chooser
from spyre_studio.views.paged import PagedView
from spyre_studio.views.text_lines import TextLines
from spyre_studio.widgets import hairline

_KINDS: Final = (("plan", "plan"), ("program", "device program"), ("loops", "loops"))
_AT_ONCE: Final = 12_000  # cores times steps; about 50 ms of writing


class ProgramView(PagedView):
    """A listing with a search field."""

    key = "program"
    title = "Program"
    nothing = empty("No plan yet", "Open a model to read its plan and the program for the device as text.")

    def __init__(self, session: Session, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(session, selection, parent)
        self._listing: Listing | None = None
        self._own_move = False
        self.background = Background(self)
        self.kind = Chooser("Listing", _KINDS)
        self.lines = TextLines("Listing")
        self.search, self.count, self.stale = QLineEdit(), QLabel(), QLabel()
        self.writing = StatePage(loading("Writing the listing", "It is long; the window stays usable.", action=""))
        self._arrange()
        self._connect()

    # What is shown

    def fill(self, compilation: Compilation) -> None:
        """Write the listing of another plan."""
        self._write(compilation)

    def mark(self) -> None:
        """Mark the lines about what is selected."""
        listing, place = self._listing, self.selection.place
        if listing is None:
            return
        wanted = {Subject("op", place.op or ""), Subject("buffer", place.buffer or "")}
        numbers = [number for number, subject in enumerate(listing.subjects) if subject in wanted]
        self.lines.mark(numbers, reveal=not self._own_move)

    def show_badges(self, badges: tuple[Badge, ...]) -> None:
        """Beside the search."""
        self.stale.setText(", ".join(badge.text for badge in badges))
        self.stale.setVisible(bool(badges))

    @property
    def listing(self) -> Listing | None:
        """What is on screen, None while it is written."""
        return self._listing

    def _write(self, compilation: Compilation) -> None:
        kind = cast("ListingKind", self.kind.key)
        small = compilation.plan.cores * len(compilation.plan.divisions) <= _AT_ONCE
        if small or kind == "plan":
            self.background.cancel()
            self._written(listing_of(compilation, kind))
            return
        self._listing = None
        self._inner.setCurrentWidget(self.writing)
        self.background.run(lambda: listing_of(compilation, kind), self._written)

    def _written(self, listing: Listing) -> None:
        self._listing = listing
        self.lines.show_lines(listing.lines)
        self._inner.setCurrentWidget(self.lines)
        self._say_count(-1)
        self.mark()

    # What the user does

    def _kind_chosen(self) -> None:
        if self.compilation is not None:
            self._write(self.compilation)

    def _went_to(self, number: int) -> None:
        subject = self._listing.subjects[number] if self._listing is not None else None
        if subject is None:
            return
        self._own_move = True
        if subject.kind == "op":
            self.selection.select_op(subject.name)
        else:
            self.selection.select_buffer(subject.name)
        self._own_move = False

    def _searched(self, text: str) -> None:
        self.lines.search(text)
        self._say_count(-1)

    def _next(self, forwards: bool = True) -> None:
        self._say_count(self.lines.next_hit(forwards))

    def _say_count(self, place: int) -> None:
        total = len(self.lines.hits)
        if not self.lines.searched:
            self.count.setText(format_count(len(self.lines.lines), "line"))
        elif place >= 0:
            self.count.setText(f"{place + 1:,} of {total:,}")
        else:
            self.count.setText(format_count(total, "line found", "lines found"))

    def open_search(self) -> None:
        """Go to the search field."""
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    # Arrangement

    def _arrange(self) -> None:
        self.search.setPlaceholderText("Search the listing")
        self.search.setAccessibleName("Search the listing")
        self.search.setClearButtonEnabled(True)
        self.search.setMaximumWidth(px(40 * GRID))
        for label, tone in ((self.count, "mute"), (self.stale, "warn")):
            label.setFont(font("label"))
            label.setProperty("tone", tone)
        head = QHBoxLayout()
        head.setContentsMargins(px(GRID), px(GRID / 2), px(PAD), px(GRID / 2))
        head.setSpacing(px(GRID))
        head.addWidget(self.kind)
        head.addWidget(self.search, 1)
        head.addWidget(self.count)
        head.addStretch(0)
        head.addWidget(self.stale)
        holder = QWidget()
        self._inner = QStackedLayout(holder)
        self._inner.addWidget(self.lines)
        self._inner.addWidget(self.writing)
        column = QVBoxLayout(self.body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(hairline())
        column.addWidget(holder, 1)

    def _connect(self) -> None:
        self.kind.chosen.connect(self._kind_chosen)
        self.lines.went_to.connect(self._went_to)
        self.search.textChanged.connect(self._searched)
        self.search.returnPressed.connect(self._next)
        for widget in (self.lines, self.search):
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Searching here is not searching the graph: the keys of the window's search mean this text while it has the
        focus."""
        if isinstance(event, QKeyEvent):
            act = self._search_key(event)
            if act is not None:
                event.accept()
                if event.type() == QEvent.Type.KeyPress:
                    act()
                return True
        return super().eventFilter(watched, event)

    def _search_key(self, event: QKeyEvent) -> Callable[[], None] | None:
        held, key = event.modifiers(), event.key()
        if key == Qt.Key.Key_F and held == Qt.KeyboardModifier.ControlModifier:
            return self.open_search
        if key == Qt.Key.Key_F3:
            return lambda: self._next(held != Qt.KeyboardModifier.ShiftModifier)
        return None
