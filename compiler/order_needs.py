"""Order needs: what the steps of a schedule ask of the dim order of every buffer.

Owns the two askers: a table, whose picked dims must come first (a must), and a contraction, which runs faster without a
batch just before any stick (a wish with a price).  Refuses to weigh one against the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from compiler.contractions import roles_of
from compiler.coordinates import lane_loops
from compiler.cost.batching import batching_of, contraction_us, interleaved_rate, sustained_rate
from compiler.cost.memory import one_way_us
from compiler.device import Device
from compiler.dim_orders import NONE, Dims, Wish, table_dims
from compiler.layout import StickLayout
from compiler.loops import LoopOp
from compiler.operands import WRITE
from compiler.schedule import Schedule
from compiler.spaces import Space
from compiler.tails import CONTRACTIONS, Tail, factors_of, tail_of
from compiler.walks import walk_of

NS_PER_US = 1000


@dataclass(frozen=True, slots=True)
class Need:
    """What one access asks of its buffer.  Reads of the same `epoch`, with as many writes before them, may share a
    copy; what is `written` cannot have one.  `padding`: zeros that a copy has to be made for anyway."""

    wish: Wish
    epoch: int = 0
    written: bool = False
    padding: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """Read `read` (WRITE: the write) of a step, as the schedule has it, and what it needs of its buffer."""

    op: str
    read: int
    buffer: str
    need: Need


@dataclass(frozen=True, slots=True)
class Rated:
    """A contraction that takes `fast` ns if all of its asks are granted and `slow` ns otherwise, at least 1 ns more;
    `idle` are the asks it has even then.  Neither is less than the time of its traffic, behind which it hides."""

    op: str
    fast: int
    slow: int
    asks: tuple[Ask, ...]
    idle: tuple[Ask, ...]

    @property
    def hides(self) -> bool:
        """True if it is done before its traffic in any order, so that no order is worth a copy."""
        return self.slow - self.fast <= 1


@dataclass(slots=True)
class Needs:
    """All that is asked: `musts` (tables, and copies for zeros that no wish goes with), contractions that an order can
    speed up, and the ns of those that it cannot."""

    musts: list[Ask] = field(default_factory=list)
    rated: list[Rated] = field(default_factory=list)
    settled_ns: int = 0


def needs_of(schedule: Schedule, layouts: Mapping[str, StickLayout], device: Device) -> Needs:
    """What the steps of a schedule ask under these sticks."""
    found = Needs()
    written: Counter[str] = Counter()
    for step in schedule.steps:
        if step.edit is None:
            found.musts += _tables(step.op, schedule, written)
            if step.op.kind in CONTRACTIONS:
                _contraction(step.op, schedule, layouts, device, written, found)
        written.update(access.buffer for access in step.op.writes)
    return found


def _tables(op: LoopOp, schedule: Schedule, written: Counter[str]) -> list[Ask]:
    asks = []
    for number, access in (*enumerate(op.reads), *((WRITE, access) for access in op.writes)):
        dims = table_dims(access, schedule.buffers[access.buffer]) if access.index.gathers else NONE
        if dims:
            need = Need(Wish(tables=frozenset({dims})), written[access.buffer], written=number == WRITE)
            asks.append(Ask(op.name, number, access.buffer, need))
    return asks


def _contraction(
    op: LoopOp,
    schedule: Schedule,
    layouts: Mapping[str, StickLayout],
    device: Device,
    written: Counter[str],
    found: Needs,
) -> None:
    result = lane_loops(walk_of(op, op.write, schedule.buffers[op.write.buffer]), layouts[op.write.buffer])
    batching = batching_of(op, roles_of(Space(op, (), result)), schedule.buffers)
    fast, slow = (
        round(NS_PER_US * contraction_us(op, rate, device.cores))
        for rate in (sustained_rate(device), interleaved_rate(device, batching))
    )
    tail = tail_of(op, schedule.buffers, layouts)
    asks, idle = _asks(op, batching.dims, tail, written)
    memory = round(NS_PER_US * _memory_us(op, layouts, device))
    if fast < slow and any(ask.need.wish.avoid for ask in asks):
        found.rated.append(Rated(op.name, max(fast, memory), max(slow, memory + 1), asks, idle))
    else:
        found.settled_ns += max(fast, memory)
        found.musts += idle


def _memory_us(op: LoopOp, layouts: Mapping[str, StickLayout], device: Device) -> float:
    """Time of the traffic that a contraction hides behind: what is faster than that gains nothing."""
    names = {op.reads[number].buffer for number in factors_of(op)} | {op.write.buffer}
    return one_way_us(device, sum(layouts[name].size_bytes for name in names))


def _asks(
    op: LoopOp, batches: tuple[Dims, Dims, Dims], tail: Tail | None, written: Counter[str]
) -> tuple[tuple[Ask, ...], tuple[Ask, ...]]:
    """Asks of a contraction that is to be fast, and those it has anyway."""
    asks, idle = [], []
    for number, dims in zip((*factors_of(op), WRITE), batches, strict=True):
        buffer = (op.write if number == WRITE else op.reads[number]).buffer
        zeros = ((tail.dim, tail.size),) if tail and tail.read == number and not tail.fault else ()
        need = Need(Wish(), written[buffer], number == WRITE, zeros)
        if zeros:
            idle.append(Ask(op.name, number, buffer, need))
        if dims or zeros:
            asks.append(Ask(op.name, number, buffer, replace(need, wish=Wish(dims))))
    return tuple(asks), tuple(idle)
