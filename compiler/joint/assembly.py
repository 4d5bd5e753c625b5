"""Assembly: the answer to a joint problem as decisions of a plan.

Owns the edits in their order, with names and chains of readers, the divisions, and the slots of everything in LX.
Refuses reasons: those are `compiler.joint.reasons`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from frozendict import frozendict

from compiler.copy_cuts import copy_cut
from compiler.division import Division
from compiler.joint.ground import Ground
from compiler.liveness import lifetimes
from compiler.order_copies import free_name
from compiler.plan import OUTPUT_READER, Edit, EditKind, Kernel, Plan, Slot
from compiler.problem import Problem
from compiler.schedule import Schedule, Step, expand, kernels_of
from compiler.solvers.joint.pack import Packing
from compiler.solvers.joint.problem import HOME, Answer

SUFFIX = frozendict({EditKind.RELAYOUT: "ring", EditKind.CLONE_IN: "in", EditKind.CLONE_OUT: "out"})


@dataclass(slots=True)
class Assembly:
    """Puts a plan together; `names` are the buffers of stays and `outs` those of clone-outs, by item."""

    problem: Problem
    ground: Ground
    answer: Answer
    packing: Packing
    names: dict[tuple[int, int], str] = field(default_factory=dict)
    outs: dict[int, str] = field(default_factory=dict)
    _taken: set[str] = field(default_factory=set)
    _divisions: dict[str, Division] = field(default_factory=dict)
    _layouts: dict[str, str] = field(default_factory=dict)

    def plan(self) -> Plan:
        """The plan with divisions, edits, layouts of copies, slots and kernels; nothing outside LX has a placement."""
        before = self.ground.plan
        self._taken = {*before.layouts, *self.ground.schedule.step_map}
        self._name_buffers()
        edits = self._edits()
        layouts = {name: before.layouts[source] for name, source in self._layouts.items()}
        chosen = {
            task.name: kind.divisions[choice]
            for task, kind, choice in zip(
                self.ground.problem.tasks, self.ground.kinds, self.answer.choices, strict=True
            )
        }
        made = replace(
            before,
            edits=edits,
            layouts=before.layouts | layouts,
            divisions=before.divisions | {**chosen, **self._divisions},
        )
        schedule = expand(self.problem.program, made)
        kernels = tuple(Kernel(f"kernel{number}", steps) for number, steps in enumerate(kernels_of(schedule)))
        return replace(made, placement=self._slots(schedule), kernels=kernels)

    # Names

    def _name_buffers(self) -> None:
        for number, one in enumerate(self.ground.subjects):
            if self.answer.resident[number]:
                self.names[number, HOME] = one.buffer
            if self.answer.out[number]:
                self.outs[number] = self._new(one.buffer, EditKind.CLONE_OUT)
            for place in self.answer.copies(number):
                kind = self.ground.problem.items[number].copies[place].kind
                self.names[number, place] = self._new(one.buffer, kind)

    def _new(self, buffer: str, kind: EditKind) -> str:
        name = free_name(f"{buffer}@{SUFFIX[kind]}", self._taken)
        self._taken.add(name)
        self._layouts[name] = buffer
        return name

    def _abroad(self, buffer: str) -> str:
        """Where a buffer lies in device memory: its clone, if it is in LX."""
        return next(
            (name for number, name in self.outs.items() if self.ground.subjects[number].buffer == buffer), buffer
        )

    # Edits

    def _edits(self) -> tuple[Edit, ...]:
        """All edits in the order of the steps: before each step clone-outs, relayouts and clone-ins, then itself."""
        due: dict[int, list[Edit]] = {}
        for number, name in self.outs.items():
            writer = self.ground.subjects[number].writer
            due.setdefault(writer + 1, []).append(self._clone_out(number, name))
        for number in range(len(self.ground.subjects)):
            for place in self.answer.copies(number):
                copy = self.ground.problem.items[number].copies[place]
                due.setdefault(copy.before, []).append(self._copied(number, place))
        order = (EditKind.CLONE_OUT, EditKind.RELAYOUT, EditKind.CLONE_IN)
        found: list[Edit] = []
        steps = self.ground.schedule.steps
        for step in range(len(steps) + 1):
            op = next((one.name for one in steps[step:] if one.edit is None), "")
            found += [
                replace(edit, before=op) for edit in sorted(due.get(step, ()), key=lambda one: order.index(one.kind))
            ]
            edit = steps[step].edit if step < len(steps) else None
            if edit is not None:
                found.append(replace(edit, source=self._abroad(edit.source)))
        return tuple(found)

    def _clone_out(self, number: int, name: str) -> Edit:
        """Into device memory, for all that does not read LX: ops, host ops, copies to other layouts, and the host."""
        one = self.ground.subjects[number]
        inside = {
            self.ground.schedule.steps[reader].name
            for reader, way in zip(one.readers, self.answer.served[number], strict=True)
            if way == HOME or self._over_ring(number, way)
        }
        writer = self.ground.schedule.steps[one.writer]
        readers = list[str]()
        for step in self.ground.schedule.steps:
            if step.name not in inside and any(read.buffer == one.buffer for read in step.op.reads):
                readers += step.edit.readers if step.edit is not None else self._reader(step, one.buffer)
        outputs = self.ground.schedule.outputs
        readers += [f"{OUTPUT_READER}{view.name}" for view in outputs if view.buffer == one.buffer]
        buffer, layout = self.ground.schedule.buffers[one.buffer], self.ground.plan.layouts[one.buffer]
        division = self.ground.kinds[one.writer].divisions[self.answer.choices[one.writer]]
        cut = copy_cut(writer.op, writer.op.write, buffer, layout, division)
        assert cut is not None, f"{one.buffer} has no clone under {division}"
        self._divisions[name] = cut.division
        return Edit(name, EditKind.CLONE_OUT, one.buffer, name, "", tuple(dict.fromkeys(readers)))

    def _over_ring(self, number: int, way: int) -> bool:
        return way >= 0 and self.ground.problem.items[number].copies[way].kind is EditKind.RELAYOUT

    def _copied(self, number: int, place: int) -> Edit:
        one, copy = self.ground.subjects[number], self.ground.problem.items[number].copies[place]
        name = self.names[number, place]
        ways = zip(one.readers, self.answer.served[number], strict=True)
        served = [self.ground.schedule.steps[reader] for reader, way in ways if way == place]
        readers = tuple(name for step in served for name in self._reader(step, one.buffer))
        source = one.buffer if copy.kind is EditKind.RELAYOUT else self._abroad(one.buffer)
        self._divisions[name] = self.ground.offers[number][place].division
        return Edit(name, copy.kind, source, name, "", readers, copy.replicas)

    def _reader(self, step: Step, buffer: str) -> tuple[str, ...]:
        """A step as a reader: by name, or read by read where others of the same buffer go to another copy already."""
        here = [number for number, read in enumerate(step.op.reads) if read.buffer == buffer]
        asked = self.problem.program.op_map[step.name].reads
        every = [number for number, read in enumerate(asked) if read.buffer == buffer]
        return (step.name,) if every in ([], here) else tuple(f"{step.name}#{number}" for number in here)

    # Slots

    def _slots(self, schedule: Schedule) -> frozendict[str, Slot]:
        lives = lifetimes(schedule)
        sizes = self._sizes()
        found = {}
        for key, name in self.names.items():
            parent = self.packing.parents.get(key)
            taken = self.names[parent] if parent is not None else ""
            life = lives[name]
            found[name] = Slot(self.packing.addresses[key], sizes[key], life.first, life.last, taken)
        return frozendict(found)

    def _sizes(self) -> dict[tuple[int, int], int]:
        found = {}
        for key in self.names:
            item, place = key
            if place >= 0:
                found[key] = self.ground.problem.items[item].copies[place].foot_bytes
                continue
            task = self.ground.problem.tasks[self.ground.subjects[item].writer]
            view = task.menu.choices[self.answer.choices[self.ground.subjects[item].writer]].views[task.writes]
            found[key] = self.ground.problem.items[item].feet[view]
        return found
