"""Blocks of a listing that can be folded away: which there are, which are folded, and what is left to see.

Owns: blocks made of the depth of lines, runs of lines of one kind, and the lines that stay visible. Refuses: Qt, and
the words on a folded block.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spyre_studio.listing_shape import Shape
from spyre_studio.listing_text import Numbers

_SHORTEST = 3  # lines of a run
_ALONE = frozenset({"decided", "note", "pass"})  # sentences: what one says, the others do not
_MOST_PARTS = 4  # runs that cores with different work may make; more are one run


@dataclass(frozen=True, slots=True, eq=False)
class Folds:
    """Blocks in order of their first lines, which stay: `starts` and `ends` (behind the last line); `runs` tells those
    whose lines are alike; `at_first`: folded unless somebody unfolds them; `work` is equal for lines of cores that do
    the same, 0 where that is not known."""

    starts: Numbers
    ends: Numbers
    runs: NDArray[np.bool_]
    at_first: NDArray[np.bool_]
    work: Numbers

    def __len__(self) -> int:
        return len(self.starts)

    def headed_by(self, line: int) -> int:
        """The block that a line begins, -1 for none."""
        place = int(np.searchsorted(self.starts, line))
        return place if place < len(self.starts) and self.starts[place] == line else -1

    def around(self, line: int) -> Numbers:
        """The blocks that a line can be hidden in, outermost first."""
        end = int(np.searchsorted(self.starts, line))
        return np.flatnonzero(self.ends[:end] > line)


def folds_of(shape: Shape, alike: Numbers | None = None, shut: tuple[int, int] = (0, 0)) -> Folds:
    """All blocks.  `alike` has an entry for each line of a core, equal where cores do the same: these runs are folded
    at first; so are blocks of a depth from the first of `shut` on, up to the other."""
    work = np.zeros(len(shape.depth), np.int64)
    of_core = shape.core >= 0
    if alike is not None and len(alike) == np.count_nonzero(of_core):
        work[of_core] = alike
    starts, ends = _nested(shape.depth)
    closing = np.array([bool(text) and not text.strip("}])>,;") for text in shape.words] or [False], bool)
    ends += closing[np.append(shape.word, 0)[ends]] & (ends < len(shape.depth))  # a bracket goes with what it closes
    run_starts, run_ends = _runs(shape, work)
    order = np.argsort(np.concatenate((starts, run_starts)), kind="stable")
    deep = (shape.depth[starts] >= shut[0]) & (shape.depth[starts] < shut[1])
    at_first = np.concatenate((deep, work[run_starts] != 0))
    runs = np.concatenate((np.zeros(len(starts), bool), np.ones(len(run_starts), bool)))
    return Folds(
        np.concatenate((starts, run_starts))[order],
        np.concatenate((ends, run_ends))[order],
        runs[order],
        at_first[order],
        work,
    )


def _nested(depth: Numbers) -> tuple[Numbers, Numbers]:
    """Lines with deeper ones below them, and where those end."""
    heads = np.flatnonzero(depth[1:] > depth[:-1])
    ends = np.full(len(heads), len(depth), np.int64)
    for level in np.unique(depth[heads]):
        mine = depth[heads] == level
        stops = np.append(np.flatnonzero(depth <= level), len(depth))
        ends[mine] = stops[np.searchsorted(stops, heads[mine], "right")]
    return heads, ends


def _runs(shape: Shape, work: Numbers) -> tuple[Numbers, Numbers]:
    """Lines of one word below each other that have nothing below them; cores only as far as they do the same, unless
    they take turns."""
    if not len(shape.depth):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    leaf = np.append(shape.depth[1:] <= shape.depth[:-1], True)
    apart = (shape.word[1:] != shape.word[:-1]) | (shape.depth[1:] != shape.depth[:-1]) | ~leaf[1:] | ~leaf[:-1]
    turns = work[1:] != work[:-1]
    whole = np.flatnonzero(np.append(True, apart))
    parts = np.append(0, np.cumsum(turns & ~apart))[np.append(whole[1:], len(leaf)) - 1]
    parts = np.diff(parts, prepend=0)  # changes of work inside each whole run
    few = np.repeat(parts < _MOST_PARTS, np.diff(np.append(whole, len(leaf))))
    starts = np.flatnonzero(np.append(True, apart | (turns & few[1:])))
    ends = np.append(starts[1:], len(leaf))
    spoken = np.array([text.isalpha() and text not in _ALONE for text in shape.words], bool)[shape.word]
    long = (ends - starts >= _SHORTEST) & leaf[starts] & (shape.depth[starts] > 0) & spoken[starts]
    return starts[long], ends[long]


class Folding:
    """Which blocks of a listing are folded, and with that which lines are visible."""

    def __init__(self, folds: Folds, lines: int) -> None:
        self.folds, self._lines = folds, lines
        self.closed: NDArray[np.bool_] = folds.at_first.copy()
        self.visible: Numbers = np.zeros(0, np.int64)
        self._look()

    def row_of(self, line: int) -> int:
        """The row in which a line is seen: its own, or that of the block that hides it."""
        return max(int(np.searchsorted(self.visible, line, "right")) - 1, 0)

    def rows_of(self, lines: Numbers) -> Numbers:
        """The same for many lines."""
        return np.maximum(np.searchsorted(self.visible, lines, "right") - 1, 0)

    def is_visible(self, line: int) -> bool:
        """False if the line is folded away."""
        row = self.row_of(line)
        return row < len(self.visible) and int(self.visible[row]) == line

    def is_closed(self, line: int) -> bool:
        """True if the line begins a block that is folded."""
        fold = self.folds.headed_by(line)
        return fold >= 0 and bool(self.closed[fold])

    def turn(self, line: int, closed: bool) -> bool:
        """Fold or unfold the block that a line begins; False if it begins none, or it is so already."""
        fold = self.folds.headed_by(line)
        if fold < 0 or bool(self.closed[fold]) == closed:
            return False
        self.closed[fold] = closed
        self._look()
        return True

    def turn_all(self, closed: bool) -> None:
        """Fold or unfold all blocks but the one that is everything."""
        self.closed[:] = closed
        if closed and len(self.folds) and self.folds.starts[0] == 0:
            self.closed[0] = False
        self._look()

    def as_at_first(self) -> None:
        """Fold what was folded at first."""
        self.closed[:] = self.folds.at_first
        self._look()

    def reveal(self, line: int) -> bool:
        """Unfold what hides a line; False if nothing does."""
        hiding = self.folds.around(line)
        hiding = hiding[self.closed[hiding]]
        if not len(hiding):
            return False
        self.closed[hiding] = False
        self._look()
        return True

    def head_of(self, line: int) -> int:
        """The first line of the innermost block around a line, -1 for none."""
        around = self.folds.around(line)
        return int(self.folds.starts[around[-1]]) if len(around) else -1

    def _look(self) -> None:
        firsts, ends = self.folds.starts[self.closed] + 1, self.folds.ends[self.closed]
        outer = np.append(True, firsts[1:] > np.maximum.accumulate(ends)[:-1])[: len(firsts)]  # the rest is inside
        change = np.zeros(self._lines + 1, np.int8)
        change[firsts[outer]], change[ends[outer]] = 1, -1
        self.visible = np.flatnonzero(np.cumsum(change[:-1], dtype=np.int8) == 0)
