"""Opinion accounts: what a step's time is made of, by the cost model and by the simulator, in the same parts.

Owns the parts and both readings: terms of a price on one side, work and the time it took on the other.  Each account
adds up to the time that its side gives, so that the difference of two accounts is the difference of the times.  Refuses
words and times of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

import numpy as np
from frozendict import frozendict

from compiler.device import Device
from compiler.loops import LoopOp, OpKind
from compiler.price import StepCost
from simulator.timing.ways import request_ns
from simulator.timing.work import Hop, Operand, OpWork, Times, Way

NS_PER_US = 1000.0
LOADS = (Way.OWN, Way.SHARED, Way.HOST)
"""Ways of operands whose bytes the card's memory moves at its own rate."""
CONTRACTIONS = (OpKind.MATMUL, OpKind.CONV)


class Part(StrEnum):
    """What time goes to.  HIDDEN is negative: what runs beside something else.  WAITS is what none of it explains."""

    BYTES = "bytes"
    TURNAROUND = "turnaround"
    PATTERN = "access pattern"
    REQUESTS = "requests"
    DELIVERY = "delivery"
    PRODUCT = "product"
    PARTIAL = "partial sums"
    REDUCTION = "reduction"
    VECTOR = "vector work"
    RING = "ring"
    HIDDEN = "overlap"
    WAITS = "waits"


Account = Mapping[Part, float]
"""Times in us by part; what is missing is 0."""

_TERMS: frozendict[str, Part] = frozendict(
    {
        "read/write turnaround": Part.TURNAROUND,
        "copy requests": Part.REQUESTS,
        "short bursts": Part.REQUESTS,
        "replicated operand": Part.DELIVERY,
        "shared operand": Part.DELIVERY,
        "partitioned operand": Part.DELIVERY,
        "indirect store": Part.DELIVERY,
        "fused reduction": Part.REDUCTION,
        "partial sums": Part.PARTIAL,
        "compute": Part.PRODUCT,
        "dim order": Part.PRODUCT,
        "batch step": Part.PRODUCT,
        "split re-read": Part.PRODUCT,
        "relayout": Part.RING,
    }
)
"""Terms by name; every other one is the time of bytes, at the ordinary rate or at one of its own."""
_ORDINARY, _LOADED, _REPLICATED = "device memory", "load into LX", "replicated operand"


def predicted(cost: StepCost, cores: int, device: Device) -> Account:
    """The price of a step on so many cores by parts; it adds up to `cost.total_us`.

    Bytes count at the one-way rate; what a term for them takes beyond that is an access pattern, or the delivery of a
    load that many cores need.
    """
    found: dict[Part, float] = dict.fromkeys(Part, 0.0)
    moving = 0.0
    for term in cost.terms:
        part = _TERMS.get(term.name)
        if part is None:
            moving += term.microseconds
        else:
            found[part] += term.microseconds
    replicated = sum(term.microseconds for term in cost.terms if term.name == _REPLICATED)
    apart = replicated * NS_PER_US * cores * device.number("replicated_bytes_per_ns_core")
    plain = (cost.hbm_bytes - apart) / device.number("hbm_one_way_bytes_per_ns") / NS_PER_US if moving else 0.0
    names = {term.name for term in cost.terms if term.name not in _TERMS}
    found[Part.BYTES] = plain
    found[Part.DELIVERY if names <= {_ORDINARY, _LOADED} else Part.PATTERN] += moving - plain
    found[Part.HIDDEN] = cost.total_us - sum(found.values())
    return frozendict(found)


def simulated(work: OpWork, op: LoopOp, wall_us: float, device: Device) -> Account:
    """The time that a step took (`wall_us`) by parts: all that it asks of the memory and of the units of its busiest
    core, less what ran side by side, and the rest of the time, in which its cores waited."""
    found: dict[Part, float] = dict.fromkeys(Part, 0.0)
    rate = device.number("hbm_one_way_bytes_per_ns")
    pooled = [one for one in work.operands if one.way in LOADS]
    found[Part.BYTES] = sum(int(one.charged.sum()) for one in pooled) / rate
    if not work.on_host:
        served = float(work.read_ns.sum() + work.write_ns.sum())
        requests = sum(_request_excess(one, work, device) for one in pooled if not one.write)
        least = float(work.delivery_ns.max(initial=0.0))
        found[Part.REQUESTS] = requests
        found[Part.DELIVERY] = served - found[Part.BYTES] - requests + max(0.0, least - float(work.read_ns.sum()))
        found[Part.TURNAROUND] = _turnaround(work, device) * rate * device.number("hbm_turnaround_ns_per_byte")
        found[Part.PARTIAL] = _longest_chain(work.hops)
        own = work.ring_ns if work.fragments is not None else work.floor_ns
        found[_unit_part(work, op)] += float(own.max(initial=0.0))
    account = {part: ns / NS_PER_US for part, ns in found.items()}
    asked = sum(account.values())
    account[Part.HIDDEN], account[Part.WAITS] = -max(0.0, asked - wall_us), max(0.0, wall_us - asked)
    return frozendict(account)


def total(accounts: Iterable[Account]) -> Account:
    """The sum of several accounts."""
    every = list(accounts)
    return frozendict({part: sum(one.get(part, 0.0) for one in every) for part in Part})


def _unit_part(work: OpWork, op: LoopOp) -> Part:
    if work.fragments is not None:
        return Part.RING
    if op.kind in CONTRACTIONS:
        return Part.PRODUCT
    return Part.REDUCTION if op.kind is OpKind.REDUCTION else Part.VECTOR


def _request_excess(operand: Operand, work: OpWork, device: Device) -> float:
    """What the requests of a read take beyond its bytes, in ns."""
    size = min(max(operand.burst_bytes, device.stick_bytes), device.count("dma_burst_bytes"))
    bytes_moved = float(operand.charged.sum())
    issued = bytes_moved / size * request_ns(device, len(work.cores))
    return max(0.0, issued - bytes_moved / device.number("hbm_one_way_bytes_per_ns"))


def _turnaround(work: OpWork, device: Device) -> float:
    """The service in which a step's reads and writes meet, in ns: not in its first and last tiles."""
    tiles = work.tiles if device.count("transfer_buffers") > 1 else np.ones_like(work.tiles)
    late = np.isin(work.cores, [hop.target for hop in work.hops])
    read: Times = work.read_ns * work.read_share * (tiles - 1) / tiles
    write: Times = np.where(late, 0.0, work.write_ns * work.write_share * np.maximum(0, tiles - 2) / tiles)
    return float(min(read.sum(), write.sum()))


def _longest_chain(hops: Sequence[Hop]) -> float:
    """The time until the last partial result has come, if every core is ready at once, in ns."""
    arrived: dict[int, float] = {}
    waiting = list(hops)
    while waiting:
        targets = {hop.target for hop in waiting}
        ready = [hop for hop in waiting if hop.source not in targets]
        if not ready:
            break
        for hop in ready:
            arrived[hop.target] = max(arrived.get(hop.target, 0.0), arrived.get(hop.source, 0.0) + hop.ns)
        waiting = [hop for hop in waiting if hop.source in targets]
    return max(arrived.values(), default=0.0)
