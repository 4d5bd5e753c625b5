"""Contraction tails: what the second operand of a product shows beyond the end of the summed loop.

The hardware masks the lanes of the first operand that lie beyond the end, but reads the second one to the end of the
stick, so that what stands there must be zeros (facts 2.6).
Owns whether zeros can be put there: below the last row of the one dim that follows the loop.  Refuses to pad.
"""

from __future__ import annotations

from compiler.coordinates import depends_on, lane_loops, walk_of
from compiler.loops import Access, Load, LoopOp, OpKind
from compiler.scene import Candidate, Scene
from compiler.walks import Walk

CONTRACTIONS = (OpKind.MATMUL, OpKind.CONV)


def can_end(scene: Scene, op: LoopOp, way: Candidate) -> bool:
    """True unless this way of a contraction ends within a stick where the second operand cannot be padded."""
    loads = [step.read for result in op.results if isinstance(step := op.body[result], Load)]
    if op.kind not in CONTRACTIONS or len(loads) != 2:
        return True
    left, right = (op.reads[read] for read in loads)
    layout = way.needs[loads[0]]
    if layout is None:
        return True
    lanes = layout.elements_per_stick
    deep = lane_loops(_walk(scene, op, left), layout)
    tails = [loop for loop in op.loops if loop.name in deep and loop.extent % lanes]
    walk = _walk(scene, op, right)
    return all(not depends_on(walk, loop.name) or followed_dim(walk, loop.name) is not None for loop in tails)


def followed_dim(walk: Walk, loop: str) -> int | None:
    """The host dim that the loop moves through alone, row by row down to its last one; None if there is none."""
    parts = [part for part in walk.parts if loop in part.loops]
    if not walk.known or len(parts) != 1 or parts[0].table is not None:
        return None
    dims = [dim for dim, step in enumerate(parts[0].steps) if step]
    if len(dims) != 1 or parts[0].steps[dims[0]] != 1:
        return None
    dim, size = dims[0], parts[0].extents[0]
    if any(part is not parts[0] and (part.table is not None or part.steps[dim]) for part in walk.parts):
        return None
    return dim if walk.start[dim] + size == walk.shape[dim] else None


def _walk(scene: Scene, op: LoopOp, access: Access) -> Walk:
    return walk_of(op, access, scene.buffers[access.buffer])
