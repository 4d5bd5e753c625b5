"""Scene: what the layout rules may look at, and the candidates they answer with.

Owns the operands of an op with the layouts decided so far, the settings their widths allow, and the layouts a result
may take.  Refuses op kinds: what a kind demands of its operands is in the rules.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from frozendict import frozendict

from compiler.device import Device
from compiler.dtypes import DType
from compiler.layout import MAX_DIM_ORDER, SPARSE, Arrangement, StickLayout, stick_layout
from compiler.loops import Apply, Buffer, Load, LoopOp, LoopProgram
from compiler.operands import WRITE, Operand, Setting, default_order, dense_layout, sparse_layout
from compiler.walks import walk_of

Layouts = Mapping[str, StickLayout]

# How a change of width leaves the elements: per number of lanes, the two arrangements that go together.
PHASES = (
    ((64, Arrangement.STANDARD), (32, Arrangement.F16_TO_F32)),
    ((64, Arrangement.F32_TO_F16), (32, Arrangement.STANDARD)),
)
CONVERTED = frozenset({64, 32})
BOOL_LANES = (64, 32, 128)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to run an op: the loop along the sticks (None: none), the layout of every write, and of every read the
    layout it must have (None: any will do)."""

    loop: str | None
    outputs: tuple[StickLayout, ...]
    needs: tuple[StickLayout | None, ...]


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A way that is barred: its name (a loop, an operand), the clause that says why, and what the owner of the model
    can do about it ('' if nothing is known).  `spread` is the tensor whose one value per stick is in the way, '' if it
    is something else."""

    way: str
    clause: str
    remedy: str = ""
    spread: str = ""


@dataclass(frozen=True, slots=True)
class Options:
    """Candidates in order of preference at equal cost, and what bars the other ways."""

    found: tuple[Candidate, ...]
    obstacles: tuple[Obstacle, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Buffers, who writes and reads them, and which leave the model; `known` keeps candidates by structure."""

    device: Device
    buffers: frozendict[str, Buffer]
    writers: frozendict[str, tuple[LoopOp, ...]] = field(default_factory=frozendict)
    readers: frozendict[str, tuple[LoopOp, ...]] = field(default_factory=frozendict)
    results: frozenset[str] = field(default_factory=frozenset)
    known: dict[Hashable, tuple[Candidate, ...]] = field(default_factory=dict)

    def structure(self, op: LoopOp, layouts: Layouts) -> Hashable:
        """What the candidates of an op depend on, without names: equal layers of a model share it."""
        operands = []
        for access in op.accesses:
            buffer = self.buffers[access.buffer]
            shared = access.buffer if len(self.writers.get(access.buffer, ())) > 1 else ""
            place = (access.index, buffer.shape, buffer.strides, buffer.dtype, layouts.get(access.buffer))
            operands.append((*place, access.buffer in self.results, shared))
        return (op.kind, op.combine, op.loops, op.body, op.results, len(op.reads), tuple(operands))

    def lanes(self, buffer: Buffer) -> int:
        """Lanes of a buffer by its type; a bool follows the first value it is used together with."""
        if buffer.dtype is DType.BOOL:
            for op in self.readers.get(buffer.name, ()):
                used = [self.buffers[op.reads[read].buffer].dtype for read in sorted(value_reads(op))]
                used += [self.buffers[access.buffer].dtype for access in op.writes]
                others = [dtype for dtype in used if dtype is not DType.BOOL]
                if others:
                    return self.device.lanes(others[0])
        return self.device.lanes(buffer.dtype)

    def operands(self, op: LoopOp, layouts: Layouts) -> tuple[tuple[Operand, ...], Operand]:
        """The reads whose values enter the result, and the write.  Reads that only choose elements are left out."""
        values = value_reads(op)
        reads = tuple(self._operand(op, number, layouts) for number in range(len(op.reads)) if number in values)
        return reads, self._operand(op, WRITE, layouts)

    def _operand(self, op: LoopOp, number: int, layouts: Layouts) -> Operand:
        access = op.write if number == WRITE else op.reads[number]
        buffer = self.buffers[access.buffer]
        layout = layouts.get(access.buffer)
        lanes = layout.elements_per_stick if layout else self.device.lanes(buffer.dtype)
        return Operand(number, access, buffer, walk_of(op, access, buffer), layout, lanes)

    def settings(self, loop: str | None, carriers: list[Operand]) -> tuple[Setting, ...]:
        """The settings that the widths of operands with `loop` on their stick allow; none if no step mixes them."""
        widths = {operand.lanes for operand in carriers if not operand.free_lanes}
        if len(widths) > 1 and not widths <= CONVERTED:
            return ()
        found = []
        for bool_lanes in _bool_lanes(carriers, widths):
            used = widths | ({bool_lanes} if any(operand.free_lanes for operand in carriers) else set())
            for phase in _phases(used, carriers):
                pairs = [2 * lanes for lanes in used if _of(phase, lanes) is Arrangement.F16_TO_F32]
                found.append(Setting(loop, max([*used, *pairs], default=1), phase, bool_lanes))
        return tuple(found)

    def outputs(
        self, write: Operand, setting: Setting, models: Iterable[tuple[Operand, StickLayout]]
    ) -> Iterator[StickLayout]:
        """Layouts the result may take, best first; `models` are operands whose stick dim comes first where it can."""
        if write.layout is not None:
            if not write.fault(write.layout, setting):
                yield write.layout
            return
        carried = write.carries(setting.loop)
        seen = set()
        for layout in self._wanted(write, setting, models, carried):
            allowed = layout.arrangement is Arrangement.STANDARD or write.buffer.name not in self.results
            if (
                layout not in seen
                and allowed
                and not write.fault(layout, setting)
                and self._suits_writers(write, layout)
            ):
                yield layout
            seen.add(layout)

    def _wanted(
        self, write: Operand, setting: Setting, models: Iterable[tuple[Operand, StickLayout]], carried: bool
    ) -> Iterator[StickLayout]:
        buffer, rank = write.buffer, len(write.buffer.shape)
        lanes = (setting.bool_lanes or write.lanes) if write.free_lanes else write.lanes
        arrangement = setting.arrangement(lanes) if carried else Arrangement.STANDARD
        for model, layout in models:
            same = model.buffer.shape == buffer.shape and model.buffer.strides == buffer.strides
            if same and model.access.index == write.access.index and layout.stick_dim != SPARSE:
                yield dense_layout(buffer, default_order(buffer, layout.stick_dim), lanes, arrangement)
        if not carried:
            singles = list(self._single(buffer, lanes))
            yield from reversed(singles) if setting.loop else singles  # reduced along the stick: sparse by name
        for dim in reversed(range(rank)):
            if rank <= MAX_DIM_ORDER and (buffer.shape[dim] > 1) == carried:
                yield dense_layout(buffer, default_order(buffer, dim), lanes, arrangement)

    def _single(self, buffer: Buffer, lanes: int) -> Iterator[StickLayout]:
        """Layouts with one value per stick: the default where its stick dim has size 1, otherwise sparse."""
        rank = len(buffer.shape)
        if rank == 0 or (rank <= MAX_DIM_ORDER and buffer.shape[-1] == 1):
            yield stick_layout(buffer.shape, buffer.strides, lanes)
        if 0 < rank < MAX_DIM_ORDER:
            yield sparse_layout(buffer, lanes)

    def _suits_writers(self, write: Operand, layout: StickLayout) -> bool:
        """True if every op that writes a part of the buffer can do so in this layout."""
        name = write.buffer.name
        for op in self.writers.get(name, ()):
            if len(self.writers[name]) == 1:
                return True
            other = self._operand(op, WRITE, {name: layout})
            loops = [loop.name for loop in op.output_loops if other.carries(loop.name)]
            ways: list[str | None] = [None, *loops]
            pinned = ((layout.elements_per_stick, layout.arrangement),)
            if all(other.fault(layout, Setting(way, other.lanes, pinned, other.lanes)) for way in ways):
                return False
        return True


