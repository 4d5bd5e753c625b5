"""Body: evaluates the SSA body of a loop nest over a whole space at once.

Owns the order of instructions, masks and gathered indices.  Refuses to know where elements are kept: a `Reader`
fetches them.
"""

from __future__ import annotations

import math
from typing import Protocol

import torch
from torch import Tensor

from compiler.loops import Apply, Const, Index, IndexValue, Instruction, Load, LoopOp
from simulator.errors import DeviceError
from simulator.functional.elements import torch_dtype
from simulator.functional.numerics import apply
from simulator.functional.space import Space


class Reader(Protocol):
    """Fetches the elements of one read over the space at hand."""

    def __call__(self, read: int, gathered: Tensor | None, active: Tensor | None) -> Tensor:
        """Values that broadcast to the space; `gathered` adds host offsets, only `active` iterations touch memory."""


def evaluate(op: LoopOp, space: Space, reader: Reader) -> list[Tensor]:
    """The value of every instruction, each a tensor of the loops' rank that broadcasts to the space."""
    values: list[Tensor] = []
    for instruction in op.body:
        values.append(_value(op, instruction, space, reader, values))
    return values


def _value(op: LoopOp, instruction: Instruction, space: Space, reader: Reader, values: list[Tensor]) -> Tensor:
    if isinstance(instruction, Load):
        active = None if instruction.mask is None else values[instruction.mask]
        gathered = gathered_offsets(op, op.reads[instruction.read].index, values, active)
        return reader(instruction.read, gathered, active).to(torch_dtype(instruction.dtype))
    if isinstance(instruction, Const):
        return _constant(instruction).reshape([1] * len(space.loops))
    if isinstance(instruction, IndexValue):
        return _index_value(op, instruction, space, values)
    assert isinstance(instruction, Apply)
    return apply(instruction.primitive, [values[place] for place in instruction.args], instruction.dtype)


def _constant(constant: Const) -> Tensor:
    """A scalar rounded to its type; infinity among integers is the last of them."""
    kind = torch_dtype(constant.dtype)
    if constant.dtype.is_float:
        return torch.tensor(float(constant.value), dtype=torch.float64).to(kind)
    if isinstance(constant.value, float) and not math.isfinite(constant.value):
        last = torch.iinfo(kind)
        return torch.tensor(last.max if constant.value > 0 else last.min, dtype=kind)
    return torch.tensor(constant.value).to(kind)


def _index_value(op: LoopOp, instruction: IndexValue, space: Space, values: list[Tensor]) -> Tensor:
    found = instruction.index.evaluate(space.grid())
    total = torch.from_numpy(found.reshape(found.shape or (1,) * len(space.loops)))
    gathered = gathered_offsets(op, instruction.index, values, None)
    total = total if gathered is None else total + gathered
    return total.to(torch_dtype(instruction.dtype))


def gathered_offsets(op: LoopOp, index: Index, values: list[Tensor], active: Tensor | None) -> Tensor | None:
    """Host offsets that gathered values add to an index; negative ones count from the end.

    Raises DeviceError for a value out of range.
    """
    total: Tensor | None = None
    for gather in index.gathers:
        entry = values[gather.value].to(torch.int64)
        entry = torch.where(entry < 0, entry + gather.size, entry)
        wrong = (entry < 0) | (entry >= gather.size)
        wrong = wrong if active is None else wrong & active
        if wrong.any():
            worst = int(entry.expand(wrong.shape)[wrong][0])
            raise DeviceError(f"step {op.name}", f"it looks up entry {worst} of a dimension with {gather.size} entries")
        part = entry * gather.coefficient
        total = part if total is None else total + part
    return total
