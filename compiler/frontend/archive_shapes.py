"""Sizes that an archive leaves open, and the arithmetic on them.

Owns the grammar of shape expressions as the exporter writes them, in constructor form such as `Add(Symbol('s77',
positive=True, integer=True), Integer(1))`, and their values once each symbol has one.  It is a parser of its own: the
text never reaches sympy, whose `sympify` evaluates it as Python.  Refuses any other form of expression.

    expression = integer | word | function "(" [ expression { "," expression } ] ")"
               | ( "Symbol" | "Float" ) "(" quoted { "," word "=" ( word | integer ) } ")"
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from compiler.frontend.archive_error import ArchiveError, quoted

Number = int | float | Fraction | bool
LENGTH = 20_000
DEPTH = 60
LARGEST = 2**63
DATA_DEPENDENT = "export the model so that its sizes follow from the sizes of its inputs"

_TOKEN = re.compile(r"\s*(-?\d{1,19}\b|[A-Za-z_]\w*|'[\w.+-]{1,40}'|[(),=])")
_SYMBOL = re.compile(r"_?[a-z]{1,4}\d+")
_WORDS: dict[str, Number] = {"true": True, "false": False, "int_oo": math.inf, "oo": math.inf}


@dataclass(frozen=True, slots=True)
class Symbol:
    """A size without a value yet."""

    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """A function of the grammar applied to expressions."""

    function: str
    arguments: tuple[Expression, ...]


Expression = Number | Symbol | Call


def parse(text: str) -> Expression:
    """The expression that `text` spells; ArchiveError if the exporter would not have written it."""
    try:
        return _Reader(_tokens(text)).whole()
    except _GrammarError as misfit:
        raise ArchiveError(f"a shape expression is not one that torch writes: {quoted(text)} ({misfit})") from misfit


def symbols(expression: Expression) -> frozenset[str]:
    """The names of all symbols in an expression."""
    if isinstance(expression, Symbol):
        return frozenset({expression.name})
    if isinstance(expression, Call):
        return frozenset[str]().union(*map(symbols, expression.arguments))
    return frozenset()


def evaluate(expression: Expression, values: Mapping[str, int]) -> Number:
    """The value of an expression; whole fractions come out as int.  ArchiveError if a symbol has no value."""
    if isinstance(expression, Symbol):
        if expression.name not in values:
            why = f"a size named {expression.name} depends on the data, so that it is not known before the model runs"
            raise ArchiveError(why, DATA_DEPENDENT)
        return values[expression.name]
    if not isinstance(expression, Call):
        return expression
    arguments = [evaluate(argument, values) for argument in expression.arguments]
    try:
        return _bounded(_FUNCTIONS[expression.function](*arguments))
    except (ArithmeticError, TypeError, ValueError) as error:
        what = f"{expression.function} of {', '.join(map(str, arguments))}"
        raise ArchiveError(f"a shape expression has no value: {what}") from error


def _bounded(value: Number) -> Number:
    if isinstance(value, Fraction) and value.denominator == 1:
        value = int(value)
    if isinstance(value, bool) or -LARGEST < value < LARGEST:
        return value
    raise ArithmeticError("too large")


class _GrammarError(ValueError):
    """Text that does not follow the grammar."""


def _tokens(text: str) -> list[str]:
    if len(text) > LENGTH:
        raise _GrammarError(f"it has {len(text):,} characters, more than the {LENGTH:,} that it may have")
    found: list[str] = []
    place, end = 0, len(text.rstrip())
    while place < end:
        match = _TOKEN.match(text, place)
        if not match:
            raise _GrammarError(f"nothing of the kind starts at character {place + 1}")
        found.append(match[1])
        place = match.end()
    return found


class _Reader:
    """A recursive-descent parser over the tokens of one expression."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = [*tokens, ""]
        self._place = 0

    def whole(self) -> Expression:
        expression = self._expression(0)
        self._expect("")
        return expression

    def _expression(self, depth: int) -> Expression:
        if depth > DEPTH:
            raise _GrammarError("it is nested too deeply")
        token = self._take()
        if token.lstrip("-").isdigit():
            return int(token)
        if self._tokens[self._place] != "(":
            return self._word(token)
        self._take()
        return self._named(token) if token in {"Symbol", "Float"} else self._call(token, depth)

    def _word(self, word: str) -> Expression:
        if word in _WORDS:
            return _WORDS[word]
        if not _SYMBOL.fullmatch(word):
            raise _GrammarError(f"{quoted(word)} is no size")
        return Symbol(word)

    def _named(self, function: str) -> Expression:
        """The rest of `Symbol('s77', positive=True)` or `Float('1.5', precision=53)`; the keywords add nothing here."""
        token = self._take()
        if not token.startswith("'"):
            raise _GrammarError(f"{quoted(token)} stands where a name in quotes belongs")
        name = token.strip("'")
        while self._tokens[self._place] == ",":
            self._take()
            self._take()
            self._expect("=")
            self._take()
        self._expect(")")
        if function == "Symbol":
            return self._word(name)
        try:
            return float(name)
        except ValueError as error:
            raise _GrammarError(f"{quoted(name)} is no number") from error

    def _call(self, function: str, depth: int) -> Expression:
        if function not in _FUNCTIONS:
            raise _GrammarError(f"{quoted(function)} is no function of sizes")
        arguments: list[Expression] = []
        while self._tokens[self._place] != ")":
            if arguments:
                self._expect(",")
            arguments.append(self._expression(depth + 1))
        self._take()
        return Call(function, tuple(arguments))

    def _take(self) -> str:
        token = self._tokens[self._place]
        if not token:
            raise _GrammarError("its end is missing")
        self._place += 1
        return token

    def _expect(self, token: str) -> None:
        found = self._tokens[self._place]
        if found != token:
            raise _GrammarError(f"{quoted(found)} stands where {quoted(token) if token else 'its end'} belongs")
        self._place += 1


