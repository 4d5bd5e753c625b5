"""Work off the window's thread for what would hold it up: one piece at a time, and only the newest answer counts.

Owns: the thread, dropping stale answers and those of which the asker is gone, how long a thread may keep the others
waiting, and that what can wait lets the window come to rest first.  Refuses: widgets; the work gets values and returns
a value.  Nobody ever waits for the end of a piece but `finish`: one of a view that goes runs to its end unheard.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cache
from queue import SimpleQueue
from typing import Final, TypeVar, cast
from weakref import ReferenceType, ref

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from shiboken6 import isValid

T = TypeVar("T")
_TURN_S: Final = 2e-5
"""Painting lets go of the interpreter with each call of Qt; with Python's 5 ms it would wait as long each time."""
_REST_MS: Final = 300  # within which the views of a large plan have taken it in


def take_short_turns() -> None:
    """Once in a process with a window: what other threads do holds up the window's little."""
    sys.setswitchinterval(_TURN_S)


class Background(QObject):
    """Runs functions on a thread of its own and hands their results over on the window's.

    What a function raises is raised there, too.  A `patient` one is for what takes seconds and nobody's hand waits for:
    it begins a little later, when all views have taken in what is new, and shares a single thread with all that are
    patient.  The window shares the interpreter with one of them, not with all.
    """

    def __init__(self, parent: QObject | None = None, patient: bool = False) -> None:
        super().__init__(parent)
        self._thread = _patient_thread() if patient else ThreadPoolExecutor(max_workers=1)
        self._soon = QTimer(self, interval=_REST_MS if patient else 0, singleShot=True)
        self._soon.timeout.connect(self._begin)
        self._next: Callable[[], None] | None = None
        self._pieces: list[Future[None]] = []
        self._newest = 0
        self._deliver: Callable[[object], None] | None = None

    @property
    def busy(self) -> bool:
        """True while an answer is awaited."""
        return self._deliver is not None

    @property
    def running(self) -> bool:
        """True while there is a piece that is not done, whether its answer is awaited or not."""
        return any(not piece.done() for piece in self._pieces)

    def run(self, work: Callable[[], T], done: Callable[[T], None]) -> None:
        """Call `done` with the result of `work`, unless something newer is asked or it is cancelled first."""
        self.cancel()
        self._deliver = cast("Callable[[object], None]", done)  # it gets what `work` returned, which is a T
        desk, asker, number = _desk(), ref(self), self._newest
        self._next = lambda: desk.put(_worked(asker, number, work))
        if self._soon.interval():
            self._soon.start()
        else:
            self._begin()

    def cancel(self) -> None:
        """Nobody waits any more."""
        self._newest += 1
        self._deliver = self._next = None
        self._soon.stop()
        self._pieces = [piece for piece in self._pieces if not piece.cancel() and not piece.done()]

    def finish(self) -> None:
        """Wait until all of it is done; nobody hears of it."""
        self.cancel()
        wait(self._pieces)

    def _begin(self) -> None:
        if self._next is not None:
            self._pieces.append(self._thread.submit(self._next))
            self._next = None

    def receive(self, answer: _Answer) -> None:
        """Hand an answer over, if it is the newest."""
        if answer.number == self._newest and self._deliver is not None:
            deliver, self._deliver = self._deliver, None
            if answer.mistake is not None:
                raise answer.mistake
            deliver(answer.value)


@dataclass(frozen=True, slots=True, eq=False)
class _Answer:
    """To the piece of an asker with this number."""

    asker: ReferenceType[Background]
    number: int
    value: object = None
    mistake: Exception | None = None


def _worked(asker: ReferenceType[Background], number: int, work: Callable[[], object]) -> _Answer:
    try:
        return _Answer(asker, number, work())
    except Exception as mistake:  # noqa: BLE001  it is raised again on the window's thread
        return _Answer(asker, number, mistake=mistake)


class _Desk(QObject):
    """Where answers wait for the window's thread.  It outlives all who ask: a signal of an asker would not."""

    _come = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._answers: SimpleQueue[_Answer] = SimpleQueue()
        self._come.connect(self._hand_over, Qt.ConnectionType.QueuedConnection)

    def put(self, answer: _Answer) -> None:
        """From any thread."""
        self._answers.put(answer)
        self._come.emit()

    def _hand_over(self) -> None:
        answer = self._answers.get()
        asker = answer.asker()
        if asker is not None and isValid(asker):
            asker.receive(answer)


@cache
def _patient_thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1)


@cache
def _desk() -> _Desk:
    return _Desk()
