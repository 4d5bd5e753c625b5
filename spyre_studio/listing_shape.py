"""The shape of a listing: of every line the word it begins with, how deep it stands, and the core that it speaks of.

Owns: reading these of all lines at once. Refuses: names, and what is folded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from frozendict import frozendict
from numpy.typing import NDArray

from spyre_studio.listing_text import Numbers, Text, codes_of

Codes: TypeAlias = NDArray[np.uint8] | NDArray[np.uint32]
_BLANK: Final = 32
_LETTERS: Final = 8  # of a word; words of listings have no more
_DIGITS: Final = 4  # of the number of a core
_INDENT: Final = 2  # blanks for each step down, or fewer if the text has fewer
_KERNELS: Final[frozendict[str, int]] = frozendict(kernel=1, step=2, op=3, core=3, body=4)
"""How deep lines of a device program stand that are not indented so: steps are those of their kernel."""
_FROM: Final = 4  # depth of the origin of an op there; `from` cannot be a keyword above
_CORES: Final[frozendict[str, int]] = frozendict(core=5, box=9)
"""Lines of a core, and where its number stands behind the indent: `core 7`, `box core 7`."""
_TWINS: Final[frozendict[str, str]] = frozendict(spill="place")
"""Words that say the same kind of thing."""


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """Arrays with one entry per line: number of its word in `words`, depth (0: outermost), and core (-1: none)."""

    words: tuple[str, ...]
    word: Numbers
    depth: Numbers
    core: NDArray[np.int16]

    def of_word(self, *wanted: str) -> NDArray[np.bool_]:
        """Which lines begin with one of these words."""
        return np.isin(self.word, [self.words.index(one) for one in wanted if one in self.words])


def shape_of(text: Text) -> Shape:
    """Look at all lines; takes about half a second for a million."""
    codes = codes_of(text.whole)
    starts, ends = text.starts[:-1], text.starts[1:] - 1
    solid = np.flatnonzero(codes != _BLANK)
    first = solid[np.minimum(np.searchsorted(solid, starts), max(len(solid) - 1, 0))] if len(solid) else starts
    first = np.minimum(first, ends)
    words, word = _words(codes, first, ends)
    indent = first - starts
    depth = indent // max(int(indent[indent > 0].min(initial=_INDENT)), 1)
    kernels = "kernel" in words and "step" in words
    if kernels:
        depth = _nested(words, word, depth)
    return Shape(words, word, depth, _cores(codes, words, word, first))


def _words(codes: Codes, first: Numbers, ends: Numbers) -> tuple[tuple[str, ...], Numbers]:
    """The different first words, cut short, and which of them each line has."""
    room = np.append(codes, np.full(_LETTERS, _BLANK, codes.dtype))
    packed, going = np.zeros(len(first), np.uint64), np.ones(len(first), bool)
    for place in range(_LETTERS):
        at = first + place
        letter = room[at].astype(np.uint64)
        going &= (at < ends) & (letter > _BLANK) & (letter < 127)
        packed |= np.where(going, letter, 0).astype(np.uint64) << np.uint64(8 * place)
    known, word = np.unique(packed, return_inverse=True)
    texts = [int(value).to_bytes(_LETTERS, "little").rstrip(b"\0").decode("ascii") for value in known]
    words = tuple(dict.fromkeys(_TWINS.get(text, text) for text in texts))
    place_of = np.array([words.index(_TWINS.get(text, text)) for text in texts], np.int64)
    return words, place_of[word] if len(word) else word.astype(np.int64)


def _nested(words: tuple[str, ...], word: Numbers, depth: Numbers) -> Numbers:
    """The depth in a device program: tensors are as they are indented, steps lie in their kernel."""
    wanted = np.array([_KERNELS.get(text, _FROM if text == "from" else -1) for text in words], np.int64)
    found = wanted[word]
    return np.where(found >= 0, found, depth)


def _cores(codes: Codes, words: tuple[str, ...], word: Numbers, first: Numbers) -> NDArray[np.int16]:
    """The cores, read digit by digit from all lines at once."""
    cores = np.full(len(word), -1, np.int16)
    room = np.append(codes, np.full(max(_CORES.values()) + _DIGITS, _BLANK, codes.dtype))
    for text, behind in _CORES.items():
        if text not in words:
            continue
        lines = np.flatnonzero(word == words.index(text))
        value, going = np.zeros(len(lines), np.int64), np.ones(len(lines), bool)
        for place in range(_DIGITS):
            digit = room[first[lines] + behind + place].astype(np.int64) - ord("0")
            going &= (digit >= 0) & (digit <= 9)
            value = np.where(going, 10 * value + digit, value)
        whole = (room[first[lines] + behind] >= ord("0")) & (room[first[lines] + behind] <= ord("9"))
        cores[lines[whole]] = value[whole]
    return cores
