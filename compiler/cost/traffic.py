"""Traffic: the device bytes that an access meets, padding included (facts 6.1).

Owns bytes.  Refuses times, and how often an operand is loaded.
"""

from __future__ import annotations

from compiler.coordinates import core_boxes, depends_on, lane_loops, walk_of
from compiler.division import Division
from compiler.layout import StickLayout
from compiler.loops import Access, Buffer, LoopOp, OpKind


def met_bytes(op: LoopOp, access: Access, buffer: Buffer, layout: StickLayout) -> int:
    """Device bytes of the sticks an access meets, each counted once: the box around it, or fewer if it picks some."""
    if op.kind is OpKind.OPAQUE:
        return layout.size_bytes
    walk = walk_of(op, access, buffer)
    along = lane_loops(walk, layout)
    sticks = 1
    for loop in op.loops:
        if depends_on(walk, loop.name):
            sticks *= -(-loop.extent // layout.elements_per_stick) if loop.name in along else loop.extent
    box = int(core_boxes(op, access, buffer, layout, Division()).bytes.sum())
    return min(box, sticks * layout.elements_per_stick * layout.element_bytes)


def listed(sizes: dict[str, int]) -> str:
    """Bytes by buffer, in words.

    >>> listed({"x": 4096, "y": 0}), listed({})
    ('x 4,096 B', 'nothing')
    """
    return ", ".join(f"{name} {size:,} B" for name, size in sizes.items() if size) or "nothing"
