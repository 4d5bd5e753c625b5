"""Changes of pins: in words, and as one step of undo.

Owns what a step is called.  Refuses to judge a pin: the passes say what became of it.
"""

from __future__ import annotations

from collections.abc import Callable

from frozendict import frozendict
from PySide6.QtGui import QUndoCommand

from compiler.pins import Pins
from spyre_studio.pin_tables import (
    with_division,
    with_layout,
    with_order,
    with_placement,
    with_relayout,
    with_same,
    without,
)
from spyre_studio.units import format_count

__all__ = [
    "PinChange",
    "describe",
    "with_division",
    "with_layout",
    "with_order",
    "with_placement",
    "with_relayout",
    "with_same",
    "without",
]

_TABLES = ("division", "layout", "placement", "tiles", "order", "same", "relayout")
_ABOUT = {"order": "layout", "same": "division"}
"""Tables that fix another side of what the table behind them fixes."""
_OF_OPS = ("division", "tiles")


def describe(before: Pins, after: Pins) -> str:
    """What a step of undo is called.

    >>> describe(Pins(), with_placement(Pins(), "x", "hbm"))
    'Pin placement of x'
    """
    old, new = _entries(before), _entries(after)
    changed = [key for key in new if old.get(key) != new[key]]
    gone = [key for key in old if key not in new]
    about = {_subject(key) for key in changed or gone}
    beside = {_subject(key)[1] for key in gone} - {name for _, name in about}
    if len(about) != 1 or beside:
        return _of_many({kind for kind, _ in about}, len(about), bool(changed)) if new else "Remove all pins"
    kind, name = about.pop()
    return f"{'Pin' if changed else 'Unpin'} {kind} of {name}"


def _of_many(kinds: set[str], count: int, pinned: bool) -> str:
    """Example: 'Pin division of 40 ops'."""
    if len(kinds) != 1 or count < 2:
        return "Change pins"
    kind = kinds.pop()
    noun = "op" if kind in _OF_OPS else "buffer"
    return f"{'Pin' if pinned else 'Unpin'} {kind} of {format_count(count, noun)}"


def _subject(key: str) -> tuple[str, str]:
    """What a pin is about; the order of dims is a part of a layout, and so on."""
    kind, _, name = key.partition(":")
    return _ABOUT.get(kind, kind), name


def _entries(pins: Pins) -> dict[str, object]:
    """Every pin by its key; the order of loops counts."""
    return {f"{kind}:{name}": _plain(pin) for kind in _TABLES for name, pin in getattr(pins, kind).items()}


def _plain(pin: object) -> object:
    return tuple(pin.items()) if isinstance(pin, frozendict) else pin


class PinChange(QUndoCommand):
    """One step of undo: the pins before and after."""

    def __init__(self, before: Pins, after: Pins, apply: Callable[[Pins], None]) -> None:
        super().__init__(describe(before, after))
        self._before = before
        self._after = after
        self._apply = apply

    def redo(self) -> None:
        """Set the new pins."""
        self._apply(self._after)

    def undo(self) -> None:
        """Set the old pins."""
        self._apply(self._before)
