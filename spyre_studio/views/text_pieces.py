"""The pieces that a line of a listing is drawn in: its first word, names, strings, signs of a difference, the rest.

Owns: cutting a line, and remembering the lines in view. Refuses: Qt, and colours.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from spyre_studio.listing import Listing
from spyre_studio.listing_links import Link

Role = Literal["word", "strong", "name", "string", "rest", "added", "removed"]
_KEPT: Final = 2000  # lines; a screen has about a hundred
_HEADING: Final = re.compile(r"  pass \S[^{ ]*(?: \S[^{ ]*)*")  # of a pass, without its options
_HEAD: Final = re.compile(r"\s*(?:([-+]) )?([^\s\"{}\[\]]*)")
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"')


@dataclass(frozen=True, slots=True)
class Piece:
    """Letters from `start` up to `end`, drawn alike."""

    start: int
    end: int
    role: Role


@dataclass(frozen=True, slots=True)
class CutLine:
    """A line with its pieces and links, from left to right."""

    text: str
    pieces: tuple[Piece, ...]
    links: tuple[Link, ...]
    narrow: bool  # every letter is as wide as any other

    def between(self, first: int, end: int) -> Iterator[Piece]:
        """The pieces that have letters in a range of columns."""
        place = bisect_right(self.pieces, first, key=lambda piece: piece.end)
        for number in range(place, len(self.pieces)):
            if self.pieces[number].start >= end:
                return
            yield self.pieces[number]

    def link_at(self, column: int) -> int:
        """The number of the link that has a letter, -1 for none."""
        place = bisect_right(self.links, column, key=lambda link: link.end)
        return place if place < len(self.links) and self.links[place].start <= column else -1


class Pieces:
    """The lines of a listing, cut as they are asked for."""

    def __init__(self, listing: Listing) -> None:
        self._listing = listing
        self._kept: OrderedDict[int, CutLine] = OrderedDict()

    def __len__(self) -> int:
        """How many lines are remembered."""
        return len(self._kept)

    def __getitem__(self, number: int) -> CutLine:
        found = self._kept.get(number)
        if found is None:
            text = self._listing.text.line(number)
            links = self._listing.links(number)
            found = CutLine(text, tuple(_pieces(text, links)), links, text.isascii())
            self._kept[number] = found
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return found


def _pieces(text: str, links: tuple[Link, ...]) -> Iterator[Piece]:
    heading = _HEADING.match(text)
    if heading:
        yield Piece(2, heading.end(), "strong")
        yield from _plain(text, heading.end(), len(text))
        return
    head = _HEAD.match(text)
    at = head.end() if head else 0
    if head and head[1]:
        yield Piece(head.start(1), head.end(1), "added" if head[1] == "+" else "removed")
    if head and head[2] and not (links and links[0].start < at):
        yield Piece(head.start(2), at, "word")
    else:
        at = head.start(2) if head else 0
    for link in links:
        yield from _plain(text, at, link.start)
        yield Piece(link.start, link.end, "name")
        at = link.end
    yield from _plain(text, at, len(text))


def _plain(text: str, start: int, end: int) -> Iterator[Piece]:
    """What is between names: strings and the rest."""
    for found in _STRING.finditer(text, start, end):
        if found.start() > start:
            yield Piece(start, found.start(), "rest")
        yield Piece(found.start(), found.end(), "string")
        start = found.end()
    if end > start:
        yield Piece(start, end, "rest")
