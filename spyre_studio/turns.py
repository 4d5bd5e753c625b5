"""Turns: pieces of work that wait for turns of the event loop of their own, so that a person can act between them.

Owns: their order, first come, first served, each once. Refuses threads: what takes long goes to the worker or to a
Background.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


class Turns(QObject):
    """One piece in a turn."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: dict[Callable[[], None], None] = {}
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._next)

    @property
    def busy(self) -> bool:
        """True while something waits."""
        return bool(self._waiting)

    def add(self, act: Callable[[], None]) -> None:
        """Call it soon; once, if it waits already."""
        self._waiting.setdefault(act)
        if not self._timer.isActive():
            self._timer.start(0)

    def _next(self) -> None:
        act = next(iter(self._waiting))
        del self._waiting[act]
        if not self._waiting:
            self._timer.stop()
        act()
