"""What a folded block says that it holds, in a few words.

Owns: the words. Refuses: Qt.
"""

from __future__ import annotations

import numpy as np

from spyre_studio.listing import Listing
from spyre_studio.units import format_count

_MOST = 2  # kinds of lines that are counted
_CALLED = {"place": "placement", "why": "reason", "divide": "division", "of": "op", "box": "core", "pass": "pass"}
_COUNTED = frozenset(
    {"of", "pass", "step", "kernel", "tensor", "op", "buffer", "layout", "place", "divide", "why", "edit"}
)


def folded_words(listing: Listing, fold: int) -> str:
    """Such as '… 31 cores like core 0, 31 lines', '… 90 more layouts, 90 lines', '… 12 steps, 428 lines'."""
    start, end = int(listing.folds.starts[fold]), int(listing.folds.ends[fold])
    count = end - start - 1
    lines, shape = format_count(count, "line"), listing.shape
    word = shape.words[int(shape.word[start])]
    if listing.folds.runs[fold]:
        if listing.folds.work[start]:
            return f"… {_cores(listing, start, end)}, {lines}"
        return f"… {count:,} more {_plural(word, count)}" if word.isalpha() and listing.ours else f"… {lines} more"
    if not listing.ours:
        return f"… {lines}"
    depth, words = shape.depth[start + 1 : end], shape.word[start + 1 : end]
    inside = words[depth == depth.min()]
    found, counts = np.unique(inside, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:_MOST]
    told = [f"{counts[place]:,} {_plural(shape.words[found[place]], counts[place])}" for place in order]
    known = [text for place, text in zip(order, told, strict=True) if shape.words[found[place]] in _COUNTED]
    return f"… {', '.join([*known, lines])}"


def _cores(listing: Listing, start: int, end: int) -> str:
    """`31 cores like core 0`; of cores that take turns, how many are like which."""
    cores, work = listing.shape.core[start:end], listing.folds.work[start:end]
    kinds, first, counts = np.unique(work, return_index=True, return_counts=True)
    told = format_count(end - start - 1, "core")
    if len(kinds) > _MOST:
        return f"{told}, {len(kinds)} kinds of work"
    of_kind = sorted(zip(first.tolist(), counts.tolist(), strict=True))
    parts = [f"{count - (place == 0)} like core {int(cores[place])}" for place, count in of_kind]
    return f"{told}, {', '.join(parts)}" if len(parts) > 1 else f"{told} like core {int(cores[0])}"


def _plural(word: str, count: int) -> str:
    called = _CALLED.get(word, word)
    if count == 1:
        return called
    return f"{called}es" if called.endswith("s") else f"{called}s"
