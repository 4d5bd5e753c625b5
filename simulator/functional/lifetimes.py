"""Lifetimes: between which steps a tensor's bytes mean something.

Owns first write and last use of every tensor of a program, derived from the program alone.  Refuses memory.
"""

from __future__ import annotations

from dataclasses import dataclass

from compiler.loops import BufferKind
from compiler.program import DeviceOp, DeviceTensor, Program


@dataclass(frozen=True, slots=True)
class Lifetimes:
    """Per step, in order: tensors whose first write it is, and tensors that nobody uses after it."""

    born: tuple[tuple[DeviceTensor, ...], ...]
    dying: tuple[tuple[DeviceTensor, ...], ...]


def ops_of(program: Program) -> tuple[DeviceOp, ...]:
    """All steps of all kernels in order."""
    return tuple(op for kernel in program.kernels for op in kernel.ops)


def lifetimes(program: Program) -> Lifetimes:
    """Graph outputs never die; inputs are alive from the start and die after their last read."""
    ops = ops_of(program)
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for place, op in enumerate(ops):
        for access in op.op.writes:
            first.setdefault(access.buffer, place)
        for access in op.op.accesses:
            last[access.buffer] = place
    kept = {view.buffer for view in program.outputs}
    tensors = program.tensor_map
    born: list[list[DeviceTensor]] = [[] for _ in ops]
    dying: list[list[DeviceTensor]] = [[] for _ in ops]
    for name, place in first.items():
        if tensors[name].kind is BufferKind.COMPUTED:
            born[place].append(tensors[name])
    for name, place in last.items():
        if name not in kept:
            dying[place].append(tensors[name])
    return Lifetimes(tuple(map(tuple, born)), tuple(map(tuple, dying)))
