"""Block: a set of places in one memory, as a strided view or as a table of positions.

Owns reading and writing carrier elements at those places.  Refuses to know tensors, loops or types.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Steps = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Strided:
    """Places at regular distances.  Every loop is one or more (size, stride) pairs; stride 0 means it moves nothing."""

    offset: int
    shape: tuple[int, ...]
    steps: tuple[Steps, ...]

    def load(self, memory: Tensor) -> Tensor:
        """Elements as a tensor that broadcasts to the loops' shape; loops that move nothing have size 1."""
        still = [len(step) == 1 and step[0][1] == 0 for step in self.steps]
        pairs = [pair for step, fixed in zip(self.steps, still, strict=True) if not fixed for pair in step]
        view = memory.as_strided([size for size, _ in pairs], [stride for _, stride in pairs], self.offset)
        return view.reshape([1 if fixed else size for size, fixed in zip(self.shape, still, strict=True)])

    def store(self, memory: Tensor, values: Tensor) -> None:
        """Write values that broadcast to the loops' shape; where several go to one place the last one stays."""
        pairs = [pair for step in self.steps for pair in step]
        last = tuple(slice(None) if stride else -1 for _, stride in pairs)
        values = values.expand(self.shape).reshape([size for size, _ in pairs])[last]
        moving = [(size, stride) for size, stride in pairs if stride]
        view = memory.as_strided([size for size, _ in moving], [stride for _, stride in moving], self.offset)
        view.copy_(_apart(values, memory))


@dataclass(frozen=True, slots=True)
class Indexed:
    """Any places: a table of positions, of the loops' shape or, with `active`, one entry per active iteration."""

    positions: Tensor
    active: Tensor | None

    def load(self, memory: Tensor) -> Tensor:
        """Elements as a tensor that broadcasts to the loops' shape; inactive iterations are 0 and touch no memory."""
        found = memory[self.positions]
        if self.active is None:
            return found
        result = torch.zeros(self.active.shape, dtype=memory.dtype)
        result[self.active] = found
        return result

    def store(self, memory: Tensor, values: Tensor) -> None:
        """Write values that broadcast to the table's shape."""
        places, values = torch.broadcast_tensors(self.positions, _apart(values, memory))  # type: ignore[no-untyped-call]
        memory[places] = values


Block = Strided | Indexed


def _apart(values: Tensor, memory: Tensor) -> Tensor:
    """Values that do not alias the memory they are written to (a plain copy may hand over a view of it)."""
    same = values.untyped_storage().data_ptr() == memory.untyped_storage().data_ptr()
    return values.clone() if same else values


def steps_of(positions: NDArray[np.int64]) -> Steps | None:
    """(size, stride) pairs, slowest first, that walk these positions relative to the first; None if none do.

    A step backwards has no such form (torch has no negative strides).

    >>> steps_of(np.array([0, 1, 2, 3, 64, 65, 66, 67]))
    ((2, 64), (4, 1))
    """
    count = len(positions)
    if count == 1:
        return ((1, 0),)
    moves = np.diff(positions)
    breaks = np.flatnonzero(moves != moves[0])
    if moves[0] < 0:
        return None
    if not len(breaks):
        return ((count, int(moves[0])),)
    run = int(breaks[0]) + 1
    if count % run:
        return None
    rows = positions.reshape(-1, run)
    outer = steps_of(rows[:, 0])
    if outer is None or not np.array_equal(rows - rows[:, :1], np.broadcast_to(rows[0] - rows[0, 0], rows.shape)):
        return None
    return (*outer, (run, int(moves[0])))
