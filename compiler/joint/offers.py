"""Offers: the moves that a joint problem may choose from, each with its bill and the division of its copy.

Owns which copies are worth offering: clone-ins of buffers in device memory for views that several readers share, and
relayouts for edges on which writer and reader want different views, the cheapest destinations of each edge.  Refuses
what no copy can express and what the ring cannot carry (`compiler.relayouts`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from frozendict import frozendict

from compiler.cost.setting import Setting
from compiler.division import Division
from compiler.joint.bills import Surroundings, bill_of
from compiler.joint.kinds import Kind, Kinds
from compiler.joint.subjects import Subject
from compiler.plan import Edit, EditKind, Plan
from compiler.schedule import Schedule, Step, copy_op
from compiler.solvers.joint.problem import Bill, Copy, Task

COPIED = "@copy"


@dataclass(frozen=True, slots=True)
class Offer:
    """A copy and the division under which its step makes it."""

    copy: Copy
    division: Division


@dataclass(slots=True)
class Offers:
    """Makes offers for the subjects of one plan; none without `moves`."""

    kinds: Kinds
    setting: Setting
    plan: Plan
    moves: bool
    _outs: dict[object, Bill] = field(default_factory=dict)

    def out(self, one: Subject) -> Bill:
        """The bill of a clone-out."""
        layout, buffer = self.plan.layouts[one.buffer], self.setting.schedule.buffers[one.buffer]
        key = (layout, buffer.shape, buffer.strides, buffer.dtype)
        if key not in self._outs:
            self._outs[key] = self._bill(one, EditKind.CLONE_OUT, Division(), 1, frozenset({one.buffer}))
        return self._outs[key]

    def _bill(self, one: Subject, kind: EditKind, division: Division, replicas: int, resident: frozenset[str]) -> Bill:
        schedule = self.setting.schedule
        source = schedule.buffers[one.buffer]
        edit = Edit(COPIED, kind, one.buffer, COPIED, "", (), replicas)
        near = schedule.steps[one.readers[0]]
        step = Step(near.number, copy_op(edit, source, near.op.origin), edit)
        setting = replace(
            self.setting,
            schedule=Schedule((), schedule.buffers.set(COPIED, replace(source, name=COPIED))),
            layouts=frozendict({one.buffer: self.plan.layouts[one.buffer], COPIED: self.plan.layouts[one.buffer]}),
            divisions=frozendict({COPIED: division}),
            resident=resident,
            outputs=frozenset(),
            loaded=frozendict(),
        )
        return bill_of(setting.draft(step), self.setting.device, Surroundings(frozenset(), False), {})

    def of(self, number: int, one: Subject, tasks: tuple[Task, ...], kinds: tuple[Kind, ...]) -> tuple[Offer, ...]:
        """The offers for a subject."""
        return ()
