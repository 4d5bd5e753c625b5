"""Sticks: whether the layouts of a step's operands meet as the hardware needs it.

Owns the legality of lanes and arrangements in one step, of inserted copies, and of slots in whole sticks.  Refuses to
know addresses or cores beyond that.
"""

from __future__ import annotations

from compiler.checks.case import Case, Operand
from compiler.checks.contractions import contraction_fault
from compiler.checks.copies import inserted_fault, kind_fault, pure_copy, turned_fault, turns_sticks
from compiler.checks.domains import Use
from compiler.checks.findings import Findings
from compiler.checks.image import Image
from compiler.checks.lanes import alignment_fault, width_fault
from compiler.checks.searches import search_fault
from compiler.checks.tables import table_fault
from compiler.layout import Arrangement
from compiler.loops import LoopOp, OpKind, Role
from compiler.schedule import Step

ACROSS_STICK_ONLY = ("prod", "argmax", "argmin")


def sticks(case: Case, findings: Findings) -> None:
    """Layouts, then the lanes and slots of every step."""
    for name, fault in case.layout_faults.items():
        findings.add(f"{name} {fault}")
    if not {"layouts", "edits"} <= case.decided:
        return
    for output in case.schedule.outputs:
        layout = case.layouts.get(output.buffer)
        if layout and layout.arrangement is not Arrangement.STANDARD:
            findings.add(f"output {output.name}: {output.buffer} leaves the device arranged {layout.arrangement}")
    for step in case.steps:
        operands = case.operands(step)
        if operands is not None:
            _check_step(case, step, operands, findings)
        elif case.complete:
            findings.unproved(step.name)


def _check_step(case: Case, step: Step, operands: tuple[Operand, ...], findings: Findings) -> None:
    fault = step_fault(step, operands) or (_tables_fault(operands) if case.complete else "")
    if fault:
        findings.add(f"{step.name}: {fault}")
    else:
        _slots(case, step, operands, findings)


def step_fault(step: Step, operands: tuple[Operand, ...]) -> str:
    """Why the operands of a step do not meet; '' if they do."""
    op = step.op
    if op.kind is OpKind.OPAQUE:
        return _opaque_fault(operands) or search_fault(op, operands)
    for operand in operands:
        if isinstance(operand.image, str):
            return f"{operand.buffer.name} {operand.image}"
        if operand.write and operand.access.index.gathers:
            return f"{operand.buffer.name} is written at gathered places, which cannot be proved"
    if step.edit:
        source, target = operands
        return inserted_fault(source, target) or kind_fault(step.edit.kind, source.layout, target.layout)
    values = tuple(operand for operand in operands if operand.use is Use.VALUE)
    fault = _gather_fault(operands)
    if fault:
        return fault
    if op.kind in (OpKind.MATMUL, OpKind.CONV):
        return contraction_fault(op, values)
    if op.kind is OpKind.REDUCTION:
        return _reduction_fault(op, values)
    if pure_copy(op, operands) and turns_sticks(*operands):
        return turned_fault(*operands)
    return _pointwise_fault(values)


def _opaque_fault(operands: tuple[Operand, ...]) -> str:
    for operand in operands:
        if operand.layout.arrangement is not Arrangement.STANDARD:
            return f"runs on the host, but {operand.buffer.name} is arranged {operand.layout.arrangement}"
    return ""


def _gather_fault(operands: tuple[Operand, ...]) -> str:
    for operand in operands:
        if any(name.startswith("row ") for name in operand.lane_loops):
            return f"{operand.buffer.name} is indexed by data along its stick"
    return ""


def _tables_fault(operands: tuple[Operand, ...]) -> str:
    return next((fault for fault in map(table_fault, operands) if fault), "")


def _reduction_fault(op: LoopOp, values: tuple[Operand, ...]) -> str:
    *reads, write = values
    loops = frozenset[str]().union(*(read.lane_loops for read in reads))
    if len(loops) > 1:
        return _two_sticks(reads)
    if not loops:  # one value spreads along the stick of the result, as in a pointwise op
        return _pointwise_fault(values)
    stick = next(iter(loops))
    role = next(loop.role for loop in op.loops if loop.name == stick)
    if role is Role.OUTPUT:
        return _aligned_fault(values, stick)
    if op.combine in ACROSS_STICK_ONLY:
        return f"{op.combine} along {stick} would run along the stick of {_carrier(reads)}"
    return _aligned_fault(tuple(reads), stick) or _constant_fault(write, f"{stick} is reduced along the stick")


def _pointwise_fault(values: tuple[Operand, ...]) -> str:
    loops = frozenset[str]().union(*(value.lane_loops for value in values))
    if len(loops) > 1:
        return _two_sticks(list(values))
    if not loops:
        return _constants_fault(values)
    stick = next(iter(loops))
    return _aligned_fault(values, stick)


def _two_sticks(values: list[Operand]) -> str:
    sticks_ = ", ".join(
        f"{value.buffer.name} along {' and '.join(sorted(value.lane_loops))}" for value in values if value.lane_loops
    )
    return f"has sticks in two directions: {sticks_}"


def _carrier(values: list[Operand]) -> str:
    return next((value.buffer.name for value in values if value.lane_loops), "nothing")


def _aligned_fault(values: tuple[Operand, ...], stick: str) -> str:
    """Carriers of one stick loop stand at the same place in the stick and fit in width, others do not follow it."""
    carriers = [value for value in values if stick in value.lane_loops]
    modulus = max(carrier.lanes for carrier in carriers)
    for value in values:
        if not isinstance(value.image, Image):
            continue
        if value in carriers:
            fault = alignment_fault(value.image, stick, modulus)
        else:
            fault = f"changes along {stick} without having its stick there" if stick in value.loops else ""
            fault = fault or alignment_fault(value.image, "", value.lanes)
        if fault:
            return f"{value.buffer.name} {fault}"
    return width_fault(carriers)


def _constants_fault(values: tuple[Operand, ...]) -> str:
    for value in values:
        fault = _constant_fault(value, "no operand has a stick along a loop")
        if fault:
            return fault
    return ""


def _constant_fault(value: Operand, why: str) -> str:
    if not isinstance(value.image, Image):
        return ""
    if value.lane_loops:
        return f"{value.buffer.name} has a stick along {' and '.join(sorted(value.lane_loops))}, but {why}"
    fault = alignment_fault(value.image, "", value.lanes)
    return f"{value.buffer.name} {fault}" if fault else ""


def _slots(case: Case, step: Step, operands: tuple[Operand, ...], findings: Findings) -> None:
    """Slots of lane loops are whole sticks, all slots are equal."""
    division = case.divisions.get(step.name)
    if division is None or step.op.kind is OpKind.OPAQUE:
        return
    for split in division.splits:
        extent = step.op.extents[split.loop]
        lanes = max((stick_unit(operand) for operand in operands if split.loop in operand.lane_loops), default=1)
        count = -(-extent // lanes)
        if count % split.factor == 0 and split.step == count // split.factor * lanes:
            continue
        if lanes == 1:
            findings.add(
                f"{step.name}: {split.loop} of {extent} is not cut into {split.factor} equal slots of {split.step}"
            )
        else:
            slots = f"{split.factor} slots of {split.step} elements are not equal numbers of whole sticks"
            findings.add(f"{step.name}: {split.loop} has {count} sticks of {lanes}; {slots}")


def stick_unit(operand: Operand) -> int:
    """Elements that belong together along the stick: one stick, or two where a pair of sticks is staggered."""
    return operand.lanes * (2 if operand.layout.arrangement is Arrangement.F16_TO_F32 else 1)
