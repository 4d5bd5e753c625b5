"""Division: how one op's iteration space is cut over cores, and which core gets which slice.

Mixed radix over the splits, first split fastest (facts 3.8).  A K-fast order is simply a K split listed first.  Refuses
uneven factors: `step` is the extent of every slot but possibly a short last one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from frozendict import frozendict

from compiler.loops import Loop


@dataclass(frozen=True, slots=True)
class Split:
    """`factor` slots of `step` iterations (elements, a whole number of sticks for stick loops); the last may be
    shorter."""

    loop: str
    factor: int
    step: int


@dataclass(frozen=True, slots=True)
class Division:
    """Splits with factor > 1, fastest varying first; no splits means one core."""

    splits: tuple[Split, ...] = ()

    @property
    def cores(self) -> int:
        """Number of cores used."""
        return math.prod(split.factor for split in self.splits)

    @property
    def factors(self) -> frozendict[str, int]:
        """Loop -> factor, for split loops only."""
        return frozendict((split.loop, split.factor) for split in self.splits)

    def factor(self, loop: str) -> int:
        """Factor of a loop, 1 if it is not split."""
        return self.factors.get(loop, 1)

    def slots(self, core: int) -> frozendict[str, int]:
        """Loop -> slot number of this core (core must be < cores)."""
        slots: dict[str, int] = {}
        rest = core
        for split in self.splits:
            slots[split.loop] = rest % split.factor
            rest //= split.factor
        return frozendict(slots)

    def bounds(self, loops: tuple[Loop, ...], core: int) -> tuple[tuple[int, int], ...]:
        """Half-open range of every loop on this core, in loop order."""
        slots = self.slots(core)
        steps = {split.loop: split.step for split in self.splits}
        ranges = []
        for loop in loops:
            low = slots.get(loop.name, 0) * steps.get(loop.name, loop.extent)
            ranges.append((low, min(low + steps.get(loop.name, loop.extent), loop.extent)))
        return tuple(ranges)

    def __str__(self) -> str:
        return " ".join(f"{split.loop} {split.factor}" for split in self.splits) or "1 core"
