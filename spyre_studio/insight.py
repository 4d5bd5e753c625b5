"""Insight: one finding about a plan, what it costs, where it shows, and the nearest remedy.

Owns the values, what a remedy makes of pins, and when a saving counts as one.  Refuses to find anything: `insight_kinds`
has the table of what is looked for, `insight_trials` works out what remedies save.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from frozendict import frozendict

from compiler.pins import Pins

LEAST_US: Final = 0.005
"""Times below this round to nothing in every list: a smaller saving is told as none."""
_TABLES: Final = ("division", "layout", "placement", "tiles", "order", "same", "relayout")


class Basis(StrEnum):
    """Where a saving comes from: the plan was made again with the remedy, a search of limited time was (which finds
    something else on another day), or nobody has worked it out."""

    SOLVED = "solved"
    SEARCHED = "searched"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Saving:
    """What a remedy saves of the plan's predicted time, in us; below zero where the plan would take longer.

    `note` says what became of the pins that the remedy set, if that is not what was asked for.
    """

    us: float = 0.0
    basis: Basis = Basis.OPEN
    note: str = ""

    @property
    def known(self) -> bool:
        """True if somebody has worked it out."""
        return self.basis is not Basis.OPEN

    @property
    def helps(self) -> bool:
        """True if it is known to save time."""
        return self.known and self.us > LEAST_US


OPEN: Final = Saving()


@dataclass(frozen=True, slots=True)
class Remedy:
    """Something that can be done, in words: pins that are set (`more`) and removed (`less`, by key), another pipeline,
    or a view to look at.  It may be several of these; `view` alone changes nothing."""

    words: str
    more: Pins = field(default_factory=Pins)
    less: tuple[str, ...] = ()
    pipeline: str = ""
    view: str = ""
    saving: Saving = OPEN

    @property
    def changes(self) -> bool:
        """True if it would make another plan."""
        return bool(self.more or self.less or self.pipeline)

    def pins(self, before: Pins) -> Pins:
        """The pins with it done."""
        kept = {name: _without(getattr(before, name), name, self.less) for name in _TABLES}
        for name in ("division", "same"):  # one op has a division of its own or that of another
            other = "same" if name == "division" else "division"
            gone = tuple(f"{other}:{op}" for op in getattr(self.more, name))
            kept[other] = _without(kept[other], other, gone)
        merged = {name: kept[name] | getattr(self.more, name) for name in _TABLES}
        return replace(before, **merged)


def _without(table: Mapping[str, object], kind: str, keys: tuple[str, ...]) -> frozendict[str, object]:
    return frozendict((name, value) for name, value in table.items() if f"{kind}:{name}" not in keys)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where it shows: steps, buffers and cores by name, the first ones first, and the view that shows it best."""

    steps: tuple[str, ...] = ()
    buffers: tuple[str, ...] = ()
    core: int | None = None
    view: str = "inspector"


@dataclass(frozen=True, slots=True)
class Insight:
    """A finding.  `kind` is a key of KINDS, `subject` tells findings of a kind apart.

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
