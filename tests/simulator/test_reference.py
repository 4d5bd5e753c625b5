"""Folds, contractions and the reference interpreter, on host tensors."""

from dataclasses import replace

import pytest
import torch
from torch.nn.functional import conv2d

from compiler.dtypes import DType
from compiler.loops import Access, Gather, Index, Load, Loop, OpKind, Role, Term
from simulator.errors import DeviceError
from simulator.functional.contraction import contract
from simulator.functional.fold import fold, join
from simulator.functional.reference import interpret
from simulator.functional.space import whole
from simulator.functional.threads import one_thread
from tests.simulator.programs import CASES, random
from tests.simulator.sketch import at, buffer, contraction, given, loops, pointwise, reduction

NEST = loops("j", i=3, j=5)
X = random(3, 5)


def folded(combine: str, values: torch.Tensor) -> torch.Tensor:
    op = reduction("r", combine, NEST, at("x", i=5, j=1), at("y", i=1), DType.F16)
    return fold(op, whole(op), [values])


@pytest.mark.parametrize(
    ("combine", "expected"),
    [
        ("sum", X.float().sum(1)),
        ("prod", X.float().prod(1)),
        ("max", X.float().amax(1)),
        ("min", X.float().amin(1)),
        ("any", X.any(1)),
        ("argmax", X.argmax(1)),
        ("argmin", X.argmin(1)),
    ],
)
def test_folds(combine: str, expected: torch.Tensor) -> None:
    found = folded(combine, X)
    assert found.dtype == expected.dtype
    assert torch.equal(found, expected)


def test_sums_are_kept_in_fp32_and_int64() -> None:
    ones = torch.full((3, 5), 20000.0).half()
    assert folded("sum", ones).tolist() == [100000.0] * 3, "beyond what f16 holds"
    assert folded("sum", torch.full((3, 5), 2**31 - 1, dtype=torch.int32)).tolist() == [5 * (2**31 - 1)] * 3
    assert folded("sum", torch.ones(3, 5, dtype=torch.bool)).tolist() == [5, 5, 5]
    assert folded("sum", torch.ones(1, 1).half()).tolist() == [5.0] * 3, "one value stands for the whole space"


def test_loops_are_folded_wherever_they_stand() -> None:
    nest = (Loop("j", 5, Role.REDUCTION), Loop("i", 3), Loop("k", 2, Role.REDUCTION))
    op = reduction("r", "argmax", nest, at("x", i=10, j=2, k=1), at("y", i=1), DType.F16)
    values = random(5, 3, 2)
    expected = values.permute(1, 0, 2).reshape(3, 10).argmax(1)
    assert torch.equal(fold(op, whole(op), [values]), expected)


def test_nan_spoils_a_maximum() -> None:
    spoiled = X.clone()
    spoiled[1, 2] = torch.nan
    assert folded("max", spoiled).isnan().tolist() == [False, True, False]


@pytest.mark.parametrize(("combine", "result"), [("sum", 5), ("prod", 6), ("max", 3), ("min", 2), ("any", 3)])
def test_partial_results_are_joined(combine: str, result: int) -> None:
    op = reduction("r", combine, NEST, at("x", i=5, j=1), at("y", i=1), DType.F16)
    assert join(op, torch.tensor([2]), torch.tensor([3])).tolist() == [result]
    product = contraction("mm", NEST, at("x", j=1), at("w", j=1), at("y", i=1))
    assert join(product, torch.tensor([2]), torch.tensor([3])).tolist() == [5]


def test_some_partial_results_cannot_be_joined() -> None:
    op = reduction("r", "argmax", NEST, at("x", i=5, j=1), at("y", i=1), DType.F16)
    with pytest.raises(DeviceError, match="step r: partial results of argmax cannot be joined"):
        join(op, torch.tensor([2]), torch.tensor([3]))


def test_a_batched_product() -> None:
    nest = loops("k", b=2, m=3, n=4, k=5)
    left, right = random(2, 3, 1, 5), random(1, 1, 4, 5, seed=1)
    op = contraction("mm", nest, at("x", b=15, m=5, k=1), at("w", n=5, k=1), at("y", b=12, m=4, n=1))
    found = contract(whole(op), left, right)
    expected = left.float().squeeze(2) @ right.float().squeeze().t()
    assert found.dtype == torch.float32
    torch.testing.assert_close(found, expected)


