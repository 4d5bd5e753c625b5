"""What the graph draws: ops, inserted moves, inputs and results as nodes; data as edges with what happens to it.

Owns: making it of a plan, or of a program before there is a plan. Refuses: positions, folding and Qt.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

import numpy as np
from frozendict import frozendict
from numpy.typing import NDArray

from compiler.compilation import Compilation
from compiler.loops import Buffer, BufferKind, LoopOp, LoopProgram, OpKind
from compiler.pins import Pins
from compiler.plan import EditKind, Plan, Slot
from compiler.schedule import Schedule, Step, expand
from spyre_studio.derived import Derived, schedule_of
from spyre_studio.edit_words import keeps_place
from spyre_studio.repeat_facts import RunFacts, facts_of
from spyre_studio.repeats import Run, runs_of
from spyre_studio.units import format_bytes, format_shape
from spyre_studio.views.graph_groups import HUB_CONSUMERS, GraphInput
from spyre_studio.views.graph_names import Place, places

Ints = NDArray[np.intp]
NodeKind = Literal["matmul", "reduction", "pointwise", "move", "opaque", "input", "output"]
NODE_KINDS: Final[tuple[NodeKind, ...]] = (
    "matmul",
    "reduction",
    "pointwise",
    "move",
    "opaque",
    "input",
    "output",
)
LX, MOVE, HBM, UNKNOWN = range(4)  # what happens to the data of an edge; of several, the highest is shown
UNPLANNED: Final = float("nan")  # the time of what is not planned yet

_CHANGES: Final[Mapping[EditKind, str]] = {
    EditKind.RELAYOUT: "ring",
    EditKind.CLONE_IN: "into LX",
    EditKind.CLONE_OUT: "out of LX",
}
_KINDS: Final[Mapping[OpKind, NodeKind]] = {
    OpKind.MATMUL: "matmul",
    OpKind.CONV: "matmul",
    OpKind.REDUCTION: "reduction",
    OpKind.POINTWISE: "pointwise",
    OpKind.OPAQUE: "opaque",
}


@dataclass(frozen=True, slots=True)
class Node:
    """`name`: op or move, '' for data alone; `buffer`: what it writes or is; `us`: its time, NaN before a plan."""

    name: str
    buffer: str
    title: str
    detail: str
    kind: NodeKind
    group: str
    us: float = UNPLANNED
    fate: int = UNKNOWN


@dataclass(frozen=True, slots=True, eq=False)
class GraphModel:
    """`edges` (m, 2): nodes; `carried[e]`: the buffer of an edge, `edges_of` the other way; `fates` (m,): what becomes
    of it, LX, MOVE, HBM or UNKNOWN.

    `of_op`: node of an op or move; `of_buffer`: node that writes or is a buffer; `run_facts`: key of
    a run of equal modules -> what the plan makes of it.
    """

    nodes: tuple[Node, ...]
    edges: Ints
    carried: tuple[str, ...]
    fates: NDArray[np.int8]
    graph: GraphInput
    of_op: frozendict[str, int]
    of_buffer: frozendict[str, int]
    run_facts: frozendict[str, RunFacts] = field(default_factory=frozendict)
    edges_of: frozendict[str, tuple[int, ...]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        found: dict[str, list[int]] = {}
        for edge, buffer in enumerate(self.carried):
            found.setdefault(buffer, []).append(edge)
        object.__setattr__(self, "edges_of", frozendict((name, tuple(edges)) for name, edges in found.items()))

    def pinned(self, pins: Pins) -> frozenset[int]:
        """Nodes that a pin speaks of: the op itself, or the writer of the buffer."""
        ops = (self.of_op.get(name) for table in (pins.division, pins.tiles, pins.same) for name in table)
        tables = (pins.layout, pins.order, pins.placement, pins.relayout)
        buffers = (self.of_buffer.get(name) for table in tables for name in table)
        return frozenset(node for node in (*ops, *buffers) if node is not None)


@Derived
def planned(compilation: Compilation) -> GraphModel:
    """The graph of a plan, inserted moves included."""
    program, plan = compilation.problem.program, compilation.plan
    times = {cost.step: cost.total_us for cost in compilation.cost.steps}
    made = _Maker(program, schedule_of(compilation), plan, times).model()
    groups = {node.name: node.group for node in made.nodes if node.name}
    return replace(made, run_facts=frozendict(facts_of(made.graph.runs, compilation, groups, times)))


def unplanned(program: LoopProgram) -> GraphModel:
    """The graph of a model that has no plan yet."""
    empty = Plan(program.name, "", 1, "")
    return _Maker(program, expand(program, empty), None, {}).model()


@dataclass(slots=True)
class _Maker:
    """Collects nodes in the order of the schedule: inputs, steps, results."""

    program: LoopProgram
    schedule: Schedule
    plan: Plan | None
    times: Mapping[str, float]
    nodes: list[Node] = field(default_factory=list)
    writers: dict[str, int] = field(default_factory=dict)
    of_op: dict[str, int] = field(default_factory=dict)
    pairs: list[tuple[int, int]] = field(default_factory=list)
    carried: list[str] = field(default_factory=list)
    fates: list[int] = field(default_factory=list)

    def model(self) -> GraphModel:
        self._add_inputs()
        inputs = len(self.nodes)
        where = places(self.schedule)
        for step, place in zip(self.schedule.steps, where, strict=True):
            self._add_step(step, place)
        self._add_outputs()
        constant = np.zeros(len(self.nodes), bool)
        constant[:inputs] = True
        edges = np.array(self.pairs, np.intp).reshape(-1, 2)
        return GraphModel(
            tuple(self.nodes),
            edges,
            tuple(self.carried),
            np.array(self.fates, np.int8),
            GraphInput.of([node.group for node in self.nodes], edges, constant, self._runs()),
            frozendict(self.of_op),
            frozendict(self.writers),
        )

    def _runs(self) -> tuple[Run, ...]:
        return runs_of(self.program, {node.name: node.group for node in self.nodes if node.name})

    def _add_inputs(self) -> None:
        """Inputs, and weights that many ops read, as rope tables are; a weight of one op says nothing here."""
        readers: dict[str, int] = {}
        for step in self.schedule.steps:
            for name in {read.buffer for read in step.op.reads}:
                readers[name] = readers.get(name, 0) + 1
        for buffer in self.program.buffers:
            count = readers.get(buffer.name, 0)
            wanted = count > 0 if buffer.kind is BufferKind.INPUT else count >= HUB_CONSUMERS
            if buffer.kind is not BufferKind.COMPUTED and wanted:
                self.writers[buffer.name] = len(self.nodes)
                self.nodes.append(self._data(buffer, "input", buffer.name.rpartition(".")[2]))

    def _add_step(self, step: Step, place: Place) -> None:
        number = len(self.nodes)
        self.of_op[step.name] = number
        written = step.op.writes[0].buffer if step.op.writes else ""
        kind: NodeKind = "move" if step.edit is not None else _KINDS[step.op.kind]
        self.nodes.append(
            Node(
                step.name,
                written,
                place.title,
                self._detail(step),
                kind,
                place.group,
                self.times.get(step.name, UNPLANNED),
                self._fate(written),
            )
        )
        moved = step.edit is not None and not keeps_place(step.edit.kind)
        for name in dict.fromkeys(read.buffer for read in step.op.reads):
            self._link(name, number, moved)
        for write in step.op.writes:
            self.writers[write.buffer] = number

    def _add_outputs(self) -> None:
        """The results of the model, each behind the step that writes what the host reads."""
        for view in self.schedule.outputs:
            if view.buffer not in self.writers:
                continue
            number = len(self.nodes)
            buffer = self.schedule.buffers[view.buffer]
            self.nodes.append(self._data(buffer, "output", view.name))
            self._link(view.buffer, number, moved=False)

    def _link(self, buffer: str, reader: int, moved: bool) -> None:
        writer = self.writers.get(buffer)
        if writer is None or writer == reader:
            return
        self.pairs.append((writer, reader))
        self.carried.append(buffer)
        self.fates.append(MOVE if moved else self._fate(buffer))

    def _data(self, buffer: Buffer, kind: NodeKind, title: str) -> Node:
        detail = f"{format_shape(buffer.shape)} {buffer.dtype}"
        return Node("", buffer.name, title, detail, kind, "", UNPLANNED, self._fate(buffer.name))

    def _fate(self, buffer: str) -> int:
        if self.plan is None:
            return UNKNOWN
        return LX if isinstance(self.plan.placement.get(buffer), Slot) else HBM

    def _detail(self, step: Step) -> str:
        """The second line: how it is divided, what a move changes, or the shape before there is a plan."""
        if self.plan is None:
            return self._written_shape(step.op)
        if step.edit is not None:
            source, target = self.plan.layouts[step.edit.source], self.plan.layouts[step.edit.target]
            change = _CHANGES.get(step.edit.kind, f"{_dim(source.stick_dim)} → {_dim(target.stick_dim)}")
            if step.edit.source in self.writers:
                return f"{change} · {format_bytes(target.size_bytes)}"
            return f"{_short(step.edit.source)} · {change}"  # the tooltip of what it writes has the size
        division = self.plan.divisions.get(step.name)
        if division is None:
            return "on the host" if step.op.kind is OpKind.OPAQUE else ""
        return factors_text({split.loop: split.factor for split in division.splits})

    def _written_shape(self, op: LoopOp) -> str:
        return format_shape(self.schedule.buffers[op.writes[0].buffer].shape) if op.writes else ""


def factors_text(factors: Mapping[str, int]) -> str:
    """A division as people write it. Examples: 'm 8 · n 4', '1 core'."""
    return " · ".join(f"{loop} {factor}" for loop, factor in factors.items() if factor > 1) or "1 core"


def total_us(nodes: Iterable[Node]) -> float:
    """Time of nodes together; NaN if none of them has one."""
    times = [node.us for node in nodes if node.us == node.us]
    return sum(times) if times else UNPLANNED


def _short(buffer: str) -> str:
    return buffer.replace("/", ".").rpartition(".")[2]


def _dim(dim: int) -> str:
    return "sparse" if dim < 0 else f"d{dim}"
