"""Where one can go by name: views, cores, kernels, ops and buffers of a plan, and the letters that narrow the list.

Owns: the targets and the prefixes.  Refuses: Qt, and going there.  A prefix is a letter and a space before the name,
as in `b softmax` for buffers alone; `>` asks for actions instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from compiler.compilation import Compilation
from spyre_studio.derived import Derived
from spyre_studio.finder import Entry, found_in
from spyre_studio.palette_match import Target, ranked
from spyre_studio.units import format_count
from spyre_studio.views import VIEWS

ACTIONS_SIGN: Final = ">"


@dataclass(frozen=True, slots=True)
class Prefix:
    """`kinds` are those of the keys that remain; `noun` is what they are called."""

    letter: str
    noun: str
    kinds: frozenset[str]


PREFIXES: Final = (
    Prefix("o", "ops", frozenset({"op", "move"})),
    Prefix("b", "buffers", frozenset({"buffer"})),
    Prefix("c", "cores", frozenset({"core"})),
    Prefix("k", "kernels", frozenset({"kernel"})),
    Prefix("v", "views", frozenset({"view"})),
)
_BY_LETTER: Final = {prefix.letter: prefix for prefix in PREFIXES}
PREFIX_HINT: Final = " · ".join([*(f"{each.letter} {each.noun}" for each in PREFIXES), f"{ACTIONS_SIGN} actions"])


@dataclass(frozen=True, slots=True)
class Places:
    """All targets, and those that each prefix leaves."""

    every: tuple[Target, ...]
    by_letter: dict[str, tuple[Target, ...]]


@Derived
def places_in(compilation: Compilation) -> Places:
    """The places of a plan: ops in schedule order, buffers, kernels, cores, and the views that show them."""
    every = (
        *(_of_entry(entry) for entry in found_in(compilation)),
        *_kernels(compilation),
        *(_core(core) for core in range(compilation.plan.cores)),
        *_views(),
    )
    kept = {each.letter: tuple(one for one in every if kind_of(one.key) in each.kinds) for each in PREFIXES}
    return Places(every, kept)


def kind_of(key: str) -> str:
    """The part of a target's key before the colon."""
    return key.partition(":")[0]


def found_places(places: Places, text: str, recent: Sequence[str] = ()) -> list[Target]:
    """The targets that `text` may mean, with or without a prefix, the best first."""
    letter, space, rest = text.lstrip().partition(" ")
    if space and letter.casefold() in _BY_LETTER:
        return ranked(places.by_letter[letter.casefold()], rest, recent)
    return ranked(places.every, text, recent)


def _of_entry(entry: Entry) -> Target:
    note = entry.note if entry.kind == "op" else f"{entry.kind} · {entry.note}"
    return Target.of(f"{entry.kind}:{entry.name}", entry.name, note, f"{entry.kind} {entry.note}")


def _kernels(compilation: Compilation) -> tuple[Target, ...]:
    return tuple(
        Target.of(f"kernel:{kernel.name}", kernel.name, f"kernel · {format_count(len(kernel.steps), 'step')}", "kernel")
        for kernel in compilation.plan.kernels
    )


def _core(core: int) -> Target:
    return Target.of(f"core:{core}", f"Core {core}", "core")


def _views() -> tuple[Target, ...]:
    return tuple(Target.of(f"view:{row.key}", row.title, f"view · {row.hint}", f"view {row.hint}") for row in VIEWS)
