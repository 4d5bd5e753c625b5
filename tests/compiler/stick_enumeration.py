"""The least cost of the layouts of a small program, by looking at every combination of choices.

Owns `least_cost`, a walk that shares no code with the search: it takes what the layout rules offer for every op, lays
free weights out in every way, and pays for copies.  Refuses shortcuts: nothing is dropped but what costs as much
already as the best combination found.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

from compiler.coordinates import lane_loops
from compiler.layout import SPARSE, StickLayout, stick_layout
from compiler.layout_rules import candidates, default_layout
from compiler.loops import Buffer, BufferKind, LoopOp, OpKind, Role
from compiler.problem import Problem
from compiler.scene import Candidate, Scene, scene_of
from compiler.walks import walk_of

Layouts = dict[str, StickLayout]
Copy = tuple[str, int, int, str]
"""What tells two copies of a buffer apart: its name, and stick dim, lanes and arrangement of the target."""


@dataclass(slots=True)
class Enumeration:
    """The combinations of one program, and the least cost of those that were complete so far."""

    scene: Scene
    ops: tuple[LoopOp, ...]
    weights: frozenset[str]
    shared: bool
    least: int | None = None
    combinations: int = 0
    options: dict[tuple[int, tuple[StickLayout | None, ...]], tuple[tuple[Layouts, Candidate], ...]] = field(
        default_factory=dict
    )

    def walk(self, number: int, layouts: Layouts, copies: frozenset[Copy], cost: int) -> None:
        """Every way to go on from op `number`."""
        if self.least is not None and cost >= self.least:
            return
        if number == len(self.ops):
            self.least = cost
            return
        op = self.ops[number]
        for settled, candidate in self._options(number, op, layouts):
            self.combinations += 1
            present = layouts | settled
            more, made = self._copies(op, candidate, present, copies)
            outputs = zip((access.buffer for access in op.writes), candidate.outputs, strict=True)
            present |= {name: layout for name, layout in outputs if name not in present}
            written = {access.buffer for access in op.writes}
            self.walk(number + 1, present, frozenset(copy for copy in made if copy[0] not in written), cost + more)

    def _options(self, number: int, op: LoopOp, layouts: Layouts) -> tuple[tuple[Layouts, Candidate], ...]:
        """What the rules allow, for every layout of the weights that this op is the first to read."""
        touched = dict.fromkeys(access.buffer for access in (*op.reads, *op.writes))
        key = (number, tuple(layouts.get(name) for name in touched))
        if key not in self.options:
            self.options[key] = tuple(self._found(op, layouts))
        return self.options[key]

    def _found(self, op: LoopOp, layouts: Layouts) -> list[tuple[Layouts, Candidate]]:
        opened = [name for name in dict.fromkeys(access.buffer for access in op.reads) if name not in layouts]
        menus = [_menu(self.scene, self.scene.buffers[name]) for name in opened]
        found = []
        for chosen in product(*menus):
            settled = dict(zip(opened, chosen, strict=True))
            ways = candidates(self.scene, op, layouts | settled)
            found += [(settled, way) for way in ways]
        plain = [entry for entry in found if not _avoids(self.scene, op, entry[1], layouts | entry[0])]
        return plain or found

    def _copies(
        self, op: LoopOp, candidate: Candidate, layouts: Mapping[str, StickLayout], copies: frozenset[Copy]
    ) -> tuple[int, frozenset[Copy]]:
        """What the copies cost that an op needs, in elements on the device, and all copies there are then."""
        cost, made = 0, set(copies)
        for access, need in zip(op.reads, candidate.needs, strict=True):
            present = layouts[access.buffer]
            if need is None or need == present:
                continue
            copy = (access.buffer, need.stick_dim, need.elements_per_stick, str(need.arrangement))
            if not self.shared or copy not in made:
                cost += math.prod(present.device_size)
            made.add(copy)
        return cost, frozenset(made)


def least_cost(problem: Problem, weights: str = "free", copies: str = "shared") -> int | None:
    """Elements that have to be copied at least; None if no combination of what the rules offer is complete."""
    program = problem.program
    scene = scene_of(program, problem.device)
    kinds = (BufferKind.PARAMETER, BufferKind.CONSTANT)
    changed = {access.buffer for op in program.ops for access in op.writes} | {o.buffer for o in program.outputs}
    free = frozenset(
        buffer.name
        for buffer in program.buffers
        if weights == "free" and buffer.kind in kinds and buffer.name not in changed
    )
    given = {
        buffer.name: default_layout(scene, buffer)
        for buffer in program.buffers
        if buffer.kind is not BufferKind.COMPUTED and buffer.name not in free
    }
    found = Enumeration(scene, program.ops, free, copies == "shared")
    found.walk(0, given, frozenset(), 0)
    return found.least


def _menu(scene: Scene, buffer: Buffer) -> Iterator[StickLayout]:
    """The default layout, each dim on the stick, and for a vector one value per stick."""
    lanes, rank = scene.lanes(buffer), len(buffer.shape)
    yield default_layout(scene, buffer)
    walked = [dim for dim in range(rank) if buffer.shape[dim] > 1]
    orders = [(*(other for other in range(rank) if other != dim), dim) for dim in walked]
    if len(walked) <= 1 and 0 < rank < 6:
        orders.append((*range(rank), SPARSE))
    for order in orders:
        yield stick_layout(buffer.shape, buffer.strides, lanes, order)


def _avoids(scene: Scene, op: LoopOp, way: Candidate, layouts: Mapping[str, StickLayout]) -> bool:
    """True if an operand of a reduction is copied off the stick that is reduced: not done unless there is no choice."""
    reduced = {loop.name for loop in op.loops if loop.role is Role.REDUCTION}
    if op.kind is not OpKind.REDUCTION or way.loop in reduced:
        return False
    for access, need in zip(op.reads, way.needs, strict=True):
        present = layouts[access.buffer]
        moved = lane_loops(walk_of(op, access, scene.buffers[access.buffer]), present)
        if need is not None and need != present and moved & reduced:
            return True
    return False
