"""JSON form of every value: versioned documents that round-trip.

Owns the envelope `{"kind", "version", "value"}` and the conversion.  Refuses newer versions (naming both), missing
and extra keys and wrong types, each in one sentence with the path to the fault.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Mapping
from enum import Enum
from typing import Any, TypeVar, cast, get_args, get_origin

import cattrs
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn
from frozendict import frozendict

from compiler.captured import Captured
from compiler.compilation import Compilation
from compiler.device import Device
from compiler.errors import InputError
from compiler.graph import ModelGraph
from compiler.loops import Const, Instruction, LoopProgram
from compiler.pins import Pins
from compiler.plan import Placement, Plan
from compiler.problem import Problem
from compiler.program import Program

VERSION = 1
LONGEST = 40
"""So much of what does not fit is shown."""
_NAMES: frozendict[type, str] = frozendict(
    {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}
)
ENVELOPE = frozenset({"kind", "version", "value"})
_HALVES = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
KINDS: frozendict[str, type] = frozendict(
    {
        "graph": ModelGraph,
        "loops": LoopProgram,
        "device": Device,
        "pins": Pins,
        "plan": Plan,
        "problem": Problem,
        "program": Program,
        "compilation": Compilation,
        "model": Captured,
    }
)
T = TypeVar("T")


def to_json(value: object, *, indent: int | None = None) -> str:
    """A JSON document of one of the values in KINDS."""
    kind = next((name for name, cls in KINDS.items() if type(value) is cls), None)
    if kind is None:
        raise TypeError(f"{type(value).__name__} has no JSON form")
    document = {"kind": kind, "version": VERSION, "value": _CONVERTER.unstructure(value)}
    return json.dumps(document, indent=indent, allow_nan=False, ensure_ascii=False)


def from_json(cls: type[T], text: str, origin: str = "this file") -> T:
    """The value of class `cls` in a JSON document; InputError with one sentence otherwise."""
    document = parse_document(text, origin)
    kind = kind_of(cls)
    found = document["kind"]
    if found != kind:
        raise InputError(origin, f"it holds a {found}, not a {kind}", f"choose a {kind} file")
    return structure(cls, document["value"], origin)


def kind_of(cls: type) -> str:
    """The `kind` word of a value class."""
    return next(name for name, known in KINDS.items() if known is cls)


def parse_document(text: str, origin: str, kinds: Collection[str] = KINDS, newest: int = VERSION) -> dict[str, object]:
    """Check the envelope; returns a dict with kind and value. Documents of other kinds than `kinds` are refused, and
    versions above `newest`."""
    try:
        document = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise InputError(origin, f"it is not valid JSON ({error})", "choose a file written by Spyre Studio") from error
    if not isinstance(document, dict) or not document.keys() >= ENVELOPE:
        raise InputError(origin, "it is JSON, but not a Spyre Studio document", "choose a file written by Spyre Studio")
    check_version(document["version"], origin, newest)
    extra = sorted(document.keys() - ENVELOPE)
    if extra:
        raise InputError(origin, f"it has an entry {extra[0]!r} beside its value", "remove it, or export it again")
    if _HALVES.search(text):
        check_text(json.dumps(document, ensure_ascii=False), origin)
    if not isinstance(document["kind"], str) or document["kind"] not in kinds:
        raise InputError(origin, f"it holds an unknown kind of document, {document['kind']!r}", "choose another file")
    return document


def check_text(text: str, origin: str) -> None:
    """Refuse halves of surrogate pairs, which no file and no window can show."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        half = text[error.start].encode("unicode_escape").decode("ascii")
        raise InputError(origin, f"a text in it has half of a character ({half})", "correct that text") from error


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is not a number of JSON")


def check_version(version: object, origin: str, newest: int = VERSION) -> None:
    """Refuse versions this program cannot read, naming both."""
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise InputError(origin, f"its version is {version!r}, versions start at 1", "export it again")
    if version > newest:
        why = f"it was written by a newer program (format version {version}, this one reads up to {newest})"
        raise InputError(origin, why, "update Spyre Studio, or export it again with this version")


def structure(cls: type[T], plain: object, origin: str) -> T:
    """Turn plain JSON data into a value of class `cls`; InputError with the path to the first fault, or with what no
    program of the compiler would have written."""
    try:
        value = _CONVERTER.structure(plain, cls)
    except (cattrs.BaseValidationError, ValueError, TypeError, KeyError, AttributeError) as error:
        why = cattrs.transform_error(error, path="value", format_exception=_say)[0]
        if not isinstance(plain, dict):
            why = "its value is not an object"
        raise InputError(origin, f"its contents do not fit ({why})", "correct it, or export it again") from error
    from compiler.validate import validate_value  # with it come the sets of the checker, which few processes need

    validate_value(value, origin)
    return value


class _FaultError(ValueError):
    """Something that no value may hold; the text is for people."""


def _say(error: BaseException, kind: type | None) -> str:
    if isinstance(error, _FaultError):
        return str(error)
    if isinstance(error, KeyError | cattrs.ForbiddenExtraKeysError):
        return cattrs.v.format_exception(error, kind)
    return "it is of another kind than what belongs there"


def _shown(value: object) -> str:
    """Plain data as its file has it, cut short.

    >>> _shown(None), _shown("x" * 99)[-6:]
    ('null', 'xxx...')
    """
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


