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
from simulator.timing.watch import Watch
from simulator.timing.work import Counts, OpWork, Stage, Times
from simulator.trace import CARD, PS_PER_NS, Spans

HOST_LANE = "host"
_WIDE = np.zeros(0, dtype=np.int64)
_NARROW = np.zeros(0, dtype=np.int32)
_NOTHING = Spans(np.zeros(0, np.int16), np.zeros(0, np.int8), _NARROW, _NARROW, _NARROW, _WIDE, _WIDE, _WIDE, _WIDE)


def picoseconds(times: Times) -> NDArray[np.int64]:
    """Whole picoseconds of times in ns; -1 stays -1."""
    return np.where(times < 0, -1, np.rint(times * PS_PER_NS)).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class _Row:
    """What rows that are added together have in common, and the core of each."""

    core: Counts
    unit: int
    step: int


@dataclass(slots=True)
class _Columns:
    """Spans as they are found, by addition, each as narrow as it is kept; those of no length are left out."""

    parts: list[Spans] = field(default_factory=list)

    def add(
        self, place: _Row, tile: Counts, count: Counts, start: Times, end: Times, busy: Times, size: Counts
    ) -> None:
        low, high = picoseconds(start), picoseconds(end)
        kept = np.flatnonzero((high > low) & (count > 0))
        if len(kept):
            room = high[kept] - low[kept]
            shown = np.where(room < count[kept], 1, count[kept])  # a tile takes a picosecond at least
            each = np.minimum(np.rint(busy[kept] * PS_PER_NS).astype(np.int64), room) // shown
            self.parts.append(
                Spans(
                    place.core[kept].astype(np.int16),
                    np.full(len(kept), place.unit, dtype=np.int8),
                    np.full(len(kept), place.step, dtype=np.int32),
                    tile[kept].astype(np.int32),
                    shown.astype(np.int32),
                    low[kept],
                    high[kept],
                    np.maximum(each, 1) * shown,
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
            np.concatenate([one.count for one in parts]),
            np.concatenate([one.start_ps for one in parts]),
            np.concatenate([one.end_ps for one in parts]),
            np.concatenate([one.busy_ps for one in parts]),
            np.concatenate([one.bytes for one in parts]),
        )
        order = np.lexsort((found.tile, found.step, found.start_ps, found.unit, found.core))
        return found.taken(order)


def spans_of(
    timeline: Timeline, units: tuple[str, ...], ring: str, buffers: int = 2, watch: Watch | None = None
) -> Spans:
    """All spans; `units` are the lanes, `ring` is the lane of parts that go from core to core.

    With one of `buffers` a core moves its whole part at once: one tile.  `watch` hears of every step.
    """
    columns = _Columns()
    numbers = {name: number for number, name in enumerate(units)}
    for step, work in enumerate(timeline.work):
        if watch:
            watch.ended(work.name)
        if work.on_host:
            _host(columns, timeline, step, numbers[HOST_LANE])
            continue
        for stage in work.stages:
            place = _Place(timeline, step, work, stage, buffers)
            add = _outer if stage.level == 0 else _inner
            add(columns, place, numbers[stage.unit])
        if work.hops:
            _hops(columns, timeline, step, work, numbers[ring])
    return columns.spans()


class _Place:
    """One stage of a step: the times of its parts, core by core."""

    def __init__(self, timeline: Timeline, step: int, work: OpWork, stage: Stage, buffers: int) -> None:
        cores = work.cores
        self.step, self.stage, self.cores = step, stage, cores
        self.tiles = work.tiles if buffers > 1 else np.ones_like(work.tiles)
        self.late = np.isin(cores, [hop.target for hop in work.hops])
        self.start, self.filled = timeline.start[step, cores], timeline.filled[step, cores]
        self.steady, self.computed = timeline.steady[step, cores], timeline.computed[step, cores]
        self.arrived = self.computed + timeline.wait[step, cores]
        self.end = timeline.end[step, cores]
        self.read_end, self.write_end = timeline.read_end[step, cores], timeline.write_end[step, cores]

    def row(self, rows: Counts, unit: int) -> _Row:
        """Some of its cores."""
        return _Row(self.cores[rows], unit, self.step)

    def size(self, tile: Counts, count: Counts, rows: Counts) -> Counts:
        """Bytes of `count` tiles from `tile` on: equal parts, what does not divide goes to the first."""
        total, tiles = self.stage.bytes[rows], self.tiles[rows]
        over = total % tiles
        more: Counts = np.clip(over - tile, 0, count)
        return count * (total // tiles) + more


def _outer(columns: _Columns, place: _Place, unit: int) -> None:
    """Transfers between the card's memory and a core: tile by tile, one after the other; what rests on a partial result
    goes out after that has come."""
    every = np.flatnonzero(place.stage.bytes > 0)
    many = every[place.tiles[every] > 1]
    late = place.late[every]

    def packed(rows: Counts, tile: Counts, count: Counts, start: Times, end: Times) -> None:
        low, high = start[rows], end[rows]
        count = np.maximum(count, 0)
        columns.add(place.row(rows, unit), tile, count, low, high, high - low, place.size(tile, count, rows))

    def one(rows: Counts, tile: Counts, start: Times, end: Times) -> None:
        packed(rows, tile, np.ones(len(rows), dtype=np.int64), start, end)

    if place.stage.read:
        one(every, np.zeros(len(every), dtype=np.int64), place.start, place.filled)
        packed(many, np.ones(len(many), dtype=np.int64), place.tiles[many] - 1, place.filled, place.read_end)
        return
    early, known, whole = many[~place.late[many]], every[~late], every[late]
    packed(early, np.zeros(len(early), dtype=np.int64), place.tiles[early] - 2, place.filled, place.write_end)
    one(early, place.tiles[early] - 2, place.steady, place.computed)
    one(known, place.tiles[known] - 1, place.arrived, place.end)
    packed(whole, np.zeros(len(whole), dtype=np.int64), place.tiles[whole], place.arrived, place.end)


def _inner(columns: _Columns, place: _Place, unit: int) -> None:
    """Units inside a core: once per tile, as long as they are busy; what is stored ends with the tile."""
    rows = np.flatnonzero(place.stage.busy > 0)
    tiles = place.tiles[rows]
    count = tiles - 1
    each = place.stage.busy[rows] / tiles
    window = (place.steady[rows] - place.filled[rows]) / np.maximum(count, 1)
    busy = np.minimum(each, window)
    start = place.filled[rows] + (0.0 if place.stage.read else window - busy)
    end = start + np.maximum(count - 1, 0) * window + busy
    first = np.zeros(len(rows), dtype=np.int64)
    columns.add(place.row(rows, unit), first, count, start, end, busy * count, place.size(first, count, rows))
    low, high = place.steady[rows], place.computed[rows]
    busy = np.minimum(each, high - low)
    start = low if place.stage.read else high - busy
    ones = np.ones(len(rows), dtype=np.int64)
    columns.add(place.row(rows, unit), count, ones, start, start + busy, busy, place.size(count, ones, rows))


def _hops(columns: _Columns, timeline: Timeline, step: int, work: OpWork, unit: int) -> None:
    """Partial results, on the core that they arrive at; several that come together are one span, as long as the
    longest."""
    longest: dict[int, float] = {}
    together: dict[int, int] = {}
    for hop in work.hops:
        longest[hop.target] = max(hop.ns, longest.get(hop.target, 0.0))
        together[hop.target] = together.get(hop.target, 0) + hop.bytes
    cores, times = np.array(list(longest), dtype=np.int64), np.array(list(longest.values()))
    arrived = timeline.computed[step, cores] + timeline.wait[step, cores]
    nothing, ones = np.zeros(len(cores), dtype=np.int64), np.ones(len(cores), dtype=np.int64)
    size = np.array(list(together.values()), dtype=np.int64)
    columns.add(_Row(cores, unit, step), nothing, ones, arrived - times, arrived, times, size)


def _host(columns: _Columns, timeline: Timeline, step: int, unit: int) -> None:
    start, end = timeline.start[step].max(keepdims=True), timeline.end[step].max(keepdims=True)
    nothing, ones = np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64)
    columns.add(_Row(np.array([CARD]), unit, step), nothing, ones, start, end, end - start, nothing)
