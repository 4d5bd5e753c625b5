"""Tracks, lanes, detail, fill, axis, words and play of a timeline: everything that needs no window."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from frozendict import frozendict

from compiler.device import load_device
from simulator.timing.simulate import simulate
from simulator.timing.timeline import Cause
from simulator.trace import CARD, Trace
from spyre_studio.scales import LinearScale
from spyre_studio.timeline_axis import format_moment, format_ps, time_ticks
from spyre_studio.timeline_data import TimelineData, Track, TrackKind, timeline_of
from spyre_studio.timeline_detail import box_at, edges_of, in_view, sampled
from spyre_studio.timeline_fill import fill_of
from spyre_studio.timeline_lanes import lane_name, lanes_of
from spyre_studio.timeline_play import SECONDS, Player
from spyre_studio.timeline_words import CAUSES, bound_shares, box_hint, facts_of, step_line
from tests.programs import attention
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.traces import STEP_PS, made_trace


@pytest.fixture(scope="module")
def real() -> Trace:
    plan = compiled(program=attention(2, 128, 64), cores=4)
    return simulate(plan.program, plan.problem.device)


def tracks_of(data: TimelineData, kind: TrackKind, core: int = CARD) -> list[Track]:
    return [track for track in data.tracks if track.kind is kind and track.core == core]


def all_boxes(track: Track) -> list[tuple[int, int, int]]:
    return [track.box(number) for number in range(len(track))]


# Tracks


def test_every_tile_of_a_real_run_is_a_box_once(real: Trace) -> None:
    data, tiles = timeline_of(real), real.spans.expanded()
    found = [
        (track.core, track.unit, int(track.step[row]), start, end)
        for track in data.tracks
        if track.tiles is not None
        for row, start, end in all_boxes(track)
    ]
    columns = (tiles.core, tiles.unit, tiles.step, tiles.start_ps, tiles.end_ps)
    assert sorted(found) == sorted(zip(*(column.tolist() for column in columns), strict=True))


def test_boxes_of_a_track_ascend_and_never_overlap(real: Trace) -> None:
    for track in timeline_of(real).tracks:
        boxes = all_boxes(track)
        name = f"{track.kind} of core {track.core}"
        assert all(one[1] < one[2] <= other[1] for one, other in pairwise(boxes)), name


def test_units_that_nobody_uses_have_no_track(real: Trace) -> None:
    data = timeline_of(real)
    used = {real.units[track.unit] for track in data.tracks if track.kind is TrackKind.UNIT}
    assert "dma_in" in used
    assert "host" not in used
    assert len({len(core.units) for core in data.cores}) == 1, "the same units on every core"


def test_waits_are_those_of_their_core() -> None:
    data = timeline_of(made_trace(cores=3, steps=5))
    (waits,) = tracks_of(data, TrackKind.WAITS, 1)
    assert waits.end.tolist() == [STEP_PS * step for step in range(1, 5)]
    assert [int(data.trace.stalls.core[row]) for row in waits.rows] == [1, 1, 1, 1]


def test_steps_know_from_when_to_when_they_run_on_any_core() -> None:
    trace = made_trace(cores=2, steps=3)
    starts, ends = trace.runs.start_ps.copy(), trace.runs.end_ps.copy()
    starts[1, 0], ends[1, 0] = -1, -1
    ends[2, 1] += 5
    starts[0], ends[0] = -1, -1
    data = timeline_of(replace(trace, runs=replace(trace.runs, start_ps=starts, end_ps=ends)))
    assert data.step_start.tolist() == [-1, STEP_PS, 2 * STEP_PS]
    assert data.step_end.tolist() == [-1, STEP_PS * 19 // 10, 2 * STEP_PS + STEP_PS * 9 // 10 + 5]
    assert data.step_at(0, 1.5 * STEP_PS) == -1, "core 0 has not begun anything"
    assert data.step_at(1, 1.5 * STEP_PS) == 1
    assert data.step_at(1, 9 * STEP_PS) == 2, "the last one stays"


def test_an_empty_run_has_tracks_without_boxes() -> None:
    trace = made_trace(cores=2, steps=0)
    data = timeline_of(trace)
    assert data.total_ps == 1
    assert all(len(track) == 0 for track in data.tracks)
    assert sampled(data.tracks[0], edges_of(0, 100, 4)).tolist() == [-1] * 4


# Detail


def brute_in_view(track: Track, lo: float, hi: float) -> list[int]:
    return [number for number, (_, start, end) in enumerate(all_boxes(track)) if end > lo and start < hi]


@pytest.mark.parametrize("together", [1, 2, 6])
def test_boxes_in_view_are_those_that_share_time_with_it(together: int) -> None:
    data = timeline_of(made_trace(cores=1, steps=4, tiles=6, together=together))
    track = data.tracks[data.cores[0].units[0]]
    rng = np.random.default_rng(3)
    for _ in range(200):
        lo, hi = sorted(rng.integers(-STEP_PS, 5 * STEP_PS, 2).tolist())
        wanted = brute_in_view(track, lo, hi + 1)
        first, last = in_view(track, lo, hi + 1)
        assert list(range(first, last)) == wanted, (lo, hi)


@pytest.mark.parametrize("together", [1, 3, 6])
def test_a_sample_is_the_last_box_that_reaches_into_its_column(together: int) -> None:
    data = timeline_of(made_trace(cores=1, steps=4, tiles=6, together=together))
    track = data.tracks[data.cores[0].units[1]]
    boxes = all_boxes(track)
    for columns in (7, 40, 333):
        edges = edges_of(-1000, data.total_ps + 1000, columns)
        for column, row in enumerate(sampled(track, edges).tolist()):
            begun = [box for box in boxes if box[1] < edges[column + 1]]
            wanted = begun[-1][0] if begun and begun[-1][2] > edges[column] else -1
            assert row == wanted, (columns, column)


def test_gaps_stay_gaps_where_a_column_is_finer_than_they_are() -> None:
    data = timeline_of(made_trace(cores=1, steps=10, tiles=1))
    track = data.tracks[data.cores[0].steps]
    seen = sampled(track, edges_of(0, data.total_ps, 100))
    assert (seen < 0).sum() == 10, "a tenth of every step is idle"


def test_the_box_under_the_pointer_is_the_nearest() -> None:
    data = timeline_of(made_trace(cores=1, steps=2, tiles=3))
    track = data.tracks[data.cores[0].units[0]]
    _, start, end = track.box(1)
    assert box_at(track, (start + end) / 2, 0) == 1
    assert box_at(track, start - 10, 20) == 1
    assert box_at(track, end + 10, 20) == 1
    assert box_at(track, end + 100, 20) == -1


# Lanes


def test_a_closed_core_is_one_lane_and_an_open_one_has_units_and_waits() -> None:
    data = timeline_of(made_trace(cores=3, steps=2))
    lanes = lanes_of(data, frozenset({1}), 20, 8)
    names = [lane_name(data, lane) for lane in lanes.lanes]
    units = ["dma_in", "lx_load", "pt", "dma_out", "waits"]
    assert names == ["kernels", "critical path", "core 0", "core 1", *units, "core 2"]
    assert [lane.opened for lane in lanes.lanes if lane.is_head] == [False, True, False]
    assert lanes.card_height == 48
    assert lanes.height == 48 + 20 + 8 + 6 * 20 + 8 + 20


def test_lanes_of_the_card_stay_while_cores_scroll() -> None:
    data = timeline_of(made_trace(cores=8, steps=2))
    lanes = lanes_of(data, frozenset(), 20, 8)
    seen = lanes.in_view(45, 108)
    assert [lane.core for lane in seen] == [CARD, CARD, 2, 3, 4, 5]
    assert [lane.top for lane in seen] == [0, 20, 43, 63, 83, 103]
    assert lanes.lanes[lanes.at(10, 45)].core == CARD
    assert lanes.lanes[lanes.at(64, 45)].core == 3
    assert lanes.at(44, 0) == -1, "a gap"
    assert lanes.at(4000, 0) == -1


# Fill


def test_fill_is_what_holds_say_and_its_reduction_is_a_maximum() -> None:
    trace = made_trace(cores=2, steps=4)
    fill = fill_of(trace)
    assert fill.most == 2048
    assert [fill.cores[1].at(time * STEP_PS) for time in (0, 0.5, 1, 2.5, 9)] == [2048, 2048, 0, 2048, 0]
    found = fill.reduce(edges_of(0, 4 * STEP_PS, 8))
    assert found.tolist() == [[1024, 1024, 0, 0, 1024, 1024, 0, 0], [2048, 2048, 0, 0, 2048, 2048, 0, 0]]
    assert fill.reduce(edges_of(0, 40 * STEP_PS, 1)).tolist() == [[1024], [2048]]


def test_a_short_peak_is_not_lost(real: Trace) -> None:
    fill = fill_of(real)
    peaks = [use.peak_bytes for use in real.lx]
    assert fill.reduce(edges_of(0, real.total_ps, 3)).max(axis=1).tolist() == peaks
    assert fill.most == max(peaks)


# Axis


@pytest.mark.parametrize(
    ("time_ps", "text"),
    [
        (0, "0 ns"),
        (850, "0.85 ns"),
        (12_340, "12.34 ns"),
        (34_056_097, "34.06 µs"),
        (1_234_567_890, "1.235 ms"),
        (-1, "–"),
    ],
)
def test_times_have_four_digits_at_most(time_ps: int, text: str) -> None:
    assert format_ps(time_ps) == text


def test_ticks_are_in_the_unit_of_what_is_in_view() -> None:
    whole = time_ticks(LinearScale(0, 130e6, 0, 1000), 10)
    assert (whole.unit, whole.labels[:3]) == ("µs", ("0", "20", "40"))
    assert whole.values[1] == 20e6
    close = time_ticks(LinearScale(100e6, 100e6 + 5_000, 0, 1000), 6)
    assert close.unit == "ns"
    assert close.labels[0] == "100,000"
    assert format_moment(34_056_097, LinearScale(0, 130e6, 0, 1000)) == "34.1 µs"
    assert format_moment(34_056_097, LinearScale(34e6, 34.1e6, 0, 1000)) == "34,056.1 ns"


# Words


def test_hints_say_what_a_box_is() -> None:
    data = timeline_of(made_trace(cores=2, steps=3))
    units = frozendict(dma_in="loads & more")
    (waits,) = tracks_of(data, TrackKind.WAITS, 0)
    hint = box_hint(data, waits, 0, units)
    assert "core 0 waits with step1" in hint
    assert "for what another core writes" in hint
    assert "held up by step 0, step0 on core 1" in hint
    span = data.tracks[data.cores[1].units[0]]
    hint = box_hint(data, span, 4, units)
    for words in ("<b>step1</b>", "loads &amp; more, core 1", "tile 1", "4 KiB at", "B/ns", "takes 150 ns"):
        assert words in hint, words
    compute = data.tracks[data.cores[1].units[2]]
    assert "B/ns" not in box_hint(data, compute, 0, units)
    critical = data.tracks[data.card[1]]
    assert "on the critical path, bound by compute" in box_hint(data, critical, 1, units)
    assert "1 step" in box_hint(data, data.tracks[data.card[0]], 0, units)
    assert "bound by memory" in box_hint(data, data.tracks[data.cores[0].steps], 0, units)


def test_facts_begin_with_the_time_and_who_bounds_it() -> None:
    data = timeline_of(made_trace(cores=4, steps=4))
    assert bound_shares(data) == ((Cause.MEMORY, 0.5), (Cause.COMPUTE, 0.5))
    texts = [fact.text for fact in facts_of(data, load_device("spyre").machine)]
    assert texts[0] == "4 µs simulated"
    assert texts[1] == "bound by memory 50 %, compute 50 %"
    assert "matrix units 50 %–69 %, core 3 busiest" in texts
    assert texts[-1] == "LX peak 4 KiB of 1.55 MiB"


def test_the_line_about_a_step_is_safe_and_whole() -> None:
    trace = made_trace(cores=2, steps=2)
    data = timeline_of(replace(trace, steps=("a<b", "c")))
    assert step_line(data, 0) == "<b>a&lt;b</b>: 900 ns (45 %) from 0 ns on, 2 cores, bound by memory."
    gone = replace(trace.runs, start_ps=trace.runs.start_ps * 0 - 1, end_ps=trace.runs.end_ps * 0 - 1)
    assert step_line(timeline_of(replace(trace, runs=gone)), 1) == "<b>step1</b> did not run."


def test_every_cause_has_words_and_a_colour() -> None:
    assert set(CAUSES) == set(Cause)


# Play


def test_what_is_in_view_plays_in_ten_seconds() -> None:
    player = Player(1000.0)
    player.play(0, 1000)
    player.advance(SECONDS / 2)
    assert player.time_ps == 500
    assert player.speed == 100
    player.advance(SECONDS)
    assert player.time_ps == 1000
    assert player.speed == 0
    player.play(200, 300)
    assert player.time_ps == 200, "from the begin of what is in view"
    player.advance(1)
    assert player.time_ps == 210
    assert player.follow(200, 300) is None
    player.time_ps = 301
    assert player.follow(200, 300) == (291, 391)
