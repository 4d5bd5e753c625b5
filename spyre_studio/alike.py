"""Alike: the ops and buffers of a model that are the same as one of them, wherever blocks repeat.

Owns what counts as the same: kind, body, loops with their sizes, element types and shapes, and access by access the
same index.  Of those, the ones at the same place of equal blocks are meant, if there are any.  Refuses Qt, and pins.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
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
    """A program looked through once: what its maps would make anew for every question.

    `kind_of` numbers the ops that are the same alike, `here` has those of one number at one place.
    """

    program: LoopProgram
    ops: Mapping[str, LoopOp]
    buffers: Mapping[str, Buffer]
    order: Mapping[str, int]
    written: Mapping[str, tuple[str, int]]
    read: Mapping[str, tuple[str, int]]
    kind_of: Mapping[str, int]
    everywhere: Mapping[int, list[str]]
    here: Mapping[tuple[int, str], list[str]]


_KEPT: Final[list[_Index]] = []
_MOST: Final = 2  # the model on screen, and the one that arrives


def look_through(program: LoopProgram) -> None:
    """Have the answers ready: of a large model that takes a tenth of a second."""
    _index_of(program)


def _index_of(program: LoopProgram) -> _Index:
    known = next((one for one in _KEPT if one.program is program), None)
    if known is None:
        known = _indexed(program)
        _KEPT[:] = [*_KEPT[1 - _MOST :], known]
    return known


def _indexed(program: LoopProgram) -> _Index:
    written: dict[str, tuple[str, int]] = {}
    read: dict[str, tuple[str, int]] = {}
    for op in program.ops:
        for found, accesses in ((written, op.writes), (read, op.reads)):
            for place, access in enumerate(accesses):
                found.setdefault(access.buffer, (op.name, place))
    order = {buffer.name: number for number, buffer in enumerate(program.buffers)}
    buffers = program.buffer_map
    kinds = _kinds(program, buffers)
    everywhere: dict[int, list[str]] = {}
    here: dict[tuple[int, str], list[str]] = {}
    for name, kind in kinds.items():
        everywhere.setdefault(kind, []).append(name)
        here.setdefault((kind, place_of(name)), []).append(name)
    return _Index(program, program.op_map, buffers, order, written, read, kinds, everywhere, here)


def _kinds(program: LoopProgram, buffers: Mapping[str, Buffer]) -> dict[str, int]:
    """Op -> the same number as all that are the same, in schedule order."""
    firsts: dict[Hashable, list[tuple[int, LoopOp]]] = {}  # by shape, one of each kind
    kinds: dict[str, int] = {}
    for op in program.ops:
        known = firsts.setdefault(_shape(op), [])
        kind = next((number for number, first in known if _same_op(first, op, buffers)), None)
        if kind is None:
            kind = len(kinds)  # nobody's number yet
            known.append((kind, op))
        kinds[op.name] = kind
    return kinds


def _shape(op: LoopOp) -> Hashable:
    return (op.kind, op.combine, op.loops, len(op.reads), len(op.writes))


def alike_ops(program: LoopProgram, op: str) -> tuple[str, ...]:
    """The ops that are the same as this one, itself among them, in schedule order; () if there is no such op."""
    index = _index_of(program)
    kind = index.kind_of.get(op)
    if kind is None:
        return ()
    here = index.here[kind, place_of(op)]
    return tuple(here if len(here) > 1 else index.everywhere[kind])


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
