"""Judges a KTIR module: every value is defined once, before it is used, and has the type that is written where it is.

Owns names, scopes and what regions take and yield.  Refuses to change anything, and to know what addresses mean: a run
of the program finds those out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from compiler.errors import InputError
from compiler.formats.ktir_ir import (
    AffineSet,
    Function,
    Future,
    KtirModule,
    Operation,
    Region,
    Scalar,
    Type,
)
from compiler.read.ktir_cursor import INDEX
from compiler.read.ktir_rules import FOLDS, MisfitError, require, rule_of, shaped

MOST_CORES: Final = 4096
"""Cores of a grid."""
_ENDS: Final = {
    "scf.for": "scf.yield",
    "scf.if": "scf.yield",
    "linalg.reduce": "linalg.yield",
    "ktdp.inter_tile_produce": "ktdp.yield_partial",
    "ktdp.inter_tile_reduce": "ktdp.yield_reduced",
}
_RETURNS: Final = ("return", "func.return")
_Scope = dict[str, Type]


def check_types(module: KtirModule, origin: str) -> None:
    """InputError, naming `origin` and the line, for the first operation that does not fit."""
    names: set[str] = set()
    for function in module.functions:
        try:
            require(function.name not in names, f"there are two functions {function.name}")
            names.add(function.name)
            _Checker(function).run()
        except _LineError as error:
            raise _input_error(origin, error.line, error.why) from None
        except MisfitError as error:
            raise _input_error(origin, function.line, str(error)) from None


def _input_error(origin: str, line: int, why: str) -> InputError:
    return InputError(f"{origin}, line {line}", why, "give a KTIR module as exporters write it")


class _LineError(Exception):
    """What does not fit, and where."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line, self.why = line, why


class _Checker:
    """One function."""

    def __init__(self, function: Function) -> None:
        self.function = function

    def run(self) -> None:
        """MisfitError or _LineError for what does not fit."""
        function = self.function
        cores = math.prod(function.grid)
        require(bool(function.grid) and min(function.grid) >= 1 and cores <= MOST_CORES, "its grid is no grid of cores")
        scope: _Scope = {}
        for name in function.parameters:
            self._define(scope, name, INDEX)
        self._block(function.body, scope, function.line, _RETURNS, ())

    def _define(self, scope: _Scope, name: str, kind: Type) -> None:
        require(name not in scope, f"{name} is defined twice")
        scope[name] = kind

    def _block(
        self, body: Sequence[Operation], scope: _Scope, line: int, ends: Sequence[str], wanted: Sequence[Type]
    ) -> None:
        """Operations of a region, the last of which ends it with values of the types wanted."""
        last = body[-1] if body else None
        if (last is None or last.name not in ends) and (wanted or ends == _RETURNS):
            raise _LineError(last.line if last else line, f"the region does not end in {ends[0]}")
        for operation in body:
            try:
                self._operation(operation, scope, ends, wanted, is_last=operation is last)
            except MisfitError as error:
                raise _LineError(operation.line, f"{operation.name}: {error}") from None

    def _operation(
        self, operation: Operation, scope: _Scope, ends: Sequence[str], wanted: Sequence[Type], *, is_last: bool
    ) -> None:
        for name in operation.operands:
            require(name in scope, f"{name} is not defined here")
        found = tuple(scope[name] for name in operation.operands)
        if len(operation.operand_types) != len(found):
            raise MisfitError(f"it has {len(found)} operands and {len(operation.operand_types)} types of them")
        for name, kind, written in zip(operation.operands, found, operation.operand_types, strict=True):
            require(kind == written, f"{name} is {kind}, not {written}")
        if operation.name in _RETURNS or operation.name in _ENDS.values():
            require(is_last and operation.name in ends, "it ends no region here")
            require(tuple(operation.types) == tuple(wanted), f"it yields other types than {_listed(wanted)}")
            require(not operation.results, "it has no result")
            return
        rule = rule_of(operation.name)
        if rule is not None:
            rule(operation)
        self._regions(operation, scope)
        if operation.name == "ktdp.get_compute_tile_id":
            require(operation.types == (INDEX,) * len(self.function.grid), "it has one index for every dim of the grid")
        require(len(operation.results) == len(operation.types), f"it has {len(operation.types)} results")
        for name, kind in zip(operation.results, operation.types, strict=True):
            self._define(scope, name, kind)

    # Regions

    def _regions(self, operation: Operation, scope: _Scope) -> None:
        match operation.name:
            case "scf.for":
                self._region(operation, operation.regions[0], scope, operation.types)
            case "scf.if":
                require(len(operation.regions) == 2 or not operation.types, "without else it yields nothing")
                for region in operation.regions:
                    self._region(operation, region, scope, operation.types)
            case "linalg.reduce" if operation.regions:
                element = Scalar(shaped(operation.types[0], "tensor").element)
                self._joined(operation, scope, element)
            case "ktdp.inter_tile_produce":
                self._sent(operation, scope)
            case "ktdp.inter_tile_reduce":
                future = operation.operand_types[0]
                require(
                    isinstance(future, Future) and future.tensor == operation.types[0], f"{future} is another future"
                )
                require(operation.operand_types[1] == operation.types[0], "what changes nothing has another type")
                _members(operation)
                self._joined(operation, scope, operation.types[0])

    def _region(self, operation: Operation, region: Region, scope: _Scope, wanted: Sequence[Type]) -> None:
        inner = dict(scope)
        for name, kind in region.arguments:
            self._define(inner, name, kind)
        self._block(region.body, inner, operation.line, (_ENDS[operation.name],), wanted)

    def _joined(self, operation: Operation, scope: _Scope, kind: Type) -> None:
        """A region that makes one of two parts."""
        region = operation.regions[0]
        require([each for _, each in region.arguments] == [kind, kind], f"its region takes not two of {kind}")
        joins = len(region.body) == 2 and region.body[0].name in FOLDS
        require(joins and region.body[1].operands == region.body[0].results, "its region does not join two parts")
        names = [name for name, _ in region.arguments]
        require(sorted(region.body[0].operands) == sorted(names), "its region does not join its two arguments")
        self._region(operation, region, scope, (kind,))

    def _sent(self, operation: Operation, scope: _Scope) -> None:
        future = operation.types[0]
        require(isinstance(future, Future), f"{future} is no future")
        assert isinstance(future, Future)
        _members(operation)
        region = operation.regions[0]
        require([each for _, each in region.arguments] == [INDEX], "its region takes not one index")
        self._region(operation, region, scope, (future.tensor,))


def _members(operation: Operation) -> None:
    members = operation.attributes["members"]
    fits = isinstance(members, AffineSet) and len(members.dims) == len(members.symbols) == 1
    require(fits, "its set is not one of cores for a group")


def _listed(kinds: Sequence[Type]) -> str:
    return ", ".join(map(str, kinds)) or "none"
