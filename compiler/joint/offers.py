"""Offers: the moves that a joint problem may choose from, each with its bill and the division of its copy.

Owns which copies are worth offering: clone-ins of buffers in device memory for views that several readers share, and
relayouts for edges on which writer and reader want different views, the cheapest destinations of each edge.  Refuses
what no copy can express and what the ring cannot carry (`compiler.relayouts`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from frozendict import frozendict

from compiler.copy_cuts import Cut, reader_cut
from compiler.cost.setting import Setting
from compiler.division import Division
from compiler.joint.bills import Surroundings, bill_of
from compiler.joint.kinds import Kind, Kinds
from compiler.joint.subjects import Subject
from compiler.pins import Pins
from compiler.plan import Edit, EditKind, Plan
from compiler.relayouts import edge_fault, is_product, relayout_time_us, ring_fault
from compiler.schedule import Schedule, Step, copy_op
from compiler.solvers.joint.problem import DEVICE, NOWHERE, Bill, Copy, Task

COPIED = "@copy"
SHARED_BY = 2
"""Readers that make a load into LX worth it."""
OFFERED = 4
"""Destinations that are offered per edge (facts 5.5)."""
SHORT = 80
LOOKED_AT, LOOKED_AT_LONG = 24, 8
"""Views of the writer that a relayout may start from, and of each reader that it may go to, those of the quickest
divisions: in programs of up to SHORT steps, and in longer ones."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A copy and the division under which its step makes it."""

    copy: Copy
    division: Division


