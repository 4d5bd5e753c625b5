"""Simulate: a program and a device in, a trace out.

Owns the order of work, engine and what is read off their result.  Refuses programs for another device than the one
given, and devices whose file describes no machine.
"""

from __future__ import annotations

from itertools import accumulate, pairwise

from compiler.device import Device
from compiler.errors import InputError
from compiler.program import Program
from simulator.timing.critical import critical_path
from simulator.timing.engine import run
from simulator.timing.holds import holds_of, lx_use
from simulator.timing.routes import routes_of
from simulator.timing.spans import HOST_LANE, picoseconds, spans_of
from simulator.timing.stalls import stalls_of
from simulator.timing.timeline import Timeline
from simulator.timing.usage import traffic_of, unit_use
from simulator.timing.watch import Progress, Stopped, Watch, between
from simulator.timing.work_of import work_of
from simulator.trace import PS_PER_NS, KernelRun, OpRuns, Trace

WORK, CLOCK = 0.25, 0.85
"""The shares of the whole at which all steps are worked out, and at which all have run."""


def simulate(
    program: Program,
    device: Device,
    *,
    progress: Progress | None = None,
    stopped: Stopped | None = None,
) -> Trace:
    """The trace of a program on its device.

    Raises InputError where the device has no machine or is not the program's, StoppedError once `stopped` says so.
    """
    if program.device != device.name:
        why = f"it was compiled for {program.device}"
        raise InputError(f"simulating {program.model} on {device.name}", why, "compile the model for this device")
    work = work_of(program, device, progress=between(progress, 0.0, WORK), stopped=stopped)
    timeline = run(program, work, device, progress=between(progress, WORK, CLOCK), stopped=stopped)
    return trace_of(program, device, timeline, progress=between(progress, CLOCK, 1.0), stopped=stopped)


def trace_of(
    program: Program,
    device: Device,
    timeline: Timeline,
    *,
    progress: Progress | None = None,
    stopped: Stopped | None = None,
) -> Trace:
    """What a timeline says, in columns; StoppedError once `stopped` says so."""
    routes = routes_of(device)
    units = (*routes.lanes(), HOST_LANE)
    ends = tuple(accumulate((len(kernel.ops) for kernel in program.kernels), initial=0))
    kernels = tuple(pairwise(ends))
    total_ps = round(timeline.total_ns * PS_PER_NS)
    watch = Watch(len(timeline.work) + 4, progress, stopped)  # steps, and the four parts that take long
    spans = spans_of(timeline, units, routes.ring_name, device.count("transfer_buffers"), watch)
    holds = holds_of(program, timeline)
    watch.ended("places in LX")
    use = lx_use(holds, program.cores, total_ps)
    watch.ended("use of LX")
    stalls = stalls_of(timeline, kernels)
    watch.ended("waits")
    critical = critical_path(timeline)
    watch.ended("the critical path")
    tensors = tuple(tensor.name for tensor in program.tensors)
    return Trace(
        model=program.model,
        device=program.device,
        cores=program.cores,
        lx_bytes=device.lx_budget_bytes,
        total_ps=total_ps,
        steps=tuple(one.name for one in timeline.work),
        tensors=tensors,
        units=units,
        kernels=_kernels(program, timeline, kernels),
        runs=OpRuns(picoseconds(timeline.start), picoseconds(timeline.end), timeline.bound),
        spans=spans,
        stalls=stalls,
        holds=holds,
        traffic=traffic_of(timeline.work, {name: number for number, name in enumerate(tensors)}),
        critical=critical,
        use=unit_use(spans, units[:-1], program.cores, total_ps),
        lx=use,
    )


def _kernels(program: Program, timeline: Timeline, kernels: tuple[tuple[int, int], ...]) -> tuple[KernelRun, ...]:
    starts, ends = picoseconds(timeline.kernel_start).tolist(), picoseconds(timeline.kernel_end).tolist()
    names = (kernel.name for kernel in program.kernels)
    return tuple(
        KernelRun(name, first, last, start, end)
        for name, (first, last), start, end in zip(names, kernels, starts, ends, strict=True)
    )
