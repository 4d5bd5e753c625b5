"""Elementwise rules: pointwise ops and reductions, whose operands all meet lane by lane along at most one loop.

Owns which loop that may be: one that every operand either has on its stick, one lane per step, or does not change
along.  A reduction along the stick leaves one value per stick.  Refuses contractions, which have a stick per operand.
"""

from __future__ import annotations

from compiler.coordinates import lane_loops
from compiler.layout import MAX_DIM_ORDER, StickLayout, stick_layout
from compiler.loops import LoopOp, OpKind, Role
from compiler.operands import Operand, Setting
from compiler.scene import Candidate, Layouts, Options, Scene

ACROSS_STICK_ONLY = ("prod", "argmax", "argmin")
NO_CONVERSION = "no step converts between their widths"


def elementwise_options(scene: Scene, op: LoopOp, layouts: Layouts) -> Options:
    """Candidates of a pointwise op or a reduction.

    Vectors are spread, one value per stick, only where nothing else works.
    """
    options = _options(scene, op, layouts, spread=False)
    return options if options.found else _options(scene, op, layouts, spread=True)


def _options(scene: Scene, op: LoopOp, layouts: Layouts, spread: bool) -> Options:
    reads, write = scene.operands(op, layouts)
    roles = {loop.name: loop.role for loop in op.loops}
    found: list[Candidate] = []
    obstacles: list[tuple[str, str]] = []
    for loop in _in_order(op, reads, write):
        if loop is not None and roles[loop] is Role.REDUCTION and op.combine in ACROSS_STICK_ONLY:
            obstacles.append((loop, f"{op.combine} cannot run along a stick"))
            continue
        ways, clause = _along(scene, op, reads, write, loop, spread)
        found += ways
        if not ways and clause:
            obstacles.append((loop or "no loop", clause))
    return Options(tuple(found), tuple(obstacles))


def _in_order(op: LoopOp, reads: tuple[Operand, ...], write: Operand) -> list[str | None]:
    """Loops to put on the sticks, best first at equal cost: what an operand that is the result's twin has there, what
    other operands have, the last dim of the result, loops of whole sticks, the rest; at last none."""
    order: list[str] = []
    twins = [read for read in reads if read.access.index == write.access.index]
    for read in (*twins, *reads):
        if read.layout is not None:
            order += sorted(lane_loops(read.walk, read.layout))
    if 0 < len(write.buffer.shape) <= MAX_DIM_ORDER:
        order += sorted(lane_loops(write.walk, stick_layout(write.buffer.shape, write.buffer.strides, write.lanes)))
    inner_first = [loop for loop in reversed(op.loops) if loop.extent > 1]
    order += [loop.name for loop in inner_first if loop.extent % write.lanes == 0]
    order += [loop.name for loop in inner_first]
    known = {loop.name for loop in inner_first}
    return [*(name for name in dict.fromkeys(order) if name in known), None]


def _along(
    scene: Scene, op: LoopOp, reads: tuple[Operand, ...], write: Operand, loop: str | None, spread: bool
) -> tuple[list[Candidate], str]:
    """Candidates with this loop on the sticks, or why there is none."""
    carriers = [read for read in reads if read.carries(loop)]
    moving = any(read.carries(other.name) for read in reads for other in op.loops)
    if loop is None and not moving and write.buffer.elements > 1 and not spread:
        return [], ""  # nothing is read, so sticks cost nothing
    if loop is not None and not carriers and not write.carries(loop):
        return [], ""
    carriers += [write] if write.carries(loop) else []
    settings = scene.settings(loop, carriers)
    if not settings:
        return [], f"{' and '.join(dict.fromkeys(c.buffer.name for c in carriers))}: {NO_CONVERSION}"
    found: list[Candidate] = []
    clause = ""
    for setting in settings:
        needs, fault = _needs(op, reads, setting, spread)
        if fault:
            clause = clause or fault
            continue
        models = [(read, need) for read in reads if (need := needs[read.number]) is not None]
        outputs = tuple(scene.outputs(write, setting, models))
        found += [Candidate(loop, (layout,), needs) for layout in outputs]
        if not outputs:
            clause = clause or _output_clause(write, setting)
    return found, clause


def _needs(
    op: LoopOp, reads: tuple[Operand, ...], setting: Setting, spread: bool
) -> tuple[tuple[StickLayout | None, ...], str]:
    needs: list[StickLayout | None] = [None] * len(op.reads)
    for read in reads:
        if read.layout is None:
            continue
        vector = sum(size > 1 for size in read.buffer.shape) <= 1
        suited = not read.fault(read.layout, setting)
        layout = read.layout if suited else next(read.targets(setting, spread and vector), None)
        if layout is None:
            return (), read.nearest_fault(setting)
        needs[read.number] = layout
    return tuple(needs), ""


def _output_clause(write: Operand, setting: Setting) -> str:
    if write.layout is not None:
        return write.fault(write.layout, setting)
    return f"{write.buffer.name} has no layout that all its writers can fill"


def reduces_along_stick(op: LoopOp, candidate: Candidate) -> bool:
    """True if the candidate folds lanes, so that its result has one value per stick."""
    if op.kind is not OpKind.REDUCTION or candidate.loop is None:
        return False
    return any(loop.name == candidate.loop for loop in op.reduction_loops)
