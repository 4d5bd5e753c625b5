"""Runs: the bytes in a row that a core reads of a tensor under a division (facts 6.6).

Owns the run of the first core.  Where an access has gaps, is masked or follows values, no run is known: 0.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from compiler.coordinates import boxes, walk_of
from compiler.division import Division
from compiler.layout import StickLayout
from compiler.loops import Access, Buffer, Loop, LoopOp
from compiler.slices import plain_dims, steps_of
from compiler.walks import Walk

UNKNOWN_RUN = 0


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
    dims = plain_dims(walk, layout)
    if dims is None:
        return _first_run(walk, layout, op.loops, tuple(sorted(steps_of(division).items())))
    steps = steps_of(division)
    run = layout.element_bytes * layout.elements_per_stick
    for dim in reversed(dims):
        walked = dim.walked(steps)
        run *= walked
        if walked < dim.size:
            break
    return run


@lru_cache(maxsize=1 << 14)
def _first_run(walk: Walk, layout: StickLayout, loops: tuple[Loop, ...], steps: tuple[tuple[str, int], ...]) -> int:
    """The run of the box that the first core walks."""
    ends = {loop.name: loop.extent for loop in loops} | dict(steps)
    found = boxes(walk, layout, {name: (np.zeros(1, np.int64), np.full(1, end)) for name, end in ends.items()})
    if not found.exact[0]:
        return UNKNOWN_RUN
    run = layout.element_bytes
    for size, whole in zip(reversed(found.size[0]), reversed(layout.device_size), strict=True):
        run *= int(size)
        if size < whole:
            break
    return run
