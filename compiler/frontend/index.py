"""Index expressions: from Inductor's sympy form into `compiler.loops.Index`.

Owns the grammar: constants, `c*loop`, `c*(affine // d)`, `c*(affine // d % m)` and `c*gathered value`.  Refuses
anything deeper by raising `IndexFormError` with the expression, which the caller turns into a sentence about the op.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sympy
from torch.utils._sympy.functions import FloorDiv, Identity, ModularIndexing, PythonMod

from compiler.loops import Gather, Index, Term


class IndexFormError(Exception):
    """An index expression that `Index` cannot hold."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """A body value used as an index into `size` entries."""

    value: int
    size: int


@dataclass(frozen=True, slots=True)
class _Affine:
    """`sum of factor*loop + offset`."""

    loops: tuple[tuple[str, int], ...]
    offset: int


def to_index(
    expression: sympy.Expr, loops: Mapping[sympy.Symbol, str], gathered: Mapping[sympy.Symbol, Gathered]
) -> Index:
    """The flat index that `expression` describes; IndexFormError if it is not of our grammar."""
    plain: dict[str, int] = {}
    offset = 0
    terms: list[Term] = []
    gathers: list[Gather] = []
    for part in _summands(expression):
        coefficient, factor = _split(part)
        if factor is None:
            offset += coefficient
        elif factor in loops:
            plain[loops[factor]] = plain.get(loops[factor], 0) + coefficient
        elif factor in gathered:
            found = gathered[factor]
            gathers.append(Gather(coefficient, found.value, found.size))
        else:
            terms.append(_quotient(coefficient, factor, loops))
    order = list(loops.values())
    straight = [Term(plain[name], ((name, 1),)) for name in order if plain.get(name)]
    return Index(offset, (*straight, *sorted(terms, key=lambda term: _order(term, order))), tuple(gathers))


def _order(term: Term, loops: list[str]) -> tuple[object, ...]:
    """Sort key that does not depend on sympy's ordering of symbols."""
    return (tuple(loops.index(name) for name, _ in term.loops), -term.coefficient, term.divisor, term.modulus)


def _summands(expression: sympy.Expr) -> tuple[sympy.Expr, ...]:
    plain = expression.replace(Identity, lambda inner: inner)
    expanded = sympy.expand(plain)
    return tuple(expanded.args) if expanded.is_Add else (expanded,)


def _split(part: sympy.Expr) -> tuple[int, sympy.Expr | None]:
    """Integer coefficient and the rest of a product (None for a constant)."""
    coefficient, rest = part.as_coeff_Mul()
    if not coefficient.is_Integer:
        raise IndexFormError(str(part))
    if rest == 1:
        return int(coefficient), None
    return int(coefficient), rest


def _quotient(coefficient: int, factor: sympy.Expr, loops: Mapping[sympy.Symbol, str]) -> Term:
    if isinstance(factor, FloorDiv):
        base, divisor, modulus = factor.args[0], factor.args[1], sympy.Integer(0)
    elif isinstance(factor, ModularIndexing):
        base, divisor, modulus = factor.args
    elif isinstance(factor, PythonMod | sympy.Mod):
        base, divisor, modulus = factor.args[0], sympy.Integer(1), factor.args[1]
    else:
        raise IndexFormError(str(factor))
    if not (divisor.is_Integer and modulus.is_Integer):
        raise IndexFormError(str(factor))
    affine = _affine(base, loops)
    return Term(coefficient, affine.loops, affine.offset, int(divisor), int(modulus))


def _affine(expression: sympy.Expr, loops: Mapping[sympy.Symbol, str]) -> _Affine:
    factors: dict[str, int] = {}
    offset = 0
    for part in _summands(expression):
        coefficient, factor = _split(part)
        if factor is None:
            offset += coefficient
        elif factor in loops:
            factors[loops[factor]] = factors.get(loops[factor], 0) + coefficient
        else:
            raise IndexFormError(str(expression))
    return _Affine(tuple((name, factors[name]) for name in loops.values() if factors.get(name)), offset)
