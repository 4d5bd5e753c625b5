"""Matrix work: what a contraction asks of the matrix unit, and the partial sums it hands on.

Owns multiply-accumulates per core, the rate they run at, and hops.  Refuses operands' transfers: see `ways`.
"""

from __future__ import annotations

import numpy as np

from compiler.layout import STICK_BYTES
from compiler.loops import OpKind
from compiler.machine import MachineUnit
from simulator.timing.case import CONTRACTIONS, Case
from simulator.timing.product import product_of
from simulator.timing.work import Counts, Hop

NS_PER_US = 1000.0
PARTIAL_BYTES = 4
"""Bytes of one element of a partial result: sums go on in fp32."""


def macs_of(case: Case) -> Counts:
    """Multiply-accumulates of each core, with the rows that the array needs in one pass filled up."""
    product = product_of(case.op)
    rows = case.count(product.rows)
    rest = case.count({loop.name for loop in case.op.loops} - product.rows)
    at_once = case.device.count("fill_floor_rows")
    return np.asarray(-(-rows // at_once) * at_once * rest, dtype=np.int64)


def matrix_rate(case: Case, unit: MachineUnit) -> float:
    """Multiply-accumulates per ns of one core: of one corelet where partial sums go on, and no more than operands
    allow that are walked across their batches (facts 1.1, 6.4)."""
    instances = case.device.count(unit.instances) if unit.instances else 1
    rate = min(case.device.number(unit.rate), _batched_rate(case))
    return rate / instances if case.split else rate


def _batched_rate(case: Case) -> float:
    """The highest rate of a product whose operands have a batch dim just before the stick; infinite for others."""
    if case.op.kind is not OpKind.MATMUL:
        return np.inf
    product, number = product_of(case.op), case.device.number
    crossed = []
    for reads in (product.left, product.right):
        moved = [one for one in case.reads if set(one.reads) & set(reads)]
        inner = frozenset().union(*(one.reach.movers(-2) for one in moved if len(one.tensor.layout.device_size) > 1))
        crossed.append(inner & product.outer)
    loops = crossed[0] | crossed[1]
    batches = int(np.prod([loop.extent for loop in case.op.loops if loop.name in loops], dtype=np.int64))
    if not loops:
        return np.inf
    if not all(crossed):
        few = batches <= number("half_batched_few")
        return number("half_batched_few_mac_per_ns_core" if few else "half_batched_mac_per_ns_core")
    many = batches >= number("batched_least_batch") and len(case.parts) >= number("batched_least_cores")
    return number("batched_mac_per_ns_core") if many else np.inf


def hops_of(case: Case) -> tuple[Hop, ...]:
    """One hop for every core that hands its partial result on, in order of cores; none is faster than the ring."""
    if not case.split:
        return ()
    batched = case.op.kind in CONTRACTIONS and bool(product_of(case.op).batch)
    each = case.device.number("partial_sum_us_batched" if batched else "partial_sum_us_shared") * NS_PER_US
    results = case.count({loop.name for loop in case.op.output_loops})
    sizes = -(-results * PARTIAL_BYTES // STICK_BYTES) * STICK_BYTES
    times = np.maximum(results * each, sizes / case.device.number(case.routes.ring().rate))
    return tuple(
        Hop(part.core, part.pass_to, ns, size)
        for part, ns, size in zip(case.parts, times.tolist(), sizes.tolist(), strict=True)
        if part.pass_to >= 0
    )
