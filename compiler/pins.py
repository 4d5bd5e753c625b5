"""Pins: what the user fixed, and how each pin ended.

A pin is a partial Plan.  Owns the pin tables and their status; refuses to drop one: every pin of a Pins has a key,
and every key must come back with a `PinStatus`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from frozendict import frozendict


class PinState(StrEnum):
    """How a pin ended."""

    HONOURED = "honoured"
    ADJUSTED = "adjusted"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class PinStatus:
    """State and, for adjusted and refused pins, a sentence that says how or why."""

    state: PinState
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Pins:
    """What is fixed, by the name of the op or buffer.

    division: {loop: factor}, the first has the highest priority; `d0`, `d1` .. stand for dims of the result.
    layout: host dim cut into sticks; order: dim order of the layout; placement: "lx" or "hbm"; tiles: {loop: count}.
    same: the op whose division an op has to share; relayout: "ring" where a buffer in LX has to reach cores that do not
    hold it over the ring, "none" where it must not.
    """

    division: frozendict[str, frozendict[str, int]] = field(default_factory=frozendict)
    layout: frozendict[str, int] = field(default_factory=frozendict)
    placement: frozendict[str, str] = field(default_factory=frozendict)
    tiles: frozendict[str, frozendict[str, int]] = field(default_factory=frozendict)
    order: frozendict[str, tuple[int, ...]] = field(default_factory=frozendict)
    same: frozendict[str, str] = field(default_factory=frozendict)
    relayout: frozendict[str, str] = field(default_factory=frozendict)

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys of all pins: `division:OP`, `layout:BUFFER`, `placement:BUFFER`, `tiles:OP`, `order:BUFFER`,
        `same:OP`, `relayout:BUFFER`."""
        tables = (
            ("division", self.division),
            ("layout", self.layout),
            ("placement", self.placement),
            ("tiles", self.tiles),
            ("order", self.order),
            ("same", self.same),
            ("relayout", self.relayout),
        )
        return tuple(f"{kind}:{name}" for kind, table in tables for name in table)

    def __bool__(self) -> bool:
        return bool(self.keys)
