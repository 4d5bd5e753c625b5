"""Spaces: the iteration space of a step as work division counts it (facts 3.1, 3.6).

Owns what a loop may be divided by: a loop that runs along the stick of some tensor is counted in sticks, every other
loop in iterations, and blocked loops say why.  Makes a `Division` from factors.  Refuses to choose factors: passes do.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from frozendict import frozendict

from compiler.coordinates import lane_loops, moves_dim, stick_columns, walk_of
from compiler.division import Division, Split
from compiler.errors import InputError
from compiler.layout import StickLayout
from compiler.loops import Access, Load, LoopOp, OpKind, Role
from compiler.schedule import Schedule

STRIDED = "a convolution with a stride is not divided along its image"
SPLITTABLE_COMBINES = frozenset({"sum", "max", "min", "prod", "any"})


@dataclass(frozen=True, slots=True)
class Axis:
    """One loop: `lanes` iterations make one unit to divide (1, or the elements of a stick).

    A slot must also be a multiple of `granule` iterations: staggered tensors are cut between pairs of sticks.
    `blocked` says why the loop is not divided; with `floor_wins` it is divided after all where a span demands it.
    """

    name: str
    extent: int
    role: Role
    lanes: int = 1
    granule: int = 1
    blocked: str = ""
    floor_wins: bool = False

    @property
    def size(self) -> int:
        """Sticks or iterations: what a factor has to divide."""
        return -(-self.extent // self.lanes)

    @property
    def measure(self) -> str:
        """Size with its unit.

        >>> Axis("n", 1000, Role.OUTPUT, 64).measure, Axis("m", 1, Role.OUTPUT).measure
        ('16 sticks', '1 iteration')
        """
        unit = "stick" if self.lanes > 1 else "iteration"
        return f"{self.size:,} {unit}" + ("" if self.size == 1 else "s")

    def step(self, factor: int) -> int:
        """Iterations per slot."""
        return self.size // factor * self.lanes

    def divides(self, factor: int) -> bool:
        """True if `factor` cuts the loop into whole equal units, blocked or not."""
        return _divides(factor, self.size, self.lanes, self.granule)

    def factors(self, limit: int, for_span: bool = False) -> tuple[int, ...]:
        """Legal factors up to `limit`, ascending; a blocked loop offers 1 only, but for a span it may offer more.

        >>> Axis("n", 3200, Role.OUTPUT, 64).factors(32)
        (1, 2, 5, 10, 25)
        """
        if self.blocked and not (for_span and self.floor_wins):
            return (1,)
        return _factors(self.size, self.lanes, self.granule, limit)


@lru_cache(maxsize=1 << 14)
def _factors(size: int, lanes: int, granule: int, limit: int) -> tuple[int, ...]:
    return tuple(factor for factor in range(1, min(limit, max(size, 1)) + 1) if _divides(factor, size, lanes, granule))


def _divides(factor: int, size: int, lanes: int, granule: int) -> bool:
    return size % factor == 0 and (factor == 1 or size // factor * lanes % granule == 0)


@dataclass(frozen=True, slots=True)
class Space:
    """The axes of one step, in loop order; `result_lanes` are the loops along the stick of its result."""

    op: LoopOp
    axes: tuple[Axis, ...]
    result_lanes: frozenset[str] = frozenset()

    @property
    def axis_map(self) -> frozendict[str, Axis]:
        """Loop name -> axis."""
        return frozendict((axis.name, axis) for axis in self.axes)

    def division(self, factors: Mapping[str, int]) -> Division:
        """The division with these factors; a split K of a matmul varies fastest, all else in loop order (facts 3.8)."""
        split = [axis for axis in self.axes if factors.get(axis.name, 1) > 1]
        if self.op.kind is OpKind.MATMUL:
            split.sort(key=lambda axis: axis.role is not Role.REDUCTION)
        return Division(tuple(Split(axis.name, factors[axis.name], axis.step(factors[axis.name])) for axis in split))

    def split_reductions(self, factors: Mapping[str, int]) -> tuple[str, ...]:
        """Reduction loops with a factor above 1; more than one is illegal."""
        return tuple(axis.name for axis in self.axes if axis.role is Role.REDUCTION and factors.get(axis.name, 1) > 1)


def space_of(op: LoopOp, schedule: Schedule, layouts: Mapping[str, StickLayout]) -> Space:
    """The space of a step's op; InputError if a buffer has no layout yet."""
    lanes: dict[str, int] = {}
    granules: dict[str, int] = {}
    for access in op.accesses:
        layout = layout_of(layouts, access.buffer)
        for loop in lane_loops(walk_of(op, access, schedule.buffers[access.buffer]), layout):
            lanes[loop] = max(lanes.get(loop, 1), layout.elements_per_stick)
            granules[loop] = math.lcm(granules.get(loop, 1), stick_columns(layout))
    blocked, strided = _blocked(op, schedule, lanes), _strided_image(op, schedule)
    scattered = _entry_loops(op)
    axes = tuple(
        Axis(
            loop.name,
            loop.extent,
            Role.REDUCTION if loop.name in scattered else loop.role,
            lanes.get(loop.name, 1),
            granules.get(loop.name, 1),
            blocked.get(loop.name, STRIDED if loop.name in strided else ""),
            loop.name in strided and loop.name not in blocked,
        )
        for loop in op.loops
    )
    walks = [(walk_of(op, write, schedule.buffers[write.buffer]), layouts[write.buffer]) for write in op.writes]
    results = [lane_loops(walk, layout) for walk, layout in walks]
    return Space(op, axes, frozenset[str]().union(*results))


