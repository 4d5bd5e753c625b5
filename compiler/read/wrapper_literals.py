"""Wrapper literals: the small part of Python that op specifications are written in, as values.

Owns numbers, texts, lists, tuples, dicts, and calls of the few classes that are known by name.  Refuses everything else
in one sentence with the line: nothing is ever run.
"""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from compiler.errors import InputError
from compiler.formats.expression import Expression
from compiler.read.plain import DEEPEST, LARGEST_NUMBER, MOST_DIMS, REMEDY, expression

_CLASSES: Final = frozenset(
    {
        *("OpSpec", "TensorArg", "LoopSpec", "UnimplementedOp", "TensorWorkDivision", "DebugHandle", "SourceLoc"),
        *("ProvenanceTransform", "IndirectAccess", "SpyreTensorLayout"),
    }
)
_WORDS: Final = frozenset({"DataFormats", "ElementArrangement", "torch"})
"""Names whose attributes are words: `DataFormats.SEN169_FP16`."""


@dataclass(frozen=True, slots=True)
class Made:
    """A call of a known class: its name, arguments in order, arguments by name, and the line."""

    name: str
    given: tuple[object, ...]
    named: Mapping[str, object]
    origin: str
    line: int

    def fault(self, why: str) -> InputError:
        """The error for what does not fit, with the line."""
        return InputError(f"{self.origin}, line {self.line}", f"{self.name}: {why}", REMEDY)

    def get(self, key: str, place: int = -1, default: object = None) -> object:
        """An argument by name or by place."""
        if key in self.named:
            return self.named[key]
        return self.given[place] if 0 <= place < len(self.given) else default

    def text(self, key: str, place: int = -1, default: str | None = None) -> str:
        """A text."""
        found = self.get(key, place, default)
        if not isinstance(found, str):
            raise self.fault(f"{key} is no text")
        return found

    def truth(self, key: str, place: int) -> bool:
        """True or false."""
        found = self.get(key, place)
        if not isinstance(found, bool):
            raise self.fault(f"{key} is neither True nor False")
        return found

    def integer(self, key: str, place: int = -1, default: int | None = None) -> int:
        """A whole number, also written as an expression without symbols."""
        return self.whole(self.get(key, place, default), key)

    def whole(self, value: object, what: str) -> int:
        """A value as a whole number."""
        if isinstance(value, Expression) and not value.terms:
            value = value.constant
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.fault(f"{what} is no whole number")
        if abs(value) >= LARGEST_NUMBER:
            raise self.fault(f"{what} is larger than any size or address")
        return value

    def expression(self, value: object, what: str) -> Expression:
        """A value as an expression."""
        return value if isinstance(value, Expression) else Expression(self.whole(value, what))

    def items(self, key: str, place: int = -1) -> list[object]:
        """A list; empty if it is left out or None."""
        found = self.get(key, place)
        if found is None:
            return []
        if not isinstance(found, list | tuple):
            raise self.fault(f"{key} is no list")
        return list(found)

    def sizes(self, key: str, place: int = -1) -> tuple[int, ...]:
        """A list of whole numbers, one for each dim of a tensor."""
        found = self.items(key, place)
        if len(found) > MOST_DIMS:
            raise self.fault(f"{key} has more than {MOST_DIMS} dims")
        return tuple(self.whole(each, key) for each in found)

    def mapping(self, key: str, place: int = -1) -> dict[str, object]:
        """A dict; empty if it is left out or None."""
        found = self.get(key, place)
        if found is None:
            return {}
        if not isinstance(found, dict):
            raise self.fault(f"{key} is no dict")
        return found

    def rest(self, known: frozenset[str]) -> dict[str, str]:
        """Arguments by name that are not known and say something, as JSON text."""
        kept = {key: value for key, value in self.named.items() if key not in known}
        return {key: json.dumps(plain(value)) for key, value in kept.items() if value not in (None, {}, [], ())}


def plain(value: object) -> object:
    """A value as JSON data; expressions as their text, calls as objects with their class."""
    match value:
        case dict():
            return {str(key): plain(each) for key, each in value.items()}
        case list() | tuple():
            return [plain(each) for each in value]
        case Made(name, given, named):
            own = {"class": name, **{key: plain(each) for key, each in named.items()}}
            return own | {"given": [plain(each) for each in given]} if given else own
        case Expression():
            return str(value)
        case _:
            return value


def literal(node: ast.expr, origin: str, depth: int = 0) -> object:
    """The value of a literal; InputError for everything else."""

    def inner(each: ast.expr) -> object:
        return literal(each, origin, depth + 1)

    if depth > DEEPEST:
        raise _fault(node, origin, f"it is nested deeper than {DEEPEST} levels")
    match node:
        case ast.Constant(value=value) if isinstance(value, str | int | bool) or value is None:
            return value
        case ast.Constant(value=float() as value) if math.isfinite(value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)) if math.isfinite(value):
            return -value
        case ast.List(elts=items) | ast.Tuple(elts=items):
            made = [inner(each) for each in items]
            return made if isinstance(node, ast.List) else tuple(made)
        case ast.Dict(keys=keys, values=values):
            return _dict(node, [key for key in keys if key is not None], values, origin, depth)
        case ast.Attribute(value=ast.Name(id=owner), attr=word) if owner in _WORDS:
            return word
        case ast.Call():
            return _call(node, origin, depth)
    raise _fault(node, origin, f"{type(node).__name__} is no literal that is read here")


def _dict(node: ast.expr, keys: list[ast.expr], values: list[ast.expr], origin: str, depth: int) -> dict[str, object]:
    if len(keys) != len(values):
        raise _fault(node, origin, "a dict is made of other dicts, which is not read here")
    names = [str(literal(key, origin, depth + 1)) for key in keys]
    if len(set(names)) != len(names):
        raise _fault(node, origin, "a key stands twice in a dict")
    return {name: literal(value, origin, depth + 1) for name, value in zip(names, values, strict=True)}


def _call(node: ast.Call, origin: str, depth: int) -> object:
    name = called(node)
    if any(each.arg is None for each in node.keywords):
        raise _fault(node, origin, "arguments are spread out of a dict, which is not read here")
    given = tuple(literal(each, origin, depth + 1) for each in node.args if name in {*_CLASSES, "sympify"})
    if name == "sympify" and len(given) == 1 and not node.keywords:
        return expression(str(given[0])[:100_000], f"{origin}, line {node.lineno}", "an expression")
    if name not in _CLASSES:
        raise _fault(node, origin, f"{name[:60] or 'what it calls'} is no class that is read here")
    named = {each.arg: literal(each.value, origin, depth + 1) for each in node.keywords if each.arg}
    return Made(name, given, named, origin, node.lineno)


def called(node: ast.Call) -> str:
    """The last name of what is called: `sdsc` of `async_compile.sdsc(...)`; '' if it has none."""
    match node.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


def _fault(node: ast.expr, origin: str, why: str) -> InputError:
    return InputError(f"{origin}, line {node.lineno}", why, REMEDY)
