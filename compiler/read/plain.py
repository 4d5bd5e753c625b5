"""Plain data: JSON of unknown origin, read key by key with one sentence for what does not fit.

Owns the limits of size and depth, the types, and which keys nobody asked for.  Refuses everything else: no file is ever
run, and none can make this program slow or large.
"""

from __future__ import annotations

import json
import re
import stat
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from frozendict import frozendict

from compiler.codec import check_text
from compiler.errors import InputError
from compiler.formats.expression import Expression, parse_expression

LARGEST_BYTES: Final = 2**27
DEEPEST: Final = 64
LARGEST_NUMBER: Final = 2**62
"""No size and no address is larger."""
MOST_DIMS: Final = 32
_MOST_PARTS: Final = 12_000_000
_HALVES: Final = re.compile(r"\\u[dD][89a-fA-F]")
REMEDY: Final = "give a file as its exporter wrote it"


def read_json(path: Path) -> object:
    """The data of a JSON file; InputError for anything else."""
    return parse_json(read_file(path), str(path))


def read_file(path: Path, largest: int = LARGEST_BYTES) -> str:
    """The text of a file; InputError if it cannot be read or has more than `largest` bytes."""
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise InputError(str(path), "it is a folder, not a file", "choose a file in it")
        if not stat.S_ISREG(found.st_mode):
            raise InputError(str(path), "it is no ordinary file", "choose a file on a disk")
        if found.st_size > largest:
            raise InputError(str(path), f"it has {found.st_size:,} bytes; {largest:,} are read", "give a smaller file")
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(str(path), "it is not a text file in UTF-8", REMEDY) from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "its name is none"
        raise InputError(str(path), f"it cannot be read ({why})", "check the path") from error


def parse_json(text: str, origin: str) -> object:
    """The data of a JSON text: no key twice in an object, only finite numbers, at most `DEEPEST` levels."""
    if not text.strip():
        raise InputError(origin, "it is empty", REMEDY)
    if text.count("[") + text.count("{") + text.count(",") > _MOST_PARTS:
        raise InputError(origin, f"it has more than {_MOST_PARTS:,} parts", "give a smaller file")

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) != len(pairs):
            twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
            raise InputError(origin, f"the key {_shortened(repr(twice))} stands twice in an object", REMEDY)
        return found

    def no_number(word: str) -> float:
        raise InputError(origin, f"{word} stands in it, which is no number of JSON", REMEDY)

    try:
        data: object = json.loads(text, object_pairs_hook=unique, parse_constant=no_number)
    except RecursionError:
        raise _too_deep(origin) from None
    except json.JSONDecodeError as error:
        raise InputError(origin, f"it is not valid JSON (line {error.lineno}: {error.msg})", REMEDY) from None
    except ValueError:
        raise InputError(origin, "a number in it has too many digits", REMEDY) from None
    _require_flat(data, origin)
    if _HALVES.search(text):
        check_text(json.dumps(data, ensure_ascii=False), origin)
    return data


def _require_flat(data: object, origin: str) -> None:
    level = [data]
    for _ in range(DEEPEST + 1):
        parts = [each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list)]
        level = [child for part in parts for child in part if isinstance(child, dict | list)]
        if not level:
            return
    raise _too_deep(origin)


def _too_deep(origin: str) -> InputError:
    return InputError(origin, f"it is nested deeper than {DEEPEST} levels", REMEDY)


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

    def number(self, key: str) -> float:
        """A finite number."""
        found = self.get(key)
        if isinstance(found, bool) or not isinstance(found, int | float) or abs(found) > sys.float_info.max:
            raise fault(self.origin, self.at(key), found, "a finite number")
        return float(found)

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

    def sizes(self, key: str, least: int | None = None) -> tuple[int, ...]:
        """A list of whole numbers, one for each dim of a tensor."""
        if len(self.items(key)) > MOST_DIMS:
            raise InputError(self.origin, f"{self.at(key)} has more than {MOST_DIMS} dims", REMEDY)
        return self.integers(key, least)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        found = self.items(key)
        for place, each in enumerate(found):
            if not isinstance(each, str):
                raise fault(self.origin, f"{self.at(key)}[{place}]", each, "a text")
        return tuple(map(str, found))

    def has_object(self, key: str) -> bool:
        """True if an object stands under a key."""
        return isinstance(self.data.get(key), dict)

    def extra(self) -> frozendict[str, str]:
        """What nobody took, as JSON text by key."""
        return frozendict((key, json.dumps(value)) for key, value in self.data.items() if key not in self.taken)


def integer(data: object, origin: str, where: str, least: int | None = None) -> int:
    """A whole number, also written as text."""
    if isinstance(data, str) and re.fullmatch(r"-?[0-9]{1,18}", data):
        data = int(data)
    if isinstance(data, bool) or not isinstance(data, int):
        raise fault(origin, where, data, "a whole number")
    if abs(data) >= LARGEST_NUMBER:
        raise InputError(origin, f"{where} is larger than any size or address", REMEDY)
    if least is not None and data < least:
        raise InputError(origin, f"{where} is {data}, less than {least}", REMEDY)
    return data


def expression(text: str, origin: str, where: str) -> Expression:
    """The expression of a text in a file; InputError that names the file for what is none."""
    try:
        return parse_expression(text)
    except InputError as error:
        raise InputError(origin, f"{where} is wrong: {error.what}: {error.why}", error.remedy) from None
    except (RecursionError, ValueError):
        raise InputError(origin, f"{where} is an expression with too many signs", REMEDY) from None


def fault(origin: str, where: str, data: object, wanted: str) -> InputError:
    """The sentence about data of a wrong type."""
    match data:
        case dict():
            shown = "an object"
        case list():
            shown = "a list"
        case None:
            shown = "null"
        case int() if abs(data) >= LARGEST_NUMBER:
            shown = "a very large number"
        case _:
            shown = _shortened(repr(data[:80] if isinstance(data, str) else data))
    return InputError(origin, f"{where or 'its content'} is {shown}, not {wanted}", REMEDY)


def _shortened(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."
