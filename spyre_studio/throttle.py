"""Throttle: what is told often reaches people at most so many times a second, and the last of it always.

Owns the time between two.  Refuses to know what is told and to whom.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
Clock = Callable[[], float]
SECONDS = 0.1


def _later(seconds: float, act: Callable[[], None]) -> None:
    timer = threading.Timer(seconds, act)
    timer.daemon = True
    timer.start()


class Throttle(Generic[T]):
    """Passes values on: at once if none was lately, else the newest one as soon as `seconds` have passed.

    `put` may be called from any thread, and `tell` is: never twice at a time.  `clock` and `later` stand in for time
    and timers in tests.
    """

    def __init__(
        self,
        tell: Callable[[T], None],
        seconds: float = SECONDS,
        clock: Clock = time.monotonic,
        later: Callable[[float, Callable[[], None]], None] = _later,
    ) -> None:
        self._tell, self._seconds, self._clock, self._later = tell, seconds, clock, later
        self._lock = threading.Lock()
        self._waiting: list[T] = []
        self._next = float("-inf")
        self._timed = False

    def put(self, value: T) -> None:
        """Tell it, now or soon, unless something newer comes before that."""
        with self._lock:
            self._waiting = [value]
            self._tell_or_wait()

    def flush(self) -> None:
        """Tell what still waits."""
        with self._lock:
            self._pass_on()

    def _due(self) -> None:
        with self._lock:
            self._timed = False
            if self._waiting:
                self._tell_or_wait()

    def _tell_or_wait(self) -> None:
        wait = self._next - self._clock()
        if wait <= 0:
            self._pass_on()
        elif not self._timed:
            self._timed = True
            self._later(wait, self._due)

    def _pass_on(self) -> None:
        waiting, self._waiting = self._waiting, []
        for value in waiting:
            self._next = self._clock() + self._seconds
            self._tell(value)