def scene_of(program: LoopProgram, device: Device) -> Scene:
    """The scene of a program."""
    writers: dict[str, tuple[LoopOp, ...]] = {}
    readers: dict[str, tuple[LoopOp, ...]] = {}
    for op in program.ops:
        for access in op.writes:
            writers[access.buffer] = (*writers.get(access.buffer, ()), op)
        for name in dict.fromkeys(access.buffer for access in op.reads):
            readers[name] = (*readers.get(name, ()), op)
    results = frozenset(output.buffer for output in program.outputs)
    return Scene(device, program.buffer_map, frozendict(writers), frozendict(readers), results)


def value_reads(op: LoopOp) -> frozenset[int]:
    """Reads that enter a result or a mask; the others only choose which elements are accessed."""
    found: set[int] = set()
    waiting, seen = list(op.results), set[int]()
    while waiting:
        place = waiting.pop()
        if place in seen:
            continue
        seen.add(place)
        step = op.body[place]
        if isinstance(step, Apply):
            waiting += step.args
        elif isinstance(step, Load):
            found.add(step.read)
            waiting += [] if step.mask is None else [step.mask]
    return frozenset(found)


def _bool_lanes(carriers: list[Operand], widths: set[int]) -> tuple[int, ...]:
    """Lanes that bool operands may take: those of the operands they meet, otherwise what they have."""
    if not any(operand.free_lanes for operand in carriers):
        return (0,)
    ordered = [operand.lanes for operand in carriers if not operand.free_lanes]
    if widths:
        return (ordered[0],)
    present = [operand.lanes for operand in carriers if operand.layout is not None]
    return tuple(dict.fromkeys(present)) or BOOL_LANES


def _phases(used: set[int], carriers: list[Operand]) -> tuple[tuple[tuple[int, Arrangement], ...], ...]:
    """Pairs of arrangements to try, those of present operands first; one where every operand is in standard order."""
    plain = [phase for phase in PHASES if all(_of(phase, lanes) is Arrangement.STANDARD for lanes in used)]
    known = [(operand.lanes, operand.layout.arrangement) for operand in carriers if operand.layout is not None]
    if known and plain and all(arrangement is Arrangement.STANDARD for _, arrangement in known):
        return (plain[0],)
    present = [phase for lanes, arrangement in known for phase in PHASES if _of(phase, lanes) is arrangement]
    return tuple(dict.fromkeys([*present, *plain, *PHASES]))


def _of(phase: tuple[tuple[int, Arrangement], ...], lanes: int) -> Arrangement:
    return dict(phase).get(lanes, Arrangement.STANDARD)
