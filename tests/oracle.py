"""A second opinion on the checker: runs a plan on dictionaries, element by element, and reports what goes wrong.

Owns the memories (device memory as sets of written elements, each core's LX as sticks with the name of every element)
and the walk through the schedule.  Simple and slow, for programs of a few thousand points.  Refuses to reason: a plan
is good here if every element read is really there, and every result is written once.
"""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from compiler.division import Division
from compiler.layout import StickLayout
from compiler.loops import Access, BufferKind, LoopOp, OpKind
from compiler.plan import EditKind, Plan, Slot
from compiler.problem import Problem
from compiler.schedule import Schedule, Step, expand
from tests.oracle_lanes import lane_faults
from tests.oracle_zeros import right_of, zero_faults
from tests.points import Ranges, Values, offsets, points, reading

STICK = 128
Array = NDArray[np.int64]


def judge(problem: Problem, plan: Plan) -> list[str]:
    """What goes wrong when the plan is carried out; [] if nothing does."""
    machine = Machine(problem, plan, expand(problem.program, plan))
    for step in machine.schedule.steps:
        machine.run(step)
    machine.finish()
    return list(machine.faults)


def core_ranges(op: LoopOp, division: Division) -> list[dict[str, tuple[int, int]]]:
    """Range of every loop on every core: the first split changes fastest."""
    steps = {split.loop: split.step for split in division.splits}
    result = []
    for core in range(division.cores):
        place, slots = core, {}
        for split in division.splits:
            slots[split.loop] = place % split.factor
            place //= split.factor
        low = {loop.name: slots.get(loop.name, 0) * steps.get(loop.name, 0) for loop in op.loops}
        result.append(
            {
                loop.name: (low[loop.name], min(low[loop.name] + steps.get(loop.name, loop.extent), loop.extent))
                for loop in op.loops
            }
        )
    return result


def writes_result(op: LoopOp, division: Division, ranges: Ranges) -> bool:
    """True for the core on which the partial results of its group end: that with the last part of reduced loops."""
    reduced = {loop.name: loop.extent for loop in op.reduction_loops}
    return all(ranges[split.loop][1] == reduced[split.loop] for split in division.splits if split.loop in reduced)


@dataclass
class Held:
    """One stick of one core's LX: whose it is, and which element is in which lane."""

    buffer: str
    lanes: dict[int, int] = field(default_factory=dict)


