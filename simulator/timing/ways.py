"""Ways: how every operand comes to or leaves a core, and what that asks of the card's memory.

Owns the choice between own, shared and replicated loads (facts 1.4, 6.1, 6.5), what of a shared load each core is
charged with, and the service of the memory in bytes and requests (facts 6.6).  Refuses waiting: services are those of a
memory that nobody else uses.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from compiler.device import Device
from compiler.loops import OpKind
from simulator.timing.case import CONTRACTIONS, Case, Moved
from simulator.timing.product import Product, product_of
from simulator.timing.work import Counts, Operand, Times, Way

REQUESTS = "request_ns_cores_"


@dataclass(frozen=True, slots=True, eq=False)
class Carried:
    """An operand; its `service_ns` of the card's memory, that part of it in which bytes move, and the time it takes at
    least."""

    moved: Moved
    operand: Operand
    service_ns: Times
    moving_ns: Times
    delivery_ns: Times


def carried_of(case: Case) -> tuple[Carried, ...]:
    """All operands of a step, reads first."""
    product = product_of(case.op) if case.op.kind in CONTRACTIONS else None
    return tuple(_carried(case, moved, product) for moved in case.moved)


def _carried(case: Case, moved: Moved, product: Product | None) -> Carried:
    way = _way(case, moved, product)
    many = _needing(moved)
    charged = _charged(moved, way, many)
    burst = case.device.count("dma_burst_bytes")
    longest = int(min(burst, moved.run_bytes.max(initial=0.0)))
    operand = Operand(moved.tensor.name, moved.write, way, moved.bytes, charged, longest)
    none = case.nothing()
    if way in (Way.LX, Way.RING):
        return Carried(moved, operand, none, none, none)
    if way is Way.REPLICATED:
        return Carried(moved, operand, none, none, charged / case.device.number("replicated_bytes_per_ns_core"))
    moving = charged / card_rate(case)
    if moved.write:
        return Carried(moved, operand, moving * _scatter(case, moved), moving, none)
    service = np.maximum(moving, _requests(case, moved, charged))
    if way is Way.SHARED and product is not None:
        service = service * _fan(case.device, many)
    return Carried(moved, operand, service, moving, _unreused(case, moved, product, way))


def card_rate(case: Case) -> float:
    """Bytes per ns of the card's memory in one direction."""
    found = next(memory for memory in case.routes.machine.memories if memory.name == case.routes.card_memory)
    return case.device.number(found.rate)


def _way(case: Case, moved: Moved, product: Product | None) -> Way:
    if not moved.on_card:
        return Way.RING if case.step.ring and not moved.write else Way.LX
    if moved.write or _needing(moved).max(initial=1) < 2:
        return Way.OWN
    if product is None or case.op.kind is OpKind.CONV or not product.batch:
        return Way.SHARED
    indexed = frozenset().union(*(case.op.reads[read].index.loop_names for read in moved.reads))
    return Way.REPLICATED if product.outer <= indexed else Way.SHARED


def _needing(moved: Moved) -> Counts:
    """How many cores touch the same as each core; 1 for one that touches nothing."""
    _, inverse, counts = np.unique(moved.number, return_inverse=True, return_counts=True)
    return np.where(moved.bytes > 0, counts[inverse], 1).astype(np.int64)


def _charged(moved: Moved, way: Way, many: Counts) -> Counts:
    """What the card's memory moves for each core: of a shared load equal parts, what does not divide for the first."""
    if way in (Way.LX, Way.RING):
        return np.zeros_like(moved.bytes)
    if way is not Way.SHARED:
        return moved.bytes
    order = np.argsort(moved.number, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    first = np.searchsorted(moved.number[order], moved.number[order], side="left")
    rank[order] = np.arange(len(order)) - first
    return moved.bytes // many + (rank < moved.bytes % many)


def _requests(case: Case, moved: Moved, charged: Counts) -> Times:
    """What the requests of a read take, each a contiguous run or a longest burst of it (facts 6.6)."""
    device = case.device
    size = np.clip(moved.run_bytes, device.stick_bytes, device.count("dma_burst_bytes"))
    return np.asarray(charged / size * request_ns(device, len(case.parts)), dtype=np.float64)


@lru_cache(maxsize=256)
def request_ns(device: Device, cores: int) -> float:
    """Time per request with so many cores at work: between the counts of the device file, by doublings.

    >>> from compiler.device import load_device
    >>> [round(request_ns(load_device("spyre"), cores), 3) for cores in (1, 3, 8, 24, 32)]
    [8.75, 8.019, 7.5, 5.306, 3.75]
    """
    known = sorted(int(key.removeprefix(REQUESTS)) for key in device.numbers if key.startswith(REQUESTS))
    times = [device.number(f"{REQUESTS}{count}") for count in known]
    return float(np.interp(math.log2(max(1, cores)), np.log2(known), times))


def _fan(device: Device, readers: Counts) -> Times:
    """How much longer a load takes that many cores share (facts 6.5)."""
    beyond = np.maximum(1.0, readers / device.number("reader_fan_free"))
    return np.asarray(beyond ** device.number("reader_fan_exponent"), dtype=np.float64)


def _unreused(case: Case, moved: Moved, product: Product | None, way: Way) -> Times:
    """The least time of an operand of a contraction whose elements are each used once, at most: nothing hides how fast
    one core loads (facts 6.5, decode)."""
    elements = moved.tensor.layout.sticks * moved.tensor.layout.elements_per_stick
    if product is None or way is not Way.OWN or case.op.iterations > elements:
        return case.nothing()
    return moved.bytes / case.device.number("hbm_one_way_bytes_per_ns_core")


def _scatter(case: Case, moved: Moved) -> float:
    """How much longer a write takes whose places are values in memory (facts 6.2)."""
    if not moved.gathered:
        return 1.0
    reached = len(case.parts) * case.device.number("indirect_store_bytes_per_ns_core")
    return max(1.0, card_rate(case) / reached)
