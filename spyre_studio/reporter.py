"""Reporter: how long work tells where it is, and hears that it should stop.

Owns the protocol and the reporter of those who do not care.  Refuses to know who listens: a terminal or a window.
"""

from __future__ import annotations

from typing import Protocol

from compiler.errors import StoppedError


class Reporter(Protocol):
    """Told from the thread that works."""

    def progress(self, fraction: float | None, phase: str, detail: str = "") -> None:
        """Work is at this share (None if unknown) in this phase."""

    def note(self, sentence: str) -> None:
        """Something a person should know before the work goes on."""

    def cancelled(self) -> bool:
        """True once the work is no longer wanted."""


class Silent:
    """Tells nobody and is never cancelled."""

    def progress(self, fraction: float | None, phase: str, detail: str = "") -> None:
        """Nothing."""

    def note(self, sentence: str) -> None:
        """Nothing."""

    def cancelled(self) -> bool:
        """Never."""
        return False


class Part:
    """A part of longer work: its shares fill the stretch from `low` to `high` of the whole."""

    def __init__(self, whole: Reporter, low: float, high: float) -> None:
        self._whole = whole
        self._low = low
        self._high = high

    def progress(self, fraction: float | None, phase: str, detail: str = "") -> None:
        """Tell the share of the whole."""
        share = None if fraction is None else self._low + (self._high - self._low) * fraction
        self._whole.progress(share, phase, detail)

    def note(self, sentence: str) -> None:
        """Pass it on."""
        self._whole.note(sentence)

    def cancelled(self) -> bool:
        """As the whole is."""
        return self._whole.cancelled()


def stop_if_cancelled(reporter: Reporter) -> None:
    """Raise StoppedError if the work is no longer wanted."""
    if reporter.cancelled():
        raise StoppedError
