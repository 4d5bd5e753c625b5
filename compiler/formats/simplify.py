"""Simplify: floors and mods that the extents of the symbols make superfluous, and pairs of them that are one index.

Owns ranges of expressions, expressions without what never carries, and joining of a dim with the one inside it.
Refuses to guess: without the extent of a symbol nothing about it is used.

>>> from compiler.formats.expression import parse_expression
>>> rest = parse_expression("floor((128*c0 + 16384*c1 + c2)/65536)")
>>> print(simplified(rest, {"c0": 128, "c1": 8, "c2": 128}))
floor(c1/4)
"""

from __future__ import annotations

from collections.abc import Mapping

from compiler.formats.expression import (
    ZERO,
    Atom,
    Expression,
    Floor,
    Mod,
    Symbol,
    added,
    floored,
    modulo,
    number,
    scaled,
    symbol,
)

Extents = Mapping[str, int]
Range = tuple[int, int]


def bounds(one: Expression, extents: Extents) -> Range | None:
    """The least and the largest value; None if a symbol has no extent."""
    low = high = one.constant
    for atom, factor in one.terms:
        found = _atom_bounds(atom, extents)
        if found is None:
            return None
        ends = factor * found[0], factor * found[1]
        low, high = low + min(ends), high + max(ends)
    return low, high


def simplified(one: Expression, extents: Extents) -> Expression:
    """The same value for all iterations, with as few floors and mods as these rules find."""
    parts = [number(one.constant)]
    for atom, factor in one.terms:
        match atom:
            case Symbol(name):
                own = ZERO if extents.get(name) == 1 else symbol(name)
            case Floor(of, by):
                own = _floor(simplified(of, extents), by, extents)
            case Mod(of, by):
                own = _mod(simplified(of, extents), by, extents)
        parts.append(scaled(own, factor))
    return added(*parts)


def joined(outer: Expression, inner: Expression, inner_size: int) -> Expression | None:
    """The index of two dims as one dim, if it is simpler than the two: `4*floor(x/4) + Mod(x, 4)` is x."""
    whole = added(scaled(outer, inner_size), inner)
    for atom, factor in whole.terms:
        if not isinstance(atom, Floor):
            continue
        fellow = _fellow(atom, factor)
        if fellow is None:
            continue
        for other, again in whole.terms:
            if other == fellow and again == 1:
                rest = [(one, by) for one, by in whole.terms if one not in (atom, other)]
                together = floored(atom.of, atom.by // factor)
                return added(Expression(whole.constant, tuple(rest)), together)
    return None


def _fellow(atom: Floor, factor: int) -> Atom | None:
    """What has to stand beside `factor * floor(x/by)` so that both are one floor."""
    if factor < 1 or atom.by % factor:
        return None
    rest = modulo(atom.of, atom.by)
    inner = floored(rest, atom.by // factor)
    return inner.terms[0][0] if len(inner.terms) == 1 and not inner.constant and inner.terms[0][1] == 1 else None


def _atom_bounds(atom: Atom, extents: Extents) -> Range | None:
    match atom:
        case Symbol(name):
            return (0, extents[name] - 1) if name in extents else None
        case Floor(of, by):
            found = bounds(of, extents)
            return (found[0] // by, found[1] // by) if found else None
        case Mod(of, by):
            found = bounds(of, extents)
            return found if found and found[0] >= 0 and found[1] < by else (0, by - 1)


def _floor(of: Expression, by: int, extents: Extents) -> Expression:
    for grain in _grains(of, by):
        whole, rest = _apart(of, grain)
        if _within(rest, grain, extents):
            return _floor_of(whole, by // grain, extents)
    return _floor_of(of, by, extents)


def _floor_of(of: Expression, by: int, extents: Extents) -> Expression:
    found = bounds(of, extents)
    if found and found[0] // by == found[1] // by:
        return number(found[0] // by)
    return floored(of, by)


def _mod(of: Expression, by: int, extents: Extents) -> Expression:
    for grain in _grains(of, by):
        whole, rest = _apart(of, grain)
        if _within(rest, grain, extents):
            return added(scaled(_mod_of(whole, by // grain, extents), grain), rest)
    return _mod_of(of, by, extents)


def _mod_of(of: Expression, by: int, extents: Extents) -> Expression:
    return of if _within(of, by, extents) else modulo(of, by)


def _grains(of: Expression, by: int) -> list[int]:
    """Factors that divide the divisor, largest first."""
    return sorted({abs(factor) for _, factor in of.terms if abs(factor) > 1 and by % factor == 0}, reverse=True)


def _apart(of: Expression, grain: int) -> tuple[Expression, Expression]:
    """An expression as `grain * whole + rest`."""
    whole = tuple((atom, factor // grain) for atom, factor in of.terms if factor % grain == 0)
    rest = tuple((atom, factor) for atom, factor in of.terms if factor % grain)
    return Expression(of.constant // grain, whole), Expression(of.constant % grain, rest)


def _within(one: Expression, limit: int, extents: Extents) -> bool:
    found = bounds(one, extents)
    return found is not None and found[0] >= 0 and found[1] < limit