@dataclass
class Machine:
    """Memories while a plan runs."""

    problem: Problem
    plan: Plan
    schedule: Schedule
    faults: dict[str, None] = field(default_factory=dict)
    hbm: dict[str, set[int]] = field(default_factory=dict)
    lx: dict[tuple[int, int], Held] = field(default_factory=dict)
    boxes: dict[tuple[str, int], tuple[Array, Array]] = field(default_factory=dict)
    written: dict[str, Counter[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, buffer in self.schedule.buffers.items():
            filled = buffer.kind is not BufferKind.COMPUTED
            if self.plan.layouts[name].padding and self.slot(name):
                self.fault(f"nobody writes the zeros of {name} into LX")
            self.hbm[name] = self.elements(name) if filled else set()
            self.written[name] = Counter()

    def fault(self, sentence: str) -> None:
        """Remember what went wrong."""
        self.faults.setdefault(sentence)

    def elements(self, name: str) -> set[int]:
        """All offsets of a buffer."""
        buffer = self.schedule.buffers[name]
        total = np.zeros(1, dtype=np.int64)
        for size, stride in zip(buffer.shape, buffer.strides, strict=True):
            total = (total[:, None] + np.arange(size) * stride).ravel()
        return set(total.tolist())

    def slot(self, name: str) -> Slot | None:
        """The place in LX, None for device memory."""
        placement = self.plan.placement[name]
        return placement if isinstance(placement, Slot) else None

    def run(self, step: Step) -> None:
        """One step on all cores."""
        if step.op.kind is OpKind.OPAQUE:
            self._opaque(step.op)
            return
        self._beyond(step.op)
        division = self.plan.divisions[step.name]
        sticks: dict[tuple[int, ...], int] = {}
        if step.edit is not None and step.edit.kind is EditKind.RELAYOUT:
            self._relayout(step, division, sticks)
            return
        for core, ranges in enumerate(core_ranges(step.op, division)):
            values = points(step.op, ranges)
            if len(values[""]) == 0:
                continue
            for sentence in lane_faults(step, self.plan, values):
                self.fault(sentence)
            self._core(step, core, values, writes_result(step.op, division, ranges), sticks)

    def _beyond(self, op: LoopOp) -> None:
        """A contraction finds zeros where it reads on behind its last row."""
        if op.kind in (OpKind.MATMUL, OpKind.CONV):
            for sentence in zero_faults(op, self.plan, right_of(op), self.elements(right_of(op).buffer)):
                self.fault(sentence)

    def _opaque(self, op: LoopOp) -> None:
        """Runs on the host, on device memory; what the cores held is lost."""
        for read in op.reads:
            if self.slot(read.buffer) or self.hbm[read.buffer] != self.elements(read.buffer):
                self.fault(f"{op.name} does not find {read.buffer} in device memory")
        for write in op.writes:
            if self.slot(write.buffer):
                self.fault(f"{op.name} cannot write {write.buffer} into LX")
            self.hbm[write.buffer] = self.elements(write.buffer)
            self.written[write.buffer].update(self.hbm[write.buffer])
        self.lx.clear()

    def _core(self, step: Step, core: int, values: Values, result: bool, sticks: dict[tuple[int, ...], int]) -> None:
        op = step.op
        for number, read in enumerate(op.reads):
            if self.slot(read.buffer) is None:
                happens = reading(op, number, values)
                missing = set(offsets(op, read, values)[happens].tolist()) - self.hbm[read.buffer]
                if missing:
                    self.fault(
                        f"{op.name} reads elements of {read.buffer} that are not written, such as {min(missing)}"
                    )
        write = op.write
        target = offsets(op, write, values)
        if result:
            self._note_writes(step, core, write, target, sticks)
        if not any(self.slot(access.buffer) for access in (*op.reads, write)):
            return
        if op.reduction_loops or not result:
            self._read_lx(op, core, values, np.arange(len(target)))
            if result:
                self._write_lx(op, core, write, target)
            return
        registers = self.plan.layouts[write.buffer].coordinates(target)[:-1].T
        order, group = np.unique(registers, axis=0, return_inverse=True)
        for number in range(len(order)):  # stick by stick: what is written in place has been read just before
            part = np.flatnonzero(group.ravel() == number)
            self._read_lx(op, core, values, part)
            self._write_lx(op, core, write, target[part])

    def _relayout(self, step: Step, division: Division, sticks: dict[tuple[int, ...], int]) -> None:
        """Over the ring: nobody knows which core writes first, so that all write before any of them reads."""
        op = step.op
        (read,), write = op.reads, op.write
        wanted = [offsets(op, write, points(op, ranges)) for ranges in core_ranges(op, division)]
        if self.slot(read.buffer) is None or self.slot(write.buffer) is None:
            self.fault(f"{op.name} is to go from LX to LX")
            return
        for core, target in enumerate(wanted):
            self._note_writes(step, core, write, target, sticks)
            self._write_lx(op, core, write, target)
        for core, target in enumerate(wanted):
            for offset in target.tolist():
                others = [other for name, other in self.boxes if name == read.buffer and other != core]
                if not any(self._holds(read.buffer, other, offset) for other in (core, *others)):
                    self.fault(f"{op.name}: no core has element {offset} of {read.buffer} for core {core}")

    def _holds(self, name: str, core: int, offset: int) -> bool:
        """True if a core has an element of a buffer where its box says."""
        for address, lane in self._places(name, core, np.array([offset])):
            held = self.lx.get((core, address))
            return held is not None and held.buffer == name and held.lanes.get(lane) == offset
        return False

    def _note_writes(
        self, step: Step, core: int, write: Access, target: Array, sticks: dict[tuple[int, ...], int]
    ) -> None:
        """Count what this core writes; set up its box in LX, or see that nobody else writes its sticks."""
        name, layout = write.buffer, self.plan.layouts[write.buffer]
        once = np.unique(target) if step.op.reduction_loops else target
        self.written[name].update(once.tolist())
        coordinates = layout.coordinates(once)
        if self.slot(name) is None:
            self.hbm[name].update(once.tolist())
            for stick in {tuple(column) for column in coordinates[:-1].T.tolist()}:
                if sticks.setdefault(stick, core) != core:
                    self.fault(f"{step.name}: cores {sticks[stick]} and {core} write one stick of {name}")
            return
        low, high = coordinates.min(axis=1), coordinates.max(axis=1)
        low[-1], high[-1] = 0, layout.device_size[-1] - 1
        self.boxes[name, core] = (low, high - low + 1)

    def _places(self, name: str, core: int, where: Array) -> list[tuple[int, int]]:
        """Stick address and lane in one core's LX of some elements; [] if the core has no box of the buffer."""
        slot, layout = self.slot(name), self.plan.layouts[name]
        assert slot is not None
        if (name, core) not in self.boxes:
            return []
        low, size = self.boxes[name, core]
        coordinates = layout.coordinates(where) - low[:, None]
        if bool(np.any(coordinates < 0) or np.any(coordinates >= size[:, None])):
            return []
        position = np.zeros(len(where), dtype=np.int64)
        for dim in range(len(size) - 1):
            position = position * size[dim] + coordinates[dim]
        last = int(position.max()) * STICK + STICK
        if last > slot.size_bytes or slot.address + last > self.problem.device.lx_budget_bytes:
            self.fault(f"{name} needs {last} bytes at {slot.address}, beyond its slot or the budget")
        if slot.address % STICK or slot.address < 0:
            self.fault(f"{name} is not on a stick")
        return list(zip((slot.address + position * STICK).tolist(), coordinates[-1].tolist(), strict=True))

    def _read_lx(self, op: LoopOp, core: int, values: Values, part: NDArray[np.intp]) -> None:
        here = {name: value[part] for name, value in values.items()}
        for number, read in enumerate(op.reads):
            if self.slot(read.buffer) is None:
                continue
            where = np.unique(offsets(op, read, here)[reading(op, number, here)])
            places = self._places(read.buffer, core, where)
            if len(places) != len(where):
                self.fault(f"{op.name}: core {core} holds nothing or other elements of {read.buffer}")
                continue
            for (address, lane), offset in zip(places, where.tolist(), strict=True):
                held = self.lx.get((core, address))
                if held is None or held.buffer != read.buffer or held.lanes.get(lane) != offset:
                    there = held.buffer if held else "nothing"
                    self.fault(f"{op.name}: core {core} finds {there} instead of {read.buffer} at {address}")

    def _write_lx(self, op: LoopOp, core: int, write: Access, target: Array) -> None:
        if self.slot(write.buffer) is None:
            return
        for (address, lane), offset in zip(self._places(write.buffer, core, target), target.tolist(), strict=True):
            held = self.lx.get((core, address))
            if held is None or held.buffer != write.buffer:
                held = self.lx[core, address] = Held(write.buffer)
            held.lanes[lane] = offset

    def finish(self) -> None:
        """Every element once, or as often as it has replicas, at a place of its own; outputs on the host's side."""
        replicas = {edit.target: edit.replicas for edit in self.plan.edits}
        for name, buffer in self.schedule.buffers.items():
            fault = position_fault(self.plan.layouts[name], self.elements(name))
            if fault:
                self.fault(f"{name}: {fault}")
            times = replicas.get(name, 1)
            wanted = Counter(dict.fromkeys(self.elements(name), times))
            if buffer.kind is BufferKind.COMPUTED and self.written[name] != wanted:
                self.fault(f"{name} is not written exactly {'once' if times == 1 else times}")
        for output in self.schedule.outputs:
            if self.hbm[output.buffer] != self.elements(output.buffer):
                self.fault(f"output {output.name} is not in device memory")


def position_fault(layout: StickLayout, elements: set[int]) -> str:
    """Why a layout does not give each element a place of its own; '' if it does."""
    where = layout.positions(np.array(sorted(elements), dtype=np.int64))
    inside = bool(np.all(where >= 0) and np.all(where < layout.sticks * layout.elements_per_stick))
    return "" if inside and len(np.unique(where)) == len(elements) else "two elements share a place or lie outside"
