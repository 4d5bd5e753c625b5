"""insert-restickify: a copy for every operand whose op needs another layout than the buffer has.

Owns the copies, their names and layouts, and who reads them: one copy per buffer and layout, made before its first
reader and shared by later ones until the buffer is written again.  Refuses layouts that no copy can join.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

from frozendict import frozendict

from compiler.layout import Arrangement, StickLayout
from compiler.layout_choice import Choice, Move, Progress, choose, moves
from compiler.layout_reasons import edit_reason
from compiler.layout_rules import candidates, refusal
from compiler.loops import LoopOp
from compiler.plan import Edit, EditKind, Plan
from compiler.problem import Problem
from compiler.scene import Layouts, scene_of


@dataclass(frozen=True, slots=True)
class InsertRestickify:
    """Sets `edits`, the layouts of their targets, and a reason per edit."""

    name: ClassVar[str] = "insert-restickify"
    needs: ClassVar[tuple[str, ...]] = ("layouts",)
    decides: ClassVar[tuple[str, ...]] = ("edits", "layouts", "reasons")

    def __call__(self, problem: Problem, plan: Plan) -> Plan:
        progress = Progress(scene_of(problem.program, problem.device), dict(plan.layouts))
        made = _Copies(progress)
        for op in problem.program.ops:
            found = candidates(progress.scene, op, plan.layouts)
            choice = choose(progress, op, found, lambda way: True)
            if choice is None:
                raise refusal(progress.scene, op, plan.layouts)
            made.serve(op, choice, plan.layouts)
            progress.forget(op)
        layouts = {**plan.layouts, **made.layouts}
        reasons = {**plan.reasons, **made.reasons}
        return replace(plan, edits=made.edits, layouts=frozendict(layouts), reasons=frozendict(reasons))


@dataclass(slots=True)
class _Copies:
    """The edits so far, by name."""

    progress: Progress
    by_name: dict[str, Edit] = field(default_factory=dict)
    layouts: dict[str, StickLayout] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)

    @property
    def edits(self) -> tuple[Edit, ...]:
        """In order of the steps they precede."""
        return tuple(self.by_name.values())

    def serve(self, op: LoopOp, choice: Choice, layouts: Layouts) -> None:
        """Make the copies an op needs, or have it read those that exist."""
        wanted: dict[Move, list[int]] = {}
        for read, move in moves(op, choice.candidate, layouts):
            wanted.setdefault(move, []).append(read)
        for move, reads in wanted.items():
            if move not in self.progress.copies:
                self._make(op, move, layouts, choice)
            name = self.progress.copies[move]
            edit = self.by_name[name]
            self.by_name[name] = replace(edit, readers=(*edit.readers, *_reader_names(op, move[0], reads)))

    def _make(self, op: LoopOp, move: Move, layouts: Layouts, choice: Choice) -> None:
        source, target = move
        figures = self._with_alternatives(op, layouts, choice)
        name = self._free(f"{source}@{_suffix(layouts[source], target)}")
        self.progress.copies[move] = name
        self.by_name[name] = Edit(name, EditKind.RESTICKIFY, source, name, op.name, ())
        self.layouts[name] = target
        buffer = self.progress.scene.buffers[source]
        self.reasons[f"layout:{name}"] = f"the copy of {source} that {op.name} needs"
        self.reasons[f"edit:{name}"] = edit_reason(op, buffer, layouts[source], target, figures)

    def _with_alternatives(self, op: LoopOp, layouts: Layouts, choice: Choice) -> Choice:
        """The choice as it was before the result had a layout, which tells what the next best way would move."""
        written = {access.buffer: layouts[access.buffer] for access in op.writes}
        before = {name: layout for name, layout in layouts.items() if name not in written}
        progress = Progress(self.progress.scene, before, dict(self.progress.copies))
        found = candidates(progress.scene, op, before)
        return choose(progress, op, found, lambda way: way.outputs == tuple(written.values())) or choice

    def _free(self, name: str) -> str:
        taken = {*self.progress.scene.buffers, *self.by_name}
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
