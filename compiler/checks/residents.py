"""Residents: whether each core reads from its LX only what it wrote there itself.

Owns the comparison of what a core writes with what it later reads, by sets of elements.  Equal split factors prove
nothing.  Only a relayout reads what others hold, as far as `moves` allows.  Refuses to know addresses: those are
`lifetimes`.
"""

from __future__ import annotations

from collections import Counter

from compiler.checks.case import Case, Operand
from compiler.checks.domains import Use
from compiler.checks.elements import Elements, same, within
from compiler.checks.findings import Findings
from compiler.checks.image import Box, Image
from compiler.checks.moves import ring_fault, whereabouts_fault
from compiler.counts import counted
from compiler.loops import Buffer, BufferKind, LoopOp, OpKind, Role
from compiler.plan import EditKind
from compiler.schedule import Step

SPLITTABLE = ("sum", "max", "min", "prod", "any")


def ownership(case: Case, findings: Findings) -> None:
    """Partial sums of every step, both sides of every move, then every buffer in LX."""
    for step in case.steps:
        misled = whereabouts_fault(case, step)
        if misled:
            findings.add(f"{step.name} {misled}")
        division = case.divisions.get(step.name)
        if division is not None:
            fault = _partial_fault(step.op, [split.loop for split in division.splits if split.factor > 1])
            if fault:
                findings.add(f"{step.name} {fault}")
    outputs = {output.buffer: output.name for output in case.schedule.outputs}
    for name, _ in case.slots:
        buffer = case.buffers[name]
        fault = _barred_fault(case, buffer, outputs)
        if fault:
            findings.add(f"{name} is in LX, but {fault}")
            continue
        writer = case.writers(name)[0]
        held = _held(case, writer, findings)
        if held is None:
            findings.unproved(name)
            continue
        for reader in case.readers(name):
            if reader.edit is not None and reader.edit.kind is EditKind.RELAYOUT:
                _check_relayout(case, writer, reader, name, findings)
            else:
                _check_reader(case, reader, name, held, findings)


def _partial_fault(op: LoopOp, split: list[str]) -> str:
    """Why the partial results of a divided reduction are never complete on one core."""
    reduced = [loop.name for loop in op.loops if loop.role is Role.REDUCTION and loop.name in split]
    if not reduced:
        return ""
    if len(reduced) > 1:
        return f"splits two reduced loops ({', '.join(reduced)}): no core ends with the whole result"
    if op.combine not in SPLITTABLE:
        return f"splits {reduced[0]}, but partial results of {op.combine or op.kind} cannot be joined"
    if op.kind is OpKind.MATMUL and split[0] != reduced[0]:
        return f"splits {reduced[0]} after {split[0]}: partial sums do not sit on neighbouring cores"
    return ""


def _barred_fault(case: Case, buffer: Buffer, outputs: dict[str, str]) -> str:
    """Why a buffer may not be in LX whatever its divisions are."""
    name, writers = buffer.name, case.writers(buffer.name)
    if buffer.kind is not BufferKind.COMPUTED:
        return f"it is a graph {buffer.kind}, filled by the host in device memory"
    if name in outputs:
        return f"it is output {outputs[name]}, which the host reads from device memory"
    layout = case.layouts.get(name)
    if layout and layout.padding:
        dim, size = layout.padding[0]
        return f"it is padded with zeros along dim {dim} to {size}, which only device memory holds"
    if len(writers) != 1:
        return f"it is written by {counted(len(writers), 'step')}"
    if writers[0].op.kind is OpKind.OPAQUE:
        return f"the opaque {writers[0].name} writes it in device memory"
    readers = case.readers(name)
    for reader in readers:
        if reader.op.kind is OpKind.OPAQUE:
            return f"the opaque {reader.name} reads it from device memory"
    last = max((reader.number for reader in readers), default=0)
    for step in case.steps[writers[0].number : last]:
        if step.op.kind is OpKind.OPAQUE:
            return f"it is alive across the opaque {step.name}"
    return ""


