"""Report drawings: LX of one core over the steps, and how full every core is.

Owns where every shape stands.  Refuses colours: a shape has a role.
"""

from __future__ import annotations

from itertools import pairwise
from math import ceil
from typing import Final

import numpy as np

from compiler.report.drawing import LEVELS, Box, Drawing, Label, Role, Rule
from spyre_studio.occupancy import KINDS, Occupancy
from spyre_studio.units import KIB, format_bytes, format_count, format_hex, format_percent

WIDTH, HEIGHT, LEFT, TOP = 960.0, 300.0, 70.0, 24.0
MOST: Final = 1200
"""Boxes of a map: more cannot be told apart at this size."""
BINS: Final = 120
"""Columns of the map of cores."""
_ROW: Final = 9.0
_ROLES: Final[tuple[Role, ...]] = ("matmul", "reduction", "pointwise", "move", "opaque")
_LABELLED: Final = 90.0  # units of width from which on a box is named


def map_of_core(data: Occupancy, core: int) -> tuple[Drawing, int]:
    """Addresses over steps, and how many buffers are drawn: the largest ones."""
    held = data.on_core(core)
    size = (data.rects[held, 2] - data.rects[held, 0]) * (data.rects[held, 3] - data.rects[held, 1])
    chosen = sorted(held[np.argsort(-size, kind="stable")][:MOST].tolist())
    top = max(float(data.rects[held, 3].max(initial=1)), 1.0)
    scale = min(float(data.budget), KIB * ceil(1.15 * top / KIB)) or 1.0
    across, steps = WIDTH - LEFT, max(len(data.steps), 1)
    bottom = TOP + HEIGHT
    shapes: list[Box | Rule | Label] = [*_legend(), Box(LEFT, TOP, across, HEIGHT, "ground")]
    names: list[Label] = []
    for number in chosen:
        first, start, end, stop = data.rects[number].tolist()
        one = data.residents[number]
        x, width = LEFT + across * first / steps, across * (end - first) / steps
        y, height = bottom - HEIGHT * stop / scale, HEIGHT * (stop - start) / scale
        where = f"{one.name}: {format_bytes(one.size)} at {format_hex(one.address)}, steps {one.first} to {one.last}"
        shapes.append(Box(x, y, width, max(height, 0.5), _ROLES[data.kinds[number]], where))
        if width >= _LABELLED and height >= 12:
            names.append(Label(x + 4, y + 11, _cut(one.name, width), "start", "text"))
    shapes += names  # above every box
    shapes += [Label(LEFT - 6, bottom, "0", "end"), Label(LEFT - 6, TOP + 10, format_bytes(scale), "end")]
    shapes += [Label(LEFT, bottom + 14, "step 0"), Label(WIDTH, bottom + 14, f"step {steps - 1:,}", "end")]
    if data.budget <= scale:
        shapes.append(Rule(LEFT, TOP, WIDTH, TOP, "budget"))
    else:
        above = f"{format_bytes(data.budget - scale)} more are free above"
        shapes.append(Label(WIDTH, TOP - 8, above, "end"))
    title = f"LX of core {core} over {format_count(len(data.steps), 'step')}: {format_count(len(held), 'buffer')}"
    return Drawing(title, WIDTH, bottom + 20, tuple(shapes)), len(chosen)


def fill_of_cores(data: Occupancy) -> Drawing:
    """Cores over steps; of several steps in a column the fullest counts."""
    steps, across = max(len(data.steps), 1), WIDTH - LEFT
    bins = min(BINS, steps)
    edges = [round(place * steps / bins) for place in range(bins)]
    fullest = np.maximum.reduceat(data.fill, edges, axis=1) if data.fill.size else np.zeros((data.cores, bins))
    most = int(data.fill.max(initial=0))
    level = np.ceil(LEVELS * fullest / max(most, 1)) / LEVELS
    shapes: list[Box | Rule | Label] = []
    for core in range(data.cores):
        y = TOP + _ROW * core
        shapes += [
            Box(LEFT + across * first / bins, y, across * (end - first) / bins, _ROW - 1, "heat", "", value)
            for first, end, value in _runs(level[core])
        ]
        if core % 8 == 0:
            shapes.append(Label(LEFT - 6, y + 8, f"core {core}", "end"))
    bottom = TOP + _ROW * data.cores
    share = format_percent(most / data.budget) if data.budget else ""
    shapes += [Label(LEFT, bottom + 14, "step 0"), Label(WIDTH, bottom + 14, f"step {steps - 1:,}", "end")]
    shapes.append(Label(LEFT, TOP - 8, f"the fullest: {format_bytes(most)} of {format_bytes(data.budget)} ({share})"))
    title = f"Fill of {format_count(data.cores, 'core')} over {format_count(len(data.steps), 'step')}"
    return Drawing(title, WIDTH, bottom + 20, tuple(shapes))


def _runs(row: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[tuple[int, int, float]]:
    """Columns of one level together."""
    changes = [0, *(np.flatnonzero(np.diff(row)) + 1).tolist(), len(row)]
    return [(first, end, float(row[first])) for first, end in pairwise(changes)]


def _legend() -> list[Box | Rule | Label]:
    shapes: list[Box | Rule | Label] = []
    for place, kind in enumerate(KINDS[:4]):
        shapes.append(Box(LEFT + 110 * place, 4, 10, 10, _ROLES[place]))
        shapes.append(Label(LEFT + 110 * place + 15, 13, kind))
    return shapes


def _cut(name: str, width: float) -> str:
    most = int(width / 6.5)
    return name if len(name) <= most else f"…{name[1 - most :]}"
