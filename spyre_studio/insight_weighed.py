"""Weighed: what the compiler was asked about a plan for its insights, ready to be shown.

Owns the values that go from the worker to the window: better divisions, and what remedies save.  Refuses to work them
out: `insight_trials` does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from frozendict import frozendict

from spyre_studio.insight import Saving


@dataclass(frozen=True, slots=True)
class Better:
    """`now_us` and `then_us` are the times of the step priced alone, with all buffers where they are; `cores` is how
    many the other division uses."""

    op: str
    factors: frozendict[str, int]
    now_us: float
    then_us: float
    cores: int


@dataclass(frozen=True, slots=True)
class Trial:
    """What the remedy at this place of an insight saves."""

    key: str
    place: int
    saving: Saving


@dataclass(frozen=True, slots=True)
class Weighed:
    """What the compiler was asked about a plan: better divisions, and savings of remedies.  `left_out` remedies were
    not tried, because there are too many for the size of the plan."""

    better: tuple[Better, ...] = ()
    trials: tuple[Trial, ...] = ()
    left_out: int = 0


NOT_WEIGHED: Final = Weighed()
