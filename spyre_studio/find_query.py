"""What is typed to find something, understood: words, filters and patterns.

Owns: the language and its sentences for mistakes. Refuses: Qt, and what there is to find (finder.py).

    softmax exp           every word stands somewhere in name, kind or note
    kind:matmul           kind of op or move, the ATen op, or op, move, buffer, module
    split:m  split:m8     ops that are divided along a loop, into so many parts; split:none for those on one core
    spilled:  spilled:no  what lies in device memory, what lies in LX
    reason:capacity       why it is not in LX
    shape:128x1024        these sizes next to each other; * for any; the numbers alone mean the same
    /q_proj.*matmul/      a pattern (regular expression) for the name
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from spyre_studio.finder import Entry

Test = Callable[["Entry"], bool]
FILTERS: Final = ("kind", "split", "spilled", "reason", "shape")
HELP: Final = "kind:matmul · split:m8 · spilled: · reason:capacity · 128x1024 · /regex/"
_SHAPE: Final = re.compile(r"(?:\d+|\*)(?:[x×,](?:\d+|\*))+")
_TOKEN: Final = re.compile(r"(?<!\S)/.+/(?!\S)|\S+")
_NO: Final = frozenset({"no", "false", "0"})
_WHOLE: Final = frozenset({"none", "no", "1"})
_LONGEST: Final = 200  # of a pattern; names are shorter
_PATTERN_S: Final = 0.1


@dataclass(frozen=True, slots=True)
class Query:
    """`tests` must all hold; `first` is the word a name should begin with; `mistake` is a sentence or empty."""

    tests: tuple[Test, ...]
    first: str = ""
    mistake: str = ""

    def holds(self, entry: Entry) -> bool:
        """True if the entry is meant."""
        return all(test(entry) for test in self.tests)


def read_query(text: str) -> Query:
    """Understand what was typed; what cannot be understood is told in `mistake`, and then nothing is meant."""
    tests: list[Test] = []
    first = ""
    for token in _TOKEN.findall(text):
        try:
            test = _filter(token)
        except _MistakeError as mistake:
            return Query((), "", str(mistake))
        if test is None:
            test = _word(token.casefold())
            first = first or token.casefold()
        tests.append(test)
    return Query(tuple(tests), first)


class _MistakeError(Exception):
    """A sentence for the person who typed."""


def _filter(token: str) -> Test | None:
    """The test of a filter or a pattern, None for a word."""
    if len(token) > 2 and token.startswith("/") and token.endswith("/"):
        return _pattern(token[1:-1])
    if _SHAPE.fullmatch(token):
        return _shape(token)
    name, colon, value = token.casefold().partition(":")
    if not colon or name not in FILTERS:
        return None
    match name:
        case "kind":
            return lambda entry: value in entry.kinds
        case "split":
            return _split(value)
        case "spilled":
            wanted = value not in _NO
            return lambda entry: entry.spilled is wanted
        case "reason":
            return lambda entry: bool(entry.reason) and value in entry.reason
        case _:
            return _shape(value)


def _word(word: str) -> Test:
    return lambda entry: word in entry.haystack


def _pattern(text: str) -> Test:
    if len(text) > _LONGEST:
        raise _MistakeError(f"A pattern has {_LONGEST} characters at most.")
    from spyre_studio.typed_pattern import NoPatternError, typed_pattern  # not needed for the first paint

    try:
        pattern = typed_pattern(text)
    except NoPatternError as error:
        raise _MistakeError(f"/{text}/ is not a pattern yet: {error}; write \\ before a sign that is meant.") from error
    until: list[float] = []

    def holds(entry: Entry) -> bool:
        """Names are looked through together for as long as a person types on."""
        now = time.monotonic()
        if not until:
            until.append(now + _PATTERN_S)
        return pattern.search(entry.name, 0, len(entry.name), until[0] - now) is not None

    return holds


def _split(value: str) -> Test:
    if not value:
        return lambda entry: bool(entry.splits)
    if value in _WHOLE:
        return lambda entry: entry.splits == ()
    # Loops may end in a digit (b1), so what was typed is held against each split, not taken apart.
    return lambda entry: any(value in _spoken(loop, parts) for loop, parts in entry.splits or ())


def _spoken(loop: str, parts: int) -> tuple[str, ...]:
    """All ways in which a split is called."""
    return loop, f"{loop}{parts}", f"{loop}={parts}", str(parts)


def _shape(value: str) -> Test:
    sizes = [part for part in re.split(r"[x×,\[\]]", value) if part]
    if not sizes or not all(size == "*" or size.isdigit() for size in sizes):
        raise _MistakeError(f"shape:{value} is not a shape; write numbers as in shape:128x1024, and * for any.")
    wanted = [None if size == "*" else int(size) for size in sizes]

    def holds(entry: Entry) -> bool:
        return any(_alike(entry.shape[at : at + len(wanted)], wanted) for at in range(len(entry.shape)))

    return holds


def _alike(shape: tuple[int, ...], wanted: list[int | None]) -> bool:
    return len(shape) == len(wanted) and all(want in {None, size} for size, want in zip(shape, wanted, strict=True))
