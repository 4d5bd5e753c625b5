"""Imported plan: divisions, places, lifetimes and kernels that the files hold, for an imported program.

Owns the steps of slices, the bytes of a core's part in LX, and from when to when it is there.  Refuses to repair: what
a file has wrong is for the checker to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from frozendict import frozendict

from compiler.compilation import AS_READ, IMPORTED
from compiler.coordinates import core_boxes, lane_loops, stick_columns, walk_of
from compiler.counts import counted
from compiler.device import Device
from compiler.division import Division, Split
from compiler.errors import InputError
from compiler.formats.opspec import KernelSpec, Room
from compiler.layout import StickLayout
from compiler.liveness import lifetimes
from compiler.loops import Access, BufferKind, OpKind
from compiler.plan import Edit, EditKind, Kernel, Placement, Plan, ReasonCode, Slot, Spilled
from compiler.read.import_flow import Tensor
from compiler.read.import_program import ProgramMaker, Step
from compiler.read.plain import REMEDY
from compiler.schedule import Schedule, expand


def imported_plan(maker: ProgramMaker, kernels: tuple[KernelSpec, ...], device: Device) -> Plan:
    """The plan of the files; InputError if an op needs more cores than the device has."""
    layouts = {tensor.name: maker.forms.of(tensor).host.layout for tensor in maker.flow.tensors}
    plan = Plan(maker.program.name, device.name, device.cores, IMPORTED, edits=maker.edits)
    schedule = expand(maker.program, plan)
    known = frozendict((name, layouts[name]) for name in schedule.buffers)
    divisions = {step.name: _division(step, schedule, known, device) for step in maker.steps}
    placement = _placement(maker, schedule, known, divisions)
    reasons = {f"layout:{name}": AS_READ for name in known}
    reasons |= {f"division:{name}": AS_READ for name in divisions}
    reasons |= {f"edit:{edit.name}": AS_READ for edit in maker.edits}
    return replace(
        plan,
        layouts=known,
        divisions=frozendict(divisions),
        placement=frozendict(placement),
        kernels=_kernels(maker, kernels),
        reasons=frozendict(reasons),
    )


def _kernels(maker: ProgramMaker, kernels: tuple[KernelSpec, ...]) -> tuple[Kernel, ...]:
    found: list[Kernel] = []
    taken: set[str] = set()
    for label, steps in groupby(maker.steps, key=lambda step: step.act.kernel):
        given = kernels[int(label[1:])].name or label
        name = given if given not in taken else f"{given}.{label}"
        taken.add(name)
        found.append(Kernel(name, tuple(step.name for step in steps)))
    return tuple(found)


# Divisions


def _division(step: Step, schedule: Schedule, layouts: Mapping[str, StickLayout], device: Device) -> Division:
    spec = step.act.spec
    if spec.cores > device.cores:
        why = f"it is divided over {spec.cores} cores, {device.name} has {device.cores}"
        raise InputError(f"op {step.name} ({spec.op})", why, f"import it for a device of {spec.cores} cores or more")
    if step.opaque:
        return Division()
    op = schedule.step_map[step.name].op
    extents, splits = op.extents, list[Split]()
    for dim in spec.rounds:
        loop = step.move.loops[dim.symbol] if step.move else dim.symbol
        lanes = 1
        for access in op.accesses:
            layout = layouts[access.buffer]
            if loop in lane_loops(walk_of(op, access, schedule.buffers[access.buffer]), layout):
                lanes = max(lanes, stick_columns(layout))
        sticks = -(-extents[loop] // lanes)
        if dim.slices > sticks:
            why = f"{loop} has {counted(sticks, 'stick')} and is cut into {dim.slices} slices"
            raise InputError(f"op {step.name} ({spec.op})", why, REMEDY)
        splits.append(Split(loop, dim.slices, -(-sticks // dim.slices) * lanes))
    return Division(tuple(splits))


# Places


def _placement(
    maker: ProgramMaker,
    schedule: Schedule,
    layouts: Mapping[str, StickLayout],
    divisions: Mapping[str, Division],
) -> dict[str, Placement]:
    alive = lifetimes(schedule)
    tensors = {tensor.name: tensor for tensor in maker.flow.tensors}
    edits = {edit.target: edit for edit in maker.edits}
    found: dict[str, Placement] = {}
    slots: dict[str, Slot] = {}
    writes = {access.buffer: step for step in schedule.steps for access in step.op.writes}
    for name in sorted(schedule.buffers, key=lambda name: alive[name].first):
        tensor = tensors[name]
        if tensor.place.room is not Room.LX or tensor.given or writes[name].op.kind is OpKind.OPAQUE:
            found[name] = _spilled(tensor, edits.get(name), schedule)
            continue
        step, layout = writes[name], layouts[name]
        boxes = core_boxes(step.op, step.op.write, schedule.buffers[name], layout, divisions[step.name])
        size = int(boxes.bytes.max())
        slot = Slot(tensor.place.at, size, alive[name].first, alive[name].last)
        if step.edit is None and step.op.kind is OpKind.POINTWISE:
            slot = replace(slot, in_place_of=_parent(slot, step.op.reads, slots))
        found[name] = slots[name] = slot
    return {name: found[name] for name in schedule.buffers}


def _parent(slot: Slot, reads: Sequence[Access], slots: Mapping[str, Slot]) -> str:
    """The buffer that is read in the step which writes a slot, and whose place that takes."""
    mine = (slot.address, slot.size_bytes, slot.first_step)
    for read in reads:
        other = slots.get(read.buffer)
        if other and (other.address, other.size_bytes, other.last_step) == mine:
            return read.buffer
    return ""


def _spilled(tensor: Tensor, edit: Edit | None, schedule: Schedule) -> Spilled:
    kind, size = schedule.buffers[tensor.name].kind, f"{tensor.size_bytes:,} B"
    if kind is not BufferKind.COMPUTED:
        what = "no op of the files writes it" if tensor.place.room is not Room.HBM else "it arrives in device memory"
        return Spilled(ReasonCode.GRAPH_INPUT, f"{size}: {what}")
    if any(output.buffer == tensor.name for output in schedule.outputs):
        return Spilled(ReasonCode.GRAPH_OUTPUT, f"{size}: the host fetches it from device memory")
    if edit and edit.kind is EditKind.CLONE_OUT:
        return Spilled(ReasonCode.DEVICE_COPY, f"the clone of {edit.source}, which is in LX")
    where = "an argument of its kernel" if tensor.place.room is Room.HBM else f"byte {tensor.place.at:,} of the pool"
    return Spilled(ReasonCode.AS_READ, f"{size}: the files have it in device memory, at {where}")
