"""Insights: what costs most in a plan and the nearest remedy, as a ranked list.

Owns the table of kinds and the order of the list.  Refuses to find anything itself: a kind is one function and one row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final

from frozendict import frozendict

from compiler.compilation import Compilation
from spyre_studio import insight_memory, insight_plan, insight_time
from spyre_studio.insight import Insight, Saving
from spyre_studio.insight_facts import Facts
from spyre_studio.insight_weighed import NOT_WEIGHED, Weighed
from spyre_studio.step_opinion import StepOpinion


@dataclass(frozen=True, slots=True)
class Kind:
    """A row: what is looked for, in a word or two and in a sentence for people who do not know the term."""

    key: str
    title: str
    hint: str
    find: Callable[[Facts], Iterable[Insight]]


_ROWS = (
    Kind("pins", "pin", "A pin that was refused or changed.", insight_plan.pins),
    Kind("steps", "costly step", "A step that takes much of the time, and what bounds it.", insight_time.costly),
    Kind("terms", "cost term", "What takes time beside plain bytes and products.", insight_time.terms),
    Kind("outside", "outside LX", "A buffer in device memory that steps move back and forth.", insight_memory.outside),
    Kind(
        "handovers",
        "handover",
        "Steps that are divided differently hand buffers over through device memory.",
        insight_memory.handovers,
    ),
    Kind("idle", "idle cores", "A step that leaves most cores without work.", insight_time.idle_cores),
    Kind("better", "better split", "An op with a quicker division, priced alone.", insight_time.better_divisions),
    Kind("copies", "copy", "A copy that the compiler inserted.", insight_memory.copies),
    Kind("padding", "padding", "Sticks that are partly used, so that padding is moved.", insight_memory.padding),
    Kind("fill", "LX is full", "LX has hardly any room left.", insight_memory.fill),
    Kind("spans", "span", "A core walks nearly all that it can address.", insight_memory.spans),
    Kind("apart", "two opinions", "Simulator and cost model say different times.", insight_time.apart),
    Kind("left", "what is left", "How much a better plan could save at most.", insight_plan.left),
)
KINDS: Final[frozendict[str, Kind]] = frozendict((row.key, row) for row in _ROWS)


def insights(
    compilation: Compilation, opinions: tuple[StepOpinion, ...] = (), weighed: Weighed = NOT_WEIGHED
) -> tuple[Insight, ...]:
    """The findings of a plan: what was asked for and did not come about, then by the time that goes to it, then in the
    order of the kinds.  `opinions` are those of its simulated run, `weighed` what was worked out for this plan."""
    facts = Facts(compilation, opinions, weighed.better)
    found = [insight for kind in KINDS.values() for insight in kind.find(facts)]
    found.sort(key=lambda one: (not one.urgent, -one.cost_us))
    savings = {(trial.key, trial.place): trial.saving for trial in weighed.trials}
    return tuple(_with_savings(insight, savings) for insight in found)


def best(found: Iterable[Insight]) -> Insight | None:
    """The finding whose remedy is known to save most, None if none is."""
    helping = [one for one in found if one.nearest is not None and one.nearest.saving.helps]
    return max(helping, key=lambda one: one.nearest.saving.us if one.nearest else 0.0, default=None)


def _with_savings(insight: Insight, savings: dict[tuple[str, int], Saving]) -> Insight:
    if not any((insight.key, place) in savings for place in range(len(insight.remedies))):
        return insight
    return insight.with_remedies(
        tuple(
            replace(remedy, saving=savings.get((insight.key, place), remedy.saving))
            for place, remedy in enumerate(insight.remedies)
        )
    )
