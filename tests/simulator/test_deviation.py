"""Deviation: what rounding does to the result of one op, checked against what it does when one tries."""

import math
from collections.abc import Callable, Mapping

import pytest
import torch
from torch import Tensor

from compiler.dtypes import DType
from compiler.loops import Access, Apply, Const, Gather, Index, Instruction, Load, LoopOp, Term
from simulator.functional.deviation import Exact, Moves, deviation, rounds
from simulator.functional.reference import HostBuffers
from tests.simulator.sketch import at, binary, buffer, contraction, given, loops, pointwise, reduction, unary

F16, F32, BOOL, I64 = DType.F16, DType.F32, DType.BOOL, DType.I64
HALF_STEP = 2.0**-11
NEST = loops(i=4, j=8)
X, Y, Z = at("x", i=8, j=1), at("y", i=8, j=1), at("z", i=8, j=1)


class Given:
    """Operands with deviations that a test states, by number of the read; all of them take the shape of the space."""

    def __init__(self, moves: Mapping[int, Tensor | float], span: float = 0.0) -> None:
        self.moves = moves
        self.span = span

    def deviation(self, read: int, gathered: Tensor | None, active: Tensor | None) -> Moves:
        """As stated."""
        found = self.moves.get(read)
        return torch.full((1, 1), found, dtype=torch.float64) if isinstance(found, float) else found

    def range(self, read: int) -> float:
        """As stated."""
        return self.span


def found(op: LoopOp, values: Mapping[str, Tensor], known: Given | Exact, dtype: DType = F16) -> Moves:
    """The deviation of an op on these values; what is not given is what it writes."""
    kinds = {torch.float16: F16, torch.float32: F32, torch.bool: BOOL, torch.int64: I64}
    tensors = [given(name, tuple(value.shape), kinds[value.dtype]) for name, value in values.items()]
    shape = tuple(loop.extent for loop in op.output_loops)
    buffers = HostBuffers([*tensors, buffer(op.write.buffer, shape, dtype)])
    for name, value in values.items():
        buffers.set(name, value)
    result = buffers.result(op)
    return deviation(op, result.body, result.values[0], dtype, known)


def random(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).half()


def near(moves: Moves, wanted: Tensor | float, within: float = 1e-6) -> None:
    assert moves is not None
    wanted = torch.as_tensor(wanted, dtype=torch.float64).broadcast_to(moves.shape)
    torch.testing.assert_close(moves, wanted, rtol=within, atol=1e-9)


# Roundings of an op itself


def test_a_function_rounds_by_half_a_step() -> None:
    x = random(4, 8)
    near(found(unary("exp", "exp", NEST, X, Y, F16), {"x": x}, Exact()), x.double().exp() * HALF_STEP, 1e-3)


def test_copies_and_choices_round_nothing() -> None:
    for name in ("neg", "relu", "abs"):
        assert found(unary(name, name, NEST, X, Y, F16), {"x": random(4, 8)}, Exact()) is None
    copy = pointwise("copy", NEST, (X,), Y, (Load(0, F16),))
    assert found(copy, {"x": random(4, 8)}, Exact()) is None
    assert not rounds(copy)


def test_integers_round_nothing() -> None:
    body = (Load(0, I64), Apply("add", (0, 0), I64))
    assert found(pointwise("twice", NEST, (X,), Y, body), {"x": torch.arange(32).view(4, 8)}, Exact(), I64) is None


def test_near_zero_half_a_step_is_left() -> None:
    near(found(unary("sin", "sin", NEST, X, Y, F16), {"x": torch.zeros(4, 8).half()}, Exact()), 2.0**-25)


def test_a_contraction_in_f16_is_rounded_once() -> None:
    nest = loops("k", m=2, n=3, k=32768)
    x, w = random(2, 32768), random(32768, 3, seed=1)
    op = contraction("mm", nest, at("x", m=32768, k=1), at("w", k=3, n=1), at("y", m=3, n=1))
    near(found(op, {"x": x, "w": w}, Exact()), (x.double() @ w.double()).abs() * HALF_STEP, 0.01)
    assert rounds(op)


def test_a_maximum_rounds_nothing() -> None:
    op = reduction("max", "max", loops("j", i=4, j=8), X, at("y", i=1), F16)
    assert found(op, {"x": random(4, 8)}, Exact()) is None


