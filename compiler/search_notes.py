"""Search notes: what the reason of a search says at its end where its plan may not be the best.

Owns those sentences, and finding them again in a reason.  Refuses to judge when they are true.
"""

from __future__ import annotations

NOTHING_BETTER = "nothing better found"
STOPPED, IN_TIME, BY_ITSELF = "before it was stopped", "in the time given", "by this search"
"""How a search ended."""
START, IMPROVED, BEFORE = "what it started from", "the improved divisions that it started from", "the plan before"
"""What nothing better was found than."""
HURRIED = "there was too little time to improve the divisions one by one; give more seconds"


def nothing_better(ended: str, than: str) -> str:
    """That a search has not improved on what was known before it.

    >>> nothing_better(STOPPED, START)
    'nothing better found before it was stopped than what it started from'
    """
    return f"{NOTHING_BETTER} {ended} than {than}"


def with_notes(reason: str, *notes: str) -> str:
    """A reason with notes at its end; empty ones count for nothing."""
    return "; ".join((reason, *(note for note in notes if note)))


def notes_of(reason: str) -> str:
    """The notes at the end of a reason; empty if there are none.

    >>> notes_of(with_notes("5 µs", nothing_better(IN_TIME, START), HURRIED)).partition(";")[0]
    'nothing better found in the time given than what it started from'
    """
    return reason[_start(reason) :].removeprefix("; ")


def without_notes(reason: str) -> str:
    """A reason without the notes at its end."""
    return reason[: _start(reason)]


def _start(reason: str) -> int:
    found = (reason.find(f"; {note}") for note in (NOTHING_BETTER, HURRIED))
    return min((place for place in found if place >= 0), default=len(reason))
