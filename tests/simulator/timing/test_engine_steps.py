"""One step on the clock: every time computed by hand."""

import numpy as np
import pytest

from simulator.timing.timeline import Cause, Timeline
from tests.simulator.timing.clock_cases import RATE, SPYRE, TURN, act, device_of, timed


def ends(timeline: Timeline, step: int = 0) -> list[float]:
    """When a step ends on each core."""
    return [float(end) for end in timeline.end[step]]


def bounds(timeline: Timeline, step: int = 0) -> list[Cause]:
    """What a step was bound by on each core."""
    return [Cause(bound) for bound in timeline.bound[step].tolist()]


def test_one_tile_is_read_computed_and_written_one_after_the_other() -> None:
    found = timed([act("a", [0], read=100, own=50, write=30)], cores=1)
    marks = (found.start, found.filled, found.read_end, found.write_end, found.steady, found.computed, found.end)
    assert [float(mark[0, 0]) for mark in marks] == [0, 100, 100, 100, 100, 150, 180]
    assert found.total_ns == 180
    assert found.alone_ns[0, 0] == 180
    assert bounds(found) == [Cause.MEMORY]


def test_ten_tiles_bound_by_memory() -> None:
    """100 in; 900 in beside 800 out; 100 out twice: 2,000 and the turnaround of the 800 that overlap."""
    found = timed([act("a", [0], read=1000, write=1000, own=10, tiles=10)], cores=1)
    assert found.total_ns == pytest.approx(2000 + TURN * 800)
    assert found.write_end[0, 0] == pytest.approx(100 + 800 * (2 + TURN))
    assert found.read_end[0, 0] == found.steady[0, 0] == pytest.approx(100 + 1700 + 800 * TURN)
    assert found.alone_ns[0, 0] == pytest.approx(found.total_ns)
    assert bounds(found) == [Cause.MEMORY]


@pytest.mark.parametrize("cores", [1, 32])
def test_many_tiles_come_to_the_bytes_at_the_one_way_rate_and_the_turnaround(cores: int) -> None:
    """2 MB in and 1 MB out, all cores together; what fills and drains is a hundred-thousandth of it."""
    into, out = 2**21, 2**20
    step = act("a", range(cores), read=into / RATE / cores, write=out / RATE / cores, tiles=100_000)
    found = timed([step], cores=cores)
    turnaround = SPYRE.number("hbm_turnaround_ns_per_byte") * out
    assert found.total_ns == pytest.approx((into + out) / RATE + turnaround, rel=3e-5)


def test_ten_tiles_bound_by_the_units() -> None:
    """10 to fill, 900 and 100 to compute, 5 to drain; transfers are long through."""
    found = timed([act("a", [0], read=100, own=1000, write=50, tiles=10)], cores=1)
    assert found.total_ns == pytest.approx(1015)
    assert found.write_end[0, 0] == pytest.approx(10 + 40 * (2 + TURN))
    assert found.read_end[0, 0] == pytest.approx(10 + 90 + 40 + 40 * TURN)
    assert bounds(found) == [Cause.COMPUTE]
    assert found.alone_ns[0, 0] == pytest.approx(1015)


def test_two_tiles_write_nothing_while_the_second_is_read() -> None:
    """50 in; 50 in beside 20 of computing; 20 of computing beside 30 out; 30 out."""
    found = timed([act("a", [0], read=100, own=40, write=60, tiles=2)], cores=1)
    assert [float(mark[0, 0]) for mark in (found.filled, found.steady, found.computed)] == [50, 100, 130]
    assert found.total_ns == 160


def test_one_buffer_overlaps_nothing() -> None:
    step = act("a", [0], read=300, own=100, write=300, tiles=3)
    assert timed([step], cores=1, device=device_of(1, transfer_buffers=1)).total_ns == 700
    assert timed([step], cores=1).total_ns < 700


def test_unequal_cores_share_the_memory_until_one_is_through() -> None:
    """Half each until 200; then what core 0 writes shares with what core 1 reads, turnaround included."""
    found = timed([act("a", [0, 1], read=[100, 300], write=[50, 0])], cores=2)
    assert found.filled[0, 0] == 200
    written = 200 + 50 * (2 + TURN)
    assert ends(found) == pytest.approx([written, written + 150])
    assert found.alone_ns[0].tolist() == [150, 300]
    assert bounds(found) == [Cause.MEMORY, Cause.MEMORY]


def test_three_loads_end_one_after_the_other() -> None:
    """A third each until 300; half each until 500; all of it until 600."""
    found = timed([act("a", [0, 1, 2], read=[100, 200, 300])], cores=3)
    assert ends(found) == pytest.approx([300, 500, 600])


def test_what_is_handed_out_slowly_leaves_its_share_to_others() -> None:
    """A quarter for core 0, which cannot take more; core 1 reads 100 at three quarters."""
    found = timed([act("a", [0, 1], read=100, delivery=[400, 0])], cores=2)
    assert ends(found) == pytest.approx([400, 400 / 3])
    assert bounds(found) == [Cause.DELIVERY, Cause.MEMORY]
    assert found.alone_ns[0].tolist() == [400, 100]


