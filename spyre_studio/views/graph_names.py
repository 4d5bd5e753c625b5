"""Titles and groups of the steps of a schedule: the module path first, then the prefix of the name.

Owns: cutting stable names into a group and a short title. Refuses: layout and Qt. A group with one op in it is
dissolved: `attn.q_proj.linear/matmul` alone in its module becomes the node `q_proj` of `attn`. So is a group that holds
all ops of the group around it: no frame directly inside a frame. What gives numbers their name stays: layers 0, 1, 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.schedule import Schedule, Step
from spyre_studio.derived import Derived, schedule_of
from spyre_studio.edit_words import word

# Groups are dotted paths, but a part of a name may hold a dot of its own, as in `softmax.2/max`.
_DOT: Final = "․"


@dataclass(frozen=True, slots=True)
class Place:
    """Dotted path of the group, '' for none, and what stands on the node."""

    group: str
    title: str


def places(schedule: Schedule) -> tuple[Place, ...]:
    """One for every step. An inserted move lies in the group of the op it was made for, one at the end of the program
    in that of the op whose result it moves."""
    paths = {step.name: _path(step) for step in schedule.steps if step.edit is None}
    counts: dict[tuple[str, ...], int] = {}
    for path in paths.values():
        for length in range(len(path)):
            counts[path[:length]] = counts.get(path[:length], 0) + 1
    found = {name: _dissolved(path, counts) for name, path in paths.items()}
    home = _homes(schedule, {name: place.group for name, place in found.items()})
    return tuple(
        found[step.name] if step.edit is None else Place(home[step.name], word(step.edit.kind))
        for step in schedule.steps
    )


def _homes(schedule: Schedule, groups: Mapping[str, str]) -> dict[str, str]:
    """Step -> its group, moves included; none for a move that belongs to no op."""
    home, makers = dict(groups), dict[str, str]()
    for step in schedule.steps:
        if step.edit is not None:
            home[step.name] = home[step.edit.before] if step.edit.before else makers.get(step.edit.source, "")
        makers |= {access.buffer: home[step.name] for access in step.op.writes}
    return home


@Derived
def places_of(compilation: Compilation) -> tuple[Place, ...]:
    """As `places`, for the steps of a plan."""
    return places(schedule_of(compilation))


@Derived
def titles_of(compilation: Compilation) -> frozendict[str, str]:
    """Buffer -> the short title of the step that makes it."""
    titles: dict[str, str] = {}
    for step, place in zip(schedule_of(compilation).steps, places_of(compilation), strict=True):
        titles |= {access.buffer: place.title for access in step.op.writes}
    return frozendict(titles)


def group_title(path: str) -> str:
    """The last part of a group's path; a bare number takes the part before it along. Example: 'layers.0'."""
    return _title(path.split("."))


def shown_path(path: str) -> tuple[str, ...]:
    """The titles of a group and of all around it, outermost first."""
    parts = path.split(".") if path else []
    return tuple(_title(parts[: place + 1]) for place in range(len(parts)))


def _title(parts: Sequence[str]) -> str:
    last = parts[-1].replace(_DOT, ".")
    return f"{parts[-2].replace(_DOT, '.')}.{last}" if last.isdigit() and len(parts) > 1 else last


def _path(step: Step) -> tuple[str, ...]:
    """Modules, prefixes of the name, and the rest of the name as the last part."""
    module, name = step.op.origin.module, step.name
    inside = module and name.startswith((f"{module}.", f"{module}/"))
    rest = name[len(module) + 1 :] if inside else name
    parts = [part.replace(".", _DOT) for part in rest.split("/") if part]
    return (*(module.split(".") if module else ()), *(parts or [name]))


def _dissolved(path: tuple[str, ...], counts: dict[tuple[str, ...], int]) -> Place:
    """The groups with more than one op that hold less than the group around them, and the title of what is left."""
    kept = 0
    while kept + 1 < len(path) and counts[path[: kept + 1]] > 1:
        kept += 1
    levels = [part for place, part in enumerate(path[:kept]) if _kept(path[: kept + 1], place, counts)]
    return Place(".".join(levels), _title(path[: kept + 1]))


def _kept(path: tuple[str, ...], place: int, counts: dict[tuple[str, ...], int]) -> bool:
    """True for a level that holds less than the one around it, or that gives numbers their name: layers 0, 1, 2."""
    numbered = place + 2 < len(path) and path[place + 1].isdigit()
    smaller = counts[path[: place + 1]] < counts[path[:place]]
    return smaller or (numbered and counts[path[: place + 2]] < counts[path[: place + 1]])
