"""Bounds: what took longest in a step, and how long it would have taken with the machine to itself.

Owns both readings of a finished run; they change nothing in it.  Refuses waits before a step: those have their cause
in the record.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from simulator.timing.parts import Parts
from simulator.timing.record import Record
from simulator.timing.timeline import Cause, Causes
from simulator.timing.work import OpWork, Times

CLOSE = 1e-6
"""A part that took longer than it has to by no more than this share was not held up."""
_RANKED = (Cause.MEMORY, Cause.DELIVERY, Cause.COMPUTE, Cause.RING, Cause.PARTIAL, Cause.PARTNER)


def bounds_of(work: Sequence[OpWork], parts: Parts, record: Record, linked: NDArray[np.bool_]) -> Causes:
    """The cause that took most of each step's time on each core, the first of `Cause` of equals; NOTHING where no time
    passed.

    What reading took is DELIVERY if it came as fast as it can be handed out, COMPUTE (a core's own units) if as fast as
    the core can take it, else MEMORY; a part in which units, reads and writes run side by side counts for the one that
    ended it.  `linked`, shape (steps, cores), says where a core's own time is that of a link of the ring.
    """
    own = np.where(linked, Cause.RING, Cause.COMPUTE)
    own[[each.on_host for each in work]] = Cause.MEMORY
    spent = np.zeros((len(_RANKED), *record.start.shape))

    def charge(time: Times, causes: NDArray[np.int64]) -> None:
        for place, cause in enumerate(_RANKED):
            spent[place] += np.where(causes == cause, time, 0.0)

    filling, beside = record.filled - record.start, record.steady - record.filled
    charge(filling, _read_cause(filling, parts, 1 / parts.tiles))
    read = _read_cause(beside, parts, (parts.tiles - 1) / parts.tiles)
    moving = np.where(record.read_end >= record.write_end, read, Cause.MEMORY)
    charge(beside, np.where(_on_time(beside, parts.steady_own), own, moving))
    last = record.computed - record.steady
    charge(last, np.where(_on_time(last, parts.last_own), own, Cause.MEMORY))
    charge(np.maximum(record.wait, 0.0), np.full(own.shape, Cause.PARTIAL))
    ending = record.end - record.computed - record.wait
    kept = (parts.movers_out > 0) & _on_time(ending, parts.drain / parts.most_out)
    charge(ending, np.where(kept, int(Cause.COMPUTE), _end_cause(work, own.shape)))
    bound = np.array(_RANKED, dtype=np.int8)[spent.argmax(axis=0)]
    return np.where((record.start >= 0) & (spent.max(axis=0) > 0), bound, np.int8(Cause.NOTHING)).astype(np.int8)


def alone_of(work: Sequence[OpWork], parts: Parts, own_alone: Times, turnaround: float) -> Times:
    """How long each step would take on each core with the machine to itself, in ns, shape (steps, cores).

    `own_alone` is what the core's own units or the ring take in all, `turnaround` that of `MemoryShare`.
    """
    alone_parts = own_alone / parts.tiles
    filled = np.where(parts.shares, parts.fill / parts.most_in, parts.fill)
    moved = _side_by_side(parts, turnaround)
    steady = np.maximum(moved, alone_parts * (parts.tiles - 1))
    alone = filled + steady + np.maximum(alone_parts, parts.last_write / parts.most_out) + parts.drain / parts.most_out
    for place, each in enumerate(work):
        for hop in each.hops:
            alone[place, [hop.source, hop.target]] += hop.ns
    return np.asarray(alone, dtype=np.float64)


def _side_by_side(parts: Parts, turnaround: float) -> Times:
    """A core's steady reads and writes when only they use the memory: together until one is through, then the other."""
    read, write = np.where(parts.shares, parts.steady_read, 0.0), parts.steady_write
    into, out = 1 + turnaround * parts.read_moving, 1 + turnaround * parts.write_moving
    fair = 1 / (1 + np.minimum(into, out))
    slow_in, slow_out = np.minimum(fair, parts.most_in), np.minimum(fair, parts.most_out)
    left_in = np.maximum(1 - slow_out * out, (1 - slow_out) / into)
    left_out = np.maximum(1 - slow_in * into, (1 - slow_in) / out)
    pace_in = np.where(slow_out < fair, np.minimum(left_in, parts.most_in), slow_in)
    pace_out = np.where(slow_in < fair, np.minimum(left_out, parts.most_out), slow_out)
    both = np.minimum(read / pace_in, write / pace_out)
    rest = (read - pace_in * both) / parts.most_in + (write - pace_out * both) / parts.most_out
    beside = np.where(parts.shares, 0.0, parts.steady_read)
    return np.asarray(np.maximum(both + rest, beside), dtype=np.float64)


def _read_cause(time: Times, parts: Parts, share: Times) -> NDArray[np.int64]:
    """What reading a share of everything took its time for."""
    handed = np.where(_on_time(time, parts.delivery * share), int(Cause.DELIVERY), int(Cause.MEMORY))
    return np.where(_on_time(time, parts.movers_in * share), int(Cause.COMPUTE), handed)


def _on_time(time: Times, least: Times) -> NDArray[np.bool_]:
    return np.asarray((least > 0) & (time <= least * (1 + CLOSE)), dtype=bool)


def _end_cause(work: Sequence[OpWork], shape: tuple[int, ...]) -> NDArray[np.int64]:
    """What the time after the last partial result was spent with."""
    causes = np.full(shape, int(Cause.MEMORY), dtype=np.int64)
    for place, each in enumerate(work):
        causes[place, [hop.source for hop in each.hops]] = Cause.PARTIAL
        if each.fragments is not None:
            causes[place] = Cause.PARTNER
    return causes
