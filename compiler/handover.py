"""Handover: a buffer that one step writes and another reads on other cores, and what each way out of that costs.

Owns the value that lists of ways show.  Refuses to compute: `compiler.handovers` fills it in.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from frozendict import frozendict


class WayKind(StrEnum):
    """How a reader can get at data that other cores hold."""

    SPILL = "spill"
    RELAYOUT = "relayout"
    READER_FOLLOWS = "reader-follows"
    WRITER_FOLLOWS = "writer-follows"


@dataclass(frozen=True, slots=True)
class Way:
    """One way out: the time that the plan takes beyond that with the divisions of now and the buffer in LX.

    `factors` is the division that the reader (or writer) would have, empty for a spill and a relayout.  Without
    `possible` the price is what it would be (0 where there is none), and `why_not` says what is missing.  `words` and
    `inputs` are the formula behind the price.
    """

    kind: WayKind
    possible: bool
    extra_us: float
    words: str
    inputs: str
    factors: frozendict[str, int]
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Handover:
    """The ways out for one buffer between one writer and one reader, cheapest possible one first."""

    buffer: str
    writer: str
    reader: str
    ways: tuple[Way, ...]
