"""Validation of data flow: every computed buffer is written once, whole, and read only afterwards.

Owns who writes and reads what, in schedule order.  Refuses to know plans: what the cores of a plan write is for the
checker to prove.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from compiler.checks.elements import Elements, accessed, joined, same, stored
from compiler.loops import Access, Buffer, BufferKind, LoopOp, LoopProgram, OpKind, Role

Writer = tuple[LoopOp, Access]


def flow_faults(program: LoopProgram) -> Iterator[str]:
    """What is wrong with reads and writes, as whole clauses."""
    writers: dict[str, list[Writer]] = {buffer.name: [] for buffer in program.buffers}
    last: dict[str, int] = {}
    for number, op in enumerate(program.ops):
        for write in op.writes:
            writers[write.buffer].append((op, write))
            last[write.buffer] = number
    buffers = program.buffer_map
    for number, op in enumerate(program.ops):
        for read in op.reads:
            if buffers[read.buffer].kind is BufferKind.COMPUTED and last.get(read.buffer, number) >= number:
                yield f"op {op.name} reads {read.buffer} before it is written"
    seen: dict[tuple[object, ...], str] = {}
    for buffer in program.buffers:
        fault = _fault(buffer, writers[buffer.name], seen)
        if fault:
            yield f"buffer {buffer.name} {fault}"


def _fault(buffer: Buffer, writers: list[Writer], seen: dict[tuple[object, ...], str]) -> str:
    if buffer.kind is not BufferKind.COMPUTED:
        return f"is an {buffer.kind} and op {writers[0][0].name} writes it" if writers else ""
    if not writers:
        return "is computed and no op writes it"
    if any(op.kind is OpKind.OPAQUE for op, _ in writers):
        return "" if len(writers) == 1 else "is written by an opaque op and once more"
    key = (buffer.shape, buffer.strides, tuple((op.loops, write.index) for op, write in writers))
    if key not in seen:
        seen[key] = _once(buffer, writers)
    return seen[key]


def _once(buffer: Buffer, writers: list[Writer]) -> str:
    parts = []
    for op, write in writers:
        moving = write.index.loop_names
        for loop in op.loops:
            if loop.extent > 1 and (loop.name in moving) is not (loop.role is Role.OUTPUT):
                return f"is written by op {op.name} {'before' if loop.name in moving else 'again'} along {loop.name}"
        bounds = {loop.name: (0, loop.extent if loop.role is Role.OUTPUT else 1) for loop in op.loops}
        elements = accessed(write.index, bounds)
        points = math.prod(loop.extent for loop in op.output_loops)
        if elements is None or elements.size is None or elements.size < points:
            return f"is not written once per element by op {op.name}"
        parts.append(elements)
    return "" if _fills(buffer, parts) else "is not written whole, each element once"


def _fills(buffer: Buffer, parts: list[Elements]) -> bool:
    wanted = stored(buffer)
    if len(parts) == 1:
        return bool(same(parts[0], wanted))
    lists = [part.intervals() for part in (*parts, wanted)]
    known = [part for part in lists if part is not None]
    if len(known) < len(lists):
        return False
    together = joined(np.concatenate(known[:-1]))
    written = sum(int((part[:, 1] - part[:, 0]).sum()) for part in known[:-1])
    wide = int((together[:, 1] - together[:, 0]).sum())
    return written == wide and bool(np.array_equal(together, known[-1]))
