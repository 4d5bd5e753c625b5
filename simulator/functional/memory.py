"""Memories: device memory and every core's LX as plain bytes.

Owns the bytes, where a tensor's elements lie in them, and poison: bytes nobody has written, padding lanes and the
ranges of dead tensors hold patterns that spoil every result they reach; what is read and written is told to a meter.
Refuses values beside the bytes: what is read comes from here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from compiler.errors import InputError
from compiler.layout import STICK_BYTES
from compiler.program import CoreBox, DeviceTensor, Memory
from simulator.errors import DeviceError
from simulator.functional.address import AccessMap, Frame, OutsideError
from simulator.functional.block import Block, Strided
from simulator.functional.elements import FLOAT_POISON, as_stored, carrier, decode, encode, poison_byte, poisoned
from simulator.functional.meter import Entry, Meter, sticks_of
from simulator.functional.padding import Box
from simulator.functional.space import Space
from simulator.traffic import Way

HOST = -1
"""The core number of the host, which sees device memory only."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One access by one core: which tensor, whose view of it, for which step (named in faults), as which operand of
    the step (-1: its result)."""

    tensor: DeviceTensor
    core: int
    step: str
    write: bool = False
    operand: int = -1


class Memories:
    """Bytes of one device, `lx_bytes` on every core; with `poison` off, untouched memory is zero."""

    def __init__(self, hbm_bytes: int, lx_bytes: int, poison: bool) -> None:
        self._hbm = _bytes("device memory", hbm_bytes, poison)
        self._lx: dict[int, Tensor] = {}
        self._lx_bytes = lx_bytes
        self._poison = poison
        self._alive: dict[str, DeviceTensor] = {}
        self._meter: Meter | None = None

    def watch(self, meter: Meter) -> None:
        """From now on a meter hears of everything that is read and written, except `stored`."""
        self._meter = meter

    def born(self, tensor: DeviceTensor, *, alone: bool = False) -> None:
        """A tensor takes its place: all its bytes become poison, unless it takes them over from a live one.

        An `alone` tensor takes over from nobody: whatever is alive there is spoilt.
        """
        carrier(tensor)
        self._fill(tensor, alone)
        self._alive[tensor.name] = tensor

    def died(self, tensor: DeviceTensor) -> None:
        """The last use has passed: its bytes become poison unless another live tensor has taken them over."""
        self._alive.pop(tensor.name, None)
        self._fill(tensor)

    def read(self, spot: Spot, block: Block) -> Tensor:
        """Values at a block's places, in the tensor's type."""
        self.touch(spot, block)
        return decode(block.load(self._elements(spot)), spot.tensor.dtype)

    def stored(self, spot: Spot, block: Block) -> Tensor:
        """The same for comparing: bools no one has written are told from True."""
        return as_stored(block.load(self._elements(spot)), spot.tensor.dtype)

    def write(self, spot: Spot, block: Block, values: Tensor) -> None:
        """Round values to the tensor's type and put them at a block's places."""
        self.touch(spot, block)
        block.store(self._elements(spot), encode(values, spot.tensor.dtype, carrier(spot.tensor)))

    def touch(self, spot: Spot, block: Block, receiver: int | None = None) -> None:
        """Tell the meter of an access, or of what a core sends to a `receiver` over the ring."""
        if self._meter is None:
            return
        tensor = spot.tensor
        inside = Way.DEVICE_MEMORY if tensor.memory is Memory.HBM else Way.LX
        way, core = (inside, spot.core) if receiver is None else (Way.RING, receiver)
        entry = Entry(spot.step, tensor.name, spot.operand, way, spot.write)
        memory = HOST if tensor.memory is Memory.HBM else spot.core
        self._meter.take(entry, core, memory, sticks_of(block, tensor.layout.elements_per_stick))

    def beyond(
        self, spot: Spot, where: AccessMap, space: Space, place: int, count: int, gathered: Tensor | None
    ) -> Tensor:
        """Values at `count` more iterations of a loop (see `AccessMap.beyond`); outside the tensor all is unwritten."""
        try:
            block = where.beyond(space, place, count, self._frame(spot), gathered)
        except OutsideError:
            nothing = poisoned((1,) * len(space.loops), spot.tensor.dtype)
            return nothing if self._poison else torch.zeros_like(nothing)
        return self.read(spot, block)

    def zero(self, spot: Spot, box: Box) -> None:
        """Make all elements of a box of device coordinates zero; a fault if the core may not touch one of them."""
        frame = self._frame(spot)
        local = [(low - start, high - start) for (low, high), start in zip(box, frame.start, strict=True)]
        if any(low < 0 or high > size for (low, high), size in zip(local, frame.size, strict=True)):
            raise _outside(spot)
        first = frame.base + sum(low * int(step) for (low, _), step in zip(local, frame.strides, strict=True))
        sides = tuple(high - low for low, high in local)
        steps = tuple(((side, int(step)),) for side, step in zip(sides, frame.strides, strict=True))
        block = Strided(first, sides, steps)
        self.touch(spot, block)
        block.store(self._elements(spot), torch.zeros((), dtype=carrier(spot.tensor)))

    def block(
        self,
        spot: Spot,
        where: AccessMap,
        space: Space,
        gathered: Tensor | None = None,
        active: Tensor | None = None,
    ) -> Block:
        """The places of an access; a fault if one of them is not this core's to touch."""
        frame = self._frame(spot)
        try:
            return where.block(space, frame, gathered, active)
        except OutsideError:
            raise _outside(spot) from None

    def owners(self, tensor: DeviceTensor) -> tuple[int, ...]:
        """Cores that hold a part of the tensor; the host for device memory."""
        return tuple(box.core for box in tensor.boxes) if tensor.memory is Memory.LX else (HOST,)

    def _frame(self, spot: Spot) -> Frame:
        tensor = spot.tensor
        width = tensor.layout.element_bytes
        if tensor.memory is Memory.HBM:
            size = tensor.layout.device_size
            return Frame(tensor.address // width, (0,) * len(size), size)
        box = next((box for box in tensor.boxes if box.core == spot.core), None)
        if box is None:
            raise _outside(spot)
        return Frame(tensor.address // width, box.start, box.size)

    def _elements(self, spot: Spot) -> Tensor:
        memory = self._hbm if spot.tensor.memory is Memory.HBM else self._core(spot.core)
        return memory.view(carrier(spot.tensor))

    def _core(self, core: int) -> Tensor:
        if core not in self._lx:
            self._lx[core] = _bytes(f"LX of core {core}", self._lx_bytes, self._poison)
        return self._lx[core]

    def _fill(self, tensor: DeviceTensor, alone: bool = False) -> None:
        """Make a tensor's bytes unwritten, and check that its memory has room for them."""
        pattern = poison_byte(tensor.dtype) if self._poison else 0
        others = [] if alone else [other for name, other in self._alive.items() if name != tensor.name]
        taken = any(_overlap(tensor, other) for other in others)
        for core, size in _pieces(tensor):
            memory = self._hbm if core == HOST else self._core(core)
            end = tensor.address + size
            if tensor.address < 0 or tensor.address % STICK_BYTES or end > memory.numel():
                place = "device memory" if core == HOST else f"LX of core {core}"
                span = f"bytes {tensor.address} to {end}"
                why = f"{span} are not whole sticks within the {memory.numel()} bytes of {place}"
                raise DeviceError(f"tensor {tensor.name}", why)
            if not taken:
                memory[tensor.address : end] = pattern


def _bytes(what: str, size: int, poison: bool) -> Tensor:
    sticks = -(-size // STICK_BYTES)
    try:
        return torch.full((sticks * STICK_BYTES,), FLOAT_POISON if poison else 0, dtype=torch.uint8)
    except RuntimeError as error:
        why = f"its {size} bytes do not fit into the memory of this machine"
        raise InputError(f"the simulated {what}", why, "verify a smaller model, or fewer layers of it") from error


def _pieces(tensor: DeviceTensor) -> list[tuple[int, int]]:
    """(core, bytes) of every piece of a tensor."""
    if tensor.memory is Memory.HBM:
        return [(HOST, tensor.layout.size_bytes)]
    return [(box.core, _box_bytes(tensor, box)) for box in tensor.boxes]


def _box_bytes(tensor: DeviceTensor, box: CoreBox) -> int:
    return math.prod(box.size) * tensor.layout.element_bytes


def _overlap(one: DeviceTensor, other: DeviceTensor) -> bool:
    """True if two tensors share a byte on some core."""
    if one.memory is not other.memory:
        return False
    theirs = dict(_pieces(other))
    return any(
        one.address < other.address + theirs.get(core, 0) and other.address < one.address + size
        for core, size in _pieces(one)
        if core in theirs
    )


def _outside(spot: Spot) -> DeviceError:
    name = spot.tensor.name
    verb = "write" if spot.write else "read"
    if spot.tensor.memory is Memory.HBM:
        return DeviceError(f"step {spot.step}", f"{verb} of {name} outside the tensor on core {spot.core}")
    if spot.core == HOST:
        return DeviceError(f"step {spot.step}", f"the host cannot {verb} {name}, which is in LX")
    return DeviceError(f"step {spot.step}", f"LX {verb} outside what core {spot.core} holds of {name}")
