"""Offers: the copies that would let a buffer lie in LX, or be loaded there, under the divisions of a plan.

Owns who finds the buffer where its writer left it, whom a relayout serves (`compiler.relayouts`), and who needs device
memory: host ops, masks, gathers, the host itself.  Steps at which the buffer must have left LX, at host ops or where it
is evicted, end a stretch; what several readers of a stretch share is loaded for them once.  Refuses to price.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from frozendict import frozendict

from compiler.copy_cuts import Cut, copy_cut, cut_boxes, reader_cut
from compiler.cost.memory import one_way_us
from compiler.eligibility import Scene, index_buffers
from compiler.layout import StickLayout
from compiler.loops import Buffer, BufferKind, OpKind
from compiler.moves.value import Move, Moves
from compiler.order_copies import free_name, reader_names
from compiler.ownership import Holding, gap, holding, mismatch, partial_sums
from compiler.plan import OUTPUT_READER, Edit, EditKind
from compiler.problem import Problem
from compiler.relayouts import gate, relayout_time_us
from compiler.schedule import Step

SHARED_BY = 2  # readers that make a load worth it


@dataclass(frozen=True, slots=True)
class _Ways:
    """How the readers of a buffer get it: at home, over the ring by cut, from device memory by load, or directly."""

    home: tuple[Step, ...]
    rings: dict[Cut, list[Step]]
    loads: dict[tuple[int, Cut], list[Step]]
    direct: tuple[Step, ...]


class Offers:
    """Offers for the buffers of one scene; relayouts only for buffers that no pin keeps from them."""

    def __init__(self, problem: Problem, scene: Scene) -> None:
        self.problem, self.scene = problem, scene
        self.places = {op.name: place for place, op in enumerate(problem.program.ops)}
        self.places[""] = len(self.places)
        self.host = [self.place(scene.schedule.steps[number]) + 1 for number in scene.opaque_steps]
        self.outputs: dict[str, list[str]] = {}
        for view in scene.schedule.outputs:
            self.outputs.setdefault(view.buffer, []).append(f"{OUTPUT_READER}{view.name}")
        self.taken = {*scene.plan.layouts, *self.places, *(edit.name for edit in scene.plan.edits)}

    def place(self, step: Step) -> int:
        """The number of the op at which, or right before which, a step runs."""
        return self.places[step.name if step.edit is None else step.edit.before]

    def of(self, name: str, breaks: Iterable[int] = (), stay: bool = True) -> Moves | None:
        """The moves of a buffer that leaves LX before the ops at `breaks`; None if there is nothing to move.

        Without `stay` it is in device memory as it is written, and only loaded.
        """
        buffer, life = self.scene.schedule.buffers[name], self.scene.lives[name]
        layout = self.scene.plan.layouts.get(name)
        if layout is None or layout.padding or not buffer.elements or not life.reads:
            return None
        if life.writes and life.writes[-1] > life.reads[0]:
            return None
        ends = sorted({*self.host, *breaks})
        held = self._held(name, buffer) if stay else None
        ways = self._ways(name, layout, held, ends)
        if held is not None and not (ways.home or ways.rings):
            held, ways = None, self._ways(name, layout, None, ends)
        made = _Made(self, name, layout, held, ways)
        return made.moves()

    def _held(self, name: str, buffer: Buffer) -> Holding | None:
        """What the only step that writes a buffer leaves on the cores, if it could stay there."""
        writes = self.scene.lives[name].writes
        if buffer.kind is not BufferKind.COMPUTED or len(writes) != 1:
            return None
        writer = self.scene.schedule.steps[writes[0]]
        if writer.op.kind is OpKind.OPAQUE or any(write.index.gathers for write in writer.op.writes):
            return None
        held = holding(writer, name, self.scene.schedule, self.scene.plan)
        return None if partial_sums(held) or gap(held) else held

    def _ways(self, name: str, layout: StickLayout, held: Holding | None, ends: Sequence[int]) -> _Ways:
        home: list[Step] = []
        rings: dict[Cut, list[Step]] = {}
        shared: dict[tuple[int, Cut], list[Step]] = {}
        direct: list[Step] = []
        born = bisect_right(ends, self.place(held.step)) if held is not None else -1
        for reader in self.scene.readers(name):
            stretch = bisect_right(ends, self.place(reader))
            cut = self._cut(name, layout, reader)
            if held is not None and stretch == born and self._at_home(held, reader):
                home.append(reader)
            elif held is not None and stretch == born and cut is not None and self._rings(held, reader, cut):
                rings.setdefault(cut, []).append(reader)
            elif cut is not None:
                shared.setdefault((stretch, cut), []).append(reader)
            else:
                direct.append(reader)
        loads = {key: readers for key, readers in shared.items() if len(readers) >= SHARED_BY}
        direct += [reader for key, readers in shared.items() if key not in loads for reader in readers]
        return _Ways(tuple(home), self._cheap(layout, held, rings, direct), loads, tuple(direct))

    def _cheap(
        self, layout: StickLayout, held: Holding | None, rings: dict[Cut, list[Step]], direct: list[Step]
    ) -> dict[Cut, list[Step]]:
        """Relayouts that take less than if their readers loaded the buffer each on its own; the others go there."""
        kept = {}
        load, device = one_way_us(self.problem.device, layout.size_bytes), self.problem.device
        for cut, readers in rings.items():
            assert held is not None
            buffer = self.scene.schedule.buffers[held.buffer]
            time = relayout_time_us(device, layout, held.boxes, cut_boxes(cut, buffer, layout))
            if time < load * len(readers) or self.problem.pins.relayout.get(held.buffer) == "ring":
                kept[cut] = readers
            else:
                direct += readers
        return kept

    def _cut(self, name: str, layout: StickLayout, reader: Step) -> Cut | None:
        """The copy that a reader could have of its own; None where it has to read device memory."""
        if reader.edit is not None or needs_memory(reader, name):
            return None
        division = self.scene.plan.divisions[reader.name]
        return reader_cut(reader.op, self.scene.schedule.buffers[name], layout, division)

    def _at_home(self, held: Holding, reader: Step) -> bool:
        if needs_memory(reader, held.buffer):
            return False
        return not mismatch(held, reader, self.scene.schedule, self.scene.plan)

    def _rings(self, held: Holding, reader: Step, cut: Cut) -> bool:
        if self.problem.pins.relayout.get(held.buffer) == "none":
            return False
        buffers = self.scene.schedule.buffers
        target = cut_boxes(cut, buffers[held.buffer], held.layout)
        ends = (held.step, reader)
        return not gate(self.problem.device, held.layout, held.buffer, ends, held.boxes, target, buffers)


def needs_memory(reader: Step, name: str) -> bool:
    """True if a step finds a buffer only in device memory: on the host, under a mask, by value or as an index."""
    op = reader.op
    if op.kind is OpKind.OPAQUE or (reader.edit is not None and reader.edit.kind is EditKind.CLONE_IN):
        return True
    own = [number for number, read in enumerate(op.reads) if read.buffer == name]
    return any(op.reads[number].index.gathers or op.masked(number) for number in own) or name in index_buffers(reader)


class _Made:
    """The edits that ways come to."""

    def __init__(self, offers: Offers, name: str, layout: StickLayout, held: Holding | None, ways: _Ways) -> None:
        self.offers, self.name, self.layout, self.held, self.ways = offers, name, layout, held, ways
        self.taken = set(offers.taken)
        self.ops = offers.problem.program.ops

    def moves(self) -> Moves | None:
        """All of them; None if there are none, or one cannot be made."""
        ways, outputs = self.ways, self.offers.outputs.get(self.name, [])
        rings = tuple(self._copy(EditKind.RELAYOUT, "ring", self.name, cut, steps) for cut, steps in ways.rings.items())
        if self.held is None:
            loads = self._loads(self.name)
            return Moves(self.name, self.layout, loads) if loads else None
        if not (outputs or ways.loads or ways.direct):
            return Moves(self.name, self.layout, rings) if rings else None
        out = self._out(self.held, outputs)
        if out is None:
            return None
        target = out.edit.target
        turned = {reader.name: target for reader in ways.direct if reader.edit is not None}
        made = (out, *rings, *self._loads(target))
        return Moves(self.name, self.layout, made, frozendict(turned))

    def _loads(self, source: str) -> tuple[Move, ...]:
        return tuple(
            self._copy(EditKind.CLONE_IN, "in", source, cut, steps) for (_, cut), steps in self.ways.loads.items()
        )

    def _copy(self, kind: EditKind, ending: str, source: str, cut: Cut, readers: list[Step]) -> Move:
        """A copy right before its first reader."""
        name = self._name(ending)
        first = self.ops[self.offers.place(readers[0])].name
        return Move(Edit(name, kind, source, name, first, self._readers(readers), cut.replicas), cut.division)

    def _out(self, held: Holding, outputs: list[str]) -> Move | None:
        """The clone that goes out once nobody needs it in LX any more, or before the first who needs it outside."""
        step, buffer = held.step, self.offers.scene.schedule.buffers[self.name]
        write = next(write for write in step.op.writes if write.buffer == self.name)
        division = self.offers.scene.plan.divisions[step.name]
        cut = copy_cut(step.op, write, buffer, self.layout, division, replicated=False)
        if cut is None:
            return None
        far = [*self.ways.direct, *(reader for readers in self.ways.loads.values() for reader in readers)]
        far.sort(key=lambda reader: reader.number)
        place = max(self._after(one) for one in (step, *self.ways.home))
        place = max([place, *(self.offers.place(readers[0]) for readers in self.ways.rings.values())])
        place = min([place, *(self.offers.place(reader) for reader in far)])
        before = self.ops[place].name if place < len(self.ops) else ""
        name = self._name("out")
        readers = (*self._readers(far), *outputs)
        return Move(Edit(name, EditKind.CLONE_OUT, self.name, name, before, readers), cut.division)

    def _after(self, step: Step) -> int:
        """Where a copy may stand that runs after a step."""
        return self.offers.place(step) + (step.edit is None)

    def _readers(self, readers: Iterable[Step]) -> tuple[str, ...]:
        """Names of readers; for copies of the plan, who reads those."""
        found: dict[str, None] = {}
        for reader in readers:
            if reader.edit is not None:
                found.update(dict.fromkeys(reader.edit.readers))
                continue
            own = [number for number, read in enumerate(reader.op.reads) if read.buffer == self.name]
            op = self.ops[self.offers.place(reader)]
            found.update(dict.fromkeys(reader_names(op, op.reads[own[0]].buffer, own)))
        return tuple(found)

    def _name(self, ending: str) -> str:
        name = free_name(f"{self.name}@{ending}", self.taken)
        self.taken.add(name)
        return name
