"""Keeps a view up to date while it can be seen, and lets it rest while it cannot.

Owns: when `show_compilation` and `show_selection` are called. Refuses: knowing what the view draws.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

from spyre_studio.selection import Selection
from spyre_studio.session import Session
from spyre_studio.views import View


class ViewHost(QObject):
    """Follows session and selection for one view, which is `widget` and has the methods of a View.

    A view never hears of a selection before it has the plan that the selection speaks of.
    """

    def __init__(self, view: View, widget: QWidget, session: Session, selection: Selection) -> None:
        super().__init__(widget)
        self._view, self._widget, self._session = view, widget, session
        self._given = (session.captured, session.compilation)
        self._selection_is_old = True
        widget.installEventFilter(self)
        session.changed.connect(self._changed)
        selection.changed.connect(self._selected)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The view comes into sight: tell it what it missed."""
        if watched is self._widget and event.type() == QEvent.Type.Show:
            self._catch_up()
        return super().eventFilter(watched, event)

    def _changed(self, what: str) -> None:
        if what in {"model", "plan"} and self._widget.isVisible():
            self._catch_up()

    def _selected(self) -> None:
        self._selection_is_old = True
        if self._widget.isVisible():
            self._catch_up()

    def _catch_up(self) -> None:
        now = (self._session.captured, self._session.compilation)
        if any(new is not old for new, old in zip(now, self._given, strict=True)):
            self._given, self._selection_is_old = now, True
            self._view.show_compilation(self._session.compilation)
        if self._selection_is_old:
            self._selection_is_old = False
            self._view.show_selection()
