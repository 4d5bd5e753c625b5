"""Perfetto: a trace in the Trace Event format, which Perfetto and chrome://tracing open as it is.

Owns the events: a process per core with a thread per unit, one of steps and one of waits, a process for the card with
kernels and the critical path, and a counter of LX per core.  Refuses everything a reader would have to guess: times
are microseconds with three digits behind the point, every process and thread has a name, and every event has all that
any of them may have but a duration, since some readers ask for it.  No process and no thread has the number 0, which
some take for none.  A step that loads what cores share says so (`shared`).  Perfetto counts in whole nanoseconds, and
drops a span that overlaps the one before by one: begins and ends are rounded here, so that what follows on something
still does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import StrEnum
from typing import IO

import numpy as np

from simulator.timing.timeline import Cause
from simulator.trace import CARD, PS_PER_NS, PS_PER_US, Trace

CARD_PROCESS, FIRST_CORE = 1, 2
STEPS, WAITS = 1, 2
FIRST_UNIT = 3
KERNELS, CRITICAL = 1, 2
FEW_SPANS = 200_000
SHARED = "shared"
"""The way of loads that reach several cores at once: their spans together may be faster than device memory."""
NS_PER_US = PS_PER_US // PS_PER_NS
Event = dict[str, object]
CAUSES = {
    Cause.NOTHING: "nothing",
    Cause.ORDER: "its own step before",
    Cause.PRODUCER: "a step that writes what it reads",
    Cause.PARTNER: "its partners on the ring",
    Cause.LAUNCH: "the end of the kernel",
    Cause.MEMORY: "device memory",
    Cause.DELIVERY: "an operand that is handed out slowly",
    Cause.COMPUTE: "its own units",
    Cause.RING: "links of the ring",
    Cause.PARTIAL: "a partial result",
}


class Detail(StrEnum):
    """How much is told: every transfer and every tile, or steps and waits only."""

    TILES = "tiles"
    STEPS = "steps"


def detail_of(trace: Trace, wanted: str = "") -> Detail:
    """What was asked for, or tiles unless there are very many."""
    if wanted:
        return Detail(wanted)
    return Detail.TILES if trace.spans.tiles <= FEW_SPANS else Detail.STEPS


def write_events(trace: Trace, file: IO[str], detail: Detail) -> int:
    """Write the document piece by piece; the number of events."""
    head = {
        "displayTimeUnit": "ns",
        "otherData": {"model": trace.model, "device": trace.device, "total_us": trace.total_us},
    }
    file.write(json.dumps(head)[:-1] + ', "traceEvents": [')
    count = 0
    for event in events(trace, detail):
        file.write((",\n" if count else "\n") + json.dumps(event))
        count += 1
    file.write("\n]}\n")
    return count


def events(trace: Trace, detail: Detail) -> Iterator[Event]:
    """All events: names first, then what happened, by core."""
    yield from _names(trace)
    yield from _card(trace)
    yield from _steps(trace)
    yield from _waits(trace)
    if detail is Detail.TILES:
        yield from _tiles(trace)
    yield from _lx(trace)


def _ns(picoseconds: int) -> int:
    return (picoseconds + PS_PER_NS // 2) // PS_PER_NS


def _us(nanoseconds: int) -> float:
    return nanoseconds / NS_PER_US


def _names(trace: Trace) -> Iterator[Event]:
    def name(kind: str, process: int, thread: int, text: str) -> Event:
        place: Event = {"ph": "M", "name": kind, "cat": "__metadata", "pid": process, "tid": thread, "ts": 0}
        return place | {"args": {"name": text}}

    yield name("process_name", CARD_PROCESS, KERNELS, f"{trace.model} on {trace.device}")
    yield name("thread_name", CARD_PROCESS, KERNELS, "kernels")
    yield name("thread_name", CARD_PROCESS, CRITICAL, "critical path")
    for number, unit in enumerate(trace.units[-1:], len(trace.units) - 1):
        yield name("thread_name", CARD_PROCESS, FIRST_UNIT + number, unit)
    for core in range(trace.cores):
        yield name("process_name", core + FIRST_CORE, STEPS, f"core {core}")
        yield name("thread_name", core + FIRST_CORE, STEPS, "steps")
        yield name("thread_name", core + FIRST_CORE, WAITS, "waits")
        for number, unit in enumerate(trace.units[:-1]):
            yield name("thread_name", core + FIRST_CORE, FIRST_UNIT + number, unit)


def _span(name: str, category: str, process: int, thread: int, start: int, end: int, args: Event) -> Event:
    times = {"ts": _us(_ns(start)), "dur": _us(_ns(end) - _ns(start))}
    return {"ph": "X", "name": name, "cat": category, "pid": process, "tid": thread, **times, "args": args}


def _card(trace: Trace) -> Iterator[Event]:
    for kernel in trace.kernels:
        args: Event = {"steps": kernel.last - kernel.first}
        yield _span(kernel.name, "kernel", CARD_PROCESS, KERNELS, kernel.start_ps, kernel.end_ps, args)
    for link in trace.critical:
        args = {"core": link.core, "bound by": CAUSES[Cause(link.cause)]}
        yield _span(trace.steps[link.step], "critical", CARD_PROCESS, CRITICAL, link.start_ps, link.end_ps, args)


def _steps(trace: Trace) -> Iterator[Event]:
    runs, shared = trace.runs, {one.step for one in trace.traffic if one.way == SHARED}
    for core in range(trace.cores):
        for step in np.flatnonzero(runs.start_ps[:, core] >= 0).tolist():
            args: Event = {"step": step, "bound by": CAUSES[Cause(int(runs.bound[step, core]))]}
            if step in shared:
                args["shared"] = True
            start, end = int(runs.start_ps[step, core]), int(runs.end_ps[step, core])
            yield _span(trace.steps[step], "step", core + FIRST_CORE, STEPS, start, end, args)


def _waits(trace: Trace) -> Iterator[Event]:
    stalls = trace.stalls
    columns = (stalls.core, stalls.step, stalls.start_ps, stalls.end_ps, stalls.cause, stalls.by_step, stalls.by_core)
    for core, step, start, end, cause, by_step, by_core in zip(*(each.tolist() for each in columns), strict=True):
        args: Event = {"step": trace.steps[step]}
        if by_step >= 0:
            args |= {"waits for": trace.steps[by_step], "on core": by_core}
        yield _span(CAUSES[Cause(cause)], "wait", core + FIRST_CORE, WAITS, start, end, args)


def _tiles(trace: Trace) -> Iterator[Event]:
    spans = trace.spans.expanded()
    columns = (spans.core, spans.unit, spans.step, spans.tile, spans.start_ps, spans.end_ps, spans.bytes)
    for core, unit, step, tile, start, end, size in zip(*(each.tolist() for each in columns), strict=True):
        process = CARD_PROCESS if core == CARD else core + FIRST_CORE
        args: Event = {"tile": tile, "bytes": size}
        yield _span(trace.steps[step], trace.units[unit], process, FIRST_UNIT + unit, start, end, args)


def _lx(trace: Trace) -> Iterator[Event]:
    """A counter per core: bytes held in LX whenever that changes."""
    holds = trace.holds
    edges = np.searchsorted(holds.core, np.arange(trace.cores + 1))
    for core in range(trace.cores):
        rows = slice(int(edges[core]), int(edges[core + 1]))
        times = np.concatenate((holds.start_ps[rows], holds.end_ps[rows]))
        changes = np.concatenate((holds.bytes[rows], -holds.bytes[rows]))
        when, place = np.unique(times, return_inverse=True)
        level = np.cumsum(np.bincount(place, weights=changes, minlength=len(when)))
        for at, bytes_ in zip(when.tolist(), level.tolist(), strict=True):
            where: Event = {"cat": "lx", "pid": core + FIRST_CORE, "tid": STEPS, "ts": _us(_ns(at))}
            yield {"ph": "C", "name": "LX in use", **where, "args": {"bytes": int(bytes_)}}
