"""Remedies: what would let pins that clash be kept, each tried on the same question before it is named.

Owns the trials: another division where a pin fixes one, more cores, a relayout.  Refuses to name what does not help.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from frozendict import frozendict

from compiler.copy_cuts import copy_cut, reader_cut
from compiler.device import Device, device_names, load_device
from compiler.division import Division
from compiler.division_menu import legal_divisions
from compiler.joint.ground import Ground
from compiler.joint.kinds import preference
from compiler.joint.subjects import device_only
from compiler.plan import EditKind
from compiler.problem import Problem
from compiler.relayouts import edge_fault, is_product, ring_fault
from compiler.schedule import Step
from compiler.solvers.joint.demands import Asked
from compiler.solvers.joint.problem import DEVICE, NOWHERE, Bill, Choice, Copy, Item, Menu, Task
from compiler.solvers.joint.seating import Seating

NAMED = 3
"""So many names at most in a row."""

Menus = dict[int, tuple[Division, ...]]
"""Tasks of the part that may be divided in other ways than in the ground, and these."""


@dataclass(slots=True)
class Remedies:
    """Tries what would help `asked`, demands that cannot be met together; steps of `free` are divided by no pin."""

    problem: Problem
    ground: Ground
    free: frozenset[str]
    moves: bool
    asked: Asked

    def found(self, keys: Sequence[str], room: bool) -> str:
        """`Divide a by m 8, use 8 cores or unpin placement:b`; empty if nothing helps.  The last of the keys is the pin
        that is refused; `room`: there is not enough of that."""
        advice = [*self._divisions(), *(self._cores() if room else self._ring())]
        others = list(keys[:-1])
        if others:
            advice.append(f"unpin {listed(others[:NAMED], 'or')}")
        if not advice:
            return ""
        text = listed(advice, "or")
        return text[0].upper() + text[1:]

    # Other divisions

    def _divisions(self) -> Iterator[str]:
        """Another division of one op that a pin divides, or of all of them."""
        fixed = [number for number in self._in_order() if self._name(number) not in self.free and self._loose(number)]
        tried: Iterable[list[int]] = [[one] for one in fixed] + ([fixed] if len(fixed) > 1 else [])
        for numbers in tried:
            chosen = self._fewest(numbers)
            if chosen:
                by_division: dict[Division, list[str]] = {}
                for one, division in chosen.items():
                    by_division.setdefault(division, []).append(self._name(one))
                yield "divide " + ", and ".join(f"{listed(names)} by {one}" for one, names in by_division.items())
                return

    def _fewest(self, numbers: list[int]) -> dict[int, Division]:
        """Other divisions of as few of these tasks as will do; none if they will not do."""
        chosen = self._tried(numbers, self.problem.device)
        for one in list(chosen) if len(chosen) > 1 else ():
            fewer = self._tried([other for other in chosen if other != one], self.problem.device)
            chosen = fewer or chosen
        return {one: division for one, division in chosen.items() if division != self._present(one)}

    def _in_order(self) -> list[int]:
        """Tasks of the part: those that write what is asked for, then the others."""
        writers = [item.writer for item in self.asked.problem.items if item.writer >= 0]
        return list(dict.fromkeys([*writers, *range(len(self.asked.tasks))]))

    def _loose(self, number: int) -> bool:
        """True if no demand ties a task, whose other divisions would have to be tied then."""
        return not any(demand.tie is not None and number in demand.tie.tasks for demand in self.asked.demands)

    def _cores(self) -> Iterator[str]:
        """More cores, where the device has some that are not used."""
        able = [n for n in range(len(self.asked.tasks)) if self._name(n) in self.free and self._loose(n)]
        for device in larger(self.problem.device) if able else ():
            if self._tried(able, device):
                yield use(device, self.problem.device)
                return

    def _tried(self, numbers: Sequence[int], device: Device) -> dict[int, Division]:
        """Divisions under which the demands can be met if these tasks may have any; none if they cannot."""
        part, menus = self._opened(numbers, device)
        answer = Seating(part).found(range(len(part.demands)))
        return {} if answer is None else {one: menus[one][answer.choices[one]] for one in numbers}

    def _opened(self, numbers: Sequence[int], device: Device) -> tuple[Asked, Menus]:
        """The part in which some tasks have every division that is legal."""
        part, menus = self.asked.problem, Menus()
        tasks, items = list(part.tasks), list(part.items)
        for number in numbers:
            step, task = self._step(number), part.tasks[number]
            legal = legal_divisions(step, self.ground.schedule, self.ground.plan.layouts, device)
            by_views: dict[tuple[int, ...], Division] = {}
            for division in sorted(legal, key=preference):
                by_views.setdefault(self._views(step, task, division), division)
            menus[number] = tuple(by_views.values())
            tasks[number] = replace(task, menu=_menu(by_views))
            for place, item in enumerate(task.operands):
                wanted = {views[place]: division for views, division in by_views.items()}
                items[item] = self._reached(items[item], number, place == task.writes, wanted)
        opened = replace(part, tasks=tuple(tasks), items=tuple(items))
        return replace(self.asked, problem=opened), menus

    def _views(self, step: Step, task: Task, division: Division) -> tuple[int, ...]:
        return tuple(
            self._view(step, self.asked.problem.items[item].name, place == task.writes, division)
            for place, item in enumerate(task.operands)
        )

    def _view(self, step: Step, name: str, written: bool, division: Division) -> int:
        if device_only(step, name):
            return NOWHERE
        buffer, layout = self.ground.schedule.buffers[name], self.ground.plan.layouts[name]
        seen = self.ground.views.written if written else self.ground.views.read
        accesses = dict.fromkeys(one for one in (step.op.writes if written else step.op.reads) if one.buffer == name)
        found = {seen(step.op, access, buffer, layout, division) for access in accesses}
        return found.pop() if len(found) == 1 else NOWHERE

    def _reached(self, item: Item, number: int, written: bool, views: dict[int, Division]) -> Item:
        """An item that a task may leave, or need, under other views."""
        if written:
            return self._with_feet(item, self._step(number), views)
        return self._with_clones(item, number, views) if item.writer < 0 else item

    def _with_clones(self, item: Item, number: int, views: dict[int, Division]) -> Item:
        """An item from device memory with a clone for every other view of a reader that one can give it."""
        buffer, layout = self.ground.schedule.buffers[item.name], self.ground.plan.layouts[item.name]
        known = {copy.view for copy in item.copies if number in copy.readers}
        found = list(item.copies)
        for view, division in views.items():
            size = self.ground.views.bytes_per_core(view) if view != NOWHERE else 0
            if view in known or view == NOWHERE or size > self.problem.device.lx_budget_bytes or not self.moves:
                continue
            if reader_cut(self._step(number).op, buffer, layout, division) is not None:
                bills = frozendict({DEVICE: Bill()})
                found.append(Copy(EditKind.CLONE_IN, view, size, number, (number,), bills))
        return replace(item, copies=tuple(found))

    def _with_feet(self, item: Item, step: Step, views: dict[int, Division]) -> Item:
        """An item with what it takes under other views, of those that fit and that a clone-out can carry away."""
        buffer, layout = self.ground.schedule.buffers[item.name], self.ground.plan.layouts[item.name]
        feet = dict(item.feet)
        for view, division in views.items():
            size = self.ground.views.bytes_per_core(view) if view != NOWHERE else 0
            if view in feet or view == NOWHERE or size > self.problem.device.lx_budget_bytes:
                continue
            if copy_cut(step.op, step.op.write, buffer, layout, division, replicated=False) is not None:
                feet[view] = size
        return replace(item, feet=frozendict(feet))

    # Relayouts

    def _ring(self) -> Iterator[str]:
        """A relayout of the only buffer that is asked for, where none may be made as things are."""
        part = self.asked.problem
        if len(self.asked.demands) > 1 or self.asked.demands[0].tie is not None:
            return
        item = part.items[self.asked.demands[0].item]
        banned = self.problem.pins.relayout.get(item.name) == "none"
        if (
            item.writer < 0
            or any(one.kind is EditKind.RELAYOUT for one in item.copies)
            or not (banned or not self.moves)
        ):
            return
        if any(self._carries(item, reader) for reader in item.readers):
            yield f"unpin relayout:{item.name}" if banned else "let it go over the ring (moves=yes)"

    def _carries(self, item: Item, reader: int) -> bool:
        """True if the ring can carry an item from where its writer may leave it to where a reader may need it."""
        device, layout = self.problem.device, self.ground.plan.layouts[item.name]
        ends = self._step(item.writer), self._step(reader)
        if edge_fault(device, layout, item.name, ends, self.ground.schedule.buffers):
            return False
        boxes, product = self.ground.views.boxes, is_product(ends[1])
        number = self.asked.demands[0].item
        needed = [view for view in self._needed(reader, number) if view != NOWHERE]
        return any(
            not ring_fault(device, layout, boxes[left], boxes[view], product) for left in item.feet for view in needed
        )

    def _needed(self, task: int, item: int) -> Iterable[int]:
        place = self.asked.problem.places[task].get(item)
        return () if place is None else self.asked.problem.tasks[task].menu.by_view[place]

    # Names

    def _step(self, number: int) -> Step:
        return self.ground.schedule.steps[self.asked.tasks[number]]

    def _name(self, number: int) -> str:
        return self.asked.problem.tasks[number].name

    def _present(self, number: int) -> Division:
        return self.ground.kinds[self.asked.tasks[number]].divisions[0]


def larger(device: Device) -> Iterator[Device]:
    """The same device with more and more of its cores."""
    whole, cores = load_device(device.name).cores if device.name in device_names() else 0, device.cores
    while cores < whole:
        cores = min(2 * cores, whole)
        yield device.with_number("cores", cores)


def use(device: Device, present: Device) -> str:
    """That a device with more cores would do."""
    return f"use {device.cores} cores instead of {present.cores}"


def tiles(device: Device, names: Sequence[str]) -> str:
    """What is left where no division and no number of cores makes something small enough."""
    *_, most = (device, *larger(device))
    where = "On 1 core" if most.cores == 1 else f"Even spread over all {most.cores} cores"
    pieces = f"compute {listed(few(names), 'or')} in pieces, one after the other"
    return f"{where} it does not fit: the model would have to {pieces}"


def cores_for(problem: Problem, ground: Ground, writer: int, name: str) -> str:
    """`Use 8 cores instead of 4` if a buffer then has room in LX by itself; empty if no number of cores helps."""
    step, layouts = ground.schedule.steps[writer], ground.plan.layouts
    for device in larger(problem.device):
        legal = legal_divisions(step, ground.schedule, layouts, device)
        buffer, layout = ground.schedule.buffers[name], layouts[name]
        views = [ground.views.written(step.op, step.op.write, buffer, layout, division) for division in legal]
        if any(view != NOWHERE and ground.views.bytes_per_core(view) <= ground.problem.capacity for view in views):
            return use(device, problem.device).capitalize()
    return ""


def listed(names: Sequence[str], word: str = "and") -> str:
    """Names in a row.

    >>> listed(["a", "b", "c"], "or")
    'a, b or c'
    """
    return f"{', '.join(names[:-1])} {word} {names[-1]}" if len(names) > 1 else "".join(names)


def few(names: Sequence[str]) -> list[str]:
    """The first names, and how many more there are."""
    return [*names[:NAMED], *([f"{len(names) - NAMED} more"] if len(names) > NAMED else [])]


def _menu(rows: Iterable[tuple[int, ...]]) -> Menu:
    return Menu(tuple(Choice(views, (Bill(),) * (1 << len(views))) for views in rows))
