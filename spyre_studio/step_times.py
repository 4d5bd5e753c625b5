"""Step times: the one-to-one map between the axis of steps of a plan and the time of its simulated run.

Owns: where on the axis of time each step begins.  Refuses: Qt, and which part of either is in view.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from frozendict import frozendict
from numpy.typing import NDArray

from compiler.compilation import Compilation
from spyre_studio.derived import schedule_of
from spyre_studio.timeline_data import TimelineData

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class StepTimes:
    """Of the run `data`.  `begins` has a time (ps) for every step of the plan and one for the end of the run, which
    never falls.

    Step n takes from n to n + 1 on the axis of steps and from `begins[n]` to `begins[n + 1]` on that of time.  Steps
    overlap while they run, so this is when they begin; one that never ran begins with the one behind it.
    """

    data: TimelineData
    begins: Floats

    def steps(self, lo_ps: float, hi_ps: float) -> tuple[float, float]:
        """A span of time as a span of steps."""
        places = np.arange(len(self.begins), dtype=np.float64)
        lo = float(np.interp(lo_ps, self.begins, places))
        return lo, max(float(np.interp(hi_ps, self.begins, places)), lo)

    def times(self, lo: float, hi: float) -> tuple[float, float]:
        """A span of steps as a span of time, ps."""
        places = np.arange(len(self.begins), dtype=np.float64)
        return float(np.interp(lo, places, self.begins)), float(np.interp(hi, places, self.begins))


def step_numbers(compilation: Compilation) -> frozendict[str, int]:
    """The place of every step of a plan on the axis of steps."""
    return frozendict((step.name, number) for number, step in enumerate(schedule_of(compilation).steps))


def step_times(data: TimelineData, compilation: Compilation) -> StepTimes:
    """When the steps of a plan begin in its run."""
    found = np.array([data.places.get(name, -1) for name in step_numbers(compilation)], np.intp)
    starts = np.where(found >= 0, data.step_start[found], -1) if len(data.step_start) else np.full(len(found), -1)
    whole = np.append(np.where(starts >= 0, starts, data.total_ps), data.total_ps).astype(np.float64)
    begins = np.minimum.accumulate(whole[::-1])[::-1]
    begins[0] = 0.0
    return StepTimes(data, begins)
