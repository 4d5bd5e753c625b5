"""Tokens of KTIR text, with a cursor that knows the line.

Owns the lexer and the one sentence about text that is no KTIR.  Refuses meaning.
"""

from __future__ import annotations

import re
from typing import Final

from compiler.errors import InputError

_TOKEN: Final = re.compile(
    r"(?P<space>[ \t\r]+|//[^\n]*)|(?P<line>\n)"
    r"|(?P<shape>\d+x(?:\d+x)*[a-z]\w*)"
    r"|(?P<number>-?(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?))"
    r"|(?P<name>[%@#!]?[A-Za-z_][\w.$-]*|%\d+|\^\w+)"
    r"|(?P<sign>->|==|>=|<=|[-+*(){}\[\]<>:,=])"
)
LARGEST: Final = 200_000_000
"""Characters of a module."""


class Tokens:
    """A cursor over the tokens of a text; `origin` names the file in errors."""

    def __init__(self, text: str, origin: str) -> None:
        self.origin = origin
        self.words: list[str] = []
        self.lines: list[int] = []
        self.at = 0
        if len(text) > LARGEST:
            raise InputError(origin, f"it has {len(text):,} characters", f"KTIR of up to {LARGEST:,} is read")
        self._lex(text)

    def _lex(self, text: str) -> None:
        line, place = 1, 0
        words, lines = self.words, self.lines
        for found in _TOKEN.finditer(text):
            if found.start() != place:
                break
            place = found.end()
            if found.lastgroup == "line":
                line += 1
            elif found.lastgroup != "space":
                words.append(found.group())
                lines.append(line)
        if place != len(text):
            raise self.fault(f"{text[place]!r} is no part of KTIR", line)

    def fault(self, why: str, line: int | None = None) -> InputError:
        """The sentence about what stands here."""
        at = line if line is not None else self.line
        return InputError(f"{self.origin}, line {at}", why, "give a KTIR module as exporters write it")

    @property
    def line(self) -> int:
        """The line of the next token."""
        return self.lines[min(self.at, len(self.lines) - 1)] if self.lines else 1

    @property
    def next(self) -> str:
        """The next token, '' at the end."""
        return self.words[self.at] if self.at < len(self.words) else ""

    def peek(self, ahead: int) -> str:
        """A token further on."""
        place = self.at + ahead
        return self.words[place] if place < len(self.words) else ""

    def take(self, wanted: str = "") -> str:
        """The next token; a fault if it is not the one wanted."""
        word = self.next
        if not word or (wanted and word != wanted):
            raise self.fault(f"{word or 'the end'} stands where {wanted or 'more'} is expected")
        self.at += 1
        return word

    def took(self, wanted: str) -> bool:
        """Take the next token if it is this one."""
        if self.next == wanted:
            self.at += 1
            return True
        return False

    def value(self) -> str:
        """The name of a value."""
        word = self.take()
        if not word.startswith("%"):
            raise self.fault(f"{word} stands where a value is expected")
        return word

    def integer(self) -> int:
        """A whole number."""
        negative = self.took("-")
        word = self.take()
        try:
            found = int(word, 0)
        except ValueError:
            raise self.fault(f"{word} stands where a whole number is expected") from None
        return -found if negative else found

    def integers(self) -> tuple[int, ...]:
        """`[1, 2, 3]`."""
        self.take("[")
        found: list[int] = []
        while not self.took("]"):
            found.append(self.integer())
            self.took(",")
        return tuple(found)
