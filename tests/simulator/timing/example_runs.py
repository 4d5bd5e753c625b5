"""Simulated runs of the examples, shared by the tests that look at them.

Owns one plan and one run per example, number of cores and pipeline.
"""

from __future__ import annotations

from functools import cache

from compiler.compilation import Compilation
from compiler.device import load_device
from simulator.timing.engine import run
from simulator.timing.simulate import trace_of
from simulator.timing.timeline import Timeline
from simulator.timing.work_of import work_of
from simulator.trace import Trace
from tests.end_to_end.harness import compiled
from tests.simulator.timing.test_work_invariants import JOINT

PIPELINES = {"staged": "staged", "co-optimized": JOINT}


@cache
def planned(name: str, cores: int, pipeline: str) -> Compilation:
    """The plan of an example."""
    return compiled(name, cores, pipeline=PIPELINES[pipeline])


@cache
def ran(name: str, cores: int = 32, pipeline: str = "staged") -> tuple[Timeline, Trace]:
    """How an example runs."""
    program, device = planned(name, cores, pipeline).program, load_device("spyre").with_cores(cores)
    timeline = run(program, work_of(program, device), device)
    return timeline, trace_of(program, device, timeline)