def test_what_is_kept_in_a_narrower_type_is_rounded() -> None:
    narrow = pointwise("store", NEST, (X,), Y, (Load(0, F32),))
    near(found(narrow, {"x": torch.ones(4, 8)}, Exact()), HALF_STEP)


# What operands carry through an op


def test_a_difference_keeps_the_errors_of_its_terms() -> None:
    one, other = torch.full((4, 8), 100.0).half(), torch.full((4, 8), 99.9375).half()
    op = binary("sub", "sub", NEST, X, Z, Y)
    near(found(op, {"x": one, "z": other}, Given({0: 0.3, 1: 0.4})), 0.5, 1e-3)


def test_a_value_used_twice_moves_both_at_once() -> None:
    square = pointwise("square", NEST, (X,), Y, (Load(0, F32), Apply("mul", (0, 0), F32)))
    near(found(square, {"x": torch.full((4, 8), 3.0)}, Given({0: 0.01}), F32), 0.0601, 1e-3)
    nothing = pointwise("nothing", NEST, (X,), Y, (Load(0, F32), Apply("sub", (0, 0), F32)))
    near(found(nothing, {"x": torch.full((4, 8), 3.0)}, Given({0: 0.01}), F32), 0.0)


@pytest.mark.parametrize(
    ("name", "gap", "wanted"), [("gt", 0.05, True), ("gt", 0.07, False), ("floor", 0.05, True), ("floor", 0.07, False)]
)
def test_what_jumps_is_uncertain_within_six_deviations(name: str, gap: float, wanted: bool) -> None:
    x = torch.full((4, 8), 1.0 + gap)
    if name == "gt":
        body: tuple[Instruction, ...] = (Load(0, F32), Const(1.0, F32), Apply("gt", (0, 1), BOOL))
        moves = found(pointwise(name, NEST, (X,), Y, body), {"x": x}, Given({0: 0.01}), BOOL)
    else:
        moves = found(unary(name, name, NEST, X, Y, F32), {"x": x}, Given({0: 0.01}), F32)
    near(moves, float(wanted))


def test_an_uncertain_choice_may_give_either_value() -> None:
    body = (Load(0, BOOL), Const(5.0, F32), Const(2.0, F32), Apply("where", (0, 1, 2), F32))
    op = pointwise("where", NEST, (X,), Y, body)
    sure = torch.zeros(4, 8, dtype=torch.float64)
    sure[1, 2] = 1.0
    moves = found(op, {"x": torch.ones(4, 8, dtype=torch.bool)}, Given({0: sure}), F32)
    near(moves, 3.0 * sure)


def test_an_index_that_is_not_certain_may_pick_any_entry() -> None:
    entry = Access("t", Index(0, (Term(1, (("j", 1),)),), (Gather(8, 0, 5),)))
    op = pointwise("pick", NEST, (at("n", i=1), entry), Y, (Load(0, I64), Load(1, F32)))
    values = {"n": torch.tensor([0, 1, 2, 3]), "t": torch.arange(40.0).view(5, 8)}
    uncertain = torch.tensor([[0.0], [1.0], [0.0], [0.0]], dtype=torch.float64)
    near(found(op, values, Given({0: uncertain}, span=39.0), F32), 39.0 * uncertain)


def test_a_function_with_a_pole_within_reach_is_tried_there() -> None:
    body = (Load(0, F32), Apply("abs", (0,), F32), Const(0.1, F32), Apply("add", (1, 2), F32), Const(1.0, F32))
    op = pointwise("bell", NEST, (X,), Y, (*body, Apply("truediv", (4, 3), F32)))
    moves = found(op, {"x": torch.full((4, 8), 50.0)}, Given({0: 20.0}), F32)
    assert moves is not None
    assert float(moves.min()) > 3.0, "1 / 0.1 at 0, two and a half deviations away"


def test_errors_in_gelu_are_those_of_its_operand() -> None:
    near(found(unary("g", "gelu", NEST, X, Y, F32), {"x": torch.full((4, 8), -5.0)}, Exact(), F32), 5 * 2.0**-20)


# What sums make of their terms


def rows(combine: str, x: Tensor, known: Given, dtype: DType = F32) -> Moves:
    return found(reduction("r", combine, loops("j", i=4, j=8), X, at("y", i=1), F32), {"x": x}, known, dtype)


