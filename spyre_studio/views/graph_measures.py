"""What boxes of the graph can be shaded by: time, traffic, cores, LX, padding and error, each with its unit and end.

Owns: the numbers of every node, how those of a module are made of them, and the words of a number. Refuses: colours,
Qt, and where a box is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from compiler.compilation import Compilation
from simulator.report import Agreement, StepReport, VerifyReport
from spyre_studio.derived import Derived, schedule_of
from spyre_studio.occupancy import occupancy_of
from spyre_studio.units import format_bytes, format_count, format_percent, format_us
from spyre_studio.views.graph_model import GraphModel, planned

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Measure = Literal["time", "bytes", "cores", "lx", "padding", "error"]
WRONG: Final = 2.0  # of an error: beyond what rounding explains, where 1 is all that it explains


@dataclass(frozen=True, slots=True)
class MeasureRow:
    """`caption` is the legend's; `low` the word for the light end of the scale."""

    key: Measure
    words: str
    caption: str
    low: str


MEASURES: Final = (
    MeasureRow("time", "time", "predicted time", "0 µs"),
    MeasureRow("bytes", "device memory traffic", "to and from device memory", "0 B"),
    MeasureRow("cores", "cores", "cores at work", "0 cores"),
    MeasureRow("lx", "LX in use", "LX in use, fullest core", "0 B"),
    MeasureRow("padding", "padding", "padding in results", "0 %"),
    MeasureRow("error", "error", "of the rounding limit; ≠ wrong", "0 %"),
)
MEASURE_ROWS: Final[Mapping[str, MeasureRow]] = {row.key: row for row in MEASURES}


@dataclass(frozen=True, slots=True, eq=False)
class Measures:
    """(n,) numbers of the nodes, NaN where there is none: µs, bytes, cores, bytes a core, device elements and how many
    of them are padding. `cores` of the plan and `budget` of a core are the ends of their scales."""

    us: Floats
    traffic: Floats
    working: Floats
    lx: Floats
    elements: Floats
    padding: Floats
    cores: int
    budget: int


@dataclass(frozen=True, slots=True, eq=False)
class Shade:
    """(b,) numbers of the boxes, NaN for none; `top` has the full colour. Numbers above it have it too."""

    key: Measure
    values: Floats
    top: float

    def codes(self) -> Ints:
        """(b,) steps 0..255 of a scale, -1 for none."""
        known = np.isfinite(self.values)
        share = np.zeros(len(self.values))
        if self.top > 0:
            share[known] = np.clip(self.values[known] / self.top, 0, 1)
        return np.where(known, np.round(255 * share), -1).astype(np.intp)

    def text(self, box: int) -> str:
        """The number on a box, '' where there is none."""
        value = float(self.values[box])
        return "" if value != value else number_text(self.key, value)

    @property
    def ends(self) -> tuple[str, str]:
        """Words for both ends of the scale."""
        return MEASURE_ROWS[self.key].low, number_text(self.key, self.top)


def number_text(key: Measure, value: float) -> str:
    """A number with its unit. Examples: '412.6 µs', '1.55 MiB', '32 cores', '12 %', '≈ 34 %', '≠'."""
    match key:
        case "time":
            return format_us(value)
        case "bytes" | "lx":
            return format_bytes(value)
        case "cores":
            return format_count(value, "core")
        case "padding":
            return format_percent(value)
        case "error":
            return "≠" if value >= WRONG else "=" if value == 0 else f"≈ {format_percent(value)}"


@Derived
def measures_of(compilation: Compilation) -> Measures:
    """The numbers of the nodes of `planned`."""
    model, plan, occupancy = planned(compilation), compilation.plan, occupancy_of(compilation)
    buffers = schedule_of(compilation).buffers
    costs = {cost.step: cost for cost in compilation.cost.steps}
    fill = dict(zip(occupancy.steps, occupancy.fill.max(axis=0, initial=0).tolist(), strict=True))
    rows = np.full((6, len(model.nodes)), np.nan)
    for place, node in enumerate(model.nodes):
        cost, division = costs.get(node.name), plan.divisions.get(node.name)
        layout = plan.layouts.get(node.buffer)
        if cost is not None:
            rows[:2, place] = cost.total_us, cost.hbm_bytes
        if division is not None:
            rows[2, place] = division.cores
        rows[3, place] = fill.get(node.name, np.nan)
        if layout is not None:
            elements = layout.sticks * layout.elements_per_stick
            rows[4:, place] = elements, elements - buffers[node.buffer].elements
    us, traffic, working, lx, whole, padding = list(rows)
    return Measures(us, traffic, working, lx, whole, padding, plan.cores, occupancy.budget)


def errors_of(model: GraphModel, report: VerifyReport) -> Floats:
    """(n,) how much of what rounding explains each step uses: 1 is all of it, WRONG is beyond, NaN not compared."""
    errors = np.full(len(model.nodes), np.nan)
    for step in report.steps:
        place = model.of_op.get(step.step)
        if place is not None:
            errors[place] = np.fmax(errors[place], _error(step))
    return errors


def shade_of(
    key: Measure, box_of: Ints, boxes: int, model: GraphModel, measures: Measures | None, report: VerifyReport | None
) -> Shade | None:
    """The numbers of boxes: times and bytes add up, of cores, LX and errors the most counts, padding is a share of the
    whole. `box_of` (n,): the box of each node or -1. None where the numbers are not known yet."""
    if key == "error":
        return None if report is None else Shade(key, _most(errors_of(model, report), box_of, boxes), 1.0)
    if measures is None:
        return None
    match key:
        case "time":
            return _to_largest(key, _total(measures.us, box_of, boxes))
        case "bytes":
            return _to_largest(key, _total(measures.traffic, box_of, boxes))
        case "cores":
            return Shade(key, _most(measures.working, box_of, boxes), measures.cores)
        case "lx":
            return Shade(key, _most(measures.lx, box_of, boxes), measures.budget)
        case "padding":
            whole = _total(measures.elements, box_of, boxes)
            part = _total(measures.padding, box_of, boxes)
            return Shade(key, np.divide(part, whole, out=np.full(boxes, np.nan), where=whole > 0), 1.0)


def _error(step: StepReport) -> float:
    found = step.comparison
    if found.agreement is Agreement.CORRUPTED or step.unwritten:
        return WRONG
    if found.agreement is Agreement.EQUAL or found.tolerance.most_together <= 0:
        return 0.0
    return min(found.tolerance.together / found.tolerance.most_together, 1.0)


def _to_largest(key: Measure, values: Floats) -> Shade:
    known = values[np.isfinite(values)]
    return Shade(key, values, float(known.max()) if len(known) else 0.0)


def _total(values: Floats, box_of: Ints, boxes: int) -> Floats:
    """The sum of what is known in each box, NaN where nothing is."""
    known = np.isfinite(values) & (box_of >= 0)
    number = np.bincount(box_of[known], minlength=boxes)
    total = np.bincount(box_of[known], values[known], boxes)
    return np.where(number > 0, total, np.nan)


def _most(values: Floats, box_of: Ints, boxes: int) -> Floats:
    """The largest of what is known in each box, NaN where nothing is."""
    known = np.isfinite(values) & (box_of >= 0)
    most = np.full(boxes, -np.inf)
    np.maximum.at(most, box_of[known], values[known])
    return np.where(np.isfinite(most), most, np.nan)
