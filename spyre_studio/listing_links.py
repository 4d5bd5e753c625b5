"""Names in a line of a listing: which ops and buffers it names, where they stand, and which of them it speaks of.

Owns: the grammar of lines as far as names go. Refuses: guessing: in prose only names that no word could be are links,
because models call an op `sum` and a buffer `k`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container
from dataclasses import dataclass
from typing import Final, Literal

from frozendict import frozendict

Kind = Literal["op", "buffer"]
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[A-Za-z_0-9./@\'#:-]+')
_WORD: Final = re.compile(r"\s*(?:[-+~] )?([a-z]+) ")
_UNLIKE_WORDS: Final = re.compile(r"[./@_0-9]")
_OF_BUFFERS: Final = frozenset({"layout", "place", "placement", "tensor", "buffer", "relayout", "order", "spill"})
_SILENT: Final = frozenset(
    {"box", "core", "body", "from", "program", "plan", "claim", "pass", "passes", "decided", "note"}
)
_KEYED: Final = frozenset({"why", "pin"})
_FIRST: Final[frozendict[str, Kind]] = frozendict(
    layout="buffer",
    place="buffer",
    spill="buffer",
    tensor="buffer",
    buffer="buffer",
    divide="op",
    op="op",
    edit="op",
    of="op",
)
"""What the first name of a line is of, by its first word."""
_AFTER: Final[frozendict[str, frozendict[str, Kind]]] = frozendict(
    place=frozendict(of="buffer"),
    output=frozendict({"=": "buffer"}),
    edit=frozendict(to="buffer", before="op"),
)
"""What a name is of that stands behind one of these words."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a line, or a name in it, speaks of."""

    kind: Kind
    name: str


@dataclass(frozen=True, slots=True)
class Link:
    """A name from one letter of a line up to another, and what it names."""

    start: int
    end: int
    subject: Subject


@dataclass(frozen=True, slots=True, eq=False)
class Names:
    """The ops (with inserted moves) and the buffers of a plan."""

    ops: Container[str]
    buffers: Container[str]

    def of_kind(self, name: str, kind: Kind) -> Subject | None:
        """The op or the buffer of this name; if there is none of the kind, of the other one."""
        first, second = (self.ops, self.buffers) if kind == "op" else (self.buffers, self.ops)
        if name in first:
            return Subject(kind, name)
        return Subject("buffer" if kind == "op" else "op", name) if name in second else None


@dataclass(frozen=True, slots=True)
class _Token:
    start: int
    end: int
    text: str
    quoted: bool
    opened: str  # the letter behind it


def links_of(line: str, names: Names) -> tuple[Link, ...]:
    """The names in a line of one of our listings, from left to right."""
    found = _WORD.match(line)
    word = found[1] if found else ""
    if word in _SILENT or not found:
        return ()
    tokens = _tokens(line, found.end())
    if word in _KEYED:
        return _keyed(tokens, names)
    links: list[Link] = []
    arranged = word != "layout" or line[found.end() :].startswith(("sticks of", "sparse  "))
    if word == "layout" and arranged:
        return ()  # of a device program: the tensor is named above it
    for number, token in enumerate(tokens):
        subject = _subject(word, number, tokens, names)
        if subject is not None:
            links.append(_link(token, subject))
        elif token.quoted:
            links += _prose(token, names)
    return tuple(links)


def quoted_links(line: str, names: Names) -> tuple[Link, ...]:
    """The names in a line of any other text: whole words, or whole strings between quotes."""
    links = []
    for token in _tokens(line, 0):
        subject = names.of_kind(token.text, "op")
        if subject is not None and (token.quoted or _UNLIKE_WORDS.search(token.text)):
            links.append(_link(token, subject))
    return tuple(links)


def _tokens(line: str, start: int) -> list[_Token]:
    tokens = []
    for found in _TOKEN.finditer(line, start):
        text, quoted, behind = found[0], found[0].startswith('"'), line[found.end() : found.end() + 1]
        tokens.append(_Token(found.start(), found.end(), _read(text) if quoted else text, quoted, behind))
    return tokens


def _read(text: str) -> str:
    if "\\" not in text:
        return text[1:-1]
    try:
        return str(json.loads(text))
    except ValueError:
        return text[1:-1]


def _link(token: _Token, subject: Subject) -> Link:
    inside = 1 if token.quoted else 0
    return Link(token.start + inside, token.end - inside, subject)


def _subject(word: str, number: int, tokens: list[_Token], names: Names) -> Subject | None:
    """What a token names, by the place at which it stands."""
    token = tokens[number]
    before = tokens[number - 1].text if number else ""
    match word:
        case "step":
            return names.of_kind(token.text, "op") if number == 1 else None
        case "op" if number:
            return names.of_kind(token.text, "buffer") if token.opened == "[" else None
        case "kernel":
            return names.of_kind(token.text, "op") if number else None
        case "output":
            return names.of_kind(token.text, "buffer") if number == 1 else None
        case "edit" if number:
            return _of_edit(number, before, tokens, names)
    if number == 0 and word in _FIRST:
        return names.of_kind(token.text, _FIRST[word])
    kind = _AFTER.get(word, frozendict()).get(before)
    return names.of_kind(token.text, kind) if kind else None


def _of_edit(number: int, before: str, tokens: list[_Token], names: Names) -> Subject | None:
    """`edit NAME kind SOURCE to TARGET before OP for (READER, READER#1)`."""
    if number == 2 or before == "to":
        return names.of_kind(tokens[number].text, "buffer")
    readers = next((place for place, token in enumerate(tokens) if token.text == "for" and place > 2), len(tokens))
    if before == "before" or number > readers:
        return names.of_kind(tokens[number].text.partition("#")[0], "op")
    return None


def _keyed(tokens: list[_Token], names: Names) -> tuple[Link, ...]:
    """`why "kind:NAME" "prose"`."""
    if not tokens:
        return ()
    key, *rest = tokens
    kind, colon, name = key.text.partition(":")
    subject = names.of_kind(name, "buffer" if kind in _OF_BUFFERS else "op")
    start = key.start + 1 + len(kind) + len(colon)
    links = [Link(start, key.end - 1, subject)] if subject is not None else []
    for token in rest:
        links += _prose(token, names) if token.quoted else []
    return tuple(links)


def _prose(token: _Token, names: Names) -> list[Link]:
    links = []
    for found in _TOKEN.finditer(token.text):
        name = found[0].rstrip(".:'")
        subject = names.of_kind(name, "op") if _UNLIKE_WORDS.search(name) else None
        if subject is not None and "\\" not in token.text:
            start = token.start + 1 + found.start()
            links.append(Link(start, start + len(name), subject))
    return links