def test_loops_of_one_operand_or_of_none() -> None:
    nest = loops("k l", m=3, n=4, k=5, l=2)
    op = contraction("mm", nest, at("x", m=5, k=1), at("w"), at("y", m=4, n=1))
    found = contract(whole(op), random(3, 1, 5, 1), torch.full((1, 1, 1, 1), 2.0).half())
    expected = (random(3, 5).float().sum(1, keepdim=True) * 2 * 2).expand(3, 4)
    torch.testing.assert_close(found, expected)
    one = contraction("mm", loops("k"), at("x"), at("w"), at("y"))
    assert contract(whole(one), torch.tensor(3.0), torch.tensor(2.0)).item() == 6.0


def test_integers_are_multiplied_exactly() -> None:
    nest = loops("k", m=1, k=3)
    op = contraction("mm", nest, at("x", k=1), at("w", k=1), at("y", m=1), DType.I32)
    big = torch.tensor([[2**15 + 1, 2**14 + 1, 1]])
    found = contract(whole(op), big, big)
    assert (found.item(), found.dtype) == (int((big * big).sum()), torch.int64)


def test_a_convolution_is_a_contraction_over_windows() -> None:
    image, weight = random(1, 2, 6, 6), random(3, 2, 3, 3, seed=1)
    nest = loops("c u v", o=3, y=2, x=2, c=2, u=3, v=3)
    op = replace(
        contraction(
            "conv",
            nest,
            at("image", c=36, y=12, x=2, u=6, v=1),
            at("weight", o=18, c=9, u=3, v=1),
            at("result", o=4, y=2, x=1),
        ),
        kind=OpKind.CONV,
    )
    tensors = (given("image", (1, 2, 6, 6)), given("weight", (3, 2, 3, 3)), buffer("result", (1, 3, 2, 2)))
    found = interpret([op], tensors, {"image": image, "weight": weight})["result"]
    torch.testing.assert_close(found, conv2d(image.float(), weight.float(), stride=2).half())


@pytest.mark.parametrize("name", CASES)
def test_the_reference_agrees_with_pytorch(name: str) -> None:
    case = CASES[name]()
    found = interpret(case.sketch.ops, case.sketch.buffers, case.inputs)
    assert set(found) == {each.name for each in case.sketch.buffers}
    for output, expected in case.expected.items():
        torch.testing.assert_close(found[output], expected, rtol=5e-3, atol=1e-5, equal_nan=True)


def test_what_nobody_wrote_stays_poison() -> None:
    op = pointwise("half", loops(i=2), (at("x", i=1),), at("y", i=1), (Load(0, DType.F16),))
    found = interpret([op], (given("x", (4,)), buffer("y", (4,))), {"x": torch.ones(4).half()})["y"]
    assert found.isnan().tolist() == [False, False, True, True]


def test_an_index_that_leaves_its_buffer_is_a_fault() -> None:
    tensors = (given("x", (4,)), buffer("y", (4,)))
    read = pointwise("far", loops(i=4), (at("x", 1, i=1),), at("y", i=1), (Load(0, DType.F16),))
    with pytest.raises(DeviceError, match="step far: its index leaves x"):
        interpret([read], tensors, {"x": torch.ones(4).half()})
    write = pointwise("far", loops(i=4), (at("x", i=1),), at("y", i=2), (Load(0, DType.F16),))
    with pytest.raises(DeviceError, match="step far: its index leaves y"):
        interpret([write], tensors, {"x": torch.ones(4).half()})


def test_gathers_of_several_values_add_up() -> None:
    row = Index(0, (Term(1, (("j", 1),)),), (Gather(20, 0, 3), Gather(5, 1, 4)))
    body = (Load(0, DType.I64), Load(1, DType.I64), Load(2, DType.F16))
    reads = (at("a", i=1), at("b", i=1), Access("t", row))
    op = pointwise("take", loops(i=2, j=5), reads, at("y", i=5, j=1), body)
    tensors = (given("a", (2,), DType.I64), given("b", (2,), DType.I64), given("t", (3, 4, 5)), buffer("y", (2, 5)))
    table, first, second = random(3, 4, 5), torch.tensor([2, -3]), torch.tensor([-1, 1])
    found = interpret([op], tensors, {"a": first, "b": second, "t": table})["y"]
    assert torch.equal(found, table[first, second])


def test_one_thread_and_then_as_before() -> None:
    before = torch.get_num_threads()
    with one_thread():
        assert torch.get_num_threads() == 1
        assert not torch.is_grad_enabled()
    assert torch.get_num_threads() == before
    with pytest.raises(ZeroDivisionError), one_thread():
        raise ZeroDivisionError
    assert torch.get_num_threads() == before
