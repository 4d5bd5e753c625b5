"""Limits: what of a divided step is beyond the hardware: the span of a tensor on one core, the turns of a loop.

Owns the comparison and the refusal.  Refuses to look for a division that would do: that is for `compiler.floors`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from compiler.counts import counted
from compiler.device import Device
from compiler.division import Division
from compiler.errors import Breach, LimitError
from compiler.loops import OpKind
from compiler.schedule import Step
from compiler.spaces import Space
from compiler.spans import Reach


@dataclass(frozen=True, slots=True)
class Excess:
    """What is beyond a limit: a tensor or a loop, how much it needs on one core, and the limit."""

    subject: str
    value: str
    limit: str

    def __str__(self) -> str:
        return f"{self.subject} needs {self.value} and the limit is {self.limit}"


def widest(reaches: Iterable[Reach], division: Division) -> tuple[str, int] | None:
    """The tensor with the largest span under a division, and that span in bytes; None without tensors."""
    spans = [(reach.buffer, reach.span(division)) for reach in reaches]
    return max(spans, key=lambda item: item[1], default=None)


def excess(space: Space, reaches: Iterable[Reach], division: Division, device: Device) -> Excess | None:
    """The worst excess of a step under a division, None if it is within all limits."""
    wide, limit = widest(reaches, division), device.span_limit_bytes
    if wide is not None and wide[1] > limit:
        return Excess(wide[0], f"a span of {wide[1]:,} B on one core", f"{limit:,} B")
    turns = device.count("loop_trip_limit")
    for axis in space.axes if space.op.kind is not OpKind.OPAQUE else ():
        trips = axis.size // division.factor(axis.name)
        if trips > turns:
            unit = "sticks" if axis.lanes > 1 else "iterations"
            return Excess(f"loop {axis.name}", f"{trips:,} {unit} on one core", f"{turns:,}")
    return None


def refuse(step: Step, found: Excess, division: Division, device: Device) -> LimitError:
    """The error for a step that no division open to the compiler brings within the limits."""
    subject = found.subject
    if step.edit is not None and subject == step.edit.target:
        subject = f"the copy of {step.edit.source} that {step.edit.before} reads"
    breach = Breach(step.name, subject, step.op.origin.source, found.limit, found.value)
    remedy = (
        f"the best division found is {division} ({division.cores} of {counted(device.cores, 'core')}); use more cores "
        "or smaller tensors, because this pipeline does not cut loops into tiles"
    )
    return LimitError(breach, remedy)
