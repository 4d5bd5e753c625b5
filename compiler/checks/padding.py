"""Padding: whether anything could take what lies in the unused lanes of a last stick, or behind a tensor, for data.

Owns the tails of reduced stick loops and the range of every access.  Refuses to know how a tail is masked: only that
the hardware can, because the loop is whole on each core.
"""

from __future__ import annotations

from compiler.checks.case import Case, Operand
from compiler.checks.findings import Findings
from compiler.checks.sticks import stick_unit
from compiler.checks.tails import tail_fault
from compiler.division import Division
from compiler.loops import Role
from compiler.schedule import Step


def padding(case: Case, findings: Findings) -> None:
    """Every access within its buffer; every reduced loop along sticks whole, or cut only where sticks are full.

    In a finished plan, what contractions read beyond their last row is zero.
    """
    for step in case.device_steps:
        operands, division = case.operands(step), case.divisions.get(step.name)
        if case.complete and (operands is None or division is None):
            findings.unproved(step.name)
        if operands is None:
            continue
        for operand in operands:
            if isinstance(operand.image, str):
                findings.add(f"{step.name}: {operand.buffer.name} {operand.image}")
        fault = tail_fault(step.op, operands) if case.complete else ""
        if fault:
            findings.add(f"{step.name}: {fault}")
        if division is not None:
            _masked(step, operands, division, findings)


def _masked(step: Step, operands: tuple[Operand, ...], division: Division, findings: Findings) -> None:
    for split in division.splits:
        loop = next(loop for loop in step.op.loops if loop.name == split.loop)
        lanes = max((stick_unit(operand) for operand in operands if loop.name in operand.lane_loops), default=1)
        if loop.role is Role.REDUCTION and split.factor > 1 and loop.extent % lanes:
            tail = f"{loop.name} of {loop.extent} ends within a stick of {lanes}"
            findings.add(f"{step.name}: {tail}; its tail can be masked only if the loop is not split")
