"""Short names of steps and buffers of a plan, as the nodes of the graph have them, and as they are told apart.

Owns: the tables.  Refuses: names that tell everything; those are the keys.
"""

from __future__ import annotations

from dataclasses import dataclass

from frozendict import frozendict

from compiler.compilation import Compilation
from spyre_studio.derived import Derived, schedule_of
from spyre_studio.edit_words import word
from spyre_studio.told_apart import told_apart
from spyre_studio.views.graph_names import places_of


@dataclass(frozen=True, slots=True)
class ShortNames:
    """Step -> its title, buffer -> that of the step that makes it; a copy is named as the copy."""

    steps: frozendict[str, str]
    buffers: frozendict[str, str]

    def step(self, name: str) -> str:
        """The title of a step."""
        return self.steps.get(name, name)

    def buffer(self, name: str) -> str:
        """A buffer in a word or two."""
        return self.buffers.get(name, name)


@Derived
def short_names(compilation: Compilation) -> ShortNames:
    """The names of a plan."""
    schedule = schedule_of(compilation)
    steps: dict[str, str] = {}
    buffers = {name: _last(name) for name in schedule.buffers}
    for step, place in zip(schedule.steps, places_of(compilation), strict=True):
        steps[step.name] = place.title if step.edit is None else f"{word(step.edit.kind)} of {_last(step.edit.source)}"
        if step.edit is None:
            buffers |= {access.buffer: place.title for access in step.op.writes}
    return ShortNames(frozendict(steps), frozendict(buffers))


@Derived
def told_names(compilation: Compilation) -> ShortNames:
    """The names of a plan, each with what tells it from all others of its title. Example: 'gate_proj · layers.2'."""
    names = short_names(compilation)
    return ShortNames(told_apart(names.steps), told_apart(names.buffers))


def _last(name: str) -> str:
    """The last part of a name; a bare number takes the part before it along, and what stands behind an @ stays."""
    name, at, copy = name.partition("@")
    *before, last = name.replace("/", ".").split(".")
    return f"{before[-1]}.{last}{at}{copy}" if last.isdigit() and before else f"{last}{at}{copy}"
