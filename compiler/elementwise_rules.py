"""Elementwise rules: pointwise ops and reductions, whose operands all meet lane by lane along at most one loop.

Owns which loop that may be: one that every operand either has on its stick, one lane per step, or does not change
along.  A reduction along the stick leaves one value per stick.  Refuses contractions, which have a stick per operand.
"""

from __future__ import annotations

from compiler.coordinates import lane_loops, stick_columns
from compiler.layout import MAX_DIM_ORDER, StickLayout, stick_layout
from compiler.loops import LoopOp, OpKind, Role
from compiler.operands import WRITE, Operand, Setting
from compiler.scene import CONVERTED, Candidate, Layouts, Obstacle, Options, Scene

ACROSS_STICK_ONLY = ("prod", "argmax", "argmin")
NO_LOOP = "no loop"


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
    obstacles: list[Obstacle] = []
    for loop in _in_order(op, reads, write):
        if loop is not None and roles[loop] is Role.REDUCTION and op.combine in ACROSS_STICK_ONLY:
            clause = f"{op.combine} cannot run along a stick"
            kept = any(each.extent > 1 for each in op.output_loops)
            other = f"reduce along another dim than {loop}" if kept else "reduce along one dim after the other"
            obstacles.append(Obstacle(loop, clause, other))
            continue
        ways, obstacle = _along(scene, op, reads, write, loop, spread)
        found += ways
        if not ways and obstacle:
            obstacles.append(obstacle)
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
) -> tuple[list[Candidate], Obstacle | None]:
    """Candidates with this loop on the sticks, or why there is none."""
    carriers = [read for read in reads if read.carries(loop)]
    if loop is not None and not carriers and not write.carries(loop):
        return [], None
    carriers += [write] if write.carries(loop) else []
    settings = scene.settings(loop, carriers)
    if not settings:
        return [], _width_obstacle(loop or NO_LOOP, carriers)
    found: list[Candidate] = []
    obstacle: Obstacle | None = None
    for setting in settings:
        needs, barred = _needs(op, reads, setting, spread)
        if barred:
            obstacle = obstacle or barred
            continue
        models = [(read, need) for read in reads if (need := needs[read.number]) is not None]
        outputs = tuple(scene.outputs(write, setting, models))
        found += [Candidate(loop, (layout,), needs) for layout in outputs]
        if not outputs:
            obstacle = obstacle or Obstacle(loop or NO_LOOP, _output_clause(write, setting))
    return found, obstacle


def _width_obstacle(way: str, carriers: list[Operand]) -> Obstacle:
    """Operands of widths that no step brings together; the one that no step converts has to change."""
    odd = next((c for c in carriers if not c.free_lanes and c.lanes not in CONVERTED), carriers[0])
    other = next(c for c in carriers if not c.free_lanes and c.lanes != odd.lanes)
    mine, theirs = (f"{c.lanes}-lane {c.buffer.dtype} {c.buffer.name}" for c in (odd, other))
    if odd.number == WRITE:
        after = f"leave {other.buffer.name} as it is and convert it after it leaves the model"
        return Obstacle(way, f"no step converts {theirs} to {mine}", after)
    before = f"convert {odd.buffer.name} to {other.buffer.dtype.torch_name} before it enters the model"
    return Obstacle(way, f"no step converts {mine} to {theirs}", before)


def _needs(
    op: LoopOp, reads: tuple[Operand, ...], setting: Setting, spread: bool
) -> tuple[tuple[StickLayout | None, ...], Obstacle | None]:
    needs: list[StickLayout | None] = [None] * len(op.reads)
    for read in reads:
        if read.layout is None:
            continue
        vector = sum(size > 1 for size in read.buffer.shape) <= 1
        suited = not read.fault(read.layout, setting)
        layout = read.layout if suited else next(read.targets(setting, spread and vector), None)
        if layout is None:
            clause, remedy = read.nearest_fault(setting), read.remedy(setting, op.extents)
            return (), Obstacle(setting.loop or NO_LOOP, clause, remedy, read.spread(setting))
        needs[read.number] = layout
    return tuple(needs), None


def _output_clause(write: Operand, setting: Setting) -> str:
    if write.layout is not None:
        return write.fault(write.layout, setting)
    return f"{write.buffer.name} has no layout that all its writers can fill"


def followed_loop(read: Operand) -> str | None:
    """The loop that the present sticks of an operand follow lane by lane; None if there is none."""
    layout = read.layout
    if layout is None:
        return None
    arrangements = ((layout.elements_per_stick, layout.arrangement),)
    for loop in lane_loops(read.walk, layout):
        setting = Setting(loop, stick_columns(layout), arrangements, layout.elements_per_stick)
        if not read.fault(layout, setting):
            return loop
    return None


def reduces_along_stick(op: LoopOp, candidate: Candidate) -> bool:
    """True if the candidate folds lanes, so that its result has one value per stick."""
    if op.kind is not OpKind.REDUCTION or candidate.loop is None:
        return False
    return any(loop.name == candidate.loop for loop in op.reduction_loops)


def avoids_stick_reduction(scene: Scene, op: LoopOp, candidate: Candidate, layouts: Layouts) -> bool:
    """True if the candidate restickifies what could be reduced along the stick as it is, only to have a result in full
    sticks.  The hardware leaves one value per stick there (facts 2.5)."""
    if op.kind is not OpKind.REDUCTION or op.combine in ACROSS_STICK_ONLY or reduces_along_stick(op, candidate):
        return False
    reads, _ = scene.operands(op, layouts)
    present = [read for read in reads if read.layout is not None]
    if all(candidate.needs[read.number] in (None, read.layout) for read in present):
        return False
    loops = {followed_loop(read) for read in present}
    reduced = {loop.name for loop in op.reduction_loops}
    return len(loops) == 1 and loops <= reduced
