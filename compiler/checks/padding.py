"""Padding: whether anything could take what lies in the unused lanes of a last stick for data.

Owns the tails of reduced stick loops and the range of every access.  Refuses to know how a tail is masked: only that
the hardware can, because the loop is whole on each core.
"""

from __future__ import annotations

from compiler.checks.case import Case
from compiler.checks.findings import Findings
from compiler.checks.sticks import stick_unit
from compiler.loops import Role


def padding(case: Case, findings: Findings) -> None:
    """Every access within its buffer; every reduced loop along sticks whole, or cut only where sticks are full."""
    for step in case.device_steps:
        operands = case.operands(step)
        if operands is None:
            if case.complete:
                findings.unproved(step.name)
            continue
        for operand in operands:
            if isinstance(operand.image, str):
                findings.add(f"{step.name}: {operand.buffer.name} {operand.image}")
        division = case.divisions.get(step.name)
        if division is None:
            if case.complete:
                findings.unproved(step.name)
            continue
        for split in division.splits:
            loop = next(loop for loop in step.op.loops if loop.name == split.loop)
            lanes = max((stick_unit(operand) for operand in operands if loop.name in operand.lane_loops), default=1)
            if loop.role is Role.REDUCTION and split.factor > 1 and loop.extent % lanes:
                tail = f"{loop.name} of {loop.extent} ends within a stick of {lanes}"
                findings.add(f"{step.name}: {tail}; its tail can be masked only if the loop is not split")
