"""What a contraction finds when it reads on to the end of a stick, element by element.

Owns the places behind the last row that the right operand is read from: on the device, inside of its buffer, and where
no element lies.  Refuses rules: it only looks where the next steps of the same length lead.
"""

from collections.abc import Iterator

import numpy as np

from compiler.loops import Access, Load, LoopOp
from compiler.plan import Plan
from tests.points import offsets, points, whole


def right_of(op: LoopOp) -> Access:
    """The read of a contraction's second operand."""
    load = op.body[op.results[1]]
    assert isinstance(load, Load)
    return op.reads[load.read]


def zero_faults(op: LoopOp, plan: Plan, right: Access, elements: set[int]) -> Iterator[str]:
    """What is read beyond the reduced loop and is no zero; `elements` are all offsets of the right operand."""
    first = op.body[op.results[0]]
    assert isinstance(first, Load)
    every = points(op, whole(op))
    left, layout = plan.layouts[op.reads[first.read].buffer], plan.layouts[right.buffer]
    lane = left.coordinates(offsets(op, op.reads[first.read], every))[-1]
    lane = lane.reshape([loop.extent for loop in op.loops])
    where = layout.coordinates(offsets(op, right, every))
    taken = layout.positions(np.array(sorted(elements), dtype=np.int64))
    sizes, strides = (np.array(one)[:, None] for one in (layout.device_size, layout.device_strides))
    for axis, loop in enumerate(op.loops):
        missing = -loop.extent % left.elements_per_stick
        if not missing or not np.any(np.diff(lane, axis=axis)):
            continue
        last = where[:, every[loop.name] == loop.extent - 1]
        step = last - where[:, every[loop.name] == loop.extent - 2]
        last, step = last[:, step.any(axis=0)], step[:, step.any(axis=0)]
        for further in range(1, missing + 1):
            place = last + further * step
            outside = bool(np.any(place < 0) or np.any(place >= sizes))
            if outside or bool(np.any(np.isin((place * strides).sum(axis=0), taken))):
                what = "other memory" if outside else "elements"
                yield f"{op.name}: behind its last row of {right.buffer}, {loop.name} reads {what}"
                return
