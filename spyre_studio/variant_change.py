"""Steps of undo beyond pins: another tree of variants, or a plan of other pins, device and options on screen.

Owns the two commands and what the second one puts back.  Refuses to know how either is put in force.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtGui import QUndoCommand

from compiler.device import Device
from compiler.pins import Pins
from spyre_studio.options import CompileOptions
from spyre_studio.units import format_count
from spyre_studio.variant import Variants


class VariantsChange(QUndoCommand):
    """The tree before and after, under a name such as 'Keep variant m 8'."""

    def __init__(self, words: str, before: Variants, after: Variants, apply: Callable[[Variants], None]) -> None:
        super().__init__(words)
        self._before, self._after, self._apply = before, after, apply

    def redo(self) -> None:
        """The new tree."""
        self._apply(self._after)

    def undo(self) -> None:
        """The old tree."""
        self._apply(self._before)


@dataclass(frozen=True, slots=True)
class Wanted:
    """All that a plan is made from, and the tree with the variant that this is."""

    pins: Pins
    device: Device
    options: CompileOptions
    variants: Variants


class WantedChange(QUndoCommand):
    """What was wanted before and after something else was put on screen, under a name such as 'Show variant m 8'."""

    def __init__(self, words: str, before: Wanted, after: Wanted, apply: Callable[[Wanted], None]) -> None:
        super().__init__(words)
        self._before, self._after, self._apply = before, after, apply

    def redo(self) -> None:
        """What was put on screen."""
        self._apply(self._after)

    def undo(self) -> None:
        """What was there before it."""
        self._apply(self._before)


def option_words(old: CompileOptions, new: CompileOptions, cores: int) -> str:
    """The name of a change of options: another pipeline, or so many cores."""
    from compiler.pipelines import name_of  # which no start needs

    if new.pipeline != old.pipeline:
        return f"Plan with {name_of(new.pipeline) or 'a pipeline of its own'}"
    return f"Plan for {format_count(cores, 'core')}"
