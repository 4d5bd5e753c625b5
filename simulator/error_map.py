"""ErrorMap: where two results differ, by element, by stick and by core.

Owns the values, which are of bounded size however large the tensor is, and the words for the worst of them.  Refuses to
compute: `simulator.functional` does.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from compiler.counts import counted

CELLS = 64
"""Most rows and columns of a map."""
STICKS = 64
"""Most sticks that are listed."""
MOST = 1e9
"""Errors of more deviations than this, and those of what is not a number, count as so many."""
NO_NUMBER = sys.float_info.max
"""|d| where one of the two results is NaN or infinite."""
HOST = -1
"""The core number of what the host wrote, or nobody."""

Cells = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class StickError:
    """One stick: its device coordinates without the lane, and its elements in this result."""

    stick: tuple[int, ...]
    elements: int
    differing: int
    beyond: int
    max_abs: float
    max_deviations: float


@dataclass(frozen=True, slots=True)
class CoreError:
    """What one core wrote (HOST: the host, or nobody)."""

    core: int
    elements: int
    differing: int
    beyond: int
    max_abs: float
    max_deviations: float


@dataclass(frozen=True, slots=True)
class ErrorMap:
    """Errors of a result of `rows` x `columns` elements: the last dim, and all others as one.

    Every cell of `deviations` and `absolute` has the largest error of an equal share of rows and columns (see
    `cell_of`), in deviations of rounding and as |d|.  `sticks` lists the worst ones of `sticks_differing`, worst first,
    `cores` all that wrote a part, in order.
    """

    rows: int
    columns: int
    deviations: Cells
    absolute: Cells
    sticks: tuple[StickError, ...]
    sticks_differing: int
    cores: tuple[CoreError, ...]

    @property
    def worst_core(self) -> CoreError | None:
        """The core with most elements beyond rounding, then with the largest error; the lowest of equals."""
        return max(self.cores, key=lambda each: (each.beyond, each.max_deviations, -each.core), default=None)

    @property
    def worst_stick(self) -> StickError | None:
        """The first of the list."""
        return self.sticks[0] if self.sticks else None


def cell_of(place: int, size: int) -> int:
    """The cell that an index of a dim of this size falls into.

    >>> cell_of(63, 64), cell_of(99, 100), cell_of(50, 100)
    (63, 63, 32)
    """
    return place * min(size, CELLS) // size


def worst(errors: ErrorMap) -> str:
    """The worst core and the worst stick in one line."""
    core, stick = errors.worst_core, errors.worst_stick
    if core is None or stick is None:
        return "no element differs"
    who = "what no core wrote" if core.core == HOST else f"core {core.core}"
    place = ",".join(map(str, stick.stick))
    share = f"{core.beyond:,} of its {counted(core.elements, 'element')} beyond rounding"
    others = counted(errors.sticks_differing, "stick differs", "sticks differ")
    return (
        f"worst: {who}, {share}, {_largest(core)}; stick [{place}], {stick.beyond:,} of {stick.elements:,}, "
        f"{_largest(stick)}; {others}"
    )


def _largest(errors: StickError | CoreError) -> str:
    return "NaN or infinity" if errors.max_abs == NO_NUMBER else f"max |d| {errors.max_abs:.3g}"
