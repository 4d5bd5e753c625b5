"""DivisionMenu: every division of one step that hardware and limits allow.

Owns that list.  Refuses to rank it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product

from compiler.device import Device
from compiler.division import Division
from compiler.layout import StickLayout
from compiler.limits import excess
from compiler.loops import OpKind
from compiler.pinning import objection
from compiler.schedule import Schedule, Step
from compiler.spaces import space_of
from compiler.spans import reaches_of


def legal_divisions(
    step: Step, schedule: Schedule, layouts: Mapping[str, StickLayout], device: Device
) -> tuple[Division, ...]:
    """Whole divisions within the cores, the limits of one core and one split reduced loop; those of a host op: none."""
    if step.op.kind is OpKind.OPAQUE:
        return ()
    space = space_of(step.op, schedule, layouts)
    reaches = reaches_of(step.op, schedule, layouts, device.span_limit_bytes)
    menus = [[(axis.name, factor) for factor in axis.factors(device.cores)] for axis in space.axes]
    found = []
    for combination in product(*menus):
        factors = {name: factor for name, factor in combination if factor > 1}
        if math.prod(factors.values()) > device.cores or (factors and objection(space, factors, device)):
            continue
        division = space.division(factors)
        if excess(space, reaches, division, device) is None:
            found.append(division)
    return tuple(found)
