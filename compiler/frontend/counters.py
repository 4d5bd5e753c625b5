"""Values of loop counters inside a body, as expressions: so that `x[torch.arange(n)]` is a plain read.

Owns which recorded values are known expressions of the loops and whether they stay inside a table.  Refuses
loaded values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy
from torch.utils._sympy.functions import ModularIndexing
from torch.utils._sympy.value_ranges import ValueRanges, bound_sympy


class Counters:
    """Expressions by number of the instruction that holds their value."""

    def __init__(self, extents: Mapping[sympy.Symbol, int]) -> None:
        self._ranges = {symbol: ValueRanges(0, max(extent, 1) - 1) for symbol, extent in extents.items()}
        self._known: dict[int, sympy.Expr] = {}

    def note(self, value: int, expression: sympy.Expr) -> None:
        """Instruction `value` is the value of an expression."""
        self._known[value] = expression

    def combine(self, value: int, primitive: str, operands: Sequence[int]) -> None:
        """Instruction `value` applies a primitive; if its operands are known, so is it."""
        parts = [self._known[operand] for operand in operands if operand in self._known]
        if len(parts) != len(operands):
            return
        if primitive == "add":
            self._known[value] = sympy.Add(*parts)
        elif primitive == "mul":
            self._known[value] = sympy.Mul(*parts)
        elif primitive == "sub":
            self._known[value] = parts[0] - parts[1]
        elif primitive in {"mod", "remainder"} and parts[1].is_Integer and self._bounds(parts[0]).lower >= 0:
            self._known[value] = ModularIndexing(parts[0], 1, parts[1])

    def inside(self, value: int, size: int) -> sympy.Expr | None:
        """The expression of a value that lies in `0 .. size-1`; None if it is not known or does not."""
        expression = self._known.get(value)
        if expression is None:
            return None
        bounds = self._bounds(expression)
        return expression if bounds.lower >= 0 and bounds.upper < size else None

    def _bounds(self, expression: sympy.Expr) -> ValueRanges[sympy.Expr]:
        return bound_sympy(expression, self._ranges)
