"""Pricer: what one step takes under any division, before its kernel is known.

Owns the parts of a step's price that depend on nothing but its own structure: compute terms, loads, stores, and the law
that its traffic follows.  Steps of equal structure share one pricer, whatever their names, so that a deep model costs
little more than one of its layers and a menu of divisions is priced quickly.  Refuses overlap and sharing of loads:
`compiler.cost.kernels` sees the other steps.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal

from frozendict import frozendict

from compiler.contractions import Roles, contraction_of, cut_of, roles_of
from compiler.copies import is_pure_copy, transposes
from compiler.cost.batching import batched_rate, sustained_rate
from compiler.cost.bundled import bundled_terms
from compiler.cost.delivery import partitioned_us, replication, shared_us, shares, stored_us
from compiler.cost.matmul import PLANNED, Contraction, Cut, terms
from compiler.cost.patterns import Sighting
from compiler.cost.requests import MEASURED_BYTES, operand_request_us, plain_excess_us, swap_excess_us
from compiler.cost.runs import UNKNOWN_RUN, run_bytes
from compiler.cost.sightings import pattern_of
from compiler.cost.traffic import met_bytes
from compiler.cost.wording import term
from compiler.device import Device
from compiler.division import Division
from compiler.layout import StickLayout
from compiler.loops import Access, Buffer, BufferKind, LoopOp, OpKind, Origin
from compiler.plan import EditKind
from compiler.price import CostTerm
from compiler.schedule import Schedule, Step
from compiler.spaces import Space, layout_of, space_of

Form = Literal["planner", "bundled"]
Places = frozenset[int]
BURSTING = (OpKind.POINTWISE, OpKind.REDUCTION)  # operands of a contraction pay for requests in loops only
ORDER_WORDS = (
    "compute * ({sustained_mac_per_ns_core} / rate - 1); a batch stands just before the stick of an operand or result"
)


@dataclass(frozen=True, slots=True)
class Load:
    """A read from device memory: the place of its buffer, the bytes of one load, how many loads, and what it takes
    beyond its bytes: by who loads it (`delivery_us`) and by its requests (`burst_us`, runs of `run_bytes`).

    `crowd` is the number of cores that one load serves; `partitioned` says that each core loads its part once.
    """

    place: int
    size_bytes: int
    loads: int = 1
    crowd: int = 1
    partitioned: bool = False
    delivery_us: float = 0.0
    burst_us: float = 0.0
    run_bytes: int = UNKNOWN_RUN


@dataclass(frozen=True, slots=True)
class Store:
    """A write to device memory; `indirect_us` is what a place by value takes beyond the bytes."""

    place: int
    size_bytes: int
    indirect_us: float = 0.0


@dataclass(frozen=True, slots=True)
class Copy:
    """What the requests of a copy take beyond its bytes: `size_bytes` read in runs of `run_bytes`."""

    microseconds: float
    size_bytes: int
    run_bytes: int


@dataclass(frozen=True, slots=True)
class Parts:
    """A step under a division.  `sighting`: its traffic follows a measured pattern; `turned`: it follows the rate of
    restickifies; `copy`: its requests take time of their own."""

    cores: int
    compute: tuple[CostTerm, ...]
    loads: tuple[Load, ...]
    stores: tuple[Store, ...]
    sighting: Sighting | None
    turned: bool
    copy: Copy | None


class Pricer:
    """One step without names: buffers are known by their place among those it touches, reads first."""

    def __init__(
        self,
        op: LoopOp,
        buffers: tuple[Buffer, ...],
        layouts: tuple[StickLayout, ...],
        restickify: bool,
        device: Device,
    ) -> None:
        self.op, self.device = op, device
        self.buffers = frozendict((buffer.name, buffer) for buffer in buffers)
        self.layouts = frozendict((buffer.name, layout) for buffer, layout in zip(buffers, layouts, strict=True))
        self.places = {buffer.name: place for place, buffer in enumerate(buffers)}
        self.sizes = tuple(layout.size_bytes for layout in layouts)
        self.reads = tuple((read, self._met(read)) for read in dict.fromkeys(op.reads))
        self.writes = tuple((write, self._met(write)) for write in op.writes)
        self.turned = restickify or transposes(op, self.buffers, self.layouts)
        self.copies = is_pure_copy(op, self.buffers)
        self.sighting = None if self.turned else pattern_of(op, self.buffers, self.layouts)

    @property
    def rows(self) -> int:
        """Results of a reduction."""
        return math.prod(loop.extent for loop in self.op.output_loops)

    def _met(self, access: Access) -> int:
        return met_bytes(self.op, access, self.buffers[access.buffer], self.layouts[access.buffer])

    # Compute

    @cached_property
    def space(self) -> Space:
        """The iteration space, as divisions count it."""
        return space_of(self.op, Schedule((), self.buffers), self.layouts)

    @cached_property
    def roles(self) -> Roles:
        """Roles of the loops of a contraction."""
        return roles_of(self.space)

    @cached_property
    def work(self) -> Contraction:
        """Sizes of a contraction."""
        return contraction_of(self.space, self.roles, self.layouts)

    @cached_property
    def rate(self) -> float:
        """MAC/ns/core that the dim order of a contraction allows."""
        return batched_rate(self.device, self.op, self.roles, self.buffers, self.layouts)

    def compute(self, division: Division, form: Form) -> tuple[CostTerm, ...]:
        """Execution terms of a contraction; nothing for other ops, whose time is memory time."""
        if self.op.kind not in (OpKind.MATMUL, OpKind.CONV):
            return ()
        cut = cut_of(self.roles, division.factors)
        if form == "bundled":
            return bundled_terms(self.device, self.work, cut, self.rate)
        found = terms(self.device, self.work, cut, PLANNED)
        return (*found, *self._order(found, cut))

    def _order(self, found: tuple[CostTerm, ...], cut: Cut) -> tuple[CostTerm, ...]:
        """The planner's rate is that of the best dim order; another order is slower in proportion."""
        full = sustained_rate(self.device)
        if self.rate >= full or not found or found[0].name != "compute":
            return ()
        inputs = f"rate={self.rate:g} MAC/ns/core compute={found[0].microseconds:.6g} µs cores={cut.cores}"
        slowed = found[0].microseconds * (full / self.rate - 1)
        return (term(self.device, "dim order", slowed, ORDER_WORDS, inputs),)

    # Memory

    def parts(self, division: Division, resident: Places, silent: Places, form: Form) -> Parts:
        """The step under a division with some buffers in LX (`resident`), and writes that move nothing (`silent`)."""
        stores = tuple(
            self._store(write, size, division) for write, size in self.writes if self.places[write.buffer] not in silent
        )
        sighting = None if resident else self.sighting
        plain = self.op.kind in BURSTING and not (self.copies or self.turned or sighting)
        loads = tuple(
            self._load(read, size, division, plain)
            for read, size in self.reads
            if self.places[read.buffer] not in resident
        )
        turned = self.turned and bool(loads) and not resident
        compute = self.compute(division, form)
        copy = self._copy(loads, turned, division)
        return Parts(division.cores, compute, loads, stores, sighting, turned, copy)

    def _store(self, write: Access, size: int, division: Division) -> Store:
        by_value = stored_us(self.device, size, division.cores) if write.index.gathers else 0.0
        return Store(self.places[write.buffer], size, by_value)

    def _load(self, read: Access, size: int, division: Division, plain: bool) -> Load:
        place, cores, device = self.places[read.buffer], division.cores, self.device
        crowd = replication(self.op, read, division)
        if crowd > 1 and not shares(self.op, read):
            return Load(place, size, loads=crowd)
        run = self._run(read, division) if plain else UNKNOWN_RUN
        burst = operand_request_us(device, size, run, cores)
        alone = self.op.kind is OpKind.MATMUL and self._used_once(read)
        delivery = partitioned_us(device, size, cores) if alone else shared_us(device, size, crowd)
        return Load(place, size, 1, crowd, alone, delivery, burst, run)

    def _used_once(self, read: Access) -> bool:
        """True if there are no more multiply-accumulates than elements of the operand."""
        names = read.index.loop_names
        return all(loop.name in names or loop.extent == 1 for loop in self.op.loops)

    def _run(self, read: Access, division: Division) -> int:
        layout = self.layouts[read.buffer]
        if layout.element_bytes != MEASURED_BYTES:
            return UNKNOWN_RUN
        return run_bytes(self.op, read, self.buffers[read.buffer], layout, division)

    def _copy(self, loads: tuple[Load, ...], turned: bool, division: Division) -> Copy | None:
        if not self.copies or not loads:
            return None
        size, run = loads[0].size_bytes, self._run(self.op.reads[0], division)
        law = swap_excess_us if turned else plain_excess_us
        excess = law(self.device, size, run, division.cores)
        return Copy(excess, size, run) if excess else None


