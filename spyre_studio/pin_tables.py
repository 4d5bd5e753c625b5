"""Pin tables: new pins from old ones, a pin more or less at a time.

Owns the arithmetic on pins: what takes the place of what, and what cannot stand beside it.  Refuses Qt, and to judge a
pin: the passes say what became of it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TypeVar

from frozendict import frozendict

from compiler.pins import Pins

T = TypeVar("T")


def with_division(pins: Pins, op: str, factors: Mapping[str, int]) -> Pins:
    """Pins with this division of an op; the first loop is the first to be divided.  It takes the place of a pin to the
    division of another op."""
    return _divided(pins, {op: frozendict(factors)})


def with_same(pins: Pins, op: str, other: str) -> Pins:
    """Pins with the division of another op for an op, in place of a division of its own.  ValueError if both are one.

    >>> with_same(with_division(Pins(), "a", {"i": 4}), "a", "b").keys
    ('same:a',)
    """
    if op == other:
        raise ValueError(f"{op} always has its own division")
    same = _less(pins.same, {other}) if pins.same.get(other) == op else pins.same  # else neither would be divided first
    return replace(pins, same=same.set(op, other), division=_less(pins.division, {op}))


def with_relayout(pins: Pins, buffer: str, way: str) -> Pins:
    """Pins with a buffer that goes over the `ring`, or never (`none`).  Over the ring go buffers in LX only: a pin to
    device memory goes."""
    return _relaid(pins, {buffer: way})


def with_layout(pins: Pins, buffer: str, dim: int) -> Pins:
    """Pins with this host dim of a buffer cut into sticks; a pinned dim order with other sticks goes."""
    return _laid_out(pins, {buffer: dim})


def with_order(pins: Pins, buffer: str, order: tuple[int, ...]) -> Pins:
    """Pins with this dim order of a buffer's layout."""
    return replace(pins, order=pins.order.set(buffer, order))


def with_placement(pins: Pins, buffer: str, where: str) -> Pins:
    """Pins with a buffer in `lx` or `hbm`; from there nothing goes over the ring, so that a pin to that goes."""
    return _placed(pins, {buffer: where})


def without(pins: Pins, *keys: str) -> Pins:
    """Pins without those of these keys, such as `division:OP`; the same pins if there are none."""
    names: dict[str, set[str]] = {}
    for kind, _, name in (key.partition(":") for key in keys):
        if name in getattr(pins, kind, ()):
            names.setdefault(kind, set()).add(name)
    return replace(pins, **{kind: _less(getattr(pins, kind), gone) for kind, gone in names.items()}) if names else pins


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
    """Pins with more of them, which take the place of what they exclude.  As long as one pin takes, however many."""
    pins = _divided(pins, more.division)
    for op, other in more.same.items():
        pins = with_same(pins, op, other)
    pins = _laid_out(pins, more.layout)
    pins = replace(pins, order=pins.order | more.order, tiles=pins.tiles | more.tiles)
    return _relaid(_placed(pins, more.placement), more.relayout)


def _divided(pins: Pins, division: Mapping[str, frozendict[str, int]]) -> Pins:
    return replace(pins, division=pins.division | division, same=_less(pins.same, division))


def _laid_out(pins: Pins, layout: Mapping[str, int]) -> Pins:
    other = {name for name, dim in layout.items() if pins.order.get(name, (dim,))[-1:] != (dim,)}
    return replace(pins, layout=pins.layout | layout, order=_less(pins.order, other))


def _placed(pins: Pins, placement: Mapping[str, str]) -> Pins:
    out = {name for name, where in placement.items() if where == "hbm" and pins.relayout.get(name) == "ring"}
    return replace(pins, placement=pins.placement | placement, relayout=_less(pins.relayout, out))


def _relaid(pins: Pins, relayout: Mapping[str, str]) -> Pins:
    out = {name for name, way in relayout.items() if way == "ring" and pins.placement.get(name) == "hbm"}
    return replace(pins, relayout=pins.relayout | relayout, placement=_less(pins.placement, out))


def _less(table: frozendict[str, T], names: Collection[str]) -> frozendict[str, T]:
    if not any(name in table for name in names):
        return table
    return frozendict((name, value) for name, value in table.items() if name not in names)
