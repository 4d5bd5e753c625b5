"""Pins files: `{"version": 1, "division": {op: {loop: factor}}, "layout": {buffer: dim}, "placement": {buffer: "lx"},
"order": {buffer: [dims]}, "same": {op: other op}, "relayout": {buffer: "ring"}}`.

Owns reading and writing them.  Refuses newer versions, misspelt tables and values of the wrong kind, each in one
sentence, because a pin that is silently dropped is worse than none.  Whether a pin can be kept is decided later, by the
passes.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from frozendict import frozendict

from compiler.errors import InputError
from compiler.pins import Pins
from spyre_studio.output_file import write_whole

VERSION = 1
_PLACES = ("lx", "hbm")
_WAYS = ("ring", "none")
_TABLES = ("division", "layout", "placement", "tiles", "order", "same", "relayout")
_MOST = (1 << 63) - 1
T = TypeVar("T")


def read_pins_file(path: Path) -> Pins:
    """The pins in a file; InputError with one sentence if it is no pins file that this program can read."""
    what = f"pins file {path}"
    if path.exists() and not path.is_file():  # a pipe would be waited for
        raise InputError(what, "it is no file", "choose a JSON file with pins")
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError as error:
        raise InputError(what, "there is no such file", "check the path") from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(what, "it cannot be read as text", "choose a JSON file with pins") from error
    return parse_pins(text, what)


def parse_pins(text: str, what: str = "the pins") -> Pins:
    """Pins from JSON text; `what` names it in errors."""
    try:
        plain = json.loads(text, object_pairs_hook=_without_doubles)
    except (ValueError, RecursionError) as error:
        raise InputError(what, f"it is not valid JSON ({error})", "correct it") from error
    if not isinstance(plain, dict):
        raise InputError(what, "it is not a JSON object", 'write {"version": 1, "division": {...}}')
    _check_version(plain, what)
    for key in plain:
        if key not in ("version", *_TABLES):
            raise InputError(what, f"it has an unknown key '{key}'{_meant(key)}", f"use {', '.join(_TABLES)}")
    return Pins(
        division=_table(plain, "division", what, _counts),
        layout=_table(plain, "layout", what, _dim),
        placement=_table(plain, "placement", what, _place),
        tiles=_table(plain, "tiles", what, _counts),
        order=_table(plain, "order", what, _order),
        same=_table(plain, "same", what, _name),
        relayout=_table(plain, "relayout", what, _way),
    )


def print_pins_file(pins: Pins) -> str:
    """The file's text; inverse of `parse_pins`.  Empty tables are left out."""
    tables = {
        "division": {op: dict(factors) for op, factors in pins.division.items()},
        "layout": dict(pins.layout),
        "placement": dict(pins.placement),
        "tiles": {op: dict(counts) for op, counts in pins.tiles.items()},
        "order": {buffer: list(dims) for buffer, dims in pins.order.items()},
        "same": dict(pins.same),
        "relayout": dict(pins.relayout),
    }
    document = {"version": VERSION, **{name: table for name, table in tables.items() if table}}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def write_pins_file(path: Path, pins: Pins) -> None:
    """Write pins; what stood in the file before stays if that fails (InputError)."""
    write_whole(path, print_pins_file(pins))


def _check_version(plain: Mapping[str, object], what: str) -> None:
    version = plain.get("version")
    if version is None:
        raise InputError(what, "it has no 'version'", f'add "version": {VERSION}')
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise InputError(what, f"its version is {version!r}, and versions start at 1", f'write "version": {VERSION}')
    if version > VERSION:
        why = f"it was written by a newer program (version {version}, and this one reads up to {VERSION})"
        raise InputError(what, why, "update Spyre Studio, or save the pins again with this version")


def _table(
    plain: Mapping[str, object], name: str, what: str, read: Callable[[object, str, str], T]
) -> frozendict[str, T]:
    table = plain.get(name, {})
    if not isinstance(table, dict):
        raise InputError(what, f"'{name}' is {_shown(table)} and not an object", "correct that entry")
    return frozendict((key, read(value, f"{name} of {key}", what)) for key, value in table.items())


def _counts(value: object, where: str, what: str) -> frozendict[str, int]:
    if not isinstance(value, dict):
        raise InputError(what, f"the {where} is {_shown(value)}", 'write it as {"loop": factor}')
    return frozendict(
        (loop, _whole(factor, f"factor of {loop} in the {where}", what)) for loop, factor in value.items()
    )


def _dim(value: object, where: str, what: str) -> int:
    return _whole(value, where, what)


def _order(value: object, where: str, what: str) -> tuple[int, ...]:
    if not isinstance(value, list):
        raise InputError(what, f"the {where} is {_shown(value)}", "write it as [dim, ...], the stick dim last")
    return tuple(_whole(dim, f"dim in the {where}", what) for dim in value)


def _place(value: object, where: str, what: str) -> str:
    return _one_of(_PLACES, value, where, what)


def _way(value: object, where: str, what: str) -> str:
    return _one_of(_WAYS, value, where, what)


def _one_of(words: tuple[str, ...], value: object, where: str, what: str) -> str:
    if not isinstance(value, str) or value not in words:
        raise InputError(what, f"the {where} is {_shown(value)}", f"write {' or '.join(words)}")
    return value


def _name(value: object, where: str, what: str) -> str:
    if not isinstance(value, str) or not value:
        raise InputError(what, f"the {where} is {_shown(value)}", "write the name of an op")
    return value


def _whole(value: object, where: str, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(what, f"the {where} is {_shown(value)}", "write a whole number")
    if not -_MOST <= value <= _MOST:
        raise InputError(what, f"the {where} is {_shown(value)}, which is beyond 64 bits", "write a smaller number")
    return value


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:40]}..."


def _meant(key: str) -> str:
    close = difflib.get_close_matches(key, _TABLES, n=1)
    return f", which may mean '{close[0]}'" if close else ""


def _without_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object whose keys are all different: of two pins on one op JSON would silently drop the first."""
    table: dict[str, object] = {}
    for key, value in pairs:
        if key in table:
            raise ValueError(f"'{key}' appears twice in one object")
        table[key] = value
    return table
