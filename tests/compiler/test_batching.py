"""Rates of contractions by the dim orders of their operands."""

import doctest
from collections.abc import Mapping

import pytest

import compiler.cost.batching as law
from compiler.contractions import roles_of
from compiler.coordinates import lane_loops, walk_of
from compiler.cost.batching import Batching, batched_rate, batching_of, contraction_us, just_before_stick
from compiler.device import Device
from compiler.layout import UNIT, StickLayout, stick_layout
from compiler.loops import LoopOp, LoopProgram, OpKind
from compiler.spaces import Space
from tests.compiler.tiny import buffer, layout_of, spyre
from tests.programs import transposed, unsqueezed
from tests.sketch import Sketch

Order = tuple[int, ...]


def program(left: tuple[int, ...], right: tuple[int, ...]) -> LoopProgram:
    """x @ y."""
    sketch = Sketch()
    sketch.output(sketch.matmul(sketch.input("x", *left), sketch.input("y", *right)))
    return sketch.program()


def product_of(found: LoopProgram) -> LoopOp:
    return next(op for op in found.ops if op.kind in (OpKind.MATMUL, OpKind.CONV))


def rate(found: LoopProgram, orders: Mapping[str, Order] | None = None, device: Device | None = None) -> float:
    """The rate of the only contraction with some dim orders, the others default."""
    op = product_of(found)
    layouts = {b.name: layout_of(b, (orders or {}).get(b.name)) for b in found.buffers}
    return batched_rate(device or spyre(), op, roles_of(space(op, found, layouts)), found.buffer_map, layouts)


def space(op: LoopOp, found: LoopProgram, layouts: dict[str, StickLayout]) -> Space:
    walk = walk_of(op, op.write, found.buffer_map[op.write.buffer])
    return Space(op, (), lane_loops(walk, layouts[op.write.buffer]))


def batching(found: LoopProgram) -> Batching:
    op = product_of(found)
    layouts = {b.name: layout_of(b) for b in found.buffers}
    return batching_of(op, roles_of(space(op, found, layouts)), found.buffer_map)


BMM = ((8, 512, 64), (8, 64, 128))
OUTSIDE = {"x": (1, 0, 2), "y": (1, 0, 2), "matmul": (1, 0, 2)}


def test_examples_in_docstrings() -> None:
    result = doctest.testmod(law)
    assert result.attempted
    assert not result.failed


def test_two_dims_run_at_the_full_rate() -> None:
    assert rate(program((512, 64), (64, 128))) == 1140


def test_a_batch_just_before_the_stick_is_slow_until_it_is_nowhere() -> None:
    assert rate(program(*BMM)) == 160
    assert rate(program(*BMM), OUTSIDE) == 1140
    for name in OUTSIDE:
        assert rate(program(*BMM), {other: order for other, order in OUTSIDE.items() if other != name}) == 160


def test_a_unit_dim_puts_the_batch_outside_too() -> None:
    assert rate(program(*BMM), dict.fromkeys(OUTSIDE, (UNIT, 0, 1, 2))) == 1140


def test_few_batches_or_few_cores_cost_nothing() -> None:
    assert rate(program((3, 512, 64), (3, 64, 128))) == 1140
    assert rate(program((4, 512, 64), (4, 64, 128))) == 160
    assert rate(program(*BMM), device=spyre(7)) == 1140
    assert rate(program(*BMM), device=spyre(8)) == 160


@pytest.mark.parametrize(("batches", "expected"), [(2, 705), (4, 705), (5, 470), (64, 470)])
def test_one_batched_operand(batches: int, expected: int) -> None:
    linear = program((batches, 512, 64), (64, 128))
    assert rate(linear) == expected
    assert rate(linear, {"x": (1, 0, 2)}) == expected
    assert rate(linear, {"x": (1, 0, 2), "matmul": (1, 0, 2)}) == 1140


def test_batches_of_several_dims_count_together() -> None:
    """[2, 4, ...]: eight batches, any of the two dims just before the stick is one."""
    heads = program((2, 4, 512, 64), (2, 4, 64, 128))
    assert batching(heads) == Batching(8, True, (frozenset({0, 1}),) * 3)
    assert rate(heads) == 160
    orders = dict.fromkeys(OUTSIDE, (1, 0, 2, 3))
    assert rate(heads, orders) == 160
    assert rate(heads, dict.fromkeys(OUTSIDE, (2, 0, 1, 3))) == 1140


def test_a_batch_of_size_one_does_not_count() -> None:
    """[1, 8, 512, 64], as models have it: the default order has dim 2 just before the stick."""
    heads = program((1, 8, 512, 64), (1, 8, 64, 128))
    assert rate(heads) == 1140
    assert rate(heads, dict.fromkeys(OUTSIDE, (1, 0, 2, 3))) == 160


def test_batches_of_which_one_factor_has_only_some_take_the_slower_rate() -> None:
    """Two groups with one key each for four heads."""
    sketch = Sketch()
    q, k = sketch.input("q", 2, 4, 128, 64), sketch.input("k", 2, 128, 64)
    sketch.output(sketch.matmul(q, transposed(unsqueezed(k, 1), 2, 3)))
    found = batching(sketch.program())
    assert found == Batching(8, True, (frozenset({0, 1}), frozenset({0}), frozenset({0, 1})))
    assert rate(sketch.program(), {"k": (0, 2, 1)}) == 160


def test_one_row_per_batch_cannot_be_saved_by_an_order() -> None:
    assert rate(program((8, 1, 64), (8, 64, 128)), OUTSIDE) == 160


def test_a_convolution_has_no_batches() -> None:
    sketch = Sketch()
    sketch.output(sketch.conv2d(sketch.input("image", 8, 64, 9, 9), sketch.parameter("weight", 64, 64, 3, 3)))
    assert rate(sketch.program(), {"image": (0, 2, 3, 1), "weight": (1, 2, 3, 0), "conv": (0, 2, 3, 1)}) == 1140


def test_what_stands_just_before_the_stick() -> None:
    x = buffer("x", 4, 1, 512, 64)
    orders = {(0, 1, 2, 3): 0, (1, 0, 2, 3): 2, (1, 2, 0, 3): 0, (2, 0, 1, 3): 2, (UNIT, 0, 2, 1, 3): 2}
    assert {order: just_before_stick(layout_of(x, order)) for order in orders} == orders
    assert just_before_stick(layout_of(buffer("v", 640))) == -1
    assert just_before_stick(layout_of(buffer("s"))) == -1
    assert just_before_stick(stick_layout((8, 512), (512, 1), 64, (0, 1, -1))) == 0


def test_the_time_of_an_attention_product() -> None:
    """Four heads of 512 x 512 x 64: 7.1 times as slow with the batch just before the stick."""
    op = product_of(program((4, 512, 64), (4, 64, 512)))
    assert round(contraction_us(op, 160, 32), 2) == 13.11
    assert round(contraction_us(op, 1140, 32), 2) == 1.84
