"""Traces made by rule, of any size, for tests of the timeline: steps one after the other on every core.

Owns: the rule.  Refuses: a simulator; what it says of real programs is tested with it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.timing.timeline import Cause
from simulator.trace import (
    CriticalLink,
    Holds,
    KernelRun,
    LxUse,
    OpRuns,
    Spans,
    Stalls,
    Trace,
    Traffic,
    UnitUse,
)

STEP_PS = 1_000_000
"""Every step takes so long on every core, and a tenth of it is waited for."""
UNITS = ("dma_in", "lx_load", "pt", "dma_out", "host")
USED = 4


def made_trace(cores: int = 4, steps: int = 6, tiles: int = 3, together: int = 1) -> Trace:
    """`cores` x `steps` x `tiles` tiles on each of four units, so many of them `together` in a row; step s begins at
    s * STEP_PS on every core."""
    total = steps * STEP_PS
    starts = np.repeat(np.arange(steps, dtype=np.int64)[:, None] * STEP_PS, cores, axis=1)
    ends = starts + STEP_PS * 9 // 10
    bound = np.full((steps, cores), Cause.MEMORY, np.int8)
    bound[1::2] = Cause.COMPUTE
    half = steps // 2 * STEP_PS
    kernels = (KernelRun("kernel0", 0, steps // 2, 0, half), KernelRun("kernel1", steps // 2, steps, half, total))
    return Trace(
        model="made",
        device="spyre",
        cores=cores,
        lx_bytes=1_625_344,
        total_ps=total,
        steps=tuple(f"step{number}" for number in range(steps)),
        tensors=("t0", "t1"),
        units=UNITS,
        kernels=tuple(kernel for kernel in kernels if kernel.last > kernel.first),
        runs=OpRuns(starts, ends, bound),
        spans=_spans(cores, steps, tiles, together),
        stalls=_stalls(cores, steps),
        holds=_holds(cores, steps),
        traffic=tuple(Traffic(step, 0, False, "own", 128 * cores, 128 * cores) for step in range(steps)),
        critical=tuple(
            CriticalLink(step, step % cores, step * STEP_PS, (step + 1) * STEP_PS, int(bound[step, 0]))
            for step in range(steps)
        ),
        use=tuple(UnitUse(unit, tuple(0.5 + core / (4 * cores) for core in range(cores))) for unit in UNITS[:USED]),
        lx=tuple(LxUse(core, 4096, 2048.0, 0.0) for core in range(cores)),
    )


def _spans(cores: int, steps: int, tiles: int, together: int) -> Spans:
    """A unit works half of each tile's time."""
    count = steps * tiles // together
    tile_ps = STEP_PS * 9 // 10 // tiles
    step, place = np.divmod(np.arange(count, dtype=np.int64), tiles // together)
    start = step * STEP_PS + place * together * tile_ps
    busy = max(tile_ps // 2, 1)

    def every(column: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.tile(column, cores * USED)

    core = np.repeat(np.arange(cores), USED * count)
    unit = np.tile(np.repeat(np.arange(USED), count), cores)
    same = np.ones(len(core), np.int64)
    return Spans(
        core=core.astype(np.int16),
        unit=unit.astype(np.int8),
        step=every(step).astype(np.int32),
        tile=every(place * together).astype(np.int32),
        count=(same * together).astype(np.int32),
        start_ps=every(start),
        end_ps=every(start + (together - 1) * tile_ps + busy),
        busy_ps=same * busy * together,
        bytes=np.where(unit == 2, 0, 4096 * together).astype(np.int64),
    )


def _stalls(cores: int, steps: int) -> Stalls:
    """Before each step but the first every core waits for the core after it."""
    step = np.tile(np.arange(1, steps, dtype=np.int32), cores)
    core = np.repeat(np.arange(cores, dtype=np.int16), max(steps - 1, 0))
    end = step.astype(np.int64) * STEP_PS
    cause = np.where(step % 2, Cause.PRODUCER, Cause.PARTNER).astype(np.int8)
    by_core = ((core + 1) % cores).astype(np.int16)
    return Stalls(core, step, end - STEP_PS // 10, end, cause, step - 1, by_core)


def _holds(cores: int, steps: int) -> Holds:
    """Every core holds (its number + 1) * 1024 bytes during even steps."""
    even = np.arange(0, steps, 2, dtype=np.int64)
    core = np.repeat(np.arange(cores, dtype=np.int16), len(even))
    start = np.tile(even * STEP_PS, cores)
    size = (core.astype(np.int64) + 1) * 1024
    nothing = np.zeros(len(core), np.int64)
    return Holds(core, nothing.astype(np.int32), nothing, size, start, start + STEP_PS)
