"""Expression: an index of iteration symbols with floor and mod, as op specifications write it.

Owns the value, its canonical form, its text (`floor(c1/64)`, `Mod(c1, 64)`, `64*c0 + c1 + 128`) and its evaluation.
Refuses everything else that a text might hold: nothing is ever run.

>>> print(parse_expression("Mod(c1, 64) + 2*(c0 + 32)"))
2*c0 + Mod(c1, 64) + 64
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from compiler.errors import InputError

DEEPEST: Final = 40
"""Parentheses inside each other; real expressions have three."""
LONGEST: Final = 2_000
"""Characters of a text; real ones have a hundred."""
_TOKEN: Final = re.compile(r"\s*(?:(\d+)|([A-Za-z_][A-Za-z0-9_]*)|(.))")


@dataclass(frozen=True, slots=True)
class Symbol:
    """An iteration symbol such as `c0`."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Floor:
    """`floor(of / by)`."""

    of: Expression
    by: int

    def __str__(self) -> str:
        return f"floor({_over(self.of, self.by)})"


@dataclass(frozen=True, slots=True)
class Mod:
    """`of` modulo `by`, never negative."""

    of: Expression
    by: int

    def __str__(self) -> str:
        return f"Mod({self.of}, {self.by})"


Atom = Symbol | Floor | Mod


@dataclass(frozen=True, slots=True)
class Expression:
    """A constant plus factors of atoms, each atom once, none with factor 0; symbols first, by name."""

    constant: int = 0
    terms: tuple[tuple[Atom, int], ...] = ()

    def __str__(self) -> str:
        parts = [_times(atom, factor) for atom, factor in self.terms]
        if self.constant or not parts:
            parts.append(str(self.constant))
        return " + ".join(parts).replace("+ -", "- ")

    @property
    def symbols(self) -> frozenset[str]:
        """Names of all symbols, also inside floors and mods."""
        found: set[str] = set()
        for atom, _ in self.terms:
            found |= {atom.name} if isinstance(atom, Symbol) else atom.of.symbols
        return frozenset(found)

    def factor(self, name: str) -> int:
        """The factor of a symbol that stands outside of floors and mods."""
        return next((factor for atom, factor in self.terms if atom == Symbol(name)), 0)

    @property
    def affine(self) -> bool:
        """True if there is no floor and no mod."""
        return all(isinstance(atom, Symbol) for atom, _ in self.terms)

    def shifted(self, starts: Mapping[str, int]) -> Expression:
        """The same with `symbol + start` in place of every symbol that is named."""
        parts = [number(self.constant)]
        for atom, factor in self.terms:
            match atom:
                case Symbol(name):
                    own = added(symbol(name), number(starts.get(name, 0)))
                case Floor(of, by):
                    own = floored(of.shifted(starts), by)
                case Mod(of, by):
                    own = modulo(of.shifted(starts), by)
            parts.append(scaled(own, factor))
        return added(*parts)

    def value(self, symbols: Mapping[str, int]) -> int:
        """The value at these symbols; KeyError for a symbol that is not given."""
        return self.constant + sum(factor * _value(atom, symbols) for atom, factor in self.terms)


ZERO: Final = Expression()


def number(value: int) -> Expression:
    """A constant."""
    return Expression(value)


def symbol(name: str, factor: int = 1) -> Expression:
    """`factor` times a symbol."""
    return Expression(0, ((Symbol(name), factor),)) if factor else ZERO


def added(*parts: Expression) -> Expression:
    """The sum, in canonical form."""
    factors: dict[Atom, int] = {}
    for part in parts:
        for atom, factor in part.terms:
            factors[atom] = factors.get(atom, 0) + factor
    kept = sorted(((atom, factor) for atom, factor in factors.items() if factor), key=lambda term: _rank(term[0]))
    return Expression(sum(part.constant for part in parts), tuple(kept))


def scaled(one: Expression, factor: int) -> Expression:
    """`factor` times an expression."""
    if not factor:
        return ZERO
    return Expression(one.constant * factor, tuple((atom, factor * own) for atom, own in one.terms))


