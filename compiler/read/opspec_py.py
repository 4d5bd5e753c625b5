"""Wrapper source: kernels out of an `output_code.py` with OpSpec literals, read by its syntax tree.

Owns the small part of Python that such literals are made of: numbers, texts, lists, tuples, dicts, and calls of the few
classes that are known by name.  Refuses everything else in one sentence with the line; nothing is ever run.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from frozendict import frozendict

from compiler.errors import InputError
from compiler.formats.expression import Expression, parse_expression
from compiler.formats.opspec import (
    DebugHandle,
    Dimension,
    KernelSpec,
    LoopSpec,
    OpSpec,
    Place,
    Room,
    Source,
    TensorArg,
    WorkDivision,
)
from compiler.formats.opspec_rules import broken_rule
from compiler.read.plain import DEEPEST, REMEDY

LARGEST: Final = 32 * 1024 * 1024
"""Characters of a wrapper."""
_CLASSES: Final = frozenset(
    {"OpSpec", "TensorArg", "LoopSpec", "UnimplementedOp", "TensorWorkDivision", "DebugHandle", "SourceLoc"}
)
_OTHERS: Final = frozenset({"ProvenanceTransform", "IndirectAccess"})


@dataclass(frozen=True, slots=True)
class _Made:
    """A call of a known class: its name, arguments in order, arguments by name, its line."""

    name: str
    given: tuple[object, ...]
    named: Mapping[str, object]
    line: int

    def get(self, key: str, place: int, default: object = None) -> object:
        """An argument by name or by place."""
        if key in self.named:
            return self.named[key]
        return self.given[place] if place < len(self.given) else default


def read_wrapper(text: str, origin: str) -> tuple[KernelSpec, ...]:
    """All kernels of a wrapper; InputError for anything else."""
    return _Reader(origin).read(text)


class _Reader:
    def __init__(self, origin: str) -> None:
        self.origin = origin

    def fault(self, line: int, why: str) -> InputError:
        return InputError(f"{self.origin}, line {line}", why, REMEDY)

    def read(self, text: str) -> tuple[KernelSpec, ...]:
        if len(text) > LARGEST:
            raise InputError(self.origin, f"it has {len(text):,} characters; {LARGEST:,} are read", REMEDY)
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line = getattr(error, "lineno", None) or 1
            raise self.fault(line, "it is not Python that can be read") from None
        calls = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "sdsc"
        ]
        if not calls:
            raise InputError(self.origin, "it makes no kernel: there is no call of .sdsc(...)", REMEDY)
        return tuple(self._kernel(call) for call in sorted(calls, key=lambda call: call.lineno))

    def _kernel(self, call: ast.Call) -> KernelSpec:
        named = {each.arg: each.value for each in call.keywords if each.arg}
        if len(call.args) < 2:
            raise self.fault(call.lineno, "a kernel has a name and a list of ops")
        name, body = self._value(call.args[0], 0), self._value(call.args[1], 0)
        pool = self._value(named["pool_size"], 0) if "pool_size" in named else None
        if pool is None and len(call.args) > 2:
            pool = self._value(call.args[2], 0)
        if not isinstance(name, str) or not isinstance(body, list):
            raise self.fault(call.lineno, "a kernel has a name and a list of ops")
        parts = tuple(self._part(each, call.lineno) for each in body)
        return KernelSpec(name, parts, pool_bytes=pool if isinstance(pool, int) else 0)

    # Literals

    def _value(self, node: ast.expr, depth: int) -> object:
        if depth > DEEPEST:
            raise self.fault(node.lineno, f"it is nested deeper than {DEEPEST} levels")
        match node:
            case ast.Constant(value=value) if isinstance(value, str | int | float | bool) or value is None:
                return value
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)) if isinstance(value, int | float):
                return -value
            case ast.List(elts=items):
                return [self._value(each, depth + 1) for each in items]
            case ast.Tuple(elts=items):
                return tuple(self._value(each, depth + 1) for each in items)
            case ast.Dict(keys=keys, values=values) if all(key is not None for key in keys):
                pairs = zip(keys, values, strict=True)
                return {self._key(key, depth): self._value(value, depth + 1) for key, value in pairs if key is not None}
            case ast.Attribute(value=ast.Name(id=owner), attr=word) if owner in ("DataFormats", "ElementArrangement"):
                return word
            case ast.Call():
                return self._call(node, depth)
        raise self.fault(node.lineno, f"{type(node).__name__} is no literal that is read here")

    def _key(self, node: ast.expr, depth: int) -> str:
        return str(self._value(node, depth + 1))

    def _call(self, node: ast.Call, depth: int) -> object:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name == "sympify" and len(node.args) == 1:
            return parse_expression(str(self._value(node.args[0], depth + 1)))
        if name not in _CLASSES | _OTHERS:
            raise self.fault(node.lineno, f"{name or 'what it calls'} is no class that is read here")
        given = tuple(self._value(each, depth + 1) for each in node.args)
        named = {each.arg: self._value(each.value, depth + 1) for each in node.keywords if each.arg}
        return _Made(name, given, named, node.lineno)

    # Values

    def _part(self, made: object, line: int) -> OpSpec | LoopSpec:
        if not isinstance(made, _Made):
            raise self.fault(line, "an op is an OpSpec or a LoopSpec")
        if made.name == "LoopSpec":
            body = made.get("body", 1, [])
            items = body if isinstance(body, list | tuple) else []
            return LoopSpec(self._integer(made, "count", 0), tuple(self._part(each, made.line) for each in items))
        if made.name == "UnimplementedOp":
            raise self.fault(made.line, f"the op {made.get('op', 0)} was not implemented when it was written")
        spec = OpSpec(
            str(made.get("op", 0)),
            bool(made.get("is_reduction", 1)),
            self._iteration(made),
            tuple(self._tensor(each, made.line) for each in self._items(made, "args", 3)),
            self._constants(made),
            self._handle(made.named.get("debug_handle")),
        )
        rule = broken_rule(spec)
        if rule:
            raise self.fault(made.line, f"{spec.op}: {rule}")
        return spec

    def _items(self, made: _Made, key: str, place: int) -> list[object]:
        found = made.get(key, place, [])
        if not isinstance(found, list | tuple):
            raise self.fault(made.line, f"{key} is no list")
        return list(found)

    def _integer(self, made: _Made, key: str, place: int) -> int:
        found = made.get(key, place)
        if isinstance(found, bool) or not isinstance(found, int):
            raise self.fault(made.line, f"{key} is no whole number")
        return found

    def _number(self, value: object, line: int) -> int:
        if isinstance(value, Expression) and not value.terms:
            return value.constant
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.fault(line, f"{value} stands where a whole number is expected")
        return value

    def _iteration(self, made: _Made) -> tuple[Dimension, ...]:
        given = made.get("iteration_space", 2, {})
        if not isinstance(given, dict):
            raise self.fault(made.line, "iteration_space is no map")
        found = []
        for name, pair in given.items():
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise self.fault(made.line, f"{name} has no pair of extent and slices")
            found.append(Dimension(name, self._number(pair[0], made.line), self._number(pair[1], made.line)))
        return tuple(found)

    def _constants(self, made: _Made) -> frozendict[str, float]:
        info = made.named.get("op_info")
        given = info.get("constants", {}) if isinstance(info, dict) else {}
        if not isinstance(given, dict):
            raise self.fault(made.line, "constants are no map")
        numbers = {key: value for key, value in given.items() if isinstance(value, int | float)}
        return frozendict((str(key), float(value)) for key, value in numbers.items())

    def _tensor(self, made: object, line: int) -> TensorArg:
        if not isinstance(made, _Made) or made.name != "TensorArg":
            raise self.fault(line, "an argument is a TensorArg")
        allocation = made.get("allocation", 5)
        if not isinstance(allocation, dict) or len(allocation) != 1 or next(iter(allocation)) not in set(Room):
            raise self.fault(made.line, "an allocation is one of hbm, lx and hbm_pool")
        room, at = next(iter(allocation.items()))
        return TensorArg(
            bool(made.get("is_input", 0)),
            self._number(made.get("arg_index", 1, -1), made.line),
            str(made.get("device_dtype", 2)),
            tuple(self._number(each, made.line) for each in self._items(made, "device_size", 3)),
            tuple(self._expression(each, made.line) for each in self._items(made, "device_coordinates", 4)),
            Place(Room(room), self._number(at, made.line)),
            str(made.named.get("element_arrangement", "STANDARD")),
            str(made.named.get("name") or ""),
            self._division(made.named.get("work_division"), made.line),
        )

    def _expression(self, value: object, line: int) -> Expression:
        if isinstance(value, Expression):
            return value
        return Expression(self._number(value, line))

    def _division(self, made: object, line: int) -> WorkDivision | None:
        if made is None:
            return None
        if not isinstance(made, _Made) or made.name != "TensorWorkDivision":
            raise self.fault(line, "a work division is a TensorWorkDivision")
        slices = made.get("work_slices", 0, {})
        owners = made.get("core_id_to_work_slice", 1, {})
        if not isinstance(slices, dict) or not isinstance(owners, dict):
            raise self.fault(made.line, "a work division has slices and owners by symbol")
        counts = {str(name): self._number(count, made.line) for name, count in slices.items()}
        cores = 1
        for count in counts.values():
            cores *= count
        if not 0 < cores <= 4096:
            raise self.fault(made.line, f"a work division has {cores:,} cores")
        places = {str(name): self._expression(each, made.line) for name, each in owners.items()}
        of_core = tuple(
            frozendict((name, each.value({"core_id": core})) for name, each in places.items()) for core in range(cores)
        )
        return WorkDivision(frozendict(counts), of_core)

    def _handle(self, made: object, depth: int = 0) -> DebugHandle | None:
        if not isinstance(made, _Made) or made.name != "DebugHandle" or depth > DEEPEST:
            return None
        place = made.named.get("source")
        source = None
        if isinstance(place, _Made):
            edges = [
                place.get(key, at, 0) for at, key in enumerate(("start_line", "start_col", "end_line", "end_col"), 1)
            ]
            lines = [self._number(edge, place.line) for edge in edges]
            source = Source(str(place.get("file", 0)), lines[0], lines[1], lines[2], lines[3])
        aten, chain = made.named.get("aten_op"), made.named.get("ir_chain", ())
        fused = made.named.get("fused_from", ())
        parts = (self._handle(each, depth + 1) for each in fused) if isinstance(fused, list | tuple) else ()
        names = tuple(map(str, chain)) if isinstance(chain, list | tuple) else ()
        return DebugHandle(
            source, str(aten) if aten is not None else None, names, tuple(one for one in parts if one is not None)
        )