def layout_of(layouts: Mapping[str, StickLayout], buffer: str) -> StickLayout:
    """The layout of a buffer; InputError if none was decided."""
    if buffer not in layouts:
        raise InputError(f"buffer {buffer}", "it has no layout yet", "run assign-layouts before work division")
    return layouts[buffer]


def operands(op: LoopOp) -> tuple[Access, Access]:
    """The reads of the left (A) and right (B) operand of a matmul or convolution; ValueError for any other op."""
    loads = [op.body[result] for result in op.results]
    reads = [op.reads[load.read] for load in loads if isinstance(load, Load)]
    if op.kind not in (OpKind.MATMUL, OpKind.CONV) or len(reads) != 2:
        raise ValueError(f"{op.name} is not a contraction of two operands")
    return reads[0], reads[1]


def _blocked(op: LoopOp, schedule: Schedule, lanes: Mapping[str, int]) -> dict[str, str]:
    """Loop -> why it is not divided; rules from the most general to the most special, first one wins."""
    if op.kind is OpKind.OPAQUE:
        return {loop.name: "the op runs on the host" for loop in op.loops}
    reasons: dict[str, str] = {}
    for loop in op.reduction_loops:
        size = lanes.get(loop.name, 1)
        if op.combine not in SPLITTABLE_COMBINES:
            reasons[loop.name] = f"{op.combine} cannot be put together from partial results"
        elif loop.extent % size:
            reasons[loop.name] = f"it is reduced along sticks and {loop.extent:,} is not a multiple of {size}"
    for name in _window_loops(op, schedule):
        reasons.setdefault(name, "it walks the window of a pooling or convolution")
    for accesses, what in ((op.reads, "gathered"), (op.writes, "scattered")):
        for access in accesses:
            for name in access.index.loop_names if access.index.gathers else ():
                reasons.setdefault(name, f"it runs inside the {what} table {access.buffer}")
    return reasons


def _entry_loops(op: LoopOp) -> frozenset[str]:
    """Loops that choose the entries of a scatter.

    They move no coordinate of the result, and so only one of them may be divided, as if they were reduced (facts 3.1).
    """
    tables = [write.index.loop_names for write in op.writes if write.index.gathers]
    if not tables:
        return frozenset()
    return frozenset(loop.name for loop in op.loops) - frozenset[str]().union(*tables)


def _window_loops(op: LoopOp, schedule: Schedule) -> set[str]:
    """Reduction loops that walk the windows of a pooling or convolution.

    Their steps interleave with those of an output loop in the same read.  Windows that just touch, or leave gaps, look
    like any reduction of a view; what tells them apart is that the op is a convolution, or comes from a pooling.
    """
    found: set[str] = set()
    windowed = op.kind is OpKind.CONV or "_pool" in op.origin.target
    for read in op.reads:
        together = _same_dims(op, read, schedule) if windowed else set()
        for inner in op.reduction_loops:
            step = abs(read.index.coefficient(inner.name))
            for outer in op.output_loops:
                stride = abs(read.index.coefficient(outer.name))
                overlapping = step and stride and stride < step * inner.extent and step < stride * outer.extent
                if overlapping or (outer.name, inner.name) in together:
                    found.add(inner.name)
    return found


def _same_dims(op: LoopOp, read: Access, schedule: Schedule) -> set[tuple[str, str]]:
    """Pairs of loops that move the same host dim of a read."""
    walk = walk_of(op, read, schedule.buffers[read.buffer])
    moving = [
        [name for part in walk.parts if moves_dim(part, dim) for name in part.loops] for dim in range(len(walk.shape))
    ]
    return {(one, other) for names in moving for one in names for other in names}


def _strided_image(op: LoopOp, schedule: Schedule) -> set[str]:
    """All image loops of a convolution, if one of them moves the image by more than one element of a host dim."""
    if op.kind is not OpKind.CONV:
        return set()
    image, weight = operands(op)
    result = walk_of(op, op.write, schedule.buffers[op.write.buffer])
    batch = {name for part in result.parts if moves_dim(part, 0) for name in part.loops}
    loops = image.index.loop_names - weight.index.loop_names - batch
    strides = [stride for stride in schedule.buffers[image.buffer].strides if stride > 0]
    for name in loops:
        move = abs(image.index.coefficient(name))
        unit = max((stride for stride in strides if stride <= move), default=move)
        if move > unit > 0:
            return {loop.name for loop in op.output_loops if loop.name in loops}
    return set()
