"""Pin names: which loop of an op the name in a division pin stands for (facts 3.7).

Owns the names of dims, `d0`, `d1` and so on, for people who think of the result and not of its loops.  Refuses to judge
factors: that is for `compiler.pinning`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from frozendict import frozendict

from compiler.counts import counted
from compiler.loops import Buffer, LoopOp, OpKind

_DIM = re.compile(r"d\d+")


def loops_meant(op: LoopOp, factors: Mapping[str, int], buffers: Mapping[str, Buffer]) -> frozendict[str, int] | str:
    """Factors by loop; `d0`, `d1` .. that are no loops stand for the loop along that dim of the op's result.

    A text says why a name cannot stand for a loop.  A factor of 1 on a dim without a loop says nothing and is dropped.
    """
    found: dict[str, int] = {}
    names: dict[str, str] = {}
    for name, factor in factors.items():
        loop = name
        if name not in op.extents and _DIM.fullmatch(name) and op.kind is not OpKind.OPAQUE:
            result = buffers[op.write.buffer]
            loop, why = loop_along(op, int(name[1:]), result)
            if why and factor == 1 and int(name[1:]) < len(result.shape):
                continue
            if why:
                return f"{name} is no loop of {op.name}: {why}"
        if loop in found:
            return f"{names[loop]} and {name} are the same loop of {op.name}"
        found[loop], names[loop] = factor, name
    return frozendict(found)


def loop_along(op: LoopOp, dim: int, result: Buffer) -> tuple[str, str]:
    """The loop along a dim of the result, or why there is none."""
    if dim >= len(result.shape):
        return "", f"{result.name} has {counted(len(result.shape), 'dim')}"
    if result.shape[dim] == 1:
        return "", f"dim {dim} of {result.name} has size 1"
    loops = [loop.name for loop in op.output_loops if op.write.index.coefficient(loop.name) == result.strides[dim]]
    return (loops[0], "") if len(loops) == 1 else ("", f"no single loop runs along dim {dim} of {result.name}")
