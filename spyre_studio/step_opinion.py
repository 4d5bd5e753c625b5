"""Step opinion: what the cost model says of a step whose simulated time is known, ready to be shown.

Owns the value that goes from the worker to the window.  Refuses to compare: `spyre_studio.opinions` does, which needs
the simulator.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StepOpinion:
    """`predicted_us` is the step's share of its kernel's predicted time; `ratio` is simulated over predicted, None
    where nothing was predicted; `reason` tells why they part, '' where they do not."""

    predicted_us: float
    ratio: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class SimulatedRun:
    """Where the trace of a run was written, and the opinions on its steps in their order."""

    path: str
    opinions: tuple[StepOpinion, ...]
