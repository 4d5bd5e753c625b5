"""Reporter: how long work tells where it is, and hears that it should stop.

Owns the protocol and the reporter of those who do not care.  A search tells what it has found, too, and hears that it
may end with that.  Refuses to know who listens: a terminal or a window.
"""

from __future__ import annotations

from typing import Protocol

from compiler.errors import StoppedError
from compiler.watch import Finding

NOTE = "note"
"""The phase of a progress line of the worker whose detail is something a person should know."""


class Reporter(Protocol):
    """Told from the thread that works."""

    def progress(self, fraction: float | None, phase: str, detail: str = "") -> None:
        """Work is at this share (None if unknown) in this phase."""

    def note(self, sentence: str) -> None:
        """Something a person should know before the work goes on."""

    def cancelled(self) -> bool:
        """True once the work is no longer wanted."""

    def found(self, finding: Finding) -> None:
        """A search has found this."""

    def enough(self) -> bool:
        """True once a search shall end with the best that it has found."""


class Silent:
    """Tells nobody and is never cancelled."""

    def progress(self, fraction: float | None, phase: str, detail: str = "") -> None:
        """Nothing."""

    def note(self, sentence: str) -> None:
        """Nothing."""

    def cancelled(self) -> bool:
        """Never."""
        return False

    def found(self, finding: Finding) -> None:
        """Nothing."""

    def enough(self) -> bool:
        """Never."""
        return False


def stop_if_cancelled(reporter: Reporter) -> None:
    """Raise StoppedError if the work is no longer wanted."""
    if reporter.cancelled():
        raise StoppedError
