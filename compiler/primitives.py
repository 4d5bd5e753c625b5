"""Primitives: the scalar operations a loop body may apply.

One row per primitive: arity, the unit that executes it and its cost class.  Refuses numerics: the meaning in numbers
is the simulator's table with the same keys (a test compares them).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from frozendict import frozendict


class Unit(StrEnum):
    """The unit of a corelet that executes a primitive."""

    SFU = "sfu"
    PT = "pt"


class CostClass(StrEnum):
    """Relative cost of a primitive on its unit."""

    SIMPLE = "simple"
    TRANSCENDENTAL = "transcendental"


@dataclass(frozen=True, slots=True)
class Primitive:
    """A row: name as in listings, number of operands, unit, cost class."""

    name: str
    arity: int
    unit: Unit = Unit.SFU
    cost: CostClass = CostClass.SIMPLE


def _rows(names: str, arity: int, cost: CostClass = CostClass.SIMPLE) -> tuple[Primitive, ...]:
    return tuple(Primitive(name, arity, Unit.SFU, cost) for name in names.split())


PRIMITIVES: frozendict[str, Primitive] = frozendict(
    (row.name, row)
    for row in (
        *_rows("identity cast bitcast neg abs relu square sign floor ceil trunc round isnan isinf signbit", 1),
        *_rows("logical_not bitwise_not", 1),
        *_rows("exp exp2 expm1 log log2 log10 log1p sqrt rsqrt reciprocal", 1, CostClass.TRANSCENDENTAL),
        *_rows("sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh", 1, CostClass.TRANSCENDENTAL),
        *_rows("erf erfc sigmoid gelu gelu_tanh silu", 1, CostClass.TRANSCENDENTAL),
        *_rows("add sub mul maximum minimum", 2),
        *_rows("truediv floordiv truncdiv mod remainder pow atan2", 2, CostClass.TRANSCENDENTAL),
        *_rows("eq ne lt le gt ge logical_and logical_or logical_xor", 2),
        *_rows("bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift copysign", 2),
        *_rows("where", 3),
        *_rows("fma", 3),
    )
)
COMBINES = ("sum", "max", "min", "prod", "any", "argmax", "argmin")
