"""Layouts chosen freely: a weight may lie in any of them, and a plain copy turns any of them into any other."""

import random as chance
from dataclasses import replace
from itertools import permutations, product

import pytest
import torch

from compiler.division import Division, Split
from compiler.dtypes import DType
from compiler.layout import UNIT, stick_layout
from compiler.loops import BufferKind, Load, Loop
from simulator.functional.execute import Execution
from simulator.functional.verify import verify
from simulator.report import Agreement
from tests.simulator.padded import judge, layout, raw, with_layout
from tests.simulator.programs import CASES, Case, matmul, random
from tests.simulator.sketch import LANES, Sketch, at, binary, buffer, dense, given, loops, pointwise, split

F16, F32 = DType.F16, DType.F32
SHAPES = [(5, 150), (100, 100), (3, 70, 130), (2, 3, 65, 66), (7,), (1, 130)]


def copy(shape: tuple[int, ...], orders: tuple[tuple[int, ...], ...], rng: chance.Random, dtype: DType) -> Case:
    """x copied into another layout, both stick loops cut in whole sticks, the others anywhere."""
    x = random(*shape, dtype=torch.float16 if dtype is F16 else torch.float32)
    lanes = LANES[dtype.device_bytes]
    whole = {f"d{dim}": step for dim, step in enumerate(dense(shape))}
    nest = tuple(Loop(f"d{dim}", size) for dim, size in enumerate(shape))
    sticks = {order[-1] for order in orders}
    splits: list[Split] = []
    for dim in rng.sample(range(len(shape)), len(shape)):
        step = lanes * rng.randint(1, 2) if dim in sticks else rng.randint(-(-shape[dim] // 3), shape[dim])
        if step < shape[dim]:
            splits.append(Split(f"d{dim}", -(-shape[dim] // step), step))
    sketch = Sketch(
        buffers=(given("x", shape, dtype), buffer("y", shape, dtype)),
        ops=(pointwise("copy", nest, (at("x", **whole),), at("y", **whole), (Load(0, dtype),)),),
        outputs=("y",),
        divisions={"copy": Division(tuple(splits))},
        layouts={
            name: stick_layout(shape, dense(shape), lanes, order) for name, order in zip("xy", orders, strict=True)
        },
    )
    return Case(sketch, {"x": x}, (x,))


@pytest.mark.parametrize("dtype", [F16, F32])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_copy_turns_any_layout_into_any_other(shape: tuple[int, ...], dtype: DType) -> None:
    rng = chance.Random(f"{shape} {dtype}")
    dims = (*range(len(shape)), -1)
    for pair in product(dims, dims):
        orders = []
        for stick in pair:
            others = [dim for dim in range(len(shape)) if dim != stick]
            unit = (UNIT,) if rng.random() < 0.3 else ()
            orders.append((*unit, *rng.sample(others, len(others)), stick))
        report = judge(copy(shape, tuple(orders), rng, dtype))
        assert report.agreement is Agreement.EQUAL, (orders, report)


def test_sticks_along_the_other_dim_hold_columns() -> None:
    case = copy((100, 100), ((0, 1), (1, 0)), chance.Random(0), F16)
    execution = Execution(case.sketch.program(), case.inputs)
    execution.run()
    found, x = raw(execution, "y"), case.inputs["x"]
    assert torch.equal(found[0], x[:64].t())
    assert torch.equal(found[1, :, :36], x[64:].t())
    assert found[1, :, 36:].isnan().all()


def test_a_transposed_copy_of_the_model_changes_the_stick_on_its_own() -> None:
    """y = x.t().contiguous(): the sticks of x run along i, those of y along j, and both are cut in whole sticks."""
    x = random(100, 130)
    op = pointwise("t", loops(i=130, j=100), (at("x", i=1, j=130),), at("y", i=100, j=1), (Load(0, F16),))
    for division in (split(), split(i=(3, 64), j=(2, 64)), split(j=(2, 64))):
        sketch = Sketch((given("x", (100, 130)), buffer("y", (130, 100))), (op,), ("y",), {"t": division})
        assert judge(Case(sketch, {"x": x}, (x.t(),))).agreement is Agreement.EQUAL
        assert not judge(Case(sketch, {"x": x}, (x.t().flip(0),))).ok


def orders(rank: int) -> list[tuple[int, ...]]:
    """All dim orders of a tensor: dense, one element per stick, and both with a dim of size 1 before the stick."""
    dense_ones = list(permutations(range(rank)))
    sparse_ones = [(*order, -1) for order in dense_ones]
    return [(*unit, *order) for unit in ((), (UNIT,)) for order in (*dense_ones, *sparse_ones)]


@pytest.mark.parametrize("order", orders(2), ids=str)
def test_a_weight_of_a_matmul_may_lie_in_any_layout(order: tuple[int, ...]) -> None:
    case = matmul(m=4, k=128, n=96, k_split=2)
    weight = replace(case.sketch.buffers[1], kind=BufferKind.PARAMETER)
    sketch = replace(case.sketch, buffers=(case.sketch.buffers[0], weight, case.sketch.buffers[2]))
    made = with_layout(replace(case, sketch=sketch), "w", layout((128, 96), order))
    assert judge(made).ok
    wrong = Case(made.sketch, made.inputs, (made.outputs[0].flip(1),))
    assert not judge(wrong).ok


@pytest.mark.parametrize("order", orders(2), ids=str)
def test_a_table_may_lie_in_any_layout(order: tuple[int, ...]) -> None:
    case = CASES["gathered"]()
    assert judge(with_layout(case, "t", layout((10, 70), order))).agreement is Agreement.EQUAL


@pytest.mark.parametrize("order", orders(3), ids=str)
def test_a_constant_of_a_pointwise_step_may_lie_in_any_layout(order: tuple[int, ...]) -> None:
    shape = (2, 3, 70)
    whole = {"a": 210, "b": 70, "c": 1}
    op = binary("add", "add", loops(a=2, b=3, c=70), at("x", **whole), at("w", **whole), at("y", **whole))
    x, w = random(*shape), random(*shape, seed=1)
    buffers = (given("x", shape), buffer("w", shape, kind=BufferKind.CONSTANT), buffer("y", shape))
    sketch = Sketch(buffers, (op,), ("y",), {"add": split(a=(2, 1))}, {"w": layout(shape, order, *padding(order))})
    report = verify(sketch.program(), {"x": x, "w": w}, {"y": x + w})
    assert report.agreement is Agreement.EQUAL


def padding(order: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """Every dim but the stick's somewhat longer."""
    return tuple((dim, size + 2) for dim, size in enumerate((2, 3, 70)) if dim != order[-1])
