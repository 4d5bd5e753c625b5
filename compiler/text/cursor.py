"""A cursor over one line of a listing: the few token kinds every text form is made of.

Owns names, quoted strings, whole numbers, real numbers and lists of them.  Refuses anything else with the line number
and what was expected there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TypeVar

from compiler.errors import InputError

NAME = re.compile(r"[A-Za-z_0-9./@'-]+")
WHOLE = re.compile(r"-?\d+")
REAL = re.compile(r"-?(?:inf|nan|\d+(?:\.\d+)?(?:e[+-]?\d+)?)")
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
T = TypeVar("T")


def quote_name(name: str) -> str:
    """A name as printed: bare if it is made of name characters, else a JSON string."""
    return name if NAME.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def quote(text: str) -> str:
    """Any text as one JSON string."""
    return json.dumps(text, ensure_ascii=False)


def bracket(values: tuple[int, ...]) -> str:
    """`[1,2,3]`."""
    return f"[{','.join(map(str, values))}]"


class Cursor:
    """Reads tokens from one line, skipping blanks between them."""

    def __init__(self, text: str, line: int = 1) -> None:
        self._text = text
        self._line = line
        self._at = 0
        self._skip()

    def fail(self, expected: str) -> InputError:
        """The error to raise: what was expected, and what stands there."""
        rest = self._text[self._at : self._at + 24] or "the end of the line"
        return InputError(f"line {self._line}", f"expected {expected}, found {rest!r}", "correct the listing")

    def done(self) -> bool:
        """True at the end of the line."""
        return self._at >= len(self._text)

    def end(self) -> None:
        """Require the end of the line."""
        if not self.done():
            raise self.fail("the end of the line")

    def sees(self, literal: str) -> bool:
        """True if the rest starts with this literal."""
        return self._text.startswith(literal, self._at)

    def take(self, literal: str) -> bool:
        """Consume the literal if it is there."""
        if not self.sees(literal):
            return False
        self._at += len(literal)
        self._skip()
        return True

    def word(self, literal: str) -> bool:
        """Consume a whole word if it is there."""
        end = self._at + len(literal)
        if not self.sees(literal) or (end < len(self._text) and NAME.match(self._text[end])):
            return False
        return self.take(literal)

    def expect(self, literal: str) -> None:
        """Consume the literal or fail."""
        if not self.take(literal):
            raise self.fail(f"'{literal}'")

    def name(self) -> str:
        """A bare or quoted name."""
        return self.string() if self.sees('"') else self._match(NAME, "a name")

    def string(self) -> str:
        """A JSON string."""
        token = self._match(QUOTED, "a quoted text")
        try:
            text = str(json.loads(token))
            text.encode("utf-8")  # half of a surrogate pair is no text
        except ValueError as error:
            raise self.fail("a quoted text") from error
        return text

    def whole(self) -> int:
        """A whole number."""
        return int(self._match(WHOLE, "a whole number"))

    def real(self) -> float:
        """A real number (inf and nan included)."""
        return float(self._match(REAL, "a number"))

    def number(self) -> float | int:
        """A whole number if it is written as one, else a real one."""
        token = self._match(REAL, "a number")
        return int(token) if WHOLE.fullmatch(token) else float(token)

    def wholes(self) -> tuple[int, ...]:
        """`[1,2,3]`."""
        self.expect("[")
        return self.until("]", self.whole)

    def until(self, close: str, item: Callable[[], T]) -> tuple[T, ...]:
        """Items separated by commas up to the closing literal."""
        items: list[T] = []
        while not self.take(close):
            if items:
                self.expect(",")
            items.append(item())
        return tuple(items)

    def _match(self, pattern: re.Pattern[str], expected: str) -> str:
        found = pattern.match(self._text, self._at)
        if found is None:
            raise self.fail(expected)
        self._at = found.end()
        self._skip()
        return found.group()

    def _skip(self) -> None:
        while self._at < len(self._text) and self._text[self._at] in " \t":
            self._at += 1


class Lines:
    """The lines of a listing: blank lines and `#` comments are skipped; deeper indented lines belong to the one
    above."""

    def __init__(self, text: str) -> None:
        self._lines = [
            (number, line)
            for number, line in enumerate(text.split("\n"), 1)
            if line.strip() and not line.lstrip().startswith("#")
        ]
        self._next = 0

    def more(self) -> bool:
        """True if lines are left."""
        return self._next < len(self._lines)

    def starts(self, *words: str) -> bool:
        """True if the next line starts with one of these words."""
        return self.more() and self._lines[self._next][1].split(maxsplit=1)[0] in words

    def cursor(self) -> Cursor:
        """A cursor over the next line."""
        if not self.more():
            raise InputError("the listing", "it ends too early", "complete it")
        number, line = self._lines[self._next]
        self._next += 1
        return Cursor(line, number)
