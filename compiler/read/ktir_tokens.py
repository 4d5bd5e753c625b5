"""Tokens of KTIR text, with a cursor that knows the line.

Owns the lexer, which goes only as far as the cursor does, and the one sentence about text that is no KTIR.  Refuses
meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from compiler.errors import InputError

_SPACE: Final = re.compile(r"(?:\s++|//[^\n]*+)*+")
_TOKEN: Final = re.compile(
    r"(?P<shape>\d+x(?:\d+x){0,16}+[a-z]\w*)"
    r"|(?P<number>-?(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?))"
    r"|(?P<name>[%@#!]?[A-Za-z_][\w.$-]*|%\d+|\^\w+)"
    r"|(?P<sign>->|==|>=|<=|[-+*(){}\[\]<>:,=])",
    re.ASCII,
)
LARGEST: Final = 64_000_000
"""Characters of a module."""
LONGEST: Final = 4096
"""Entries of a list, and characters of a word."""
_SHOWN: Final = 40


class Tokens:
    """A cursor over the tokens of a text: `next` is the one that is not taken yet, '' at the end, and `line` its line.
    `origin` names the file in errors, `spelling` is the word for memory spaces that was read before."""

    def __init__(self, text: str, origin: str) -> None:
        self.origin = origin
        self.next, self.line = "", 1
        self.spelling = ""
        self._text, self._place = text, 0
        if len(text) > LARGEST:
            raise InputError(origin, f"it has {len(text):,} characters", f"KTIR of up to {LARGEST:,} is read")
        self._advance()

    def _advance(self) -> None:
        text, before = self._text, self._place
        space = _SPACE.match(text, before)
        place = space.end() if space else before
        self.line += text.count("\n", before, place)
        found = _TOKEN.match(text, place)
        if found is None and place < len(text):
            raise self.fault(f"{text[place]!r} is no part of KTIR")
        self.next = found.group() if found else ""
        self._place = found.end() if found else place
        if len(self.next) > LONGEST:
            raise self.fault(f"a word has {len(self.next):,} characters")

    def fault(self, why: str, line: int | None = None) -> InputError:
        """The sentence about what stands here, or on another line."""
        at = self.line if line is None else line
        return InputError(f"{self.origin}, line {at}", why, "give a KTIR module as exporters write it")

    def expected(self, wanted: str) -> InputError:
        """The sentence about a token that is not the one wanted."""
        return self.fault(f"{self.next[:_SHOWN] or 'the end'} stands where {wanted} is expected")

    def take(self, wanted: str = "") -> str:
        """The next token; a fault if it is not the one wanted."""
        word = self.next
        if not word or (wanted and word != wanted):
            raise self.expected(wanted or "more")
        self._advance()
        return word

    def took(self, wanted: str) -> bool:
        """Take the next token if it is this one."""
        if self.next == wanted:
            self._advance()
            return True
        return False

    def items(self, last: str) -> Iterator[int]:
        """Counts entries of a list with commas, which its reader takes one by one, and takes the end of it."""
        if self.took(last):
            return
        for place in range(LONGEST):
            yield place
            if self.took(last):
                return
            self.take(",")
        raise self.fault(f"a list has more than {LONGEST:,} entries")

    def value(self) -> str:
        """The name of a value."""
        if not self.next.startswith("%"):
            raise self.expected("a value")
        return self.take()

    def integer(self) -> int:
        """A whole number of 64 bits."""
        negative = self.took("-")
        try:
            found = int(self.next, 0)
        except ValueError:
            raise self.expected("a whole number") from None
        if abs(found) >= 1 << 63:
            raise self.fault("a number has more than 64 bits")
        self.take()
        return -found if negative else found

    def integers(self) -> tuple[int, ...]:
        """`[1, 2, 3]`."""
        self.take("[")
        return tuple(self.integer() for _ in self.items("]"))
