"""How long the clock takes for a large model: `python -m tests.benchmarks.timing [SPEC]`.

Plans a stack of decoder layers (`staged`) and simulates it: seconds for the work of its steps, the engine and the
trace, for writing both files, the peak of the process's memory beyond what was in use before, steps, rows and tiles of
spans.  Ends with 1 above the limits.  Default: 40 layers of hidden size 4096 on 32 cores.  On a busy machine only the
processor's seconds tell.
"""

from __future__ import annotations

import io
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from compiler.device import load_device
from compiler.graph import ModelGraph
from compiler.pipeline import compile_problem
from compiler.problem import Problem
from simulator.perfetto import Detail, write_events
from simulator.timing.engine import run
from simulator.timing.simulate import trace_of
from simulator.timing.work_of import work_of
from simulator.trace_file import load_trace, save_trace
from tests.benchmarks.layouts import captured
from tests.benchmarks.window_times import calibration

SPEC = "decoder_stack?layers=40&hidden=4096"
SECONDS, MIB = 15.0, 1024
T = TypeVar("T")


class Meter:
    """Seconds of named stages."""

    def __init__(self) -> None:
        self.total = 0.0
        self.before = resource_mib()

    def stage(self, name: str, work: Callable[[], T], counted: bool = True) -> T:
        """Do it and tell how long it took, by the wall and by the processor."""
        wall, processor = time.perf_counter(), time.process_time()
        found = work()
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        self.total += wall if counted else 0.0
        print(f"{name:<22} {wall:6.2f} s, processor {processor:6.2f} s; memory {self.grown():,.0f} MiB", flush=True)
        return found

    def grown(self) -> float:
        """MiB at the peak so far, beyond what was in use before."""
        return resource_mib() - self.before


def resource_mib() -> float:
    """The peak of the process's memory."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(words: list[str]) -> int:
    """Plan, simulate, write; 1 above the limits."""
    device = load_device("spyre")
    loops = captured(words[0] if words else SPEC)
    program = compile_problem(ModelGraph(loops.name, (), (), ()), Problem(loops, device), pipeline="staged").program
    print(f"calibration {calibration():.0f} ms; {resource_mib():,.0f} MiB with the plan")
    meter = Meter()
    work = meter.stage("work", lambda: work_of(program, device))
    timeline = meter.stage("engine", lambda: run(program, work, device))
    trace = meter.stage("trace", lambda: trace_of(program, device, timeline))
    seconds, memory = meter.total, meter.grown()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.npz"
        meter.stage("columns written", lambda: save_trace(trace, path), counted=False)
        size = path.stat().st_size / 2**20
        meter.stage("columns read", lambda: load_trace(path), counted=False)
    meter.stage("events of steps", lambda: write_events(trace, io.StringIO(), Detail.STEPS), counted=False)
    print(
        f"{len(trace.steps):,} steps, {len(trace.spans):,} rows of {trace.spans.tiles:,} tiles, "
        f"{len(trace.stalls.core):,} waits, {len(trace.holds.core):,} holds, {len(trace.critical):,} links, "
        f"{trace.total_us:,.0f} us simulated; file {size:,.1f} MiB"
    )
    print(f"all: {seconds:.2f} s of {SECONDS:.0f}, {memory:,.0f} MiB of {MIB:,}")
    return int(seconds > SECONDS or memory > MIB)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
