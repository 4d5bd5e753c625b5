"""The interrupt key while a plan is searched for: first it asks for the best so far, the second time it ends all.

Owns running work on a thread of its own, so that the key is heard whatever the work does.  Refuses to know what a
search is: whoever is asked says whether there is one to end.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

T = TypeVar("T")
_NAME = "work aside"
_GOING_SECONDS = 1.0
_LOOK_SECONDS = 0.1  # a signal may reach another thread, which does not wake the one that waits


def run_aside(work: Callable[[], T], stop: Callable[[], bool], cancel: Callable[[], None]) -> T:
    """The result of some work, or its exception.

    The interrupt key calls `stop`; where that says False, because there is nothing that could be stopped, `cancel` is
    called and KeyboardInterrupt raised, whether the work has ended by then or not (see `left_behind`).
    """
    results: list[T] = []
    errors: list[BaseException] = []
    ended = threading.Event()

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001  it is raised below, on the thread that asked
            errors.append(error)
        finally:
            ended.set()

    with _heard(stop):
        threading.Thread(target=run, name=_NAME, daemon=True).start()
        try:
            while not ended.wait(_LOOK_SECONDS):
                pass
        except BaseException:
            cancel()
            ended.wait(_GOING_SECONDS)
            raise
    if errors:
        raise errors[0]
    return results[0]


def left_behind() -> bool:
    """True if work goes on that nobody waits for: a thread that is deep in it cannot be asked to end."""
    return any(thread.name == _NAME for thread in threading.enumerate())


@contextmanager
def _heard(stop: Callable[[], bool]) -> Iterator[None]:
    """Ask `stop` first; as it was before on another thread than the main one, and where the key is ignored."""
    known = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or known is not signal.default_int_handler:
        yield
        return

    def pressed(_number: int, _frame: FrameType | None) -> None:
        if not stop():
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, pressed)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, known)
