"""Handovers: what it costs that a step reads on other cores than those that hold its data (facts 4.3, 5.5).

Owns the price of the ways out: through device memory, over the ring, or one of the two steps divided as the other.  All
are compared with the same thing, the two steps as they are divided now with the buffer in LX.  Other users of the
buffer, and what else the two steps hand over, are not looked at.  Refuses to decide.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from frozendict import frozendict

from compiler.candidates import Candidate, candidates
from compiler.coordinates import core_boxes
from compiler.cost.memory import one_way_us, turnaround_us
from compiler.cost.relayout import WORDS, View, governing, relayout_us, view_of
from compiler.cost.wording import term
from compiler.division import Division
from compiler.errors import InputError
from compiler.handover import Handover, Way, WayKind
from compiler.loops import Access, OpKind
from compiler.ownership import holding, mismatch, partial_sums
from compiler.pinning import nearest
from compiler.plan import Plan, Slot
from compiler.problem import Problem
from compiler.schedule import Schedule, Step, expand
from compiler.spaces import space_of

NO_RELAYOUTS = "no pass of this pipeline makes relayouts"
SPILL_WORDS = "writer and reader with the buffer in device memory, less both with it in LX"
FOLLOW_WORDS = "time of {name} divided so, less its time now, with the buffer in LX"


def handover(
    problem: Problem, plan: Plan, buffer: str, writer: str, reader: str, drafts: Mapping[str, Mapping[str, int]]
) -> Handover:
    """The ways out for a buffer between two steps; `drafts` are factors of steps that are divided otherwise than in
    the plan.  InputError if there are no such steps or they do not write and read the buffer."""
    scene = _Scene(problem, plan, buffer, writer, reader, drafts)
    ways = (scene.spill(), scene.relayout(), scene.follow(reader), scene.follow(writer))
    ranked = sorted(ways, key=lambda way: (not way.possible, way.extra_us))
    return Handover(buffer, writer, reader, tuple(ranked))


class _Scene:
    """A buffer between two steps, in a plan in which it lies in LX and in one in which it does not."""

    def __init__(
        self,
        problem: Problem,
        plan: Plan,
        buffer: str,
        writer: str,
        reader: str,
        drafts: Mapping[str, Mapping[str, int]],
    ) -> None:
        self.problem, self.buffer = problem, buffer
        self.schedule = expand(problem.program, plan)
        self.writer, self.reader = (self._step(name) for name in (writer, reader))
        if not any(write.buffer == buffer for write in self.writer.op.writes):
            raise InputError(f"buffer {buffer}", f"{writer} does not write it", "choose a step that does")
        if not any(read.buffer == buffer for read in self.reader.op.reads):
            raise InputError(f"buffer {buffer}", f"{reader} does not read it", "choose a step that does")
        divisions = plan.divisions
        for name, factors in drafts.items():
            space = space_of(self._step(name).op, self.schedule, plan.layouts)
            divisions = divisions.set(name, space.division(factors))
        self.layout = plan.layouts[buffer]
        self.inside = self._placed(replace(plan, divisions=divisions))
        self.outside = replace(self.inside, placement=self.inside.placement.delete(buffer))

    def _step(self, name: str) -> Step:
        steps = self.schedule.step_map
        if name not in steps:
            raise InputError(f"op {name}", f"there is no such step{nearest(name, steps)}", "choose a step of the plan")
        return steps[name]

    def _placed(self, plan: Plan) -> Plan:
        slot = Slot(0, self.layout.size_bytes, self.writer.number, self.reader.number)
        return replace(plan, placement=plan.placement.set(self.buffer, slot))

    def _now(self, plan: Plan, step: Step) -> float:
        found = candidates(self.problem, plan, step.name)
        return next(one.total_us for one in found if one.chosen)

    def spill(self) -> Way:
        """Through device memory."""
        steps = (self.writer, self.reader)
        extra = sum(self._now(self.outside, step) - self._now(self.inside, step) for step in steps)
        size, device = self.layout.size_bytes, self.problem.device
        alone = one_way_us(device, 2 * size) + turnaround_us(device, size, size)
        inputs = f"{size:,} B written and read, {alone:.6g} us alone; what overlaps with compute costs nothing"
        return Way(WayKind.SPILL, True, extra, SPILL_WORDS, inputs, frozendict())

    def relayout(self) -> Way:
        """Over the ring, from scratchpad to scratchpad."""
        views = [self._view(self.writer, self._write), self._view(self.reader, self._read)]
        view, cores = governing(*views), max(self._division(self.writer).cores, self._division(self.reader).cores)
        device, size = self.problem.device, self.layout.size_bytes
        time = relayout_us(device, size, cores, view)
        inputs = f"{size:,} B, cores={cores} run={view.run_bytes:,.12g} B split={view.split:.12g}"
        formula = term(device, "relayout", time, WORDS, inputs).formula
        return Way(WayKind.RELAYOUT, False, time, formula, inputs, frozendict(), NO_RELAYOUTS)

    def follow(self, name: str) -> Way:
        """The reader divided so that every core reads what it holds, or the writer so that it holds what it reads."""
        step, kind = self._step(name), WayKind.READER_FOLLOWS if name == self.reader.name else WayKind.WRITER_FOLLOWS
        words = FOLLOW_WORDS.format(name=name)
        if step.op.kind is OpKind.OPAQUE or name not in self.inside.divisions:
            return Way(kind, False, 0.0, words, "", frozendict(), f"{name} runs on the host and is not divided")
        menu = candidates(self.problem, self.inside, name)
        now = next(one.total_us for one in menu if one.chosen)
        fitting = next((one for one in menu if one.legal and self._fits(step, one)), None)
        if fitting is None:
            other = self.writer if step is self.reader else self.reader
            why = f"none of {len(menu)} divisions of {name} gives every core what it has under that of {other.name}"
            return Way(kind, False, 0.0, words, "", frozendict(), why)
        inputs = f"{fitting.total_us:.6g} us divided so, {now:.6g} us now"
        return Way(kind, True, fitting.total_us - now, words, inputs, fitting.factors)

    def _fits(self, step: Step, one: Candidate) -> bool:
        division = space_of(step.op, self.schedule, self.inside.layouts).division(one.factors)
        plan = replace(self.inside, divisions=self.inside.divisions.set(step.name, division))
        return hands_over(self.schedule, plan, self.buffer, self.writer, self.reader) == ""

    @property
    def _write(self) -> Access:
        return next(write for write in self.writer.op.writes if write.buffer == self.buffer)

    @property
    def _read(self) -> Access:
        return next(read for read in self.reader.op.reads if read.buffer == self.buffer)

    def _division(self, step: Step) -> Division:
        return self.inside.divisions.get(step.name, Division())

    def _view(self, step: Step, access: Access) -> View:
        host = self.schedule.buffers[self.buffer]
        sizes = core_boxes(step.op, access, host, self.layout, self._division(step)).size[0]
        pairs = zip(self.layout.device_size, sizes, strict=True)
        return view_of(self.layout, [whole / max(1, int(size)) for whole, size in pairs])


def hands_over(schedule: Schedule, plan: Plan, buffer: str, writer: Step, reader: Step) -> str:
    """Why a core of `reader` does not find its part of a buffer finished on itself; empty if every core does."""
    held = holding(writer, buffer, schedule, plan)
    return partial_sums(held) or mismatch(held, reader, schedule, plan)
