"""Contraction rules: matmul and convolution, whose first operand has a reduced loop on its sticks, the second operand
and the result an output loop that the first one does not know.

Owns these two demands.  Refuses contractions of anything but two loads.
"""

from __future__ import annotations

from compiler.errors import UnsupportedError
from compiler.layout import Arrangement, StickLayout
from compiler.loops import Load, LoopOp, OpKind
from compiler.operands import Operand, Setting
from compiler.scene import CONVERTED, PHASES, Candidate, Layouts, Obstacle, Options, Scene

Way = tuple[str | None, StickLayout | None]


def contraction_options(scene: Scene, op: LoopOp, layouts: Layouts) -> Options:
    """Candidates of a matmul or convolution; `loop` of a candidate is the one on the sticks of the result."""
    reads, write = scene.operands(op, layouts)
    by_number = {read.number: read for read in reads}
    first, second = _factors(op)
    left, right = by_number[first], by_number[second]
    lefts, barred = _left_ways(op, left)
    obstacles = [] if lefts else [barred]
    found: list[Candidate] = []
    columns = [
        loop.name
        for loop in op.output_loops
        if loop.extent > 1 and right.carries(loop.name) and not left.carries(loop.name)
    ]
    for column in _or_none(columns):
        setting = _column_setting(column, right, write)
        rights = _ways(right, setting, single=column is None) if setting else []
        outputs = tuple(scene.outputs(write, setting, ())) if setting else ()
        if not rights or not outputs or setting is None:
            clause = _column_clause(right, write, setting, bool(rights))
            remedy, spread = "", ""
            if setting and not rights:
                remedy, spread = right.remedy(setting, op.extents), right.spread(setting)
            obstacles.append(Obstacle(column or "second tensor", clause, remedy, spread))
            continue
        for _, left_layout in lefts:
            for _, right_layout in rights:
                needs: list[StickLayout | None] = [None] * len(op.reads)
                needs[first], needs[second] = left_layout, right_layout
                found += [Candidate(column, (output,), tuple(needs)) for output in outputs]
    return Options(tuple(found), tuple(obstacles))


def _or_none(columns: list[str]) -> list[str | None]:
    return [*columns] or [None]


def _factors(op: LoopOp) -> tuple[int, int]:
    results = [op.body[place] for place in op.results]
    loads = [step.read for step in results if isinstance(step, Load)]
    if len(loads) != 2 or len(results) != 2:
        where = f" ({op.origin.source})" if op.origin.source else ""
        empty = [loop.name for loop in op.reduction_loops if loop.extent == 0]
        if empty:
            why = f"it has no {' and '.join(empty)}: the contracted size is 0, so there is nothing to multiply"
            raise UnsupportedError(f"{op.name}{where}", why, "give the contracted dim a size of at least 1")
        why = f"a {op.kind} multiplies two tensors it reads, this one has {len(loads)}"
        raise UnsupportedError(f"{op.name}{where}", why, "compute each factor in a step of its own before")
    return loads[0], loads[1]


def _left_ways(op: LoopOp, left: Operand) -> tuple[list[Way], Obstacle]:
    """Layouts of the first operand: a reduced loop on its sticks in natural order; without one, or for the single
    channel of a convolution, one value per stick."""
    reduced = [loop.name for loop in op.reduction_loops if loop.extent > 1]
    depths = [name for name in reduced if left.carries(name)]
    if reduced and not depths and op.kind is OpKind.MATMUL:
        summed = " or ".join(reduced)
        clause = f"{left.buffer.name} does not change along {summed}, which is summed"
        return [], Obstacle("first tensor", clause, f"sum the other tensor along {summed} before it is multiplied")
    found: list[Way] = []
    for depth in depths:
        found += _ways(left, Setting(depth, left.lanes), single=False)
    if found or (depths and op.kind is OpKind.MATMUL):
        return _present_first(left, found), _left_obstacle(op, left, depths[0])
    found = _ways(left, Setting(None), single=True)
    if reduced:
        found = [way for way in found if way[1] is None or _on_single_dim(left, way[1])]
    return _present_first(left, found), _left_obstacle(op, left, depths[0] if depths else None)


def _left_obstacle(op: LoopOp, left: Operand, depth: str | None) -> Obstacle:
    setting = Setting(depth, left.lanes)
    remedy = left.remedy(setting, op.extents)
    return Obstacle(depth or "first tensor", left.nearest_fault(setting), remedy, left.spread(setting))


def _on_single_dim(left: Operand, layout: StickLayout) -> bool:
    return layout.stick_dim >= 0 and left.buffer.shape[layout.stick_dim] == 1


def _present_first(operand: Operand, ways: list[Way]) -> list[Way]:
    return sorted(ways, key=lambda way: way[1] != operand.layout)


def _ways(operand: Operand, setting: Setting, single: bool) -> list[Way]:
    """The present layout if it suits, otherwise what a restickify could make."""
    if operand.layout is None:
        return [(setting.loop, None)]
    if not operand.fault(operand.layout, setting):
        return [(setting.loop, operand.layout)]
    return [(setting.loop, layout) for layout in operand.targets(setting, single)]


def _column_setting(column: str | None, right: Operand, write: Operand) -> Setting | None:
    """The second operand in standard order, the result as the change of width leaves it; None if there is no such."""
    widths = {right.lanes, write.lanes}
    if column is None:
        return Setting(None)
    if len(widths) > 1 and not widths <= CONVERTED:
        return None
    phase = next(p for p in PHASES if dict(p).get(right.lanes, Arrangement.STANDARD) is Arrangement.STANDARD)
    pairs = [2 * lanes for lanes in widths if dict(phase).get(lanes) is Arrangement.F16_TO_F32]
    return Setting(column, max([*widths, *pairs]), phase)


def _column_clause(right: Operand, write: Operand, setting: Setting | None, suited: bool) -> str:
    if setting is None:
        return f"no step multiplies {right.lanes}-lane {right.buffer.name} into {write.lanes}-lane {write.buffer.name}"
    if not suited:
        return right.nearest_fault(setting)
    if write.layout is not None:
        return write.fault(write.layout, setting)
    return f"{write.buffer.name} has no layout with {setting.loop or 'one value'} on its stick"
