"""Pin tables: new pins from old ones, a pin more or less at a time.

Owns the arithmetic on pins: what takes the place of what, and what cannot stand beside it.  Refuses Qt, and to judge a
pin: the passes say what became of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from frozendict import frozendict

from compiler.pins import Pins

T = TypeVar("T")


def with_division(pins: Pins, op: str, factors: Mapping[str, int]) -> Pins:
    """Pins with this division of an op; the first loop is the first to be divided.  It takes the place of a pin to the
    division of another op."""
    return replace(pins, division=pins.division.set(op, frozendict(factors)), same=_less(pins.same, op))


def with_same(pins: Pins, op: str, other: str) -> Pins:
    """Pins with the division of another op for an op, in place of a division of its own.  ValueError if both are one.

    >>> with_same(with_division(Pins(), "a", {"i": 4}), "a", "b").keys
    ('same:a',)
    """
    if op == other:
        raise ValueError(f"{op} always has its own division")
    same = _less(pins.same, other) if pins.same.get(other) == op else pins.same  # else neither would be divided first
    return replace(pins, same=same.set(op, other), division=_less(pins.division, op))


def with_relayout(pins: Pins, buffer: str, way: str) -> Pins:
    """Pins with a buffer that goes over the `ring`, or never (`none`).  Over the ring go buffers in LX only: a pin to
    device memory goes."""
    out = way == "ring" and pins.placement.get(buffer) == "hbm"
    placement = _less(pins.placement, buffer) if out else pins.placement
    return replace(pins, relayout=pins.relayout.set(buffer, way), placement=placement)


def with_layout(pins: Pins, buffer: str, dim: int) -> Pins:
    """Pins with this host dim of a buffer cut into sticks; a pinned dim order with other sticks goes."""
    order = pins.order if pins.order.get(buffer, (dim,))[-1:] == (dim,) else _less(pins.order, buffer)
    return replace(pins, layout=pins.layout.set(buffer, dim), order=order)


def with_order(pins: Pins, buffer: str, order: tuple[int, ...]) -> Pins:
    """Pins with this dim order of a buffer's layout."""
    return replace(pins, order=pins.order.set(buffer, order))


def with_placement(pins: Pins, buffer: str, where: str) -> Pins:
    """Pins with a buffer in `lx` or `hbm`; from there nothing goes over the ring, so that a pin to that goes."""
    ring = where == "hbm" and pins.relayout.get(buffer) == "ring"
    relayout = _less(pins.relayout, buffer) if ring else pins.relayout
    return replace(pins, placement=pins.placement.set(buffer, where), relayout=relayout)


def without(pins: Pins, key: str) -> Pins:
    """Pins without the one of this key, such as `division:OP`; the same pins if there is none."""
    kind, _, name = key.partition(":")
    match kind:
        case "division":
            return replace(pins, division=_less(pins.division, name))
        case "layout":
            return replace(pins, layout=_less(pins.layout, name))
        case "placement":
            return replace(pins, placement=_less(pins.placement, name))
        case "tiles":
            return replace(pins, tiles=_less(pins.tiles, name))
        case "order":
            return replace(pins, order=_less(pins.order, name))
        case "same":
            return replace(pins, same=_less(pins.same, name))
        case "relayout":
            return replace(pins, relayout=_less(pins.relayout, name))
        case _:
            return pins


def only(pins: Pins, key: str) -> Pins:
    """The pin of this key alone; no pins if there is none.

    >>> only(with_placement(with_layout(Pins(), "x", 1), "x", "lx"), "layout:x").keys
    ('layout:x',)
    """
    found = Pins()
    for other in (one for one in pins.keys if one == key):
        kind, _, name = other.partition(":")
        found = replace(found, **{kind: frozendict({name: getattr(pins, kind)[name]})})
    return found


def joined(pins: Pins, more: Pins) -> Pins:
    """Pins with more of them, which take the place of what they exclude."""
    for op, factors in more.division.items():
        pins = with_division(pins, op, factors)
    for op, other in more.same.items():
        pins = with_same(pins, op, other)
    for buffer, dim in more.layout.items():
        pins = with_layout(pins, buffer, dim)
    for buffer, order in more.order.items():
        pins = with_order(pins, buffer, order)
    for buffer, where in more.placement.items():
        pins = with_placement(pins, buffer, where)
    for buffer, way in more.relayout.items():
        pins = with_relayout(pins, buffer, way)
    return replace(pins, tiles=pins.tiles | more.tiles)


def _less(table: frozendict[str, T], name: str) -> frozendict[str, T]:
    return table.delete(name) if name in table else table
