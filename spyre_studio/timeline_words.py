"""What a timeline says in words: causes, the hint of a box, and the facts about a whole run.

Owns: the words, and summing up who bounds a run.  Refuses: Qt widgets and judgement of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

import numpy as np
from numpy.typing import NDArray

from compiler.machine import Machine, UnitKind
from simulator.timing.timeline import Cause
from simulator.trace import CARD, UnitUse
from spyre_studio.legend_token import Token
from spyre_studio.timeline_axis import format_ps
from spyre_studio.timeline_data import TimelineData, Track, TrackKind
from spyre_studio.units import format_bytes, format_count, format_number, format_percent


@dataclass(frozen=True, slots=True)
class CauseWords:
    """`title` for a legend, `wait` after 'waits for', `token`: its colour, `meaning`: a sentence for who meets the word
    for the first time (the README has the same)."""

    title: str
    wait: str
    token: Token
    meaning: str


BOUNDS: Final = (Cause.MEMORY, Cause.DELIVERY, Cause.COMPUTE, Cause.RING, Cause.PARTIAL, Cause.PARTNER)
"""Causes that can be what takes longest in a step."""
CAUSES: Final[Mapping[int, CauseWords]] = {
    Cause.NOTHING: CauseWords("nothing", "nothing", "mute", "no time passes"),
    Cause.ORDER: CauseWords(
        "step before",
        "its own step before",
        "pointwise",
        "a core runs steps in order, and the one before still runs",
    ),
    Cause.PRODUCER: CauseWords(
        "producer", "what another core writes", "warn", "another core still writes what the step reads"
    ),
    Cause.PARTNER: CauseWords(
        "ring partners", "its partners on the ring", "lx", "a copy over the ring begins when all its cores are ready"
    ),
    Cause.LAUNCH: CauseWords(
        "kernel end",
        "all cores to end the kernel",
        "mute",
        "a kernel begins when that before it has ended everywhere",
    ),
    Cause.MEMORY: CauseWords(
        "memory",
        "device memory, shared with other cores",
        "reduction",
        "device memory moves bytes for all cores at once, each gets a share of its rate",
    ),
    Cause.DELIVERY: CauseWords(
        "delivery",
        "an operand that is handed out slowly",
        "hbm",
        "device memory hands out an operand more slowly than it moves bytes, because several cores share it, or "
        "because a product uses each of its elements only once",
    ),
    Cause.COMPUTE: CauseWords(
        "compute",
        "its own units",
        "matmul",
        "units of the core itself, those between its memories included, take longest",
    ),
    Cause.RING: CauseWords(
        "ring",
        "links of the ring that carry other parts",
        "move",
        "links of the ring carry the parts of several cores one after the other",
    ),
    Cause.PARTIAL: CauseWords(
        "partial sums",
        "the partial result of the core before it",
        "bad",
        "a sum that is split over cores goes from one to the next",
    ),
}


def meanings(causes: Sequence[int]) -> str:
    """What some causes mean, in a sentence each."""
    words = [CAUSES[cause] for cause in causes]
    return " ".join(f"{one.title.capitalize()}: {one.meaning}." for one in words)


@dataclass(frozen=True, slots=True)
class Fact:
    """A piece of the line about a run, and the sentence behind it."""

    text: str
    hint: str


def bound_shares(data: TimelineData) -> tuple[tuple[int, float], ...]:
    """Causes by the share of the critical path that they bound, the largest first."""
    sums: dict[int, int] = {}
    for link in data.trace.critical:
        sums[link.cause] = sums.get(link.cause, 0) + link.end_ps - link.start_ps
    total = sum(sums.values()) or 1
    return tuple((cause, took / total) for cause, took in sorted(sums.items(), key=lambda one: (-one[1], one[0])))


def facts_of(data: TimelineData, machine: Machine) -> tuple[Fact, ...]:
    """The line about a run, the most important first."""
    trace = data.trace
    facts = [Fact(f"{format_ps(trace.total_ps)} simulated", "From the first begin to the last end on any core")]
    bounds = [f"{CAUSES[cause].title} {format_percent(share)}" for cause, share in bound_shares(data)[:3]]
    if bounds:
        told = meanings([cause for cause, _ in bound_shares(data)[:3]])
        hint = f"What bounds the steps on the critical path, by their time. {told}"
        facts.append(Fact(f"bound by {', '.join(bounds)}", hint))
    for kind, word in ((UnitKind.MATRIX, "matrix units"), (UnitKind.VECTOR, "vector units")):
        names = {unit.name for unit in machine.units if unit.kind is kind}
        facts.extend(_use(word, use) for use in trace.use if use.unit in names and use.most > 0)
    if trace.lx:
        fullest = max(trace.lx, key=lambda use: (use.peak_bytes, -use.core))
        text = f"LX peak {format_bytes(fullest.peak_bytes)} of {format_bytes(trace.lx_bytes)}"
        facts.append(Fact(text, f"The most that any core holds at any time: core {fullest.core}"))
    return tuple(facts)


def _use(word: str, use: UnitUse) -> Fact:
    least, most = format_percent(use.least), format_percent(use.most)
    text = f"{word} {most}" if least == most else f"{word} {least}–{most}, core {use.busiest_core} busiest"
    return Fact(text, f"How much of the time {use.unit} works, from the idlest core to the busiest")


def box_hint(data: TimelineData, track: Track, place: int, titles: Mapping[str, str]) -> str:
    """What a box is: rich text of a few lines."""
    row, start, end = track.box(place)
    when = f"starts at {format_ps(start)}, takes {format_ps(end - start)}"
    if track.kind is TrackKind.KERNELS:
        kernel = data.trace.kernels[place]
        return _lines(kernel.name, (f"{format_count(kernel.last - kernel.first, 'step')}", when))
    step = int(track.step[row])
    name = data.trace.steps[step]
    match track.kind:
        case TrackKind.STEPS:
            bound = CAUSES[int(data.trace.runs.bound[step, track.core])].title
            return _lines(name, (f"step {step} on core {track.core}", when, f"bound by {bound}"))
        case TrackKind.CRITICAL:
            core = data.trace.critical[place].core
            where = "on the host" if core == CARD else f"on core {core}"
            bound = CAUSES[int(track.cause[place])].title
            return _lines(name, (f"step {step} {where}", when, f"on the critical path, bound by {bound}"))
        case TrackKind.WAITS:
            return _wait_hint(data, track, place, when)
        case _:
            return _span_hint(data, track, place, when, titles)


def _wait_hint(data: TimelineData, track: Track, place: int, when: str) -> str:
    row = track.rows[place]
    stalls, steps = data.trace.stalls, data.trace.steps
    by_step, by_core = int(stalls.by_step[row]), int(stalls.by_core[row])
    lines = [f"for {CAUSES[int(track.cause[place])].wait}", when]
    if by_step >= 0 or by_core >= 0:
        who = [f"step {by_step}, {steps[by_step]}"] if by_step >= 0 else []
        who += [f"on core {by_core}"] if by_core >= 0 else []
        lines.insert(1, f"held up by {' '.join(who)}")
    return _lines(f"core {track.core} waits with {steps[int(track.step[place])]}", lines)


def _span_hint(data: TimelineData, track: Track, place: int, when: str, titles: Mapping[str, str]) -> str:
    row, start, end = track.box(place)
    spans, source, tiles = data.trace.spans, track.rows[row], track.tiles
    unit = data.trace.units[track.unit]
    title = f"{unit} · {titles[unit]}" if unit in titles else unit
    lines = [title if track.core == CARD else f"{title}, core {track.core}", when]
    if tiles is None:
        return _lines(data.trace.steps[int(track.step[row])], lines)
    number, count = place - int(tiles.offset[row]), int(tiles.count[row])
    if track.core != CARD:
        more = f", one of {format_count(count)} in a row" if count > 1 else ""
        lines.insert(1, f"tile {int(tiles.number[row]) + number}{more}")
    total = int(spans.bytes[source])
    moved = total // count + (number < total % count)
    if moved:
        lines.append(f"{format_bytes(moved)} at {format_number(moved / max(end - start, 1) * 1000)} B/ns")
    return _lines(data.trace.steps[int(track.step[row])], lines)


def _lines(title: str, lines: Sequence[str]) -> str:
    return "<br>".join((f"<b>{escape(title)}</b>", *map(escape, lines)))


def step_line(data: TimelineData, step: int) -> str:
    """A sentence about a step, rich text."""
    trace = data.trace
    start, end = int(data.step_start[step]), int(data.step_end[step])
    name = escape(trace.steps[step])
    if end < 0:
        return f"<b>{name}</b> did not run."
    ran = int((trace.runs.start_ps[step] >= 0).sum())
    bound = CAUSES[bound_of(data, step)].title
    share = format_percent((end - start) / data.total_ps)
    took = f"{format_ps(end - start)} ({share}) from {format_ps(start)} on"
    return f"<b>{name}</b>: {took}, {format_count(ran, 'core')}, bound by {bound}."


def bound_of(data: TimelineData, step: int) -> int:
    """What bounds a step on most of its cores; of equals the lowest number."""
    return int(bounds_of(data, slice(step, step + 1))[0])


def bounds_of(data: TimelineData, steps: slice = slice(None)) -> NDArray[np.intp]:
    """As `bound_of`, of many steps."""
    runs = data.trace.runs
    step, core = np.nonzero(runs.start_ps[steps] >= 0)
    counts = np.zeros((len(runs.start_ps[steps]), max(CAUSES) + 1), np.intp)
    np.add.at(counts, (step, runs.bound[steps][step, core]), 1)
    return np.asarray(counts.argmax(axis=1), np.intp)
