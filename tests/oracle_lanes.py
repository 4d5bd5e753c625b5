"""Sticks as the oracle sees them: a register holds one stick, and an operation works lane by lane.

Owns what one step on one core may do with lanes: an operand either comes in registers whose lanes are those of the
result, or is one element in lane 0 for a whole register.  Refuses loops and layouts as such: it looks at places only.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from compiler.layout import Arrangement
from compiler.loops import Access, Load, LoopOp, OpKind
from compiler.plan import Plan
from compiler.schedule import Step
from tests.points import Values, offsets, points, reading, used, whole

Key = tuple[int, ...]


@dataclass(frozen=True)
class Seen:
    """An operand at every point: its register, its place in it, its lane, its offset, and whether it is read."""

    name: str
    register: list[Key]
    place: list[int]
    lane: list[int]
    offset: list[int]
    happens: NDArray[np.bool_]


def lane_faults(step: Step, plan: Plan, values: Values) -> Iterator[str]:
    """What one core's lanes cannot do in this step."""
    op = step.op
    if step.edit or turns_sticks(op, plan):
        yield from _copied(step, plan)
        return
    reads = [number for number in range(len(op.reads)) if used(op, number)]
    mixed = _widths(op, plan, reads) == {32, 64}
    always = np.ones(len(values[""]), dtype=bool)
    write = see(op, op.write, plan, values, mixed, always)
    seen = [see(op, op.reads[number], plan, values, mixed, reading(op, number, values)) for number in reads]
    if op.kind in (OpKind.MATMUL, OpKind.CONV):
        yield from _contracted(op, reads, seen, write, values)
    else:
        yield from _combined(op, seen, write, values)


def _widths(op: LoopOp, plan: Plan, reads: list[int]) -> set[int]:
    """Lanes per stick of the operands that use more than one lane, over all iterations."""
    every = points(op, whole(op))
    widths = set()
    for access in (*(op.reads[number] for number in reads), op.write):
        layout = plan.layouts[access.buffer]
        if len(np.unique(layout.coordinates(np.maximum(offsets(op, access, every), 0))[-1])) > 1:
            widths.add(layout.elements_per_stick)
    return widths


