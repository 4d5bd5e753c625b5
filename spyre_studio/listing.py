"""Listings linked to the plan: the text of a value, and for each of its lines which op or buffer it speaks of.

Owns: finding names in lines. Refuses: the text itself, which is that of `compiler.text`, and Qt.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container
from dataclasses import dataclass
from typing import Final, Literal

from compiler.compilation import Compilation
from compiler.text.document import to_text
from spyre_studio.derived import schedule_of

ListingKind = Literal["plan", "program", "loops"]
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s,()]+')
_OF_BUFFERS: Final = ("layout", "place", "tensor", "buffer", "placement")
_LOOKED_AT: Final = 8  # tokens of a line; names come first


@dataclass(frozen=True, slots=True)
class Subject:
    """What a line speaks of."""

    kind: Literal["op", "buffer"]
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Listing:
    """Lines and their subjects (None: the plan as a whole); `first` is the first line of each subject."""

    lines: tuple[str, ...]
    subjects: tuple[Subject | None, ...]
    first: dict[Subject, int]

    def line_of(self, op: str | None, buffer: str | None) -> int:
        """The first line about the buffer, or else about the op; -1 if there is none."""
        for kind, name in (("buffer", buffer), ("op", op)):
            if name is not None:
                found = self.first.get(Subject("op" if kind == "op" else "buffer", name), -1)
                if found >= 0:
                    return found
        return -1


def listing_of(compilation: Compilation, kind: ListingKind) -> Listing:
    """The listing of the plan, of the device program, or of the loops."""
    schedule = schedule_of(compilation)
    values = {"plan": compilation.plan, "program": compilation.program, "loops": compilation.problem.program}
    return linked(to_text(values[kind]), schedule.step_map, schedule.buffers)


def linked(text: str, ops: Container[str], buffers: Container[str]) -> Listing:
    """A text with the subject of every line; a line without one belongs to the line that it is indented under."""
    lines = tuple(text.splitlines())
    subjects: list[Subject | None] = []
    first: dict[Subject, int] = {}
    above: list[tuple[int, Subject]] = []
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        while above and above[-1][0] >= indent:
            above.pop()
        subject = _subject(line, ops, buffers) if not above else above[-1][1]
        subjects.append(subject)
        if subject is not None:
            above.append((indent, subject))
            first.setdefault(subject, number)
    return Listing(lines, tuple(subjects), first)


def _subject(line: str, ops: Container[str], buffers: Container[str]) -> Subject | None:
    word = ""
    for place, token in enumerate(_TOKEN.findall(line)[:_LOOKED_AT]):
        name = json.loads(token) if token.startswith('"') else token
        if place == 0:
            word = name
            continue
        if word in ("why", "pin"):
            kind, _, name = name.partition(":")
            return _named(kind in _OF_BUFFERS, name, ops, buffers)
        found = _named(word in _OF_BUFFERS, name, ops, buffers)
        if found is not None:
            return found
    return None


def _named(wants_buffer: bool, name: str, ops: Container[str], buffers: Container[str]) -> Subject | None:
    if name in ops and not (wants_buffer and name in buffers):
        return Subject("op", name)
    return Subject("buffer", name) if name in buffers else None
