"""Space: the part of an op's iteration space that runs at once, on one core or as a whole.

Owns loop ranges and the grid of loop values.  Refuses addresses: those are `address.AccessMap`'s.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from compiler.loops import Loop, LoopOp, Role


@dataclass(frozen=True, slots=True)
class Space:
    """Half-open range of every loop; it may end beyond the extent where whole sticks are walked unmasked."""

    loops: tuple[Loop, ...]
    ranges: tuple[tuple[int, int], ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Iterations of every loop."""
        return tuple(high - low for low, high in self.ranges)

    @property
    def empty(self) -> bool:
        """True if no iteration is left."""
        return any(high <= low for low, high in self.ranges)

    def grid(self) -> dict[str, NDArray[np.int64]]:
        """Loop -> its values, as an array that broadcasts over the space; beyond the extent the last is repeated."""
        axes = {}
        for place, (loop, (low, high)) in enumerate(zip(self.loops, self.ranges, strict=True)):
            shape = [1] * len(self.loops)
            shape[place] = high - low
            axes[loop.name] = np.minimum(np.arange(low, high, dtype=np.int64), loop.extent - 1).reshape(shape)
        return axes

    def at(self, place: int, value: int) -> Space:
        """The same with the loop at `place` at one value."""
        return Space(self.loops, (*self.ranges[:place], (value, value + 1), *self.ranges[place + 1 :]))

    def where(self, keep: Callable[[Loop], bool]) -> Space:
        """The loops that `keep` accepts, with their ranges."""
        kept = [place for place, loop in enumerate(self.loops) if keep(loop)]
        return Space(tuple(self.loops[place] for place in kept), tuple(self.ranges[place] for place in kept))

    @property
    def result(self) -> Space:
        """The output loops: what is left once reduction loops are folded."""
        return self.where(lambda loop: loop.role is Role.OUTPUT)


def whole(op: LoopOp) -> Space:
    """All iterations of an op."""
    return Space(op.loops, tuple((0, loop.extent) for loop in op.loops))
