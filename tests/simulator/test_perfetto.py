"""The trace as events: names, counts, times, and that a reader can take it line by line."""

from __future__ import annotations

import io
import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from simulator.perfetto import CAUSES, FEW_SPANS, FIRST_CORE, Detail, detail_of, events, write_events
from simulator.timing.simulate import trace_of
from simulator.timing.timeline import Cause
from simulator.trace import Trace, Traffic
from tests.simulator.timing.clock_cases import act, device_of, on_host, program_of
from tests.simulator.timing.example_runs import ran
from tests.simulator.timing.trace_cases import Ran, stage, staged, timeline

Event = dict[str, object]


def document(trace: Trace, detail: Detail = Detail.TILES) -> tuple[dict[str, object], list[Event]]:
    """What a reader finds: the head and the events."""
    told = io.StringIO()
    count = write_events(trace, told, detail)
    head = json.loads(told.getvalue())
    found = head.pop("traceEvents")
    assert len(found) == count
    return head, found


def small() -> Trace:
    """Two tiles of a step on core 1 of two, then the host."""
    step, host = act("a", [1], tiles=2), on_host("h", 64, reads=("t",))
    work = [staged(step, stage("dma_in", 300, 20), stage("pt", 300, 8, level=1)), host.work]
    ran_ = {
        (0, 1): Ran(start=1, filled=11, read_end=21, steady=26, computed=31, alone=10, bound=Cause.MEMORY),
        (1, 0): Ran(start=31, end=40, ready=0, cause=Cause.PARTNER, by=(0, 1)),
        (1, 1): Ran(start=31, end=40, cause=Cause.ORDER, by=(0, 1)),
    }
    return trace_of(program_of([[step, host]], 2), device_of(2), timeline(work, 2, ran_))


def named(found: list[Event], kind: str) -> dict[tuple[object, object], str]:
    """The names of processes or threads by pid and tid."""
    return {
        (one["pid"], one["tid"] if kind == "thread_name" else 0): str(dict(one["args"])["name"])  # type: ignore[call-overload]
        for one in found
        if one["ph"] == "M" and one["name"] == kind
    }


def spans(found: list[Event], process: str, thread: str) -> list[Event]:
    """The spans of a thread by the names of its process and its own."""
    processes, threads = named(found, "process_name"), named(found, "thread_name")
    (place,) = (key for key, name in threads.items() if (processes[key[0], 0], name) == (process, thread))
    return [one for one in found if one["ph"] == "X" and (one["pid"], one["tid"]) == place]


def test_every_tile_is_a_span_of_its_unit() -> None:
    assert spans(document(small())[1], "core 1", "dma_in") == [
        {
            "ph": "X",
            "name": "a",
            "cat": "dma_in",
            "pid": 3,
            "tid": 3,
            "ts": start / 1000,
            "dur": 0.01,
            "args": {"tile": tile, "bytes": 150},
        }
        for tile, start in enumerate((1, 11))
    ]


def test_steps_and_kernels_and_the_critical_path_are_spans() -> None:
    found = document(small())[1]
    assert [(one["name"], one["ts"], one["dur"]) for one in spans(found, "core 1", "steps")] == [
        ("a", 0.001, 0.03),
        ("h", 0.031, 0.009),
    ]
    assert spans(found, "core 1", "steps")[0]["args"] == {"step": 0, "bound by": "device memory"}
    card = "hand-made on spyre"
    assert [(one["name"], one["ts"], one["dur"]) for one in spans(found, card, "kernels")] == [("k0", 0, 0.04)]
    assert [(one["name"], one["ts"], one["dur"]) for one in spans(found, card, "critical path")] == [
        ("a", 0.001, 0.03),
        ("h", 0.031, 0.009),
    ]
    assert [(one["name"], one["ts"], one["dur"]) for one in spans(found, card, "host")] == [("h", 0.031, 0.009)]


def test_a_step_that_loads_what_cores_share_says_so() -> None:
    shared = replace(small(), traffic=(Traffic(0, 0, False, "shared", 128, 256), Traffic(1, 0, False, "own", 9, 9)))
    found = document(shared, Detail.STEPS)[1]
    assert spans(found, "core 1", "steps")[0]["args"] == {"step": 0, "bound by": "device memory", "shared": True}
    assert "shared" not in dict(spans(found, "core 1", "steps")[1]["args"])  # type: ignore[call-overload]


def test_waits_say_for_what_and_for_whom() -> None:
    found = document(small())[1]
    (wait,) = spans(found, "core 0", "waits")
    assert (wait["name"], wait["ts"], wait["dur"]) == ("its partners on the ring", 0, 0.031)
    assert wait["args"] == {"step": "h", "waits for": "a", "on core": 1}
    (shared,) = spans(found, "core 1", "waits")
    assert (shared["name"], shared["ts"], shared["dur"]) == ("device memory", 0.011, 0.02)
    assert shared["args"] == {"step": "a"}


def test_without_tiles_all_else_stays() -> None:
    trace = ran("decoder")[1]
    tiles, steps = (Counter(str(one.get("cat", one["ph"])) for one in events(trace, each)) for each in Detail)
    assert sum(tiles[unit] for unit in trace.units) == trace.spans.tiles
    assert {name: count for name, count in tiles.items() if name not in trace.units} == steps


