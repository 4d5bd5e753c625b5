"""Strict reading of the JSON parts of an archive into torch's own record types.

Owns the conversion: every field must have exactly the type that `torch._export.serde.schema` declares, a union exactly
one member, an enumeration a known value.  (torch's own reader lets any value through.)  Refuses nothing else: what the
records may say is checked in `archive_checks`.  Fields that the schema does not know are dropped.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Hashable
from enum import IntEnum
from functools import cache
from typing import TypeVar, cast

from torch._export.serde.union import _Union

from compiler.frontend.archive_error import ArchiveError, quoted

T = TypeVar("T")
U = TypeVar("U", bound=_Union)

_FLOAT_WORDS = {"Infinity": float("inf"), "-Infinity": float("-inf"), "NaN": float("nan")}
_PLAIN: dict[object, str] = {int: "an integer", bool: "true or false", str: "text", float: "a number"}


def decode(cls: type[T], data: object) -> T:
    """The record of class `cls` that `data`, as `json.loads` returns it, holds; ArchiveError names the first misfit."""
    try:
        return cast(T, _build(cls, data))
    except RecursionError as error:
        raise ArchiveError("it is nested too deeply") from error


def union(cls: type[U], name: str, value: object) -> U:
    """The form `name` of a union."""
    return cast(U, cls.create(**{name: value}))  # type: ignore[no-untyped-call]


def _build(hint: object, data: object) -> object:
    if hint in _PLAIN:
        return _plain(hint, data)
    origin = typing.get_origin(hint)
    if origin is list:
        return _list(typing.get_args(hint)[0], data)
    if origin is dict:
        return _dict(typing.get_args(hint)[1], data)
    if origin in {typing.Union, types.UnionType}:
        return None if data is None else _build(typing.get_args(hint)[0], data)
    return _record(cast(type[object], hint), data)


def _plain(hint: object, data: object) -> object:
    if hint is float:
        if isinstance(data, str) and data in _FLOAT_WORDS:
            return _FLOAT_WORDS[data]
        if type(data) in {int, float}:
            return _float(cast(float, data))
    elif type(data) is hint and not (hint is int and abs(cast(int, data)) >= 2**63):
        return data
    raise ArchiveError(f"{quoted(str(data))} stands where {_PLAIN[hint]} belongs")


def _float(number: float) -> float:
    try:
        return float(number)
    except OverflowError as error:
        raise ArchiveError("a number is too large") from error


def _list(hint: object, data: object) -> list[object]:
    if not isinstance(data, list):
        raise ArchiveError("a list is missing")
    return [_build(hint, item) for item in data]


def _dict(hint: object, data: object) -> dict[str, object]:
    if not isinstance(data, dict):
        raise ArchiveError("a table is missing")
    return {key: _field(key, hint, value) for key, value in data.items()}


def _record(cls: type[object], data: object) -> object:
    if issubclass(cls, IntEnum):
        return _member(cls, data)
    if not isinstance(data, dict):
        raise ArchiveError(f"a record {cls.__name__} is missing")
    if issubclass(cls, _Union):
        return _union(cls, data)
    hints = _hints(cast(Hashable, cls))
    values = {name: _field(name, hint, data[name]) for name, hint in hints.items() if name in data}
    missing = [name for name in hints if name not in data and name not in _optional(cast(Hashable, cls))]
    if missing:
        raise ArchiveError(f"the field {missing[0]} of a record {cls.__name__} is missing")
    return cls(**values)


def _union(cls: type[_Union], data: dict[str, object]) -> object:
    hints = _hints(cast(Hashable, cls))
    if len(data) != 1 or not data.keys() <= hints.keys():
        found = quoted(", ".join(data))
        raise ArchiveError(f"one of {len(hints)} forms of {cls.__name__} belongs where {found} stands")
    ((name, value),) = data.items()
    return union(cls, name, _field(name, hints[name], value))


def _member(cls: type[IntEnum], data: object) -> IntEnum:
    known = {int(value): value for value in cls}
    if type(data) is not int or data not in known:
        raise ArchiveError(f"{quoted(str(data))} is no known {cls.__name__}")
    return known[data]


def _field(name: str, hint: object, value: object) -> object:
    try:
        return _build(hint, value)
    except ArchiveError as fault:
        raise fault.inside(name if name.isidentifier() else quoted(name)) from fault


@cache
def _hints(cls: Hashable) -> dict[str, object]:
    return typing.get_type_hints(cls)


@cache
def _optional(cls: Hashable) -> frozenset[str]:
    fields = dataclasses.fields(cast(type, cls))
    required = {f.name for f in fields if f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING}
    return frozenset(f.name for f in fields) - required
