"""Alike: the ops and buffers of a model that are the same as one of them, wherever blocks repeat.

Owns what counts as the same: kind, body, loops with their sizes, element types and shapes, and access by access the
same index.  Of those, the ones at the same place of equal blocks are meant, if there are any.  Refuses Qt, and pins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from compiler.loops import Access, Buffer, BufferKind, LoopOp, LoopProgram

_NUMBER: Final = re.compile(r"(?<![^./])\d+(?![^./@])")


def place_of(name: str) -> str:
    """A name without the numbers that blocks are counted by.

    >>> place_of("layers.12.mlp.gate_proj.linear/matmul"), place_of("block_2.conv1d")
    ('layers.#.mlp.gate_proj.linear/matmul', 'block_2.conv1d')
    """
    return _NUMBER.sub("#", name)


def alike_ops(program: LoopProgram, op: str) -> tuple[str, ...]:
    """The ops that are the same as this one, itself among them, in schedule order; () if there is no such op."""
    one = program.op_map.get(op)
    if one is None:
        return ()
    buffers = program.buffer_map
    same = [other for other in program.ops if other is one or _same_op(one, other, buffers)]
    return _same_place(op, (other.name for other in same))


def alike_buffers(program: LoopProgram, buffer: str) -> tuple[str, ...]:
    """The buffers that are the same as this one: same shape and type, and written, or where nobody writes them read, by
    ops that are the same, at the same access.  () if there is no such buffer."""
    one = program.buffer_map.get(buffer)
    if one is None:
        return ()
    user = _user(program, one)
    if user is None:
        return (buffer,)
    op, place = user
    ops, buffers = program.op_map, program.buffer_map  # each is made anew when it is asked for
    found = [_accesses(ops[name], one)[place].buffer for name in alike_ops(program, op.name)]
    buffers = program.buffer_map
    same = (
        name
        for name in dict.fromkeys((buffer, *found))
        if buffers[name].kind is one.kind and _same_buffer(one, buffers[name])
    )
    order = {known.name: number for number, known in enumerate(program.buffers)}
    return _same_place(buffer, sorted(same, key=order.__getitem__))


def _user(program: LoopProgram, buffer: Buffer) -> tuple[LoopOp, int] | None:
    """The op that stands for a buffer, and at which of its accesses it is."""
    for op in program.ops:
        for place, access in enumerate(_accesses(op, buffer)):
            if access.buffer == buffer.name:
                return op, place
    return None


def _accesses(op: LoopOp, buffer: Buffer) -> tuple[Access, ...]:
    return op.writes if buffer.kind is BufferKind.COMPUTED else op.reads


def _same_op(one: LoopOp, other: LoopOp, buffers: Mapping[str, Buffer]) -> bool:
    """Quick questions first: most ops differ in one of them."""
    if (one.kind, one.combine, one.loops) != (other.kind, other.combine, other.loops):
        return False
    if (len(one.reads), len(one.writes)) != (len(other.reads), len(other.writes)):
        return False
    if (one.body, one.results, one.call) != (other.body, other.results, other.call):
        return False
    return all(
        mine.index == theirs.index and _same_buffer(buffers[mine.buffer], buffers[theirs.buffer])
        for mine, theirs in zip(one.accesses, other.accesses, strict=True)
    )


def _same_buffer(one: Buffer, other: Buffer) -> bool:
    return (one.dtype, one.shape, one.strides) == (other.dtype, other.shape, other.strides)


def _same_place(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """Those at the same place of equal blocks; all, where the place of `name` is in no other block."""
    every = tuple(names)
    wanted = place_of(name)
    there = tuple(other for other in every if place_of(other) == wanted)
    return there if len(there) > 1 else every
