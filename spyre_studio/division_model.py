"""Division model: the split of one op as a grid of cores, with what each core owns and which factors its loops allow.

Owns: the arithmetic behind the core grid and the editor, and the words for both. Refuses: Qt, and choosing a split.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Final

from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.device import Device
from compiler.division import Division
from compiler.loops import LoopOp, Role
from compiler.pinning import objection
from compiler.schedule import Schedule
from compiler.spaces import Axis, Space, space_of
from spyre_studio.derived import schedule_of
from spyre_studio.units import format_count

_WRAP: Final = 8  # columns of a grid of one split


@dataclass(frozen=True, slots=True)
class Cell:
    """A core: its place in the grid, and in 0..1 how far its slice is along the slowest split."""

    core: int
    column: int
    row: int
    shade: float


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells in core order."""

    columns: int
    rows: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class LoopChoice:
    """A loop of the editor: legal factors (1 first), or why it is not divided; `lanes` > 1: it is cut in sticks."""

    name: str
    extent: int
    lanes: int
    reduced: bool
    factors: tuple[int, ...]
    blocked: str

    def words(self, factor: int) -> str:
        """What one core gets of it. Examples: '64 of 512', '2 sticks of 8', 'all 3'."""
        axis = Axis(self.name, self.extent, Role.OUTPUT, self.lanes)
        if factor == 1:
            return f"all {self.extent:,}"
        if self.lanes > 1:
            return f"{format_count(axis.size // factor, 'stick')} of {axis.size:,}"
        return f"{axis.step(factor):,} of {self.extent:,}"


@dataclass(frozen=True, slots=True)
class OpSplits:
    """Everything the division editor knows of one step."""

    op: LoopOp
    space: Space
    device: Device
    chosen: Division
    loops: tuple[LoopChoice, ...]

    def division(self, factors: Mapping[str, int]) -> Division:
        """The division that these factors make, fastest loop first."""
        return self.space.division(factors)

    def objection(self, factors: Mapping[str, int]) -> str:
        """Why these factors cannot be used, '' if they can."""
        return objection(self.space, {loop: factor for loop, factor in factors.items() if factor > 1}, self.device)


def splits_of(compilation: Compilation, op: str, schedule: Schedule | None = None) -> OpSplits | None:
    """The splits of a step, None for one that the plan does not have or does not divide."""
    schedule = schedule or schedule_of(compilation)
    step = schedule.step_map.get(op)
    if step is None or op not in compilation.plan.divisions:
        return None
    device, chosen = compilation.problem.device, compilation.plan.divisions[op]
    space = space_of(step.op, schedule, compilation.plan.layouts)
    choices = tuple(
        LoopChoice(
            axis.name,
            axis.extent,
            axis.lanes,
            axis.role is Role.REDUCTION,
            _menu(axis, chosen.factor(axis.name), device.cores),
            axis.blocked,
        )
        for axis in space.axes
    )
    return OpSplits(step.op, space, device, chosen, choices)


def grid_of(division: Division) -> Grid:
    """Cores in a grid: the fastest split down the columns, or along the rows where that would be a tower.

    >>> from compiler.division import Split
    >>> grid = grid_of(Division((Split("b", 4, 1), Split("m", 8, 64))))
    >>> (grid.columns, grid.rows), [(cell.column, cell.row) for cell in grid.cells[:5]]
    ((8, 4), [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0)])
    """
    factors = [split.factor for split in division.splits] or [1]
    fast, slow = factors[0], prod(factors[1:])
    if slow == 1:
        return _wrapped(fast)
    down = fast <= slow
    cells = []
    for core in range(fast * slow):
        slower, faster = divmod(core, fast)
        column, row = (slower, faster) if down else (faster, slower)
        cells.append(Cell(core, column, row, slower / (slow - 1)))
    return Grid(slow if down else fast, fast if down else slow, tuple(cells))


def _wrapped(cores: int) -> Grid:
    columns = min(cores, _WRAP)
    cells = tuple(Cell(core, core % columns, core // columns, core / max(cores - 1, 1)) for core in range(cores))
    return Grid(columns, -(-cores // columns), cells)


def _menu(axis: Axis, chosen: int, cores: int) -> tuple[int, ...]:
    """Legal factors, and the one in use whatever it is (a span floor may have raised a blocked loop)."""
    return tuple(sorted({*axis.factors(cores), chosen}))


def owned(op: LoopOp, division: Division, core: int) -> str:
    """What a core owns of the split loops. Examples: 'core 27 owns b 3, m 384–447', 'core 9 is idle'."""
    if core >= division.cores:
        return f"core {core} is idle"
    if not division.splits:
        return f"core {core} owns everything"
    bounds = dict(zip((loop.name for loop in op.loops), division.bounds(op.loops, core), strict=True))
    parts = [_range(split.loop, *bounds[split.loop]) for split in division.splits]
    return f"core {core} owns {', '.join(parts)}"


def _range(loop: str, low: int, high: int) -> str:
    if high <= low:
        return f"nothing of {loop}"
    return f"{loop} {low}" if high == low + 1 else f"{loop} {low}–{high - 1}"


def title_of(division: Division, cores: int) -> str:
    """'32 cores · b 4 × m 8', '8 of 32 cores · m 8', '1 of 32 cores · not split'."""
    used = format_count(division.cores, "core") if division.cores == cores else f"{division.cores} of {cores} cores"
    splits = " × ".join(f"{split.loop} {split.factor}" for split in division.splits)
    return f"{used} · {splits or 'not split'}"


def pinned_factors(factors: Mapping[str, int]) -> frozendict[str, int]:
    """The factors worth pinning: those above 1."""
    return frozendict((loop, factor) for loop, factor in factors.items() if factor > 1)
