"""Better: a division that an op could have instead of its own, ready to be shown.

Owns the value that goes from the worker to the window.  Refuses to price: `insight_trials` asks the compiler.
"""

from __future__ import annotations

from dataclasses import dataclass

from frozendict import frozendict


@dataclass(frozen=True, slots=True)
class Better:
    """`now_us` and `then_us` are the times of the step priced alone, with all buffers where they are; `cores` is how
    many the other division uses."""

    op: str
    factors: frozendict[str, int]
    now_us: float
    then_us: float
    cores: int
