"""Offers: the moves that a joint problem may choose from, each with its bill and the division of its copy.

Owns which copies are worth offering: clone-ins of buffers in device memory for views that several readers share, or
that make a single reader quicker (`compiler.joint.gains`), and relayouts for edges on which writer and reader want
different views, the cheapest destinations of each edge.  Refuses what no copy can express and what the ring cannot
carry (`compiler.relayouts`).
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field, replace

from frozendict import frozendict

from compiler.copy_cuts import Cut, reader_cut
from compiler.cost.setting import Setting
from compiler.division import Division
from compiler.joint.bills import Surroundings, bill_of
from compiler.joint.gains import Reader
from compiler.joint.kinds import Kind, Kinds, rates_of
from compiler.joint.subjects import Subject
from compiler.pins import Pins
from compiler.plan import Edit, EditKind, Plan
from compiler.relayouts import edge_fault, is_product, relayout_time_us, ring_fault
from compiler.schedule import Schedule, Step, copy_op
from compiler.solvers.joint.problem import DEVICE, NOWHERE, Bill, Copy, Task

COPIED = "@copy"
SMALL, SHORT = 30, 80
"""Steps of programs in which all moves are on offer, and of those in which fewer are looked at, but not few."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is on offer: views of a load into LX, destinations per edge (facts 5.5), and views of the writer that a
    relayout may start from, and of each reader that it may go to, those of the quickest divisions."""

    loads: int
    destinations: int
    looked_at: int


ALL = Extent(sys.maxsize, sys.maxsize, sys.maxsize)
MANY, FEW = Extent(4, 6, 24), Extent(4, 4, 8)
"""With six destinations some of fewer cores are among them, which their neighbours may want."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A copy, the division under which its step makes it, and what it gains at most (us), as far as that is known."""

    copy: Copy
    division: Division
    gain_us: float = math.inf


@dataclass(frozen=True, slots=True)
class Offered:
    """The offers for a subject; `whole` if none was left out that may gain something."""

    offers: tuple[Offer, ...] = ()
    whole: bool = True


