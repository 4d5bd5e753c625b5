"""Spans: what every unit of every core did when, tile by tile, from a timeline and the work behind it.

Owns where in the parts of a step its tiles lie: the first is loaded before anything is computed, the last written when
everything is, in between loading, computing and writing run side by side.  Refuses waiting: a unit that is waited for
has no span.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from simulator.timing.timeline import Timeline
from simulator.timing.work import Counts, OpWork, Stage, Times
from simulator.trace import CARD, PS_PER_NS, Spans

HOST_LANE = "host"
_WIDE = np.zeros(0, dtype=np.int64)
_NARROW = np.zeros(0, dtype=np.int32)
_NOTHING = Spans(np.zeros(0, np.int16), np.zeros(0, np.int8), _NARROW, _NARROW, _WIDE, _WIDE, _WIDE)


def picoseconds(times: Times) -> NDArray[np.int64]:
    """Whole picoseconds of times in ns; -1 stays -1."""
    return np.where(times < 0, -1, np.rint(times * PS_PER_NS)).astype(np.int64)


@dataclass(slots=True)
class _Columns:
    """Spans as they are found, by addition, each as narrow as it is kept; those of no length are left out."""

    parts: list[Spans] = field(default_factory=list)

    def add(self, core: Counts, unit: int, step: int, tile: Counts, start: Times, end: Times, size: Counts) -> None:
        low, high = picoseconds(start), picoseconds(end)
        kept = np.flatnonzero(high > low)
        if len(kept):
            self.parts.append(
                Spans(
                    core[kept].astype(np.int16),
                    np.full(len(kept), unit, dtype=np.int8),
                    np.full(len(kept), step, dtype=np.int32),
                    tile[kept].astype(np.int32),
                    low[kept],
                    high[kept],
                    size[kept],
                )
            )

    def spans(self) -> Spans:
        """Everything, sorted."""
        parts = self.parts or [_NOTHING]
        found = Spans(
            np.concatenate([one.core for one in parts]),
            np.concatenate([one.unit for one in parts]),
            np.concatenate([one.step for one in parts]),
            np.concatenate([one.tile for one in parts]),
            np.concatenate([one.start_ps for one in parts]),
            np.concatenate([one.end_ps for one in parts]),
            np.concatenate([one.bytes for one in parts]),
        )
        order = np.lexsort((found.tile, found.step, found.start_ps, found.unit, found.core))
        return found.taken(order)


def spans_of(timeline: Timeline, units: tuple[str, ...], ring: str) -> Spans:
    """All spans; `units` are the lanes, `ring` is the lane of parts that go from core to core."""
    columns = _Columns()
    numbers = {name: number for number, name in enumerate(units)}
    for step, work in enumerate(timeline.work):
        if work.on_host:
            _host(columns, timeline, step, numbers[HOST_LANE])
            continue
        for stage in work.stages:
            place = _Place(timeline, step, work, stage)
            add = _outer if stage.level == 0 else _inner
            add(columns, place, numbers[stage.unit])
        if work.hops:
            _hops(columns, timeline, step, work, numbers[ring])
    return columns.spans()


class _Place:
    """One stage of a step: the times of its parts, core by core."""

    def __init__(self, timeline: Timeline, step: int, work: OpWork, stage: Stage) -> None:
        cores = work.cores
        self.step, self.work, self.stage, self.cores, self.tiles = step, work, stage, cores, work.tiles
        self.start, self.filled = timeline.start[step, cores], timeline.filled[step, cores]
        self.steady, self.computed = timeline.steady[step, cores], timeline.computed[step, cores]
        self.arrived = self.computed + timeline.wait[step, cores]
        self.end = timeline.end[step, cores]
        self.read_end, self.write_end = timeline.read_end[step, cores], timeline.write_end[step, cores]

    def size(self, tile: Counts, rows: Counts) -> Counts:
        """Bytes of a tile: equal parts, what does not divide goes to the first."""
        total, count = self.stage.bytes[rows], self.tiles[rows]
        return total // count + (tile < total % count)


def _outer(columns: _Columns, place: _Place, unit: int) -> None:
    """Transfers between the card's memory and a core: tile by tile, one after the other."""
    every = np.flatnonzero(place.stage.bytes > 0)
    first, many = np.zeros(len(every), dtype=np.int64), every[place.tiles[every] > 1]

    def one(rows: Counts, tile: Counts, start: Times, end: Times) -> None:
        columns.add(place.cores[rows], unit, place.step, tile, start[rows], end[rows], place.size(tile, rows))

    if place.stage.read:
        one(every, first, place.start, place.filled)
        _evenly(columns, place, unit, many, 1, place.tiles[many] - 1, (place.filled, place.read_end))
    else:
        _evenly(columns, place, unit, many, 0, place.tiles[many] - 2, (place.filled, place.write_end))
        one(many, place.tiles[many] - 2, place.steady, place.computed)
        one(every, place.tiles[every] - 1, place.arrived, place.end)


def _evenly(
    columns: _Columns, place: _Place, unit: int, rows: Counts, tile: int, counts: Counts, window: tuple[Times, Times]
) -> None:
    """`counts` tiles from number `tile` on, each of the same length, one after the other over a window."""
    low, high = (times[rows] for times in window)
    whole = np.repeat(np.arange(len(rows)), counts)
    number = np.arange(len(whole)) - np.repeat(np.cumsum(counts) - counts, counts)
    length = np.divide(high - low, counts, out=np.zeros(len(rows)), where=counts > 0)
    start = low[whole] + number * length[whole]
    end = low[whole] + (number + 1) * length[whole]
    tiles = number + tile
    columns.add(place.cores[rows][whole], unit, place.step, tiles, start, end, place.size(tiles, rows[whole]))


def _inner(columns: _Columns, place: _Place, unit: int) -> None:
    """Units inside a core: once per tile, as long as they are busy; what is stored ends with the tile."""
    rows = np.flatnonzero(place.stage.busy > 0)
    counts = place.tiles[rows]
    whole = np.repeat(np.arange(len(rows)), counts)
    number = np.arange(len(whole)) - np.repeat(np.cumsum(counts) - counts, counts)
    spread = np.maximum(counts - 1, 1)
    window = (place.steady[rows] - place.filled[rows]) / spread
    last = number == counts[whole] - 1
    low = np.where(last, place.steady[rows][whole], place.filled[rows][whole] + number * window[whole])
    high = np.where(last, place.computed[rows][whole], low + window[whole])
    busy = np.minimum((place.stage.busy[rows] / counts)[whole], high - low)
    start = low if place.stage.read else high - busy
    columns.add(
        place.cores[rows][whole], unit, place.step, number, start, start + busy, place.size(number, rows[whole])
    )


def _hops(columns: _Columns, timeline: Timeline, step: int, work: OpWork, unit: int) -> None:
    """Partial results, on the core that they arrive at."""
    cores = np.array([hop.target for hop in work.hops], dtype=np.int64)
    times = np.array([hop.ns for hop in work.hops])
    arrived = timeline.computed[step, cores] + timeline.wait[step, cores]
    nothing = np.zeros(len(cores), dtype=np.int64)
    columns.add(cores, unit, step, nothing, arrived - times, arrived, nothing)


def _host(columns: _Columns, timeline: Timeline, step: int, unit: int) -> None:
    core, tile = np.array([CARD]), np.zeros(1, dtype=np.int64)
    start, end = timeline.start[step].max(keepdims=True), timeline.end[step].max(keepdims=True)
    columns.add(core, unit, step, tile, start, end, tile)
