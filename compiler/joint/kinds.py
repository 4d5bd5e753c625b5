"""Kinds: the menus of steps, shared by steps of equal structure.

Owns the divisions that a step may have, their views of its subjects and their bills, without those that another one
beats in every respect.  The division that stands comes first.  Refuses to choose.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from frozendict import frozendict

from compiler.cost.kernels import Draft
from compiler.cost.pricer import parts_of, pricer_of
from compiler.cost.setting import Setting
from compiler.device import Device
from compiler.division import Division
from compiler.division_menu import legal_divisions
from compiler.equal_divisions import cut_of
from compiler.joint.bills import Surroundings, bill_of
from compiler.joint.subjects import device_only
from compiler.joint.views import Views
from compiler.loops import OpKind
from compiler.plan import Plan
from compiler.schedule import Schedule, Step
from compiler.solvers.joint.problem import NOWHERE, Bill, Choice, Menu, Rates

ROUNDING_US = 1e-9
ELSEWHERE = frozenset({-1})
"""A set of places in LX that leaves out no operand, and yet is not empty."""


@dataclass(frozen=True, slots=True)
class Role:
    """What a step does with subjects: those that it reads and, last, the one that it writes, by name in order of
    operands; further `inputs` that never are in LX; and which of both its kernel loads once for several steps."""

    operands: tuple[str, ...]
    writes: int
    inputs: tuple[str, ...]
    shared: frozenset[str]


@dataclass(frozen=True, eq=False)
class Kind:
    """A menu and the divisions behind its choices."""

    menu: Menu
    divisions: tuple[Division, ...]


@dataclass(slots=True)
class Kinds:
    """Makes menus for the steps of one plan; `free` are steps that may be divided anew, `tied` those that may have to
    be cut like others, so that no way to cut them is left out."""

    plan: Plan
    schedule: Schedule
    setting: Setting
    free: frozenset[str]
    tied: frozenset[str] = frozenset()
    views: Views = field(default_factory=Views)
    _known: dict[object, Kind] = field(default_factory=dict)
    _menus: dict[object, tuple[Division, ...]] = field(default_factory=dict)

    @property
    def device(self) -> Device:
        """The target."""
        return self.setting.device

    def kind(self, step: Step, role: Role, around: Surroundings) -> Kind:
        """The kind of a step in its role."""
        pricer, names = pricer_of(step, self.schedule.buffers, self.plan.layouts, self.device)
        places = {name: place for place, name in enumerate(names)}
        present = self.plan.divisions.get(step.name, Division())
        free = step.name in self.free and step.op.kind is not OpKind.OPAQUE
        within = frozenset(place for name, place in places.items() if name in around.inside)
        barred = tuple(place != role.writes and device_only(step, name) for place, name in enumerate(role.operands))
        tied = tuple(tuple((places[name], name in role.shared) for name in t) for t in (role.operands, role.inputs))
        cut = step.name in self.tied
        key = (pricer, tied, role.writes, barred, within, around.lone, free, present, cut)
        if key not in self._known:
            divisions = (present, *self._menu(step, pricer)) if free else (present,)
            self._known[key] = self._made(step, role, around, barred, tuple(dict.fromkeys(divisions)))
        return self._known[key]

    def _menu(self, step: Step, pricer: object) -> tuple[Division, ...]:
        if pricer not in self._menus:
            found = legal_divisions(step, self.schedule, self.plan.layouts, self.device)
            self._menus[pricer] = tuple(sorted(found, key=preference))
        return self._menus[pricer]

    def _made(
        self, step: Step, role: Role, around: Surroundings, barred: tuple[bool, ...], divisions: Iterable[Division]
    ) -> Kind:
        rates = rates_of(self.device)
        kept: dict[object, list[tuple[Division, Choice]]] = {}
        for division in divisions:
            views = tuple(
                NOWHERE if barred[place] else self._view(step, name, place == role.writes, division)
                for place, name in enumerate(role.operands)
            )
            choice = Choice(views, self._bills(step, role, around, division))
            cut = cut_of(step.op, division, self.schedule.buffers) if step.name in self.tied else ()
            rivals = kept.setdefault((views, cut), [])
            if not any(_beats(rates, rival, choice) for _, rival in rivals):
                rivals.append((division, choice))
        table = {division: choice for rivals in kept.values() for division, choice in rivals}
        ordered = [division for division in dict.fromkeys(divisions) if division in table]
        return Kind(Menu(tuple(table[division] for division in ordered)), tuple(ordered))

    def _bills(self, step: Step, role: Role, around: Surroundings, division: Division) -> tuple[Bill, ...]:
        """A bill per set of operands in LX.  Of loads and stores a step only leaves out those that LX spares it; what
        else changes is whether any operand is in LX at all."""
        touched = (*role.operands, *role.inputs)
        shared = {name: place for place, name in enumerate(touched) if name in role.shared and place != role.writes}
        masks = range(1 << len(role.operands))
        near = [_with_copies(around, role, mask) for mask in masks]
        if step.edit is not None:
            return tuple(
                bill_of(self._draft(step, role, mask, division), self.device, near[mask], shared) for mask in masks
            )
        nothing = self._draft(step, role, 0, division)
        names = {name: place for place, name in enumerate(nothing.names)}
        anything = parts_of(nothing.pricer, division, ELSEWHERE, frozenset(), self.setting.form)
        found = [bill_of(nothing, self.device, around, shared)]
        for mask in masks[1:]:
            inside = {names[name] for place, name in enumerate(role.operands) if mask >> place & 1}
            parts = replace(
                anything,
                loads=tuple(load for load in anything.loads if load.place not in inside),
                stores=tuple(store for store in anything.stores if store.place not in inside),
            )
            parts = parts if parts.loads else replace(parts, copy=None)
            found.append(bill_of(replace(nothing, parts=parts), self.device, near[mask], shared))
        return tuple(found)

    def _draft(self, step: Step, role: Role, mask: int, division: Division) -> Draft:
        inside = frozenset(name for place, name in enumerate(role.operands) if mask >> place & 1)
        setting = replace(
            self.setting,
            resident=inside,
            outputs=frozenset(),
            loaded=frozendict(),
            divisions=frozendict({step.name: division}),
        )
        return setting.draft(step)

    def _view(self, step: Step, name: str, written: bool, division: Division) -> int:
        op, buffer, layout = step.op, self.schedule.buffers[name], self.plan.layouts[name]
        accesses = dict.fromkeys(one for one in (op.writes if written else op.reads) if one.buffer == name)
        seen = self.views.written if written else self.views.read
        found = {seen(op, access, buffer, layout, division) for access in accesses}
        return found.pop() if len(found) == 1 else NOWHERE


def _with_copies(around: Surroundings, role: Role, mask: int) -> Surroundings:
    """The kernel around a step with some operands in LX, where it loads those from outside itself."""
    inside = around.inside.union(name for place, name in enumerate(role.operands) if mask >> place & 1)
    return around if len(inside) == len(around.inside) else replace(around, inside=inside)


def rates_of(device: Device) -> Rates:
    """The common rates of device memory."""
    return Rates(device.number("hbm_one_way_bytes_per_ns"), device.number("hbm_turnaround_ns_per_byte"))


def preference(division: Division) -> tuple[int, int]:
    """More cores first; of equals 2 x 2 before 4 x 1 (facts 5.3)."""
    return -division.cores, sum(split.factor**2 for split in division.splits)


def _beats(rates: Rates, one: Choice, other: Choice) -> bool:
    """True if no sum of a kernel is lower with the other choice, whoever is in LX."""
    return all(_no_more(rates, mine, theirs) for mine, theirs in zip(one.bills, other.bills, strict=True))


def _no_more(rates: Rates, one: Bill, other: Bill) -> bool:
    pairs = zip(_sums(rates, one), _sums(rates, other), strict=True)
    return all(mine <= theirs + ROUNDING_US for mine, theirs in pairs) and _loads(one) == _loads(other)


def _sums(rates: Rates, bill: Bill) -> tuple[float, ...]:
    beyond = sum(max(load.delivery_us, load.burst_us) for load in bill.loads)
    read, written = (rates.memory_us(*pair) for pair in ((bill.read_bytes, 0), (0, bill.written_bytes)))
    return bill.compute_us, bill.fused_us, bill.memory_us + read, written, bill.serial_us, beyond


def _loads(bill: Bill) -> tuple[tuple[int, int, float], ...]:
    return tuple((load.operand, load.size_bytes, load.bytes_per_ns) for load in bill.loads)
