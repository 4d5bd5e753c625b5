"""Boxes that cores hold of tensors: how several become one, and whether one is inside another.

Owns this arithmetic over the ops of a kernel.  Refuses to write text.
"""

from __future__ import annotations

from compiler.emit.ktir_geometry import Box, OpGeometry
from compiler.emit.unsaid import UnsaidError
from compiler.formats.opspec import KernelSpec


def wholes(kernel: KernelSpec) -> dict[str, dict[int, Box]]:
    """What every core holds of tensors that several ops write, as the pieces of a concatenation do."""
    found: dict[str, dict[int, Box]] = {}
    for spec in kernel.ops():
        try:
            geometry = OpGeometry(spec)
        except UnsaidError:
            continue  # it is told where the op is written
        for core in range(spec.cores) if spec.output.name else ():
            boxes = found.setdefault(spec.output.name, {})
            own = geometry.box(spec.output, core)
            known = boxes.get(core)
            boxes[core] = _hull(known, own) if known and len(known.start) == len(own.start) else known or own
    return found


def _hull(one: Box, other: Box) -> Box:
    start = tuple(map(min, one.start, other.start))
    ends = (max(a + n, b + m) for a, n, b, m in zip(one.start, one.size, other.start, other.size, strict=True))
    return Box(start, tuple(end - first for end, first in zip(ends, start, strict=True)))


def inside(mine: Box, theirs: Box | None) -> bool:
    """True if `mine` is a part of `theirs`, in the same device dims."""
    if theirs is None or len(mine.start) != len(theirs.start):
        return False
    pairs = zip(mine.start, mine.size, theirs.start, theirs.size, strict=True)
    return all(other <= own and own + size <= other + room for own, size, other, room in pairs)
