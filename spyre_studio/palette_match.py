"""Which of many named things a person means by a few letters, the best first: for the palette and for Go to.

Owns: the match and its order.  Refuses: Qt, and knowing what the things are.  A match holds every word that was typed;
only where nothing does are the letters looked for in their order, as in `rsv` for `Re-solve`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

_PART: Final = "\n"
_BREAKS: Final = str.maketrans(dict.fromkeys(" ./:_-(", _PART))  # a new part of a name begins after one of these
_RECENT_LISTED: Final = 40
_RANKS: Final = 5


@dataclass(frozen=True, slots=True)
class Target:
    """`key` names it for the program, `text` and `note` for people.

    `name`, `parts` and `haystack` are what is compared, kept ready because it is compared once per letter typed.
    """

    key: str
    text: str
    note: str
    name: str
    parts: str
    haystack: str

    @staticmethod
    def of(key: str, text: str, note: str = "", words: str = "", name: str = "") -> Target:
        """A target that is found by its name, which is the text unless given, and by `words`."""
        called = (name or text).casefold()
        return Target(key, text, note, called, _parts(called), f"{called} {words.casefold()}")


def ranked(targets: Sequence[Target], text: str, recent: Sequence[str] = ()) -> list[Target]:
    """Those that `text` may mean: what holds it, or where nothing does, what has its letters in their order."""
    return holding(targets, text, recent) or guessed(targets, text)


def guessed(targets: Sequence[Target], text: str) -> list[Target]:
    """Names that have the letters in their order, those whose letters stand close together first."""
    return [target for _, target in sorted(_loosely(targets, text.casefold().split()), key=lambda entry: entry[0])]


def holding(targets: Sequence[Target], text: str, recent: Sequence[str] = ()) -> list[Target]:
    """Those with every word of `text`: the names that begin with it, then parts of names, then the rest.

    Among equals those of `recent` come first, the latest before, then all in the order given.
    """
    words = text.casefold().split()
    if not words:
        return _recent_first(list(targets), recent)
    found = _holding(targets, words)
    ranks: list[list[Target]] = [[] for _ in range(_RANKS)]
    whole, first, part = " ".join(words), words[0], _parts(words[0])
    for target in found:
        name = target.name
        if name.startswith(first):
            ranks[0 if name == whole else 1].append(target)
        elif part in target.parts:
            ranks[2].append(target)
        else:
            ranks[3 if first in name else 4].append(target)
    return [target for rank in ranks for target in _recent_first(rank, recent)]


def _parts(name: str) -> str:
    return _PART + name.translate(_BREAKS)


def _recent_first(found: list[Target], recent: Sequence[str]) -> list[Target]:
    ages = {key: age for age, key in enumerate(recent)}
    front = sorted((target for target in found if target.key in ages), key=lambda target: ages[target.key])
    return [*front, *(target for target in found if target.key not in ages)] if front else found


def _holding(targets: Sequence[Target], words: Sequence[str]) -> Sequence[Target]:
    """Targets with every word; the list shrinks from word to word."""
    left = targets
    for word in words:
        left = [target for target in left if word in target.haystack]
    return left


def _loosely(targets: Sequence[Target], words: Sequence[str]) -> Iterator[tuple[int, Target]]:
    """Names with the letters of the words in their order, and how far apart those stand."""
    letters = "".join(words)
    if len(letters) < 2:
        return
    pattern = re.compile("".join(f"[^{re.escape(one)}]*{re.escape(one)}" for one in letters))
    for target in targets:
        reach = pattern.match(target.name)
        if reach is not None:
            yield _span(target.name, letters, reach.end()), target


def _span(name: str, letters: str, end: int) -> int:
    """How many characters the letters take, read backwards from where the last of them stands."""
    at = end
    for letter in reversed(letters):
        at = name.rindex(letter, 0, at)
    return end - at


def latest_first(recent: Sequence[str], key: str) -> tuple[str, ...]:
    """The list of what was used, with `key` in front of it; the oldest are forgotten."""
    return (key, *(each for each in recent if each != key))[:_RECENT_LISTED]
