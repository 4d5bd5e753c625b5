"""Collector: Python's search for cyclic garbage, on the window's thread alone.

Owns: when it searches, by the counts and thresholds that Python itself goes by.  Refuses to let it happen wherever
memory is asked for: on another thread it would take widgets apart while the window's thread does the same.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from PySide6.QtCore import QObject, QTimer

_EVERY_MS: Final = 50
_LOCK: Final = threading.Lock()
_busy: set[int] = set()  # threads that make very many values


@contextmanager
def unsearched() -> Iterator[None]:
    """Nobody searches while this thread makes very many values, nor ever among them: a search would hold up every
    thread for a second, and finds nothing, since values have no cycles.
    """
    with _LOCK:
        _busy.add(threading.get_ident())
    searching = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        with _LOCK:
            gc.freeze()
            _busy.discard(threading.get_ident())
        if searching:
            gc.enable()


class Collector(QObject):
    """Searches while it lives, or until `end`; Python itself does not meanwhile."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.look)
        self._timer.start(_EVERY_MS)

    def look(self) -> None:
        """Search as far as Python would have by now, unless many values are being made."""
        due = [count > most for count, most in zip(gc.get_count(), gc.get_threshold(), strict=True)]
        if due[0] and not _busy:
            gc.collect(2 if all(due) else 1 if due[1] else 0)

    def end(self) -> None:
        """Leave it to Python again."""
        self._timer.stop()
        gc.enable()
