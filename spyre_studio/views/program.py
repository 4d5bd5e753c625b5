"""The program view: plan, device program, loops, passes and exports as text, linked with the selection both ways.

Owns: which listing is shown, writing it off the window's thread if it is long, and following the selection and the
core. Refuses: editing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedLayout, QToolButton, QVBoxLayout, QWidget

from compiler.compilation import Compilation
from spyre_studio.background import Background
from spyre_studio.failure import Failure
from spyre_studio.listing import NOWHERE, Listing, Subject, merged
from spyre_studio.listing_folds import Folding
from spyre_studio.listing_kinds import PASSES, kind_of, kinds, passes_listing, tried
from spyre_studio.qt_theme import font, px
from spyre_studio.selection import Place, Selection
from spyre_studio.session import Session
from spyre_studio.state_page import StatePage
from spyre_studio.theme import GRID, PAD
from spyre_studio.view_state import Badge, ViewState, empty, error, loading
from spyre_studio.views.overlay import Chooser
from spyre_studio.views.paged import PagedView
from spyre_studio.views.pass_desk import PassDesk
from spyre_studio.views.text_keys import KEYS_HINT
from spyre_studio.views.text_lines import TextLines
from spyre_studio.views.text_marks import Marks
from spyre_studio.views.text_menu import text_menu
from spyre_studio.views.text_search import TextSearch
from spyre_studio.widgets import hairline

_AT_ONCE: Final = 12_000  # cores times steps; about 50 ms of writing
_STEPS_AT_ONCE: Final = 300  # the same for what has few lines for each step
_WRITING: Final = loading("Writing the listing", "It is long; the window stays usable.", action="")


class ProgramView(PagedView):
    """A listing with a search."""

    key = "program"
    title = "Program"
    nothing = empty("No plan yet", "Open a model to read its plan and the program for the device as text.")

    def __init__(self, session: Session, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(session, selection, parent)
        self._own_move = False
        self._seen: Place | None = None
        self._asked: tuple[str | None, str | None] | None = None
        self._made: dict[str, tuple[Listing, Folding]] = {}
        self._on_screen = ""
        self.background, self.desk = Background(self, patient=True), PassDesk(session, self)
        self.kind = Chooser("Listing", [*((row.key, row.title) for row in kinds()), (PASSES, "passes")])
        self.lines = TextLines("Listing")
        self.search = TextSearch(self.lines)
        self.stale, self.phase, self.cancel = QLabel(), QLabel(), QToolButton()
        self.writing = StatePage(_WRITING)
        self._arrange()
        self._connect()

    # What is shown

    def fill(self, compilation: Compilation) -> None:
        """Write the listing of another plan."""
        self._made.clear()
        self._write(compilation)

    @property
    def listing(self) -> Listing | None:
        """What is on screen, None while it is written."""
        return self.lines.listing if self._on_screen else None

    def show_badges(self, badges: tuple[Badge, ...]) -> None:
        """Beside the search."""
        self.stale.setText(", ".join(badge.text for badge in badges))
        self.stale.setVisible(bool(badges))

    def show_kind(self, key: str) -> None:
        """Show another listing of the plan."""
        self.kind.choose(key)
        self._kind_chosen()

    def show_place(self, op: str | None, buffer: str | None) -> None:
        """Go to the line about a buffer, or else an op: now, or when the listing is written; where the one on screen
        has none, in the device program."""
        listing, self._asked = self.listing, (op, buffer)
        if listing is not None and listing.line_of(op, buffer) < 0:
            self.show_kind("program")
        self.mark()
        self.lines.setFocus(Qt.FocusReason.OtherFocusReason)

    def _write(self, compilation: Compilation) -> None:
        key = self.kind.key
        self.background.cancel()
        if key == PASSES:
            self.desk.ask(compilation)
            self._write_passes()
            return
        if key in self._made:
            self._show(key, *self._made[key])
            return
        self._wait_or_run(compilation, key)

    def _wait_or_run(self, compilation: Compilation, key: str) -> None:
        steps = len(compilation.plan.divisions)
        cores = compilation.plan.cores if kind_of(key).long else 1
        if steps <= _STEPS_AT_ONCE and cores * steps <= _AT_ONCE:
            self._written(key, tried(compilation, key))
            return
        self._wait(_WRITING)
        self.background.run(lambda: tried(compilation, key), lambda made: self._written(key, made))

    def _write_passes(self) -> None:
        """The log at once, the changes when the worker has them."""
        compilation, story = self.compilation, self.desk.story
        self.phase.setText(self.desk.phase)
        for widget in (self.phase, self.cancel):
            widget.setVisible(bool(self.desk.phase) and self.kind.key == PASSES)
        if compilation is None or story is None or self.kind.key != PASSES:
            return
        shown = self._made.get(PASSES)
        if shown is not None and self.desk.phase:
            self._show(PASSES, *shown)
            return
        if sum(len(step.changes) for step in story.steps) <= _STEPS_AT_ONCE:
            self._written(PASSES, passes_listing(compilation, story))
            return
        self.background.run(lambda: passes_listing(compilation, story), lambda made: self._written(PASSES, made))

    def _wait(self, state: ViewState) -> None:
        self._on_screen = ""
        self.writing.show_state(state)
        self._inner.setCurrentWidget(self.writing)

    def _written(self, key: str, made: Listing | Failure) -> None:
        if isinstance(made, Failure):
            self._wait(error(f"No listing: {made.what}", f"{made.why}; {made.remedy}.", "", made.details))
            return
        folding = Folding(made.folds, len(made))
        self._made[key] = (made, folding)
        self._show(key, made, folding)

    def _show(self, key: str, listing: Listing, folding: Folding) -> None:
        self._inner.setCurrentWidget(self.lines)
        if self._on_screen == key and self.lines.listing is listing:
            return
        if self._on_screen != key:
            self._seen = None
        self._on_screen = key
        self.lines.show_listing(listing, folding)
        self.search.again()
        self.mark()

    # The selection

    def mark(self) -> None:
        """Mark the lines about what is selected, and bring the first of what is new into view."""
        listing, place = self.listing, self.selection.place
        if listing is None:
            return
        op = Subject("op", place.op) if place.op else None
        buffer = Subject("buffer", place.buffer) if place.buffer else None
        both = [subject for subject in (op, buffer) if subject is not None]
        owned = merged(*map(listing.owned, both))
        named = merged(*map(listing.places, both))
        cores = listing.of_core(place.core, owned if len(owned) else None)
        self.lines.looks.core = place.core
        self.lines.show_marks(Marks(owned, named, cores if len(owned) or place.core else NOWHERE, self.lines.hits))
        line = self._new_line(listing, place)
        self._seen = place
        if line >= 0 and not self._own_move:
            self.lines.go_to(line, centre=True)

    def _new_line(self, listing: Listing, place: Place) -> int:
        """The line that somebody asked for, or else about what is selected now and was not before, -1 for none."""
        if self._asked is not None:
            asked, self._asked = self._asked, None
            return listing.line_of(*asked)
        before = self._seen or Place()
        if place.buffer != before.buffer and place.op == before.op:
            return listing.line_of(None, place.buffer)
        if place.op != before.op:
            return listing.line_of(place.op, None) if place.op else -1
        if place.core != before.core and len(self.lines.marks.owned):
            cores = self.lines.marks.cores
            return int(cores[0]) if len(cores) else -1
        return -1

    def _follow_subject(self, subject: object) -> None:
        if isinstance(subject, Subject):
            self._own_move = True
            if subject.kind == "op":
                self.selection.select_op(subject.name)
            else:
                self.selection.select_buffer(subject.name)
            self._own_move = False

    def _went_to(self, line: int) -> None:
        """A line speaks of an op or a buffer, and perhaps of a core of it."""
        subject, core = self.lines.listing.subject_of(line), self.lines.listing.core_of(line)
        if subject is None:
            return
        self._own_move = True
        name = {subject.kind: subject.name}
        self.selection.select(op=name.get("op"), buffer=name.get("buffer"), core=core)
        self._own_move = False

    def _core_hovered(self) -> None:
        core = self.selection.hovered_core
        self.lines.looks.hovered_core = -1 if core is None else core
        self.lines.viewport().update()

    def _line_hovered(self, core: object) -> None:
        self.selection.hover_core(core if isinstance(core, int) else None)

    # What the user does

    def _kind_chosen(self) -> None:
        self.phase.hide()
        self.cancel.hide()
        if self.compilation is not None:
            self._write(self.compilation)

    def _menu(self, line: int, at: QPoint) -> None:
        text_menu(self.lines, line, self.session).popup(at)

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
            return self.search.open
        if key == Qt.Key.Key_F3:
            return lambda: self.search.go(held != Qt.KeyboardModifier.ShiftModifier)
        return None

    # Arrangement

    def _arrange(self) -> None:
        for label, tone in ((self.phase, "mute"), (self.stale, "warn")):
            label.setFont(font("label"))
            label.setProperty("tone", tone)
            label.hide()
        self.cancel.setText("Cancel")
        self.cancel.setToolTip("Leave it at the log")
        self.cancel.hide()
        self.kind.setToolTip(f"Another listing of the plan. In the text: {KEYS_HINT}.")
        self.lines.setAccessibleDescription(KEYS_HINT)
        head = QHBoxLayout()
        head.setContentsMargins(px(GRID), px(GRID / 2), px(PAD), px(GRID / 2))
        head.setSpacing(px(GRID))
        head.addWidget(self.kind)
        head.addWidget(self.search, 1)
        for widget in (self.phase, self.cancel, self.stale):
            head.addWidget(widget)
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
        self.cancel.clicked.connect(self.desk.cancel)
        self.desk.changed.connect(self._write_passes)
        self.lines.followed.connect(self._follow_subject)
        self.lines.went_to.connect(self._went_to)
        self.lines.hovered.connect(self._line_hovered)
        self.lines.menu_requested.connect(self._menu)
        self.search.left.connect(self.lines.setFocus)
        self.selection.hovered.connect(self._core_hovered)
        for widget in (self.lines, self.search.line):
            widget.installEventFilter(self)
