"""A watchdog on the window's thread: how long its event loop was held up, and by what.

Owns the heartbeat (a timer that beats in every turn of the event loop), the sampler that writes down the stack of a
turn that takes long, and which of both is told.  A turn is measured by the processor time of this process, all of its
threads: a thread that keeps the interpreter to itself holds up the window as its own work does, and a machine that is
busy with something else does not count.  Refuses to judge: the test does.
"""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from PySide6.QtCore import QObject, Qt, QTimer

_SAMPLE_S = 0.005
_LONG_S = 0.05  # of a turn; stacks of shorter ones are not kept
_DEPTH = 14


@dataclass(frozen=True, slots=True)
class Turn:
    """The longest turn of a phase: milliseconds of the window's thread, of all threads, and on the clock."""

    phase: str
    own_ms: float
    all_ms: float
    clock_ms: float
    stack: str

    def __str__(self) -> str:
        times = f"{self.own_ms:.0f} ms of its own, {self.all_ms:.0f} with other threads, {self.clock_ms:.0f} by clock"
        return f"{self.phase}: {times}\n{self.stack}"


@dataclass(slots=True)
class _Sample:
    beat: int
    stack: str


class Watchdog(QObject):
    """Watches the thread that makes it, from `start` to `stop`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.worst: dict[str, Turn] = {}
        self._phase = ""
        self._thread = threading.get_ident()
        self._beats = 0
        self._began = (0.0, 0.0, 0.0)
        self._samples: list[_Sample] = []
        self._over = threading.Event()
        self._sampler = threading.Thread(target=self._sample, daemon=True)
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(1)
        self._timer.timeout.connect(self._beat)

    def start(self) -> None:
        """Begin to watch."""
        self._began = _now()
        self._timer.start()
        self._sampler.start()

    def stop(self) -> None:
        """Watch no more."""
        self._timer.stop()
        self._over.set()
        self._sampler.join()

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """What is done in this block is told under a name; the turn that begins it is its own."""
        self._beat()
        before, self._phase = self._phase, name
        try:
            yield
        finally:
            self._beat()
            self._phase = before

    def _beat(self) -> None:
        began, self._began = self._began, _now()
        own, every, clock = ((new - old) * 1000 for new, old in zip(self._began, began, strict=True))
        beat, self._beats = self._beats, self._beats + 1
        samples, self._samples = self._samples, []
        known = self.worst.get(self._phase)
        if self._phase and (known is None or max(own, every) > max(known.own_ms, known.all_ms)):
            found = [one.stack for one in samples if one.beat == beat]
            self.worst[self._phase] = Turn(self._phase, own, every, clock, _common(found))

    def _sample(self) -> None:
        while not self._over.wait(_SAMPLE_S):
            beat = self._beats
            if time.perf_counter() - self._began[2] > _LONG_S:
                frames = sys._current_frames()
                self._samples.append(_Sample(beat, _told(frames.get(self._thread))))


def _now() -> tuple[float, float, float]:
    return time.thread_time(), time.process_time(), time.perf_counter()


def _told(frame: FrameType | None) -> str:
    if frame is None:
        return ""
    return "".join(traceback.format_list(traceback.extract_stack(frame)[-_DEPTH:]))


def _common(stacks: list[str]) -> str:
    """The stack seen most often."""
    return max(set(stacks), key=stacks.count) if stacks else ""
