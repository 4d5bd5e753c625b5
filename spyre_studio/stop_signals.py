"""Signals that ask a process to end: SIGTERM (`kill`, `timeout`) and SIGHUP (a terminal that closes).

Owns turning the first of them into an exception, so that whatever runs cleans up after itself.  Refuses to touch a
signal that whoever started us ignores, as `nohup` does.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_NAMES = ("SIGTERM", "SIGHUP")


class Ended(BaseException):
    """We were asked to end; like KeyboardInterrupt no failure, so that nothing but cleaning up may catch it."""

    def __init__(self, number: int) -> None:
        self.code = 128 + number
        super().__init__(number)


@contextmanager
def orderly() -> Iterator[None]:
    """Raise Ended on the main thread once when a signal asks to end; further ones do not disturb the cleaning up."""
    numbers = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    if threading.current_thread() is not threading.main_thread():
        numbers = []
    taken = {number: signal.getsignal(number) for number in numbers if signal.getsignal(number) is signal.SIG_DFL}

    def end(number: int, _frame: FrameType | None) -> None:
        for each in taken:
            signal.signal(each, signal.SIG_IGN)
        raise Ended(number)

    for number in taken:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number, before in taken.items():
            signal.signal(number, before)
