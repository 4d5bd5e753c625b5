"""Which columns of a table are shown where there is no room for all: those that matter less give way.

Owns: the choice, and what a person chose against it.  Refuses Qt.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from frozendict import frozendict


def fitting(widths: Sequence[int], order: Sequence[int], room: int) -> frozenset[int]:
    """The columns that are left out so that the others fit into `room` pixels: of `order`, as few as needed, the first
    one first.

    >>> sorted(fitting([100, 50, 50], [2, 1], 160))
    [2]
    """
    hidden: set[int] = set()
    needed = sum(widths)
    for column in order:
        if needed <= room:
            break
        hidden.add(column)
        needed -= widths[column]
    return frozenset(hidden)


def shrunk(widths: Sequence[int], text: Collection[int], least: int, room: int) -> list[int]:
    """The widths after columns of `text` gave up what is missing to `room`, the widest first, none below `least`.

    >>> shrunk([100, 300, 200, 50], {0, 1, 2}, 80, 500)
    [100, 175, 175, 50]
    """
    found = list(widths)
    missing = sum(found) - room
    open_ = sorted(place for place in text if found[place] > least)
    while missing > 0 and open_:
        widest = max(found[place] for place in open_)
        top = [place for place in open_ if found[place] == widest]
        next_ = max((found[place] for place in open_ if found[place] < widest), default=least)
        step = min(widest - max(next_, least), -(-missing // len(top)))
        for place in top:
            found[place] -= step
        missing -= step * len(top)
        open_ = [place for place in open_ if found[place] > least]
    return found


@dataclass(frozen=True, slots=True)
class ColumnRoom:
    """`order` has the columns that may give way, the first one first; `chosen` those that a person showed or hid."""

    order: tuple[int, ...] = ()
    chosen: frozendict[int, bool] = frozendict()  # noqa: RUF009  it cannot be changed

    def choose(self, column: int, shown: bool) -> ColumnRoom:
        """A person shows or hides a column, whatever room there is."""
        return ColumnRoom(self.order, self.chosen.set(column, shown))

    def hidden(self, widths: Sequence[int], room: int) -> frozenset[int]:
        """The columns that are left out where there are so many pixels."""
        gone = {column for column, shown in self.chosen.items() if not shown}
        held = [0 if column in gone else width for column, width in enumerate(widths)]
        free = [column for column in self.order if column not in self.chosen]
        return fitting(held, free, room) | gone
