"""The work of matmuls and convolutions: who loads what, multiply-accumulates, rates and hand-overs."""

from __future__ import annotations

import numpy as np
import pytest

from compiler.dtypes import DType
from compiler.layout import StickLayout, stick_layout
from compiler.loops import Apply, Load, LoopOp, OpKind, Origin
from compiler.program import Program
from simulator.timing.product import product_of
from simulator.timing.work import OpWork, Times, Way
from tests.simulator.sketch import Sketch as Steps
from tests.simulator.sketch import at, buffer, contraction, given, loops, split
from tests.simulator.timing.work_cases import batched, multiplied, operand, planned, spyre, work
from tests.sketch import Sketch

F16 = DType.F16


def busy(step: OpWork) -> Times:
    """Time of the matrix unit."""
    return next(one for one in step.stages if one.unit == "pt").busy


def row_major(*shape: int) -> tuple[int, ...]:
    return tuple(int(np.prod(shape[place + 1 :])) for place in range(len(shape)))


def outermost(*shape: int) -> StickLayout:
    """[b, m, k] with its batches outermost: [b, k sticks, m, lanes]."""
    return stick_layout(shape, row_major(*shape), 64, (1, 0, 2))


def test_operands_of_a_projection_are_loaded_once() -> None:
    step = multiplied(1024, 1024, 1024, split(m=(8, 128), n=(4, 256)))
    x, w, y = operand(step, "x"), operand(step, "w"), operand(step, "y", write=True)
    assert (x.way, w.way, y.way) == (Way.SHARED, Way.SHARED, Way.OWN)
    assert x.bytes.tolist() == [128 * 2048] * 32
    assert w.bytes.tolist() == [256 * 2048] * 32
    assert x.charged.sum() == w.charged.sum() == y.charged.sum() == 2_097_152
    assert x.charged.tolist() == [128 * 2048 // 4] * 32
    assert step.read_ns.sum() == pytest.approx(2 * 2_097_152 / 150)
    assert (step.delivery_ns == 0).all()
    assert step.macs is not None
    assert step.macs.tolist() == [2**30 // 32] * 32
    assert busy(step) == pytest.approx([2**30 / 32 / 1140] * 32)
    assert busy(step)[0] == pytest.approx(29_434, abs=1)


@pytest.mark.parametrize(("readers", "factor"), [(8, 1), (12, 1.3554), (16, 1.6818), (32, 2.8284)])
def test_beyond_eight_readers_a_shared_load_takes_longer(readers: int, factor: float) -> None:
    step = multiplied(readers * 8, 4096, 64, split(m=(readers, 8)))
    plain = 4096 * 128 / 150
    x = operand(step, "x")
    of_x = np.maximum(x.charged / 150, x.charged / 1024 * _request(readers)).sum()
    assert step.read_ns.sum() - of_x == pytest.approx(plain * factor, rel=1e-4)


def _request(cores: int) -> float:
    return float(np.interp(np.log2(cores), range(6), [8.75, 8.75, 7.5, 7.5, 7.5, 3.75]))


def test_an_operand_of_a_batched_product_is_loaded_again_by_each_core() -> None:
    step = batched(4, 512, 64, 512, split(b=(4, 1), m=(8, 64)))
    w = operand(step, "w")
    assert w.way is Way.REPLICATED
    assert w.bytes.tolist() == w.charged.tolist() == [65536] * 32, "8 times 262,144 B in all"
    assert step.delivery_ns == pytest.approx([65536 / 2.3] * 32)
    assert step.delivery_ns[0] == pytest.approx(28_494, abs=1)
    assert operand(step, "x").way is Way.OWN
    x = operand(step, "x").charged
    assert step.read_ns.sum() == pytest.approx(max(x.sum() / 150, x.sum() / 128 * 3.75)), (
        "what is replicated is not in it"
    )


def test_one_weight_for_all_batches_is_shared() -> None:
    step = batched(4, 64, 128, 64, split(b=(4, 1), n=(1, 64)), flat=True)
    assert operand(step, "w").way is Way.SHARED
    assert operand(step, "x").way is Way.OWN
    cut = batched(4, 64, 128, 128, split(b=(4, 1), n=(2, 64)), flat=True)
    assert operand(cut, "x").way is Way.SHARED, "no loop batches both operands"


def test_grouped_heads_share_keys() -> None:
    nest = loops("k", g=2, h=4, m=64, n=64, k=64)
    step = contraction(
        "mm",
        nest,
        at("q", g=16384, h=4096, m=64, k=1),
        at("key", g=4096, k=64, n=1),
        at("y", g=16384, h=4096, m=64, n=1),
    )
    steps = Steps(
        buffers=(given("q", (2, 4, 64, 64)), given("key", (2, 64, 64)), buffer("y", (2, 4, 64, 64))),
        ops=(step,),
        outputs=("y",),
        divisions={"mm": split(h=(4, 1), m=(2, 32))},
    )
    found = work(steps.program())["mm"]
    assert operand(found, "key").way is Way.SHARED, "it lacks a batch loop"
    assert operand(found, "q").way is Way.OWN
    product = product_of(step)
    assert (product.rows, product.batch, product.outer) == (frozenset("hm"), frozenset("g"), frozenset("gh"))


@pytest.mark.parametrize(("rows", "filled"), [(1, 8), (8, 8), (12, 16), (33, 40)])
def test_rows_are_filled_up_to_those_of_the_array(rows: int, filled: int) -> None:
    step = multiplied(rows, 256, 128)
    assert step.macs is not None
    assert step.macs.tolist() == [filled * 256 * 128]
    assert busy(step) == pytest.approx([filled * 256 * 128 / 1140])


def test_a_split_sum_runs_on_one_corelet_and_is_handed_on() -> None:
    step = multiplied(32, 256, 128, split(k=(4, 64), n=(2, 64)))
    assert step.cores.tolist() == list(range(8))
    assert [(hop.source, hop.target) for hop in step.hops] == [(0, 1), (1, 2), (2, 3), (4, 5), (5, 6), (6, 7)]
    assert {hop.ns for hop in step.hops} == {32 * 64 * 1.0}, "1 ns per element where all batches share a weight"
    assert {hop.bytes for hop in step.hops} == {32 * 64 * 4}, "in fp32"
    assert busy(step) == pytest.approx([32 * 64 * 64 / (1140 / 2)] * 8)
    y = operand(step, "y", write=True)
    assert y.bytes.tolist() == [0, 0, 0, 32 * 128, 0, 0, 0, 32 * 128]
    assert (step.write_ns > 0).tolist() == [False, False, False, True] * 2


def test_hand_overs_of_a_batched_product_are_faster() -> None:
    step = batched(2, 32, 256, 64, split(k=(2, 128), b=(2, 1)))
    assert [(hop.source, hop.target) for hop in step.hops] == [(0, 1), (2, 3)]
    assert [hop.ns for hop in step.hops] == pytest.approx([32 * 64 * 0.1] * 2)


def test_a_partial_result_goes_in_whole_sticks_and_no_faster_than_the_ring() -> None:
    device = spyre(8).with_number("partial_sum_us_shared", 1e-9)
    step = multiplied(1, 256, 128, split(k=(4, 64), n=(2, 64)), device=device)
    assert {hop.bytes for hop in step.hops} == {256}
    assert [hop.ns for hop in step.hops] == pytest.approx([256 / device.number("relayout_bytes_per_ns_core")] * 6)


def test_a_batch_just_before_the_stick_slows_the_array_down() -> None:
    macs, cores = 4 * 512 * 64 * 512 / 32, split(b=(4, 1), m=(8, 64))
    assert busy(batched(4, 512, 64, 512, cores)) == pytest.approx([macs / 160] * 32)
    ordered = {"x": outermost(4, 512, 64), "w": outermost(4, 64, 512), "y": outermost(4, 512, 512)}
    assert busy(batched(4, 512, 64, 512, cores, ordered)) == pytest.approx([macs / 1140] * 32)
    half = {"w": outermost(4, 64, 512)}
    assert busy(batched(4, 512, 64, 512, cores, half)) == pytest.approx([macs / 705] * 32)
    assert busy(batched(8, 512, 64, 512, split(b=(8, 1), m=(4, 128)), {"w": outermost(8, 64, 512)})) == pytest.approx(
        [8 * 512 * 64 * 512 / 32 / 470] * 32
    )


def test_few_batches_or_cores_keep_the_rate() -> None:
    assert busy(batched(2, 64, 64, 64, split(b=(2, 1), m=(8, 8)))) == pytest.approx([64**3 * 2 / 16 / 1140] * 16)
    assert busy(batched(4, 64, 64, 64, split(b=(4, 1)))) == pytest.approx([64**3 / 1140] * 4)


def test_a_batched_input_and_one_weight_run_at_the_rate_between() -> None:
    default = batched(4, 64, 128, 64, split(b=(4, 1)), flat=True)
    assert busy(default) == pytest.approx([64 * 128 * 64 / 705] * 4)
    ordered = batched(4, 64, 128, 64, split(b=(4, 1)), {"x": outermost(4, 64, 128)}, flat=True)
    assert busy(ordered) == pytest.approx([64 * 128 * 64 / 1140] * 4)


def test_a_weight_that_is_used_once_comes_no_faster_than_a_core_loads() -> None:
    wide = multiplied(1, 4096, 3200, split(n=(25, 128)))
    assert wide.delivery_ns == pytest.approx([4096 * 256 / 4.6875] * 25)
    assert wide.delivery_ns[0] > wide.read_ns.sum()
    all_cores = multiplied(1, 4096, 4096, split(n=(32, 128)))
    assert all_cores.delivery_ns[0] == pytest.approx(4096 * 4096 * 2 / 150), "which is the whole memory's rate"
    assert (multiplied(8, 4096, 3200, split(n=(25, 128))).delivery_ns == 0).all(), "used eight times"


def test_rows_beyond_the_contracted_loop_that_hold_zeros_are_read() -> None:
    padded = {"w": stick_layout((150, 64), (64, 1), 64, padding=((0, 192),))}
    step = multiplied(8, 150, 64, layouts=padded)
    assert operand(step, "w").bytes.tolist() == [192 * 128]
    assert operand(step, "x").bytes.tolist() == [3 * 8 * 128]
    assert operand(multiplied(8, 150, 64), "w").bytes.tolist() == [150 * 128]


def convolved(division: dict[str, tuple[int, int]]) -> OpWork:
    """[1, 64, 18, 18] with [64, 64, 3, 3]: rows of the image overlap."""
    sketch = Sketch("convolved")
    sketch.output(sketch.conv2d(sketch.input("x", 1, 64, 18, 18), sketch.parameter("w", 64, 64, 3, 3)))
    return work(planned(sketch.program(), {"conv": split(**division)}, 4))["conv"]


def test_a_convolution_reads_the_rows_around_its_own() -> None:
    step = convolved({"y": (4, 4)})
    x, w, _ = step.operands
    assert (x.way, w.way) == (Way.OWN, Way.SHARED)
    assert x.bytes.tolist() == [6 * 18 * 128] * 4, "4 rows and two more"
    assert w.charged.sum() == 9 * 64 * 128
    assert step.macs is not None
    assert step.macs.tolist() == [4 * 16 * 64 * 64 * 9] * 4
    assert step.unit == "pt"


def test_roles_follow_operands_through_instructions() -> None:
    nest = loops("k", m=8, n=64, k=64)
    reads = (at("w", k=64, n=1), at("x", m=64, k=1), at("s", m=1))
    body = (Load(1, F16), Load(2, F16), Apply("mul", (0, 1), F16), Load(0, F16))
    op = LoopOp("mm", OpKind.MATMUL, "sum", nest, reads, (at("y", m=64, n=1),), body, (2, 3), Origin())
    product = product_of(op)
    assert (product.left, product.right, product.rows) == ((1, 2), (0,), frozenset("m"))


def scratchpad(program: Program) -> OpWork:
    return work(program, spyre(8))["mm"]


def test_operands_in_the_scratchpad_cost_the_memory_nothing() -> None:
    nest = loops("k", m=64, n=64, k=128)
    steps = Steps(
        buffers=(given("a", (64, 128)), buffer("x", (64, 128)), given("w", (128, 64)), buffer("y", (64, 64))),
        ops=(
            LoopOp(
                "copy",
                OpKind.POINTWISE,
                "",
                loops(m=64, k=128),
                (at("a", m=128, k=1),),
                (at("x", m=128, k=1),),
                (Load(0, F16),),
                (0,),
                Origin(),
            ),
            contraction("mm", nest, at("x", m=128, k=1), at("w", k=64, n=1), at("y", m=64, n=1)),
        ),
        outputs=("y",),
        divisions={"copy": split(m=(8, 8)), "mm": split(m=(8, 8))},
        lx={"x": 0},
    )
    step = scratchpad(steps.program())
    x = operand(step, "x")
    assert x.way is Way.LX
    assert x.charged.sum() == 0
    assert x.bytes.tolist() == [8 * 256] * 8
    assert {one.unit: one.bytes.tolist() for one in step.stages}["dma_in"] == [128 * 128] * 8
    assert {one.unit: one.bytes.tolist() for one in step.stages}["lx_load"] == [128 * 128 + 8 * 256] * 8
