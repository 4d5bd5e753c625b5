"""Vector work: what pointwise steps, reductions and turning copies ask of the vector unit.

Owns bytes and busy times of that unit, and which copies need none.  Refuses contractions.
"""

from __future__ import annotations

import numpy as np

from compiler.loops import Apply, Instruction, Load, OpKind
from compiler.machine import MachineUnit
from simulator.timing.case import Case, Moved
from simulator.timing.ways import card_rate
from simulator.timing.work import Counts, Times

ALONE = "reduction_share_cores_1"


def is_plain_copy(case: Case) -> bool:
    """True if data goes in or out of the card's memory as it is: then nothing is computed."""
    if not _copies(case) or turns(case):
        return False
    return len(case.reads) == 1 and any(one.on_card for one in case.moved)


def turns(case: Case) -> bool:
    """True for a copy whose result has other sticks than what it reads."""
    if not _copies(case) or len(case.reads) != 1:
        return False
    source, target = case.reads[0], case.writes[0]
    both = case.op.reads[source.reads[0]].index.loop_names & case.op.write.index.loop_names
    return source.reach.movers(-1) & both != target.reach.movers(-1) & both


def walked(case: Case) -> Counts:
    """Bytes that the vector unit goes over: the longest of a core's operands."""
    return np.asarray(np.max([one.bytes for one in case.moved], axis=0), dtype=np.int64)


def vector_busy(case: Case, unit: MachineUnit) -> Times:
    """Time of a core's vector unit for all of a step: it goes over every byte once, at least."""
    size, rate = walked(case), case.device.number(unit.rate)
    if turns(case):
        return np.maximum(size / rate, size / case.device.number("transpose_bytes_per_ns_core"))
    count = sum(_computes(case.op.body, place) for place in range(len(case.op.body)))
    if case.op.kind is OpKind.REDUCTION:
        return np.maximum(size / rate, _folding(case) + size * count / rate)
    return size * max(1, count) / rate


def _folding(case: Case) -> Times:
    """Time to fold the elements a core reads: a chain inside LX, or as fast as one core takes them from the card."""
    elements = case.count({loop.name for loop in case.op.loops})
    source: Moved | None = max(case.reads, key=lambda one: int(one.bytes.sum()), default=None)
    if source is None or not source.on_card:
        return elements / case.device.number("fused_reduction_elements_per_ns_core")
    return elements * source.tensor.layout.element_bytes / (card_rate(case) * case.device.number(ALONE))


def _copies(case: Case) -> bool:
    return case.op.kind is OpKind.POINTWISE and all(isinstance(step, Load) for step in case.op.body)


def _computes(body: tuple[Instruction, ...], place: int) -> bool:
    """True for an instruction that works on data, not only on loop values and constants."""
    step = body[place]
    return isinstance(step, Apply) and step.primitive != "identity" and _loads(body, place)


def _loads(body: tuple[Instruction, ...], place: int) -> bool:
    step = body[place]
    return isinstance(step, Load) or (isinstance(step, Apply) and any(_loads(body, arg) for arg in step.args))
