"""insert-restickify: a copy for every operand whose op needs another layout than the buffer has.

Owns the copies, their names and layouts, and who reads them: one copy per buffer and layout, made before its first
reader and shared by later ones until the buffer is written again.  Where an op can be served by several copies, those
are taken that cost the program least.  Refuses layouts that no copy can join.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

from frozendict import frozendict

from compiler.layout import Arrangement, StickLayout
from compiler.layout_reasons import edit_reason
from compiler.layout_rules import refusal
from compiler.loops import LoopOp
from compiler.operands import canonical
from compiler.plan import Edit, EditKind, Plan
from compiler.problem import Problem
from compiler.scene import scene_of
from compiler.stick_prices import StickPrices
from compiler.stick_search import Outcome, Rules, StickSearch, Stuck
from compiler.stick_ways import StickWays

WIDTH = 4096


@dataclass(frozen=True, slots=True)
class InsertRestickify:
    """Sets `edits`, the layouts of their targets, and a reason per edit."""

    name: ClassVar[str] = "insert-restickify"
    needs: ClassVar[tuple[str, ...]] = ("layouts",)
    decides: ClassVar[tuple[str, ...]] = ("edits", "layouts", "reasons")

    def __call__(self, problem: Problem, plan: Plan) -> Plan:
        scene = scene_of(problem.program, problem.device)
        ways = StickWays(scene)
        fixed = {
            name: ways.number(canonical(layout, scene.buffers[name]))
            for name, layout in plan.layouts.items()
            if name in scene.buffers
        }
        prices = StickPrices(problem.device)
        reductions = frozenset(op.name for op in problem.program.ops)
        found = StickSearch(problem.program, ways, prices, Rules(fixed, across=reductions), WIDTH).run()
        if isinstance(found, Stuck):
            raise refusal(scene, found.op, plan.layouts)
        made = _Copies(ways, prices, found)
        for op in problem.program.ops:
            made.serve(op)
        layouts = {**plan.layouts, **made.layouts}
        reasons = {**plan.reasons, **made.reasons}
        return replace(plan, edits=made.edits, layouts=frozendict(layouts), reasons=frozendict(reasons))


@dataclass(slots=True)
class _Copies:
    """The edits so far, by name, and which copies are fresh: (buffer, number of a layout) -> name."""

    ways: StickWays
    prices: StickPrices
    found: Outcome
    by_name: dict[str, Edit] = field(default_factory=dict)
    fresh: dict[tuple[str, int], str] = field(default_factory=dict)
    layouts: dict[str, StickLayout] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)

    @property
    def edits(self) -> tuple[Edit, ...]:
        """In order of the steps they precede."""
        return tuple(self.by_name.values())

    def serve(self, op: LoopOp) -> None:
        """Make the copies an op needs, or have it read those that exist."""
        wanted = self._wanted(op)
        for move, reads in wanted.items():
            if move not in self.fresh:
                self._make(op, move)
            name = self.fresh[move]
            edit = self.by_name[name]
            self.by_name[name] = replace(edit, readers=(*edit.readers, *_reader_names(op, move[0], reads)))
        written = {access.buffer for access in op.writes}
        for move in [move for move in self.fresh if move[0] in written]:
            del self.fresh[move]

    def _wanted(self, op: LoopOp) -> dict[tuple[str, int], list[int]]:
        """Copies an op reads, with the numbers of the reads."""
        wanted: dict[tuple[str, int], list[int]] = {}
        buffers = self.ways.scene.buffers
        needs = self.found.ways[op.name].candidate.needs
        for number, (access, need) in enumerate(zip(op.reads, needs, strict=True)):
            if need is not None:
                target = self.ways.number(canonical(need, buffers[access.buffer]))
                if target != self.found.layouts[access.buffer]:
                    wanted.setdefault((access.buffer, target), []).append(number)
        return wanted

    def _make(self, op: LoopOp, move: tuple[str, int]) -> None:
        source, target = move[0], self.ways.layouts[move[1]]
        present = self.ways.layouts[self.found.layouts[source]]
        name = self._free(f"{source}@{_suffix(present, target)}")
        self.fresh[move] = name
        self.by_name[name] = Edit(name, EditKind.RESTICKIFY, source, name, op.name, ())
        self.layouts[name] = target
        buffer, loop = self.ways.scene.buffers[source], self.found.ways[op.name].candidate.loop
        self.reasons[f"layout:{name}"] = f"the copy of {source} that {op.name} needs"
        self.reasons[f"edit:{name}"] = edit_reason(op, buffer, (present, target), loop, self._instead(op))

    def _instead(self, op: LoopOp) -> tuple[str | None, int] | None:
        """The next best way to run an op with the layouts around it: its stick loop and the host elements it copies."""
        kind = self.ways.kind(op)
        local = [self.found.layouts[name] for name in kind.buffers]
        for access in op.writes:
            local[kind.buffers.index(access.buffer)] = -1
        taken = self.found.ways[op.name].candidate
        others = [way for way in self.ways.of(op, tuple(local)) if way.candidate.loop != taken.loop]
        buffers = self.ways.scene.buffers
        priced = [
            (sum(buffers[kind.buffers[place]].elements for place, _ in way.moves), way.rank, way.candidate.loop)
            for way in others
        ]
        if not priced:
            return None
        cost, _, loop = min(priced, key=lambda entry: entry[:2])
        return loop, cost

    def _free(self, name: str) -> str:
        taken = {*self.ways.scene.buffers, *self.by_name}
        names = (name, *(f"{name}~{number}" for number in range(2, len(taken) + 3)))
        return next(free for free in names if free not in taken)


def _suffix(present: StickLayout, target: StickLayout) -> str:
    """`d0` the new stick dim, `d1x32` with other lanes, `standard` where only the order of elements is undone."""
    if target.sparse:
        return "sparse"
    lanes = f"x{target.elements_per_stick}" if target.elements_per_stick != present.elements_per_stick else ""
    if target.arrangement is not Arrangement.STANDARD:
        return f"d{target.stick_dim}{lanes}-{target.arrangement}"
    undone = present.arrangement is not Arrangement.STANDARD and present.stick_dim == target.stick_dim
    return "standard" if undone and not lanes else f"d{target.stick_dim}{lanes}"


def _reader_names(op: LoopOp, source: str, reads: list[int]) -> tuple[str, ...]:
    """The op, or `op#read` for single reads where others of the same buffer keep what they have."""
    every = [number for number, access in enumerate(op.reads) if access.buffer == source]
    return (op.name,) if reads == every else tuple(f"{op.name}#{number}" for number in reads)
