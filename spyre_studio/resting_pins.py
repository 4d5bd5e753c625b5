"""Resting pins: those that somebody switched off for a moment, and may switch on again.

Owns what they were.  Refuses to change the pins of a session, which is a step of undo: whoever switches does.  They are
forgotten with the model; a project keeps them.
"""

from __future__ import annotations

from compiler.pins import Pins
from spyre_studio.pin_tables import joined, only, without


class RestingPins:
    """Known by their keys; one that is pinned again in the meantime does not rest."""

    def __init__(self) -> None:
        self._pins = Pins()

    def put(self, pins: Pins, key: str) -> Pins:
        """Remember a pin, and give the pins without it."""
        self._pins = joined(without(self._pins, key), only(pins, key))
        return without(pins, key)

    def take(self, pins: Pins, key: str) -> Pins:
        """The pins with a resting one again, in place of what it excludes."""
        return joined(pins, only(self._pins, key))

    def forget(self, key: str) -> None:
        """Nobody wants it any more."""
        self._pins = without(self._pins, key)

    def clear(self) -> None:
        """Another model is open."""
        self._pins = Pins()

    def restore(self, pins: Pins) -> None:
        """Those of a project that is opened, in place of what rested."""
        self._pins = pins

    def beside(self, pins: Pins) -> Pins:
        """Those that are not among these pins."""
        return without(self._pins, *pins.keys)
