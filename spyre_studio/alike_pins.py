"""Pins for everything that is alike: what one op or buffer has, for all that are the same.

Owns which pins these are, and the words with their count.  Refuses Qt, and to judge a pin: the passes say what became
of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.pins import Pins
from compiler.plan import Slot
from spyre_studio.alike import alike_buffers, alike_ops
from spyre_studio.pin_tables import joined, with_placement, without
from spyre_studio.units import format_count

_OF_BUFFERS: Final = ("placement", "layout", "order", "relayout")


@dataclass(frozen=True, slots=True)
class Alike:
    """`names` are all that are the same, the one it is about among them; `after` the pins with all of them pinned."""

    noun: str
    name: str
    names: tuple[str, ...]
    after: Pins

    @property
    def words(self) -> str:
        """Example: 'Pin 40 ops like this'."""
        return f"Pin {format_count(len(self.names), self.noun)} like this"


def alike_op(compilation: Compilation, pins: Pins, op: str, factors: Mapping[str, int] | None = None) -> Alike | None:
    """To pin all ops alike to these factors, else to those that `op` is pinned to, else to those of the plan.  None
    where there is only one such op."""
    names = alike_ops(compilation.problem.program, op)
    if len(names) < 2:
        return None
    division = compilation.plan.divisions.get(op)
    of_plan = division.factors if division is not None else {}
    wanted = factors if factors is not None else pins.division.get(op, of_plan)
    return Alike("op", op, names, joined(pins, Pins(division=frozendict.fromkeys(names, frozendict(wanted)))))


def alike_buffer(compilation: Compilation, pins: Pins, buffer: str) -> Alike | None:
    """To pin all buffers alike as this one is pinned, else to where it lies; None where there is only one of them."""
    names = alike_buffers(compilation.problem.program, buffer)
    if len(names) < 2:
        return None
    source = pins
    if not any(buffer in getattr(pins, table) for table in _OF_BUFFERS):
        place = compilation.plan.placement.get(buffer)
        source = with_placement(pins, buffer, "lx" if isinstance(place, Slot) else "hbm")
    like = {
        table: frozendict.fromkeys(names, getattr(source, table)[buffer])
        for table in _OF_BUFFERS
        if buffer in getattr(source, table)
    }
    return Alike("buffer", buffer, names, joined(source, Pins(**like)))


def unpinned_alike(compilation: Compilation, pins: Pins, name: str) -> tuple[int, Pins]:
    """How many pins there are on everything like this op or buffer, and the pins without them."""
    program = compilation.problem.program
    names = {*alike_ops(program, name), *alike_buffers(program, name)}
    keys = [key for key in pins.keys if key.partition(":")[2] in names]
    return len(keys), without(pins, *keys)


def unpin_words(count: int) -> str:
    """Example: 'Unpin everything like this (40 pins)'."""
    return f"Unpin everything like this ({format_count(count, 'pin')})"
