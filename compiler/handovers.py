"""Handovers: what it costs that a step reads on other cores than those that hold its data (facts 4.3, 5.5).

Owns the price of the ways out: through device memory, over the ring, or one of the two steps divided as the other.  All
are compared with the same thing, the plan as it is divided now but with the buffer in LX.  What else the two steps hand
over, and whether the buffer has room in LX, is not looked at.  Refuses to decide.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from frozendict import frozendict

from compiler.candidates import Candidate, candidates
from compiler.coordinates import Boxes, core_boxes
from compiler.copy_cuts import reader_cut
from compiler.cost.memory import one_way_us, turnaround_us
from compiler.cost.model import price
from compiler.cost.relayout import relayout_term
from compiler.counts import counted
from compiler.division import Division
from compiler.errors import InputError
from compiler.handover import Handover, Way, WayKind
from compiler.loops import Access, OpKind
from compiler.ownership import holding, mismatch, partial_sums
from compiler.pinning import nearest
from compiler.plan import Plan, Slot
from compiler.problem import Problem
from compiler.relayouts import gate
from compiler.schedule import Step, expand
from compiler.spaces import space_of

SPILL_WORDS = "time of the plan with the buffer in device memory, less that with it in LX"
FOLLOW_WORDS = "time of the plan with {name} divided so, less that with its division of now, the buffer in LX"


def handover(
    problem: Problem, plan: Plan, buffer: str, ends: tuple[str, str], drafts: Mapping[str, Mapping[str, int]]
) -> Handover:
    """The ways out for a buffer between two steps (`ends`: writer, reader).

    `drafts` are factors of steps that are divided otherwise than in the plan.  InputError if there are no such steps,
    or they do not write and read the buffer.
    """
    scene = _Scene(problem, plan, buffer, ends, drafts)
    ways = (scene.spill(), scene.relayout(), scene.follow(scene.reader), scene.follow(scene.writer))
    ranked = sorted(ways, key=lambda way: (not way.possible, way.extra_us))
    return Handover(buffer, *ends, tuple(ranked))


class _Scene:
    """A buffer between two steps, in a plan in which it lies in LX and in one in which it does not."""

    def __init__(
        self,
        problem: Problem,
        plan: Plan,
        buffer: str,
        ends: tuple[str, str],
        drafts: Mapping[str, Mapping[str, int]],
    ) -> None:
        self.problem, self.buffer = problem, buffer
        self.schedule = expand(problem.program, plan)
        self.writer, self.reader = (self._step(name) for name in ends)
        if not any(write.buffer == buffer for write in self.writer.op.writes):
            raise InputError(f"buffer {buffer}", f"{ends[0]} does not write it", "choose a step that does")
        if not any(read.buffer == buffer for read in self.reader.op.reads):
            raise InputError(f"buffer {buffer}", f"{ends[1]} does not read it", "choose a step that does")
        divisions = plan.divisions
        for name, factors in drafts.items():
            space = space_of(self._step(name).op, self.schedule, plan.layouts)
            divisions = divisions.set(name, space.division(factors))
        self.layout = plan.layouts[buffer]
        self.inside = self._placed(replace(plan, divisions=divisions))
        self.outside = replace(self.inside, placement=self.inside.placement.delete(buffer))
        self.base_us = price(problem, self.inside).total_us

    def _step(self, name: str) -> Step:
        steps = self.schedule.step_map
        if name not in steps:
            raise InputError(f"op {name}", f"there is no such step{nearest(name, steps)}", "choose a step of the plan")
        return steps[name]

    def _placed(self, plan: Plan) -> Plan:
        slot = Slot(0, self.layout.size_bytes, self.writer.number, self.reader.number)
        return replace(plan, placement=plan.placement.set(self.buffer, slot))

    def _extra(self, plan: Plan) -> float:
        return price(self.problem, plan).total_us - self.base_us

    def spill(self) -> Way:
        """Through device memory."""
        size, device = self.layout.size_bytes, self.problem.device
        alone = one_way_us(device, 2 * size) + turnaround_us(device, size, size)
        inputs = f"{size:,} B written and read, {alone:.6g} µs alone; what compute hides costs nothing"
        return Way(WayKind.SPILL, True, self._extra(self.outside), SPILL_WORDS, inputs, frozendict())

    def relayout(self) -> Way:
        """Over the ring, from scratchpad to scratchpad."""
        source, target = self._boxes(self.writer, self._write), self._boxes(self.reader, self._read)
        cost = relayout_term(self.problem.device, self.layout, source, target)
        why_not = self._barred(source, target)
        return Way(WayKind.RELAYOUT, not why_not, cost.microseconds, cost.formula, cost.inputs, frozendict(), why_not)

    def _barred(self, source: Boxes, target: Boxes) -> str:
        """Why the ring cannot carry it; empty if it can."""
        ends, buffers = (self.writer, self.reader), self.schedule.buffers
        why = gate(self.problem.device, self.layout, self.buffer, ends, source, target, buffers)
        host, division = buffers[self.buffer], self._division(self.reader)
        if why or reader_cut(self.reader.op, host, self.layout, division) is not None:
            return why
        return f"no copy of it leaves every core what {self.reader.name} reads there"

    def follow(self, step: Step) -> Way:
        """The reader divided so that every core reads what it holds, or the writer so that it holds what it reads."""
        kind, name = WayKind.READER_FOLLOWS if step is self.reader else WayKind.WRITER_FOLLOWS, step.name
        words = FOLLOW_WORDS.format(name=name)
        if step.op.kind is OpKind.OPAQUE or name not in self.inside.divisions:
            return Way(kind, False, 0.0, words, "", frozendict(), f"{name} runs on the host and is not divided")
        menu = candidates(self.problem, self.inside, name)
        plans = ((one, self._divided(step, one)) for one in menu if one.legal)
        fitting = next(((one, plan) for one, plan in plans if self._fits(plan)), None)
        if fitting is None:
            why = f"none of {counted(len(menu), 'division')} of it fits"
            return Way(kind, False, 0.0, words, "", frozendict(), why)
        one, plan = fitting
        now = next(other.total_us for other in menu if other.chosen)
        inputs = f"{name} alone takes {one.total_us:.6g} µs divided so and {now:.6g} µs now"
        return Way(kind, True, self._extra(plan), words, inputs, one.factors)

    def _divided(self, step: Step, one: Candidate) -> Plan:
        division = space_of(step.op, self.schedule, self.inside.layouts).division(one.factors)
        return replace(self.inside, divisions=self.inside.divisions.set(step.name, division))

    def _fits(self, plan: Plan) -> bool:
        """True if no core lacks anything, and none holds partial sums in place of data."""
        held = holding(self.writer, self.buffer, self.schedule, plan)
        return not (partial_sums(held) or mismatch(held, self.reader, self.schedule, plan))

    @property
    def _write(self) -> Access:
        return next(write for write in self.writer.op.writes if write.buffer == self.buffer)

    @property
    def _read(self) -> Access:
        return next(read for read in self.reader.op.reads if read.buffer == self.buffer)

    def _division(self, step: Step) -> Division:
        return self.inside.divisions.get(step.name, Division())

    def _boxes(self, step: Step, access: Access) -> Boxes:
        return core_boxes(step.op, access, self.schedule.buffers[self.buffer], self.layout, self._division(step))
