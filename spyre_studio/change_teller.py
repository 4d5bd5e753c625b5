"""The teller of the last change: compares each plan with the one before it, off the window's thread where that is long.

Owns when to compare, and that only the newest answer counts.  Refuses: the words, which `last_change` makes.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QObject, Signal

from compiler.compilation import Compilation
from spyre_studio.background import Background
from spyre_studio.last_change import LastChange, last_change
from spyre_studio.session import Session

_AT_ONCE: Final = 120  # steps; a few milliseconds of comparing
_KEPT: Final[list[tuple[Compilation, Compilation, LastChange]]] = []
"""What was told last, for panels that are made anew."""


class ChangeTeller(QObject):
    """`told` carries a LastChange, or None while there is none to tell."""

    told = Signal(object)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._background = Background(self, patient=True)
        self._pair: tuple[Compilation | None, Compilation | None] = (None, None)
        session.changed.connect(self._changed)

    def _changed(self, what: str) -> None:
        if what not in {"plan", "model"}:
            return
        before, after = self._session.before, self._session.compilation
        if what == "model":
            before = None
        if before is not None and before is self._pair[0] and after is self._pair[1]:
            return
        self._pair = (before, after)
        self._background.cancel()
        if before is None or after is None or before.graph.name != after.graph.name:
            _KEPT.clear()
            self.told.emit(None)
        elif len(after.plan.divisions) <= _AT_ONCE:
            self.told.emit(last_change(before, after))
        elif _KEPT and _KEPT[0][0] is before and _KEPT[0][1] is after:
            self.told.emit(_KEPT[0][2])
        else:
            self._background.run(lambda: last_change(before, after), lambda made: self._compared(before, after, made))

    def _compared(self, before: Compilation, after: Compilation, made: LastChange) -> None:
        _KEPT[:] = [(before, after, made)]
        self.told.emit(made)

    def tell_again(self) -> None:
        """For whoever listens only now: the last change, if there is one."""
        self._changed("plan")

    def finish(self) -> None:
        """Wait for what is being compared; nobody hears of it."""
        self._background.finish()
