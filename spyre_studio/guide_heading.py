"""What is known of a lesson without reading it: its heading, and how far somebody has come.

Owns: both values.  Refuses: steps, which the start page has no need of.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Heading:
    """What the start page says of a lesson: `line` in one line, `minutes` it takes, `model` the example it is about."""

    key: str
    title: str
    line: str
    minutes: int
    model: str


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a lesson was read: the step that one is at, counted from 0, and whether its end was ever reached."""

    step: int = 0
    finished: bool = False

    def at(self, step: int) -> Progress:
        """The same at another step."""
        return replace(self, step=step)

    def ended(self) -> Progress:
        """The same after the last step; it begins anew the next time."""
        return Progress(0, finished=True)