EACH = torch.full((4, 8), 0.01, dtype=torch.float64)
"""One error per term."""


def test_errors_of_terms_add_up_in_squares_one_error_as_often_as_it_enters() -> None:
    x = torch.zeros(4, 8)
    near(rows("sum", x, Given({0: EACH})), 0.01 * math.sqrt(8), 1e-3)
    near(rows("sum", x, Given({0: EACH[:, :1]})), 0.08, 1e-3)


def test_a_product_is_as_uncertain_as_its_factors_even_beside_a_zero() -> None:
    x = torch.full((4, 8), 2.0)
    near(rows("prod", x, Given({0: EACH})), 2**7 * 0.01 * math.sqrt(8), 1e-3)
    x[0, 3] = 0.0
    moves = rows("prod", x, Given({0: EACH}))
    assert moves is not None
    assert float(moves[0]) == pytest.approx(2**7 * 0.01, rel=1e-3)


@pytest.mark.parametrize("combine", ["max", "min"])
def test_an_extreme_moves_with_whatever_may_be_it(combine: str) -> None:
    x = torch.zeros(4, 8)
    near(rows(combine, x, Given({0: EACH})), 0.01)
    apart = torch.arange(8.0).expand(4, 8) * (1 if combine == "max" else -1)
    own = torch.zeros(4, 8, dtype=torch.float64)
    own[:, :7] = 0.1
    near(rows(combine, apart, Given({0: own})), 0.0)


@pytest.mark.parametrize("combine", ["argmax", "argmin"])
def test_the_place_of_an_extreme_is_certain_where_it_has_no_rival(combine: str) -> None:
    sign = 1 if combine == "argmax" else -1
    x = sign * torch.tensor([[0.0, 1.0, *[0.5] * 6], [0.0, 1.0, 0.9, *[0.5] * 5], *[[0.0, 1.0, *[0.0] * 6]] * 2])
    near(rows(combine, x, Given({0: EACH}), I64), torch.tensor([0.0, 8.0, 0.0, 0.0]))


def test_any_is_certain_where_one_is() -> None:
    x = torch.zeros(4, 8, dtype=torch.bool)
    x[1, 1] = True
    moves = torch.zeros(4, 8, dtype=torch.float64)
    moves[:3, 5] = 1.0
    op = reduction("any", "any", loops("j", i=4, j=8), X, at("y", i=1), BOOL)
    near(found(op, {"x": x}, Given({0: moves}), BOOL), torch.tensor([1.0, 0.0, 1.0, 0.0]))


def test_both_operands_of_a_contraction_carry_their_errors() -> None:
    nest = loops("k", m=4, n=3, k=8)
    op = contraction("mm", nest, at("x", m=8, k=1), at("w", k=3, n=1), at("y", m=3, n=1), F32)
    x, w = random(4, 8).float(), random(8, 3, seed=1).float()
    left, right = torch.full((4, 1, 8), 0.01, dtype=torch.float64), torch.full((1, 3, 8), 0.02, dtype=torch.float64)
    wanted = (0.01**2 * w.square().sum(0) + 0.02**2 * x.square().sum(1, keepdim=True)).sqrt()
    near(found(op, {"x": x, "w": w}, Given({0: left, 1: right}), F32), wanted, 1e-3)


FUNCTIONS: list[tuple[str, Callable[[Tensor], Tensor]]] = [
    *(
        ("exp", torch.exp),
        ("sin", torch.sin),
        ("tanh", torch.tanh),
        ("square", torch.square),
        ("sigmoid", torch.sigmoid),
    ),
]


@pytest.mark.parametrize(("name", "function"), FUNCTIONS)
def test_an_operand_moves_a_function_by_its_slope(name: str, function: Callable[[Tensor], Tensor]) -> None:
    x = random(4, 8).double().requires_grad_()
    function(x).sum().backward()  # type: ignore[no-untyped-call]
    assert x.grad is not None
    moves = found(unary(name, name, NEST, X, Y, F32), {"x": x.detach().float()}, Given({0: 1e-4}), F32)
    near(moves, torch.hypot(x.grad.abs() * 1e-4, function(x.detach()).abs() * 2.0**-20), 0.03)
