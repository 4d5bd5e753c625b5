"""Uncertainty: how far rounding may move every element of what a program computes.

Owns a run of the loop nests on host tensors, with the deviation of every element beside it.  Deviations are added up as
if errors were independent of each other.  Where they are not (one mean is subtracted from a whole row, which is then
summed up), a second run in which every rounding goes astray by a step, up or down at random, shows by how much they
are larger.  Refuses to know the device: what it got wrong must not excuse it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from compiler.dtypes import DType
from compiler.errors import InputError, StoppedError
from compiler.loops import Buffer, BufferKind, LoopOp, OpKind, OutputView
from compiler.program import Program
from simulator.errors import DeviceError
from simulator.functional.body import Reader
from simulator.functional.deviation import Moves, deviation, rounds
from simulator.functional.lifetimes import lifetimes, ops_of
from simulator.functional.reference import HostBuffers, Result
from simulator.functional.tolerance import rounding

STRAY = 1.5
"""The error that `_stray` gives a value in the middle of its binade, in units of `tolerance`."""
_BITS = {torch.float16: torch.int16, torch.bfloat16: torch.int16, torch.float32: torch.int32}
_STEPS = {torch.float16: 1, torch.bfloat16: 1, torch.float32: 16}


class Uncertainty:
    """The deviations of a program's outputs; `stopped` is asked between steps."""

    def __init__(
        self, program: Program, inputs: Mapping[str, Tensor], stopped: Callable[[], bool] | None = None
    ) -> None:
        self._tensors = program.tensor_map
        self._plain = HostBuffers(program.tensors)
        self._astray = HostBuffers(program.tensors)
        self._moves = HostBuffers(
            Buffer(each.name, DType.F32, each.shape, each.strides, each.kind) for each in program.tensors
        )
        self._rounded: set[str] = set()
        self._signs = torch.Generator().manual_seed(0)
        steps = ops_of(program)
        written = {access.buffer for step in steps for access in step.op.writes}
        for tensor in program.tensors:
            if tensor.kind is not BufferKind.COMPUTED:
                self._plain.set(tensor.name, inputs[tensor.name])
                self._take(tensor.name, shared=tensor.name not in written)
        for step, dying in zip(steps, lifetimes(program).dying, strict=True):
            if stopped and stopped():
                raise StoppedError
            self._run(step.op)
            for tensor in dying:
                self._forget(tensor.name)

    def of(self, view: OutputView) -> Moves:
        """The deviation of every element of an output; None if nothing in it is rounded."""
        place = (view.buffer, view.shape, view.strides, view.offset)
        if view.buffer not in self._rounded:
            return None
        moves = torch.nan_to_num(self._moves.strided(*place).to(torch.float64), 0.0, math.inf)
        if not self._tensors[view.buffer].dtype.is_float:
            return moves
        apart = self._apart(self._plain.strided(*place), self._astray.strided(*place)) / STRAY
        apart = torch.nan_to_num(apart, 0.0, math.inf)
        known = (moves > 0) & moves.isfinite() & apart.isfinite()
        ratio = (apart[known] / moves[known]).square().mean().sqrt() if known.any() else torch.ones(())
        return torch.maximum(moves * ratio.clamp(min=1.0), apart)

    def _take(self, name: str, shared: bool) -> None:
        if shared:
            self._astray.share(name, self._plain)
        else:
            self._astray.set(name, self._plain.view(name))

    def _forget(self, name: str) -> None:
        for buffers in (self._plain, self._astray, self._moves):
            buffers.drop(name)
        self._rounded.discard(name)

    def _run(self, op: LoopOp) -> None:
        plain = self._plain.result(op)
        astray = self._strayed(op, plain)
        moves = self._deviations(op, plain, astray)
        self._plain.write(op, plain)
        self._astray.write(op, self._led_astray(plain, astray, moves) if rounds(op) else astray)
        self._note(op, plain, moves)

    def _strayed(self, op: LoopOp, plain: Result) -> Result:
        """The result of the second run; that of the first where it fails on indices that went astray."""
        try:
            return self._astray.result(op)
        except (DeviceError, InputError):
            return plain

    def _deviations(self, op: LoopOp, plain: Result, astray: Result) -> list[Moves]:
        if op.kind is not OpKind.OPAQUE:
            dtype = self._tensors[op.write.buffer].dtype
            return [deviation(op, plain.body, plain.values[0], dtype, _Known(self, op))]
        rounded = any(read.buffer in self._rounded for read in op.reads)
        return [
            self._of_call(each, other, self._tensors[access.buffer].dtype, rounded)
            for access, each, other in zip(op.writes, plain.values, astray.values, strict=True)
        ]

    def _of_call(self, plain: Tensor, astray: Tensor, dtype: DType, rounded: bool) -> Moves:
        """A call has no body to look into: its results are as far apart as those of the second run.  An index that it
        makes of rounded values may be any."""
        if not dtype.is_float:
            return torch.full(plain.shape, float(plain.abs().max()) + 1.0) if rounded and plain.numel() else None
        own = rounding(plain, dtype)
        if not rounded:
            return own
        apart = torch.nan_to_num(self._apart(plain, astray), 0.0, 0.0)
        usual = apart.square().mean().sqrt() if apart.numel() else apart
        return torch.hypot(own, torch.maximum(apart, usual))

    def _apart(self, one: Tensor, other: Tensor) -> Tensor:
        distance = (one.to(torch.float64) - other.to(torch.float64)).abs()
        return torch.where(one == other, 0.0, distance)

    def _led_astray(self, plain: Result, astray: Result, moves: list[Moves]) -> Result:
        """The result of the second run, every value that was rounded in this op one step off."""
        values = zip(astray.values, moves, strict=True)
        return Result(
            tuple(each if known is None else _stray(each, known, self._signs) for each, known in values),
            plain.gathered,
        )

    def _note(self, op: LoopOp, plain: Result, moves: list[Moves]) -> None:
        """Keep the deviations; a buffer that is written in parts starts without any."""
        for access, each in zip(op.writes, moves, strict=True):
            if each is not None and access.buffer not in self._rounded:
                self._moves.set(access.buffer, torch.zeros(()))
                self._rounded.add(access.buffer)
        zeros = [torch.zeros(value.shape) for value in plain.values]
        if any(access.buffer in self._rounded for access in op.writes):
            kept = [zero if each is None else each.to(torch.float32) for zero, each in zip(zeros, moves, strict=True)]
            self._moves.write(op, Result(tuple(kept), plain.gathered))


