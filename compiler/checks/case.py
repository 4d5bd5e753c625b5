"""Case: one problem and plan under examination, with what is well-formed in them and what the checks share.

Owns the schedule, the operands of every step and the caches by structure that make forty equal layers cost one.
Refuses to judge: a malformed part is kept apart with its fault, for the one check that reports it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from compiler.checks.divisions import division_fault, slices
from compiler.checks.domains import Domain, Use, domain, followed, full, uses
from compiler.checks.edit_faults import edit_faults
from compiler.checks.elements import Elements, accessed
from compiler.checks.findings import whole
from compiler.checks.image import Box, Image, place
from compiler.checks.layouts import Filler, layout_fault
from compiler.division import Division
from compiler.layout import StickLayout
from compiler.loops import Access, Buffer, BufferKind, Index, LoopOp, OpKind
from compiler.plan import Placement, Plan, Slot, Spilled
from compiler.problem import Problem
from compiler.schedule import Schedule, Step, expand

FIELDS = frozenset({"layouts", "edits", "divisions", "placement", "kernels", "pins"})


@dataclass(frozen=True, slots=True)
class Operand:
    """One access of a step: the `number`-th read, or the write.

    `image` is None if nothing is accessed, or says why it cannot be placed; `loops` also has those behind gathers.
    """

    access: Access
    number: int
    write: bool
    masked: bool
    use: Use
    domain: Domain
    buffer: Buffer
    layout: StickLayout
    image: Image | str | None
    loops: frozenset[str]

    @property
    def lane_loops(self) -> frozenset[str]:
        """Loops that move the lane."""
        return self.image.lane_loops if isinstance(self.image, Image) else frozenset()

    @property
    def lanes(self) -> int:
        """Elements per stick."""
        return self.layout.device_size[-1]


class Case:
    """What all checks read.  `decided` names the fields of the plan that count; the rest is not looked at."""

    def __init__(self, problem: Problem, plan: Plan, decided: frozenset[str], complete: bool) -> None:
        self.problem, self.plan, self.complete = problem, plan, complete
        self.decided = decided
        self.program, self.device = problem.program, problem.device
        self.edit_faults = edit_faults(problem.program, plan) if "edits" in decided else {}
        edits = tuple(edit for number, edit in enumerate(plan.edits) if number not in self.edit_faults)
        self.schedule = expand(problem.program, replace(plan, edits=edits if "edits" in decided else ()))
        self.buffers = self.schedule.buffers
        self.layouts: dict[str, StickLayout] = {}
        self.layout_faults: dict[str, str] = {}
        self.divisions: dict[str, Division] = {}
        self.division_faults: dict[str, str] = {}
        self._slices: dict[tuple[object, ...], tuple[Domain, ...]] = {}
        self._images: dict[tuple[object, ...], Image | str | None] = {}
        self._boxes: dict[tuple[object, ...], tuple[Box | None, ...]] = {}
        self._sets: dict[tuple[object, ...], tuple[Elements, ...] | None] = {}
        self._operands: dict[str, tuple[Operand, ...] | None] = {}
        self._touching = _touching(self.schedule)
        self._own = frozenset(buffer.name for buffer in problem.program.buffers)
        self._returned = frozenset(output.buffer for output in problem.program.outputs)
        self.cores = min(plan.cores, self.device.cores) if whole(plan.cores, 1) else self.device.cores
        self._read_layouts()
        self._read_divisions()

    def _read_layouts(self) -> None:
        for name, buffer in self.buffers.items():
            if "layouts" not in self.decided or name not in self.plan.layouts:
                continue
            fault = layout_fault(buffer, self.plan.layouts[name], self.device, self._filler(buffer))
            if fault:
                self.layout_faults[name] = fault
            else:
                self.layouts[name] = self.plan.layouts[name]

    def _filler(self, buffer: Buffer) -> Filler:
        """A weight is laid out when it is loaded, unless an op writes it or the model returns it."""
        if buffer.kind is BufferKind.COMPUTED:
            return Filler.OP if buffer.name in self._own else Filler.COPY
        kept = buffer.name in self._returned or bool(self.writers(buffer.name))
        return Filler.HOST if kept or buffer.kind is BufferKind.INPUT else Filler.LOADED

    def _read_divisions(self) -> None:
        for step in self.steps:
            if "divisions" not in self.decided or step.name not in self.plan.divisions:
                continue
            fault = division_fault(step.op, self.plan.divisions[step.name], self.cores)
            if fault:
                self.division_faults[step.name] = fault
            else:
                self.divisions[step.name] = self.plan.divisions[step.name]

    @property
    def steps(self) -> tuple[Step, ...]:
        """Steps in order."""
        return self.schedule.steps

    @property
    def device_steps(self) -> Iterator[Step]:
        """Steps that run on the device."""
        return (step for step in self.steps if step.op.kind is not OpKind.OPAQUE)

    @property
    def slots(self) -> Iterator[tuple[str, Slot]]:
        """Buffers that the plan places in LX, if they exist."""
        if "placement" in self.decided:
            for name in self.buffers:
                placement: object = self.plan.placement.get(name)
                if isinstance(placement, Slot):
                    yield name, placement

    def placement(self, buffer: str) -> Placement | None:
        """The placement of a buffer, None if it is missing or no placement at all."""
        placement: object = self.plan.placement.get(buffer)
        return placement if isinstance(placement, Slot | Spilled) else None

    def writers(self, buffer: str) -> list[Step]:
        """Steps that write a buffer."""
        return self._touching[buffer][0]

    def readers(self, buffer: str) -> list[Step]:
        """Steps that read a buffer."""
        return self._touching[buffer][1]

    def operands(self, step: Step) -> tuple[Operand, ...] | None:
        """Operands of a step, its writes last; None if one of their layouts is missing or malformed."""
        if step.name not in self._operands:
            self._operands[step.name] = self._make_operands(step.op)
        return self._operands[step.name]

    def _make_operands(self, op: LoopOp) -> tuple[Operand, ...] | None:
        if any(access.buffer not in self.layouts for access in op.accesses):
            return None
        used = uses(op)
        reads = [
            self._operand(op, access, number, False, used[number], domain(op, number))
            for number, access in enumerate(op.reads)
        ]
        writes = [
            self._operand(op, access, number, True, Use.VALUE, full(op)) for number, access in enumerate(op.writes)
        ]
        return (*reads, *writes)

    def _operand(self, op: LoopOp, access: Access, number: int, write: bool, use: Use, ranges: Domain) -> Operand:
        masked = not write and op.masked(number)
        layout = self.layouts[access.buffer]
        key = (access.index, ranges, layout)
        if key not in self._images:
            self._images[key] = place(access.index, ranges, layout)
        image = self._images[key]
        buffer, loops = self.buffers[access.buffer], followed(op, access.index)
        return Operand(access, number, write, masked, use, ranges, buffer, layout, image, loops)

    def slices(self, step: Step) -> tuple[Domain, ...] | None:
        """Ranges of all loops on every core; None if the division is missing or malformed."""
        if step.name not in self.divisions:
            return None
        key = (step.op.loops, self.divisions[step.name])
        if key not in self._slices:
            self._slices[key] = slices(step.op, self.divisions[step.name])
        return self._slices[key]

    def boxes(self, step: Step, image: Image) -> tuple[Box | None, ...]:
        """Device coordinates an access touches on every core of the step, which must have a division."""
        key = (id(image), step.op.loops, self.divisions[step.name])
        if key not in self._boxes:
            self._boxes[key] = tuple(image.box(bounds) for bounds in self.slices(step) or ())
        return self._boxes[key]

    def elements(self, step: Step, index: Index, ranges: Domain) -> tuple[Elements, ...] | None:
        """What an access touches on every core of the step; None if that cannot be said."""
        cores = self.slices(step)
        if cores is None:
            return None
        key = (index, ranges, step.op.loops, self.divisions[step.name])
        if key not in self._sets:
            self._sets[key] = _per_core(index, ranges, cores)
        return self._sets[key]


def _touching(schedule: Schedule) -> dict[str, tuple[list[Step], list[Step]]]:
    """Writers and readers of every buffer, in order of steps."""
    touching: dict[str, tuple[list[Step], list[Step]]] = {name: ([], []) for name in schedule.buffers}
    for step in schedule.steps:
        for name in dict.fromkeys(access.buffer for access in step.op.writes):
            touching[name][0].append(step)
        for name in dict.fromkeys(access.buffer for access in step.op.reads):
            touching[name][1].append(step)
    return touching


def _per_core(index: Index, ranges: Domain, cores: tuple[Domain, ...]) -> tuple[Elements, ...] | None:
    found = []
    for bounds in cores:
        here = {name: (max(low, bounds[name][0]), min(high, bounds[name][1])) for name, (low, high) in ranges.items()}
        elements = accessed(index, here)
        if elements is None:
            return None
        found.append(elements)
    return tuple(found)
