"""Every element type executed and verified, and sums: kept in fp32 over a core and along the chain, rounded once."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from compiler.dtypes import DType
from simulator.functional.contraction import ACCUMULATION
from simulator.functional.verify import verify
from simulator.report import Agreement, describe
from tests.casebook import Case as Model
from tests.casebook import noise, of
from tests.simulator.compiled_cases import prepared
from tests.simulator.programs import Case
from tests.simulator.sketch import Sketch, at, buffer, contraction, given, loops, split, unary

FLOATS = (torch.float16, torch.bfloat16, torch.float32)
FP8 = (DType.F8E4M3, DType.F8E5M2)


def integers() -> Tensor:
    return (torch.arange(700) % 97 - 40).reshape(7, 100).to(torch.int32)


def floats(kind: torch.dtype) -> Model:
    def function(x: Tensor, w: Tensor) -> tuple[Tensor, Tensor]:
        return torch.relu(x @ w).sum(-1), torch.softmax(x, -1)

    return of(function, noise(5, 100, dtype=kind), noise(100, 70, dtype=kind))


def whole_numbers() -> Model:
    def function(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return (x * y + 3).sum(-1, dtype=torch.int32), torch.maximum(x, y) // 7

    return of(function, integers(), integers().flip(0))


def truths() -> Model:
    def function(x: Tensor, y: Tensor, z: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return (x > y).any(-1), (x > y) & (y < 3), z ^ (x == y)

    return of(function, integers(), integers().flip(0), integers() > 0)


@pytest.mark.parametrize("cores", [1, 3])
@pytest.mark.parametrize("kind", FLOATS, ids=str)
def test_floats_through_the_compiler(kind: torch.dtype, cores: int) -> None:
    report = prepared(floats(kind), cores).judge()
    assert report.ok
    assert {output.dtype.torch_name for output in report.outputs} == {str(kind).removeprefix("torch.")}


@pytest.mark.parametrize("cores", [1, 3])
@pytest.mark.parametrize(("model", "dtype"), [(whole_numbers, DType.I32), (truths, DType.BOOL)])
def test_integers_and_bools_through_the_compiler(model: Callable[[], Model], dtype: DType, cores: int) -> None:
    report = prepared(model(), cores).judge()
    assert report.agreement is Agreement.EQUAL
    assert {output.dtype for output in report.outputs} == {dtype}


@pytest.mark.parametrize("dtype", FP8)
def test_fp8_through_the_compiler(dtype: DType) -> None:
    """Copies are what the compiler makes of it."""
    kind = getattr(torch, dtype.torch_name)
    report = prepared(of(lambda x: x.flip(0), noise(6, 200, dtype=kind)), 3).judge()
    assert report.agreement is Agreement.EQUAL
    assert [output.dtype for output in report.outputs] == [dtype]


def product(dtype: DType, result: DType, k: int, parts: int, x: Tensor, w: Tensor) -> Case:
    """[m, k] x [k, n], K cut over a chain of so many cores."""
    m, n = x.shape[0], w.shape[1]
    nest = loops("k", m=m, n=n, k=k)
    sketch = Sketch(
        buffers=(given("x", (m, k), dtype), given("w", (k, n), dtype), buffer("y", (m, n), result)),
        ops=(contraction("mm", nest, at("x", m=k, k=1), at("w", k=n, n=1), at("y", m=n, n=1), dtype),),
        outputs=("y",),
        divisions={"mm": split(k=(parts, k // parts))} if parts > 1 else {},
    )
    kind = getattr(torch, result.torch_name)
    return Case(sketch, {"x": x, "w": w}, ((x.double() @ w.double()).to(kind),))


@pytest.mark.parametrize("parts", [1, 4])
@pytest.mark.parametrize("result", [DType.F16, DType.F32])
@pytest.mark.parametrize("dtype", FP8)
def test_fp8_products_are_summed_in_fp32(dtype: DType, result: DType, parts: int) -> None:
    kind = getattr(torch, dtype.torch_name)
    case = product(dtype, result, 1024, parts, noise(4, 1024, dtype=kind), noise(1024, 128, dtype=kind).flip(0))
    report = verify(case.sketch.program(), case.inputs, case.expected)
    assert report.ok, describe(report)
    coarse = {"y": (case.outputs[0].float() * 1.01).to(case.outputs[0].dtype)}
    assert not verify(case.sketch.program(), case.inputs, coarse).ok


@pytest.mark.parametrize("dtype", FP8)
def test_fp8_is_rounded_where_it_is_written(dtype: DType) -> None:
    kind = getattr(torch, dtype.torch_name)
    x, nest, place = noise(4, 200, dtype=kind), loops(i=4, j=200), {"i": 200, "j": 1}
    sketch = Sketch(
        buffers=(given("x", (4, 200), dtype), buffer("y", (4, 200), dtype)),
        ops=(unary("exp", "exp", nest, at("x", **place), at("y", **place), dtype),),
        outputs=("y",),
        divisions={"exp": split(i=(4, 1))},
        lx={},
    )
    report = verify(sketch.program(), {"x": x}, {"y": torch.exp(x.float()).to(kind)})
    assert report.agreement is Agreement.EQUAL


def test_a_sum_is_not_kept_in_the_type_of_its_terms() -> None:
    """In fp16 a sum of ones does not go beyond 2048."""
    ones = torch.ones(1, 8192).half()
    case = product(DType.F16, DType.F16, 8192, 1, ones, torch.ones(8192, 64).half())
    assert float(case.outputs[0][0, 0]) == 8192
    assert verify(case.sketch.program(), case.inputs, case.expected).agreement is Agreement.EQUAL


def test_partial_sums_are_not_rounded_on_their_way() -> None:
    """Three times 2049 is 6147, in fp16 6148; 2049 is no number of fp16, and three times 2048 would be 6144."""
    row = (torch.arange(3 * 2112) % 2112 < 2049).half().reshape(1, -1)
    case = product(DType.F16, DType.F16, 3 * 2112, 3, row, torch.ones(3 * 2112, 64).half())
    assert float(case.outputs[0][0, 0]) == 6148
    assert verify(case.sketch.program(), case.inputs, case.expected).agreement is Agreement.EQUAL


def test_integers_are_summed_exactly() -> None:
    """2**24 + 1 is no number of fp32."""
    row = torch.ones(1, 96, dtype=torch.int32)
    row[0, 0] = 2**24
    case = product(DType.I32, DType.I32, 96, 3, row, torch.ones(96, 32, dtype=torch.int32))
    assert int(case.outputs[0][0, 0]) == 2**24 + 95
    assert verify(case.sketch.program(), case.inputs, case.expected).agreement is Agreement.EQUAL


def test_the_report_says_how_sums_are_kept() -> None:
    report = prepared(floats(torch.float16), 3).judge()
    assert report.accumulation == ACCUMULATION
    assert f"sums: {ACCUMULATION}" in describe(report)
    assert "fp32" in ACCUMULATION