@pytest.mark.parametrize("name", ["softmax", "attention", "decoder"])
def test_counts_by_thread_are_those_of_the_trace(name: str) -> None:
    trace = ran(name, 4)[1]
    found = document(trace)[1]
    processes, threads = named(found, "process_name"), named(found, "thread_name")
    places = [(one["pid"], one["tid"]) for one in found if one["ph"] == "X"]
    counts = Counter((processes[place[0], 0], threads[place]) for place in places)
    every = trace.spans.expanded()
    columns = zip(every.core.tolist(), every.unit.tolist(), strict=True)
    expected = Counter((f"core {core}", trace.units[unit]) for core, unit in columns)
    for core in range(trace.cores):
        expected[f"core {core}", "steps"] = int((trace.runs.start_ps[:, core] >= 0).sum())
        expected[f"core {core}", "waits"] = int((trace.stalls.core == core).sum())
    card = f"{name} on spyre"
    expected[card, "kernels"], expected[card, "critical path"] = len(trace.kernels), len(trace.critical)
    assert +counts == +expected


def test_every_thread_and_process_has_one_name() -> None:
    trace = ran("attention", 4)[1]
    found = document(trace)[1]
    threads = Counter((one["pid"], one["tid"]) for one in found if one["name"] == "thread_name")
    processes = Counter(one["pid"] for one in found if one["name"] == "process_name")
    assert set(threads.values()) == set(processes.values()) == {1}
    assert {(one["pid"], one["tid"]) for one in found} <= set(threads)
    assert len(processes) == len(set(named(found, "process_name").values())) == trace.cores + 1
    assert 0 not in {number for thread in threads for number in thread}, "some readers take 0 for no thread"


def test_every_event_has_what_readers_ask_for() -> None:
    for one in document(ran("softmax", 4, "co-optimized")[1])[1]:
        assert {"ph", "name", "cat", "pid", "tid", "ts", "args"} <= set(one)
        assert ("dur" in one) == (one["ph"] == "X")
        assert one["ph"] in {"M", "X", "C"}


def test_begins_and_ends_are_rounded_to_nanoseconds() -> None:
    """Both, so that a length may be off by one, and what follows on something still does."""
    trace = ran("decoder", 4)[1]
    told = [one for one in document(trace)[1] if one["ph"] == "X" and one.get("cat") == "step"]
    ran_on = (trace.runs.start_ps >= 0).T
    for column, ends in ((trace.runs.start_ps, ("ts",)), (trace.runs.end_ps, ("ts", "dur"))):
        found = [sum(nanoseconds(one[key]) for key in ends) for one in told]
        assert found == ((column.T[ran_on] + 500) // 1000).tolist()


def nanoseconds(value: object) -> int:
    """A time in us as readers take it: cut off behind the third digit, which has to be what is meant."""
    assert isinstance(value, int | float)
    assert value * 1000 == pytest.approx(round(value * 1000), abs=1e-6)
    return round(value * 1000)


def test_spans_of_a_thread_follow_each_other() -> None:
    """Readers nest what overlaps: nothing does."""
    last: dict[object, int] = {}
    for one in document(ran("decoder", 4)[1])[1]:
        if one["ph"] == "X":
            start, length = (nanoseconds(one[key]) for key in ("ts", "dur"))
            thread = (one["pid"], one["tid"])
            assert start >= last.get(thread, 0)
            last[thread] = start + length


def test_the_counter_of_lx_follows_what_is_held() -> None:
    trace = ran("softmax", 4, "co-optimized")[1]
    counters = [one for one in document(trace)[1] if one["ph"] == "C"]
    for core in range(trace.cores):
        levels = [int(str(dict(one["args"])["bytes"])) for one in counters if one["pid"] == core + FIRST_CORE]  # type: ignore[call-overload]
        assert max(levels, default=0) == trace.lx[core].peak_bytes
        assert not levels or levels[-1] == 0
    assert counters


def test_tiles_are_left_out_only_where_there_are_very_many() -> None:
    trace = ran("softmax", 4)[1]
    assert detail_of(trace) is Detail.TILES
    assert detail_of(trace, "steps") is Detail.STEPS
    many = replace(trace.spans, count=np.full_like(trace.spans.count, FEW_SPANS))
    assert detail_of(replace(trace, spans=many)) is Detail.STEPS
    assert detail_of(replace(trace, spans=many), "tiles") is Detail.TILES


def test_the_head_says_what_ran() -> None:
    trace = ran("softmax", 4)[1]
    assert document(trace, Detail.STEPS)[0] == {
        "displayTimeUnit": "ns",
        "otherData": {"model": "softmax", "device": "spyre", "total_us": trace.total_us},
    }


def test_names_of_all_kinds_are_written() -> None:
    trace = ran("softmax", 4)[1]
    odd = replace(trace, model='"größer"\n\ud800', steps=("\ud800", *trace.steps[1:]))
    told = io.StringIO()
    write_events(odd, told, Detail.TILES)
    told.getvalue().encode("ascii")
    assert json.loads(told.getvalue())["otherData"]["model"] == odd.model


def test_every_cause_has_its_words() -> None:
    assert set(CAUSES) == set(Cause)
    assert len(set(CAUSES.values())) == len(CAUSES)
