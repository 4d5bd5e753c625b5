"""KTIR as values: functions of operations with types, sets and regions, as a module's text says.

Owns the tree and the evaluation of affine expressions and sets.  Refuses to know what operations do: the interpreter
does, and the reader knows how each is spelled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

from frozendict import frozendict


@dataclass(frozen=True, slots=True)
class Shaped:
    """`kind` is tensor, memref or access_tile; `element` f16, f32, i1, i32, i64 or index."""

    kind: str
    shape: tuple[int, ...]
    element: str

    def __str__(self) -> str:
        inside = "x".join([*map(str, self.shape), self.element])
        return f"!ktdp.access_tile<{inside}>" if self.kind == "access_tile" else f"{self.kind}<{inside}>"


@dataclass(frozen=True, slots=True)
class Scalar:
    """A single value."""

    element: str

    def __str__(self) -> str:
        return self.element


@dataclass(frozen=True, slots=True)
class Future:
    """What cores will have sent: the tensor, and the groups that there are."""

    tensor: Shaped
    groups: AffineSet

    def __str__(self) -> str:
        return f"!ktdp.tile_future<{self.tensor}>"


Type = Shaped | Scalar | Future


@dataclass(frozen=True, slots=True)
class Affine:
    """A sum of `factor * name`, quotients and remainders: terms are (factor, name, divisor, modulus) where `name` may
    be another Affine; divisor 1 and modulus 0 mean none."""

    constant: int = 0
    terms: tuple[tuple[int, str | Affine, int, int], ...] = ()

    def value(self, names: Mapping[str, int]) -> int:
        """The value for these names."""
        total = self.constant
        for factor, inner, divisor, modulus in self.terms:
            value = inner.value(names) if isinstance(inner, Affine) else names[inner]
            value //= divisor
            total += factor * (value % modulus if modulus else value)
        return total


@dataclass(frozen=True, slots=True)
class AffineSet:
    """Points of `dims`, for given `symbols`, at which every constraint holds; (expression, True) is `== 0`."""

    dims: tuple[str, ...]
    symbols: tuple[str, ...]
    constraints: tuple[tuple[Affine, bool], ...]

    def holds(self, point: Mapping[str, int]) -> bool:
        """True if a point is in the set."""
        for expression, equal in self.constraints:
            value = expression.value(point)
            if value != 0 if equal else value < 0:
                return False
        return True

    def points(self, most: int, symbols: Mapping[str, int] | None = None) -> Iterator[tuple[int, ...]]:
        """All points with coordinates from 0 to `most`."""
        given = dict(symbols or {})
        for point in product(range(most + 1), repeat=len(self.dims)):
            if self.holds({**given, **dict(zip(self.dims, point, strict=True))}):
                yield point

    def box(self) -> tuple[tuple[int, int], ...] | None:
        """First and last coordinate of every dim, where the constraints are those of a box; None otherwise."""
        low: dict[str, int] = {}
        high: dict[str, int] = {}
        for expression, equal in self.constraints:
            if len(expression.terms) != 1:
                return None
            factor, name, divisor, modulus = expression.terms[0]
            if not isinstance(name, str) or divisor != 1 or modulus or abs(factor) != 1:
                return None
            if equal or factor == 1:
                low[name] = -expression.constant * factor
            if equal or factor == -1:
                high[name] = expression.constant if not equal else -expression.constant * factor
        if set(low) != set(self.dims) or set(high) != set(self.dims):
            return None
        return tuple((low[name], high[name]) for name in self.dims)


@dataclass(frozen=True, slots=True)
class MemorySpace:
    """Device memory, or (`local`) the scratchpad of this core, or of the core with a number."""

    local: bool
    core: int = -1


Attribute = int | float | str | tuple[int, ...] | tuple[tuple[int, ...], ...] | AffineSet | MemorySpace


@dataclass(frozen=True, slots=True)
class Region:
    """Block arguments with their types, and operations."""

    arguments: tuple[tuple[str, Type], ...]
    body: tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """`line` in the text; `types` of the results (of a yield: of what it yields), `operand_types` as they are
    written."""

    name: str
    line: int
    results: tuple[str, ...] = ()
    operands: tuple[str, ...] = ()
    attributes: frozendict[str, Attribute] = field(default_factory=frozendict)
    types: tuple[Type, ...] = ()
    regions: tuple[Region, ...] = ()
    operand_types: tuple[Type, ...] = ()


@dataclass(frozen=True, slots=True)
class Function:
    """A function that every core of the grid runs, and the line where it begins; the first dim of the grid varies
    fastest."""

    name: str
    parameters: tuple[str, ...]
    grid: tuple[int, ...]
    body: tuple[Operation, ...]
    line: int = 1


@dataclass(frozen=True, slots=True)
class KtirModule:
    """Functions in order."""

    functions: tuple[Function, ...]
