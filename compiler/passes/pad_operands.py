"""pad-operands: zeros behind the last contracted row of every right operand that is read beyond it (facts 2.6).

A contraction reads its left operand in whole sticks; where its loop ends within one, the right operand must hold zeros
for the rest.  Owns who writes them: the host for a weight, an inserted copy that is there anyway, else a copy for that
read, shared by readers until its source is written again.  Refuses, with an UnsupportedError, what no padding helps.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import ClassVar

from frozendict import frozendict

from compiler.cost.requests import copy_us
from compiler.counts import counted
from compiler.layout import StickLayout
from compiler.loops import Buffer, LoopOp
from compiler.order_copies import free_name, reader_names
from compiler.plan import Edit, EditKind, Plan
from compiler.problem import Problem
from compiler.scene import scene_of
from compiler.schedule import expand
from compiler.stick_ways import free_weights
from compiler.tails import CONTRACTIONS, Tail, padded, refuse_tail, tail_of


@dataclass(frozen=True, slots=True)
class PadOperands:
    """Sets the padding of `layouts`, adds `edits` that write zeros, and a reason for each."""

    name: ClassVar[str] = "pad-operands"
    needs: ClassVar[tuple[str, ...]] = ("layouts", "edits")
    decides: ClassVar[tuple[str, ...]] = ("layouts", "edits", "reasons")

    def __call__(self, problem: Problem, plan: Plan) -> Plan:
        schedule = expand(problem.program, plan)
        fillable = frozenset(edit.target for edit in plan.edits)
        fillable |= free_weights(problem.program, scene_of(problem.program, problem.device))
        padding = _Padding(problem, plan)
        written: Counter[str] = Counter()
        for step in schedule.steps:
            tail = tail_of(step.op, schedule.buffers, plan.layouts) if step.op.kind in CONTRACTIONS else None
            if tail is not None:
                name = step.op.reads[tail.read].buffer
                if tail.fault:
                    raise refuse_tail(step.op, schedule.buffers[name], tail)
                if name in fillable:
                    padding.fill(step.op, schedule.buffers[name], tail)
                elif not tail.filled(plan.layouts[name]):
                    padding.wanted.setdefault((name, written[name]), []).append((step.op, tail))
            written.update(access.buffer for access in step.op.writes)
        for (name, _), readers in padding.wanted.items():
            padding.copy(schedule.buffers[name], readers)
        return padding.plan()


@dataclass(slots=True)
class _Padding:
    """Layouts, edits and reasons so far; `wanted`: (buffer, writes before) -> contractions that need a copy of it."""

    problem: Problem
    before: Plan
    layouts: dict[str, StickLayout] = field(default_factory=dict)
    edits: list[Edit] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)
    wanted: dict[tuple[str, int], list[tuple[LoopOp, Tail]]] = field(default_factory=dict)

    def fill(self, op: LoopOp, buffer: Buffer, tail: Tail) -> None:
        """Zeros in a layout that the host or a copy writes anyway."""
        layout = self.layouts.get(buffer.name, self.before.layouts[buffer.name])
        if not tail.filled(layout):
            self.layouts[buffer.name] = padded(layout, buffer, [(tail.dim, tail.size)])
            key = f"layout:{buffer.name}"
            before = self.reasons.get(key, self.before.reasons.get(key, ""))
            self.reasons[key] = "; ".join(part for part in (before, _filled_words(op, buffer, tail)) if part)

    def copy(self, buffer: Buffer, readers: list[tuple[LoopOp, Tail]]) -> None:
        """A copy that is filled up for all of these readers."""
        present, ops = self.before.layouts[buffer.name], self.problem.program.op_map
        target = padded(present, buffer, [(tail.dim, tail.size) for _, tail in readers])
        sizes = "-".join(f"{dim}x{size}" for dim, size in target.padding)
        taken = {*self.before.layouts, *self.layouts, *ops, *(edit.name for edit in self.before.edits)}
        name = free_name(f"{buffer.name}@pad{sizes}", taken)
        names = (reader_names(ops[op.name], buffer.name, [tail.read]) for op, tail in readers)
        first, tail = readers[0]
        reading = tuple(one for group in names for one in group)
        self.edits.append(Edit(name, EditKind.PAD, buffer.name, name, first.name, reading))
        self.layouts[name] = target
        took = copy_us(self.problem.device, buffer, present, target)
        self.reasons[f"layout:{name}"] = f"the copy of {buffer.name} that {first.name} needs"
        self.reasons[f"edit:{name}"] = (
            f"{buffer.name} with {_filled_words(first, buffer, tail)}; the copy takes {took:,.2f} µs: "
            f"{counted(buffer.elements, 'element')} moved"
        )

    def plan(self) -> Plan:
        """The plan with all of this."""
        places = {op.name: place for place, op in enumerate(self.problem.program.ops)}
        edits = sorted((*self.before.edits, *self.edits), key=lambda edit: places[edit.before])
        return replace(
            self.before,
            layouts=frozendict({**self.before.layouts, **self.layouts}),
            edits=tuple(edits),
            reasons=frozendict({**self.before.reasons, **self.reasons}),
        )


def _filled_words(op: LoopOp, buffer: Buffer, tail: Tail) -> str:
    sizes = f"from {buffer.shape[tail.dim]} to {tail.size}"
    because = f"{op.name} reads {counted(tail.extent, 'step')} of {tail.loop} in sticks of {tail.lanes}"
    return f"dim {tail.dim} filled up with zeros {sizes}, because {because}"
