"""Searching a listing: the pattern that somebody typed, and the lines that have it.

Owns: the sentence about what is no pattern, and finding lines piece by piece, so that a long search neither holds up
the window nor goes on when nobody waits for it, or for longer than anybody would. Refuses: Qt.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Event
from typing import Final

import numpy as np

from spyre_studio.listing_text import Numbers, Text
from spyre_studio.typed_pattern import NoPatternError, TooSlowError, TypedPattern, typed_pattern

_PIECE: Final = 1 << 16  # letters looked at without a pause: other threads come in between
SECONDS: Final = 5.0  # that somebody would wait for an expression
NOTHING: Final[Numbers] = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class Query:
    """What is searched: words as they are, or a regular expression; with `case`, capitals differ from small letters."""

    words: str = ""
    case: bool = False
    regex: bool = False

    def pattern(self) -> TypedPattern:
        """The expression of it; NoPatternError where the words are none."""
        return typed_pattern(self.words, case=self.case, words=not self.regex)

    @property
    def fault(self) -> str:
        """Why this is no regular expression, in one sentence; '' if it is."""
        if not self.regex or not self.words:
            return ""
        try:
            self.pattern()
        except NoPatternError as error:
            return f"Not a regular expression: {error}."
        return ""


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """A search under way; set `stop` to end it with what it has.  It sets `slow` where it has given up by itself, after
    so many `seconds`."""

    query: Query
    seconds: float = SECONDS
    stop: Event = field(default_factory=Event)
    slow: Event = field(default_factory=Event)

    def run(self, text: Text) -> Numbers:
        """Numbers of the lines that hold it, in order."""
        if not self.query.words or self.query.fault:
            return NOTHING
        pattern, found, until = self.query.pattern(), list[int](), time.monotonic() + self.seconds
        first = 0
        while first < len(text) and not self.stop.is_set():
            end = max(text.line_at(min(int(text.starts[first]) + _PIECE, int(text.starts[-1]) - 1)), first + 1)
            end = len(text) if end >= len(text) - 1 else end
            try:
                for line in _lines_in(pattern, text, first, end, until):
                    found.append(line)
            except TooSlowError:
                self.slow.set()
                break
            first = end
        return np.array(found, np.int64)


def spans_in(pattern: TypedPattern, line: str) -> list[tuple[int, int]]:
    """Where the pattern is in one line that is about to be painted; nowhere where that takes too long."""
    try:
        return pattern.spans(line)
    except TooSlowError:
        return []


def _lines_in(pattern: TypedPattern, text: Text, first: int, end: int, until: float) -> Iterator[int]:
    """Lines of a piece.  What only is there across the end of a line is looked at again in the lines alone."""
    whole, at, stop = text.whole, int(text.starts[first]), int(text.starts[end]) - 1
    while at <= stop:
        found = pattern.search(whole, at, stop, until - time.monotonic())
        if found is None:
            break
        line = text.line_at(found[0])
        behind = int(text.starts[line + 1])
        if behind > found[1] > found[0] or pattern.spans(text.line(line), max(until - time.monotonic(), 0.0)):
            yield line
        at = behind
