"""Order groups: buffers that keep one another's order where that costs nothing.

An elementwise step that reads and writes at the same index can work in place if both sides stand in the same order.
Owns which buffers go together and their common order.  Refuses to give up anything that was asked of a buffer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from compiler.dim_orders import Wish, best_order
from compiler.layout import StickLayout
from compiler.loops import LoopOp, OpKind
from compiler.order_seats import Seat
from compiler.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a buffer must have: a fixed layout, or any order that grants the wish."""

    seat: Seat
    wish: Wish
    fixed: StickLayout | None = None

    @property
    def layout(self) -> StickLayout | None:
        """The layout it takes; None if nothing grants the wish."""
        return self.fixed or best_order(self.seat.buffer, self.seat.layout, self.wish)

    def joined(self, other: Wanted) -> Wanted | None:
        """What both together must have; None if they cannot be the same."""
        wish, fixed = self.wish | other.wish, self.fixed or other.fixed
        both = Wanted(self.seat, wish, fixed)
        if self.fixed and other.fixed and self.fixed != other.fixed:
            return None
        layout = both.layout
        return both if layout is not None and wish.granted(layout) else None


@dataclass(slots=True)
class _Groups:
    wanted: dict[str, Wanted]
    leader: dict[str, str] = field(default_factory=dict)

    def find(self, name: str) -> str:
        while name in self.leader:
            name = self.leader[name]
        return name

    def join(self, first: str, second: str) -> None:
        one, two = self.find(first), self.find(second)
        if one == two:
            return
        both = self.wanted[one].joined(self.wanted[two])
        if both is not None:
            self.wanted[one] = both
            self.leader[two] = one


@dataclass(frozen=True, slots=True)
class Group:
    """Buffers in the same layout."""

    members: tuple[str, ...]
    layout: StickLayout


def in_groups(schedule: Schedule, wanted: Mapping[str, Wanted], joined: frozenset[str]) -> dict[str, Group]:
    """Buffer -> its group.  Every step in turn joins its two sides as long as one order serves both.

    Buffers that are not to be `joined` make a group of their own.
    """
    groups = _Groups(dict(wanted))
    for step in schedule.steps:
        if step.op.kind is OpKind.POINTWISE:
            for source, target in _pairs(step.op, wanted, joined):
                groups.join(source, target)
    members: dict[str, list[str]] = {}
    for name in wanted:
        members.setdefault(groups.find(name), []).append(name)
    found: dict[str, Group] = {}
    for leader, names in members.items():
        layout = groups.wanted[leader].layout
        assert layout is not None, f"no order of {leader} grants what is asked of it"
        found.update(dict.fromkeys(names, Group(tuple(names), layout)))
    return found


def _pairs(op: LoopOp, wanted: Mapping[str, Wanted], joined: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Reads and the write of an op that have the same index, shape and sticks."""
    write = op.write
    for read in op.reads if write.buffer in joined else ():
        if read.index != write.index or read.buffer not in joined:
            continue
        source, target = wanted[read.buffer].seat, wanted[write.buffer].seat
        same_shape = (source.buffer.shape, source.buffer.strides) == (target.buffer.shape, target.buffer.strides)
        if same_shape and _sticks(source.layout) == _sticks(target.layout):
            yield read.buffer, write.buffer


def _sticks(layout: StickLayout) -> tuple[int, int, str, tuple[tuple[int, int], ...]]:
    return layout.stick_dim, layout.elements_per_stick, layout.arrangement, layout.padding
