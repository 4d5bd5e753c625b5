"""Work off the window's thread for what would hold it up: one piece at a time, and only the newest answer counts.

Owns: the thread pool and dropping stale answers. Refuses: widgets; the work gets values and returns a value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from PySide6.QtCore import QObject, QRunnable, QThreadPool, Signal

T = TypeVar("T")


class _Piece(QRunnable):
    def __init__(self, work: Callable[[], object], done: Callable[[object], None]) -> None:
        super().__init__()
        self._work, self._done = work, done

    def run(self) -> None:
        self._done(self._work())


class Background(QObject):
    """Runs functions on a thread of its own and hands their results over on the window's."""

    _finished = Signal(int, object)  # emitted on the pool's thread, received on the window's

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._newest = 0
        self._deliver: Callable[[object], None] | None = None
        self._finished.connect(self._receive)

    @property
    def busy(self) -> bool:
        """True while an answer is awaited."""
        return self._deliver is not None

    def run(self, work: Callable[[], T], done: Callable[[T], None]) -> None:
        """Call `done` with the result of `work`, unless something newer is asked or it is cancelled first."""
        self._newest += 1
        number = self._newest
        self._pool.clear()
        self._deliver = cast("Callable[[object], None]", done)  # it gets what `work` returned, which is a T
        self._pool.start(_Piece(work, lambda value: self._finished.emit(number, value)))

    def cancel(self) -> None:
        """Nobody waits any more."""
        self._newest += 1
        self._deliver = None
        self._pool.clear()

    def finish(self) -> None:
        """Wait until all of it is done; nobody hears of it."""
        self._pool.waitForDone()
        self.cancel()

    def _receive(self, number: int, value: object) -> None:
        if number == self._newest and self._deliver is not None:
            deliver, self._deliver = self._deliver, None
            deliver(value)
