"""The step, buffer and core that a sentence of the checker or the simulator speaks of.

Owns: finding names of the plan in words.  Refuses: names that the plan does not have.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from compiler.compilation import Compilation
from spyre_studio.derived import schedule_of

_CORE: Final = re.compile(r"\bcore (\d+)\b")
_QUOTES: Final = ",;:.()'\""


@dataclass(frozen=True, slots=True)
class Spoken:
    """'' and -1 for what a sentence does not name."""

    op: str = ""
    buffer: str = ""
    core: int = -1

    @property
    def words(self) -> str:
        """Example: 'step exp · buffer sub · core 3'."""
        parts = (f"step {self.op}" if self.op else "", f"buffer {self.buffer}" if self.buffer else "")
        return " · ".join(part for part in (*parts, f"core {self.core}" if self.core >= 0 else "") if part)


def spoken_of(sentence: str, compilation: Compilation) -> Spoken:
    """The first step, the first buffer and the first core that are named.  A word behind 'step' names a step before all
    others, and no buffer unless no other word does."""
    schedule = schedule_of(compilation)
    words = [word.strip(_QUOTES) for word in sentence.split()]
    pairs = list(pairwise(["", *words]))
    behind = [word for before, word in pairs if before == "step"]
    others = [word for before, word in pairs if before != "step"]
    core = _CORE.search(sentence)
    number = int(core[1]) if core else -1
    return Spoken(
        op=_first([*behind, *words], schedule.step_map),
        buffer=_first([*others, *behind], schedule.buffers),
        core=number if number < compilation.plan.cores else -1,
    )


def _first(words: list[str], known: Collection[str]) -> str:
    return next((word for word in words if word in known), "")
