"""Usage: how much each unit worked on each core, and what each access of each step moved.

Owns sums over spans and work.  Refuses to weigh them: which share is good is for people to say.
"""

from __future__ import annotations

import numpy as np

from simulator.timing.work import OpWork, Way
from simulator.trace import Spans, Traffic, UnitUse


def unit_use(spans: Spans, units: tuple[str, ...], cores: int, total_ps: int) -> tuple[UnitUse, ...]:
    """The share of the run in which each unit of a core worked; lanes of the card are left out."""
    length = spans.busy_ps.astype(np.float64)
    found = []
    for number, unit in enumerate(units):
        mine = (spans.unit == number) & (spans.core >= 0)
        busy = np.bincount(spans.core[mine], weights=length[mine], minlength=cores)
        found.append(UnitUse(unit, tuple((busy / total_ps if total_ps else busy * 0).tolist())))
    return tuple(found)


def traffic_of(work: tuple[OpWork, ...], tensors: dict[str, int]) -> tuple[Traffic, ...]:
    """One entry per access, in order, and one for partial results on their way to what is written; `tensors` numbers
    their names."""
    found: list[Traffic] = []
    for step, one in enumerate(work):
        for operand in one.operands:
            tensor, delivered = tensors[operand.tensor], int(operand.bytes.sum())
            moved = delivered if operand.way is Way.RING else int(operand.charged.sum())
            found.append(Traffic(step, tensor, operand.write, str(operand.way), moved, delivered))
        passed = sum(hop.bytes for hop in one.hops)
        if passed:
            written = next(operand.tensor for operand in one.operands if operand.write)
            found.append(Traffic(step, tensors[written], True, str(Way.RING), passed, passed))
    return tuple(found)
