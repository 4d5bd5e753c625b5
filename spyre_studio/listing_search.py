"""Searching a listing: the pattern that somebody typed, and the lines that have it.

Owns: reading the pattern, with a sentence where it is none, and finding lines piece by piece, so that a long search
neither holds up the window nor goes on when nobody waits for it. Refuses: Qt.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from threading import Event
from typing import Final

import numpy as np

from spyre_studio.listing_text import Numbers, Text

_PIECE: Final = 1 << 16  # letters looked at without a pause: other threads come in between
NOTHING: Final[Numbers] = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class Query:
    """What is searched: words as they are, or a regular expression; with `case`, capitals differ from small letters."""

    words: str = ""
    case: bool = False
    regex: bool = False

    def pattern(self) -> re.Pattern[str]:
        """The expression of it; `re.error` where the words are none."""
        flags = re.MULTILINE | (0 if self.case else re.IGNORECASE)
        return re.compile(self.words if self.regex else re.escape(self.words), flags)

    @property
    def fault(self) -> str:
        """Why this is no regular expression, in one sentence; '' if it is."""
        try:
            self.pattern()
        except re.error as error:
            where = "" if error.pos is None else f" at letter {error.pos + 1}"
            return f"Not a regular expression: {error.msg}{where}."
        return ""


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """A search under way; set `stop` to end it with what it has."""

    query: Query
    stop: Event = field(default_factory=Event)

    def run(self, text: Text) -> Numbers:
        """Numbers of the lines that hold it, in order."""
        if not self.query.words or self.query.fault:
            return NOTHING
        pattern, found = self.query.pattern(), []
        first = 0
        while first < len(text) and not self.stop.is_set():
            end = max(text.line_at(min(int(text.starts[first]) + _PIECE, int(text.starts[-1]) - 1)), first + 1)
            end = len(text) if end >= len(text) - 1 else end
            found += _lines_in(pattern, text, first, end)
            first = end
        return np.array(found, np.int64)


def spans_in(pattern: re.Pattern[str], line: str) -> list[tuple[int, int]]:
    """Where the pattern is in one line; places without a letter are none."""
    return [found.span() for found in pattern.finditer(line) if found.end() > found.start()]


def _lines_in(pattern: re.Pattern[str], text: Text, first: int, end: int) -> list[int]:
    """Lines of a piece.  What only is there across the end of a line is looked at again in the lines alone."""
    whole, at, stop = text.whole, int(text.starts[first]), int(text.starts[end]) - 1
    lines: list[int] = []
    while at <= stop:
        found = pattern.search(whole, at, stop)
        if found is None:
            break
        line = text.line_at(found.start())
        behind = int(text.starts[line + 1])
        if behind > found.end() > found.start() or spans_in(pattern, text.line(line)):
            lines.append(line)
        at = behind
    return lines
