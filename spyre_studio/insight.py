"""Insight: one finding about a plan, what it costs, where it shows, and the nearest remedy.

Owns the values, what a remedy makes of pins, and when a saving counts as one.  Refuses to find anything: `insights` has
the table of what is looked for, `insight_trials` works out what remedies save.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import reduce
from typing import Final

from compiler.pins import Pins
from spyre_studio.pin_tables import with_division, with_layout, with_placement, with_relayout, with_same, without

LEAST_US: Final = 0.005
"""Times below this round to nothing in every list: a smaller saving is told as none."""


class Basis(StrEnum):
    """Where a saving comes from: the plan was made again with the remedy, a search of limited time was (which finds
    something else on another day), or nobody has worked it out."""

    SOLVED = "solved"
    SEARCHED = "searched"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Saving:
    """What a remedy saves of the plan's predicted time, in us; below zero where the plan would take longer.

    `note` says what became of the pins that the remedy set, if that is not what was asked for; `refused`: one of them
    was refused, or there is no plan, so that the remedy is none.
    """

    us: float = 0.0
    basis: Basis = Basis.OPEN
    note: str = ""
    refused: bool = False

    @property
    def known(self) -> bool:
        """True if somebody has worked it out."""
        return self.basis is not Basis.OPEN

    @property
    def helps(self) -> bool:
        """True if it is known to save time."""
        return self.known and not self.refused and self.us > LEAST_US


OPEN: Final = Saving()


@dataclass(frozen=True, slots=True)
class Remedy:
    """Something that can be done, in words: pins that are set (`more`; of divisions, layouts, placement and relayouts)
    and removed (`less`, by key), another pipeline, or a view to look at.  It may be several; `view` changes nothing.

    `advice`: the words say what a person could do, and not only where to look.
    """

    words: str
    more: Pins = field(default_factory=Pins)
    less: tuple[str, ...] = ()
    pipeline: str = ""
    view: str = ""
    saving: Saving = OPEN
    advice: bool = False

    @property
    def changes(self) -> bool:
        """True if it would make another plan."""
        return bool(self.more or self.less or self.pipeline)

    def pins(self, before: Pins) -> Pins:
        """The pins with it done."""
        made = reduce(without, self.less, before)
        for op, factors in self.more.division.items():
            made = with_division(made, op, factors)
        for op, other in self.more.same.items():
            made = with_same(made, op, other)
        for buffer, dim in self.more.layout.items():
            made = with_layout(made, buffer, dim)
        for buffer, where in self.more.placement.items():
            made = with_placement(made, buffer, where)
        for buffer, way in self.more.relayout.items():
            made = with_relayout(made, buffer, way)
        return made


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where it shows: steps, buffers and cores by name, the first ones first, and the view that shows it best."""

    steps: tuple[str, ...] = ()
    buffers: tuple[str, ...] = ()
    core: int | None = None
    view: str = "inspector"


@dataclass(frozen=True, slots=True)
class Insight:
    """A finding.  `kind` is a key of KINDS, `subject` tells findings of a kind apart, `title` says it for people.

    `cost_us` is the time that goes to it; with `rough`, that is figured from bytes and not a term of the price.
    `cost_bytes` are moved from and to device memory.  `urgent`: what was asked for did not come about.
    `remedies` are tried in this order; the best known one is the `nearest`.
    """

    kind: str
    subject: str
    sentence: str
    cost_us: float = 0.0
    cost_bytes: int = 0
    evidence: Evidence = Evidence()
    remedies: tuple[Remedy, ...] = ()
    rough: bool = False
    urgent: bool = False
    title: str = ""

    @property
    def name(self) -> str:
        """What it is about, in a word or two."""
        return self.title or self.subject

    @property
    def key(self) -> str:
        """Names it in this plan and in the next one."""
        return f"{self.kind}:{self.subject}"

    @property
    def nearest(self) -> Remedy | None:
        """The remedy that is known to save most, else the first that is not known to save nothing, else the first."""
        helping = [remedy for remedy in self.remedies if remedy.saving.helps]
        if helping:
            return max(helping, key=lambda remedy: remedy.saving.us)
        open_ones = [remedy for remedy in self.remedies if not remedy.saving.known]
        return next(iter([*open_ones, *self.remedies]), None)

    def with_remedies(self, remedies: tuple[Remedy, ...]) -> Insight:
        """The same finding with these."""
        return replace(self, remedies=remedies)
