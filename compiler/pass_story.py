"""Pass story: what every pass of a pipeline has decided, decision by decision.

Owns the values, and the differences of two plans in the words of their listings, grouped by the op that they concern.
Refuses causes and costs: `compiler.diff` has these for two whole compilations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from frozendict import frozendict

from compiler.plan import Plan
from compiler.schedule import Schedule
from compiler.text.plan_text import print_plan

INPUTS = "inputs"
"""The group of what no step makes."""
_OF_BUFFERS = frozenset({"layout", "placement", "relayout", "order"})
_OF_OPS = frozenset({"division", "edit", "same", "tiles"})


@dataclass(frozen=True, slots=True)
class Decision:
    """A line of the listing of a plan before and after a pass, '' where there is none; `op` is the step it concerns,
    INPUTS for what no step makes, '' for the plan as a whole."""

    op: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class PassStep:
    """One pass: its record in the log, and what it changed.  `known` is False where that cannot be told."""

    spec: str
    seconds: float
    decided: tuple[str, ...]
    changes: tuple[Decision, ...] = ()
    known: bool = False

    @property
    def added(self) -> int:
        """Decisions that were not there before."""
        return sum(1 for one in self.changes if not one.before)

    @property
    def removed(self) -> int:
        """Decisions that are not there any more."""
        return sum(1 for one in self.changes if not one.after)

    @property
    def changed(self) -> int:
        """Decisions that are different ones."""
        return len(self.changes) - self.added - self.removed


@dataclass(frozen=True, slots=True)
class PassStory:
    """The log of a plan with the changes of every pass; `notes` say, each in one sentence, what cannot be told and why,
    or what the changes are of."""

    model: str
    steps: tuple[PassStep, ...]
    notes: tuple[str, ...] = ()


def plan_changes(before: Plan, after: Plan, schedule: Schedule) -> tuple[Decision, ...]:
    """What differs, ops in the order of the schedule, the plan as a whole at the end."""
    old, new = dict(_decisions(before)), dict(_decisions(after))
    makers = {access.buffer: step.name for step in schedule.steps for access in step.op.writes}
    made = {edit.target: edit.name for plan in (after, before) for edit in plan.edits}
    steps = {name: number for number, name in enumerate([INPUTS, *schedule.step_map])}
    found = [
        (_op_of(key, {**made, **makers}, steps), old.get(key, ""), new.get(key, ""))
        for key in dict.fromkeys([*new, *old])
        if old.get(key) != new.get(key)
    ]
    ranked = sorted(found, key=lambda one: steps.get(one[0], len(steps)) if one[0] else len(steps) + 1)
    return tuple(Decision(*one) for one in ranked)


def _op_of(key: tuple[str, str], makers: dict[str, str], steps: dict[str, int]) -> str:
    kind, name = key
    if kind in ("reasons", "pins"):
        kind, _, name = name.partition(":")
    if kind in _OF_BUFFERS or kind == "layouts":
        return makers.get(name, INPUTS)
    known = kind in _OF_OPS or kind in ("divisions", "edits")
    return name if known and (name in steps or kind == "edits") else makers.get(name, "") if known else ""


_TABLES = ("layouts", "edits", "divisions", "placement", "kernels", "reasons", "pins", "claims")


def _decisions(plan: Plan) -> Iterator[tuple[tuple[str, str], str]]:
    """Table and name of every decision, and its line; tables are printed one after another, in this order."""
    lines = print_plan(plan).splitlines()[1:]
    yield from zip(_keys(plan), (line.strip() for line in lines), strict=True)


def _keys(plan: Plan) -> Iterator[tuple[str, str]]:
    for table in _TABLES:
        entries = getattr(plan, table)
        names = entries if isinstance(entries, frozendict) else (entry.name for entry in entries)
        yield from ((table, name) for name in names)