def floored(one: Expression, by: int, largest: int | None = None) -> Expression:
    """`floor(one / by)`; what `by` divides is taken out.  `largest`, if known, is the highest value of `one`, which is
    then never negative: a quotient that is always 0 is 0."""
    _require_positive(by)
    if by == 1:
        return one
    if largest is not None and largest < by:
        return ZERO
    whole = Expression(one.constant // by, tuple((atom, f // by) for atom, f in one.terms if not f % by))
    rest = Expression(one.constant % by, tuple((atom, f) for atom, f in one.terms if f % by))
    if not rest.terms:
        return added(whole)
    match rest:
        case Expression(0, ((Floor(of, inner), 1),)):
            return added(whole, floored(of, inner * by))
    return added(whole, Expression(0, ((Floor(rest, by), 1),)))


def modulo(one: Expression, by: int, largest: int | None = None) -> Expression:
    """`one` modulo `by`; what `by` divides is left out.  See `floored` for `largest`."""
    _require_positive(by)
    if largest is not None and largest < by:
        return one
    one = _unwrapped(one, by)
    rest = Expression(one.constant % by, tuple((atom, factor) for atom, factor in one.terms if factor % by))
    if by == 1 or not rest.terms:
        return Expression(rest.constant % by)
    return Expression(0, ((Mod(rest, by), 1),))


def _unwrapped(one: Expression, by: int) -> Expression:
    """The same modulo `by`, without inner mods of multiples of it."""
    parts = [number(one.constant)]
    for atom, factor in one.terms:
        inner = isinstance(atom, Mod) and not atom.by * factor % by
        parts.append(scaled(atom.of, factor) if inner and isinstance(atom, Mod) else Expression(0, ((atom, factor),)))
    return added(*parts)


def parse_expression(text: str) -> Expression:
    """The expression of a text; InputError with one sentence for what is none."""
    return _Parser(text).whole()


def _require_positive(by: int) -> None:
    if by < 1:
        raise InputError(f"division by {by}", "only whole numbers above 0 divide an index", "correct the expression")


def _value(atom: Atom, symbols: Mapping[str, int]) -> int:
    match atom:
        case Symbol(name):
            return symbols[name]
        case Floor(of, by):
            return of.value(symbols) // by
        case Mod(of, by):
            return of.value(symbols) % by


def _rank(atom: Atom) -> tuple[int, str]:
    return (0 if isinstance(atom, Symbol) else 1, str(atom))


def _times(atom: Atom, factor: int) -> str:
    if factor == 1:
        return str(atom)
    return f"-{atom}" if factor == -1 else f"{factor}*{atom}"


def _over(of: Expression, by: int) -> str:
    alone = len(of.terms) == 1 and not of.constant
    return f"{of}/{by}" if alone else f"({of})/{by}"


class _Parser:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        if len(text) > LONGEST:
            raise self.fault(f"it has {len(text):,} characters; {LONGEST:,} are read")
        self.tokens = [found.group().strip() for found in _TOKEN.finditer(text) if found.group().strip()]
        self.at = 0
        self.depth = 0

    def fault(self, why: str) -> InputError:
        shown = self.text if len(self.text) <= 60 else f"{self.text[:57]}..."
        remedy = "use whole numbers, symbols, + - *, floor(x/n) and Mod(x, n)"
        return InputError(f"the expression {shown!r}", why, remedy)

    @property
    def next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, wanted: str = "") -> str:
        found = self.next
        if not found or (wanted and found != wanted):
            raise self.fault(f"{found or 'its end'} stands where {wanted or 'something'} is expected")
        self.at += 1
        return found

    def whole(self) -> Expression:
        found = self.sum()
        if self.next:
            raise self.fault(f"{self.next} stands behind its end")
        return found

    def sum(self) -> Expression:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.fault(f"it is nested deeper than {DEEPEST} levels")
        parts = [self.product()]
        while self.next in ("+", "-"):
            sign = 1 if self.take() == "+" else -1
            parts.append(scaled(self.product(), sign))
        self.depth -= 1
        return added(*parts)

    def product(self) -> Expression:
        found = self.factor()
        while self.next == "*":
            self.take()
            found = self.multiplied(found, self.factor())
        return found

    def multiplied(self, left: Expression, right: Expression) -> Expression:
        if left.terms and right.terms:
            raise self.fault("it multiplies two symbols")
        return scaled(left, right.constant) if left.terms else scaled(right, left.constant)

    def factor(self) -> Expression:
        word = self.take()
        if word == "-":
            return scaled(self.factor(), -1)
        if word.isdecimal():
            return number(int(word))
        if word == "(":
            found = self.sum()
            self.take(")")
            return found
        if word == "floor":
            return self.floor()
        if word == "Mod":
            return self.mod()
        if not word.isidentifier():
            raise self.fault(f"{word} is not expected")
        return symbol(word)

    def floor(self) -> Expression:
        self.take("(")
        of = self.sum()
        by = 1
        if self.next == "/":
            self.take()
            by = self.whole_number()
        self.take(")")
        return floored(of, by)

    def mod(self) -> Expression:
        self.take("(")
        of = self.sum()
        self.take(",")
        by = self.whole_number()
        self.take(")")
        return modulo(of, by)

    def whole_number(self) -> int:
        word = self.take()
        if not word.isdecimal() or int(word) < 1:
            raise self.fault(f"{word} stands where a whole number above 0 is expected")
        return int(word)
