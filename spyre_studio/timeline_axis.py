"""The time axis of a timeline: ticks and texts of times in picoseconds, in the unit that suits what is in view.

Owns: choosing ns, us, ms or s, and digits.  Refuses: Qt.
"""

from __future__ import annotations

from math import floor, log10
from typing import Final

from spyre_studio.scales import LinearScale, Ticks, number_ticks
from spyre_studio.units import UNKNOWN

_UNITS: Final = ((1e12, "s"), (1e9, "ms"), (1e6, "µs"), (1e3, "ns"))


def unit_of(span_ps: float) -> tuple[float, str]:
    """The unit in which a span of time is a number of at least one, and its name."""
    return next((unit for unit in _UNITS if span_ps >= unit[0]), _UNITS[-1])


def time_ticks(axis: LinearScale, count: int) -> Ticks:
    """Ticks at round times, labelled in the unit of what is in view."""
    size, name = unit_of(axis.span)
    ticks = number_ticks(LinearScale(axis.lo / size, axis.hi / size, axis.start, axis.end), count, name)
    return Ticks(tuple(value * size for value in ticks.values), ticks.labels, name)


def format_ps(time_ps: float) -> str:
    """A time with four significant digits at most. Examples: '0.85 ns', '12.3 ns', '34.06 µs', '1.234 ms'."""
    if time_ps < 0:
        return UNKNOWN
    size, name = unit_of(time_ps)
    value = time_ps / size
    digits = 2 if value < 1 else max(0, 3 - floor(log10(value) + 1e-9)) if value else 0
    text = f"{value:,.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {name}"


def format_moment(time_ps: float, axis: LinearScale) -> str:
    """A moment in the unit of the axis, as exactly as a pixel tells. Example: '34.0561 µs'."""
    size, name = unit_of(axis.span)
    pixel = axis.span / max(abs(axis.end - axis.start), 1) / size
    digits = min(max(0, -floor(log10(pixel))), max(0, round(log10(size))))
    return f"{time_ps / size:,.{digits}f} {name}"