def see(op: LoopOp, access: Access, plan: Plan, values: Values, mixed: bool, happens: NDArray[np.bool_]) -> Seen:
    """Registers of 64 places where widths mix: a pair of 32-lane sticks is one, interleaved four by four."""
    layout = plan.layouts[access.buffer]
    where = offsets(op, access, values)
    coordinates = layout.coordinates(np.where(happens, where, 0))
    lane = coordinates[-1]
    place = lane
    if mixed and layout.elements_per_stick == 32:
        outer = len(layout.device_size) - 3 if len(layout.device_size) > 2 else 0
        second = coordinates[outer] % 2
        place = 8 * (lane // 4) + 4 * second + lane % 4
        coordinates[outer] //= 2
    registers = [tuple(column) for column in coordinates[:-1].T.tolist()]
    return Seen(access.buffer, registers, place.tolist(), lane.tolist(), where.tolist(), happens)


def _copied(step: Step, plan: Plan) -> Iterator[str]:
    """A copy may turn blocks of sticks round, but not collect single elements; judged over all cores."""
    values = points(step.op, whole(step.op))
    always = np.ones(len(values[""]), dtype=bool)
    source, target = (see(step.op, access, plan, values, False, always) for access in (*step.op.reads, step.op.write))
    if _most(source) == 1 and _most(target) > 1:
        yield f"{step.name}: collects single elements of {source.name} into sticks"


def turns_sticks(op: LoopOp, plan: Plan) -> bool:
    """True for an op that only moves elements, out of sticks along one loop into sticks along another."""
    if op.kind is not OpKind.POINTWISE or len(op.reads) != 1 or len(op.body) != 1:
        return False
    load = op.body[0]
    if not isinstance(load, Load) or load.mask is not None or any(a.index.gathers for a in (*op.reads, op.write)):
        return False
    every = points(op, whole(op))
    extents = [loop.extent for loop in op.loops]
    along = []
    for access in (*op.reads, op.write):
        layout = plan.layouts[access.buffer]
        lane = layout.coordinates(offsets(op, access, every))[-1].reshape(extents)
        along.append([axis for axis in range(len(extents)) if np.any(np.diff(lane, axis=axis))])
        own = every[op.loops[along[-1][0]].name] if len(along[-1]) == 1 else every[""]
        aligned = layout.arrangement is not Arrangement.STANDARD or np.array_equal(
            lane.ravel(), own % layout.elements_per_stick
        )
        if not aligned:
            return False
    source, target = along
    return len(source) == len(target) == 1 and source != target


def _most(seen: Seen) -> int:
    """Elements in the fullest register."""
    groups = defaultdict(set)
    for register, offset in zip(seen.register, seen.offset, strict=True):
        groups[register].add(offset)
    return max(len(group) for group in groups.values())


def _groups(write: Seen, values: Values, fixed: list[str]) -> dict[tuple[Key, ...], list[int]]:
    """Points that are computed together: one register of the result, at one value of all `fixed` loops."""
    groups: dict[tuple[Key, ...], list[int]] = defaultdict(list)
    steps = np.stack([values[name] for name in ["", *fixed]], axis=1).tolist()
    for point, register in enumerate(write.register):
        groups[register, tuple(steps[point])].append(point)
    return groups


def _lanewise(read: Seen, write: Seen, group: list[int]) -> bool:
    """Whether one operand serves a whole register of results."""
    real = [point for point in group if read.happens[point]]
    if not real:
        return True
    vector = len({read.register[point] for point in real}) == 1
    vector = vector and all(read.place[point] == write.place[point] for point in real)
    single = len({read.offset[point] for point in real}) == 1 and read.lane[real[0]] == 0
    return vector or single


def _combined(op: LoopOp, reads: list[Seen], write: Seen, values: Values) -> Iterator[str]:
    reduced = [loop.name for loop in op.reduction_loops]
    groups = _groups(write, values, reduced)
    bad = [read for read in reads if not all(_lanewise(read, write, group) for group in groups.values())]
    if not bad:
        return
    if reduced and op.combine not in ("prod", "argmax", "argmin") and all(_folds(read, write) for read in bad):
        return
    yield f"{op.name}: the lanes of {bad[0].name} are not those of {write.name}"


def _folds(read: Seen, write: Seen) -> bool:
    """A sum along the stick: the result in lane 0, and of every stick a beginning, the rest masked."""
    if any(write.lane):
        return False
    lanes: dict[tuple[int, Key], set[int]] = defaultdict(set)
    for point, offset in enumerate(write.offset):
        lanes[offset, read.register[point]].add(read.lane[point])
    return all(max(found) + 1 == len(found) for found in lanes.values())


def _contracted(op: LoopOp, numbers: list[int], reads: list[Seen], write: Seen, values: Values) -> Iterator[str]:
    """The second operand lane by lane with the result; the first one element by element, in the order of its lanes."""
    first, second = (op.body[place] for place in op.results)
    assert isinstance(first, Load)
    assert isinstance(second, Load)
    left, right = reads[numbers.index(first.read)], reads[numbers.index(second.read)]
    for group in _groups(write, values, [loop.name for loop in op.reduction_loops]).values():
        if not _lanewise(right, write, group):
            yield f"{op.name}: the lanes of {right.name} are not those of {write.name}"
            return
        if len({left.offset[point] for point in group}) > 1:
            yield f"{op.name}: one register of {write.name} needs several rows of {left.name}"
            return
    if not _folds_left(left, write):
        yield f"{op.name}: the reduced elements of {left.name} do not fill its sticks"


def _folds_left(left: Seen, write: Seen) -> bool:
    lanes: dict[tuple[int, Key], set[int]] = defaultdict(set)
    for point, offset in enumerate(write.offset):
        lanes[offset, left.register[point]].add(left.lane[point])
    return all(max(found) + 1 == len(found) for found in lanes.values())
