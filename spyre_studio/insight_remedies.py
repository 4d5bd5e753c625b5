"""Insight remedies that are about the whole plan: a pipeline that decides more, or more time for the one there is.

Owns their words and when each is offered.  Refuses to say what they save: that is worked out by making the plan.
"""

from __future__ import annotations

from typing import Final

from spyre_studio.insight import Remedy
from spyre_studio.insight_facts import Facts

MOVELESS: Final = "moves=no"
"""What a pipeline says that makes no copies within LX, or to and from it."""


def moveless(facts: Facts) -> bool:
    """True if no pass of the pipeline makes moves, so that no pin to one can come about."""
    return MOVELESS in facts.compilation.plan.pipeline


def wholesale(facts: Facts) -> tuple[Remedy, ...]:
    """What changes how everything is decided: moves where there are none, then one search for all."""
    return (*((with_moves(facts),) if moveless(facts) else ()), joint(facts))


def with_moves(facts: Facts) -> Remedy:
    """The same pipeline, which may also bring buffers over the ring and clone them into and out of LX."""
    spec = facts.compilation.plan.pipeline.replace(MOVELESS, "moves=yes")
    return Remedy("Let the same pipeline move buffers over the ring and in and out of LX (moves=yes)", pipeline=spec)


def joint(facts: Facts) -> Remedy:
    """Let one search decide divisions, placement and moves together, or go on with it."""
    if facts.searched:
        return Remedy("Re-solve: the search goes on from this plan", view="compare", advice=True)
    words = "Let divisions, scratchpad and moves be decided together (pipeline co-optimized)"
    return Remedy(words, pipeline="co-optimized")
