"""StickWays: every way to run an op for given layouts of what it touches, by small numbers instead of layouts.

Owns the numbering of layouts, the layouts a free weight may take, and the answers that ops of equal structure share.
Refuses prices and choices: a way only says which layouts it sets and which copies it needs.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from itertools import product

from compiler.copies import is_pure_copy, transposes
from compiler.elementwise_rules import avoids_stick_reduction
from compiler.layout import MAX_DIM_ORDER, StickLayout
from compiler.layout_rules import candidates, default_layout
from compiler.loops import Buffer, BufferKind, LoopOp, LoopProgram
from compiler.operands import canonical, default_order, dense_layout, sparse_layout, spreads
from compiler.scene import Candidate, Scene

OPEN = -1
"""The number of a layout that is not decided yet."""

Local = tuple[int, ...]
Setting = tuple[int, int]
"""(place of an operand, number of a layout)."""


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """One way to run an op: layouts it decides, copies it needs (`edges`: one per read), its rank among equals.

    `turned` is there for a pure copy that restickifies on its own: the layouts of its source and its result.
    """

    sets: tuple[Setting, ...]
    moves: tuple[Setting, ...]
    edges: tuple[Setting, ...]
    candidate: Candidate
    rank: int
    spread: bool
    avoids: bool
    turned: tuple[StickLayout, StickLayout] | None = None


@dataclass(frozen=True, slots=True)
class Kind:
    """What ways of an op depend on, without names: equal layers share it.  `free` marks operands that may be laid out
    at will."""

    number: int
    buffers: tuple[str, ...]
    reads: tuple[int, ...]
    free: tuple[bool, ...]


@dataclass(slots=True)
class StickWays:
    """Ways of the ops of one scene; `weights` are the buffers that the host lays out as the plan likes."""

    scene: Scene
    weights: frozenset[str] = frozenset()
    layouts: list[StickLayout] = field(default_factory=list)
    _numbers: dict[StickLayout, int] = field(default_factory=dict)
    _kinds: dict[Hashable, int] = field(default_factory=dict)
    _by_op: dict[str, Kind] = field(default_factory=dict)
    _known: dict[tuple[int, Local], tuple[Way, ...]] = field(default_factory=dict)
    _menus: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def number(self, layout: StickLayout) -> int:
        """The number of a layout."""
        found = self._numbers.get(layout)
        if found is None:
            found = self._numbers[layout] = len(self.layouts)
            self.layouts.append(layout)
        return found

    def kind(self, op: LoopOp) -> Kind:
        """The kind of an op, with the buffers it touches: reads first, each once."""
        if op.name not in self._by_op:
            self._by_op[op.name] = self._make_kind(op)
        return self._by_op[op.name]

    def of(self, op: LoopOp, local: Local) -> tuple[Way, ...]:
        """All ways, best first at equal price, with operands laid out as `local` says (OPEN: not decided yet)."""
        kind = self.kind(op)
        key = (kind.number, local)
        if key not in self._known:
            self._known[key] = tuple(self._ways(op, kind, local))
        return self._known[key]

    def menu(self, buffer: Buffer) -> tuple[int, ...]:
        """Layouts that a free weight may have, the default first."""
        if buffer.name not in self._menus:
            found = dict.fromkeys([default_layout(self.scene, buffer), *_laid_out(self.scene, buffer)])
            self._menus[buffer.name] = tuple(self.number(layout) for layout in found)
        return self._menus[buffer.name]

    def targets(self, buffer: Buffer, layout: StickLayout) -> tuple[StickLayout, ...]:
        """Every dense layout with the lanes and the arrangement of `layout`: what copies may ask for."""
        lanes, arrangement = layout.elements_per_stick, layout.arrangement
        dims = (dim for dim, size in enumerate(buffer.shape) if size > 1)
        return tuple(dense_layout(buffer, default_order(buffer, dim), lanes, arrangement) for dim in dims)

    def _make_kind(self, op: LoopOp) -> Kind:
        names = op.touched
        places = {name: place for place, name in enumerate(names)}
        free = tuple(name in self.weights for name in names)
        pattern = tuple(places[access.buffer] for access in op.accesses)
        key = (self.scene.structure(op, {}), pattern, free, self._bool_lanes(op), op.call)
        number = self._kinds.setdefault(key, len(self._kinds))
        return Kind(number, names, pattern[: len(op.reads)], free)

    def _bool_lanes(self, op: LoopOp) -> tuple[int, ...]:
        """What default layouts of results depend on besides their shape."""
        return tuple(self.scene.lanes(self.scene.buffers[access.buffer]) for access in op.writes)

    def _ways(self, op: LoopOp, kind: Kind, local: Local) -> Iterator[Way]:
        open_weights = [place for place, free in enumerate(kind.free) if free and local[place] == OPEN]
        menus = [self.menu(self.scene.buffers[kind.buffers[place]]) for place in open_weights]
        found: dict[tuple[Setting, ...], list[Way]] = {}
        rank = 0
        for chosen in product(*menus):
            settled = dict(zip(open_weights, chosen, strict=True))
            numbers = [settled.get(place, number) for place, number in enumerate(local)]
            for candidate in candidates(self.scene, op, self._named(kind, numbers)):
                way = self._way(op, kind, numbers, settled, candidate, rank)
                rank += 1
                rivals = found.setdefault(way.sets, [])
                if not any(set(rival.edges) <= set(way.edges) and rival.avoids <= way.avoids for rival in rivals):
                    rivals.append(way)
        yield from sorted((way for ways in found.values() for way in ways), key=lambda way: way.rank)

    def _named(self, kind: Kind, numbers: list[int]) -> dict[str, StickLayout]:
        """Layouts by buffer, those that are decided."""
        pairs = zip(kind.buffers, numbers, strict=True)
        return {name: self.layouts[number] for name, number in pairs if number != OPEN}

    def _way(
        self, op: LoopOp, kind: Kind, numbers: list[int], settled: dict[int, int], candidate: Candidate, rank: int
    ) -> Way:
        layouts = self._named(kind, numbers)
        sets = list(settled.items())
        spread = False
        for access, layout in zip(op.writes, candidate.outputs, strict=True):
            place = kind.buffers.index(access.buffer)
            buffer = self.scene.buffers[access.buffer]
            spread |= spreads(layout, buffer)
            if numbers[place] == OPEN:
                sets.append((place, self.number(canonical(layout, buffer))))
        edges = []
        for place, need in zip(kind.reads, candidate.needs, strict=True):
            if need is not None and numbers[place] != OPEN and need != self.layouts[numbers[place]]:
                edges.append((place, self.number(canonical(need, self.scene.buffers[kind.buffers[place]]))))
        moves = tuple(dict.fromkeys(edges))
        avoids = bool(moves) and avoids_stick_reduction(self.scene, op, candidate, layouts)
        turned = self._turned(op, layouts, candidate)
        return Way(tuple(sorted(sets)), moves, tuple(edges), candidate, rank, spread, avoids, turned)

    def _turned(
        self, op: LoopOp, layouts: dict[str, StickLayout], candidate: Candidate
    ) -> tuple[StickLayout, StickLayout] | None:
        if not is_pure_copy(op, self.scene.buffers):
            return None
        read, need = op.reads[0].buffer, candidate.needs[0]
        source = need or layouts.get(read)
        if source is None or read == op.write.buffer:
            return None
        target = candidate.outputs[0]
        return (source, target) if transposes(op, self.scene.buffers, {read: source, op.write.buffer: target}) else None


def free_weights(program: LoopProgram, scene: Scene) -> frozenset[str]:
    """Parameters and constants that no op writes and no output returns: the host lays them out as the plan says, once,
    when it loads them."""
    kinds = (BufferKind.PARAMETER, BufferKind.CONSTANT)
    return frozenset(
        buffer.name
        for buffer in program.buffers
        if buffer.kind in kinds and buffer.name not in scene.writers and buffer.name not in scene.results
    )


def _laid_out(scene: Scene, buffer: Buffer) -> Iterator[StickLayout]:
    """Every dim on the stick, last dims first; one value per stick for vectors."""
    lanes = scene.lanes(buffer)
    for dim in reversed(range(len(buffer.shape))):
        if buffer.shape[dim] > 1:
            yield dense_layout(buffer, default_order(buffer, dim), lanes)
    if 0 < len(buffer.shape) < MAX_DIM_ORDER and sum(size > 1 for size in buffer.shape) <= 1:
        yield sparse_layout(buffer, lanes)
