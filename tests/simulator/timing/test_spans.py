"""Spans read off timelines by hand: where every tile lies, and what it moves."""

from __future__ import annotations

import numpy as np

from simulator.timing.spans import HOST_LANE, picoseconds, spans_of
from simulator.timing.timeline import Timeline
from simulator.timing.work import Hop, OpWork
from simulator.trace import CARD, Spans
from tests.simulator.timing.clock_cases import act, on_host
from tests.simulator.timing.trace_cases import UNITS, Ran, stage, staged, tiles_of, timeline

IN, LOAD, UNIT, STORE, OUT, RING, HOST = range(len(UNITS))


def spans(found: Timeline, buffers: int = 2) -> Spans:
    return spans_of(found, UNITS, "ring", buffers)


def once(work: OpWork, ran: Ran) -> Spans:
    """One step on one core."""
    return spans(timeline([work], 1, {(0, 0): ran}))


def piped(tiles: int = 4, size: int = 1003, hops: tuple[Hop, ...] = (), cores: int = 1) -> OpWork:
    """All stages; in and out 1003 B, the unit busy for 32 ns and the store for 4."""
    step = act("a", range(cores), tiles=tiles, hops=hops)
    sizes = [size] * cores
    return staged(
        step,
        stage("in", sizes, 40),
        stage("load", sizes, 8, level=1),
        stage("unit", sizes, 32, level=2),
        stage("store", sizes, 4, level=1, read=False),
        stage("out", sizes, 20, read=False),
    )


FOUR = Ran(start=0, filled=10, read_end=40, write_end=30, steady=50, computed=60, end=65)


def test_one_tile_goes_through_all_stages() -> None:
    found = once(piped(tiles=1), Ran(start=5, filled=100, computed=140, end=180))
    assert tiles_of(found, IN) == [(0, 5_000, 100_000, 1003)]
    assert tiles_of(found, LOAD) == [(0, 100_000, 108_000, 1003)]
    assert tiles_of(found, UNIT) == [(0, 100_000, 132_000, 1003)]
    assert tiles_of(found, STORE) == [(0, 136_000, 140_000, 1003)]
    assert tiles_of(found, OUT) == [(0, 140_000, 180_000, 1003)]


def test_four_tiles_are_read_one_after_the_other() -> None:
    found = tiles_of(once(piped(), FOUR), IN)
    assert found == [
        (0, 0, 10_000, 251),
        (1, 10_000, 20_000, 251),
        (2, 20_000, 30_000, 251),
        (3, 30_000, 40_000, 250),
    ]


def test_the_last_tiles_are_written_when_the_last_is_computed_and_after() -> None:
    found = tiles_of(once(piped(), FOUR), OUT)
    assert found == [
        (0, 10_000, 20_000, 251),
        (1, 20_000, 30_000, 251),
        (2, 50_000, 60_000, 251),
        (3, 60_000, 65_000, 250),
    ]


def test_units_work_once_per_tile_and_stores_end_with_it() -> None:
    """8 ns per tile of the unit, in windows of 13 1/3 ns, then in one of 10; 1 ns per tile of the store."""
    found = once(piped(), FOUR)
    assert [tile[1:3] for tile in tiles_of(found, UNIT)] == [
        (10_000, 18_000),
        (23_333, 31_333),
        (36_667, 44_667),
        (50_000, 58_000),
    ]
    assert [tile[1:3] for tile in tiles_of(found, STORE)] == [
        (22_333, 23_333),
        (35_666, 36_666),
        (49_000, 50_000),
        (59_000, 60_000),
    ]
    assert [tile[3] for tile in tiles_of(found, STORE)] == [251, 251, 251, 250]


def test_two_tiles_leave_nothing_to_write_before_the_second_is_there() -> None:
    found = once(piped(tiles=2), Ran(start=0, filled=20, read_end=40, steady=50, computed=60, end=70))
    assert tiles_of(found, OUT) == [(0, 50_000, 60_000, 502), (1, 60_000, 70_000, 501)]


