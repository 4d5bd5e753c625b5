"""Names of ops and loops."""

from __future__ import annotations

import pytest
import torch

from compiler.frontend.names import Names, loop_names, short_name
from compiler.frontend.nests import CONV, MATMUL
from compiler.frontend.operators import NAMESPACE

aten = torch.ops.aten


def test_the_second_of_a_name_gets_a_number() -> None:
    names = Names(["x"])
    assert [names.unique(base) for base in ("x", "add", "add", "mul", "add", "x")] == [
        "x.2",
        "add",
        "add.2",
        "mul",
        "add.3",
        "x.3",
    ]


@pytest.mark.parametrize(
    ("target", "name"),
    [
        (aten.softmax.int, "softmax"),
        (aten.add_.Tensor, "add"),
        (aten.amax.default, "max"),
        (aten.scaled_dot_product_attention.default, "sdpa"),
        (aten.__and__.Tensor, "bitwise_and"),
        (torch.ops.prims.convert_element_type.default, "cast"),
        (getattr(torch.ops, NAMESPACE).matmul.default, "matmul"),
    ],
)
def test_short_names(target: object, name: str) -> None:
    assert short_name(target) == name


@pytest.mark.parametrize(
    ("kind", "output", "reduced", "expected"),
    [
        ("", (512, 1024), (), (["i", "j"], [])),
        ("sum", (512, 1), (1024,), (["i", ""], ["j"])),
        (MATMUL, (3, 5, 7), (9,), (["b", "m", "n"], ["k"])),
        (MATMUL, (2, 1, 4, 5, 7), (9,), (["b0", "", "b1", "m", "n"], ["k"])),
        (MATMUL, (1, 1, 7), (1,), (["", "", "n"], [""])),
        (CONV, (2, 8, 5, 5), (3, 3, 3), (["n", "o", "y", "x"], ["c", "ky", "kx"])),
        (CONV, (2, 8, 5), (3, 1), (["n", "o", "x"], ["c", ""])),
        (CONV, (1, 2, 4, 5, 5), (3, 3, 3), (["", "g", "o", "y", "x"], ["c", "ky", "kx"])),
        (CONV, (2, 8, 3, 5, 5), (3, 2, 2, 2), (["n", "o", "z", "y", "x"], ["c", "kz", "ky", "kx"])),
    ],
)
def test_loops_are_named_by_what_they_do(
    kind: str, output: tuple[int, ...], reduced: tuple[int, ...], expected: tuple[list[str], list[str]]
) -> None:
    assert loop_names(kind, output, reduced) == expected
