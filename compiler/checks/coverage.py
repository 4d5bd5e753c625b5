"""Coverage: every element of every computed buffer is written exactly once, and before it is read.

Owns completeness: a layout and a placement for every buffer, a division for every step, and that the slices of all
cores together write each buffer once.  Refuses to know where anything lies.
"""

from __future__ import annotations

import math

import numpy as np

from compiler.checks.case import Case
from compiler.checks.domains import full
from compiler.checks.elements import Elements, accessed, joined, of_one_row, same, stored
from compiler.checks.findings import Findings
from compiler.counts import counted
from compiler.loops import Access, Buffer, BufferKind, OpKind, Role
from compiler.schedule import REPLICA, Step


def coverage(case: Case, findings: Findings) -> None:
    """Completeness, order, then the elements of every buffer."""
    for name, fault in case.division_faults.items():
        findings.add(f"{name} {fault}")
    if case.complete:
        _complete(case, findings)
    _order(case, findings)
    seen: dict[tuple[object, ...], str] = {}
    for name, buffer in case.buffers.items():
        fault = _written_fault(case, buffer, seen)
        if fault:
            findings.add(f"{name} {fault}")


def _complete(case: Case, findings: Findings) -> None:
    plan, program = case.plan, case.program
    if plan.model != program.name:
        findings.add(f"the plan is for model {plan.model}, the program is {program.name}")
    if plan.device != case.device.name or plan.cores != case.device.cores:
        want = f"{case.device.name} with {counted(case.device.cores, 'core')}"
        findings.add(f"the plan is for {plan.device} with {counted(plan.cores, 'core')}, the problem for {want}")
    names = case.schedule.step_map
    for what, needed, given in (
        ("layout", case.buffers, plan.layouts),
        ("placement", case.buffers, plan.placement),
        ("division", names, plan.divisions),
    ):
        for name in needed:
            if name not in given:
                findings.add(f"{name} has no {what}")
        for name in given:
            if name not in needed:
                findings.add(f"there is a {what} for {name}, which does not exist")
    for name in case.buffers:
        if name in plan.placement and case.placement(name) is None:
            findings.add(f"{name} has no proper placement")


def _order(case: Case, findings: Findings) -> None:
    """Nothing is read before all its writers have run; every output has a value."""
    for name, buffer in case.buffers.items():
        writers = [step.number for step in case.writers(name)]
        if buffer.kind is not BufferKind.COMPUTED:
            if writers:
                findings.add(f"{name} is filled by the host, but step {case.writers(name)[0].name} writes it")
            continue
        for reader in case.readers(name):
            if not writers or reader.number <= max(writers):
                findings.add(f"{reader.name} (step {reader.number}) reads {name} before it is written")
    for output in case.schedule.outputs:
        if output.buffer not in case.buffers:
            findings.add(f"output {output.name} is a view of {output.buffer}, which does not exist")


def _written_fault(case: Case, buffer: Buffer, seen: dict[tuple[object, ...], str]) -> str:
    """Why the writers of a buffer do not write each element once, as the end of a sentence."""
    if buffer.kind is not BufferKind.COMPUTED:
        return ""
    writers = case.writers(buffer.name)
    if not writers:
        return "is never written"
    if any(step.op.kind is OpKind.OPAQUE for step in writers):
        return "" if len(writers) == 1 else "is written by an opaque op and by others"
    writes = [(step, access) for step in writers for access in step.op.writes if access.buffer == buffer.name]
    for step in writers:
        fault = _replica_fault(case, step)
        if fault:
            return fault
    key = (buffer.shape, buffer.strides, tuple((step.op.loops, access.index) for step, access in writes))
    if key not in seen:
        seen[key] = _once_fault(buffer, writes)
    return seen[key]


def _replica_fault(case: Case, step: Step) -> str:
    """Each core writes one replica of its part, once."""
    copies = step.edit.replicas if step.edit else 1
    division = case.divisions.get(step.name)
    if copies == 1 or division is None:
        return ""
    factor = next((split.factor for split in division.splits if split.loop == REPLICA), 1)
    if factor == copies:
        return ""
    cut = f"{copies} replicas are cut into {factor}"
    return f"is written more than once on a core by {step.name}: its {cut}, each core must have one"


def _once_fault(buffer: Buffer, writes: list[tuple[Step, Access]]) -> str:
    parts = []
    for step, access in writes:
        elements, fault = _written(step, access)
        if elements is None:
            return fault
        parts.append(elements)
    wanted = stored(buffer)
    if len(parts) == 1:
        equal = same(parts[0], wanted)
    else:
        lists = [part.intervals() for part in of_one_row([*parts, wanted])]
        known = [part for part in lists if part is not None]
        if len(known) < len(lists):
            return "is written in more pieces than can be compared"
        together, whole = joined(np.concatenate(known[:-1])), known[-1]
        sizes = [int((part[:, 1] - part[:, 0]).sum()) for part in (*known[:-1], together)]
        if sum(sizes[:-1]) > sizes[-1]:
            return "is written twice where its writers overlap"
        equal = bool(np.array_equal(together, whole))
    if equal is None:
        return "is written in more pieces than can be compared"
    return "" if equal else "is not written exactly: some elements are left out or lie outside"


def _written(step: Step, access: Access) -> tuple[Elements | None, str]:
    """What one access writes in all, or why it does not write each element once."""
    op = step.op
    followed = access.index.loop_names
    apart = {REPLICA} if step.edit else set()
    if access.index.gathers:
        return None, f"is written by {step.name} at gathered places, which cannot be proved"
    for loop in op.loops:
        if loop.name in apart:
            continue
        if loop.extent > 1 and loop.role is Role.OUTPUT and loop.name not in followed:
            return None, f"is written {loop.extent} times by {step.name}, once per {loop.name}"
        if loop.role is Role.REDUCTION and loop.name in followed:
            return None, f"is written by {step.name} before {loop.name} is reduced"
    outputs = {loop.name: full(op)[loop.name] for loop in op.output_loops}
    elements = accessed(access.index, outputs)
    count = elements.size if elements else None
    if elements is None or count is None:
        return None, f"is written by {step.name} in more pieces than can be compared"
    points = math.prod(loop.extent for loop in op.output_loops if loop.name not in apart)
    if count < points:
        return None, f"is written {points} times by {step.name}, but that reaches only {count} elements"
    return elements, ""
