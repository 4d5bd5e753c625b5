"""What an insight is about, in the first column of their table: rows about the same op are told apart by their kind.

Owns: those words. The column of kinds gives way where it is narrow, the first one never does. Refuses: finding.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from compiler.compilation import Compilation
from spyre_studio.insight import Insight
from spyre_studio.insights import KINDS
from spyre_studio.short_names import told_names

_LONGEST: Final = 25  # characters of a name in the table


class Named(str):
    """The whole name, as it is sorted and saved; `shown` is what stands in the table."""

    __slots__ = ("shown",)

    shown: str

    def __new__(cls, name: str, shown: str) -> Named:
        """A name with other words for the screen."""
        made = super().__new__(cls, name)
        made.shown = shown
        return made


def named(found: Sequence[Insight], compilation: Compilation) -> tuple[Named, ...]:
    """The first cell of each row."""
    endings = [ending(one.name) for one in found]
    times = Counter(endings)
    return tuple(
        Named(one.name, shown if times[shown] == 1 else f"{_short(one.name, compilation)} · {KINDS[one.kind].title}")
        for one, shown in zip(found, endings, strict=True)
    )


def shown_name(cell: object) -> str:
    """What stands in the table for a cell."""
    return cell.shown if isinstance(cell, Named) else ending(str(cell))


def ending(name: str) -> str:
    """A long name by its end, which tells steps of a module apart."""
    return name if len(name) <= _LONGEST else f"…{name[1 - _LONGEST :].lstrip('.*/')}"


def _short(name: str, compilation: Compilation) -> str:
    """In fewer words, as room is needed for the kind."""
    names = told_names(compilation)
    return ending(names.steps.get(name, names.buffers.get(name, name)))
