"""Stalls: when a core waited, for what, and for whom.

Owns waits before a step, for partial results, for the end of kernels, and what sharing added to a step.  Refuses idle
cores that have nothing to do: nobody keeps them waiting.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.timing.spans import picoseconds
from simulator.timing.timeline import Cause, Timeline
from simulator.trace import Stalls

SHARED = (Cause.MEMORY, Cause.RING)
"""What a step may be bound by that other cores have a part in."""
Column = NDArray[np.int64]


def stalls_of(timeline: Timeline, kernels: tuple[tuple[int, int], ...]) -> Stalls:
    """All waits of a run; `kernels` are the first step of each and the one behind its last."""
    rows = [_before(timeline), _partial(timeline), _shared(timeline), _ends(timeline, kernels)]
    core, step, start, end, cause, by_step, by_core = (
        np.concatenate([row[place] for row in rows]) for place in range(7)
    )
    kept = np.flatnonzero(end > start)
    order = kept[np.lexsort((cause[kept], end[kept], start[kept], core[kept]))]
    return Stalls(
        core[order].astype(np.int16),
        step[order].astype(np.int32),
        start[order],
        end[order],
        cause[order].astype(np.int8),
        by_step[order].astype(np.int32),
        by_core[order].astype(np.int16),
    )


def _before(timeline: Timeline) -> tuple[Column, ...]:
    """Between the end of the core's step before and the begin of this one."""
    step, core = np.nonzero(timeline.start >= 0)
    start, end = picoseconds(timeline.ready[step, core]), picoseconds(timeline.start[step, core])
    by_step, by_core = timeline.by_step[step, core], timeline.by_core[step, core]
    return _wide(core, step, start, end, timeline.cause[step, core], by_step, by_core)


def _partial(timeline: Timeline) -> tuple[Column, ...]:
    """Between a core's own sum and the arrival of the one before it."""
    step, core = np.nonzero(timeline.wait > 0)
    start = timeline.computed[step, core]
    end = start + timeline.wait[step, core]
    sources = [{hop.target: hop.source for hop in one.hops} for one in timeline.work]
    by_core = np.array([sources[each].get(one, -1) for each, one in zip(step.tolist(), core.tolist(), strict=True)])
    cause = np.full(len(step), Cause.PARTIAL)
    return _wide(core, step, picoseconds(start), picoseconds(end), cause, step, by_core)


def _shared(timeline: Timeline) -> tuple[Column, ...]:
    """What a step took longer than with the machine to itself, shown at its end."""
    step, core = np.nonzero((timeline.start >= 0) & np.isin(timeline.bound, SHARED))
    start, end = timeline.start[step, core], timeline.end[step, core]
    waited = timeline.wait[step, core] > 0
    arrived = timeline.computed[step, core] + timeline.wait[step, core]
    alone = np.maximum(start + timeline.alone_ns[step, core], np.where(waited, arrived, start))
    nobody = np.full(len(step), -1)
    cause = timeline.bound[step, core]
    return _wide(core, step, picoseconds(np.minimum(alone, end)), picoseconds(end), cause, nobody, nobody)


def _ends(timeline: Timeline, kernels: tuple[tuple[int, int], ...]) -> tuple[Column, ...]:
    """Between the last step of a core in a kernel and the begin of the next kernel, if it has anything to do later."""
    found: list[tuple[Column, ...]] = []
    following = _following(timeline)
    for number, (first, last) in enumerate(kernels[:-1]):
        ends = timeline.end[first:last]
        core = np.flatnonzero((ends >= 0).any(axis=0) & (following[last] < len(timeline.work)))
        if not len(core):
            continue
        latest = int(np.argmax(ends.max(axis=1)))
        by_core = int(np.argmax(ends[latest]))
        start = picoseconds(ends[:, core].max(axis=0))
        end = np.full(len(core), picoseconds(timeline.kernel_start[number + 1 : number + 2])[0])
        same = np.ones(len(core), dtype=np.int64)
        step, cause = following[last][core], same * Cause.LAUNCH
        found.append(_wide(core, step, start, end, cause, same * (first + latest), same * by_core))
    nothing = np.zeros(0, dtype=np.int64)
    return tuple(np.concatenate([row[place] for row in found] or [nothing]) for place in range(7))


def _following(timeline: Timeline) -> Column:
    """For each step and core the first one from that step on that runs on the core; the number of steps for none."""
    count, cores = timeline.end.shape
    steps = np.where(timeline.end >= 0, np.arange(count)[:, None], count)
    return np.minimum.accumulate(np.vstack([steps, np.full((1, cores), count)])[::-1], axis=0)[::-1]


def _wide(*columns: NDArray[np.integer]) -> tuple[Column, ...]:
    return tuple(column.astype(np.int64) for column in columns)
