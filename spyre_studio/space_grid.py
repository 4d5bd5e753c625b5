"""Space grid: the iteration space of a divided op as a picture of cells, one a core.

Owns: which split runs across and which down, panels for further splits, the range of every slot, who hands partial sums
to whom, and which cores idle.  Refuses: Qt, pixels, and choosing a split.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import Final

from frozendict import frozendict

from compiler.division import Division, Split
from compiler.loops import LoopOp

WRAP: Final = 8  # columns of a grid of one split, and of panels side by side
_INNER: Final = 2  # splits that one panel shows

Range = tuple[int, int]
"""First iteration and one past the last."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A core: its panel, its place in it, in 0..1 how far its slice is along the slowest split; `empty`: the loop is
    too short for it."""

    core: int
    panel: int
    column: int
    row: int
    shade: float
    empty: bool = False


@dataclass(frozen=True, slots=True)
class Side:
    """The loop along one side of a panel and the range of every column or row."""

    loop: str
    slots: tuple[Range, ...]


@dataclass(frozen=True, slots=True)
class SpaceGrid:
    """`panels` holds the title of each (one without words where two splits suffice), `panel_columns` of them beside
    each other.  `chains`: cores that add partial sums in order; the last one has the finished sums.  A `wrapped` grid
    has one loop whose slots go on in the next row."""

    across: Side
    down: Side
    panels: tuple[str, ...]
    panel_columns: int
    cells: tuple[Cell, ...]
    idle: tuple[int, ...]
    chains: tuple[tuple[int, ...], ...]
    wrapped: bool = False

    @property
    def columns(self) -> int:
        """Columns of one panel."""
        return len(self.across.slots)

    @property
    def rows(self) -> int:
        """Rows of one panel."""
        return len(self.down.slots)

    @property
    def panel_rows(self) -> int:
        """Panels over each other."""
        return -(-len(self.panels) // self.panel_columns)

    @property
    def links(self) -> frozendict[int, int]:
        """Core -> the core it hands its partial sums to."""
        return frozendict(pair for chain in self.chains for pair in pairwise(chain))

    @property
    def finished(self) -> frozenset[int]:
        """Cores with the finished sums of a chain."""
        return frozenset(chain[-1] for chain in self.chains)

    def chain_of(self, core: int) -> tuple[int, ...]:
        """The chain that a core is in, () without one."""
        return next((chain for chain in self.chains if core in chain), ())

    def beside(self, core: int, across: int, down: int) -> int:
        """The core that many cells away, -1 if there is none; panels count as one large grid."""
        here = self._place(self.cells[core]) if core < len(self.cells) else (0, 0)
        wanted = (here[0] + across, here[1] + down)
        return next((cell.core for cell in self.cells if self._place(cell) == wanted), -1)

    def _place(self, cell: Cell) -> tuple[int, int]:
        panel_row, panel_column = divmod(cell.panel, self.panel_columns)
        return panel_column * self.columns + cell.column, panel_row * self.rows + cell.row


def space_grid(op: LoopOp, division: Division, cores: int) -> SpaceGrid:
    """The grid of an op under a division on a device of so many cores."""
    reduced = {loop.name for loop in op.reduction_loops}
    idle = tuple(range(division.cores, cores))
    chains = _chains(division, reduced)
    if len(division.splits) < _INNER:
        return _single(op, division, idle, chains)
    across, down, outer = _sides(division, reduced)
    titles = tuple(_title(op, outer, number) for number in range(prod(split.factor for split in outer)))
    beside = max(1, min(len(titles), WRAP // across.factor))
    cells = tuple(_cell(op, division, core, across, down, outer) for core in range(division.cores))
    sides = [Side(split.loop, _slots(op, split)) for split in (across, down)]
    return SpaceGrid(sides[0], sides[1], titles, beside, cells, idle, chains)


def range_text(low: int, high: int) -> str:
    """'3', '64–127', 'none'."""
    if high <= low:
        return "none"
    return f"{low:,}" if high == low + 1 else f"{low:,}–{high - 1:,}"


def handing_text(grid: SpaceGrid, core: int) -> str:
    """What a core does with its partial sums, '' where nothing is reduced over cores.

    Examples: 'begins the sum, core 1 goes on', 'adds to the sum of core 0, core 2 goes on', 'finishes the sum of 4
    cores'.
    """
    chain = grid.chain_of(core)
    if len(chain) < 2:
        return ""
    place = chain.index(core)
    if place == len(chain) - 1:
        return f"finishes the sum of {len(chain)} cores"
    begins = "begins the sum" if place == 0 else f"adds to the sum of core {chain[place - 1]}"
    return f"{begins}, core {chain[place + 1]} goes on"


def handing_note(grid: SpaceGrid, core: int) -> str:
    """The same in a few characters: 'to 1', 'from 0, to 2', 'from 2: sum', ''."""
    chain = grid.chain_of(core)
    if len(chain) < 2:
        return ""
    place = chain.index(core)
    if place == 0:
        return f"to {chain[1]}"
    return f"from {chain[place - 1]}: sum" if core == chain[-1] else f"from {chain[place - 1]}, to {chain[place + 1]}"


def _single(op: LoopOp, division: Division, idle: tuple[int, ...], chains: tuple[tuple[int, ...], ...]) -> SpaceGrid:
    """A row of cells, wrapped where it is long."""
    split = division.splits[0] if division.splits else Split("", 1, 1)
    slots = _slots(op, split) if division.splits else ((0, 1),)
    columns = min(split.factor, WRAP)
    starts = range(0, split.factor, columns)
    rows = tuple((slots[start][0], slots[min(start + columns, split.factor) - 1][1]) for start in starts)
    cells = tuple(
        Cell(
            core, 0, core % columns, core // columns, core / max(split.factor - 1, 1), slots[core][1] <= slots[core][0]
        )
        for core in range(split.factor)
    )
    wrapped = len(rows) > 1
    side = Side(split.loop, tuple((0, 0) for _ in range(columns)) if wrapped else slots)
    return SpaceGrid(side, Side("", rows), ("",), 1, cells, idle, chains, wrapped)


def _sides(division: Division, reduced: set[str]) -> tuple[Split, Split, tuple[Split, ...]]:
    """The splits across, down and outside: partial sums stay inside a panel, else the largest splits do."""
    order = sorted(division.splits, key=lambda split: (split.loop not in reduced, -split.factor))
    inner, places = order[:_INNER], {split.loop: place for place, split in enumerate(division.splits)}
    across, down = sorted(inner, key=lambda split: (-split.factor, -places[split.loop]))
    return across, down, tuple(split for split in division.splits if split not in inner)


def _cell(op: LoopOp, division: Division, core: int, across: Split, down: Split, outer: tuple[Split, ...]) -> Cell:
    slots = division.slots(core)
    panel, stride = 0, 1
    for split in outer:
        panel += slots[split.loop] * stride
        stride *= split.factor
    slowest = division.splits[-1]
    shade = slots[slowest.loop] / (slowest.factor - 1)
    empty = any(high <= low for low, high in division.bounds(op.loops, core))
    return Cell(core, panel, slots[across.loop], slots[down.loop], shade, empty)


def _title(op: LoopOp, outer: tuple[Split, ...], number: int) -> str:
    words = []
    for split in outer:
        number, slot = divmod(number, split.factor)
        words.append(f"{split.loop} {range_text(*_slots(op, split)[slot])}")
    return " · ".join(words)


def _slots(op: LoopOp, split: Split) -> tuple[Range, ...]:
    extent = next(loop.extent for loop in op.loops if loop.name == split.loop)
    lows = (min(slot * split.step, extent) for slot in range(split.factor))
    return tuple((low, min(low + split.step, extent)) for low in lows)


def _chains(division: Division, reduced: set[str]) -> tuple[tuple[int, ...], ...]:
    """Cores with equal slots of all loops but the reduced ones, in their order."""
    if not any(split.loop in reduced for split in division.splits):
        return ()
    groups: dict[frozendict[str, int], list[int]] = defaultdict(list)
    for core in range(division.cores):
        slots = division.slots(core)
        groups[frozendict((loop, slot) for loop, slot in slots.items() if loop not in reduced)].append(core)
    return tuple(tuple(group) for group in groups.values())
