"""DivisionGround: what a choice of divisions costs as a whole, quickly enough to try thousands of changes.

Owns the sum that a search of divisions lowers: the time of every step, with a buffer that could be in LX priced as
there if every reader finds its part at home, and as in device memory otherwise.
Divisions are numbers in the menu of a step; who holds which part of a buffer is a number too, so that two steps meet
if their numbers are equal.  Refuses capacity, which is known only when addresses are given, and refuses to search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from compiler.coordinates import core_boxes
from compiler.cost.pricer import pricer_of
from compiler.cost.setting import kernels, setting_of
from compiler.division import Division
from compiler.division_menu import legal_divisions
from compiler.liveness import lifetimes
from compiler.loops import Access, OpKind
from compiler.plan import Plan, ReasonCode, Slot
from compiler.problem import Problem
from compiler.schedule import Step
from compiler.spaces import space_of
from compiler.splits import largest_first, matmul_roles, rank_matmul

OPEN = frozenset({ReasonCode.DIVISION_MISMATCH, ReasonCode.PARTIAL_SUMS, ReasonCode.LX_GAP})
"""Reasons that other divisions can take away."""

NOWHERE = -1
"""The view of a step that leaves or finds no whole part on its cores."""

At = Callable[[int], int]
"""Step number -> place of its division in its menu."""


@dataclass(slots=True, eq=False)
class Kind:
    """What steps of equal structure share: divisions, their times by the places of buffers that are at home, the order
    by time if all are, and views by place of the buffer (True: as written)."""

    number: int
    menu: tuple[Division, ...]
    order: tuple[int, ...]
    times: dict[frozenset[int], tuple[float, ...]] = field(default_factory=dict)
    views: dict[tuple[int, bool], tuple[int, ...]] = field(default_factory=dict)
    by_view: dict[tuple[int, bool], dict[int, tuple[int, ...]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shared:
    """A buffer that could be in LX: its writer and readers (number of the step, place of the buffer in it)."""

    name: str
    writer: tuple[int, int]
    readers: tuple[tuple[int, int], ...]

    @property
    def users(self) -> tuple[int, ...]:
        """Steps that touch it."""
        return (self.writer[0], *(number for number, _ in self.readers))


class DivisionGround:
    """The steps of a placed plan, the divisions each could have, and the buffers that tie them together."""

    def __init__(self, problem: Problem, placed: Plan, free: Iterable[str]) -> None:
        self.placed, self.device = placed, problem.device
        base = setting_of(problem, placed)
        self.schedule, self.steps = base.schedule, base.schedule.steps
        shared = self._shared()
        self._shared_names = frozenset(one.name for one in shared)
        self.setting = replace(base, resident=frozenset(base.resident | {one.name for one in shared}))
        allowed = frozenset(free)
        self.free = [step.name in allowed and step.op.kind is not OpKind.OPAQUE for step in self.steps]
        self.around: list[list[Shared]] = [[] for _ in self.steps]
        self.places: list[list[tuple[Shared, int]]] = [[] for _ in self.steps]
        for one in shared:
            for number, place in dict.fromkeys((one.writer, *one.readers)):
                self.places[number].append((one, place))
            for number in dict.fromkeys(one.users):
                self.around[number].append(one)
        self._views: dict[tuple[bytes, bytes], int] = {}
        self._kinds: dict[object, Kind] = {}
        self._menus: dict[object, tuple[Division, ...]] = {}
        runs = [run for _, run in kernels(placed, self.schedule)]
        around = [(run, (self.setting.written(run), len(run) == 1)) for run in runs]
        inside = {step: facts for run, facts in around for step in run}
        self._inside = inside
        self.kinds = [self._kind(step, *inside[step.name]) for step in self.steps]

    def present(self, number: int) -> int:
        """Place of the division that a step has in the plan."""
        return self.kinds[number].menu.index(self.placed.divisions.get(self.steps[number].name, Division()))

    def start(self, cores: int | None = None) -> list[int]:
        """Divisions to start from: those of the plan, or what the staged rule would do with fewer cores."""
        present = [self.present(number) for number in range(len(self.steps))]
        if cores is None:
            return present
        found = []
        for number, (step, kind) in enumerate(zip(self.steps, self.kinds, strict=True)):
            division = self._staged(step, cores) if self.free[number] else None
            found.append(kind.menu.index(division) if division in kind.menu else present[number])
        return found

    def _staged(self, step: Step, cores: int) -> Division:
        space, layouts = space_of(step.op, self.schedule, self.placed.layouts), self.placed.layouts
        roles = matmul_roles(space)
        if roles is None:
            return space.division(largest_first(space, cores))
        return space.division(rank_matmul(space, roles, layouts, self.device.with_cores(cores))[0].factors)

    def total_us(self, at: list[int]) -> float:
        """The sum: times of all steps with what is at home."""
        homes = self.homes(at)
        return sum(self.time(number, place, homes) for number, place in enumerate(at))

    def homes(self, at: list[int]) -> dict[str, bool]:
        """Which buffers are at home."""
        shared = {one.name: one for around in self.around for one in around}
        return {name: self.at_home(one, at.__getitem__) for name, one in shared.items()}

    def time(self, number: int, division: int, homes: Mapping[str, bool]) -> float:
        """Time of a step under a division with these buffers at home."""
        kind = self.kinds[number]
        home = frozenset(place for one, place in self.places[number] if homes[one.name])
        known = kind.times.get(home)
        if known is None:
            known = kind.times[home] = self._times(number, home)
        return known[division]

    def _times(self, number: int, home: frozenset[int]) -> tuple[float, ...]:
        step = self.steps[number]
        away = {one.name for one, place in self.places[number] if place not in home}
        setting = replace(self.setting, resident=self.setting.resident - away)
        inside, lone = self._inside[step.name]
        costs = setting.menu(step, self.kinds[number].menu, inside, lone, self.device.number("joint_overlap"))
        return tuple(cost.total_us for cost in costs)

    def _shared(self) -> list[Shared]:
        lives = lifetimes(self.schedule)
        found = []
        for name, place in self.placed.placement.items():
            life = lives[name]
            movable = isinstance(place, Slot) or place.code in OPEN
            if not movable or not life.computed or len(life.writes) != 1 or not life.reads:
                continue
            users = (life.writes[0], *life.reads)
            if any(self.steps[number].op.kind is OpKind.OPAQUE for number in users):
                continue
            size = self.placed.layouts[name].size_bytes
            if size > self.device.lx_budget_bytes * self.device.cores:
                continue
            placed = [(number, self._place(number, name)) for number in users]
            found.append(Shared(name, placed[0], tuple(placed[1:])))
        return found

    def _place(self, number: int, buffer: str) -> int:
        op = self.steps[number].op
        return op.touched.index(buffer)

    # Steps

    def _kind(self, step: Step, inside: frozenset[str], lone: bool) -> Kind:
        pricer, names = pricer_of(step, self.schedule.buffers, self.placed.layouts, self.device)
        resident = frozenset(place for place, name in enumerate(names) if name in self.setting.resident)
        silent = frozenset(place for place in resident if names[place] not in self.setting.outputs)
        within = frozenset(place for place, name in enumerate(names) if name in inside)
        present = self.placed.divisions.get(step.name, Division())
        if pricer not in self._menus:
            self._menus[pricer] = legal_divisions(step, self.schedule, self.placed.layouts, self.device)
        menu = tuple(dict.fromkeys((*self._menus[pricer], present)))
        tied = frozenset(place for place, name in enumerate(names) if name in self._shared_names)
        key = (id(pricer), resident, silent, tied, within, lone, len(menu), menu[-1])
        if key not in self._kinds:
            overlap = self.device.number("joint_overlap")
            costs = self.setting.menu(step, menu, inside, lone, overlap)
            times = tuple(cost.total_us for cost in costs)
            order = sorted(range(len(menu)), key=lambda place: (round(times[place], 6), -menu[place].cores, place))
            self._kinds[key] = Kind(len(self._kinds), menu, tuple(order), {tied: times})
        return self._kinds[key]

    # Buffers

    def view(self, number: int, place: int, written: bool, division: int) -> int:
        """Who holds which part of a buffer that a step writes or reads, as a number; NOWHERE if that is no whole."""
        kind = self.kinds[number]
        known = kind.views.get((place, written))
        if known is None:
            known = tuple(self._view(self.steps[number], place, written, one) for one in kind.menu)
            kind.views[place, written] = known
        return known[division]

    def with_view(self, number: int, place: int, written: bool, view: int) -> tuple[int, ...]:
        """Divisions of a step that have this view, the quickest first."""
        kind = self.kinds[number]
        key = (place, written)
        if key not in kind.by_view:
            table: dict[int, list[int]] = {}
            for division in kind.order:
                table.setdefault(self.view(number, place, written, division), []).append(division)
            kind.by_view[key] = {one: tuple(divisions) for one, divisions in table.items()}
        return kind.by_view[key].get(view, ())

    def _view(self, step: Step, place: int, written: bool, division: Division) -> int:
        op = step.op
        name = op.touched[place]
        accesses = dict.fromkeys(one for one in (op.writes if written else op.reads) if one.buffer == name)
        found = {self._seen(step, access, division, written) for access in accesses}
        return found.pop() if len(found) == 1 else NOWHERE

    def _seen(self, step: Step, access: Access, division: Division, written: bool) -> int:
        buffer, layout = self.schedule.buffers[access.buffer], self.placed.layouts[access.buffer]
        boxes = core_boxes(step.op, access, buffer, layout, division)
        if not boxes.exact.all():
            return NOWHERE
        if written:
            reduced = {loop.name for loop in step.op.reduction_loops}
            total = layout.sticks * layout.elements_per_stick
            whole = bool((boxes.size == boxes.size[0]).all()) and int(boxes.size.prod(axis=1).sum()) == total
            split = any(one.loop in reduced for one in division.splits)
            if split or not whole or int(boxes.bytes.max()) > self.device.lx_budget_bytes:
                return NOWHERE
        return self._views.setdefault((boxes.start.tobytes(), boxes.size.tobytes()), len(self._views))

    def at_home(self, one: Shared, at: At) -> bool:
        """True if every reader finds its part of a buffer on its own core."""
        number, place = one.writer
        left = self.view(number, place, True, at(number))
        if left == NOWHERE:
            return False
        return all(self.view(number, place, False, at(number)) == left for number, place in one.readers)


def free_steps(plan: Plan, steps: Iterable[Step]) -> frozenset[str]:
    """Steps whose division no pin has decided."""
    return frozenset(
        step.name for step in steps if not plan.reasons.get(f"division:{step.name}", "").startswith("pinned")
    )
