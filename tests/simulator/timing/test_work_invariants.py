"""What holds for the work of every program: bytes add up to tensors, nothing is negative, arrays are aligned."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np
import pytest

from compiler.device import Device, load_device
from compiler.layout import StickLayout
from compiler.loops import Index, Loop, OpKind
from compiler.pipelines import PIPELINES
from compiler.program import DeviceOp, DeviceTensor, Memory, Program
from resources.examples import NAMES
from simulator.timing.reach import stick_strides
from simulator.timing.work import OpWork, Way
from simulator.timing.work_of import work_of
from tests.end_to_end.harness import compiled as example
from tests.simulator.test_compiled_moves import compiled as moved
from tests.simulator.test_compiled_programs import compiled

JOINT = PIPELINES["co-optimized"].replace("solver=cp-sat", "solver=greedy")


@cache
def touched(index: Index, loops: tuple[Loop, ...], layout: StickLayout) -> int:
    """Sticks that are touched through an access, all cores together; loops that move nothing are left out."""
    moving = [loop for loop in loops if loop.name in index.loop_names]
    grid = dict(zip((one.name for one in moving), np.ix_(*(np.arange(one.extent) for one in moving)), strict=True))
    coordinates = layout.coordinates(np.asarray(index.evaluate(grid)).ravel())
    marks = np.zeros(layout.sticks, dtype=bool)
    marks[(coordinates * stick_strides(layout)[:, None]).sum(axis=0)] = True
    return int(marks.sum())


def check(program: Program, device: Device) -> None:
    tensors, work = program.tensor_map, work_of(program, device)
    steps = [step for kernel in program.kernels for step in kernel.ops]
    for step, one in zip(steps, work, strict=True):
        assert (one.name, one.step, one.on_host) == (step.name, step.step, step.op.kind is OpKind.OPAQUE)
        aligned(one)
        if not one.on_host:
            charged(one, step, tensors)


def aligned(one: OpWork) -> None:
    shape = one.cores.shape
    assert (np.diff(one.cores) > 0).all()
    for times in (one.read_ns, one.write_ns, one.floor_ns, one.delivery_ns, one.ring_ns):
        assert times.shape == shape
        assert np.isfinite(times).all()
        assert (times >= 0).all()
    for share in (one.read_share, one.write_share):
        assert share.shape == shape
        assert ((share >= 0) & (share <= 1 + 1e-12)).all()
    for each in one.operands:
        assert each.bytes.shape == each.charged.shape == ((1,) if one.on_host else shape)
        assert (each.charged <= each.bytes).all()
        assert (each.bytes % 128 == 0).all()
        assert (each.charged >= 0).all()
    for stage in one.stages:
        assert stage.busy.shape == stage.bytes.shape == shape
        assert (stage.busy >= 0).all()
    assert one.tiles.shape == shape
    assert (one.tiles >= 1).all()
    taking = set(one.cores.tolist())
    assert all(hop.ns > 0 and hop.bytes > 0 and {hop.source, hop.target} <= taking for hop in one.hops)


def charged(one: OpWork, step: DeviceOp, tensors: Mapping[str, DeviceTensor]) -> None:
    """Loads of the card add up to what is touched at least, writes to exactly that."""
    reads = list(dict.fromkeys(step.op.reads))
    masked = any(step.op.masked(read) for read in range(len(step.op.reads)))
    for each in one.operands:
        tensor = tensors[each.tensor]
        if tensor.memory is Memory.LX:
            assert each.way in (Way.LX, Way.RING)
            assert not each.charged.any()
            continue
        accesses = [step.op.write] if each.write else [read for read in reads if read.buffer == each.tensor]
        if masked or any(access.index.gathers for access in accesses) or len(accesses) > 1:
            continue
        least, total = touched(accesses[0].index, step.op.loops, tensor.layout) * 128, int(each.charged.sum())
        if each.write and not tensor.layout.padding:
            assert total == least, (one.name, each.tensor)
        assert least <= total if one.cores.size else total == 0, (one.name, each.tensor)
        if each.way is Way.SHARED and len(np.unique(each.bytes)) == 1:
            assert total < int(each.bytes.sum())


@pytest.mark.parametrize("cores", [1, 3, 4, 32])
@pytest.mark.parametrize("name", NAMES)
def test_examples(name: str, cores: int) -> None:
    check(example(name, cores).program, load_device("spyre").with_cores(cores))


@pytest.mark.parametrize("pipeline", ["searched", JOINT], ids=["searched", "joint"])
@pytest.mark.parametrize("name", ["softmax", "mismatch"])
def test_examples_planned_otherwise(name: str, pipeline: str) -> None:
    check(example(name, 32, pipeline=pipeline).program, load_device("spyre"))


def test_random_programs() -> None:
    for seed in range(40):
        program = compiled(seed)[1]
        if program:
            check(program, load_device("sample") if seed % 2 else load_device("spyre").with_cores(8))


def test_random_programs_with_moves() -> None:
    seen = set()
    for seed in range(40):
        made = moved(seed)
        if made:
            check(made.program, made.problem.device)
            seen |= {each.way for one in work_of(made.program, made.problem.device) for each in one.operands}
    assert seen >= {Way.OWN, Way.SHARED, Way.LX, Way.RING, Way.HOST}


def test_two_runs_are_equal() -> None:
    program, device = example("attention", 32).program, load_device("spyre")
    one, other = work_of(program, device), work_of(program, device)
    for first, second in zip(one, other, strict=True):
        assert first.read_ns.tobytes() == second.read_ns.tobytes()
        assert [each.charged.tobytes() for each in first.operands] == [
            each.charged.tobytes() for each in second.operands
        ]
