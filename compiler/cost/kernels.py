"""Kernels: the steps of one launch priced together (facts 6.1, 6.2, 6.5).

Owns what steps share and what overlaps: an input from outside is loaded once, all plain traffic shares one turnaround,
the slowest reduction of values made inside bounds the vector units, and compute hides behind memory or memory behind
compute.  Every step carries its share of what bounds the kernel, so that the totals add up.  Refuses plans.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from compiler.cost.delivery import (
    PARTITIONED_WORDS,
    REPLICATED_WORDS,
    SHARED_WORDS,
    STORE_WORDS,
    load_us,
    replicated_us,
)
from compiler.cost.memory import NS_PER_US, one_way_us, restickify_us, turnaround_us
from compiler.cost.patterns import bytes_per_ns, words
from compiler.cost.pricer import Load, Parts, Pricer
from compiler.cost.reductions import ALONE_WORDS, FUSED_WORDS, alone_us, fused_us
from compiler.cost.requests import READ_WORDS, SWAP_WORDS
from compiler.cost.traffic import listed
from compiler.cost.wording import term
from compiler.device import Device
from compiler.loops import OpKind
from compiler.price import CostTerm, StepCost

MEMORY_WORDS = "(read + written) / {hbm_one_way_bytes_per_ns} B per ns"
TURN_WORDS = "share by bytes of min(read, written) of the kernel * {hbm_turnaround_ns_per_byte} ns"
RESTICKIFY_WORDS = "(read + written) / {restickify_bytes_per_ns} B per ns"


@dataclass(frozen=True, slots=True)
class Draft:
    """A step before its kernel is known: its pricer and parts, the names of its buffers by place, `serial` terms that
    come from the plan around it, and bytes that these load (`serial_bytes`)."""

    step: str
    names: tuple[str, ...]
    pricer: Pricer
    parts: Parts
    serial: tuple[CostTerm, ...] = ()
    serial_bytes: int = 0

    def size_of(self, place: int) -> int:
        """Device bytes of a whole buffer."""
        return self.pricer.sizes[place]


@dataclass(frozen=True, slots=True)
class Paid:
    """A load with the bytes that its step pays for, the others being loaded by steps before it, and likewise what the
    step pays beyond the bytes: inside the overlap and outside of it."""

    load: Load
    name: str
    size_bytes: int
    delivery_us: float
    burst_us: float


@dataclass(slots=True)
class _Ledger:
    """What a kernel has paid for its inputs so far; of several readers the dearest pays, spread over them in order."""

    left: dict[str, int]
    delivered: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    charged: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))

    def pay(self, load: Load, name: str, bursts: bool) -> Paid:
        burst = load.burst_us if bursts else 0.0
        total = load_us([(load.delivery_us, burst)])
        size = load.size_bytes * load.loads
        if name not in self.left:
            return Paid(load, name, size, load.delivery_us, total - load.delivery_us)
        size = min(size, self.left[name])
        self.left[name] -= size
        delivery = max(0.0, load.delivery_us - self.delivered[name])
        due = max(delivery, total - self.charged[name])
        self.delivered[name] = max(self.delivered[name], load.delivery_us)
        self.charged[name] = max(self.charged[name], total)
        return Paid(load, name, size, delivery, due - delivery)


def kernel_costs(
    drafts: Sequence[Draft], device: Device, overlap: float, inside: frozenset[str], lone: bool
) -> tuple[StepCost, ...]:
    """The steps of a kernel, or some of them, with their shares of its time.

    `inside` names what the kernel writes; `lone`: the kernel has a single step.  `overlap` is the share of the smaller
    of compute and memory time that is hidden.
    """
    kernel = _Kernel(drafts, device, inside, lone)
    found = [kernel.step(draft) for draft in drafts]
    compute, memory = (math.fsum(one.compute_us for one in found), math.fsum(one.hbm_us for one in found))
    shares = (1.0 - overlap, 1.0) if memory >= compute else (1.0, 1.0 - overlap)
    return tuple(_with_total(one, *shares) for one in found)


def _with_total(one: StepCost, of_compute: float, of_memory: float) -> StepCost:
    total = of_compute * one.compute_us + of_memory * one.hbm_us + one.serial_us
    return StepCost(
        one.step, total, one.compute_us, one.hbm_us, one.serial_us, one.read_bytes, one.write_bytes, one.terms
    )


class _Kernel:
    def __init__(self, drafts: Sequence[Draft], device: Device, inside: frozenset[str], lone: bool) -> None:
        self.device = device
        self.lone = lone and all(one.pricer.op.kind is OpKind.REDUCTION and not one.parts.sighting for one in drafts)
        ledger = _Ledger(_allowances(drafts, inside))
        self.paid = {draft.step: self._pay(draft, ledger) for draft in drafts}
        self.slowest = _slowest(drafts, device, inside)
        plain = [draft for draft in drafts if self._plain(draft)]
        self.read = sum(self._pooled(draft) for draft in plain)
        self.written = sum(store.size_bytes for draft in plain for store in draft.parts.stores)
        self.turn_us = turnaround_us(device, self.read, self.written)

    def _pay(self, draft: Draft, ledger: _Ledger) -> tuple[Paid, ...]:
        bursts = not self.lone
        return tuple(ledger.pay(load, draft.names[load.place], bursts) for load in draft.parts.loads)

    def _plain(self, draft: Draft) -> bool:
        """True if the traffic of a step moves at the ordinary rate."""
        return not (draft.parts.turned or draft.parts.sighting or self.lone)

    def _pooled(self, draft: Draft) -> int:
        """Bytes read at the rate that all cores share."""
        return sum(paid.size_bytes for paid in self.paid[draft.step] if paid.load.loads == 1)

    def step(self, draft: Draft) -> StepCost:
        """The terms of a step; its total is not known yet."""
        compute = (*draft.parts.compute, *self._fused(draft))
        memory = (*self._moved(draft), *self._delivered(draft), *self._stored(draft))
        serial = (*draft.serial, *self._copied(draft), *self._bursts(draft))
        read = sum(paid.size_bytes for paid in self.paid[draft.step]) + draft.serial_bytes
        written = sum(store.size_bytes for store in draft.parts.stores)
        compute_us, memory_us, serial_us = (math.fsum(one.microseconds for one in g) for g in (compute, memory, serial))
        shown = (*compute, *memory, *serial)
        return StepCost(draft.step, 0.0, compute_us, memory_us, serial_us, read, written, shown)

    def _fused(self, draft: Draft) -> tuple[CostTerm, ...]:
        if self.slowest is None or self.slowest[1] != draft.step:
            return ()
        elements, cores = draft.pricer.op.iterations, draft.parts.cores
        inputs = f"elements={elements:,} cores={cores}"
        return (term(self.device, "fused reduction", self.slowest[0], FUSED_WORDS, inputs),)

    def _moved(self, draft: Draft) -> tuple[CostTerm, ...]:
        """The bytes of a step by the law that they follow."""
        device, parts = self.device, draft.parts
        reads = defaultdict[str, int](int)
        for paid in self.paid[draft.step]:
            reads[paid.name] += paid.size_bytes if paid.load.loads == 1 else 0
        writes = {draft.names[store.place]: store.size_bytes for store in parts.stores}
        moved = sum(reads.values()) + sum(writes.values())
        if not moved:
            return ()
        inputs = f"read {listed(reads)}; write {listed(writes)}"
        if parts.turned:
            return (term(device, "restickify", restickify_us(device, moved), RESTICKIFY_WORDS, inputs),)
        if parts.sighting is not None:
            seen = parts.sighting
            time = moved / bytes_per_ns(device, seen) / NS_PER_US
            sizes = f"R={seen.rows:,} C={seen.columns:,} M={seen.middle:,}; {inputs}"
            return (term(device, seen.pattern, time, words(device, seen), sizes),)
        if self.lone:
            rows, cores = draft.pricer.rows, parts.cores
            time = alone_us(device, moved, rows, cores)
            return (term(device, "reduction alone", time, ALONE_WORDS, f"rows={rows:,} cores={cores}; {inputs}"),)
        memory = term(device, "device memory", one_way_us(device, moved), MEMORY_WORDS, inputs)
        whole = self.read + self.written
        turn = self.turn_us * moved / whole
        if not turn:
            return (memory,)
        return (memory, term(device, "read/write turnaround", turn, TURN_WORDS, f"{moved:,} of {whole:,} B"))

    def _delivered(self, draft: Draft) -> tuple[CostTerm, ...]:
        device, cores = self.device, draft.parts.cores
        found = []
        for paid in self.paid[draft.step]:
            load, size = paid.load, f"{paid.name} {paid.load.size_bytes:,} B"
            if load.loads > 1 and paid.size_bytes:
                time = replicated_us(device, paid.size_bytes, 1, cores)
                inputs = f"{size}, loads={load.loads} cores={cores}"
                found.append(term(device, "replicated operand", time, REPLICATED_WORDS, inputs))
            elif paid.delivery_us and load.partitioned:
                inputs = f"{size}, cores={cores}"
                found.append(term(device, "partitioned operand", paid.delivery_us, PARTITIONED_WORDS, inputs))
            elif paid.delivery_us:
                inputs = f"{size}, readers={load.crowd}"
                found.append(term(device, "shared operand", paid.delivery_us, SHARED_WORDS, inputs))
        return tuple(found)

    def _stored(self, draft: Draft) -> tuple[CostTerm, ...]:
        cores = draft.parts.cores
        return tuple(
            term(
                self.device,
                "indirect store",
                store.indirect_us,
                STORE_WORDS,
                f"{draft.names[store.place]} {store.size_bytes:,} B, cores={cores}",
            )
            for store in draft.parts.stores
            if store.indirect_us
        )

    def _copied(self, draft: Draft) -> tuple[CostTerm, ...]:
        copy, cores = draft.parts.copy, draft.parts.cores
        if copy is None:
            return ()
        inputs = f"{copy.size_bytes:,} B in runs of {copy.run_bytes:,} B, cores={cores}"
        told = SWAP_WORDS if draft.parts.turned else READ_WORDS
        return (term(self.device, "copy requests", copy.microseconds, told, inputs),)

    def _bursts(self, draft: Draft) -> tuple[CostTerm, ...]:
        cores = draft.parts.cores
        return tuple(
            term(
                self.device,
                "short bursts",
                paid.burst_us,
                READ_WORDS,
                f"{paid.name} {paid.load.size_bytes:,} B in runs of {paid.load.run_bytes:,} B, cores={cores}",
            )
            for paid in self.paid[draft.step]
            if paid.burst_us > 0
        )


def _allowances(drafts: Sequence[Draft], inside: frozenset[str]) -> dict[str, int]:
    """Bytes that all readers of a buffer from outside load together: the whole buffer, or more if one step needs it."""
    left: dict[str, int] = {}
    for draft in drafts:
        own = defaultdict[int, int](int)
        for load in draft.parts.loads:
            own[load.place] += load.size_bytes * load.loads
        for place, size in own.items():
            name = draft.names[place]
            if name not in inside:
                left[name] = max(left.get(name, draft.size_of(place)), size)
    return left


def _slowest(drafts: Sequence[Draft], device: Device, inside: frozenset[str]) -> tuple[float, str] | None:
    """Time and step of the slowest reduction of values made in the kernel."""
    times = [
        (fused_us(device, draft.pricer.op.iterations, draft.parts.cores), draft.step)
        for draft in drafts
        if draft.pricer.op.kind is OpKind.REDUCTION and inside.intersection(_read(draft))
    ]
    return max(times, key=lambda item: item[0], default=None)


def _read(draft: Draft) -> list[str]:
    places = draft.pricer.places
    return [draft.names[places[read.buffer]] for read, _ in draft.pricer.reads]
