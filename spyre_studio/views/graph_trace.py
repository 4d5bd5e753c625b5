"""What the data of one box comes from and goes to, in the graph as it is folded.

Owns: walking along edges. Refuses: drawing, and choosing the box.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]
Way = Literal["near", "up", "down"]
WAYS: Final[dict[Way, str]] = {
    "near": "Producers and consumers",
    "up": "All that leads here",
    "down": "All that follows from here",
}


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """`boxes` (b,) and `links` (k,): what belongs to it; the box itself does."""

    boxes: Bools
    links: Bools


def trace_of(links: Ints, boxes: int, start: int, way: Way) -> Trace:
    """From `start` one edge in both directions, or all the way up or down. `links` (k, 2): from and to which box."""
    if way == "near":
        touching = (links == start).any(axis=1)
        near = np.zeros(boxes, bool)
        near[links[touching].ravel()] = True
        near[start] = True
        return Trace(near, touching)
    here, there = (1, 0) if way == "up" else (0, 1)
    order = np.argsort(links[:, here], kind="stable")
    at = np.searchsorted(links[order, here], np.arange(boxes + 1)).tolist()
    beyond = links[order, there].tolist()
    reached = np.zeros(boxes, bool)
    reached[start] = True
    waiting = [start]
    for box in waiting:
        for other in beyond[at[box] : at[box + 1]]:
            if not reached[other]:
                reached[other] = True
                waiting.append(other)
    return Trace(reached, reached[links[:, here]])
