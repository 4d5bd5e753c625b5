"""The critical path by hand: who was waited for, back to the begin."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings

from simulator.timing.critical import critical_path
from simulator.timing.timeline import Cause, Timeline
from simulator.timing.work import Hop
from simulator.trace import CARD
from tests.simulator.timing.clock_cases import act, device_of, on_host, timed
from tests.simulator.timing.test_engine_properties import CORES, Kernels, programs

Link = tuple[int, int, int, int, Cause]


def path(found: Timeline) -> list[Link]:
    """(step, core, start, end, cause) of every link."""
    return [(one.step, one.core, one.start_ps, one.end_ps, Cause(one.cause)) for one in critical_path(found)]


def test_the_slowest_writer_then_its_reader() -> None:
    steps = [act("a", [0, 1], own=[10, 30], writes=("t",)), act("b", [0], read=5, reads=("t",))]
    assert path(timed(steps, cores=2)) == [(0, 1, 0, 30_000, Cause.COMPUTE), (1, 0, 30_000, 35_000, Cause.MEMORY)]


def test_a_core_that_goes_on_alone() -> None:
    """Two steps on core 1; core 0 ends long before."""
    steps = [act("a", [0, 1], own=[10, 30]), act("b", [0, 1], own=[5, 7])]
    assert path(timed(steps, cores=2)) == [(0, 1, 0, 30_000, Cause.COMPUTE), (1, 1, 30_000, 37_000, Cause.COMPUTE)]


def test_of_equals_the_lowest_core() -> None:
    assert path(timed([act("a", [2, 1, 3], own=10)])) == [(0, 1, 0, 10_000, Cause.COMPUTE)]


def test_a_partial_result_that_is_waited_for() -> None:
    """20 on core 0, 7 on the way, 3 of writing on core 1."""
    found = timed([act("a", [0, 1], own=[20, 5], write=[0, 3], hops=(Hop(0, 1, 7.0),))], cores=2)
    assert path(found) == [(0, 0, 0, 20_000, Cause.COMPUTE), (0, 1, 20_000, 30_000, Cause.PARTIAL)]


def test_a_partial_result_that_waits_for_its_taker() -> None:
    """Core 1 is through after 20; what comes then is part of its own step."""
    found = timed([act("a", [0, 1], own=[5, 20], hops=(Hop(0, 1, 7.0),))], cores=2)
    assert path(found) == [(0, 1, 0, 27_000, Cause.COMPUTE)]


def test_a_chain_of_partial_results() -> None:
    """10 on core 0, then 4 to each next one."""
    hops = tuple(Hop(core, core + 1, 4.0) for core in range(2))
    found = timed([act("a", range(3), own=[10, 1, 2], hops=hops)], cores=3)
    assert path(found) == [
        (0, 0, 0, 10_000, Cause.COMPUTE),
        (0, 1, 10_000, 14_000, Cause.PARTIAL),
        (0, 2, 14_000, 18_000, Cause.PARTIAL),
    ]


def test_of_several_partial_results_the_one_that_came_last() -> None:
    """From core 0 after 10 + 6, from core 1 after 20 + 3."""
    found = timed([act("a", range(3), own=[10, 20, 5], hops=(Hop(0, 2, 6.0), Hop(1, 2, 3.0)))], cores=3)
    assert path(found) == [(0, 1, 0, 20_000, Cause.COMPUTE), (0, 2, 20_000, 23_000, Cause.PARTIAL)]


def test_kernels_with_their_launch_between_them() -> None:
    kernels: Kernels = [[act("a", [0, 1], own=[10, 40])], [], [act("b", [0], own=5)]]
    found = timed(*kernels, cores=2, device=device_of(2, kernel_launch_ns=3.0))
    assert path(found) == [(0, 1, 3_000, 43_000, Cause.COMPUTE), (1, 0, 49_000, 54_000, Cause.COMPUTE)]


def test_a_step_of_the_host_is_on_the_card() -> None:
    found = timed([act("a", [0, 1], own=[10, 30]), on_host("h", 204_800)], cores=2)
    first, host = path(found)
    assert first == (0, 1, 0, 30_000, Cause.COMPUTE)
    assert host[:3] == (1, CARD, 30_000)


def test_nothing_has_no_path() -> None:
    assert path(timed([], cores=2)) == []
    assert path(timed([act("a", [0])], cores=1)) == []


@given(programs())
@settings(max_examples=100, deadline=None)
def test_links_follow_each_other_without_gaps(kernels: Kernels) -> None:
    found = timed(*kernels, cores=CORES)
    links = path(found)
    assert all(one[3] == other[2] for one, other in pairwise(links))
    assert all(one[2] < one[3] for one in links)
    if found.total_ns >= 0.001:
        assert (links[0][2], links[-1][3]) == (0, round(found.total_ns * 1000))
