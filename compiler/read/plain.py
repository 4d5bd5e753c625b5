"""Plain data: JSON of unknown origin, read key by key with one sentence for what does not fit.

Owns the limits of size and depth, the types, and which keys nobody asked for.  Refuses everything else: no file is ever
run, and none can make this program slow or large.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from frozendict import frozendict

from compiler.errors import InputError

LARGEST_BYTES: Final = 512 * 1024 * 1024
DEEPEST: Final = 64
_BRACKETS: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[\[{\]}]')
REMEDY: Final = "give a file as its exporter wrote it"


def read_json(path: Path) -> object:
    """The data of a JSON file; InputError for anything else."""
    return parse_json(read_file(path), str(path))


def read_file(path: Path) -> str:
    """The text of a file; InputError if it cannot be read or is too large."""
    try:
        size = path.stat().st_size
        if size > LARGEST_BYTES:
            raise InputError(str(path), f"it has {size:,} bytes; {LARGEST_BYTES:,} are read", "give a smaller file")
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        raise InputError(str(path), "it is not a text file", REMEDY) from None
    except OSError as error:
        raise InputError(str(path), f"it cannot be read ({error.strerror})", "check the path") from error


def parse_json(text: str, origin: str) -> object:
    """The data of a JSON text."""
    depth = deepest = 0
    for found in _BRACKETS.finditer(text):
        sign = found.group()
        if sign in "[{":
            depth += 1
            deepest = max(deepest, depth)
            if deepest > DEEPEST:
                raise InputError(origin, f"it is nested deeper than {DEEPEST} levels", REMEDY)
        elif sign in "]}":
            depth -= 1
    try:
        data: object = json.loads(text)
    except ValueError as error:
        where = f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else str(error)
        raise InputError(origin, f"it is not valid JSON ({where})", REMEDY) from None
    return data


@dataclass(slots=True)
class Node:
    """An object of a file, and where it is; keys that are taken are known, the others can be asked for at the end."""

    data: dict[str, object]
    where: str
    origin: str
    taken: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, data: object, origin: str, where: str = "") -> Node:
        """The object; a fault if it is none."""
        if not isinstance(data, dict):
            raise fault(origin, where, data, "an object")
        return cls(data, where, origin)

    def has(self, key: str) -> bool:
        """True if the object has the key, and not null under it."""
        return self.data.get(key) is not None

    def get(self, key: str, default: object = None) -> object:
        """Whatever stands under a key; a fault if it is missing and there is no default."""
        self.taken.add(key)
        if key not in self.data:
            if default is None:
                raise InputError(self.origin, f"{self.at(key)} is missing", REMEDY)
            return default
        return self.data[key]

    def at(self, key: str | int) -> str:
        """The path of a key."""
        return f"{self.where}.{key}" if self.where else str(key)

    def integer(self, key: str, default: int | None = None, least: int | None = None) -> int:
        """A whole number, also written as text."""
        return integer(self.get(key, default), self.origin, self.at(key), least)

    def text(self, key: str, default: str | None = None) -> str:
        """A text."""
        found = self.get(key, default)
        if not isinstance(found, str):
            raise fault(self.origin, self.at(key), found, "a text")
        return found

    def truth(self, key: str, default: bool | None = None) -> bool:
        """True or false, also as 1 or 0."""
        found = self.get(key, default)
        if found not in (True, False, 0, 1):
            raise fault(self.origin, self.at(key), found, "true or false")
        return bool(found)

    def node(self, key: str) -> Node:
        """An object."""
        return Node.of(self.get(key), self.origin, self.at(key))

    def items(self, key: str) -> list[object]:
        """A list."""
        found = self.get(key)
        if not isinstance(found, list):
            raise fault(self.origin, self.at(key), found, "a list")
        return found

    def nodes(self, key: str) -> Iterator[Node]:
        """A list of objects."""
        for place, each in enumerate(self.items(key)):
            yield Node.of(each, self.origin, f"{self.at(key)}[{place}]")

    def integers(self, key: str, least: int | None = None) -> tuple[int, ...]:
        """A list of whole numbers."""
        where = self.at(key)
        return tuple(integer(n, self.origin, f"{where}[{i}]", least) for i, n in enumerate(self.items(key)))

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        found = self.items(key)
        for place, each in enumerate(found):
            if not isinstance(each, str):
                raise fault(self.origin, f"{self.at(key)}[{place}]", each, "a text")
        return tuple(map(str, found))

    def extra(self) -> frozendict[str, str]:
        """What nobody took, as JSON text by key."""
        return frozendict((key, json.dumps(value)) for key, value in self.data.items() if key not in self.taken)


def integer(data: object, origin: str, where: str, least: int | None = None) -> int:
    """A whole number, also written as text."""
    if isinstance(data, str) and re.fullmatch(r"-?\d{1,18}", data):
        data = int(data)
    if isinstance(data, bool) or not isinstance(data, int):
        raise fault(origin, where, data, "a whole number")
    if least is not None and data < least:
        raise InputError(origin, f"{where} is {data}, less than {least}", REMEDY)
    return data


def fault(origin: str, where: str, data: object, wanted: str) -> InputError:
    """The sentence about data of a wrong type."""
    shown = repr(data)
    shown = shown if len(shown) <= 40 else f"{shown[:37]}..."
    return InputError(origin, f"{where or 'its content'} is {shown}, not {wanted}", REMEDY)
