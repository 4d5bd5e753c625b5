"""Critical path: the chain of steps and waits that decides when a program ends.

Owns the walk back from the last core that ends: what a step was bound by, and what it waited for.  Refuses
alternatives: of chains that take equally long it is the one over the lowest step and core.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.timing.spans import picoseconds
from simulator.timing.timeline import Cause, Timeline
from simulator.trace import CARD, CriticalLink


def critical_path(timeline: Timeline, kernels: tuple[tuple[int, int], ...]) -> tuple[CriticalLink, ...]:
    """The links in order of time; together they reach from the first begin to the end of the run."""
    if not len(timeline.work) or not (timeline.end >= 0).any():
        return ()
    before = _before(timeline)
    kernel_of = np.repeat(np.arange(len(kernels)), [last - first for first, last in kernels])
    found: list[CriticalLink] = []
    place = _last(timeline.end, 0)
    while place is not None:
        step, core = place
        place = _linked(timeline, step, core, found)
        if place is None:
            place = _waited_for(timeline, step, core, before, kernels, int(kernel_of[step]))
    return tuple(reversed(found))


def _linked(timeline: Timeline, step: int, core: int, found: list[CriticalLink]) -> tuple[int, int] | None:
    """Adds what a step did on a core; the core before it if it waited for a partial result."""
    bound = int(timeline.bound[step, core])
    start, end = timeline.start[step, core], timeline.end[step, core]
    sender = next((hop for hop in timeline.work[step].hops if hop.target == core), None)
    if sender is None or timeline.wait[step, core] <= 0:
        found.append(_link(timeline, step, core, start, end, bound))
        return None
    arrived = timeline.computed[step, core] + timeline.wait[step, core] - sender.ns
    found.append(_link(timeline, step, core, arrived, end, int(Cause.PARTIAL)))
    return step, sender.source


def _link(timeline: Timeline, step: int, core: int, start: float, end: float, cause: int) -> CriticalLink:
    low, high = picoseconds(np.array([start, end]))
    number = CARD if timeline.work[step].on_host else core
    return CriticalLink(step, number, int(low), int(high), cause)


def _waited_for(
    timeline: Timeline,
    step: int,
    core: int,
    before: NDArray[np.int64],
    kernels: tuple[tuple[int, int], ...],
    kernel: int,
) -> tuple[int, int] | None:
    """Who had to end for a step to begin on a core; None at the begin of the run."""
    cause = timeline.cause[step, core]
    if cause in (Cause.PRODUCER, Cause.PARTNER) and timeline.by_step[step, core] >= 0:
        place = int(timeline.by_step[step, core]), int(timeline.by_core[step, core])
        if place[0] != step:
            return place
        partner = place[1]
        return (int(before[step, partner]), partner) if before[step, partner] >= 0 else None
    earlier = int(before[step, core])
    if earlier >= kernels[kernel][0]:
        return earlier, core
    if kernel == 0:
        return None
    first, last = kernels[kernel - 1]
    return _last(timeline.end[first:last], first)


def _last(ends: NDArray[np.float64], first: int) -> tuple[int, int] | None:
    """The step and core that end last, the lowest of equals."""
    if ends.max(initial=-1.0) < 0:
        return None
    step, core = np.unravel_index(int(np.argmax(ends)), ends.shape)
    return int(step) + first, int(core)


def _before(timeline: Timeline) -> NDArray[np.int64]:
    """For each step and core the last step before that ran on the core, -1 for none."""
    steps = np.where(timeline.end >= 0, np.arange(len(timeline.work))[:, None], -1)
    latest = np.maximum.accumulate(steps, axis=0)
    return np.vstack([np.full((1, steps.shape[1]), -1), latest[:-1]])
