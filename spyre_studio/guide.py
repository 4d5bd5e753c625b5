"""Lessons as values: a walk through an example in steps, each with words, a place to look at, and what is to be done.

Owns: the shape of a lesson, and what a step takes for granted that those before it did.  Refuses: Qt, files, and
figures; texts hold names of figures in braces, which `guide_figures` fills in from the plan on screen.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from frozendict import frozendict

from compiler.pins import Pins
from spyre_studio.guide_heading import Heading
from spyre_studio.pin_change import with_division, with_placement, with_relayout, without

Time = Literal["", "faster", "slower"]


@dataclass(frozen=True, slots=True)
class Look:
    """Where to look: the key of a place of `guide_places`, and what is selected there; '' and -1 for no matter."""

    at: str = ""
    op: str = ""
    buffer: str = ""
    core: int = -1


@dataclass(frozen=True, slots=True)
class Done:
    """What has to hold for a step to be done; all of it, and what is empty does not count.

    at: this place is in sight.  op, buffer, core: selected.  split: op -> its factors in the plan on screen.
    placement, relayout: pins of buffers.  free: keys of pins that are gone.  pipeline: it made the plan on screen.
    variant: the plan on screen has a name that somebody gave it.  time: against the plan before.
    """

    at: str = ""
    op: str = ""
    buffer: str = ""
    core: int = -1
    split: frozendict[str, frozendict[str, int]] = field(default_factory=frozendict)
    placement: frozendict[str, str] = field(default_factory=frozendict)
    relayout: frozendict[str, str] = field(default_factory=frozendict)
    free: tuple[str, ...] = ()
    pipeline: str = ""
    variant: bool = False
    verified: bool = False
    simulated: bool = False
    time: Time = ""

    def __bool__(self) -> bool:
        """False for a step that is only read."""
        return self != Done()

    @property
    def changes_plan(self) -> bool:
        """True if another plan is to be on screen."""
        return bool(self.split or self.placement or self.relayout or self.free or self.pipeline or self.time)

    @property
    def pin_keys(self) -> frozenset[str]:
        """Keys of the pins that it sets or removes."""
        tables = (("division", self.split), ("placement", self.placement), ("relayout", self.relayout))
        return frozenset({f"{kind}:{name}" for kind, table in tables for name in table} | set(self.free))

    def pinned(self, pins: Pins) -> Pins:
        """Pins with what it sets and without what it removes."""
        pins = without(pins, *self.free)
        for op, factors in self.split.items():
            pins = with_division(pins, op, factors)
        for buffer, where in self.placement.items():
            pins = with_placement(pins, buffer, where)
        for buffer, way in self.relayout.items():
            pins = with_relayout(pins, buffer, way)
        return pins


@dataclass(frozen=True, slots=True)
class GuideStep:
    """One step: `text` teaches, `task` says what the reader is to do ('' for nothing), `after` what came of it."""

    title: str
    text: str
    look: Look = Look()
    task: str = ""
    done: Done = field(default_factory=Done)
    after: str = ""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A walk through an example."""

    heading: Heading
    steps: tuple[GuideStep, ...]

    def pins_at(self, number: int, pins: Pins) -> Pins:
        """Pins as a step takes them for granted, made from those that there are: pins that the lesson does not speak
        of stay as they are."""
        pins = without(pins, *frozenset[str]().union(*(step.done.pin_keys for step in self.steps)))
        for step in self.steps[:number]:
            pins = step.done.pinned(pins)
        return pins

    def pipeline_at(self, number: int, first: str) -> str:
        """The pipeline that a step takes for granted; '' if the lesson is about none, `first` before it speaks of
        one."""
        if not any(step.done.pipeline for step in self.steps):
            return ""
        return _last((step.done.pipeline for step in self.steps[:number]), first)


def _last(words: Iterable[str], first: str) -> str:
    return next((word for word in reversed([*words]) if word), first)
