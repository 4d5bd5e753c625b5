"""Runs: the bytes in a row that a core reads of a tensor under a division (facts 6.6).

Owns the run of the first core.  Where an access has gaps, is masked or follows values, no run is known: 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from compiler.coordinates import Boxes, core_boxes, device_dims, moves_dim, outer_dim, walk_of
from compiler.division import Division
from compiler.layout import Arrangement, StickLayout
from compiler.loops import Access, Buffer, LoopOp
from compiler.walks import Walk

UNKNOWN_RUN = 0


@dataclass(frozen=True, slots=True)
class Dim:
    """A device dim: its size, the only loop that walks it ('' for none), the steps of that loop, and where it starts.

    `lanes` steps make one step of the dim: 1, or the elements of a stick.
    """

    size: int
    loop: str
    extent: int
    start: int
    lanes: int

    def walked(self, steps: Mapping[str, int]) -> int:
        """Steps of the first core along the dim; `steps` are its iterations of the split loops."""
        last = self.start + steps.get(self.loop, self.extent) - 1
        return last // self.lanes - self.start // self.lanes + 1


def run_bytes(op: LoopOp, access: Access, buffer: Buffer, layout: StickLayout, division: Division) -> int:
    """Bytes in a row of the first core's slice: dims from the lane outwards as long as they are whole.

    >>> from compiler.division import Split
    >>> from compiler.dtypes import DType
    >>> from compiler.layout import stick_layout
    >>> from compiler.loops import BufferKind, Index, Loop, OpKind, Origin, Term
    >>> x = Buffer("x", DType.F16, (1024, 256), (256, 1), BufferKind.INPUT)
    >>> read = Access("x", Index(0, (Term(256, (("i", 1),)), Term(1, (("j", 1),)))))
    >>> op = LoopOp("op", OpKind.POINTWISE, "", (Loop("i", 1024), Loop("j", 256)), (read,), (), (), (), Origin())
    >>> layout, splits = stick_layout(x.shape, x.strides, 64), (Split("i", 32, 32), Split("j", 4, 64))
    >>> [run_bytes(op, read, x, layout, Division(cut)) for cut in ((), splits[:1], splits[1:])]
    [524288, 4096, 131072]
    """
    walk = walk_of(op, access, buffer)
    dims = _dims(walk, layout)
    if dims is None:
        return _of_boxes(core_boxes(op, access, buffer, layout, division), layout)
    steps = {split.loop: split.step for split in division.splits}
    run = layout.element_bytes * layout.elements_per_stick
    for dim in dims:
        walked = dim.walked(steps)
        run *= walked
        if walked < dim.size:
            break
    return run


def _of_boxes(found: Boxes, layout: StickLayout) -> int:
    if not found.exact[0]:
        return UNKNOWN_RUN
    run = layout.element_bytes
    for size, whole in zip(reversed(found.size[0]), reversed(layout.device_size), strict=True):
        run *= int(size)
        if size < whole:
            break
    return run


@lru_cache(maxsize=1 << 14)
def _dims(walk: Walk, layout: StickLayout) -> tuple[Dim, ...] | None:
    """Device dims but for the lane, inside first, if each is walked by one loop without gaps; else None."""
    plain = walk.known and not (walk.masked or walk.gathers) and layout.arrangement is Arrangement.STANDARD
    if not plain or any(part.table is not None for part in walk.parts):
        return None
    found = []
    for place, host in enumerate(device_dims(layout)[:-1]):
        parts = [part for part in walk.parts if host >= 0 and moves_dim(part, host)]
        if len(parts) > 1 or any(part.steps[host] != 1 or sum(map(bool, part.steps)) > 1 for part in parts):
            return None
        loop, extent = (parts[0].names[0], parts[0].extents[0]) if parts else ("", 1)
        lanes = layout.elements_per_stick if place == outer_dim(layout) and host >= 0 else 1
        found.append(Dim(layout.device_size[place], loop, extent, walk.start[host] if host >= 0 else 0, lanes))
    return tuple(reversed(found))
