"""Lanes of a timeline: which tracks stand under each other while some cores are open, where, and how they are called.

Owns: order, heights and names.  Refuses: Qt and what is drawn in a lane.  Heights are in pixels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.trace import CARD
from spyre_studio.timeline_data import TimelineData, TrackKind

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Lane:
    """One row: a track and where it stands.  The first lane of a core has its steps; `opened` says whether those of its
    units and waits follow."""

    track: int
    core: int
    top: float
    height: float
    opened: bool = False
    inner: bool = False

    @property
    def is_head(self) -> bool:
        """True for the first lane of a core."""
        return self.core != CARD and not self.inner

    @property
    def bottom(self) -> float:
        """Where it ends."""
        return self.top + self.height

    def moved(self, way: float) -> Lane:
        """The same lane so much further down."""
        return Lane(self.track, self.core, self.top + way, self.height, self.opened, self.inner)


@dataclass(frozen=True, slots=True, eq=False)
class Lanes:
    """All of them from top to bottom; `height` is the sum with the gaps between groups, `card_height` that of the lanes
    of the whole card, which do not scroll, with the gap below them."""

    lanes: tuple[Lane, ...]
    tops: Floats
    height: float
    card_height: float

    def in_view(self, scroll: float, height: float) -> tuple[Lane, ...]:
        """Those of the card, then those of cores in view with so much scrolled away, each where it is seen."""
        card = tuple(lane for lane in self.lanes if lane.core == CARD)
        first = max(int(np.searchsorted(self.tops, scroll + self.card_height, "right")) - 1, len(card))
        last = int(np.searchsorted(self.tops, scroll + height, "left"))
        return (*card, *(lane.moved(-scroll) for lane in self.lanes[first:last]))

    def at(self, y: float, scroll: float) -> int:
        """The number of the lane at a height as seen, -1 in a gap."""
        y = y + scroll if y >= self.card_height else y
        place = int(np.searchsorted(self.tops, y, "right")) - 1
        return place if place >= 0 and y < self.lanes[place].bottom else -1

    def head_of(self, core: int) -> Lane | None:
        """The first lane of a core."""
        return next((lane for lane in self.lanes if lane.is_head and lane.core == core), None)


def lanes_of(data: TimelineData, opened: frozenset[int], row: float, gap: float) -> Lanes:
    """The lanes with some cores open: the card, a gap, then core by core with a gap around those that are open."""
    lanes: list[Lane] = []
    top = 0.0

    def put(track: int, core: int, *, is_open: bool = False, inner: bool = False) -> None:
        nonlocal top
        lanes.append(Lane(track, core, top, row, is_open, inner))
        top += row

    for track in data.card:
        put(track, CARD)
    top += gap
    card_height = top
    for core, tracks in enumerate(data.cores):
        is_open = core in opened
        if is_open and core and core - 1 not in opened:
            top += gap
        put(tracks.steps, core, is_open=is_open)
        for track in tracks.inner if is_open else ():
            put(track, core, inner=True)
        top += gap if is_open else 0.0
    return Lanes(tuple(lanes), np.array([lane.top for lane in lanes], float), top, card_height)


def lane_name(data: TimelineData, lane: Lane) -> str:
    """What stands beside it. Examples: 'kernels', 'core 3', 'dma_in', 'waits'."""
    track = data.tracks[lane.track]
    match track.kind:
        case TrackKind.STEPS:
            return f"core {track.core}"
        case TrackKind.UNIT | TrackKind.HOST:
            return data.trace.units[track.unit]
        case _:
            return str(track.kind)
