"""Numerics: the table is complete, and narrow floats are rounded once per instruction as eager PyTorch rounds them."""

import math
from dataclasses import replace
from functools import partial

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from compiler.dtypes import DType
from compiler.loops import Access, Apply, Const, Gather, Index, IndexValue, Load, Term
from compiler.primitives import PRIMITIVES
from simulator.errors import DeviceError
from simulator.functional.body import evaluate
from simulator.functional.elements import torch_dtype
from simulator.functional.numerics import NUMERICS, apply
from simulator.functional.space import whole
from simulator.functional.tolerance import EXACT, OF_OPERAND, STEPPED
from tests.simulator.sketch import at, loops, pointwise

FLOATS = (DType.F16, DType.BF16, DType.F32, DType.F8E4M3, DType.F8E5M2)
TRUTH = {"eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor", "logical_not"} | {
    *("isnan", "isinf", "signbit")
}
BITS = {name for name in PRIMITIVES if name.startswith("bitwise_")}


def numbers(seed: int, kind: torch.dtype) -> Tensor:
    return torch.rand(64, generator=torch.Generator().manual_seed(seed)).to(kind)


def test_the_table_has_exactly_the_primitives() -> None:
    assert set(NUMERICS) == set(PRIMITIVES)
    assert not (EXACT | STEPPED | OF_OPERAND) - set(PRIMITIVES)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", sorted(set(PRIMITIVES) - BITS))
def test_every_primitive_takes_every_float(name: str, dtype: DType) -> None:
    kind = torch_dtype(dtype)
    args = [numbers(seed, kind) for seed in range(PRIMITIVES[name].arity)]
    found = apply(name, args, DType.BOOL if name in TRUTH else dtype)
    assert found.shape == (64,)
    assert found.dtype == (torch.bool if name in TRUTH else kind)


@pytest.mark.parametrize("dtype", [DType.I32, DType.I64, DType.I8, DType.BOOL])
@pytest.mark.parametrize("name", sorted(BITS))
def test_bits_of_integers(name: str, dtype: DType) -> None:
    if dtype is DType.BOOL and "shift" in name:
        return
    args = [(numbers(seed, torch.float32) * 5).to(torch_dtype(dtype)) for seed in range(PRIMITIVES[name].arity)]
    assert torch.equal(apply(name, args, dtype), getattr(torch, name)(*args))


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize(
    "name", ["exp", "sqrt", "add", "mul", "truediv", "sigmoid", "tanh", "erf", "log1p", "pow", "rsqrt"]
)
def test_narrow_floats_are_rounded_as_eager_rounds_them(name: str, kind: torch.dtype) -> None:
    dtype = DType.F16 if kind == torch.float16 else DType.BF16
    args = [numbers(seed, kind) for seed in range(PRIMITIVES[name].arity)]
    eager = torch.true_divide if name == "truediv" else getattr(torch, name)
    assert torch.equal(apply(name, args, dtype), eager(*args))


def test_activations_are_those_of_pytorch() -> None:
    x = numbers(0, torch.float16) * 6 - 3
    close = partial(torch.testing.assert_close, rtol=2**-10, atol=2**-13)  # eager approximates gelu in f16
    close(apply("gelu", [x], DType.F16), functional.gelu(x))
    close(apply("gelu_tanh", [x], DType.F16), functional.gelu(x, approximate="tanh"))
    close(apply("silu", [x], DType.F16), functional.silu(x))
    assert torch.equal(apply("fma", [x, x, x], DType.F16), (x.float() * x.float() + x.float()).half())


@pytest.mark.parametrize(
    ("name", "left", "right", "result"),
    [
        ("floordiv", -7, 2, -4),
        ("truncdiv", -7, 2, -3),
        ("mod", -7, 3, -1),
        ("remainder", -7, 3, 2),
        ("floordiv", 5, 0, 0),
        ("truncdiv", 5, 0, 0),
        ("mod", 5, 0, 0),
        ("remainder", 5, 0, 0),
    ],
)
def test_integer_division(name: str, left: int, right: int, result: int) -> None:
    found = apply(name, [torch.tensor([left]), torch.tensor([right])], DType.I64)
    assert (found.item(), found.dtype) == (result, torch.int64)


