"""Ring: what a core fetches out of the LX of other cores.

Owns the choice of the core that sends an element: the reading core itself if it holds the element, else the one with
the lowest number that does.  Refuses everything but copies: the ring carries parts of tensors as they are.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from compiler.loops import Load, OpKind
from compiler.program import CoreBox, DeviceOp, Memory
from simulator.errors import DeviceError
from simulator.functional.address import AccessMap, Frame, Integers, positions
from simulator.functional.block import Indexed
from simulator.functional.elements import torch_dtype
from simulator.functional.memory import Memories, Spot
from simulator.functional.space import Space


def check_ring(op: DeviceOp) -> None:
    """DeviceError if a step over the ring is no plain copy."""
    plain = op.op.kind is OpKind.POINTWISE and len(op.op.reads) == 1 and not op.op.reads[0].index.gathers
    if not plain or any(not isinstance(each, Load) or each.mask is not None for each in op.op.body):
        raise DeviceError(f"step {op.name}", "it reads over the ring, which carries plain copies only")


def fetch(memories: Memories, spot: Spot, where: AccessMap, space: Space) -> Tensor:
    """Values of an access over a space, every element from the LX of a core that holds it; they broadcast to the space.

    DeviceError if the tensor is not in LX, or no core holds an element.
    """
    tensor, step = spot.tensor, f"step {spot.step}"
    if tensor.memory is not Memory.LX:
        raise DeviceError(step, f"it reads {tensor.name} over the ring, which is in device memory")
    coordinates = where.coordinates(space)
    flat = coordinates.reshape(len(coordinates), -1)
    values, missing = torch.empty(flat.shape[1], dtype=torch_dtype(tensor.dtype)), np.ones(flat.shape[1], dtype=bool)
    low, high = flat.min(axis=1), flat.max(axis=1)
    senders = [box for box in tensor.boxes if _touches(box, low, high)]
    for box in sorted(senders, key=lambda box: (box.core != spot.core, box.core)):
        taken = np.flatnonzero(missing & _inside(box, flat))
        if taken.size:
            frame = Frame(tensor.address // tensor.layout.element_bytes, box.start, box.size)
            sender, places = replace(spot, core=box.core), Indexed(positions(flat[:, taken], frame), None)
            values[torch.from_numpy(taken)] = memories.read(sender, places)
            if box.core != spot.core:
                memories.touch(sender, places, receiver=spot.core)
            missing[taken] = False
    if missing.any():
        place = ",".join(map(str, flat[:, int(missing.argmax())]))
        why = f"core {spot.core} wants device element [{place}] of {tensor.name} over the ring, and no core holds it"
        raise DeviceError(step, why)
    return values.reshape(coordinates.shape[1:])


def _touches(box: CoreBox, low: Integers, high: Integers) -> bool:
    """False for a box that is beside all coordinates; most are, and looking at each place takes long."""
    start, size = np.array(box.start), np.array(box.size)
    return bool((high >= start).all() and (low < start + size).all())


def _inside(box: CoreBox, flat: Integers) -> NDArray[np.bool_]:
    """Which of the coordinates, shape (dims, places), lie in a box."""
    start, size = np.array(box.start)[:, None], np.array(box.size)[:, None]
    return np.asarray(((flat >= start) & (flat < start + size)).all(axis=0), dtype=bool)
