"""Coordinate arithmetic of plots: a linear axis between values and pixels, and its ticks.

Owns: `LinearScale` and nice ticks for plain numbers, bytes and steps. Refuses: Qt and painting.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, isfinite, log2, log10
from typing import Final, overload

import numpy as np
from numpy.typing import NDArray

from spyre_studio.units import GIB, KIB, MIB

Floats = NDArray[np.float64]

_BYTE_UNITS: Final = ((1, "B"), (KIB, "KiB"), (MIB, "MiB"), (GIB, "GiB"))


@dataclass(frozen=True, slots=True)
class LinearScale:
    """Maps values in [lo, hi] to pixels [start, end]; start > end turns the axis round (addresses grow upwards).

    Raises ValueError where the domain or the range is empty or not finite.
    """

    lo: float
    hi: float
    start: float
    end: float

    def __post_init__(self) -> None:
        ends = (self.lo, self.hi, self.start, self.end)
        if not all(isfinite(end) for end in ends):
            raise ValueError(f"an axis needs finite ends, not {ends}")
        if self.hi <= self.lo or self.start == self.end:
            raise ValueError(f"an axis needs a span: values {self.lo}..{self.hi}, pixels {self.start}..{self.end}")

    @property
    def span(self) -> float:
        """Width of the domain, in values."""
        return self.hi - self.lo

    @property
    def pixels_per_value(self) -> float:
        """Pixels per value, without sign."""
        return abs(self.end - self.start) / self.span

    @overload
    def to_px(self, value: float) -> float: ...
    @overload
    def to_px(self, value: Floats) -> Floats: ...
    def to_px(self, value: float | Floats) -> float | Floats:
        """Pixel of a value, or of each value of an array."""
        return self.start + (value - self.lo) * ((self.end - self.start) / self.span)

    @overload
    def to_value(self, px: float) -> float: ...
    @overload
    def to_value(self, px: Floats) -> Floats: ...
    def to_value(self, px: float | Floats) -> float | Floats:
        """Value at a pixel, or at each pixel of an array."""
        return self.lo + (px - self.start) * (self.span / (self.end - self.start))

    def zoomed(self, factor: float, px: float) -> "LinearScale":
        """Magnified by `factor` (> 1 shows less) with the value under pixel `px` staying where it is."""
        anchor = self.to_value(px)
        return replace(self, lo=anchor - (anchor - self.lo) / factor, hi=anchor + (self.hi - anchor) / factor)

    def panned(self, px: float) -> "LinearScale":
        """The content moved by `px` pixels."""
        shift = px * self.span / (self.end - self.start)
        return replace(self, lo=self.lo - shift, hi=self.hi - shift)

    def clamped(self, lo: float, hi: float, min_span: float) -> "LinearScale":
        """Moved and, where needed, resized so that it shows nothing outside [lo, hi] and at least `min_span` of it."""
        widest = hi - lo
        span = min(max(self.span, min(min_span, widest)), widest)
        middle = (self.lo + self.hi) / 2
        low = min(max(middle - span / 2, lo), hi - span)
        return replace(self, lo=low, hi=low + span)

    def with_domain(self, lo: float, hi: float) -> "LinearScale":
        """The same pixels showing other values."""
        return replace(self, lo=lo, hi=hi)

    def with_range(self, start: float, end: float) -> "LinearScale":
        """The same values on other pixels."""
        return replace(self, start=start, end=end)


@dataclass(frozen=True, slots=True)
class Ticks:
    """Positions of ticks in values (ascending), a label each, and the unit to be named once per axis ('' for none)."""

    values: tuple[float, ...]
    labels: tuple[str, ...]
    unit: str


def nice_step(span: float, count: int) -> float:
    """The 1, 2 or 5 times a power of ten that cuts `span` into at most about `count` parts."""
    rough = span / max(count, 1)
    power = 10.0 ** floor(log10(rough))
    for multiple in (1.0, 2.0, 5.0):
        if rough <= multiple * power * 1.0001:
            return multiple * power
    return 10.0 * power


def number_ticks(scale: LinearScale, count: int = 6, unit: str = "") -> Ticks:
    """Ticks at round numbers, about `count` of them. Labels have just the digits that the step needs."""
    step = nice_step(scale.span, count)
    digits = max(0, -floor(log10(step) + 1e-9))
    values = _multiples(scale, step)
    return Ticks(values, tuple(f"{value:,.{digits}f}" for value in values), unit)


def step_ticks(scale: LinearScale, count: int = 8) -> Ticks:
    """Ticks at whole numbers only (schedule steps, cores), about `count` of them."""
    step = max(1.0, nice_step(scale.span, count))
    values = _multiples(scale, step)
    return Ticks(values, tuple(f"{value:,.0f}" for value in values), "")


def byte_ticks(scale: LinearScale, count: int = 6) -> Ticks:
    """Ticks at powers of two times whole numbers, so that they are round addresses; the unit suits the step."""
    step = 2.0 ** max(0, ceil(log2(scale.span / max(count, 1)) - 1e-9))
    largest = max(abs(scale.lo), abs(scale.hi))
    # A step of an eighth of a unit still reads well (0.125 MiB); anything finer wants the next smaller unit.
    fitting = [(size, name) for size, name in _BYTE_UNITS if size <= largest and step >= size / 8]
    size, name = fitting[-1] if fitting else _BYTE_UNITS[0]
    digits = max(0, ceil(-log2(step / size)))
    values = _multiples(scale, step)
    return Ticks(values, tuple(f"{value / size:,.{digits}f}" for value in values), name)


def thin(values: Sequence[float], min_distance: float) -> tuple[int, ...]:
    """Indices of ascending pixel positions at least `min_distance` apart, first one kept: labels that do not touch."""
    kept: list[int] = []
    for index, value in enumerate(values):
        if not kept or value - values[kept[-1]] >= min_distance:
            kept.append(index)
    return tuple(kept)


def _multiples(scale: LinearScale, step: float) -> tuple[float, ...]:
    """Multiples of `step` inside the domain; ends that miss by rounding count as inside."""
    slack = 1e-9
    first, last = ceil(scale.lo / step - slack), floor(scale.hi / step + slack)
    return tuple(index * step for index in range(first, last + 1))
