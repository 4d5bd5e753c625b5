"""Work of: a program's steps as demands on the machine, core by core.

Owns the kinds of steps and what is put together for each; equal steps of repeated layers are worked out once.  Refuses
time: when a step runs, and who is in whose way, is the engine's to find.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace

import numpy as np

from compiler.device import Device
from compiler.loops import OpKind
from compiler.machine import UnitKind
from compiler.program import DeviceOp, DeviceTensor, Program
from simulator.timing.case import CONTRACTIONS, Case, case_of, distinct_reads
from simulator.timing.matrix_work import hops_of, macs_of, matrix_rate
from simulator.timing.ring_work import fragments_of, received, ring_times
from simulator.timing.routes import routes_of
from simulator.timing.stages import computing_stages, copying_stages, copying_unit, floor_of, tiles_of
from simulator.timing.vector_work import is_plain_copy, vector_busy, walked
from simulator.timing.watch import Progress, Stopped, Watch
from simulator.timing.ways import carried_of
from simulator.timing.work import Counts, Operand, OpWork, Stage, Times, Way


def work_of(
    program: Program, device: Device, *, progress: Progress | None = None, stopped: Stopped | None = None
) -> tuple[OpWork, ...]:
    """The work of every step of a program, in order.

    InputError for a device without a machine, or one whose machine lacks a way that a step takes; StoppedError once
    `stopped` says so.
    """
    routes, tensors = routes_of(device), program.tensor_map
    known: dict[Hashable, OpWork] = {}
    found: list[OpWork] = []
    steps = [step for kernel in program.kernels for step in kernel.ops]
    watch = Watch(len(steps), progress, stopped)
    for step in steps:
        if step.op.kind is OpKind.OPAQUE:
            found.append(_on_host(step, tensors))
            watch.ended(step.name)
            continue
        key = _key(step, tensors)
        if key not in known:
            known[key] = _work(case_of(step, tensors, device, routes))
            found.append(known[key])
        else:
            found.append(_renamed(known[key], step))
        watch.ended(step.name)
    return tuple(found)


def _work(case: Case) -> OpWork:
    """The work of a step that runs on the device."""
    carried = carried_of(case)
    on_ring = case.step.ring
    fragments = fragments_of(case) if on_ring else None
    sent = received(fragments, case.cores) if fragments else np.zeros(len(case.parts), dtype=np.int64)
    unit, stages = _computed(case, sent)
    reads = [one for one in carried if not one.operand.write]
    writes = [one for one in carried if one.operand.write]
    read_ns, write_ns = (_sum(case, [one.service_ns for one in each]) for each in (reads, writes))
    moving_in, moving_out = (_sum(case, [one.moving_ns for one in each]) for each in (reads, writes))
    return OpWork(
        name=case.step.name,
        step=case.step.step,
        unit=unit,
        cores=case.cores,
        tiles=tiles_of(case),
        read_ns=read_ns,
        write_ns=write_ns,
        read_share=_share(moving_in, read_ns),
        write_share=_share(moving_out, write_ns),
        floor_ns=case.nothing() if on_ring else floor_of(case, stages),
        delivery_ns=_sum(case, [one.delivery_ns for one in carried]),
        ring_ns=ring_times(case) if on_ring else case.nothing(),
        operands=tuple(_on_its_way(one.operand, sent) for one in carried),
        stages=stages,
        hops=hops_of(case),
        fragments=fragments,
        macs=macs_of(case) if case.op.kind in CONTRACTIONS else None,
    )


def _on_its_way(operand: Operand, sent: Counts) -> Operand:
    """The operand; of one that comes over the ring only what other cores send."""
    return replace(operand, bytes=sent) if operand.way is Way.RING else operand


def _computed(case: Case, sent: Counts) -> tuple[str, tuple[Stage, ...]]:
    """The unit that works on a step, and all that its data goes through; `sent` is what comes over the ring."""
    routes = case.routes
    if case.step.ring:
        ring = routes.ring()
        return ring.name, (Stage(ring.name, routes.level(ring), True, sent, ring_times(case)),)
    if case.op.kind in CONTRACTIONS:
        unit = routes.compute(UnitKind.MATRIX)
        size: Counts = np.asarray(np.sum([one.bytes for one in case.reads], axis=0), dtype=np.int64)
        return unit.name, computing_stages(case, unit, size, macs_of(case) / matrix_rate(case, unit))
    if is_plain_copy(case):
        stages = copying_stages(case)
        return copying_unit(case, stages), stages
    unit = routes.compute(UnitKind.VECTOR)
    return unit.name, computing_stages(case, unit, walked(case), vector_busy(case, unit))


def _on_host(step: DeviceOp, tensors: Mapping[str, DeviceTensor]) -> OpWork:
    """A call that runs on the host: no core takes part, and whole tensors go there and come back."""
    none, nothing = np.zeros(0, dtype=np.int64), np.zeros(0)
    sides = [(step.op.reads, False), (step.op.writes, True)]
    names = [(name, write) for accesses, write in sides for name in dict.fromkeys(each.buffer for each in accesses)]
    operands = [_hosted(tensors[name], write) for name, write in names]
    times = (nothing,) * 7
    return OpWork(step.name, step.step, "", none, none, *times, tuple(operands), (), on_host=True)


def _hosted(tensor: DeviceTensor, write: bool) -> Operand:
    size = np.array([tensor.layout.size_bytes], dtype=np.int64)
    return Operand(tensor.name, write, Way.HOST, size, size, 0)


def _sum(case: Case, times: list[Times]) -> Times:
    return np.sum(times, axis=0) if times else case.nothing()


def _share(part: Times, whole: Times) -> Times:
    """Part of a whole, 1 where there is nothing."""
    return np.divide(part, whole, out=np.ones_like(whole), where=whole > 0)


def _key(step: DeviceOp, tensors: Mapping[str, DeviceTensor]) -> Hashable:
    """All that a step's work follows from, but names: which accesses go to the same tensor, not which tensor it is."""
    op = step.op
    numbers = {name: number for number, name in enumerate(op.touched)}
    accesses = tuple((numbers[access.buffer], access.index) for access in op.accesses)
    kept = [tensors[name] for name in op.touched]
    places = tuple((one.layout, one.memory, one.shape, one.boxes if step.ring else ()) for one in kept)
    slices = tuple((part.core, part.ranges, part.pass_to) for part in step.slices)
    return (op.kind, op.combine, op.loops, accesses, op.body, op.results, places, slices, step.ring)


def _renamed(work: OpWork, step: DeviceOp) -> OpWork:
    """The same work for an equal step with other names."""
    op = step.op
    names = (*(op.reads[reads[0]].buffer for reads in distinct_reads(op)), op.write.buffer)
    operands = tuple(replace(one, tensor=name) for one, name in zip(work.operands, names, strict=True))
    return replace(work, name=step.name, step=step.step, operands=operands)
