"""The axes of a stick picture: ticks where sticks begin, labels that are indices, and a first view in which sticks can
be told apart.

Owns: which numbers stand at the sides of a `StickGrid`, and how much of it is shown at first.  Refuses: Qt, painting.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor
from typing import Final

from compiler.layout import SPARSE, Arrangement
from spyre_studio.scales import LinearScale, Ticks, nice_step
from spyre_studio.stick_grid import COLUMN, StickGrid

STICK: Final = 54.0  # px; a stick is at least so long at first
WOVEN_LANE: Final = 3.6  # px; where a cast interleaved sticks, groups of four lanes can be told apart at first
CELL: Final = 18.0  # px; and so thick
UPRIGHT_CELL: Final = 24.0
THICKEST: Final = 40.0  # px; and never thicker


@dataclass(frozen=True, slots=True)
class Extent:
    """Columns and rows in view."""

    columns: float
    rows: float


def first_extent(grid: StickGrid, width: float, height: float, scale: float = 1.0) -> Extent:
    """What to show in a plot of so many pixels at first: whole sticks along, and as many across as can be told apart.

    `scale`: how much larger than the reference of 12 px the font is.
    """
    along, beside = (height, width) if grid.upright else (width, height)
    woven = grid.layout.arrangement is not Arrangement.STANDARD and not grid.in_memory_order
    least = max(STICK, WOVEN_LANE * grid.lanes if woven else 0) * scale
    sticks = max(1, min(grid.length // grid.lanes, floor(along / least)))
    thick = (UPRIGHT_CELL if grid.upright else CELL) * scale
    total = float(grid.columns if grid.upright else grid.rows)
    shown = min(total, max(1.0, beside / thick))
    lanes = float(sticks * grid.lanes)
    if grid.upright:
        return Extent(shown, min(lanes, float(grid.rows)))
    return Extent(lanes, shown)


def thickness(grid: StickGrid, scale: float = 1.0) -> float:
    """Pixels that all sticks side by side take at most: a tensor of few sticks does not fill a picture with them."""
    return (grid.columns if grid.upright else grid.rows) * THICKEST * scale


def row_name(grid: StickGrid) -> str:
    """The host dims that rows count, as 'd0,d1'; '' where there is but one row."""
    return ",".join(_names(grid, grid.down))


def column_name(grid: StickGrid) -> str:
    """The host dim that columns count."""
    return ",".join(_names(grid, (grid.across,)))


def row_label(grid: StickGrid, row: int) -> str:
    """The index of a row along each of its dims, as '2,17'."""
    parts: list[str] = []
    for axis in reversed(grid.down):
        row, place = divmod(row, grid.size_of(axis))
        if grid.size_of(axis) > 1:
            parts.append(f"{place:,}" if len(grid.down) == 1 else str(place))
    return ",".join(reversed(parts))


def column_label(grid: StickGrid, column: int) -> str:
    """The index of a column; where memory lies in sticks, the column of sticks."""
    return f"{column // grid.lanes:,}" if grid.in_memory_order else f"{column:,}"


def row_ticks(grid: StickGrid, axis: LinearScale, count: int) -> Ticks:
    """Rows at round indices, and at the first of every block where only those have room."""
    inner = grid.size_of(grid.down[-1]) if grid.down else 1
    step = _step(axis.span, count, grid.lanes if grid.down[-1:] == (COLUMN,) else 0)
    last = min(grid.rows, ceil(axis.hi))
    if step >= inner:
        step = inner * ceil(step / inner)
        values = list(range(ceil(axis.lo / step) * step, last, step))
    else:
        blocks = range(floor(axis.lo) // inner, (last - 1) // inner + 1)
        values = [row for block in blocks for row in _within(block * inner, inner, step, axis.lo, last)]
    labels = tuple(row_label(grid, value) for value in values)
    return Ticks(tuple(value + 0.5 for value in values), labels, row_name(grid))


def _within(start: int, size: int, step: int, lo: float, end: int) -> range:
    """Rows of a block at whole steps from its start, as far as they are in view."""
    first = start + ceil(max(lo - start, 0) / step) * step
    return range(first, min(start + size, end), step)


def column_ticks(grid: StickGrid, axis: LinearScale, count: int) -> Ticks:
    """Columns at round indices, preferably where sticks begin; in memory the middle of every column of sticks."""
    last = min(grid.columns, ceil(axis.hi))
    if grid.in_memory_order:
        return _stick_ticks(grid, axis, count, last)
    step = _step(axis.span, count, grid.lanes if grid.across == COLUMN else 0)
    values = list(range(ceil(axis.lo / step) * step, last, step))
    return Ticks(tuple(value + 0.5 for value in values), tuple(f"{value:,}" for value in values), column_name(grid))


def _stick_ticks(grid: StickGrid, axis: LinearScale, count: int, last: int) -> Ticks:
    lanes = grid.lanes
    if axis.span < lanes:
        step = _step(axis.span, count, lanes)
        values = range(ceil(axis.lo / step) * step, last, step)
        return Ticks(tuple(value + 0.5 for value in values), tuple(str(value % lanes) for value in values), "lane")
    step = max(1, int(nice_step(max(axis.span / lanes, 1.0), count)))
    first = floor(axis.lo / lanes)
    sticks = [stick for stick in range(first, ceil(last / lanes)) if stick % step == 0]
    middles = tuple((stick + 0.5) * lanes for stick in sticks)
    kept = [place for place, middle in enumerate(middles) if axis.lo <= middle <= axis.hi]
    return Ticks(tuple(middles[place] for place in kept), tuple(f"{sticks[place]:,}" for place in kept), "column")


def _step(span: float, count: int, lanes: int) -> int:
    """A whole step that cuts `span` into about `count` parts: a power of two along sticks, else 1, 2 or 5 times ten."""
    if not lanes:
        return max(1, round(nice_step(span, count)))
    step = 1
    while step * count < span:
        step *= 2
    return step


def _names(grid: StickGrid, axes: tuple[int, ...]) -> list[str]:
    dims = (grid.dim_of(axis) for axis in axes if grid.size_of(axis) > 1)
    return [f"d{dim}" for dim in dims if dim != SPARSE]
