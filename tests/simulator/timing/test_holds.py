"""What LX holds on every core, from programs and timelines by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from compiler.dtypes import DType
from compiler.layout import stick_layout
from compiler.loops import BufferKind, LoopOp, OpKind, Origin
from compiler.program import CoreBox, DeviceOp, DeviceTensor, Memory, Program, ProgramKernel
from simulator.timing.holds import holds_of, lx_use
from simulator.timing.timeline import Timeline
from simulator.trace import Holds, LxUse
from tests.simulator.sketch import at
from tests.simulator.timing.clock_cases import act
from tests.simulator.timing.trace_cases import Ran, timeline

LAYOUT = stick_layout((4, 64), (64, 1), 64)
Step = tuple[tuple[str, ...], str]
"""What a step reads and writes."""
Row = tuple[int, str, int, int, int, int]


def kept(name: str, address: int, cores: int = 1, sticks: int = 2) -> DeviceTensor:
    """A tensor of which each core holds `sticks` sticks of 64 fp16 in LX."""
    boxes = tuple(CoreBox(core, (0, 0, 0), (1, sticks, 64)) for core in range(cores))
    shape, strides = (4, 64), (64, 1)
    return DeviceTensor(name, DType.F16, BufferKind.COMPUTED, shape, strides, LAYOUT, Memory.LX, address, boxes)


def program(tensors: Sequence[DeviceTensor], steps: Sequence[Step], ring: Sequence[int] = ()) -> Program:
    """Steps over tensors; those in `ring` go over the ring."""
    ops = []
    for number, (reads, write) in enumerate(steps):
        op = LoopOp(f"s{number}", OpKind.POINTWISE, "", (), tuple(map(at, reads)), (at(write),), (), (), Origin())
        ops.append(DeviceOp(op.name, number, op, (), ring=number in ring))
    outside = [
        replace(kept(name, 0), memory=Memory.HBM, boxes=())
        for name in ("x", "y")
        if name not in {t.name for t in tensors}
    ]
    return Program("hand-made", "spyre", 2, (*tensors, *outside), (ProgramKernel("k", tuple(ops)),), (), 0, 0)


def clock(*steps: tuple[float, float], cores: int = 1) -> Timeline:
    """Steps with the same begin and end on all cores."""
    ran = {(step, core): Ran(start=low, end=high) for step, (low, high) in enumerate(steps) for core in range(cores)}
    return timeline([act(f"s{step}", range(cores)).work for step in range(len(steps))], cores, ran)


def rows(made: Program, found: Holds) -> list[Row]:
    """(core, tensor, address, bytes, start, end) of every hold."""
    columns = (found.core, found.tensor, found.address, found.bytes, found.start_ps, found.end_ps)
    listed = zip(*(column.tolist() for column in columns), strict=True)
    return [(core, made.tensors[tensor].name, *rest) for core, tensor, *rest in listed]


def test_from_the_first_write_to_the_last_read() -> None:
    made = program([kept("a", 256)], [(("x",), "a"), (("a",), "y"), (("x",), "y"), (("a",), "y")])
    found = holds_of(made, clock((1, 2), (2, 4), (4, 7), (7, 9)))
    assert rows(made, found) == [(0, "a", 256, 256, 1_000, 9_000)]


def test_what_nobody_reads_is_held_while_it_is_written() -> None:
    made = program([kept("a", 0)], [(("x",), "a"), (("x",), "y")])
    assert rows(made, holds_of(made, clock((0, 5), (5, 9)))) == [(0, "a", 0, 256, 0, 5_000)]


def test_every_core_at_its_own_time() -> None:
    made = program([kept("a", 0, cores=2)], [(("x",), "a"), (("a",), "y")])
    works = [act(name, [0, 1]).work for name in "pq"]
    times = {(0, 0): (0, 5), (0, 1): (1, 8), (1, 0): (5, 9), (1, 1): (8, 20)}
    found = timeline(works, 2, {place: Ran(start=low, end=high) for place, (low, high) in times.items()})
    assert rows(made, holds_of(made, found)) == [(0, "a", 0, 256, 0, 9_000), (1, "a", 0, 256, 1_000, 20_000)]


def test_what_others_fetch_over_the_ring_is_held_until_all_have_it() -> None:
    """Core 1 takes the whole of it until 20; core 0 is through at 9."""
    made = program([kept("a", 0, cores=2), kept("b", 512, cores=2)], [(("x",), "a"), (("a",), "b")], ring=[1])
    works = [act(name, [0, 1]).work for name in "pq"]
    times = {(0, 0): (0, 5), (0, 1): (0, 5), (1, 0): (5, 9), (1, 1): (5, 20)}
    found = timeline(works, 2, {place: Ran(start=low, end=high) for place, (low, high) in times.items()})
    assert rows(made, holds_of(made, found)) == [
        (0, "a", 0, 256, 0, 20_000),
        (0, "b", 512, 256, 5_000, 9_000),
        (1, "a", 0, 256, 0, 20_000),
        (1, "b", 512, 256, 5_000, 20_000),
    ]


@pytest.mark.parametrize(("address", "sticks"), [(0, 2), (128, 2), (0, 1), (128, 1)])
def test_an_in_place_step_takes_the_place_over_when_it_begins(address: int, sticks: int) -> None:
    made = program([kept("a", 0), kept("b", address, sticks=sticks)], [(("x",), "a"), (("a",), "b"), (("b",), "y")])
    found = holds_of(made, clock((0, 3), (3, 6), (6, 8)))
    assert rows(made, found) == [(0, "a", 0, 256, 0, 3_000), (0, "b", address, 128 * sticks, 3_000, 8_000)]


def test_neighbours_leave_each_other_alone() -> None:
    made = program([kept("a", 0), kept("b", 256)], [(("x",), "a"), (("a",), "b"), (("b",), "y")])
    found = holds_of(made, clock((0, 3), (3, 6), (6, 8)))
    assert rows(made, found) == [(0, "a", 0, 256, 0, 6_000), (0, "b", 256, 256, 3_000, 8_000)]


def test_what_is_held_for_no_time_is_left_out() -> None:
    """The first step takes no time, and the second takes the place over."""
    made = program([kept("a", 0), kept("b", 0)], [(("x",), "a"), (("a",), "b")])
    assert rows(made, holds_of(made, clock((0, 0), (0, 4)))) == [(0, "b", 0, 256, 0, 4_000)]


def test_device_memory_and_what_is_never_written_take_no_place() -> None:
    made = program([kept("a", 0)], [(("x",), "y")])
    found = holds_of(made, clock((0, 1)))
    assert len(found.core) == 0
    assert lx_use(found, 2, 1_000) == (LxUse(0, 0, 0.0, 0.0), LxUse(1, 0, 0.0, 0.0))


def test_peak_mean_and_fragmentation() -> None:
    """256 B at 0 until 4; 256 B at 512 from 2 to 10: 512 of 768 B at first, then 256 of 768.  In 20 ns."""
    made = program([kept("a", 0), kept("b", 512)], [(("x",), "a"), (("a",), "b"), (("b",), "y")])
    found = holds_of(made, clock((0, 2), (2, 4), (4, 10)))
    busy, idle = lx_use(found, 2, 20_000)
    assert (busy.peak_bytes, idle.peak_bytes) == (512, 0)
    assert busy.mean_bytes == pytest.approx((256 * 4 + 256 * 8) / 20)
    assert busy.fragmentation == pytest.approx(1 - 256 / 768)
    assert (idle.mean_bytes, idle.fragmentation) == (0, 0)


def test_a_place_that_is_left_and_taken_at_the_same_time_is_counted_once() -> None:
    made = program([kept("a", 0), kept("b", 0)], [(("x",), "a"), (("a",), "b"), (("b",), "y")])
    (use, _) = lx_use(holds_of(made, clock((0, 2), (2, 4), (4, 10))), 2, 10_000)
    assert (use.peak_bytes, use.mean_bytes, use.fragmentation) == (256, 256, 0)


def test_a_run_without_time_has_no_mean() -> None:
    empty = np.zeros(0, dtype=np.int64)
    holds = Holds(empty.astype(np.int16), empty.astype(np.int32), empty, empty, empty, empty)
    assert lx_use(holds, 1, 0) == (LxUse(0, 0, 0.0, 0.0),)
