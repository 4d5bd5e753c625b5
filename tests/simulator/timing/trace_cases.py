"""Timelines by hand: marks of steps on cores, and the work behind them.

Owns constructors; what is read off a timeline is a test's business.  Times are in ns, those of a trace in ps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from simulator.timing.timeline import Cause, Timeline
from simulator.timing.work import OpWork, Stage
from simulator.trace import Spans
from tests.simulator.timing.clock_cases import Act

UNITS = ("in", "load", "unit", "store", "out", "ring", "host")


@dataclass(frozen=True)
class Ran:
    """When the parts of a step ended on a core; what is left out falls together with what is before it."""

    start: float
    filled: float = -1
    steady: float = -1
    computed: float = -1
    end: float = -1
    read_end: float = -1
    write_end: float = -1
    wait: float = 0
    ready: float = -1
    alone: float = -1
    cause: Cause = Cause.NOTHING
    by: tuple[int, int] = (-1, -1)
    bound: Cause = Cause.MEMORY


def stage(
    unit: str, size: int | Sequence[int], busy: float | Sequence[float], *, level: int = 0, read: bool = True
) -> Stage:
    """A stage on as many cores as there are sizes."""
    sizes, times = np.atleast_1d(np.array(size, dtype=np.int64)), np.atleast_1d(np.array(busy, dtype=np.float64))
    return Stage(unit, level, read, sizes, np.broadcast_to(times, sizes.shape).copy())


def staged(step: Act, *stages: Stage) -> OpWork:
    """The work of a step with what its data goes through."""
    return replace(step.work, stages=stages)


def timeline(
    work: Sequence[OpWork], cores: int, ran: Mapping[tuple[int, int], Ran], kernels: Sequence[tuple[float, float]] = ()
) -> Timeline:
    """A timeline whose step and core at each key ran as said."""
    shape = (len(work), cores)
    names = ("ready", "start", "filled", "steady", "computed", "end", "read_end", "write_end", "wait", "alone")
    times = {name: np.full(shape, -1.0) for name in names}
    causes = {name: np.zeros(shape, dtype=np.int8) for name in ("cause", "bound")}
    by_step, by_core = (np.full(shape, -1, dtype=np.int32) for _ in range(2))
    for place, each in ran.items():
        for name, value in _whole(each).items():
            times[name][place] = value
        causes["cause"][place], causes["bound"][place] = each.cause, each.bound
        by_step[place], by_core[place] = each.by
    total = float(times["end"].max(initial=0.0))
    launched = np.array(kernels or [(0.0, total)])
    alone = times.pop("alone")
    return Timeline(
        work=tuple(work),
        cores=cores,
        **times,
        alone_ns=alone,
        cause=causes["cause"],
        bound=causes["bound"],
        by_step=by_step,
        by_core=by_core,
        kernel_start=launched[:, 0],
        kernel_end=launched[:, 1],
        total_ns=total,
    )


def _whole(ran: Ran) -> dict[str, float]:
    """All marks."""
    filled = ran.start if ran.filled < 0 else ran.filled
    read_end, write_end = (filled if mark < 0 else mark for mark in (ran.read_end, ran.write_end))
    steady = max(filled, read_end, write_end) if ran.steady < 0 else ran.steady
    computed = steady if ran.computed < 0 else ran.computed
    end = computed + ran.wait if ran.end < 0 else ran.end
    return {
        "ready": ran.start if ran.ready < 0 else ran.ready,
        "start": ran.start,
        "filled": filled,
        "steady": steady,
        "computed": computed,
        "end": end,
        "read_end": read_end,
        "write_end": write_end,
        "wait": ran.wait,
        "alone": end - ran.start if ran.alone < 0 else ran.alone,
    }


def tiles_of(spans: Spans, unit: int, core: int = 0) -> list[tuple[int, int, int, int]]:
    """(tile, start, end, bytes) of every tile of a unit."""
    every = spans.expanded()
    rows = np.flatnonzero((every.unit == unit) & (every.core == core))
    columns = (every.tile, every.start_ps, every.end_ps, every.bytes)
    return list(zip(*(column[rows].tolist() for column in columns), strict=True))
