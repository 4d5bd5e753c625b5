"""Watch: tells how far a long piece of work is, and ends it when its owner wants that.

Owns how often progress is told.  Refuses threads: who works asks, after every step.
"""

from __future__ import annotations

from collections.abc import Callable

from compiler.errors import StoppedError

REPORTS = 100
"""Progress is told at most so often, in equal steps."""
Progress = Callable[[float, str], None]
"""Called with the share that is done, and the step or the part of the work that was done last."""
Stopped = Callable[[], bool]


class Watch:
    """Over so many `steps`; StoppedError once `stopped` says so."""

    def __init__(self, steps: int, progress: Progress | None, stopped: Stopped | None) -> None:
        self._steps, self._progress, self._stopped = steps, progress, stopped
        self._done = self._told = 0

    def ended(self, name: str) -> None:
        """A step has ended."""
        if self._stopped and self._stopped():
            raise StoppedError
        self._done += 1
        reports = self._done * REPORTS // self._steps
        if self._progress and reports > self._told:
            self._told = reports
            self._progress(self._done / self._steps, name)


def between(progress: Progress | None, low: float, high: float) -> Progress | None:
    """What tells the progress of a part, as that of the whole: from `low` to `high`.

    >>> told = []
    >>> part = between(lambda share, step: told.append((share, step)), 0.5, 1.0)
    >>> part(0.0, "a"), part(1.0, "b"), told
    (None, None, [(0.5, 'a'), (1.0, 'b')])
    """
    if progress is None:
        return None
    tell = progress
    return lambda share, name: tell(low + (high - low) * share, name)
