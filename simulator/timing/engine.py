"""Engine: runs the work of a program on the clock.

Owns kernels and their launch, the steps that all cores share, and the timeline that comes out.  Time is that of a
fluid: between two events everything goes on evenly, and an event is the end of a part of a step on a core.  Refuses to
look into ops: what a step asks for stands in its work.

Within a kernel every core runs its steps in order.  A step waits for all cores that write what it reads in device
memory, and for all that read or wrote what it writes there; steps over the ring and on the host begin and end on all
their members together.  `parts` says how a step is cut, `memory_share` how fast its transfers go, `ring_links` what the
ring carries.

A step on one core with the card to itself, R and W its services in ns, n > 2 tiles, and units that are never in the
way: R/n + [R(n-1)/n beside W(n-2)/n] + W/n + W/n, that is R + W + t * min(R(n-1)/n, W(n-2)/n) with t the turnaround per
ns: with many tiles (read + written bytes) / rate + turnaround per byte * the lesser of the two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from compiler.device import Device
from compiler.errors import InputError
from compiler.program import Program
from simulator.timing.bounds import alone_of, bounds_of
from simulator.timing.dependencies import needs_of, stored_tensors
from simulator.timing.jobs import Jobs
from simulator.timing.kernel_run import KernelRun, Step
from simulator.timing.parts import Parts, parts_of
from simulator.timing.record import Record
from simulator.timing.ring_links import busiest_links, busiest_links_alone, ways_of
from simulator.timing.timeline import Cause, Timeline
from simulator.timing.watch import Progress, Stopped, Watch
from simulator.timing.work import OpWork, Times


def run(
    program: Program,
    work: Sequence[OpWork],
    device: Device,
    *,
    progress: Progress | None = None,
    stopped: Stopped | None = None,
) -> Timeline:
    """The timeline of a program whose steps ask for `work`, one each, in order.

    A step on the host keeps all cores waiting; it takes what its operands take to pass the memory's port one way, and
    nothing for the host's own work, of which nothing is known.  Cores that only send parts over the ring take part,
    too, though the work does not list them.  `progress` is called with the share of steps that have ended and the name
    of the last.

    Raises InputError if the program needs more cores than the device has or the device lacks a number, StoppedError
    once `stopped` says so, ValueError if the work is not the program's or its hand-overs go round in a circle.
    """
    _check(program, work, device)
    own = _own_times(program, work, device)
    parts = parts_of(work, own.time, program.cores, device.count("transfer_buffers"))
    turnaround = device.number("hbm_turnaround_ns_per_byte") * device.number("hbm_one_way_bytes_per_ns")
    record, jobs = Record(len(work), program.cores), Jobs(program.cores, turnaround)
    watch = Watch(len(work), progress, stopped)
    kernels = _run_kernels(
        _steps(program, work), parts, record, jobs, device, lambda step: watch.ended(work[step].name)
    )
    took_part = record.start >= 0
    return Timeline(
        work=tuple(work),
        cores=program.cores,
        ready=record.ready,
        start=record.start,
        filled=record.filled,
        steady=record.steady,
        computed=record.computed,
        end=record.end,
        read_end=record.read_end,
        write_end=record.write_end,
        wait=record.wait,
        alone_ns=np.where(took_part, alone_of(work, parts, own.alone, turnaround), -1.0),
        cause=record.cause,
        by_step=record.by_step,
        by_core=record.by_core,
        bound=bounds_of(work, parts, record, own.linked),
        kernel_start=np.array([start for start, _ in kernels]),
        kernel_end=np.array([end for _, end in kernels]),
        total_ns=jobs.now,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _OwnTimes:
    """What a core's own units, the ring or the host take, shape (steps, cores); `alone` is the same without others,
    `linked` says where it is a link of the ring."""

    time: Times
    alone: Times
    linked: NDArray[np.bool_]


def _check(program: Program, work: Sequence[OpWork], device: Device) -> None:
    if program.cores > device.cores:
        why = f"it was compiled for {program.cores} cores, and {device.title} has {device.cores}"
        raise InputError(f"simulating {program.model}", why, "compile the model for this device")
    names = [op.name for kernel in program.kernels for op in kernel.ops]
    if names != [each.name for each in work]:
        raise ValueError("there has to be work for every step of the program, in order")
    for each in work:
        _check_columns(each, program.cores)


def _check_columns(work: OpWork, cores: int) -> None:
    columns = (work.tiles, work.read_ns, work.write_ns, work.read_share, work.write_share)
    lengths = {len(column) for column in (*columns, work.floor_ns, work.delivery_ns, work.ring_ns)}
    if not work.on_host and lengths != {len(work.cores)}:
        raise ValueError(f"step {work.name}: every column of its work needs one entry per core")
    if max(_members(work, cores), default=0) >= cores:
        raise ValueError(f"step {work.name}: it names a core that the program does not have")
    senders = {hop.source for hop in work.hops}
    known = set(work.cores.tolist())
    if len(senders) < len(work.hops) or not known.issuperset(senders | {hop.target for hop in work.hops}):
        raise ValueError(f"step {work.name}: a core passes its partial result on once, to another one of the step")


def _members(work: OpWork, cores: int) -> tuple[int, ...]:
    """The cores that take part, rising."""
    if work.on_host:
        return tuple(range(cores))
    if work.fragments is None:
        return tuple(sorted(work.cores.tolist()))
    return tuple(sorted({*work.cores.tolist(), *work.fragments.source.tolist(), *work.fragments.target.tolist()}))


def _own_times(program: Program, work: Sequence[OpWork], device: Device) -> _OwnTimes:
    shape = (len(work), program.cores)
    time, alone, linked = np.zeros(shape), np.zeros(shape), np.zeros(shape, dtype=bool)
    for step, each in enumerate(work):
        if each.on_host:
            moved = sum(int(operand.charged.sum()) for operand in each.operands)
            time[step] = moved / device.number("hbm_one_way_bytes_per_ns")
        elif each.fragments is None:
            time[step, each.cores] = each.floor_ns
        else:
            time[step, each.cores] = each.ring_ns
            ways, rate = ways_of(each.fragments, device.cores), device.number("ring_bytes_per_ns")
            links = busiest_links(ways)[: program.cores] / rate
            single = busiest_links_alone(ways)[: program.cores] / rate
            alone[step] = np.maximum(time[step], single)
            linked[step] = links > time[step]
            time[step] = np.maximum(time[step], links)
            continue
        alone[step] = time[step]
    return _OwnTimes(time, alone, linked)


def _steps(program: Program, work: Sequence[OpWork]) -> list[list[Step]]:
    """The steps of every kernel."""
    stored = stored_tensors(program)
    ends = accumulate((len(kernel.ops) for kernel in program.kernels), initial=0)
    found: list[list[Step]] = []
    for kernel, (first, _) in zip(program.kernels, pairwise(ends), strict=True):
        needs = needs_of(kernel.ops, stored)
        numbers = range(first, first + len(kernel.ops))
        found.append([_step(program, work[n], n, tuple(first + need for need in needs[n - first])) for n in numbers])
    return found


def _step(program: Program, work: OpWork, number: int, needs: tuple[int, ...]) -> Step:
    takes: dict[int, tuple[int, ...]] = {}
    for hop in work.hops:
        takes[hop.target] = (*takes.get(hop.target, ()), hop.source)
    return Step(
        number=number,
        members=_members(work, program.cores),
        collective=work.on_host or work.fragments is not None,
        needs=needs,
        sends={hop.source: (hop.target, hop.ns) for hop in work.hops},
        takes=takes,
    )


def _run_kernels(
    kernels: Sequence[Sequence[Step]],
    parts: Parts,
    record: Record,
    jobs: Jobs,
    device: Device,
    ended: Callable[[int], None],
) -> list[tuple[float, float]]:
    """Begin and end of every kernel; each is launched when the one before has ended everywhere."""
    launch = device.number("kernel_launch_ns")
    cause, last = (Cause.LAUNCH if launch else Cause.NOTHING), (-1, -1)
    times: list[tuple[float, float]] = []
    for steps in kernels:
        jobs.wait(launch)
        start = jobs.now
        KernelRun(steps, parts, record, jobs, (cause, *last)).run(ended)
        times.append((start, jobs.now))
        ends = [(*record.last(step.number), step.number) for step in steps if step.members]
        if ends:
            _, core, number = max(ends, key=lambda end: (end[0], -end[2]))
            cause, last = Cause.LAUNCH, (number, core)
    return times
