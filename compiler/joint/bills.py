"""Bills: what a step under a division adds to the sums of its kernel, with any of its operands in LX.

Owns the translation of a draft of `compiler.cost` into a `Bill`, term by term as `compiler.cost.kernels` prices a
kernel.  Refuses sums: those are `compiler.solvers.joint.price`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from compiler.cost.delivery import replicated_us
from compiler.cost.kernels import Draft
from compiler.cost.memory import NS_PER_US
from compiler.cost.patterns import bytes_per_ns
from compiler.cost.reductions import alone_bytes_per_ns, fused_us
from compiler.device import Device
from compiler.loops import OpKind
from compiler.solvers.joint.problem import Bill, Load


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The kernel around a step: what it writes, with what it loads into LX, and whether it has a single step."""

    inside: frozenset[str]
    lone: bool


def bill_of(draft: Draft, device: Device, around: Surroundings, shared: Mapping[str, int]) -> Bill:
    """The bill of a step; `shared` are inputs that the kernel loads once for several steps, with their operand."""
    rate = _rate(draft, device, around)
    memory, serial = [], [one.microseconds for one in draft.serial]
    serial += [draft.parts.copy.microseconds] if draft.parts.copy else []
    loads: dict[int, Load] = {}
    paid: dict[str, tuple[float, float]] = {}
    read = 0
    for load in draft.parts.loads:
        size = load.size_bytes * load.loads
        own = rate if load.loads == 1 else size / (NS_PER_US * replicated_us(device, size, 1, draft.parts.cores))
        burst = 0.0 if _alone(draft, around) else load.burst_us
        name = draft.names[load.place]
        if name in shared:
            place = shared[name]
            loads[place] = _joined(loads.get(place), Load(place, size, load.delivery_us, burst, own))
            continue
        read += 0 if own else size
        fresh, beyond = _fresh(paid, name if name not in around.inside else "", load.delivery_us, burst)
        memory += [size / own / NS_PER_US if own else 0.0, fresh]
        serial.append(beyond)
    written = sum(store.size_bytes for store in draft.parts.stores)
    memory += [store.indirect_us for store in draft.parts.stores]
    memory += [written / rate / NS_PER_US] if rate else []
    compute = math.fsum(one.microseconds for one in draft.parts.compute)
    return Bill(
        compute,
        _fused(draft, device, around),
        math.fsum(memory),
        math.fsum(serial),
        read,
        0 if rate else written,
        tuple(loads.values()),
    )


def _fresh(paid: dict[str, tuple[float, float]], name: str, delivery: float, burst: float) -> tuple[float, float]:
    """What comes on top of the bytes of a load: its delivery and what its bursts add; of an input from outside that a
    step reads twice only what is beyond the first time."""
    delivered, charged = paid.get(name, (0.0, 0.0))
    total, fresh = max(delivery, burst), max(0.0, delivery - delivered)
    if name:
        paid[name] = max(delivered, delivery), max(charged, total)
    return fresh, max(fresh, total - charged) - fresh


def _joined(one: Load | None, other: Load) -> Load:
    """Two reads of one input in a step: all bytes, and the dearer of what comes on top."""
    if one is None:
        return other
    delivery, burst = max(one.delivery_us, other.delivery_us), max(one.burst_us, other.burst_us)
    return replace(other, size_bytes=one.size_bytes + other.size_bytes, delivery_us=delivery, burst_us=burst)


def _alone(draft: Draft, around: Surroundings) -> bool:
    """True for a reduction that is a kernel of its own."""
    return around.lone and draft.pricer.op.kind is OpKind.REDUCTION and draft.parts.sighting is None


def _rate(draft: Draft, device: Device, around: Surroundings) -> float:
    """Bytes per ns of a step's traffic, 0 for the common rate."""
    if draft.parts.turned:
        return device.number("restickify_bytes_per_ns")
    if draft.parts.sighting is not None:
        return bytes_per_ns(device, draft.parts.sighting)
    return alone_bytes_per_ns(device, draft.pricer.rows, draft.parts.cores) if _alone(draft, around) else 0.0


def _fused(draft: Draft, device: Device, around: Surroundings) -> float:
    """Time of a reduction of values made in the kernel: only the slowest of a kernel counts."""
    op = draft.pricer.op
    places = draft.pricer.places
    inside = any(draft.names[places[read.buffer]] in around.inside for read, _ in draft.pricer.reads)
    return fused_us(device, op.iterations, draft.parts.cores) if op.kind is OpKind.REDUCTION and inside else 0.0