@lru_cache(maxsize=1 << 14)
def parts_of(pricer: Pricer, division: Division, resident: Places, silent: Places, form: Form) -> Parts:
    """`pricer.parts`, kept."""
    return pricer.parts(division, resident, silent, form)


def pricer_of(
    step: Step, buffers: Mapping[str, Buffer], layouts: Mapping[str, StickLayout], device: Device
) -> tuple[Pricer, tuple[str, ...]]:
    """The pricer of a step, and the names of its buffers by place."""
    op = step.op
    names = op.touched
    short = {name: f"b{place}" for place, name in enumerate(names)}
    nameless = LoopOp(
        name="",
        kind=op.kind,
        combine=op.combine,
        loops=op.loops,
        reads=tuple(Access(short[read.buffer], read.index) for read in op.reads),
        writes=tuple(Access(short[write.buffer], write.index) for write in op.writes),
        body=op.body,
        results=op.results,
        origin=Origin(),
    )
    known = tuple(replace(buffers[name], name=short[name], kind=BufferKind.COMPUTED) for name in names)
    restickify = step.edit is not None and step.edit.kind is EditKind.RESTICKIFY
    return _pricer(nameless, known, tuple(layout_of(layouts, name) for name in names), restickify, device), names


@lru_cache(maxsize=1 << 12)
def _pricer(
    op: LoopOp, buffers: tuple[Buffer, ...], layouts: tuple[StickLayout, ...], restickify: bool, device: Device
) -> Pricer:
    return Pricer(op, buffers, layouts, restickify, device)
