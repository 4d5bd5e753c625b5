"""A text of many lines as one string, with the place where each line begins.

Owns: cutting into lines, and the line that stands at a place. Refuses: one string per line, which a million of them
would pay for; lines are cut out when they are looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.int64]
_NEWLINE = 10


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """`starts` are the places of first letters, with one more behind the last line: line n is `starts[n]` up to
    `starts[n + 1] - 1`, where its newline is."""

    whole: str
    starts: Numbers

    @classmethod
    def of(cls, text: str) -> Text:
        """The lines of a text; a newline at its end begins no other line."""
        if text and not text.endswith("\n"):
            text += "\n"
        ends = np.flatnonzero(codes_of(text) == _NEWLINE)
        return cls(text, np.concatenate((np.zeros(1, np.int64), ends + 1)))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def line(self, number: int) -> str:
        """A line without its newline."""
        return self.whole[self.starts[number] : self.starts[number + 1] - 1]

    def lines(self, first: int, end: int) -> str:
        """Some lines with newlines between them; '' for none."""
        return self.whole[self.starts[first] : self.starts[end] - 1] if first < end else ""

    def line_at(self, place: int) -> int:
        """The number of the line that has the letter at a place."""
        return int(np.searchsorted(self.starts, place, "right")) - 1

    @property
    def longest(self) -> int:
        """Letters of the longest line."""
        return int(np.diff(self.starts).max(initial=1)) - 1


def codes_of(text: str) -> NDArray[np.uint8] | NDArray[np.uint32]:
    """The letters as numbers, one each."""
    if text.isascii():
        return np.frombuffer(text.encode("ascii"), np.uint8)
    return np.frombuffer(text.encode("utf-32-le"), np.uint32)
