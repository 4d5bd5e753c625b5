"""What the table of ops says of every step of a plan, as plain values.

Owns: the values and their order. Refuses Qt: thousands of rows are made where the plan is read, not when the table is
looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from compiler.compilation import Compilation
from compiler.plan import Slot
from compiler.schedule import Schedule, Step
from spyre_studio.derived import Derived, schedule_of
from spyre_studio.edit_words import word
from spyre_studio.units import format_hex, format_shape
from spyre_studio.views.graph_measures import Measures, measures_of
from spyre_studio.views.graph_model import factors_text, planned

Value = str | float | int


@dataclass(frozen=True, slots=True)
class OpRow:
    """`cells` in the order of the columns; `hint` why it is divided as it is."""

    name: str
    cells: tuple[Value, ...]
    hint: str


@Derived
def op_rows(compilation: Compilation) -> tuple[OpRow, ...]:
    """A row for every step, moves included, in the order in which they run."""
    schedule, measures, nodes = schedule_of(compilation), measures_of(compilation), planned(compilation).of_op
    return tuple(_row(step, schedule, compilation, measures, nodes[step.name]) for step in schedule.steps)


def _row(step: Step, schedule: Schedule, compilation: Compilation, measures: Measures, node: int) -> OpRow:
    plan = compilation.plan
    division = plan.divisions.get(step.name)
    written = step.op.writes[0].buffer if step.op.writes else ""
    place = plan.placement.get(written)
    where = f"LX {format_hex(place.address)}" if isinstance(place, Slot) else "device memory"
    whole = float(measures.elements[node])
    cells: tuple[Value, ...] = (
        step.name,
        step.number,
        word(step.edit.kind) if step.edit is not None else str(step.op.kind),
        factors_text({split.loop: split.factor for split in division.splits}) if division else "on the host",
        division.cores if division else 0,
        float(measures.us[node]),
        float(measures.traffic[node]),
        float(measures.lx[node]),
        float(measures.padding[node]) / whole if whole > 0 else np.nan,
        format_shape(schedule.buffers[written].shape) if written else "",
        where if written else "",
    )
    return OpRow(step.name, cells, plan.reasons.get(f"division:{step.name}", ""))
