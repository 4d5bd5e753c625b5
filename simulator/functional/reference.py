"""Reference: the same loop nests on plain host tensors, without cores, layouts or memories.

Owns the second way to get every intermediate: the whole iteration space of an op at once.  Shares the meaning of
primitives with `execute` and nothing of where elements lie.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from torch import Tensor

from compiler.dtypes import DType
from compiler.loops import Access, LoopOp, OpKind
from simulator.errors import DeviceError
from simulator.functional.address import AccessMap, Frame, OutsideError, access_map
from simulator.functional.block import Block
from simulator.functional.body import Reader, evaluate, gathered_offsets
from simulator.functional.elements import poisoned, torch_dtype
from simulator.functional.fold import fold
from simulator.functional.opaque import call
from simulator.functional.space import Space, whole
from simulator.functional.threads import one_thread


class HostTensor(Protocol):
    """What both `Buffer` and `DeviceTensor` say about a tensor in host terms."""

    @property
    def name(self) -> str:
        """Its key."""

    @property
    def dtype(self) -> DType:
        """Its element type."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes in elements."""

    @property
    def strides(self) -> tuple[int, ...]:
        """Strides in elements."""


@dataclass(frozen=True, slots=True)
class Result:
    """What one op writes: a tensor per write over its output loops, the offsets a scatter adds to its index, and the
    value of every instruction of its body."""

    values: tuple[Tensor, ...]
    gathered: Tensor | None = None
    body: tuple[Tensor, ...] = ()


class HostBuffers:
    """Flat host storages by buffer name; fresh ones hold poison."""

    def __init__(self, tensors: Iterable[HostTensor]) -> None:
        self._tensors = {tensor.name: tensor for tensor in tensors}
        self._flat: dict[str, Tensor] = {}

    def set(self, name: str, value: Tensor) -> None:
        """Fill a buffer from a tensor of its shape."""
        self.view(name).copy_(value)

    def view(self, name: str) -> Tensor:
        """The buffer as a tensor of its shape and strides."""
        tensor = self._tensors[name]
        return self._storage(name).as_strided(tensor.shape, tensor.strides)

    def strided(self, name: str, shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> Tensor:
        """Any other view of the buffer."""
        return self._storage(name).as_strided(shape, strides, offset)

    def share(self, name: str, other: HostBuffers) -> None:
        """Use the storage of another set for a buffer that neither writes."""
        self._flat[name] = other._storage(name)

    def drop(self, name: str) -> None:
        """Forget a buffer nobody reads any more."""
        self._flat.pop(name, None)

    def result(self, op: LoopOp) -> Result:
        """What the op computes from the buffers as they are now; nothing is written yet."""
        if op.kind is OpKind.OPAQUE:
            assert op.call is not None
            return Result(call(op.call, [self.view(read.buffer) for read in op.reads]))
        space = whole(op)
        kind = torch_dtype(self._tensors[op.write.buffer].dtype)
        if space.empty:
            return Result((poisoned(space.result.shape, self._tensors[op.write.buffer].dtype),))
        values = evaluate(op, space, self.reader(op))
        gathered = gathered_offsets(op, op.write.index, values, None)
        return Result((fold(op, space, values).to(kind),), gathered, tuple(values))

    def reader(self, op: LoopOp) -> Reader:
        """What fetches the operands of an op over its whole space."""
        return _Reads(self, op, whole(op))

    def write(self, op: LoopOp, result: Result) -> None:
        """Put a result where the op writes it."""
        if op.kind is OpKind.OPAQUE:
            for access, value in zip(op.writes, result.values, strict=True):
                self.set(access.buffer, value)
            return
        space = whole(op).result
        if space.empty:
            return
        where = access_map(op.write.index, op.output_loops, None)
        storage = self._storage(op.write.buffer)
        block = self.block(op, op.write, where, space, result.gathered)
        block.store(storage, result.values[0].to(storage.dtype))

    def block(
        self,
        op: LoopOp,
        access: Access,
        where: AccessMap,
        space: Space,
        gathered: Tensor | None = None,
        active: Tensor | None = None,
    ) -> Block:
        """The places of an access; a fault if one lies outside the buffer."""
        frame = Frame(0, (0,), (self._storage(access.buffer).numel(),))
        try:
            return where.block(space, frame, gathered, active)
        except OutsideError:
            raise DeviceError(f"step {op.name}", f"its index leaves {access.buffer}") from None

    def load(self, name: str, block: Block) -> Tensor:
        """Values at a block's places."""
        return block.load(self._storage(name))

    def _storage(self, name: str) -> Tensor:
        if name not in self._flat:
            tensor = self._tensors[name]
            empty = 0 in tensor.shape
            moved = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.strides, strict=True))
            self._flat[name] = poisoned((0 if empty else 1 + moved,), tensor.dtype)
        return self._flat[name]


class _Reads:
    """Reads of one op over its whole space."""

    def __init__(self, buffers: HostBuffers, op: LoopOp, space: Space) -> None:
        self._buffers = buffers
        self._op = op
        self._space = space

    def __call__(self, read: int, gathered: Tensor | None, active: Tensor | None) -> Tensor:
        access = self._op.reads[read]
        where = access_map(access.index, self._op.loops, None)
        block = self._buffers.block(self._op, access, where, self._space, gathered, active)
        return self._buffers.load(access.buffer, block)


def interpret(ops: Iterable[LoopOp], tensors: Iterable[HostTensor], inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Run loop nests from inputs alone; every buffer they touch, by name, as a tensor of its shape."""
    known = tuple(tensors)
    buffers = HostBuffers(known)
    touched = dict.fromkeys(inputs)
    for name, value in inputs.items():
        buffers.set(name, value)
    with one_thread():
        for op in ops:
            buffers.write(op, buffers.result(op))
            touched.update(dict.fromkeys(access.buffer for access in op.writes))
    return {name: buffers.view(name) for name in touched}
