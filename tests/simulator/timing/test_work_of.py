"""The work of pointwise steps, reductions and host calls, by numbers that can be worked out by hand."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from compiler.device import load_device
from compiler.division import Division
from compiler.dtypes import DType
from compiler.errors import InputError
from compiler.layout import stick_layout
from compiler.loops import Load, OpaqueCall
from compiler.machine import NO_MACHINE
from compiler.program import DeviceOp, Program, ProgramKernel
from simulator.timing.work import Way
from simulator.timing.work_of import work_of
from tests.programs import softmax
from tests.simulator.sketch import Sketch as Steps
from tests.simulator.sketch import at, buffer, given, loops, opaque, pointwise, reduction, split, unary
from tests.simulator.timing.work_cases import negated, operand, planned, spyre, work
from tests.sketch import Sketch

F16, F32 = DType.F16, DType.F32
ONE_WAY = 2_097_152 / 150
LX, RATE = 547.0, 204.8


@pytest.mark.parametrize("cores", [8, 32])
def test_a_step_reads_and_writes_each_byte_once_at_the_rate_of_the_memory(cores: int) -> None:
    step = negated(split(j=(cores, 256 // cores)), cores)
    for one in step.operands:
        assert one.way is Way.OWN
        assert one.bytes.tolist() == one.charged.tolist() == [2_097_152 // cores] * cores
        assert one.burst_bytes == 4096
    assert step.read_ns.sum() == pytest.approx(ONE_WAY) == pytest.approx(13_981.0, abs=0.1)
    assert step.write_ns.sum() == pytest.approx(ONE_WAY)
    assert (step.read_share == 1).all()
    assert (step.write_share == 1).all()
    assert (step.delivery_ns == 0).all()
    assert step.cores.tolist() == list(range(cores))


@pytest.mark.parametrize(
    ("division", "cores", "run", "request_ns"),
    [
        (split(i=(8, 1)), 8, 128, 7.5),
        (split(i=(4, 2), j=(2, 128)), 8, 256, 7.5),
        (split(i=(8, 1), j=(4, 64)), 32, 128, 3.75),
    ],
)
def test_short_runs_are_bound_by_requests(division: Division, cores: int, run: int, request_ns: float) -> None:
    step = negated(division, cores)
    assert operand(step, "x").burst_bytes == run
    assert step.read_ns.sum() == pytest.approx(2_097_152 / run * request_ns)
    assert step.read_share == pytest.approx(ONE_WAY / step.read_ns.sum())
    assert step.write_ns.sum() == pytest.approx(ONE_WAY)


def test_the_five_stages_of_a_step_and_its_floor() -> None:
    step = negated(split(j=(8, 32)), 8)
    size = 262_144
    found = [(one.unit, one.level, one.read, float(one.busy[0])) for one in step.stages]
    assert found == [
        ("dma_in", 0, True, size / RATE),
        ("lx_load", 1, True, size / LX),
        ("sfp", 1, True, size / LX),
        ("lx_store", 1, False, size / LX),
        ("dma_out", 0, False, size / RATE),
    ]
    assert all((one.bytes == size).all() for one in step.stages)
    assert step.unit == "sfp"
    assert step.floor_ns == pytest.approx([size / LX + 2 * 4096 / LX] * 8)
    assert step.tiles.tolist() == [8] * 8  # 262,144 B in parts of 32,768 B


def test_every_computing_instruction_walks_the_vector() -> None:
    sketch = Sketch("gelu")
    x = sketch.input("x", 8, 256, 512)
    sketch.output(sketch.apply("add", x, x))
    step = work(planned(sketch.program(), {"add": split(j=(8, 32))}, 8))["add"]
    assert [one.tensor for one in step.operands] == ["x", "add"], "x is fetched once, though it is read twice"
    assert step.read_ns.sum() == pytest.approx(ONE_WAY)


def test_the_softmax_ladder_without_a_scratchpad() -> None:
    rows, columns = 512, 1024
    sketch = Sketch("ladder")
    x = sketch.input("x", rows, columns)
    shifted = sketch.apply("sub", x, sketch.reduce("max", x, 0))
    raised = sketch.apply("exp", shifted)
    sketch.output(sketch.apply("truediv", raised, sketch.reduce("sum", raised, 0)))
    steps = work(planned(sketch.program(), {}, 1)).values()
    charged = [int(one.charged.sum()) for step in steps for one in step.operands]
    assert sum(charged) == 2 * (8 * rows * columns + 4 * columns)
    assert all(int(one.bytes.sum()) in (2 * rows * columns, 2 * columns) for step in steps for one in step.operands)


def test_an_operand_that_all_cores_need_is_loaded_once_for_the_card() -> None:
    sketch = Sketch("biased")
    x, b = sketch.input("x", 64, 1024), sketch.input("b", 1024)
    sketch.output(sketch.apply("add", x, b))
    step = work(planned(sketch.program(), {"add": split(i=(32, 2))}, 32))["add"]
    shared = operand(step, "b")
    assert shared.way is Way.SHARED
    assert shared.bytes.tolist() == [2048] * 32
    assert shared.charged.tolist() == [64] * 32
    loads = {one.unit: one.bytes.tolist() for one in step.stages}
    assert loads["dma_in"] == [2048 + 4096] * 32, "each core gets all of it"
    assert step.read_ns == pytest.approx([64 / 150 + 4096 / 256 * 3.75] * 32), "x in runs of two sticks"


def test_what_does_not_divide_is_charged_to_the_first_cores() -> None:
    steps = Steps(
        buffers=(given("x", (3, 64)), given("b", (64,)), buffer("y", (3, 64))),
        ops=(
            pointwise(
                "copy",
                loops(i=3, j=64),
                (at("x", i=64, j=1), at("b", j=1)),
                at("y", i=64, j=1),
                (Load(0, F16), Load(1, F16)),
            ),
        ),
        outputs=("y",),
        divisions={"copy": split(i=(3, 1))},
    )
    assert operand(work(steps.program())["copy"], "b").charged.tolist() == [43, 43, 42]


def test_reductions_out_of_lx_and_out_of_device_memory() -> None:
    program = softmax(512, 1024)
    divisions = {name: split(i=(32, 16)) for name in ("max", "sub", "exp", "sum", "truediv")}
    steps = work(planned(program, divisions, 32, lx={"sub": 0, "exp": 32768, "max": 65536, "sum": 67584}))
    elements = 16 * 1024
    middle = {name: next(one for one in steps[name].stages if one.unit == "sfp") for name in ("max", "sum")}
    assert middle["sum"].busy == pytest.approx([elements / 1.5] * 32)
    assert middle["max"].busy == pytest.approx([elements * 2 / (150 * 0.11)] * 32)
    assert operand(steps["sum"], "exp").way is Way.LX
    assert operand(steps["sum"], "exp").charged.sum() == 0
    assert operand(steps["sum"], "sum", write=True).bytes.tolist() == [16 * 128] * 32, "one element per stick"
    assert (steps["sum"].read_ns == 0).all()
    assert (steps["sum"].write_ns == 0).all()


def test_a_write_beyond_the_last_row_of_a_padded_dim_counts() -> None:
    steps = Steps(
        buffers=(given("x", (100, 64)), buffer("y", (100, 64))),
        ops=(unary("neg", "neg", loops(i=100, j=64), at("x", i=64, j=1), at("y", i=64, j=1), F16),),
        outputs=("y",),
        divisions={"neg": split(i=(4, 25))},
        layouts={"y": stick_layout((100, 64), (64, 1), 64, padding=((0, 128),))},
    )
    step = work(steps.program())["neg"]
    assert (operand(step, "y", write=True).bytes // 128).tolist() == [25, 25, 25, 25 + 28]
    assert (operand(step, "x").bytes // 128).tolist() == [25] * 4


def test_steps_without_reads_and_scalars() -> None:
    sketch = Sketch("fill")
    sketch.output(sketch.fill(64, 64))
    step = work(planned(sketch.program(), {"full": split(i=(4, 16))}, 4))["full"]
    assert [one.write for one in step.operands] == [True]
    assert (step.read_ns == 0).all()
    assert [one.unit for one in step.stages] == ["sfp", "lx_store", "dma_out"]
    nothing = Steps(
        buffers=(given("x", ()), buffer("y", ())),
        ops=(unary("neg", "neg", (), at("x"), at("y"), F16),),
        outputs=("y",),
    )
    assert operand(work(nothing.program())["neg"], "x").bytes.tolist() == [128]


def test_cores_without_work_take_no_part() -> None:
    nest = loops(i=4, j=64)
    steps = Steps(
        buffers=(given("x", (4, 64)), buffer("y", (4, 64))),
        ops=(unary("neg", "neg", nest, at("x", i=64, j=1), at("y", i=64, j=1), F16),),
        outputs=("y",),
        divisions={"neg": split(i=(8, 1))},
    )
    program = steps.program()
    assert len(program.kernels[0].ops[0].slices) == 8
    step = work(program)["neg"]
    assert step.cores.tolist() == [0, 1, 2, 3]
    assert all(len(one.bytes) == 4 for one in step.operands)
    empty = Steps(
        buffers=(given("x", (0, 64)), buffer("y", (0, 64))),
        ops=(unary("neg", "neg", loops(i=0, j=64), at("x", i=64, j=1), at("y", i=64, j=1), F16),),
        outputs=("y",),
    )
    assert work(empty.program())["neg"].cores.tolist() == []


def test_calls_on_the_host_occupy_no_core() -> None:
    steps = Steps(
        buffers=(given("x", (8, 64)), buffer("y", (8, 64))),
        ops=(opaque("erfinv", ("x",), ("y",), OpaqueCall("aten.erfinv.default", ('{"read": 0}',))),),
        outputs=("y",),
    )
    step = work(steps.program())["erfinv"]
    assert step.on_host
    assert step.cores.tolist() == []
    assert step.stages == ()
    assert [(one.tensor, one.write, one.way) for one in step.operands] == [
        ("x", False, Way.HOST),
        ("y", True, Way.HOST),
    ]


def test_another_machine_has_other_units_and_the_same_bytes() -> None:
    nest = loops(i=64, j=128)
    steps = Steps(
        buffers=(given("x", (64, 128)), buffer("a", (64, 128)), buffer("y", (64, 128))),
        ops=(
            unary("neg", "neg", nest, at("x", i=128, j=1), at("a", i=128, j=1), F16),
            pointwise("out", nest, (at("a", i=128, j=1),), at("y", i=128, j=1), (Load(0, F16),)),
        ),
        outputs=("y",),
        divisions={"neg": split(i=(4, 16)), "out": split(i=(4, 16))},
        lx={"a": 0},
    )
    found = work(steps.program(), load_device("sample"))
    assert found["neg"].unit == "alu"
    assert "dma_in" not in {one.unit for step in found.values() for one in step.stages}
    assert found["neg"].stages[0].unit == "fetch"
    assert found["neg"].tiles.tolist() == [1] * 4
    assert found["out"].unit == ""
    assert [(one.unit, one.read) for one in found["out"].stages] == [("flush", False)]
    assert operand(found["neg"], "x").bytes.tolist() == [16 * 256] * 4


def test_a_device_without_a_machine_is_refused() -> None:
    program = planned(softmax(64, 128), {}, 1)
    with pytest.raises(InputError, match="device spyre: it describes no memories, units and paths"):
        work_of(program, replace(load_device("spyre"), machine=NO_MACHINE))


def repeated(program: Program, times: int) -> Program:
    """The same steps again and again under other names."""
    tensors = [replace(one, name=f"{turn}.{one.name}") for turn in range(times) for one in program.tensors]
    steps: list[DeviceOp] = []
    for turn in range(times):
        for step in program.kernels[0].ops:
            op = step.op
            reads = tuple(replace(one, buffer=f"{turn}.{one.buffer}") for one in op.reads)
            writes = tuple(replace(one, buffer=f"{turn}.{one.buffer}") for one in op.writes)
            named = replace(op, name=f"{turn}.{op.name}", reads=reads, writes=writes)
            steps.append(replace(step, name=named.name, step=len(steps), op=named))
    return replace(program, tensors=tuple(tensors), kernels=(ProgramKernel("k0", tuple(steps)),))


def test_equal_steps_are_worked_out_once_and_named_apart() -> None:
    program = planned(softmax(512, 1024), {name: split(i=(32, 16)) for name in ("max", "sub", "exp", "sum")}, 32)
    started = time.process_time()
    found = work_of(repeated(program, 500), spyre())
    assert time.process_time() - started < 2.0
    first, last = found[1], found[-4]
    assert (first.name, last.name, last.step) == ("0.sub", "499.sub", 2496)
    assert [one.tensor for one in last.operands] == ["499.x", "499.max", "499.sub"]
    assert last.read_ns is first.read_ns


def test_requests_between_the_measured_counts_of_cores() -> None:
    assert negated(split(i=(4, 2), j=(3, 86)), 12).read_ns.sum() == pytest.approx(2_097_152 / 256 * 7.5, rel=0.01)


def test_a_reduction_over_float32_counts_its_bytes() -> None:
    steps = Steps(
        buffers=(given("x", (32, 64), F32), buffer("y", (32,), F32)),
        ops=(reduction("sum", "sum", loops("j", i=32, j=64), at("x", i=64, j=1), at("y", i=1), F32),),
        outputs=("y",),
        layouts={"y": stick_layout((32,), (1,), 32, (0, -1))},
    )
    step = work(steps.program(), spyre(1))["sum"]
    assert next(one for one in step.stages if one.unit == "sfp").busy == pytest.approx([32 * 64 * 4 / (150 * 0.11)])
    assert operand(step, "y", write=True).bytes.tolist() == [32 * 128]
    assert np.isfinite(step.floor_ns).all()