def _power(base: Number, exponent: Number) -> Number:
    """Whole powers only, exact, and none that would take long to compute."""
    if isinstance(base, float) or not isinstance(exponent, int) or abs(exponent) > 64:
        raise ArithmeticError("no such power")
    return Fraction(base) ** exponent


def _exact(divide: Callable[[Number, Number], Number]) -> Callable[[Number, Number], Number]:
    return lambda a, b: divide(Fraction(a), Fraction(b))


_FUNCTIONS: dict[str, Callable[..., Number]] = {
    "Integer": int,
    "Rational": _exact(lambda a, b: a / b),
    "Identity": lambda a: a,
    "ToFloat": float,
    "Add": lambda *terms: sum(terms),
    "Mul": lambda *factors: math.prod(factors),
    "Pow": _power,
    "PowByNatural": _power,
    "Abs": abs,
    "Max": lambda *terms: max(terms),
    "Min": lambda *terms: min(terms),
    "FloorDiv": _exact(lambda a, b: a // b),
    "CleanDiv": _exact(lambda a, b: a // b),
    "CeilDiv": _exact(lambda a, b: -(-a // b)),
    "IntTrueDiv": _exact(lambda a, b: a / b),
    "FloatTrueDiv": _exact(lambda a, b: a / b),
    "Mod": _exact(lambda a, b: a % b),
    "PythonMod": _exact(lambda a, b: a % b),
    "ModularIndexing": lambda a, b, c: Fraction(a) // Fraction(b) % Fraction(c),
    "floor": math.floor,
    "ceiling": math.ceil,
    "FloorToInt": math.floor,
    "CeilToInt": math.ceil,
    "TruncToInt": math.trunc,
    "RoundToInt": round,
    "Equality": lambda a, b: a == b,
    "Unequality": lambda a, b: a != b,
    "StrictLessThan": lambda a, b: a < b,
    "LessThan": lambda a, b: a <= b,
    "StrictGreaterThan": lambda a, b: a > b,
    "GreaterThan": lambda a, b: a >= b,
    "And": lambda *terms: all(terms),
    "Or": lambda *terms: any(terms),
    "Not": lambda a: not a,
    "Where": lambda condition, a, b: a if condition else b,
}
