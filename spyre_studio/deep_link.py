"""Deep links: a file and a place in it as one text, `plan.json#op=exp&core=7&step=12&view=timeline&buffer=exp`.

Owns the text form: the parts, percent-encoding, and where a file's name ends.  Refuses Qt, and knowing which names a
plan has.  A file that exists wins: `notes#2.json` is opened as it stands, whatever its name looks like.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote_to_bytes

from resources.examples import bundled_script, example

PARTS: Final = ("op", "buffer", "core", "step", "view")
_KEY: Final = re.compile(r"[a-z_-]+=", re.IGNORECASE)
_PLAIN: Final = "/.:,()*@+-_~"  # what the names of ops are made of stays as people know it
_LONGEST: Final = 60


@dataclass(frozen=True, slots=True)
class Place:
    """Names of an op, buffer and view, and numbers of a core and a step; None for a part that is not given."""

    op: str | None = None
    buffer: str | None = None
    core: int | None = None
    step: int | None = None
    view: str | None = None

    def __bool__(self) -> bool:
        """False for no place at all."""
        return self != Place()


@dataclass(frozen=True, slots=True)
class Link:
    """`spec` is the file, model or example; `unknown` are parts that say nothing, as they were written."""

    spec: str
    place: Place = Place()
    unknown: tuple[str, ...] = ()


def read_link(text: str) -> Link:
    """The file and the place that `text` names; without a place, `text` is the file."""
    spec, fragment = _divided(text)
    return Link(spec) if fragment is None else _read(spec, fragment)


def print_link(link: Link) -> str:
    """The text that `read_link` reads; parts that are not given are left out."""
    values = ((part, getattr(link.place, part)) for part in PARTS)
    parts = [f"{part}={quote(str(value), safe=_PLAIN)}" for part, value in values if value is not None]
    return f"{link.spec}#{'&'.join(parts)}" if parts else link.spec


def from_anywhere(spec: str) -> str:
    """The same model, named so that it is found from any folder."""
    known = (
        not spec or example(spec.partition("?")[0]) is not None or bundled_script(spec.partition("?")[0]) is not None
    )
    return spec if known else str(_home(spec).absolute())


def _home(name: str) -> Path:
    try:
        return Path(name).expanduser()
    except RuntimeError:  # nobody's home: a name like any other
        return Path(name)


def _divided(text: str) -> tuple[str, str | None]:
    """Where the file ends: at the last # before which something exists, else at one that parts follow."""
    if "#" not in text or _is_whole(text):
        return text, None
    cuts = [at for at, sign in enumerate(text) if sign == "#"]
    found = _last(cuts, lambda at: _names_something(text[:at]))
    if found is None:
        found = _last(cuts, lambda at: bool(text[:at]) and _KEY.match(text, at + 1) is not None)
    return (text, None) if found is None else (text[:found], text[found + 1 :])


def _is_whole(text: str) -> bool:
    """True if the last # is part of the name of a file that exists, with or without a factory and sizes behind it."""
    head = text.partition("?")[0]
    names = (text, head, head.rpartition(":")[0])
    return any("#" in name and "#" not in text[len(name) :] and _exists(name) for name in names)


def _last(cuts: list[int], holds: Callable[[int], bool]) -> int | None:
    return next((at for at in reversed(cuts) if holds(at)), None)


def _names_something(spec: str) -> bool:
    """True for an example or a file, with or without the sizes or the factory that follow its name."""
    head = spec.partition("?")[0]
    return example(head) is not None or any(map(_exists, (spec, head, head.rpartition(":")[0])))


def _exists(name: str) -> bool:
    try:
        return bool(name) and _home(name).exists()
    except (OSError, ValueError):  # no name that a file can have
        return False


def _read(spec: str, fragment: str) -> Link:
    """Each part once; a later one of the same name counts."""
    names: dict[str, str] = {}
    numbers: dict[str, int] = {}
    unknown: list[str] = []
    for part in filter(None, fragment.split("&")):
        key, equals, raw = part.partition("=")
        value = _decoded(raw)
        if not equals or not value or key.lower() not in PARTS:
            unknown.append(_shown(part))
        elif key.lower() not in {"core", "step"}:
            names[key.lower()] = value
        elif value.isascii() and value.isdecimal() and len(value) < _LONGEST:
            numbers[key.lower()] = int(value)
        else:
            unknown.append(_shown(part))
    place = Place(names.get("op"), names.get("buffer"), numbers.get("core"), numbers.get("step"), names.get("view"))
    return Link(spec, place, tuple(unknown))


def _decoded(raw: str) -> str:
    """The value behind percent signs; '' for bytes that are no text."""
    try:
        return unquote_to_bytes(raw).decode("utf-8")
    except UnicodeDecodeError:
        return ""


def _shown(part: str) -> str:
    """As it was written, short enough for a sentence."""
    return part if len(part) <= _LONGEST else f"{part[: _LONGEST - 1]}…"
