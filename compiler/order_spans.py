"""Order spans: tensors so large that another dim order would leave no division within the limits of one core.

The outermost device dim that a core walks decides its span, so that an order can make a tensor too wide (facts 3.2).
Owns which changed layouts do.  Refuses to look at what was too wide before.
"""

from __future__ import annotations

from collections.abc import Mapping

from compiler.device import Device
from compiler.floors import floors_of
from compiler.layout import StickLayout
from compiler.limits import excess
from compiler.loops import LoopOp
from compiler.schedule import Schedule
from compiler.spaces import space_of
from compiler.spans import reaches_of

Layouts = Mapping[str, StickLayout]


def too_wide(device: Device, schedule: Schedule, before: Layouts, after: Layouts) -> frozenset[str]:
    """Large buffers in a new order that a step cannot be divided for, though it could be before."""
    large = {name for name, layout in after.items() if layout.size_bytes > device.span_limit_bytes}
    changed = {name for name in large if before[name] != after[name]}
    found: set[str] = set()
    for step in schedule.steps if changed else ():
        touched = {access.buffer for access in step.op.accesses} & changed
        if touched and not _fits(device, step.op, schedule, after) and _fits(device, step.op, schedule, before):
            found |= touched
    return frozenset(found)


def _fits(device: Device, op: LoopOp, schedule: Schedule, layouts: Layouts) -> bool:
    space = space_of(op, schedule, layouts)
    reaches = reaches_of(op, schedule, layouts, device.span_limit_bytes)
    return excess(space, reaches, space.division(floors_of(space, reaches, device)), device) is None