class _Converter(cattrs.Converter):
    """A converter that takes nothing but an object for a value with fields."""

    def gen_structure_attrs_fromdict(self, cl: type[T]) -> Callable[[Mapping[str, object], object], T]:
        read = super().gen_structure_attrs_fromdict(cl)

        def hook(value: Mapping[str, object], cls: object) -> T:
            if not isinstance(value, dict):
                raise _FaultError(f"{_shown(value)} is not an object")
            return read(value, cls)

        return hook


def unstructure(value: object) -> object:
    """Plain JSON data of any value."""
    return cast(object, _CONVERTER.unstructure(value))


def _converter() -> cattrs.Converter:
    converter = _Converter(forbid_extra_keys=True)
    for cls in (int, float, bool):
        converter.register_structure_hook(cls, _exact(cls))
    converter.register_structure_hook(str, _text)
    converter.register_structure_hook_func(_is_enum, _word)
    converter.register_structure_hook_func(_is_frozendict, _frozendict_hook(converter))
    converter.register_structure_hook_func(_is_tuple, _tuple_hook(converter))
    converter.register_unstructure_hook_func(
        _is_frozendict, lambda table: {key: converter.unstructure(item) for key, item in table.items()}
    )
    converter.register_structure_hook(float | int | bool, lambda value, _: _scalar_in(value))
    for union, tag in ((Instruction, "step"), (Placement, "is")):
        _register_union(converter, union, tag)
    return converter


def _register_union(converter: cattrs.Converter, union: object, tag: str) -> None:
    """Members always carry `tag`, so that a table of them can be written without knowing the declared type."""
    members = {cls.__name__.lower(): cls for cls in get_args(union)}
    readers = {
        name: make_dict_structure_fn(cls, converter, _cattrs_forbid_extra_keys=True) for name, cls in members.items()
    }
    for name, cls in members.items():
        converter.register_unstructure_hook(cls, _tagged(make_dict_unstructure_fn(cls, converter), tag, name))

    def read(value: object, _: object) -> object:
        if not isinstance(value, dict):
            raise _FaultError(f"{_shown(value)} is not an object")
        name = value.get(tag)
        if not isinstance(name, str) or name not in readers:
            raise _FaultError(f"{_shown(name)} as its {tag!r} is none of {', '.join(readers)}")
        return readers[name]({key: item for key, item in value.items() if key != tag}, members[name])

    converter.register_structure_hook(union, read)


def _tagged(write: Callable[[Any], dict[str, Any]], tag: str, name: str) -> Callable[[Any], dict[str, Any]]:
    def hook(value: object) -> dict[str, Any]:
        plain = {tag: name, **write(value)}
        if isinstance(value, Const):
            plain["value"] = _scalar_out(value.value)
        return plain

    return hook


def _exact(cls: type) -> Callable[[object, object], object]:
    def hook(value: object, _: object) -> object:
        if type(value) is int and cls in (int, float) and not -(1 << 63) <= value < 1 << 63:
            raise _FaultError("a number beyond 64 bits")
        if cls is float and type(value) is int:
            return float(value)
        if type(value) is not cls:
            raise _FaultError(f"{_shown(value)} is not {_NAMES[cls]}")
        if isinstance(value, float) and not math.isfinite(value):
            raise _FaultError(f"{value} is not a finite number")
        return value

    return hook


def _text(value: object, cls: type) -> object:
    """A string as it is; the word of an enum of words, which comes here because it is a kind of string."""
    return _exact(str)(value, cls) if cls is str else _word(value, cls)


def _word(value: object, cls: type) -> object:
    try:
        return cls(value)
    except ValueError:
        words = ", ".join(str(one.value) for one in cast(type[Enum], cls))
        raise _FaultError(f"{_shown(value)} is none of {words}") from None


def _is_enum(cls: object) -> bool:
    return isinstance(cls, type) and issubclass(cls, Enum)


def _is_frozendict(cls: object) -> bool:
    return getattr(cls, "__origin__", cls) is frozendict


def _is_tuple(cls: object) -> bool:
    return get_origin(cls) is tuple


def _tuple_hook(converter: cattrs.Converter) -> Callable[[object, type], tuple[Any, ...]]:
    """Only a list is a tuple; a text or a table is not taken for one."""

    def hook(value: object, cls: type) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise _FaultError(f"{_shown(value)} is not a list")
        kinds = get_args(cls)
        if kinds[-1] is Ellipsis:
            return tuple(converter.structure(item, kinds[0]) for item in value)
        if len(kinds) != len(value):
            raise _FaultError(f"{len(value)} entries, not {len(kinds)}")
        return tuple(converter.structure(item, kind) for item, kind in zip(value, kinds, strict=True))

    return hook


def _frozendict_hook(converter: cattrs.Converter) -> Callable[[object, Any], frozendict[Any, Any]]:
    def hook(value: object, cls: type) -> frozendict[Any, Any]:
        if not isinstance(value, dict):
            raise _FaultError(f"{_shown(value)} is not an object")
        key_type, item_type = get_args(cls)
        entries = (
            (converter.structure(key, key_type), converter.structure(item, item_type)) for key, item in value.items()
        )
        return frozendict(entries)

    return hook


def _scalar_out(value: float | int | bool) -> float | int | bool | str:
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _scalar_in(value: object) -> float | int | bool:
    if isinstance(value, str) and value in ("inf", "-inf", "nan"):
        return float(value)
    if isinstance(value, bool | int | float):
        return cast("float | int | bool", _exact(type(value))(value, None))
    raise _FaultError(f"{_shown(value)} is not a number")


_CONVERTER = _converter()
