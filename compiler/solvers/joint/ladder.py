"""Ladder: the weights of compute and memory that are tried one after the other.

Owns where it begins and how it goes on.  Kernels take the larger of the two, so that a weighted sum bounds the time,
and best where both take equally long or all the weight is on the larger one.  Refuses to solve.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from compiler.solvers.joint.tables import Weights

if TYPE_CHECKING:
    from compiler.solvers.joint.exact import Search

FIRST_PART, LEAST_PART = 0.016, 0.001
LOPSIDED = 0.1  # the lesser of compute and memory over the other, below which it hardly counts
STEEP = 3.0  # by how much a weight changes until both sides of the best one are known
NARROW = 0.15
LITTLE = 5e-4  # a share of the bound that is not worth another step


def ladder(found: Search) -> Iterator[Weights]:
    """Weights that close in on those under which compute and memory take equally long, `tried` telling which of the two
    the last answer was bound by; until the work is spent, or nothing comes of it.

    They begin with little of whichever takes less in the best answer so far; `part` is what that one counts.
    """
    led, part = found.balance > 1, _first_part(found)
    low, high = 0.0, 1.0
    while part < 1.0 and high - low > NARROW * high and found.work < found.allowance and not found.over:
        before = found.bound_us
        found.tried = None
        yield _weights(part, led)
        if not found.answered:
            return
        if found.compute_bound != led:
            low = part
        else:
            high = part
        gained = found.bound_us - before > LITTLE * max(0.0, found.bound_us)
        if not gained and low and high < 1.0:
            return
        part = min(part * STEEP, 1 - FIRST_PART) if high == 1.0 else math.sqrt(low * high) if low else part / STEEP
        if (part > 1 - 2 * FIRST_PART and low >= part) or part < LEAST_PART / 2:
            return


def first_weights(found: Search) -> Weights:
    """The weights that a ladder begins with."""
    return _weights(_first_part(found), found.balance > 1)


def _first_part(found: Search) -> float:
    """What the lesser of compute and memory counts at first."""
    balance = found.balance
    less = min(balance, 1 / balance) if balance else 0.0
    return LEAST_PART if found.long and less < LOPSIDED else FIRST_PART


def _weights(part: float, led: bool) -> Weights:
    """Weights of which one side has a part: memory if compute takes the lead, else compute."""
    return Weights(1.0 - part, part) if led else Weights(part, 1.0 - part)
