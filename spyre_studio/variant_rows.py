"""Variants as a table says them: a row each, with what its plan costs, also beside the variant it comes from.

Owns the figures and words of a row.  Refuses Qt, and plans that are not known: they are 'not solved'.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from compiler.compilation import Compilation
from compiler.pipelines import name_of
from spyre_studio.theme import Tone
from spyre_studio.units import format_count, format_number, format_percent
from spyre_studio.variant import Variant, Variants

UNKNOWN: Final = float("nan")
ON_SCREEN: Final = "on screen"
NOISE_US: Final = 5e-4  # what rounds to nothing


@dataclass(frozen=True, slots=True)
class VariantRow:
    """Times in µs, NaN where they are not known; `delta_us` against the parent. `status` says whose plan is where."""

    name: str
    parent: str
    depth: int
    status: str
    us: float
    delta_us: float
    bound_us: float
    gap: float
    tone: Tone
    checks: str
    pins: int
    made_for: str
    note: str

    @property
    def delta(self) -> str:
        """The difference with a mark of its direction, '' where there is none to tell."""
        if not abs(self.delta_us) > NOISE_US:
            return "same" if self.delta_us == self.delta_us else ""
        return f"{'▲' if self.delta_us > 0 else '▼'} {format_number(self.delta_us, 2, signed=True)}"

    @property
    def cells(self) -> tuple[str, ...]:
        """The texts of all columns of COLUMNS."""
        return (
            self.name,
            self.status,
            _number(self.us),
            self.delta,
            _number(self.bound_us),
            "" if self.gap != self.gap else format_percent(self.gap),
            self.checks,
            str(self.pins) if self.pins else "",
            self.made_for,
            self.note,
        )


COLUMNS: Final[tuple[tuple[str, str], ...]] = (
    ("variant", ""),
    ("plan", "Whether its plan is on screen, known, or was not made yet"),
    ("time, µs", "Predicted time"),
    ("to parent, µs", "Against the variant it comes from; less is faster"),
    ("bound, µs", "A time below which no plan goes"),
    ("gap", "The share of the predicted time that a better plan could save at most"),
    ("checks", "What the checker found"),
    ("pins", "How many decisions are fixed"),
    ("made for", "Cores and pipeline"),
    ("note", "What you wrote about it"),
)
"""Title and tooltip of each column."""
RIGHT: Final = frozenset({2, 3, 4, 5, 7})
"""Columns of numbers."""
GIVE_WAY: Final = (9, 5, 4, 7, 8, 3, 6, 1)
"""Columns that are left out where there is no room, the first one first."""
NAME, DELTA, CHECKS, NOTE = 0, 3, 6, 9


def variant_rows(
    variants: Variants, plan_of: Callable[[str], Compilation | None], shown: str
) -> tuple[VariantRow, ...]:
    """Top down, children below their parent; `shown` is the name of the variant on screen."""
    return tuple(_row(depth, one, plan_of(one.name), plan_of(one.parent), shown) for depth, one in variants.walk())


def _row(depth: int, one: Variant, plan: Compilation | None, above: Compilation | None, shown: str) -> VariantRow:
    solver = plan.solver if plan else None
    bounded = solver is not None and solver.bound_us >= 0
    tone, checks = _checks(plan)
    return VariantRow(
        name=one.name,
        parent=one.parent,
        depth=depth,
        status="not solved" if plan is None else ON_SCREEN if one.name == shown else "known",
        us=plan.cost.total_us if plan else UNKNOWN,
        delta_us=plan.cost.total_us - above.cost.total_us if plan and above else UNKNOWN,
        bound_us=solver.bound_us if solver and bounded else UNKNOWN,
        gap=max(solver.gap, 0.0) if solver and bounded else UNKNOWN,
        tone=tone,
        checks=checks,
        pins=len(one.pins.keys),
        made_for=f"{format_count(one.device.cores, 'core')} · {name_of(one.options.pipeline) or 'own pipeline'}",
        note=one.note,
    )


def _checks(plan: Compilation | None) -> tuple[Tone, str]:
    if plan is None:
        return "mute", ""
    failed = sum(not verdict.ok for verdict in plan.verdicts)
    return ("bad", f"{format_count(failed)} failed") if failed else ("ok", "proved")


def _number(us: float) -> str:
    return "" if us != us else format_number(us, 2)
