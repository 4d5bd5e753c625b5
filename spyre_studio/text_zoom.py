"""How large texts are: the steps, in percent of what the system has.

Owns: the steps and going from one to the next.  Refuses: Qt; `text_zoom_apply` dresses the application.
"""

from __future__ import annotations

from typing import Final

NORMAL: Final = 100
STEPS: Final = (80, 90, NORMAL, 110, 125, 150, 175, 200)
WORDS: Final = tuple(map(str, STEPS))


def larger(percent: int) -> int:
    """The next larger step; the largest stays."""
    return next((step for step in STEPS if step > percent), STEPS[-1])


def smaller(percent: int) -> int:
    """The next smaller step; the smallest stays."""
    return next((step for step in reversed(STEPS) if step < percent), STEPS[0])
