"""Timeline data: a trace cut into tracks, each a line of boxes in order of time that never overlap.

Owns: which tracks there are (card, cores, their units, their waits), and when each step ran on the whole.  Refuses: Qt,
pixels, and what is folded away.  Times are whole picoseconds since the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from frozendict import frozendict
from numpy.typing import NDArray

from simulator.trace import CARD, Narrow, Tiny, Trace, Wide
from spyre_studio.step_opinion import StepOpinion
from spyre_studio.timeline_fill import FillOverTime, fill_of

Places = NDArray[np.intp]
_NONE: Tiny = np.zeros(0, np.int8)


class TrackKind(StrEnum):
    """What the boxes of a track are."""

    KERNELS = "kernels"
    CRITICAL = "critical path"
    HOST = "host"
    STEPS = "steps"  # of one core
    UNIT = "unit"  # of one core
    WAITS = "waits"  # of one core


@dataclass(frozen=True, slots=True, eq=False)
class Tiles:
    """How rows fall into boxes: `count` boxes of `length` ps at equal distances in each, the first of them being number
    `offset` of the track and tile `number` of its step."""

    count: Wide
    length: Wide
    offset: Wide
    number: Narrow


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """Rows from left to right: `start`, `end` and `step` (of kernels: their number) of each, sorted by both times.

    A row is one box, except on units, where `tiles` says how it falls into boxes; boxes are counted from 0 on over the
    whole track.  `cause` has a `timing.timeline.Cause` per row of waits and of the critical path, nothing for other
    kinds.  `rows` are the places of the rows in the columns of the trace that they come from.  `unit` counts in
    `Trace.units`, -1 for tracks of no unit.
    """

    kind: TrackKind
    core: int
    unit: int
    start: Wide
    end: Wide
    step: Narrow
    cause: Tiny
    rows: Places | range
    tiles: Tiles | None = None

    def __len__(self) -> int:
        """How many boxes it has."""
        if self.tiles is None:
            return len(self.start)
        return int(self.tiles.offset[-1] + self.tiles.count[-1]) if len(self.start) else 0

    def row_of(self, boxes: Places) -> Places:
        """The rows that some boxes are in."""
        if self.tiles is None:
            return boxes
        return np.searchsorted(self.tiles.offset, boxes, "right") - 1

    def times(self, boxes: Places) -> tuple[Wide, Wide]:
        """Begin and end of some boxes."""
        rows = self.row_of(boxes)
        if self.tiles is None:
            return self.start[rows], self.end[rows]
        start = self.start[rows] + self.delay(rows, boxes - self.tiles.offset[rows])
        return start, start + self.tiles.length[rows]

    def delay(self, rows: Places, numbers: Wide) -> Wide:
        """How long after the begin of their rows boxes begin that have these numbers in them."""
        assert self.tiles is not None
        room = self.end[rows] - self.start[rows] - self.tiles.length[rows]
        return np.asarray(numbers * room // np.maximum(self.tiles.count[rows] - 1, 1), np.int64)

    def box(self, number: int) -> tuple[int, int, int]:
        """Row, begin and end of one box."""
        one = np.array([number])
        start, end = self.times(one)
        return int(self.row_of(one)[0]), int(start[0]), int(end[0])


@dataclass(frozen=True, slots=True)
class CoreTracks:
    """The tracks of one core: numbers in `TimelineData.tracks`."""

    steps: int
    units: tuple[int, ...]
    waits: int

    @property
    def inner(self) -> tuple[int, ...]:
        """What is folded away while the core is closed."""
        return (*self.units, self.waits)


@dataclass(frozen=True, slots=True, eq=False)
class TimelineData:
    """A trace with its tracks.  `card` are tracks of the whole card, `cores` those of each core.

    `step_start`, `step_end`: from the first begin to the last end of each step on any core, -1 where it never ran.
    `places`: the number of each step.  `opinions`: what the cost model says of each step, empty where nobody asked.
    """

    trace: Trace
    tracks: tuple[Track, ...]
    card: tuple[int, ...]
    cores: tuple[CoreTracks, ...]
    step_start: Wide
    step_end: Wide
    places: frozendict[str, int]
    fill: FillOverTime
    opinions: tuple[StepOpinion, ...] = ()

    @property
    def total_ps(self) -> int:
        """How long the run took, at least 1 so that there is an axis."""
        return max(self.trace.total_ps, 1)

    def step_at(self, core: int, time_ps: float) -> int:
        """The step that runs on a core at a time, or ran there last; -1 before the first."""
        track = self.tracks[self.cores[core].steps]
        place = int(np.searchsorted(track.start, int(time_ps), "right")) - 1
        return int(track.step[place]) if place >= 0 else -1


def timeline_of(trace: Trace, opinions: tuple[StepOpinion, ...] = ()) -> TimelineData:
    """Cut a trace into tracks; arrays are views of those of the trace wherever they can be."""
    tracks: list[Track] = []

    def added(track: Track) -> int:
        tracks.append(track)
        return len(tracks) - 1

    card = [added(_kernels(trace)), added(_critical(trace))]
    spans = _span_tracks(trace)
    card += [added(track) for track in spans.get(CARD, ())]
    cores = []
    for core in range(trace.cores):
        steps = added(_steps(trace, core))
        units = tuple(added(track) for track in spans.get(core, ()))
        cores.append(CoreTracks(steps, units, added(_waits(trace, core))))
    start, end = _extents(trace)
    places = frozendict((name, number) for number, name in enumerate(trace.steps))
    return TimelineData(trace, tuple(tracks), tuple(card), tuple(cores), start, end, places, fill_of(trace), opinions)


def _kernels(trace: Trace) -> Track:
    start, end = _wide([kernel.start_ps for kernel in trace.kernels]), _wide([one.end_ps for one in trace.kernels])
    numbers = np.arange(len(start), dtype=np.int32)
    return Track(TrackKind.KERNELS, CARD, -1, start, end, numbers, _NONE, range(len(start)))


def _critical(trace: Trace) -> Track:
    links = trace.critical
    start, end = _wide([link.start_ps for link in links]), _wide([link.end_ps for link in links])
    step = np.array([link.step for link in links], np.int32)
    cause = np.array([link.cause for link in links], np.int8)
    return Track(TrackKind.CRITICAL, CARD, -1, start, end, step, cause, range(len(links)))


def _span_tracks(trace: Trace) -> dict[int, list[Track]]:
    """By core; a unit that nobody uses has no track, one that any core uses has one on every core."""
    spans, units = trace.spans, len(trace.units)
    used = np.bincount(spans.unit[spans.core != CARD], minlength=units) > 0
    order = (spans.core.astype(np.int32) - CARD) * units + spans.unit
    edges = np.searchsorted(order, np.arange((trace.cores - CARD) * units + 1))
    tiles = _tiles(trace)
    found: dict[int, list[Track]] = {}
    for core in range(CARD, trace.cores):
        for unit in range(units):
            place = (core - CARD) * units + unit
            first, last = int(edges[place]), int(edges[place + 1])
            if used[unit] if core != CARD else last > first:
                found.setdefault(core, []).append(_unit(trace, tiles, (core, unit), slice(first, last)))
    return found


def _tiles(trace: Trace) -> Tiles:
    """Of all rows of the trace, counted on."""
    spans = trace.spans
    count = spans.count.astype(np.int64)
    return Tiles(count, spans.busy_ps // np.maximum(count, 1), count.cumsum() - count, spans.tile)


def _unit(trace: Trace, tiles: Tiles, place: tuple[int, int], rows: slice) -> Track:
    spans, (core, unit) = trace.spans, place
    offset = tiles.offset[rows]
    own = Tiles(tiles.count[rows], tiles.length[rows], offset - offset[:1], tiles.number[rows])
    kind = TrackKind.UNIT if core != CARD else TrackKind.HOST
    columns = (spans.start_ps[rows], spans.end_ps[rows], spans.step[rows])
    return Track(kind, core, unit, *columns, _NONE, range(rows.start, rows.stop), own)


def _steps(trace: Trace, core: int) -> Track:
    start, end = trace.runs.start_ps[:, core], trace.runs.end_ps[:, core]
    ran = np.flatnonzero(start >= 0)
    order = ran[np.argsort(start[ran], kind="stable")]
    return Track(TrackKind.STEPS, core, -1, start[order], end[order], order.astype(np.int32), _NONE, order)


def _waits(trace: Trace, core: int) -> Track:
    stalls = trace.stalls
    first, last = (int(place) for place in np.searchsorted(stalls.core, [core, core + 1]))
    rows = slice(first, last)
    columns = (stalls.start_ps[rows], stalls.end_ps[rows], stalls.step[rows], stalls.cause[rows])
    return Track(TrackKind.WAITS, core, -1, *columns, range(first, last))


def _extents(trace: Trace) -> tuple[Wide, Wide]:
    runs = trace.runs
    if not runs.start_ps.size:
        nothing = np.full(len(trace.steps), -1, np.int64)
        return nothing, nothing
    end = runs.end_ps.max(axis=1)
    latest = np.iinfo(np.int64).max
    start = np.where(runs.start_ps < 0, latest, runs.start_ps).min(axis=1)
    return np.where(end < 0, -1, start), end


def _wide(values: Sequence[int]) -> Wide:
    return np.array(values, np.int64)