@dataclass(slots=True)
class Offers:
    """Makes offers for the subjects of one plan; none without `moves`.  `operands` are the names of those of each step,
    `pins` say which relayouts are not wanted, and what is loaded into LX for a single reader though it gains nothing;
    `lone` are inputs with a single reader; `spared` tells of inputs, by name and first reader, what bytes at most their
    kernel may read less than it writes."""

    kinds: Kinds
    setting: Setting
    plan: Plan
    moves: bool
    operands: tuple[tuple[str, ...], ...]
    pins: Pins
    lone: frozenset[str] = frozenset()
    spared: frozendict[tuple[str, int], int] = field(default_factory=frozendict[tuple[str, int], int])
    _outs: dict[object, Bill] = field(default_factory=dict)
    _known: dict[object, Offered] = field(default_factory=dict)
    _carries: dict[object, Bill | None] = field(default_factory=dict)
    _bits: dict[int, int] = field(default_factory=dict, init=False)  # of these operands only: never handed on

    @property
    def _extent(self) -> Extent:
        count = len(self.operands)
        return ALL if count <= SMALL else MANY if count <= SHORT else FEW

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

    def of(self, one: Subject, tasks: tuple[Task, ...], kinds: tuple[Kind, ...]) -> Offered:
        """The offers for a subject, clone-ins first; those of equal edges are made once."""
        if not self.moves:
            return Offered()
        first = one.writer if one.writer >= 0 else one.readers[0]
        ends = (one.writer - first, *(reader - first for reader in one.readers))
        touching = (*((one.writer,) if one.writer >= 0 else ()), *one.readers)
        own = tuple((id(kinds[number]), self._place(one, number), self._inside(number)) for number in touching)
        products = tuple(self.setting.schedule.steps[reader].edit is None for reader in one.readers)
        key = (one.writer < 0, ends, own, products, self._ring(one), self._wanted(one), self._spared(one))
        if key not in self._known:
            (clones, all_clones), (rings, all_rings) = self._clones(one, kinds), self._relayouts(one, tasks, kinds)
            made = tuple(_shifted(offer, -first) for offer in (*clones, *rings))
            self._known[key] = Offered(made, all_clones and all_rings)
        known = self._known[key]
        return replace(known, offers=tuple(_shifted(offer, first) for offer in known.offers))

    def _place(self, one: Subject, number: int) -> int:
        return self.operands[number].index(one.buffer)

    def _inside(self, number: int) -> int:
        """The operands of a step that are in LX in most plans, as bits: all but inputs that it alone reads."""
        if number not in self._bits:
            names = enumerate(self.operands[number])
            self._bits[number] = sum(1 << place for place, name in names if name not in self.lone)
        return self._bits[number]

    def _ring(self, one: Subject) -> bool:
        return self.pins.relayout.get(one.buffer) != "none"

    def _spared(self, one: Subject) -> int:
        return self.spared.get((one.buffer, one.readers[0]), 0)

    def _wanted(self, one: Subject) -> bool:
        """True for an input that a pin wants in LX."""
        return one.writer < 0 and self.pins.placement.get(one.buffer) == "lx"

    def _cuts(self, one: Subject, reader: int, kinds: tuple[Kind, ...]) -> dict[int, tuple[Cut, float]]:
        """The views under which a copy can serve a reader: how it is cut, and the time of the quickest choice."""
        step, kind = self.setting.schedule.steps[reader], kinds[reader]
        if step.edit is not None:
            return {}
        place, inside = self._place(one, reader), self._inside(reader)
        buffer, layout = self.setting.schedule.buffers[one.buffer], self.plan.layouts[one.buffer]
        found: dict[int, tuple[Cut, float]] = {}
        for choice, division in zip(kind.menu.choices, kind.divisions, strict=True):
            view, time = choice.views[place], _time(choice.bills[inside | 1 << place])
            if view == NOWHERE or (view in found and found[view][1] <= time):
                continue
            cut = found[view][0] if view in found else reader_cut(step.op, buffer, layout, division)
            if cut is not None and self.kinds.views.bytes_per_core(view) <= self.setting.device.lx_budget_bytes:
                found[view] = cut, time
        return found

    def _clones(self, one: Subject, kinds: tuple[Kind, ...]) -> tuple[list[Offer], bool]:
        """Loads into LX: for views that several readers share, of as many readers and as little time as can be, and for
        views of a single one if that can make it quicker; and whether these are all."""
        if one.writer >= 0 and len(one.readers) < 2:
            return [], True
        cuts = {reader: self._cuts(one, reader, kinds) for reader in one.readers}
        served: dict[int, list[int]] = {}
        for reader, table in cuts.items():
            for view in table:
                served.setdefault(view, []).append(reader)
        times = {view: sum(cuts[reader][view][1] for reader in readers) for view, readers in served.items()}
        ranked = sorted(served, key=lambda view: (-len(served[view]), times[view]))
        found = list[Offer]()
        for view in ranked:
            offer = self._clone(one, view, served[view], cuts[served[view][0]][view][0])
            if len(served[view]) == 1 and not self._wanted(one):
                offer = replace(offer, gain_us=self._gain_us(one, offer, kinds))
            if offer.gain_us:
                found.append(offer)
        return found[: self._extent.loads], len(found) <= self._extent.loads

    def _gain_us(self, one: Subject, offer: Offer, kinds: tuple[Kind, ...]) -> float:
        """What a load for a single reader gains at most; loads of what steps make are offered to several only."""
        if one.writer >= 0:
            return 0.0
        (number,) = offer.copy.readers
        cut = self.setting.schedule.steps[number].name in self.kinds.tied
        spared, rates = self._spared(one), rates_of(self.setting.device)
        reader = Reader(kinds[number], self._place(one, number), cut, spared, rates)
        return reader.gain_us(offer.copy.view, offer.copy.bills[DEVICE])

    def _clone(self, one: Subject, view: int, readers: list[int], cut: Cut) -> Offer:
        bill = self._bill(one, EditKind.CLONE_IN, cut.division, cut.replicas, frozenset({COPIED}))
        foot = self.kinds.views.bytes_per_core(view)
        bills = frozendict({DEVICE: bill})
        copy = Copy(EditKind.CLONE_IN, view, foot, readers[0], tuple(readers), bills, cut.replicas)
        return Offer(copy, cut.division)

    def _relayouts(self, one: Subject, tasks: tuple[Task, ...], kinds: tuple[Kind, ...]) -> tuple[list[Offer], bool]:
        """For every reader the cheapest destinations over the ring, readers that want the same share it; and whether
        these are all."""
        if one.writer < 0 or not self._ring(one):
            return [], True
        written = self._written(one, tasks[one.writer], kinds[one.writer])
        most, looked_at = self._extent.destinations, self._extent.looked_at
        views = written[:looked_at]
        whole = views == written
        wanted: dict[int, dict[int, Cut]] = {}
        prices: dict[int, frozendict[int, Bill]] = {}
        for reader in one.readers:
            ranked = []
            cuts = self._cuts(one, reader, kinds)
            quickest = sorted(
                cuts.items(), key=lambda item: item[1][1]
            )  # of equals those first that the menu has first
            for view, (cut, time) in quickest[:looked_at]:
                bills = self._carried(one, reader, views, view)
                if bills:
                    ranked.append((time + min(bill.serial_us for bill in bills.values()), view, cut, bills))
            whole = whole and len(quickest) <= looked_at and len(ranked) <= most
            for _, view, cut, bills in sorted(ranked, key=lambda row: row[0])[:most]:
                wanted.setdefault(view, {})[reader] = cut
                known = prices.get(view, bills)
                prices[view] = frozendict((v, bill) for v, bill in bills.items() if v in known)
        made = [self._relaid(view, readers, prices[view]) for view, readers in wanted.items() if prices[view]]
        return made, whole

    def _relaid(self, view: int, readers: dict[int, Cut], bills: frozendict[int, Bill]) -> Offer:
        first, cut = next(iter(readers.items()))
        foot = self.kinds.views.bytes_per_core(view)
        copy = Copy(EditKind.RELAYOUT, view, foot, first, tuple(readers), bills, cut.replicas)
        return Offer(copy, cut.division)

    def _written(self, one: Subject, task: Task, kind: Kind) -> tuple[int, ...]:
        """Views of the writer, those of its quickest choices first."""
        inside = self._inside(one.writer)
        ranked = sorted((_time(choice.bills[inside]), number) for number, choice in enumerate(kind.menu.choices))
        views = (kind.menu.choices[number].views[task.writes] for _, number in ranked)
        budget, seen = self.setting.device.lx_budget_bytes, self.kinds.views
        assert one.buffer
        return tuple(v for v in dict.fromkeys(views) if v != NOWHERE and seen.bytes_per_core(v) <= budget)

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
