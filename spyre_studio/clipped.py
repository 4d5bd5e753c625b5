"""Clipped text: a sentence that stays one even if a name in it is a page long.

Owns how much of a word and of a sentence a person is shown.  Refuses to break ordinary paths.
"""

from __future__ import annotations

import re

LONGEST_WORD = 300
LONGEST = 2000
_MARK = "…"


def clipped(sentence: str) -> str:
    """The sentence with the middle of every overlong word, and of an overlong whole, left out."""
    return _short(re.sub(rf"\S{{{LONGEST_WORD + 1},}}", lambda word: _short(word[0], LONGEST_WORD), sentence), LONGEST)


def _short(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    head = most // 3
    return f"{text[:head]}{_MARK}{text[-(most - head - len(_MARK)) :]}"
