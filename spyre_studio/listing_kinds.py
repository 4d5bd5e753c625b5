"""Which listings of a plan there are: one row each, and every export format that is text.

Owns: the rows, and having them written. Refuses: the texts; `compiler.text` and `compiler.emit` write them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from compiler.compilation import Compilation
from compiler.emit import FORMATS, ready
from compiler.emit.format import Ready
from compiler.errors import StudioError
from compiler.pass_story import PassStory
from compiler.program import Program
from compiler.text.document import to_text
from spyre_studio.derived import schedule_of
from spyre_studio.failure import Failure
from spyre_studio.listing import Listing, linked
from spyre_studio.listing_links import Names
from spyre_studio.listing_text import Numbers
from spyre_studio.pass_text import print_passes

PASSES: Final = "passes"
_MANY: Final = 100  # changes that nobody reads one after the other
_VERY_MANY: Final = 1000  # changes after which a single pass is too long
_WRITTEN: Final = frozenset({"plan-text", "program-text", "loops-text"})  # formats that are listings anyway


@dataclass(frozen=True, slots=True)
class ListingKind:
    """A row: its words in a menu, what writes it, and whether its length is that of all cores in all steps."""

    key: str
    title: str
    write: Callable[[Compilation], str]
    long: bool = False
    ours: bool = True


_OURS: Final = (
    ListingKind("plan", "plan", lambda whole: to_text(whole.plan)),
    ListingKind("program", "device program", lambda whole: to_text(whole.program), long=True),
    ListingKind("loops", "loops", lambda whole: to_text(whole.problem.program)),
)


def kinds() -> tuple[ListingKind, ...]:
    """All rows; formats of the table of exports follow those that people read most."""
    return (
        *_OURS,
        *(
            ListingKind(row.name, row.title[:1].lower() + row.title[1:], _exported(row.name), long=True, ours=False)
            for row in FORMATS.values()
            if row.name not in _WRITTEN and not row.folder
        ),
    )


def kind_of(key: str) -> ListingKind:
    """The row with this key."""
    return next(row for row in kinds() if row.key == key)


def listing_of(compilation: Compilation, key: str) -> Listing:
    """A listing of a plan; StudioError where it cannot be written as that."""
    row = kind_of(key)
    alike = alike_cores(compilation.program) if key == "program" else None
    return linked(row.write(compilation), names_of(compilation), alike, row.ours)


def tried(compilation: Compilation, key: str) -> Listing | Failure:
    """The same on a thread of its own, which has nobody to raise to."""
    try:
        return listing_of(compilation, key)
    except StudioError as error:
        return Failure.of(error)


def passes_listing(compilation: Compilation, story: PassStory) -> Listing:
    """The passes of a plan; what they changed is folded at first where it is much, and where it is very much, op by op
    as well."""
    many = sum(len(step.changes) for step in story.steps)
    shut = (1, 3) if many > _VERY_MANY else (1, 2) if many > _MANY else (0, 0)
    return linked(print_passes(story), names_of(compilation), shut=shut)


def names_of(compilation: Compilation) -> Names:
    """What can be named in a listing of a plan."""
    schedule = schedule_of(compilation)
    return Names(frozenset(schedule.step_map), frozenset(schedule.buffers))


def _exported(name: str) -> Callable[[Compilation], str]:
    return lambda whole: _beginning_with_limits(ready(whole, name))


def _beginning_with_limits(made: Ready) -> str:
    """The text, after what the format has no words for."""
    limits = (f"// left out: {limit}\n" for limit in made.limits)
    return "".join((*limits, *(part.text for part in made.parts(partial=True))))


def alike_cores(program: Program) -> Numbers:
    """For every line of a core in a device program a number: the same for those that do the same on other data."""
    return np.fromiter(_work(program), np.int64)


def _work(program: Program) -> Iterator[int]:
    for tensor in program.tensors:
        for box in tensor.boxes:
            yield hash(box.size)
    for kernel in program.kernels:
        for op in kernel.ops:
            for part in op.slices:
                yield hash((part.pass_to >= 0, *[high - low for low, high in part.ranges]))