def test_who_gets_a_partial_result_writes_all_of_it_afterwards() -> None:
    """Core 0 passes on and ends; core 1 is through at 60 and waits for 15, then writes four tiles in 20."""
    work = piped(hops=(Hop(0, 1, 5.0, 256),), cores=2)
    sender = Ran(start=0, filled=10, read_end=40, steady=50, computed=70, end=75)
    taker = Ran(start=0, filled=10, read_end=40, steady=50, computed=60, wait=15, end=95)
    found = spans(timeline([work], 2, {(0, 0): sender, (0, 1): taker}))
    assert tiles_of(found, OUT, 1) == [
        (0, 75_000, 80_000, 251),
        (1, 80_000, 85_000, 251),
        (2, 85_000, 90_000, 251),
        (3, 90_000, 95_000, 250),
    ]
    assert tiles_of(found, RING, 1) == [(0, 70_000, 75_000, 256)]
    assert tiles_of(found, RING, 0) == []


def test_of_partial_results_that_come_together_the_longest_is_shown() -> None:
    work = act("a", range(3), hops=(Hop(0, 2, 6.0, 128), Hop(1, 2, 3.0, 256))).work
    ran = {(0, core): Ran(start=0, computed=20, wait=6 if core == 2 else 0) for core in range(3)}
    assert tiles_of(spans(timeline([work], 3, ran)), RING, 2) == [(0, 20_000, 26_000, 384)]


def test_one_buffer_moves_everything_at_once() -> None:
    found = spans(timeline([piped()], 1, {(0, 0): Ran(start=0, filled=40, computed=80, end=100)}), buffers=1)
    assert tiles_of(found, IN) == [(0, 0, 40_000, 1003)]
    assert tiles_of(found, UNIT) == [(0, 40_000, 72_000, 1003)]
    assert tiles_of(found, OUT) == [(0, 80_000, 100_000, 1003)]


def test_a_step_of_the_host_is_on_the_card() -> None:
    ran = {(0, core): Ran(start=3, end=9) for core in range(2)}
    found = spans(timeline([on_host("h", 64).work], 2, ran))
    assert UNITS[HOST] == HOST_LANE
    assert tiles_of(found, HOST, CARD) == [(0, 3_000, 9_000, 0)]
    assert len(found) == 1


def test_what_takes_no_time_or_moves_nothing_has_no_span() -> None:
    work = staged(act("a", [0]), stage("in", 0, 0), stage("unit", 0, 0, level=1), stage("out", 128, 0, read=False))
    assert len(once(work, Ran(start=1))) == 0
    assert len(spans(timeline([], 2, {}))) == 0


def test_rows_are_sorted_and_narrow() -> None:
    ran = {(step, core): replaced(FOUR, 100.0 * step) for step in range(2) for core in range(2)}
    found = spans(timeline([piped(cores=2), piped(cores=2)], 2, ran))
    keys = (found.tile, found.step, found.start_ps, found.unit, found.core)
    assert np.array_equal(np.lexsort(keys), np.arange(len(found)))
    assert [column.dtype for column in (found.core, found.unit, found.step, found.tile, found.count)] == [
        np.int16,
        np.int8,
        np.int32,
        np.int32,
        np.int32,
    ]
    assert found.tiles == 2 * 2 * 5 * 4 > len(found)


def replaced(ran: Ran, later: float) -> Ran:
    """The same, later."""
    names = ("start", "filled", "steady", "computed", "end", "read_end", "write_end")
    return Ran(**{name: getattr(ran, name) + later for name in names})


def test_times_are_whole_picoseconds() -> None:
    assert picoseconds(np.array([-1.0, 0.0, 0.0004, 0.0006, 1.5])).tolist() == [-1, 0, 0, 1, 1500]
