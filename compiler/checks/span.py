"""Span: how far a core walks in each tensor, and how often the loops of a step turn.

Owns the span formula: the outermost coordinate that a core really walks decides.  Refuses to propose divisions.
"""

from __future__ import annotations

import math

from frozendict import frozendict

from compiler.checks.case import Case, Operand
from compiler.checks.findings import Findings
from compiler.checks.image import Image
from compiler.checks.sticks import stick_unit
from compiler.schedule import Step


def span(case: Case, findings: Findings) -> None:
    """Every operand of every device step, then the trips of its loops."""
    limit = case.device.span_limit_bytes
    known: dict[tuple[int, tuple[tuple[str, int], ...]], int] = {}  # equal layers share images
    for step in case.device_steps:
        operands = case.operands(step)
        if operands is None or step.name not in case.divisions:
            if case.complete:
                findings.unproved(step.name)
            continue
        extents = core_extents(case, step)
        for operand in operands:
            if operand.access.index.gathers:
                continue
            if isinstance(operand.image, str):
                findings.unproved(f"{operand.buffer.name} in {step.name}")
            elif operand.image is not None:
                key = (id(operand.image), tuple(extents.items()))
                if key not in known:
                    known[key] = span_bytes(operand.image, extents)
                walked = known[key]
                if walked > limit:
                    where = f"{step.name}: a core walks {walked} bytes of {operand.buffer.name}"
                    findings.add(f"{where}, the limit is {limit}")
        _check_trips(case, step, operands, extents, findings)


def core_extents(case: Case, step: Step) -> dict[str, int]:
    """Iterations of every loop on the core that has most: the first one."""
    splits = {split.loop: split.step for split in case.divisions[step.name].splits}
    return {loop.name: min(splits.get(loop.name, loop.extent), loop.extent) for loop in step.op.loops}


def span_bytes(image: Image, extents: dict[str, int]) -> int:
    """Bytes between the first and the last stick a core walks, by the outermost coordinate that moves.

    A coordinate's size on one core is the range it runs through in the core's iterations.
    """
    bounds = {name: (low, low + extents.get(name, high - low)) for name, (low, high) in image.domain.items()}
    reach = image.reach(frozendict(bounds))
    sizes = image.layout.device_size
    for dim in range(len(sizes) - 1):
        if not image.moving[dim]:
            continue
        size = reach[1][dim] - reach[0][dim] + 1 if reach else 1
        if size > 1:
            return size * math.prod(sizes[dim + 1 :]) * image.layout.element_bytes
    return image.layout.element_bytes


def _check_trips(
    case: Case, step: Step, operands: tuple[Operand, ...], extents: dict[str, int], findings: Findings
) -> None:
    """Loops along sticks turn once per stick, the others once per iteration."""
    limit = case.device.count("loop_trip_limit")
    for loop in step.op.loops:
        lanes = max((stick_unit(operand) for operand in operands if loop.name in operand.lane_loops), default=1)
        trips = -(-extents[loop.name] // lanes)
        if trips > limit:
            findings.add(f"{step.name}: {loop.name} turns {trips} times on a core, the limit is {limit}")
