"""Slices: how many steps the first core of a division takes along every device dim, in plain arithmetic.

Owns the short way for accesses of which every device dim is walked by at most one loop, step by step; slices are equal
but for a shorter last one, so that no core takes more.  Refuses all other accesses: their boxes are in
`compiler.coordinates`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from compiler.coordinates import device_dims, moves_dim, outer_dim
from compiler.division import Division
from compiler.layout import Arrangement, StickLayout
from compiler.walks import Walk


@dataclass(frozen=True, slots=True)
class Dim:
    """A device dim: its size, the only loop that walks it ('' for none), the steps of that loop, and where it starts.

    `lanes` steps make one step of the dim: 1, or the elements of a stick.
    """

    size: int
    loop: str
    extent: int
    start: int
    lanes: int

    def walked(self, steps: Mapping[str, int]) -> int:
        """Steps of the first core along the dim; `steps` are its iterations of the split loops."""
        last = self.start + steps.get(self.loop, self.extent) - 1
        return last // self.lanes - self.start // self.lanes + 1


def steps_of(division: Division) -> dict[str, int]:
    """Iterations of the first core, for split loops only."""
    return {split.loop: split.step for split in division.splits}


@lru_cache(maxsize=1 << 14)
def plain_dims(walk: Walk, layout: StickLayout) -> tuple[Dim, ...] | None:
    """Device dims but for the lane, outside first; None if an access is not plain."""
    plain = walk.known and not (walk.masked or walk.gathers) and layout.arrangement is Arrangement.STANDARD
    if not plain or any(part.table is not None for part in walk.parts):
        return None
    found = []
    for place, host in enumerate(device_dims(layout)[:-1]):
        parts = [part for part in walk.parts if host >= 0 and moves_dim(part, host)]
        if len(parts) > 1 or any(part.steps[host] != 1 or sum(map(bool, part.steps)) > 1 for part in parts):
            return None
        loop, extent = (parts[0].names[0], parts[0].extents[0]) if parts else ("", 1)
        lanes = layout.elements_per_stick if place == outer_dim(layout) and host >= 0 else 1
        found.append(Dim(layout.device_size[place], loop, extent, walk.start[host] if host >= 0 else 0, lanes))
    return tuple(found)
