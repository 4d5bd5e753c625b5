"""Materialize: problem + plan -> Program, with nothing left to decide.

Owns device-memory addresses (in buffer order, one after the other), per-core boxes and slices, ring hand-overs of
partial results. Refuses plans that lack a decision: the checker has said so before, so a KeyError here is a bug.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from compiler.coordinates import core_boxes, lane_loops, walk_of
from compiler.division import Division
from compiler.errors import Breach, LimitError
from compiler.loops import Loop, LoopOp, OpKind, Role
from compiler.plan import EditKind, Plan, Slot
from compiler.problem import Problem
from compiler.program import CoreBox, CoreSlice, DeviceOp, DeviceTensor, Memory, Program, ProgramKernel
from compiler.schedule import Schedule, Step, expand


def materialize(problem: Problem, plan: Plan) -> Program:
    """The program the plan describes; LimitError if its tensors do not fit into device memory."""
    schedule = expand(problem.program, plan)
    tensors, hbm_bytes = _tensors(problem, plan, schedule)
    steps = schedule.step_map
    kernels = tuple(
        ProgramKernel(kernel.name, tuple(_device_op(steps[name], plan, schedule) for name in kernel.steps))
        for kernel in plan.kernels
    )
    slots = [place for place in plan.placement.values() if isinstance(place, Slot)]
    lx_bytes = max((slot.address + slot.size_bytes for slot in slots), default=0)
    return Program(plan.model, plan.device, plan.cores, tensors, kernels, schedule.outputs, hbm_bytes, lx_bytes)


def _tensors(problem: Problem, plan: Plan, schedule: Schedule) -> tuple[tuple[DeviceTensor, ...], int]:
    writers = {access.buffer: step for step in schedule.steps for access in step.op.writes}
    tensors: list[DeviceTensor] = []
    address = 0
    for buffer in schedule.buffers.values():
        layout = plan.layouts[buffer.name]
        place = plan.placement[buffer.name]
        boxes: tuple[CoreBox, ...] = ()
        if isinstance(place, Slot):
            boxes = _boxes(writers[buffer.name], plan, schedule)
        memory, at = (Memory.LX, place.address) if isinstance(place, Slot) else (Memory.HBM, address)
        if memory is Memory.HBM:
            address += layout.size_bytes
        shape = (buffer.name, buffer.dtype, buffer.kind, buffer.shape, buffer.strides, layout)
        tensors.append(DeviceTensor(*shape, memory, at, boxes))
    _check_capacity(problem, address)
    return tuple(tensors), address


def _check_capacity(problem: Problem, hbm_bytes: int) -> None:
    limit = problem.device.count("hbm_usable_bytes")
    if hbm_bytes > limit:
        name, value = problem.program.name, f"{hbm_bytes:,} B of device memory for all its tensors together"
        breach = Breach(name, name, "", f"{limit:,} B", value)
        raise LimitError(breach, "use a smaller model, or spread it over several cards")


def _boxes(step: Step, plan: Plan, schedule: Schedule) -> tuple[CoreBox, ...]:
    """What every core holds that writes: those which pass their partial result on hold nothing."""
    access = step.op.write
    division = plan.divisions[step.name]
    boxes = core_boxes(step.op, access, schedule.buffers[access.buffer], plan.layouts[access.buffer], division)
    starts, sizes = boxes.start.tolist(), boxes.size.tolist()
    writing = [part.core for part in _slices(step.op.loops, division) if part.pass_to < 0]
    return tuple(CoreBox(core, tuple(starts[core]), tuple(sizes[core])) for core in writing)


def _device_op(step: Step, plan: Plan, schedule: Schedule) -> DeviceOp:
    slices = _slices(step.op.loops, plan.divisions[step.name])
    ring = step.edit is not None and step.edit.kind is EditKind.RELAYOUT
    return DeviceOp(step.name, step.number, step.op, slices, masked_loops(step.op, plan, schedule), ring)


@lru_cache(maxsize=1 << 12)
def _slices(loops: tuple[Loop, ...], division: Division) -> tuple[CoreSlice, ...]:
    """What every core works on and hands over; equal layers share it."""
    chain = _hand_overs(loops, division)
    return tuple(CoreSlice(core, division.bounds(loops, core), chain.get(core, -1)) for core in range(division.cores))


def _hand_overs(loops: tuple[Loop, ...], division: Division) -> dict[int, int]:
    """Core -> core its partial result goes to; the last core of each group, which writes, is left out."""
    reduced = {loop.name for loop in loops if loop.role is Role.REDUCTION}
    if not any(split.loop in reduced for split in division.splits):
        return {}
    groups: dict[tuple[tuple[str, int], ...], list[int]] = {}
    for core in range(division.cores):
        slots = division.slots(core)
        tile = tuple(sorted((loop, slot) for loop, slot in slots.items() if loop not in reduced))
        groups.setdefault(tile, []).append(core)
    return {core: after for cores in groups.values() for core, after in pairwise(cores)}


def masked_loops(op: LoopOp, plan: Plan, schedule: Schedule) -> tuple[str, ...]:
    """Reduced loops that run along a stick and end inside one: the lanes beyond their extent are masked."""
    if op.kind is OpKind.OPAQUE:
        return ()
    masked: list[str] = []
    for loop in op.reduction_loops:
        for access in op.reads:
            layout = plan.layouts[access.buffer]
            lanes = lane_loops(walk_of(op, access, schedule.buffers[access.buffer]), layout)
            if loop.name in lanes and loop.extent % layout.elements_per_stick and loop.name not in masked:
                masked.append(loop.name)
    return tuple(masked)
