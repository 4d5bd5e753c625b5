"""Alike: the ops and buffers of a model that are the same as one of them, wherever blocks repeat.

Owns what counts as the same: kind, body, loops with their sizes, element types and shapes, and access by access the
same index.  Of those, the ones at the same place of equal blocks are meant, if there are any.  Refuses Qt, and pins.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from compiler.loops import Buffer, BufferKind, LoopOp, LoopProgram

_NUMBER: Final = re.compile(r"(?<![^./])\d+(?![^./@])")


def place_of(name: str) -> str:
    """A name without the numbers that blocks are counted by.

    >>> place_of("layers.12.mlp.gate_proj.linear/matmul"), place_of("block_2.conv1d")
    ('layers.#.mlp.gate_proj.linear/matmul', 'block_2.conv1d')
    """
    return _NUMBER.sub("#", name)


@dataclass(frozen=True, slots=True, eq=False)
class _Index:
    """A program looked through once: what its maps would make anew for every question."""

    program: LoopProgram
    ops: Mapping[str, LoopOp]
    buffers: Mapping[str, Buffer]
    order: Mapping[str, int]
    shaped: Mapping[Hashable, list[LoopOp]]
    placed: Mapping[Hashable, list[LoopOp]]  # by shape and place
    written: Mapping[str, tuple[str, int]]
    read: Mapping[str, tuple[str, int]]
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)  # what was asked already


_KEPT: Final[list[_Index]] = []
_MOST: Final = 2  # the model on screen, and the one that arrives


def _index_of(program: LoopProgram) -> _Index:
    known = next((one for one in _KEPT if one.program is program), None)
    if known is None:
        known = _indexed(program)
        _KEPT[:] = [*_KEPT[1 - _MOST :], known]
    return known


def _indexed(program: LoopProgram) -> _Index:
    shaped: dict[Hashable, list[LoopOp]] = {}
    placed: dict[Hashable, list[LoopOp]] = {}
    written: dict[str, tuple[str, int]] = {}
    read: dict[str, tuple[str, int]] = {}
    for op in program.ops:
        shape = _shape(op)
        shaped.setdefault(shape, []).append(op)
        placed.setdefault((shape, place_of(op.name)), []).append(op)
        for found, accesses in ((written, op.writes), (read, op.reads)):
            for place, access in enumerate(accesses):
                found.setdefault(access.buffer, (op.name, place))
    order = {buffer.name: number for number, buffer in enumerate(program.buffers)}
    return _Index(program, program.op_map, program.buffer_map, order, shaped, placed, written, read)


def _shape(op: LoopOp) -> Hashable:
    return (op.kind, op.combine, op.loops, len(op.reads), len(op.writes))


def alike_ops(program: LoopProgram, op: str) -> tuple[str, ...]:
    """The ops that are the same as this one, itself among them, in schedule order; () if there is no such op."""
    index = _index_of(program)
    one = index.ops.get(op)
    if one is None:
        return ()
    if op not in index.groups:
        here = _same_as(one, index.placed[_shape(one), place_of(op)], index.buffers)
        found = here if len(here) > 1 else _same_as(one, index.shaped[_shape(one)], index.buffers)
        index.groups.update(dict.fromkeys(here if found is here else (op,), found))
    return index.groups[op]


def alike_buffers(program: LoopProgram, buffer: str) -> tuple[str, ...]:
    """The buffers that are the same as this one: same kind, shape and type, and written, or where nobody writes them
    read, by ops that are the same, at the same access.  () if there is no such buffer."""
    index = _index_of(program)
    one = index.buffers.get(buffer)
    if one is None:
        return ()
    written = one.kind is BufferKind.COMPUTED
    user = (index.written if written else index.read).get(buffer)
    if user is None:
        return (buffer,)
    ops = (index.ops[name] for name in alike_ops(program, user[0]))
    found = dict.fromkeys((buffer, *((op.writes if written else op.reads)[user[1]].buffer for op in ops)))
    same = [name for name in found if _same_buffer(one, index.buffers[name]) and index.buffers[name].kind is one.kind]
    return _same_place(buffer, sorted(same, key=index.order.__getitem__))


def _same_as(one: LoopOp, others: Iterable[LoopOp], buffers: Mapping[str, Buffer]) -> tuple[str, ...]:
    """Names of those that are the same, of others of its shape."""
    return tuple(other.name for other in others if other is one or _same_op(one, other, buffers))


def _same_op(one: LoopOp, other: LoopOp, buffers: Mapping[str, Buffer]) -> bool:
    """For ops of one shape."""
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
