"""Lesson values: a published study, and what cost model and simulator say of the same.

Owns the values.  Refuses figures of its own: published ones stand with their source in the lesson, all others are
computed when it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from compiler.captured import Captured
from compiler.compilation import Compilation
from compiler.pins import Pins
from simulator.trace import Trace
from spyre_studio.units import UNKNOWN, format_us

DEVIATES = 0.02
"""Figures that differ by no more than this share of the published one agree."""


@dataclass(frozen=True, slots=True)
class Figure:
    """What one side says: `text` as people read it, `value` as a number (None for words)."""

    text: str
    value: float | None = None


NOTHING = Figure(UNKNOWN)


@dataclass(frozen=True, slots=True)
class Row:
    """One figure of a study by three sides.  `deviation` says where they part, and why; `exact` that one of ours has to
    come out as published, and `held` that it did."""

    measure: str
    published: Figure
    predicted: Figure
    simulated: Figure
    deviation: str = ""
    exact: bool = False
    held: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A plan of a study's model, and its simulated run."""

    compilation: Compilation
    trace: Trace


class Bench(Protocol):
    """Where the models of studies are captured, planned and simulated."""

    def captured(self, spec: str) -> Captured:
        """The model that a spec names."""

    def run(self, spec: str, cores: int, pipeline: str, pins: Pins | None = None) -> Run:
        """Its plan on so many cores of a Spyre, simulated; InputError if the plan does not keep the pins or fails a
        check."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A study: `setting` is what was run, `source` who published what; `rows` runs it."""

    name: str
    title: str
    setting: str
    source: str
    rows: Callable[[Bench], tuple[Row, ...]]


@dataclass(frozen=True, slots=True)
class Learnt:
    """A lesson with its rows."""

    name: str
    title: str
    setting: str
    source: str
    rows: tuple[Row, ...]

    @property
    def held(self) -> bool:
        """True if all came out that has to."""
        return all(row.held for row in self.rows)


def in_us(microseconds: float) -> Figure:
    """A time.

    >>> in_us(41.136)
    Figure(text='41.1 µs', value=41.136)
    """
    return Figure(format_us(microseconds), microseconds)


def in_percent(share: float, signed: bool = False) -> Figure:
    """A share, in whole percent.

    >>> in_percent(-0.206, signed=True).text, in_percent(0.61).text
    ('−21 %', '61 %')
    """
    sign = ("−" if share < 0 else "+") if signed else ""
    return Figure(f"{sign}{abs(share) * 100:.0f} %", share)


def in_times(factor: float) -> Figure:
    """A factor.

    >>> in_times(7.12).text
    '7.1 times'
    """
    return Figure(f"{factor:.1f} times", factor)