def _held(case: Case, writer: Step, findings: Findings) -> tuple[Elements, ...] | None:
    """What every core holds after the writer has run; None if that cannot be proved."""
    operands, division = case.operands(writer), case.divisions.get(writer.name)
    if operands is None or division is None or not isinstance(operands[-1].image, Image):
        return None
    write = operands[-1]
    name = write.buffer.name
    roles = {loop.name: loop.role for loop in writer.op.loops}
    for split in division.splits:
        if split.factor > 1 and roles[split.loop] is Role.REDUCTION:
            findings.add(f"{name} is in LX, but {writer.name} splits {split.loop}: most cores hold partial sums")
            return None
    replicas = writer.edit.replicas if writer.edit else 1
    fault = tiling_fault(case.boxes(writer, operands[-1].image), write, replicas)
    if fault:
        findings.add(f"{name} is in LX, but {fault}")
    return case.elements(writer, write.access.index, write.domain)


def tiling_fault(boxes: tuple[Box | None, ...], write: Operand, replicas: int = 1) -> str:
    """Why the boxes of all cores are not equal parts of the tensor, each on so many cores, as a clause."""
    sizes = {tuple(last - first + 1 for first, last in box) for box in boxes if box is not None}
    if None in boxes or len(sizes) != 1:
        return f"its cores hold boxes of {len(sizes)} different sizes"
    size = next(iter(sizes))
    starts = Counter(tuple(first for first, _ in box) for box in boxes if box is not None)
    if any(start % length for first in starts for start, length in zip(first, size, strict=True)):
        return "the boxes of its cores do not tile the tensor"
    parts = 1
    for whole, length in zip(write.layout.device_size, size, strict=True):
        if whole % length:
            return "the boxes of its cores do not tile the tensor"
        parts *= whole // length
    if len(starts) != parts or len(starts) * replicas != len(boxes):
        each = f", each on {replicas}" if replicas > 1 else ""
        return f"the boxes of its {len(boxes)} cores cover {len(starts)} of {parts} equal parts of the tensor{each}"
    if set(starts.values()) != {replicas}:
        return f"some of its {parts} equal parts are on {min(starts.values())} cores, not all on {replicas}"
    return ""


def _check_relayout(case: Case, writer: Step, step: Step, name: str, findings: Findings) -> None:
    fault = ring_fault(case, writer, step)
    if fault is None:
        findings.unproved(f"{name} in {step.name}")
    elif fault:
        findings.add(f"{name} is in LX, but {step.name} (step {step.number}) {fault}")


def _check_reader(case: Case, reader: Step, name: str, held: tuple[Elements, ...], findings: Findings) -> None:
    for operand in case.operands(reader) or ():
        if operand.write or operand.buffer.name != name:
            continue
        fault = _access_fault(operand)
        if fault:
            findings.add(f"{name} is in LX, but {reader.name} {fault}")
            continue
        read = case.elements(reader, operand.access.index, operand.domain)
        if read is None:
            findings.unproved(f"{name} in {reader.name}")
            continue
        for core, elements in enumerate(read):
            fault = _core_fault(core, elements, held)
            if fault:
                findings.add(f"{name} is in LX, but in {reader.name} (step {reader.number}) core {core} {fault}")
                break
    if case.operands(reader) is None:
        findings.unproved(f"{name} in {reader.name}")


def _access_fault(operand: Operand) -> str:
    if operand.access.index.gathers:
        return "reads it at gathered places, which may lie on any core"
    if operand.use is Use.INDEX:
        return "uses it as an index, which is read from device memory"
    return "reads it under a mask, only in part" if operand.masked else ""


def _core_fault(core: int, read: Elements, held: tuple[Elements, ...]) -> str:
    """Why a core does not find in its LX exactly what it reads, as the end of a sentence."""
    count = read.size
    if core >= len(held):
        many = "elements" if count is None else counted(count, "element")
        return f"reads {many} and holds none: only {counted(len(held), 'core')} wrote it"
    equal = same(read, held[core])
    if equal:
        return ""
    inside = within(read, held[core])
    if equal is None or inside is None:
        return "may read elements it does not hold: too many pieces to compare"
    if inside:
        return f"reads only {count} of the {held[core].size} elements it holds"
    owner = next((other for other, elements in enumerate(held) if same(read, elements)), None)
    where = f": core {owner} holds them" if owner is not None else ""
    return f"reads {count} elements it does not all hold{where}"