def test_float_division_has_infinity_and_nan() -> None:
    one, zero = torch.ones(1).half(), torch.zeros(1).half()
    assert apply("truediv", [one, zero], DType.F16).item() == math.inf
    assert math.isnan(apply("truediv", [zero, zero], DType.F16).item())
    assert math.isnan(apply("mod", [one, zero], DType.F16).item())
    assert apply("floordiv", [one, zero], DType.F16).item() == math.inf


def test_types_meet_in_the_wider_one() -> None:
    flags = torch.tensor([True, True])
    assert apply("add", [flags, flags], DType.I64).tolist() == [2, 2]
    assert apply("ceil", [torch.tensor([1.5]).half()], DType.I32).tolist() == [2]
    assert apply("lt", [torch.tensor([2]), torch.tensor([2.5])], DType.BOOL).tolist() == [True]
    chosen = apply("where", [flags, torch.ones(2).half(), torch.zeros(2)], DType.F32)
    assert chosen.dtype == torch.float32
    assert apply("truediv", [torch.tensor([1]), torch.tensor([2])], DType.F32).tolist() == [0.5]


def test_a_bitcast_keeps_bits_and_a_cast_keeps_values() -> None:
    one = torch.ones(2).half()
    assert apply("bitcast", [one], DType.I16).tolist() == [0x3C00, 0x3C00]
    assert apply("cast", [one], DType.I16).tolist() == [1, 1]
    assert apply("cast", [torch.tensor([0.1])], DType.BF16).item() == torch.tensor(0.1).bfloat16().item()


def no_reads(read: int, gathered: Tensor | None, active: Tensor | None) -> Tensor:
    pytest.fail("nothing is read")


def test_constants_and_counters() -> None:
    count = IndexValue(Index(3, (Term(10, (("i", 1),)), Term(1, (("j", 1),), 0, 2, 0))), DType.I32)
    body = (
        *(
            count,
            Const(0.1, DType.F16),
            Const(math.inf, DType.I32),
            Const(-math.inf, DType.F32),
            Const(True, DType.BOOL),
        ),
        *(Const(2.0, DType.I64), IndexValue(Index(4), DType.F16), Const(-math.inf, DType.I8)),
    )
    op = pointwise("k", loops(i=2, j=4), (), at("y", i=4, j=1), body)
    values = evaluate(op, whole(op), no_reads)
    assert values[0].tolist() == [[3, 3, 4, 4], [13, 13, 14, 14]]
    assert [each.shape for each in values[1:]] == [(1, 1)] * 7
    assert values[1].item() == torch.tensor(0.1).half().item()
    assert [each.item() for each in values[2:]] == [2**31 - 1, -math.inf, True, 2, 4.0, -128]


def test_a_masked_look_up_ignores_wrong_entries_where_the_mask_is_off() -> None:
    row = Index(0, (), (Gather(1, 0, 3),))
    body = (
        IndexValue(Index(0, (Term(1, (("i", 1),)),)), DType.I64),
        Const(3, DType.I64),
        Apply("lt", (0, 1), DType.BOOL),
    )
    op = pointwise("t", loops(i=5), (at("x"),), at("y", i=1), (*body, Load(0, DType.F16, mask=2)))
    op = replace(op, reads=(Access("x", row),))

    def look_up(read: int, gathered: Tensor | None, active: Tensor | None) -> Tensor:
        assert gathered is not None
        assert active is not None
        return torch.where(active, gathered, 0).half()

    assert evaluate(op, whole(op), look_up)[-1].tolist() == [0, 1, 2, 0, 0]
    unmasked = replace(op, body=(*body, Load(0, DType.F16)))
    with pytest.raises(DeviceError, match="step t: it looks up entry 3 of a dimension with 3 entries"):
        evaluate(unmasked, whole(unmasked), look_up)
