"""Pins for everything that is alike: what one op or buffer has, for all that are the same.

Owns which pins these are, and the words with their count.  Refuses Qt, and to judge a pin: the passes say what became
of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from compiler.compilation import Compilation
from compiler.pins import Pins
from compiler.plan import Slot
from spyre_studio.alike import alike_buffers, alike_ops
from spyre_studio.pin_tables import with_division, with_layout, with_order, with_placement, with_relayout, without
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
    after = pins
    for name in names:
        after = with_division(after, name, wanted)
    return Alike("op", op, names, after)


def alike_buffer(compilation: Compilation, pins: Pins, buffer: str) -> Alike | None:
    """To pin all buffers alike as this one is pinned, else to where it lies; None where there is only one of them."""
    names = alike_buffers(compilation.problem.program, buffer)
    if len(names) < 2:
        return None
    source = pins
    if not any(buffer in getattr(pins, table) for table in _OF_BUFFERS):
        place = compilation.plan.placement.get(buffer)
        source = with_placement(pins, buffer, "lx" if isinstance(place, Slot) else "hbm")
    after = source
    for name in names:
        after = _as(source, after, buffer, name)
    return Alike("buffer", buffer, names, after)


def _as(source: Pins, after: Pins, buffer: str, name: str) -> Pins:
    """Pins with those of `buffer` on another one."""
    if buffer in source.placement:
        after = with_placement(after, name, source.placement[buffer])
    if buffer in source.layout:
        after = with_layout(after, name, source.layout[buffer])
    if buffer in source.order:
        after = with_order(after, name, source.order[buffer])
    if buffer in source.relayout:
        after = with_relayout(after, name, source.relayout[buffer])
    return after


def unpinned_alike(compilation: Compilation, pins: Pins, name: str) -> tuple[int, Pins]:
    """How many pins there are on everything like this op or buffer, and the pins without them."""
    program = compilation.problem.program
    names = {*alike_ops(program, name), *alike_buffers(program, name)}
    keys = [key for key in pins.keys if key.partition(":")[2] in names]
    after = replace(pins)
    for key in keys:
        after = without(after, key)
    return len(keys), after


def unpin_words(count: int) -> str:
    """Example: 'Unpin everything like this (40 pins)'."""
    return f"Unpin everything like this ({format_count(count, 'pin')})"