def test_a_delivery_that_is_faster_than_the_share_changes_nothing() -> None:
    found = timed([act("a", [0, 1], read=100, delivery=[150, 0])], cores=2)
    assert ends(found) == pytest.approx([200, 200])
    assert bounds(found) == [Cause.MEMORY, Cause.MEMORY]


def test_a_shared_load_comes_no_faster_than_a_core_can_take_it() -> None:
    """Of 100 that two cores share, 50 is charged to each; the second comes when the first is through, and its own unit
    takes 80 for all of it.  What it leaves of the memory is for others."""
    first, second = act("a", [1], own=300), act("b", [0, 1], read=50, load=80, store=30, tiles=1)
    found = timed([first, second], cores=2)
    assert (found.end - found.start)[1].tolist() == pytest.approx([80, 80])
    assert [int(each) for each in found.bound[1]] == [Cause.COMPUTE] * 2
    assert found.alone_ns[1].tolist() == [80, 80]


def test_a_store_goes_out_no_faster_than_a_core_can_give_it() -> None:
    """Ten tiles of 5: nine go out beside computing, and the last after it at the pace of the core's own unit."""
    found = timed([act("a", [0], own=10, write=50, store=100, tiles=10)], cores=1)
    assert found.total_ns == pytest.approx(8 * 10 + 10 + 10)
    assert bounds(found) == [Cause.MEMORY]
    alone = timed([act("a", [0], write=50, store=100)], cores=1)
    assert alone.total_ns == pytest.approx(100)
    assert bounds(alone) == [Cause.COMPUTE]


def test_a_unit_that_keeps_pace_with_the_memory_is_not_in_the_way() -> None:
    found = timed([act("a", [0], read=100, load=100, write=50, store=50)], cores=1)
    assert (found.total_ns, bounds(found)) == (150, [Cause.MEMORY])


def test_a_delivery_beside_the_memory_leaves_all_of_it_to_others() -> None:
    """Core 0 takes 400 in four tiles beside the memory; core 1 reads 100 as if it were alone."""
    found = timed([act("a", [0, 1], read=[0, 100], delivery=[400, 0], own=[40, 0], tiles=[4, 1])], cores=2)
    assert found.filled[0, 0] == 100
    assert found.read_end[0, 0] == found.steady[0, 0] == 400
    assert ends(found) == [410, 100]
    assert bounds(found) == [Cause.DELIVERY, Cause.MEMORY]
    assert found.alone_ns[0].tolist() == [410, 100]


def test_a_slow_delivery_leaves_more_to_the_core_s_own_writes() -> None:
    """A read of 200 in 2,000 goes at a tenth; beside it a write takes what that leaves, less the turnaround of the
    tenth: 50 / (1 - 0.1 (1 + t)), or the rest of the second sum if that is more."""
    found = timed([act("a", [0], read=300, delivery=3000, write=150, tiles=3)], cores=1)
    pace = max(1 - 0.1 * (1 + TURN), 0.9 / (1 + TURN))
    assert found.write_end[0, 0] == pytest.approx(1000 + 50 / pace)
    assert found.total_ns == pytest.approx(3000 + 50 + 50)
    assert found.alone_ns[0, 0] == pytest.approx(found.total_ns)


def test_a_long_write_beside_a_slow_delivery() -> None:
    """A read of 200 in 1,000 goes at a fifth; the write of 2,000 takes what that leaves, then all of the memory."""
    found = timed([act("a", [0], read=300, delivery=1500, write=6000, tiles=3)], cores=1)
    pace = max(1 - 0.2 * (1 + TURN), 0.8 / (1 + TURN))
    assert found.read_end[0, 0] == pytest.approx(500 + 1000)
    assert found.total_ns == pytest.approx(500 + 1000 + (2000 - 1000 * pace) + 2000 + 2000)
    assert found.alone_ns[0, 0] == pytest.approx(found.total_ns)


def test_requests_take_service_but_turn_no_bus() -> None:
    """Half of the read's service is bytes: 100 in; 200 in beside 100 out; 100 and 100 out."""
    found = timed([act("a", [0], read=300, write=300, tiles=3, read_share=0.5)], cores=1)
    assert found.total_ns == pytest.approx(600 + 100 * TURN / 2)
    assert found.alone_ns[0, 0] == pytest.approx(found.total_ns)


def test_cores_that_take_no_part_have_no_times() -> None:
    found = timed([act("a", [1, 3], own=10)], cores=4)
    assert ends(found) == [-1, 10, -1, 10]
    for column in (found.ready, found.start, found.filled, found.steady, found.computed, found.read_end):
        assert column[0].tolist()[::2] == [-1, -1]
    assert found.alone_ns[0].tolist() == [-1, 10, -1, 10]
    assert found.wait[0].tolist() == [-1, 0, -1, 0]
    assert bounds(found) == [Cause.NOTHING, Cause.COMPUTE, Cause.NOTHING, Cause.COMPUTE]


def test_a_step_without_demands_takes_no_time() -> None:
    found = timed([act("a", [0], tiles=3), act("b", [0], own=5)], cores=1)
    assert ends(found) == [0]
    assert bounds(found) == [Cause.NOTHING]
    assert found.total_ns == 5


def test_a_program_without_steps_takes_no_time() -> None:
    found = timed([], cores=2)
    assert found.total_ns == 0
    assert found.end.shape == (0, 2)
    assert np.array_equal(found.kernel_end, [0])
