"""Critical path: the chain of steps and waits that decides when a program ends.

Owns the walk back from the last core that ends: what a step was bound by, and whose end it waited for.  Refuses
alternatives: of steps and cores that end last it begins with the lowest; who was waited for stands in the timeline.
"""

from __future__ import annotations

import numpy as np

from simulator.timing.spans import picoseconds
from simulator.timing.timeline import Cause, Timeline
from simulator.timing.work import Hop
from simulator.trace import CARD, CriticalLink

_CLOSE = 1e-6
"""A wait that is no longer than the hop itself, but for this share, was no wait for the sender."""


def critical_path(timeline: Timeline) -> tuple[CriticalLink, ...]:
    """The links in order of time, each beginning where the one before ends, but for the launch of kernels; together
    they reach to the end of the run."""
    if not (timeline.end >= 0).any():
        return ()
    found: list[CriticalLink] = []
    last = np.unravel_index(int(np.argmax(timeline.end)), timeline.end.shape)
    step, core = _taken(timeline, int(last[0]), int(last[1]))
    until = float(timeline.end[step, core])
    while step >= 0:
        hop = _waited_for(timeline, step, core)
        if hop is None:
            start, bound = float(timeline.start[step, core]), int(timeline.bound[step, core])
            _link(found, timeline, (step, core), (start, until), bound)
            step, core = _taken(timeline, int(timeline.by_step[step, core]), int(timeline.by_core[step, core]))
            until = float(timeline.end[step, core])
            continue
        begin = float(timeline.computed[step, core] + timeline.wait[step, core]) - hop.ns
        _link(found, timeline, (step, core), (begin, until), int(Cause.PARTIAL))
        core, until = hop.source, begin
    return tuple(reversed(found))


def _waited_for(timeline: Timeline, step: int, core: int) -> Hop | None:
    """The hop whose sender kept a core waiting: the one whose sender was through last; None if that was the core."""
    hops = [hop for hop in timeline.work[step].hops if hop.target == core]
    if not hops:
        return None
    last = max(hops, key=lambda hop: (_ready(timeline, step, hop.source) + hop.ns, -hop.source))
    waited = float(timeline.wait[step, core])
    return last if waited > last.ns * (1 + _CLOSE) else None


def _taken(timeline: Timeline, step: int, core: int) -> tuple[int, int]:
    """The core that ends a step: who gets a partial result, if it ends with the core that sends it."""
    targets = {hop.source: hop.target for hop in timeline.work[step].hops} if step >= 0 else {}
    while core in targets and timeline.end[step, targets[core]] == timeline.end[step, core]:
        core = targets[core]
    return step, core


def _ready(timeline: Timeline, step: int, core: int) -> float:
    """When a core has all that it passes on."""
    return float(timeline.computed[step, core] + timeline.wait[step, core])


def _link(
    found: list[CriticalLink], timeline: Timeline, place: tuple[int, int], times: tuple[float, float], cause: int
) -> None:
    """Add a link if it takes any time."""
    (step, core), (low, high) = place, picoseconds(np.array(times)).tolist()
    if high > low:
        found.append(CriticalLink(step, CARD if timeline.work[step].on_host else core, low, high, cause))
