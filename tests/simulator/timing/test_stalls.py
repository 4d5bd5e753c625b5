"""Waits read off timelines: who waited, for how long, for what and for whom."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from simulator.timing.stalls import stalls_of
from simulator.timing.timeline import Cause, Timeline
from simulator.timing.work import Hop
from tests.simulator.timing.clock_cases import act, device_of, on_host, timed
from tests.simulator.timing.trace_cases import Ran, timeline

Row = tuple[int, int, int, int, Cause, int, int]


def waits(found: Timeline, kernels: Sequence[tuple[int, int]] = ()) -> list[Row]:
    """(core, step, start, end, cause, by step, by core) of every wait."""
    stalls = stalls_of(found, tuple(kernels) or ((0, len(found.work)),))
    columns = (stalls.core, stalls.step, stalls.start_ps, stalls.end_ps)
    whole = zip(*(column.tolist() for column in columns), stalls.by_step.tolist(), stalls.by_core.tolist(), strict=True)
    causes = [Cause(cause) for cause in stalls.cause.tolist()]
    return [(*row[:4], cause, *row[4:]) for row, cause in zip(whole, causes, strict=True)]


def test_a_reader_waits_for_the_slowest_writer() -> None:
    """Core 0 has written after 10, core 1 after 30; then both read."""
    steps = [act("a", [0, 1], own=[10, 30], writes=("t",)), act("b", [0, 1], own=5, reads=("t",))]
    assert waits(timed(steps, cores=2)) == [(0, 1, 10_000, 30_000, Cause.PRODUCER, 0, 1)]


def test_a_core_waits_for_a_partial_result() -> None:
    """Core 0 is through after 20 and sends for 7; core 1 has been through since 5."""
    found = timed([act("a", [0, 1], own=[20, 5], write=[0, 3], hops=(Hop(0, 1, 7.0),))], cores=2)
    assert waits(found) == [(1, 0, 5_000, 27_000, Cause.PARTIAL, 0, 0)]


def test_what_sharing_the_memory_adds_is_shown_at_the_end_of_a_step() -> None:
    """Each would read for 100 alone."""
    found = timed([act("a", [0, 1], read=100)], cores=2)
    assert waits(found) == [(core, 0, 100_000, 200_000, Cause.MEMORY, -1, -1) for core in range(2)]


def test_a_step_bound_by_its_own_units_waits_for_nobody() -> None:
    assert waits(timed([act("a", [0, 1], read=10, own=100)], cores=2)) == []


def test_sharing_after_a_wait_begins_when_the_wait_is_over() -> None:
    """Alone it would have taken 12, and 30 with the partial result; the rest went to others who use the memory."""
    work = act("a", [0, 1], hops=(Hop(0, 1, 5.0),)).work
    taker = Ran(start=0, computed=10, wait=20, end=50, alone=12, bound=Cause.MEMORY)
    sender = Ran(start=0, computed=25, end=30, alone=30, bound=Cause.COMPUTE)
    assert waits(timeline([work], 2, {(0, 0): sender, (0, 1): taker})) == [
        (1, 0, 10_000, 30_000, Cause.PARTIAL, 0, 0),
        (1, 0, 30_000, 50_000, Cause.MEMORY, -1, -1),
    ]


def test_cores_wait_for_the_end_of_a_kernel_and_its_launch() -> None:
    """Core 0 ends after 10, core 1 after 40; the next kernel is launched 3 later."""
    kernels = ([act("a", [0, 1], own=[10, 40])], [act("b", [0, 1], own=5)])
    found = timed(*kernels, cores=2, device=device_of(2, kernel_launch_ns=3.0))
    assert waits(found, ((0, 1), (1, 2))) == [
        (0, 1, 13_000, 46_000, Cause.LAUNCH, 0, 1),
        (1, 1, 43_000, 46_000, Cause.LAUNCH, 0, 1),
    ]


def test_who_has_nothing_to_do_later_is_not_kept_waiting() -> None:
    """Core 0 is done for good; core 2 is idle in between, and waits for the begin of the kernel after its own only."""
    kernels = ([act("a", [0, 1, 2], own=[10, 40, 20])], [act("b", [1], own=5)], [act("c", [1, 2], own=5)])
    assert waits(timed(*kernels, cores=3), ((0, 1), (1, 2), (2, 3))) == [(2, 2, 20_000, 40_000, Cause.LAUNCH, 0, 1)]


def test_everybody_waits_until_the_host_can_begin() -> None:
    found = timed([act("a", [0, 1], own=[10, 30]), on_host("h", 0)], cores=2)
    assert waits(found) == [(0, 1, 10_000, 30_000, Cause.PARTNER, 0, 1)]


@pytest.mark.parametrize("kernels", [(), ((0, 0),)])
def test_nothing_has_no_waits(kernels: Sequence[tuple[int, int]]) -> None:
    assert waits(timeline([], 2, {}), kernels) == []
