"""Typed pattern: a regular expression that a person typed, which never holds the window up.

Owns: reading it, with a sentence where it is none, and giving up where it looks for too long: an expression can need
longer than anybody lives for a line of sixty letters.  Other threads go on while it looks.  Refuses Qt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import regex

SLOW: Final = "This expression takes too long; make it simpler, with fewer repetitions inside each other."
_LINE_S: Final = 0.01
"""For one line of a text, which is about to be painted."""


class TooSlowError(Exception):
    """It would take longer than it may."""


class NoPatternError(Exception):
    """A sentence on why something is no regular expression."""


@dataclass(frozen=True, slots=True)
class TypedPattern:
    """Made by `typed_pattern`."""

    _compiled: regex.Pattern[str]

    def search(self, text: str, at: int, stop: int, seconds: float) -> tuple[int, int] | None:
        """Where it is first found between two places; TooSlowError if that is not known after so many seconds."""
        if seconds <= 0:
            raise TooSlowError
        try:
            found = self._compiled.search(text, at, stop, timeout=seconds, concurrent=True)
        except TimeoutError as late:
            raise TooSlowError from late
        return found.span() if found is not None else None

    def spans(self, line: str, seconds: float = _LINE_S) -> list[tuple[int, int]]:
        """Where it is in one line; places without a letter are none.  TooSlowError as for `search`."""
        try:
            every = list(self._compiled.finditer(line, timeout=seconds))
        except TimeoutError as late:
            raise TooSlowError from late
        return [found.span() for found in every if found.end() > found.start()]


def typed_pattern(text: str, *, case: bool = False, words: bool = False) -> TypedPattern:
    """What was typed: an expression over lines, or with `words` these very letters; with `case`, capitals differ from
    small letters.  NoPatternError if it is no expression."""
    flags = regex.MULTILINE | (0 if case else regex.IGNORECASE)
    try:
        return TypedPattern(regex.compile(regex.escape(text) if words else text, flags))
    except regex.error as error:
        why, at = getattr(error, "msg", str(error)), getattr(error, "pos", None)
        raise NoPatternError(why if at is None else f"{why} at letter {at + 1}") from error
    except (RecursionError, OverflowError, MemoryError) as error:
        raise NoPatternError("it is nested too deep or repeats too often") from error
