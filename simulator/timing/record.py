"""Record: the marks of a timeline while they are being set.

Owns the columns of one run.  Refuses everything else: it is filled by `kernel_run` and frozen by `engine`.
"""

from __future__ import annotations

import numpy as np

from simulator.timing.timeline import Cause


class Record:
    """Arrays of shape (steps, cores) with the meaning they have in `Timeline`, -1 (or NOTHING) until they are set."""

    def __init__(self, steps: int, cores: int) -> None:
        shape = (steps, cores)
        self.ready = np.full(shape, -1.0)
        self.start = np.full(shape, -1.0)
        self.filled = np.full(shape, -1.0)
        self.steady = np.full(shape, -1.0)
        self.computed = np.full(shape, -1.0)
        self.end = np.full(shape, -1.0)
        self.read_end = np.full(shape, -1.0)
        self.write_end = np.full(shape, -1.0)
        self.wait = np.full(shape, -1.0)
        self.cause = np.full(shape, int(Cause.NOTHING), dtype=np.int8)
        self.by_step = np.full(shape, -1, dtype=np.int32)
        self.by_core = np.full(shape, -1, dtype=np.int32)

    def last(self, step: int) -> tuple[float, int]:
        """When a step has ended everywhere and the lowest of the cores that ended last."""
        core = int(self.end[step].argmax())
        return float(self.end[step, core]), core
