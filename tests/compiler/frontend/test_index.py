"""Index expressions: the grammar, its canonical order, and what is refused."""

from __future__ import annotations

import pytest
import sympy
from torch.utils._sympy.functions import FloorDiv, Identity, ModularIndexing

from compiler.frontend.index import Gathered, IndexFormError, to_index
from compiler.loops import Gather, Index, Term

i, j, row = (sympy.Symbol(name, integer=True, nonnegative=True) for name in ("i", "j", "gathered0"))
LOOPS = {i: "i", j: "j"}
GATHERED = {row: Gathered(0, 512)}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (sympy.Integer(7), Index(7)),
        (j + 64 * i + 3, Index(3, (Term(64, (("i", 1),)), Term(1, (("j", 1),))))),
        (2 * (i + j) - i, Index(0, (Term(1, (("i", 1),)), Term(2, (("j", 1),))))),
        (i - i + j, Index(0, (Term(1, (("j", 1),)),))),
        (24 - 8 * i, Index(24, (Term(-8, (("i", 1),)),))),
        (5 * FloorDiv(j + 2, 4), Index(0, (Term(5, (("j", 1),), 2, 4),))),
        (ModularIndexing(4 * i + j, 8, 16), Index(0, (Term(1, (("i", 4), ("j", 1)), 0, 8, 16),))),
        (sympy.Mod(i + 1, 4), Index(0, (Term(1, (("i", 1),), 1, 1, 4),))),
        (Identity(j - 96), Index(-96, (Term(1, (("j", 1),)),))),
        (128 * row + j, Index(0, (Term(1, (("j", 1),)),), (Gather(128, 0, 512),))),
    ],
)
def test_index_of_an_expression(expression: sympy.Expr, expected: Index) -> None:
    assert to_index(expression, LOOPS, GATHERED) == expected


@pytest.mark.parametrize(
    "expression",
    [
        i * j,
        i**2,
        i / 2,
        sympy.Abs(i - 3),
        FloorDiv(FloorDiv(i, 2) + j, 3),
        FloorDiv(row, 2),
        sympy.Symbol("s0"),
        i * row,
    ],
)
def test_deeper_expressions_are_refused(expression: sympy.Expr) -> None:
    with pytest.raises(IndexFormError):
        to_index(expression, LOOPS, GATHERED)
