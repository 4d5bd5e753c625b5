"""The work of copies, clones, gathers, scatters and masked reads, by numbers that can be worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compiler.device import load_device
from compiler.division import Division
from compiler.dtypes import DType
from compiler.layout import UNIT, stick_layout
from compiler.loops import Access, Apply, Const, Gather, Index, IndexValue, Load
from compiler.machine import DataPath
from simulator.timing.work import OpWork, Way
from tests.simulator.sketch import Sketch as Steps
from tests.simulator.sketch import at, buffer, given, loops, pointwise, split
from tests.simulator.timing.work_cases import operand, spyre, work

F16, I64 = DType.F16, DType.I64


def copied(source: tuple[int, ...], target: tuple[int, ...], division: Division, cores: int = 4) -> OpWork:
    """A copy of [256, 256] in device memory between layouts of these dim orders."""
    steps = Steps(
        buffers=(given("x", (256, 256)), buffer("y", (256, 256))),
        ops=(pointwise("copy", loops(i=256, j=256), (at("x", i=256, j=1),), at("y", i=256, j=1), (Load(0, F16),)),),
        outputs=("y",),
        divisions={"copy": division},
        layouts={
            "x": stick_layout((256, 256), (256, 1), 64, source),
            "y": stick_layout((256, 256), (256, 1), 64, target),
        },
    )
    return work(steps.program(), spyre(cores))["copy"]


def test_a_copy_to_other_sticks_is_turned_by_the_vector_unit() -> None:
    step = copied((0, 1), (1, 0), split(i=(4, 64)))
    assert step.unit == "sfp"
    assert next(one for one in step.stages if one.unit == "sfp").busy == pytest.approx([32768 / 40] * 4)
    assert operand(step, "x").burst_bytes == 4096
    small = copied((0, 1), (1, 0), split(j=(4, 64)))
    assert operand(small, "x").burst_bytes == 4096
    assert operand(small, "y", write=True).burst_bytes == 4096


def test_a_copy_that_leaves_sticks_as_they_are_computes_nothing() -> None:
    step = copied((0, 1), (UNIT, 0, 1), split(i=(4, 64)))
    assert step.unit == ""
    assert [(one.unit, one.read) for one in step.stages] == [("dma_in", True), ("dma_out", False)]
    assert (step.floor_ns == 0).all()


def test_clones_go_one_way() -> None:
    nest, here = loops(i=64, j=128), {"i": 128, "j": 1}
    steps = Steps(
        buffers=(given("x", (64, 128)), buffer("a", (64, 128)), buffer("b", (64, 128)), buffer("y", (64, 128))),
        ops=(
            pointwise("in", nest, (at("x", **here),), at("a", **here), (Load(0, F16),)),
            pointwise("stay", nest, (at("a", **here),), at("b", **here), (Load(0, F16),)),
            pointwise("out", nest, (at("b", **here),), at("y", **here), (Load(0, F16),)),
        ),
        outputs=("y",),
        divisions={name: split(i=(4, 16)) for name in ("in", "stay", "out")},
        lx={"a": 0, "b": 4096},
    )
    found = work(steps.program())
    assert [one.unit for one in found["in"].stages] == ["dma_in"]
    assert [one.unit for one in found["out"].stages] == ["dma_out"]
    assert found["in"].unit == found["out"].unit == ""
    assert [one.unit for one in found["stay"].stages] == ["lx_load", "sfp", "lx_store"], "one's own LX has no other way"
    assert found["in"].write_ns.sum() == 0
    assert found["out"].read_ns.sum() == 0


def gathered(columns: int, order: tuple[int, ...]) -> OpWork:
    """Rows of a table [100, columns] picked by 32 integers, on four cores."""
    chosen = Access("t", Index(0, at("t", j=1).index.terms, (Gather(columns, 0, 100),)))
    steps = Steps(
        buffers=(given("n", (32,), I64), given("t", (100, columns)), buffer("y", (32, columns))),
        ops=(
            pointwise(
                "take",
                loops(i=32, j=columns),
                (at("n", i=1), chosen),
                at("y", i=columns, j=1),
                (Load(0, I64), Load(1, F16)),
            ),
        ),
        outputs=("y",),
        divisions={"take": split(i=(4, 8))},
        layouts={"t": stick_layout((100, columns), (columns, 1), 64, order)},
    )
    return work(steps.program())["take"]


def test_a_gathered_row_is_fetched_stick_by_stick_or_in_one_run() -> None:
    scattered, dense = gathered(256, (0, 1)), gathered(256, (UNIT, 0, 1))
    for step, run in ((scattered, 128), (dense, 512)):
        table = operand(step, "t")
        assert table.bytes.tolist() == [8 * 512] * 4
        assert table.way is Way.OWN
        assert table.burst_bytes == run
        requests = 32 * 512 / run * 7.5
        assert step.read_ns.sum() >= requests
    assert operand(dense, "n").way is Way.SHARED, "the integers of all cores lie in one stick"


def test_gathered_elements_count_as_a_stick_each() -> None:
    chosen = Access("t", Index(0, (), (Gather(1, 0, 1000),)))
    steps = Steps(
        buffers=(given("n", (32,), I64), given("t", (1000,)), buffer("y", (32,))),
        ops=(pointwise("take", loops(i=32), (at("n", i=1), chosen), at("y", i=1), (Load(0, I64), Load(1, F16))),),
        outputs=("y",),
    )
    step = work(steps.program())["take"]
    assert operand(step, "t").bytes.tolist() == [32 * 128]
    assert step.read_ns.sum() >= 32 * 8.75


def test_a_scatter_is_slower_on_few_cores() -> None:
    target = Access("y", Index(0, at("y", j=1).index.terms, (Gather(64, 0, 100),)))
    steps = Steps(
        buffers=(given("n", (32,), I64), given("x", (32, 64)), buffer("y", (100, 64))),
        ops=(
            pointwise(
                "put", loops(i=32, j=64), (at("n", i=1), at("x", i=64, j=1)), target, (Load(0, I64), Load(1, F16))
            ),
        ),
        outputs=("y",),
    )
    step = work(steps.program())["put"]
    assert step.write_ns.sum() == pytest.approx(32 * 128 / 30)
    assert step.write_share[0] == pytest.approx(30 / 150)


def test_a_masked_read_counts_only_where_it_happens() -> None:
    column = IndexValue(at("", j=1).index, I64)
    body = (
        column,
        Const(128, I64),
        Apply("lt", (0, 1), DType.BOOL),
        Load(0, F16, 2),
        Apply("logical_not", (2,), DType.BOOL),
        Load(1, F16, 4),
        Apply("where", (2, 3, 5), F16),
    )
    reads = (at("a", i=128, j=1), at("b", offset=-128, i=256, j=1))
    steps = Steps(
        buffers=(given("a", (64, 128)), given("b", (64, 256)), buffer("y", (64, 384))),
        ops=(pointwise("cat", loops(i=64, j=384), reads, at("y", i=384, j=1), body),),
        outputs=("y",),
        divisions={"cat": split(i=(2, 32), j=(2, 192))},
    )
    step = work(steps.program(), spyre(4))["cat"]
    assert operand(step, "a").bytes.tolist() == [32 * 256, 32 * 256, 0, 0]
    assert operand(step, "b").bytes.tolist() == [32 * 128, 32 * 128, 32 * 384, 32 * 384]
    assert operand(step, "a").way is operand(step, "b").way is Way.OWN
    assert (step.read_ns > 0).all()


def test_where_no_mover_leads_out_of_a_core_the_vector_unit_passes_copies_on() -> None:
    device = load_device("sample")
    paths = tuple(path for path in device.machine.paths if path != DataPath("pad", "flush"))
    through = replace(device.machine, paths=(*paths, DataPath("drain", "flush")))
    nest, here = loops(i=64, j=128), {"i": 128, "j": 1}
    steps = Steps(
        buffers=(given("x", (64, 128)), buffer("a", (64, 128)), buffer("y", (64, 128))),
        ops=(
            pointwise("in", nest, (at("x", **here),), at("a", **here), (Load(0, F16),)),
            pointwise("out", nest, (at("a", **here),), at("y", **here), (Load(0, F16),)),
        ),
        outputs=("y",),
        divisions={"in": split(i=(4, 16)), "out": split(i=(4, 16))},
        lx={"a": 0},
    )
    step = work(steps.program(), replace(device, machine=through))["out"]
    assert step.unit == "alu"
    assert [(one.unit, one.read) for one in step.stages] == [("alu", True), ("drain", False), ("flush", False)]