@dataclass(slots=True)
class Offers:
    """Makes offers for the subjects of one plan; none without `moves`.  `operands` are the names of those of each step,
    `pins` say which relayouts are not wanted, and what is loaded into LX for a single reader too."""

    kinds: Kinds
    setting: Setting
    plan: Plan
    moves: bool
    operands: tuple[tuple[str, ...], ...]
    pins: Pins
    _outs: dict[object, Bill] = field(default_factory=dict)
    _known: dict[object, tuple[Offer, ...]] = field(default_factory=dict)
    _carries: dict[object, Bill | None] = field(default_factory=dict)

    @property
    def _looked_at(self) -> int:
        return LOOKED_AT if len(self.operands) <= SHORT else LOOKED_AT_LONG

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

    def of(self, one: Subject, tasks: tuple[Task, ...], kinds: tuple[Kind, ...]) -> tuple[Offer, ...]:
        """The offers for a subject, clone-ins first; those of equal edges are made once."""
        if not self.moves:
            return ()
        first = one.writer if one.writer >= 0 else one.readers[0]
        ends = (one.writer - first, *(reader - first for reader in one.readers))
        touching = (*((one.writer,) if one.writer >= 0 else ()), *one.readers)
        own = tuple((id(kinds[number]), self._place(one, number)) for number in touching)
        products = tuple(self.setting.schedule.steps[reader].edit is None for reader in one.readers)
        key = (one.writer < 0, ends, own, products, self._ring(one), self._shared_by(one))
        if key not in self._known:
            made = (*self._clones(one, kinds), *self._relayouts(one, tasks, kinds))
            self._known[key] = tuple(_shifted(offer, -first) for offer in made)
        return tuple(_shifted(offer, first) for offer in self._known[key])

    def _place(self, one: Subject, number: int) -> int:
        return self.operands[number].index(one.buffer)

    def _ring(self, one: Subject) -> bool:
        return self.pins.relayout.get(one.buffer) != "none"

    def _shared_by(self, one: Subject) -> int:
        """Readers that make a load into LX worth it: a single one if a pin wants an input there."""
        return 1 if one.writer < 0 and self.pins.placement.get(one.buffer) == "lx" else SHARED_BY

    def _cuts(self, one: Subject, reader: int, kinds: tuple[Kind, ...]) -> dict[int, tuple[Cut, float]]:
        """The views under which a copy can serve a reader: how it is cut, and the time of the quickest choice."""
        step, kind = self.setting.schedule.steps[reader], kinds[reader]
        if step.edit is not None:
            return {}
        place = self._place(one, reader)
        buffer, layout = self.setting.schedule.buffers[one.buffer], self.plan.layouts[one.buffer]
        found: dict[int, tuple[Cut, float]] = {}
        for choice, division in zip(kind.menu.choices, kind.divisions, strict=True):
            view, time = choice.views[place], _time(choice.bills[-1])
            if view == NOWHERE or (view in found and found[view][1] <= time):
                continue
            cut = found[view][0] if view in found else reader_cut(step.op, buffer, layout, division)
            if cut is not None and self.kinds.views.bytes_per_core(view) <= self.setting.device.lx_budget_bytes:
                found[view] = cut, time
        return found

    def _clones(self, one: Subject, kinds: tuple[Kind, ...]) -> list[Offer]:
        """Loads into LX for views that several readers share, of as many readers and as little time as can be."""
        least = self._shared_by(one)
        if len(one.readers) < least:
            return []
        cuts = {reader: self._cuts(one, reader, kinds) for reader in one.readers}
        served: dict[int, list[int]] = {}
        for reader, table in cuts.items():
            for view in table:
                served.setdefault(view, []).append(reader)
        ranked = sorted(
            (-len(readers), sum(cuts[reader][view][1] for reader in readers), view)
            for view, readers in served.items()
            if len(readers) >= least
        )
        return [self._clone(one, view, served[view], cuts[served[view][0]][view][0]) for _, _, view in ranked[:OFFERED]]

    def _clone(self, one: Subject, view: int, readers: list[int], cut: Cut) -> Offer:
        bill = self._bill(one, EditKind.CLONE_IN, cut.division, cut.replicas, frozenset({COPIED}))
        foot = self.kinds.views.bytes_per_core(view)
        bills = frozendict({DEVICE: bill})
        copy = Copy(EditKind.CLONE_IN, view, foot, readers[0], tuple(readers), bills, cut.replicas)
        return Offer(copy, cut.division)

    def _relayouts(self, one: Subject, tasks: tuple[Task, ...], kinds: tuple[Kind, ...]) -> list[Offer]:
        """For every reader the cheapest destinations over the ring; readers that want the same share it."""
        if one.writer < 0 or not self._ring(one):
            return []
        views = self._written(one, tasks[one.writer], kinds[one.writer])
        wanted: dict[int, dict[int, Cut]] = {}
        prices: dict[int, frozendict[int, Bill]] = {}
        for reader in one.readers:
            ranked = []
            quickest = sorted(self._cuts(one, reader, kinds).items(), key=lambda item: (item[1][1], item[0]))
            for view, (cut, time) in quickest[: self._looked_at]:
                bills = self._carried(one, reader, views, view)
                if bills:
                    ranked.append((time + min(bill.serial_us for bill in bills.values()), view, cut, bills))
            for _, view, cut, bills in sorted(ranked, key=lambda row: row[:2])[:OFFERED]:
                wanted.setdefault(view, {})[reader] = cut
                known = prices.get(view, bills)
                prices[view] = frozendict((v, bill) for v, bill in bills.items() if v in known)
        return [self._relaid(view, readers, prices[view]) for view, readers in wanted.items() if prices[view]]

    def _relaid(self, view: int, readers: dict[int, Cut], bills: frozendict[int, Bill]) -> Offer:
        first, cut = next(iter(readers.items()))
        foot = self.kinds.views.bytes_per_core(view)
        copy = Copy(EditKind.RELAYOUT, view, foot, first, tuple(readers), bills, cut.replicas)
        return Offer(copy, cut.division)

    def _written(self, one: Subject, task: Task, kind: Kind) -> tuple[int, ...]:
        """Views of the quickest choices of the writer."""
        ranked = sorted((_time(choice.bills[-1]), number) for number, choice in enumerate(kind.menu.choices))
        views = (kind.menu.choices[number].views[task.writes] for _, number in ranked)
        budget, seen = self.setting.device.lx_budget_bytes, self.kinds.views
        assert one.buffer
        return tuple(v for v in dict.fromkeys(views) if v != NOWHERE and seen.bytes_per_core(v) <= budget)[
            : self._looked_at
        ]

    def _carried(self, one: Subject, reader: int, views: tuple[int, ...], target: int) -> frozendict[int, Bill]:
        """What the ring takes from views of the writer to one of a reader, where it can carry that."""
        schedule, device, layout = self.setting.schedule, self.setting.device, self.plan.layouts[one.buffer]
        ends = schedule.steps[one.writer], schedule.steps[reader]
        if edge_fault(device, layout, one.buffer, ends, schedule.buffers):
            return frozendict()
        boxes, product = self.kinds.views.boxes, is_product(ends[1])
        found = {}
        for view in views:
            key = (layout, view, target, product)
            if key not in self._carries:
                fault = ring_fault(device, layout, boxes[view], boxes[target], product)
                time = 0.0 if fault else relayout_time_us(device, layout, boxes[view], boxes[target])
                self._carries[key] = None if fault else Bill(serial_us=time)
            bill = self._carries[key]
            if bill is not None:
                found[view] = bill
        return frozendict(found)


def _time(bill: Bill) -> float:
    return max(bill.compute_us, bill.memory_us) + bill.serial_us


def _shifted(offer: Offer, by: int) -> Offer:
    copy = offer.copy
    readers = tuple(reader + by for reader in copy.readers)
    return replace(offer, copy=replace(copy, before=copy.before + by, readers=readers))
