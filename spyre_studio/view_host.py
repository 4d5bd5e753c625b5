"""Keeps a view up to date while it can be seen, and lets it rest while it cannot.

Owns: when `show_compilation` and `show_selection` are called: at once, or of a large plan in a turn of the event loop
of its own, so that the window does not stand still until all views have it. Refuses: knowing what the view draws.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

from spyre_studio.selection import Selection
from spyre_studio.session import Session
from spyre_studio.turns import Turns
from spyre_studio.views import View

LARGE: Final = 1000  # ops; with them a view may need a hundredth of a second and more


class ViewHost(QObject):
    """Follows session and selection for one view, which is `widget` and has the methods of a View.

    A view never hears of a selection before it has the plan that the selection speaks of.
    """

    def __init__(
        self, view: View, widget: QWidget, session: Session, selection: Selection, turns: Turns | None = None
    ) -> None:
        """Without `turns` the view has every plan at once."""
        super().__init__(widget)
        self._view, self._widget, self._session, self._turns = view, widget, session, turns
        self._given = (session.captured, session.compilation)
        self._selection_is_old = True
        widget.installEventFilter(self)
        session.changed.connect(self._changed)
        selection.changed.connect(self._selected)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The view comes into sight: tell it what it missed."""
        if watched is self._widget and event.type() == QEvent.Type.Show:
            self._follow()
        return super().eventFilter(watched, event)

    def _changed(self, what: str) -> None:
        if what in {"model", "plan"}:
            self._follow()

    def _selected(self) -> None:
        self._selection_is_old = True
        self._follow()

    def _follow(self) -> None:
        new = self._session.compilation
        large = new is not None and len(new.problem.program.ops) >= LARGE
        if self._turns is not None and large and new is not self._given[1]:
            self._turns.add(self._catch_up)
        else:
            self._catch_up()

    def _catch_up(self) -> None:
        if not self._widget.isVisible():
            return  # it is shown later, or was hidden while it waited
        now = (self._session.captured, self._session.compilation)
        if any(new is not old for new, old in zip(now, self._given, strict=True)):
            self._given, self._selection_is_old = now, True
            self._view.show_compilation(self._session.compilation)
        if self._selection_is_old:
            self._selection_is_old = False
            self._view.show_selection()
