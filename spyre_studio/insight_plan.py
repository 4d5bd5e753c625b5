"""Insights about the plan as a whole: pins that did not come about as asked, and what is left to find.

Owns one function per kind, from facts to findings.  Refuses Qt.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from compiler.pins import PinState
from spyre_studio.insight import Evidence, Insight, Remedy
from spyre_studio.insight_facts import Facts
from spyre_studio.insight_remedies import joint
from spyre_studio.solver_words import stand_in_reason
from spyre_studio.units import format_percent, format_us

GAP: Final = 0.01
"""A smaller gap between plan and bound is not worth a search."""


def pins(facts: Facts) -> Iterator[Insight]:
    """Pins that were refused or changed."""
    for key, status in facts.compilation.plan.pins.items():
        if status.state is PinState.HONOURED:
            continue
        kind, _, name = key.partition(":")
        said = f": {status.detail}" if status.detail else ""
        sentence = f"The {kind} pin of {name} was {status.state}{said}."
        about = (name,)
        steps = about if name in facts.schedule.step_map else ()
        buffers = about if name in facts.schedule.buffers else ()
        remedy = Remedy(f"Remove the {kind} pin of {name}", less=(key,))
        refused = status.state is PinState.REFUSED
        yield Insight("pins", key, sentence, 0.0, 0, Evidence(steps, buffers), (remedy,), urgent=refused)


def left(facts: Facts) -> Iterator[Insight]:
    """How much a better plan could save at most, as far as somebody knows."""
    solver = facts.compilation.solver
    if solver.bound_us < 0:
        yield Insight(
            "left",
            "unknown",
            _unknown(facts),
            remedies=(joint(facts),),
            evidence=Evidence(view="compare"),
            title="the whole plan",
        )
        return
    gap = solver.objective_us - solver.bound_us
    if solver.objective_us <= 0 or gap < GAP * solver.objective_us:
        return
    share = format_percent(gap / solver.objective_us)
    sentence = (
        f"At most {format_us(gap)} ({share}) are left for a better plan of the search's choices: it found "
        f"{format_us(solver.objective_us)}, and proved that none takes less than {format_us(solver.bound_us)}."
    )
    yield Insight("left", "gap", sentence, gap, 0, Evidence(view="compare"), (joint(facts),), title="the whole plan")


def _unknown(facts: Facts) -> str:
    why = stand_in_reason(facts.compilation)
    made = f"the plan was made by {why}" if why else f"{facts.pipeline or 'this pipeline'} decides by rules"
    return f"Nobody knows how much quicker another plan could be: {made}, without a bound."
