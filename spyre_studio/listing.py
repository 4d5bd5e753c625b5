"""Listings linked to the plan: a text, what each of its lines speaks of, and where every op and buffer is named.

Owns: the owner of every line, the index of names, and the blocks that can be folded. Refuses: the text itself, which
`listing_kinds` has written, and Qt.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from frozendict import frozendict
from numpy.typing import NDArray

from spyre_studio.listing_folds import Folds, folds_of
from spyre_studio.listing_links import Link, Names, Subject, links_of, quoted_links
from spyre_studio.listing_shape import Shape, shape_of
from spyre_studio.listing_text import Numbers, Text

__all__ = ["Listing", "Subject", "linked", "merged"]

NOWHERE = np.zeros(0, np.int64)
_OWNERLESS = frozenset({"kernel", "pass"})
_FOREIGN = (2, 1 << 20)  # depths of texts that are not ours that are folded at first
_SHORT = 200  # lines; a shorter text is shown as it is


@dataclass(frozen=True, slots=True, eq=False)
class Listing:
    """A text and its index: `owner` is the number in `subjects` of what a line speaks of (-1: the plan as a whole),
    `known` are these in order, `named` has the lines in which an op or a buffer is named; `ours`: a listing whose
    grammar is known."""

    text: Text
    shape: Shape
    folds: Folds
    subjects: frozendict[Subject, int]
    known: tuple[Subject, ...]
    owner: NDArray[np.int32]
    named: frozendict[Subject, Numbers]
    names: Names
    ours: bool = True

    def __len__(self) -> int:
        return len(self.text)

    def subject_of(self, number: int) -> Subject | None:
        """What a line speaks of."""
        owner = int(self.owner[number])
        return self.known[owner] if owner >= 0 else None

    def core_of(self, number: int) -> int | None:
        """The core that a line speaks of."""
        core = int(self.shape.core[number])
        return core if core >= 0 else None

    def links(self, number: int) -> tuple[Link, ...]:
        """The names in a line."""
        return (links_of if self.ours else quoted_links)(self.text.line(number), self.names)

    def owned(self, subject: Subject) -> Numbers:
        """The lines that speak of an op or a buffer."""
        number = self.subjects.get(subject)
        if number is None:
            return NOWHERE
        first = int(self.named[subject][0])
        return first + np.flatnonzero(self.owner[first:] == number)

    def places(self, subject: Subject) -> Numbers:
        """The lines in which it is named."""
        return self.named.get(subject, NOWHERE)

    def of_core(self, core: int, within: Numbers | None = None) -> Numbers:
        """The lines of a core, of all or of these."""
        if within is None:
            return np.flatnonzero(self.shape.core == core)
        chosen: Numbers = within[self.shape.core[within] == core]
        return chosen

    def line_of(self, op: str | None, buffer: str | None) -> int:
        """The first line about the buffer, or else about the op; -1 if there is none."""
        wanted = [Subject("buffer", buffer)] if buffer is not None else []
        wanted += [Subject("op", op)] if op is not None else []
        for subject in wanted:
            for lines in (self.owned(subject), self.places(subject)):
                if len(lines):
                    return int(lines[0])
        return -1


def linked(
    text: str, names: Names, alike: Numbers | None = None, ours: bool = True, shut: tuple[int, int] = (0, 0)
) -> Listing:
    """A text with its index; lines of cores, of which `alike` tells which do the same, name nothing.

    Blocks of the depths `shut` (see `folds_of`) are folded at first, and of long texts that are not ours the deeper
    ones.
    """
    cut = Text.of(text)
    shape = shape_of(cut)
    folds = folds_of(shape, alike, shut if ours or len(cut) < _SHORT else _FOREIGN)
    own, subjects, named = _indexed(cut, shape, names, ours)
    owner = _inherited(shape, own)
    places = frozendict((subject, np.array(lines, np.int64)) for subject, lines in named.items())
    return Listing(cut, shape, folds, frozendict(subjects), tuple(subjects), owner, places, names, ours)


def merged(*parts: Numbers) -> Numbers:
    """The lines of several, in order and each once."""
    return np.unique(np.concatenate(parts)) if parts else NOWHERE


def _indexed(
    text: Text, shape: Shape, names: Names, ours: bool
) -> tuple[NDArray[np.int32], dict[Subject, int], dict[Subject, list[int]]]:
    """Owners that lines have of themselves, and the index of names; most lines are of cores and are not read."""
    own = np.full(len(text), -1, np.int32)
    numbers: dict[Subject, int] = {}
    named: dict[Subject, list[int]] = {}
    find = links_of if ours else quoted_links
    quiet = {number for number, word in enumerate(shape.words) if word in _OWNERLESS}
    for number in _readable(shape, ours):
        links = find(text.line(number), names)
        for subject in dict.fromkeys(link.subject for link in links):
            named.setdefault(subject, []).append(number)
        if links and int(shape.word[number]) not in quiet:
            own[number] = numbers.setdefault(links[0].subject, len(numbers))
    return own, numbers, named


def _readable(shape: Shape, ours: bool) -> Iterator[int]:
    lines = np.flatnonzero(shape.core < 0) if ours else np.arange(len(shape.core))
    for number in lines:
        yield int(number)


def _inherited(shape: Shape, own: NDArray[np.int32]) -> NDArray[np.int32]:
    """The owner of every line: its own, or that of the line that it stands below."""
    owner = own.copy()
    lines = np.arange(len(own))
    for level in np.unique(shape.depth)[1:]:
        above = np.maximum.accumulate(np.where(shape.depth < level, lines, 0))
        orphans = np.flatnonzero((shape.depth == level) & (own < 0))
        owner[orphans] = owner[above[orphans]]
    return owner


@lru_cache(maxsize=1)
def nothing() -> Listing:
    """No lines at all."""
    return linked("", Names(frozenset(), frozenset()))
