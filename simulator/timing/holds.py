"""Holds: which tensor has which place in each core's LX, from when to when.

Owns the link between a program's tensors and a timeline, and how full that makes LX.  Refuses liveness in steps: what
counts is when a core begins to write a tensor and when the last one that reads it has ended.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from compiler.program import DeviceTensor, Memory, Program
from simulator.timing.spans import picoseconds
from simulator.timing.timeline import Timeline
from simulator.trace import Holds, LxUse

Wide = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Uses:
    """Steps, in order, that write or read a tensor; `ringed` are those of them that other cores read in."""

    writes: tuple[int, ...]
    reads: tuple[int, ...]
    ringed: frozenset[int]


def holds_of(program: Program, timeline: Timeline) -> Holds:
    """Every part of a tensor in LX that is held for any time; a tensor that takes over a place ends what was there when
    it begins."""
    uses = _uses(program)
    rows: list[tuple[Wide, ...]] = []
    for number, tensor in enumerate(program.tensors):
        if tensor.memory is Memory.LX and tensor.boxes and tensor.name in uses:
            rows.append(_rows(number, tensor, uses[tensor.name], timeline))
    if not rows:
        nothing = np.zeros(0, dtype=np.int64)
        return Holds(nothing.astype(np.int16), nothing.astype(np.int32), nothing, nothing, nothing, nothing)
    core, tensors, address, size, start, end = (np.concatenate([row[place] for row in rows]) for place in range(6))
    order = np.lexsort((address, start, core))
    core, tensors, address, size, start, end = (each[order] for each in (core, tensors, address, size, start, end))
    end = _handed_over(core, address, size, start, end)
    kept = np.flatnonzero(end > start)
    core, tensors, address, size, start, end = (each[kept] for each in (core, tensors, address, size, start, end))
    return Holds(core.astype(np.int16), tensors.astype(np.int32), address, size, start, end)


def _uses(program: Program) -> dict[str, _Uses]:
    writes: dict[str, list[int]] = {}
    reads: dict[str, list[int]] = {}
    ringed: dict[str, set[int]] = {}
    steps = (op for kernel in program.kernels for op in kernel.ops)
    for number, op in enumerate(steps):
        for access in op.op.reads:
            reads.setdefault(access.buffer, []).append(number)
            if op.ring:
                ringed.setdefault(access.buffer, set()).add(number)
        for access in op.op.writes:
            writes.setdefault(access.buffer, []).append(number)
    return {
        name: _Uses(tuple(writes[name]), tuple(reads.get(name, ())), frozenset(ringed.get(name, ()))) for name in writes
    }


def _rows(number: int, tensor: DeviceTensor, uses: _Uses, timeline: Timeline) -> tuple[Wide, ...]:
    """core, tensor, address, bytes, start, end, one entry per core that holds a part."""
    cores = np.array([box.core for box in tensor.boxes], dtype=np.int64)
    size = np.array([np.prod(box.size) * tensor.layout.element_bytes for box in tensor.boxes], dtype=np.int64)
    start = timeline.start[uses.writes[0], cores]
    end = timeline.end[uses.writes[0], cores]
    for step in (*uses.writes, *uses.reads):
        until = timeline.end[step].max() if step in uses.ringed else timeline.end[step, cores]
        end = np.maximum(end, until)
    kept = np.flatnonzero(start >= 0)
    shape = np.ones(len(kept), dtype=np.int64)
    return (
        cores[kept],
        shape * number,
        shape * tensor.address,
        size[kept],
        picoseconds(start[kept]),
        picoseconds(end[kept]),
    )


def _handed_over(core: Wide, address: Wide, size: Wide, start: Wide, end: Wide) -> Wide:
    """The ends, with those cut whose bytes another tensor takes while they are held: an in-place step hands them over.
    Rows are sorted by core and start."""
    ends = end.copy()
    alive: list[int] = []
    for row in range(len(core)):
        alive = [one for one in alive if core[one] == core[row] and ends[one] > start[row]]
        for one in alive:
            if address[one] < address[row] + size[row] and address[row] < address[one] + size[one]:
                ends[one] = start[row]
        alive.append(row)
    return ends


def lx_use(holds: Holds, cores: int, total_ps: int) -> tuple[LxUse, ...]:
    """How full LX was on every core; cores whose parts come and go in the same order are looked at once."""
    known: dict[tuple[tuple[int, int, bool], ...], tuple[int, float]] = {}
    found = []
    edges = np.searchsorted(holds.core, np.arange(cores + 1))
    for core in range(cores):
        rows = slice(int(edges[core]), int(edges[core + 1]))
        address, size = holds.address[rows], holds.bytes[rows]
        start, end = holds.start_ps[rows], holds.end_ps[rows]
        events = _events(address, size, start, end)
        if events not in known:
            known[events] = _fullest(events)
        peak, fragmentation = known[events]
        mean = float((size * (end - start)).sum()) / total_ps if total_ps else 0.0
        found.append(LxUse(core, peak, mean, fragmentation))
    return tuple(found)


def _events(address: Wide, size: Wide, start: Wide, end: Wide) -> tuple[tuple[int, int, bool], ...]:
    """(address, bytes, here) of every coming and going in order; at the same time places are left first."""
    when = np.concatenate((start, end))
    comes = np.concatenate((np.ones(len(start), dtype=bool), np.zeros(len(end), dtype=bool)))
    order = np.lexsort((comes, when))
    places, sizes = np.tile(address, 2)[order], np.tile(size, 2)[order]
    return tuple(zip(places.tolist(), sizes.tolist(), comes[order].tolist(), strict=True))


def _fullest(events: Iterable[tuple[int, int, bool]]) -> tuple[int, float]:
    """The largest sum of bytes, and the largest share of the bytes below the highest address that nobody holds."""
    alive: dict[int, int] = {}
    taken, peak, worst = 0, 0, 0.0
    for address, size, comes in events:
        if comes:
            alive[address] = size
            taken += size
        elif address in alive:
            taken -= alive.pop(address)
        if not taken:
            continue
        peak = max(peak, taken)
        top = max(one + bytes_ for one, bytes_ in alive.items())
        worst = max(worst, 1 - taken / top)
    return peak, worst
