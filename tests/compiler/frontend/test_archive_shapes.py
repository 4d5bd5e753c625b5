"""Shape expressions: what sympy prints is read, what Python would run is not."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from sympy.printing.repr import srepr
from torch.utils._sympy import functions as fn

from compiler.frontend.archive_error import ArchiveError
from compiler.frontend.archive_shapes import evaluate, parse, symbols

S = sympy.Symbol("s77", positive=True, integer=True)
T = sympy.Symbol("s9", positive=True, integer=True)

EXPRESSIONS = [
    S + 1,
    2 * S - 3 * T,
    S * T,
    S**2 + T**3,
    sympy.Rational(1, 2) * S * 2 * T,
    fn.FloorDiv(S, T),
    fn.FloorDiv(S * T + 1, 3),
    fn.Mod(S, T),
    fn.PythonMod(S, T),
    fn.ModularIndexing(S, 2, 3),
    fn.Max(S, T + 2),  # type: ignore[no-untyped-call]
    fn.Min(S, T, 5),  # type: ignore[no-untyped-call]
    fn.CeilToInt(fn.IntTrueDiv(S, T)),
    fn.TruncToInt(fn.ToFloat(S)),
    sympy.Eq(S, 3),
    sympy.Ne(S, T),
    sympy.And(S > 3, T <= 9),
    sympy.Or(S >= 4, T < 9),
    sympy.Not(sympy.Eq(S, T)),
    sympy.true,
]


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
@pytest.mark.parametrize(("s", "t"), [(4, 9), (7, 2), (64, 64)])
def test_values_are_those_of_sympy(expression: sympy.Basic, s: int, t: int) -> None:
    ours = parse(srepr(expression))
    assert symbols(ours) == {str(symbol) for symbol in expression.free_symbols}
    value = evaluate(ours, {"s77": s, "s9": t})
    assert value == expression.subs({S: s, T: t})
    assert isinstance(value, int)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "s0 + 1",
        "s0.name",
        "Symbol",
        "Symbol()",
        "Symbol(s0)",
        "Symbol('s0'",
        "Symbol('s0', positive)",
        "Symbol('s0').func",
        "Symbol('__class__')",
        "Symbol('s0', f(1)=True)",
        "Float('x')",
        "Integer('1')",
        "Lambda(Symbol('s0'), 1)",
        "eval('1')",
        "Add",
        "Add(1,)",
        "Add(1 2)",
        "Add(1",
        "Add(1))",
        "1 2",
        "x",
        "__import__('os')",
        "9" * 30,
        "Add(" * 100 + "1" + ")" * 100,
        "Add(1, " * 10_000,
    ],
)
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(ArchiveError, match="not one that torch writes"):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "Pow(10, Integer(100))",
        "Pow(Integer(2), Pow(Integer(2), Integer(40)))",
        "FloorDiv(1, 0)",
        "Pow(0, -1)",
        "Mul(9000000000000000000, 9000000000000000000)",
        "Mod()",
        "FloorDiv(1)",
        "Max()",
        "FloorDiv(int_oo, 2)",
    ],
)
def test_expressions_without_a_value_are_refused(text: str) -> None:
    with pytest.raises(ArchiveError, match="has no value"):
        evaluate(parse(text), {})


def test_a_symbol_without_a_value_is_named() -> None:
    with pytest.raises(ArchiveError, match="named u0 depends on the data"):
        evaluate(parse("Add(Symbol('u0', integer=True), Integer(1))"), {"s0": 1})


@given(st.text(alphabet="Symbol('s0', positive=True)Add(Integer1-.xPow", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(ArchiveError):
        assert isinstance(evaluate(parse(text), {"s0": 2}), int | float | Fraction)
