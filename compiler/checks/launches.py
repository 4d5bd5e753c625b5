"""Launches: whether edits can be carried out, and kernels run every step once and in order.

Owns the verdict on the plan's sequence.  Refuses to know what the steps compute.
"""

from __future__ import annotations

from compiler.checks.case import Case
from compiler.checks.findings import Findings
from compiler.counts import counted
from compiler.loops import OpKind


def edits(case: Case, findings: Findings) -> None:
    """The faults of single edits, then that each moves a whole buffer, then the kernels."""
    for fault in case.edit_faults.values():
        findings.add(fault)
    for step in case.steps:
        if step.edit is None:
            continue
        points, copies = step.op.iterations, step.edit.replicas
        elements = case.buffers[step.edit.source].elements
        if points != elements * copies:
            each = f", {copies} times" if copies > 1 else ""
            whole = counted(elements, "element")
            findings.add(f"edit {step.name} copies {points} of {whole} of {step.edit.source}{each}")
    if "kernels" in case.decided:
        _kernels(case, findings)


def _kernels(case: Case, findings: Findings) -> None:
    opaque = {step.name for step in case.steps if step.op.kind is OpKind.OPAQUE}
    wanted = [step.name for step in case.steps]
    listed: list[str] = []
    names: set[str] = set()
    for kernel in case.plan.kernels:
        if not kernel.steps:
            findings.add(f"kernel {kernel.name} has no steps")
        if kernel.name in names:
            findings.add(f"two kernels are called {kernel.name}")
        names.add(kernel.name)
        for name in kernel.steps:
            if name in opaque and len(kernel.steps) > 1:
                findings.add(f"kernel {kernel.name} holds the opaque {name} together with other steps")
        listed += kernel.steps
    _order(wanted, listed, findings)


def _order(wanted: list[str], listed: list[str], findings: Findings) -> None:
    if wanted == listed:
        return
    found = len(findings)
    for name in wanted:
        count = listed.count(name)
        if count != 1:
            findings.add(f"step {name} is in {count} kernels")
    for name in listed:
        if name not in wanted:
            findings.add(f"a kernel lists {name}, which is no step")
    if len(findings) == found:
        place = next(number for number, pair in enumerate(zip(wanted, listed, strict=True)) if pair[0] != pair[1])
        findings.add(f"the kernels run {listed[place]} where {wanted[place]} is due")