class _Known:
    """What is known of the operands of one op."""

    def __init__(self, owner: Uncertainty, op: LoopOp) -> None:
        self._owner = owner
        self._op = op
        self._reader: Reader = owner._moves.reader(op)

    def deviation(self, read: int, gathered: Tensor | None, active: Tensor | None) -> Moves:
        """None for what was never rounded."""
        if self._op.reads[read].buffer not in self._owner._rounded:
            return None
        return self._reader(read, gathered, active).to(torch.float64)

    def range(self, read: int) -> float:
        """From the least to the largest finite value of the tensor."""
        value = self._owner._plain.view(self._op.reads[read].buffer).to(torch.float64)
        known = value[value.isfinite()]
        return float(known.max() - known.min()) if known.numel() else 0.0


def _stray(value: Tensor, moves: Tensor, generator: torch.Generator) -> Tensor:
    """Values that are not certain, each two units above or below; 0, infinity and what is next to it stay."""
    if value.dtype not in _BITS:
        return value
    bits = value.contiguous().view(_BITS[value.dtype])
    signs = torch.randint(0, 2, value.shape, generator=generator, dtype=bits.dtype) * 2 - 1
    other = (bits + signs * _STEPS[value.dtype]).view(value.dtype)
    free = (moves > 0) & (value != 0) & value.isfinite() & other.isfinite()
    return torch.where(free, other, value)
