"""Spans: how many bytes of a tensor a core has to be able to address (facts 3.2).

Owns the span of one access under a division: the outermost device dim that a core really walks decides, everything
inside it counts whole.  Refuses to find a better division: that is for `compiler.floors` and the passes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from compiler.coordinates import device_dims, most_walked, walk_of
from compiler.division import Division
from compiler.layout import StickLayout
from compiler.loops import LoopOp, OpKind
from compiler.schedule import Schedule
from compiler.slices import plain_dims, steps_of
from compiler.spaces import layout_of
from compiler.walks import Walk


@dataclass(frozen=True, slots=True)
class Reach:
    """One access of an op with the layout of its tensor."""

    op: LoopOp
    buffer: str
    walk: Walk
    layout: StickLayout

    @property
    def dims(self) -> int:
        """Device dims but for the lane."""
        return len(self.layout.device_size) - 1

    def loops(self, dim: int) -> tuple[str, ...]:
        """Loops, in loop order, that move the host dim behind a device dim."""
        host = device_dims(self.layout)[dim]
        moving = {
            name
            for part in self.walk.parts
            for name in part.loops
            if host >= 0 and (part.table is not None or part.steps[host])
        }
        return tuple(loop.name for loop in self.op.loops if loop.name in moving)

    def walked(self, division: Division) -> tuple[int, ...]:
        """Most steps that any core takes along every device dim but the lane."""
        dims = plain_dims(self.walk, self.layout)
        if dims is not None:
            steps = steps_of(division)
            return tuple(max(1, dim.walked(steps)) for dim in dims)
        return most_walked(self.walk, self.layout, self.op.loops, division)

    def span(self, division: Division) -> int:
        """Bytes from the first to the last stick of the outermost device dim that a core walks."""
        for dim, size in enumerate(self.walked(division)):
            if size > 1:
                return size * math.prod(self.layout.device_size[dim + 1 :]) * self.layout.element_bytes
        return self.layout.element_bytes


def reaches_of(op: LoopOp, schedule: Schedule, layouts: Mapping[str, StickLayout], limit: int = 0) -> tuple[Reach, ...]:
    """Accesses whose span counts, reads before writes: tensors larger than `limit` bytes, but not gathered ones.

    Ops that run on the host have none.
    """
    if op.kind is OpKind.OPAQUE:
        return ()
    found: list[Reach] = []
    for access in dict.fromkeys(op.accesses):
        layout = layout_of(layouts, access.buffer)
        if layout.size_bytes > limit and not access.index.gathers:
            walk = walk_of(op, access, schedule.buffers[access.buffer])
            found.append(Reach(op, access.buffer, walk, layout))
    return tuple(found)
