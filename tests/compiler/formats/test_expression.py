"""Expressions: their text, their canonical form, what simplifying keeps, and bad input."""

import doctest
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.errors import InputError
from compiler.formats import device_number, expression, handles, kernel_key, provenance_ids, simplify
from compiler.formats.expression import (
    DEEPEST,
    LONGEST,
    Expression,
    added,
    floored,
    modulo,
    number,
    parse_expression,
    scaled,
    symbol,
)
from compiler.formats.simplify import bounds, joined, simplified

EXTENTS = {"c0": 5, "c1": 8, "c2": 64}
_LEAVES = st.one_of(st.integers(-9, 200).map(number), st.sampled_from(sorted(EXTENTS)).map(symbol))


def _larger(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    by = st.sampled_from([1, 2, 4, 8, 64])
    return st.one_of(
        st.tuples(inner, inner).map(lambda pair: added(*pair)),
        st.tuples(inner, st.integers(-4, 64)).map(lambda pair: scaled(*pair)),
        st.tuples(inner, by).map(lambda pair: floored(*pair)),
        st.tuples(inner, by).map(lambda pair: modulo(*pair)),
    )


EXPRESSIONS = st.recursive(_LEAVES, _larger, max_leaves=6)
POINTS = st.fixed_dictionaries({name: st.integers(0, extent - 1) for name, extent in EXTENTS.items()})


@pytest.mark.parametrize("module", [expression, simplify, device_number, handles, kernel_key, provenance_ids])
def test_examples_in_docstrings(module: object) -> None:
    found = doctest.testmod(module)  # type: ignore[arg-type]
    assert found.attempted
    assert not found.failed


@given(EXPRESSIONS)
def test_the_text_reads_back(one: Expression) -> None:
    assert parse_expression(str(one)) == one


@given(EXPRESSIONS, POINTS)
def test_simplifying_changes_no_value(one: Expression, point: dict[str, int]) -> None:
    assert simplified(one, EXTENTS).value(point) == one.value(point)


@given(EXPRESSIONS, POINTS)
def test_values_are_within_the_bounds(one: Expression, point: dict[str, int]) -> None:
    found = bounds(one, EXTENTS)
    assert found is not None
    assert found[0] <= one.value(point) <= found[1]


@given(EXPRESSIONS, POINTS, st.integers(0, 9))
def test_a_shift_is_a_shift(one: Expression, point: dict[str, int], start: int) -> None:
    moved = {**point, "c0": point["c0"] + start}
    assert one.shifted({"c0": start}).value(point) == one.value(moved)


@given(EXPRESSIONS, st.sampled_from([2, 4, 8]), POINTS)
def test_two_dims_joined_are_one(one: Expression, size: int, point: dict[str, int]) -> None:
    outer, inner = floored(one, size), modulo(one, size)
    found = joined(outer, inner, size)
    if found is not None:
        assert found.value(point) == size * outer.value(point) + inner.value(point) == one.value(point)


def test_a_quotient_and_its_remainder_are_joined() -> None:
    pair = parse_expression("floor(c1/4)"), parse_expression("Mod(c1, 4)")
    assert joined(*pair, 4) == symbol("c1")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("floor(c1/64)", 3),
        ("Mod(c1, 64)", 8),
        ("64*c0 + c1 - 3", 64 * 2 + 200 - 3),
        ("-(c0 - 1)*2", -2),
        ("floor((c0 + 70)/64)", 1),
        ("((c0))", 2),
    ],
)
def test_values(text: str, value: int) -> None:
    assert parse_expression(text).value({"c0": 2, "c1": 200}) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "c0 +",
        "c0 * c1",
        "Mod(c0, 0)",
        "floor(c0/c1)",
        "c0 c1",
        "__import__('os')",
        "c0 ** 2",
        "(" * (DEEPEST + 5) + "c0" + ")" * (DEEPEST + 5),
        "c0 + " * LONGEST + "c0",
        "Mod(c0)",
    ],
)
def test_bad_text_is_one_sentence(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_expression(text)
    assert len(caught.value.sentence) < 250
    assert "\n" not in caught.value.sentence


@pytest.mark.parametrize("divide", [floored, modulo])
def test_only_whole_numbers_above_0_divide(divide: Callable[[Expression, int], Expression]) -> None:
    with pytest.raises(InputError, match="only whole numbers above 0"):
        divide(symbol("c0"), 0)
