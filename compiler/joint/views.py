"""Views: who holds which part of a buffer, as numbers, so that two steps meet if their numbers are equal.

Owns the numbering: a view is the box of every core in device coordinates.  Refuses a view where a core has no whole
part: gaps, masks, gathered places, partial sums, and parts of unequal size as written.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from compiler.coordinates import Boxes, core_boxes
from compiler.division import Division
from compiler.layout import StickLayout
from compiler.loops import Access, Buffer, LoopOp
from compiler.solvers.joint.problem import NOWHERE


@dataclass(slots=True)
class Views:
    """Numbers of views seen so far, with the boxes and the bytes per core that they stand for."""

    numbers: dict[tuple[bytes, bytes], int] = field(default_factory=dict)
    boxes: list[Boxes] = field(default_factory=list)
    _bytes: list[int] = field(default_factory=list)

    def read(self, op: LoopOp, access: Access, buffer: Buffer, layout: StickLayout, division: Division) -> int:
        """The view that a step needs of a buffer."""
        found = core_boxes(op, access, buffer, layout, division)
        return self._number(found) if found.exact.all() else NOWHERE

    def written(self, op: LoopOp, access: Access, buffer: Buffer, layout: StickLayout, division: Division) -> int:
        """The view that a step leaves of a buffer."""
        reduced = {loop.name for loop in op.reduction_loops}
        found = core_boxes(op, access, buffer, layout, division)
        total = layout.sticks * layout.elements_per_stick
        equal = bool((found.size == found.size[0]).all()) and int(found.size.prod(axis=1).sum()) == total
        partial = any(split.loop in reduced for split in division.splits)
        return self._number(found) if equal and not partial and found.exact.all() else NOWHERE

    def bytes_per_core(self, view: int) -> int:
        """Bytes of the largest part."""
        return self._bytes[view]

    def _number(self, found: Boxes) -> int:
        key = (found.start.tobytes(), found.size.tobytes())
        if key not in self.numbers:
            self.numbers[key] = len(self.boxes)
            self.boxes.append(found)
            self._bytes.append(int(found.bytes.max()))
        return self.numbers[key]
