"""The base of views about the plan on screen: a page that says why there is nothing, or the view itself.

Owns: which of the two is shown, the badges, and putting work off until the view is visible. Refuses: what is shown.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedLayout, QWidget

from compiler.compilation import Compilation
from spyre_studio.phases import phase_words, spoken_name
from spyre_studio.selection import Selection
from spyre_studio.session import Session
from spyre_studio.state_page import StatePage
from spyre_studio.view_state import READY, Badge, ViewState, empty, error, loading, stale


class PagedView(QWidget):
    """A subclass gives `body` its content, and implements `fill`, `mark` and, as it likes, `show_badges`."""

    key = ""
    title = ""
    nothing: ViewState = empty("No model is open", "Open a model and what its plan decides appears here.")

    def __init__(self, session: Session, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session, self.selection = session, selection
        self.page = StatePage(READY, self)
        self.body = QWidget(self)
        self._wanted: Compilation | None = session.compilation
        self._shown: Compilation | None = None
        self._unmarked = True
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.page)
        self._stack.addWidget(self.body)
        self.setAccessibleName(self.title)
        self.page.acted.connect(session.cancel)
        session.changed.connect(self._session_changed)
        session.progressed.connect(self._show_state)

    # What the window calls

    def show_compilation(self, compilation: Compilation | None) -> None:
        """Show this plan: now, or as soon as the view is visible."""
        self._wanted = compilation
        self._catch_up()

    def show_selection(self) -> None:
        """Mark what is selected."""
        self._unmarked = True
        self._catch_up()

    @property
    def compilation(self) -> Compilation | None:
        """The plan that is shown."""
        return self._shown

    @property
    def state(self) -> ViewState:
        """What the page says; 'ready' while the view itself is shown."""
        return self.page.state

    # What a subclass implements

    def fill(self, compilation: Compilation) -> None:
        """Show another plan."""

    def mark(self) -> None:
        """Show what is selected; there is a plan."""

    def show_badges(self, badges: tuple[Badge, ...]) -> None:
        """Remarks about a plan that is shown all the same."""

    def state_now(self) -> ViewState:
        """Why there is nothing to show, or READY with badges."""
        session = self.session
        if self._wanted is not None:
            return stale(session.stale_words)
        if session.state == "loading":
            return loading(f"Opening {spoken_name(session.opening)}", phase_words(session.busy))
        failure = session.failure
        if session.state == "error" and failure is not None:
            return error(f"{failure.what} cannot be shown", f"{failure.why}; {failure.remedy}.", "", failure.details)
        return self.nothing

    def recolour(self) -> None:
        """The theme changed; by default what is selected is marked anew."""
        self.mark()

    def noted(self, what: str) -> None:
        """The session changed in some other way (pins, verify, options)."""

    # How it works

    def showEvent(self, event: QShowEvent) -> None:
        """Now the work that was put off is due."""
        super().showEvent(event)
        self._catch_up()

    def changeEvent(self, event: QEvent) -> None:
        """Another theme: colours that were written into rows and texts are made anew."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self.isVisible() and self._shown is not None:
            self.recolour()

    def _session_changed(self, what: str) -> None:
        if self.isVisible():
            self.noted(what)
        self._show_state()

    def _catch_up(self) -> None:
        if not self.isVisible():
            return
        if self._wanted is not self._shown:
            self._shown = self._wanted
            self._unmarked = True
            if self._shown is not None:
                self.fill(self._shown)
        if self._unmarked and self._shown is not None:
            self._unmarked = False
            self.mark()
        self._show_state()

    def _show_state(self) -> None:
        if not self.isVisible():
            return
        state = self.state_now()
        self.page.show_state(state)
        ready = state.kind == "ready"
        self._stack.setCurrentWidget(self.body if ready else self.page)
        if ready:
            self.show_badges(state.badges)
