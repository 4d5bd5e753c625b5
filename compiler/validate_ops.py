"""Validation of ops: loops, accesses, body and kind of one op by themselves.

Owns the rules that every pass takes for granted of an op, as clauses that name what is wrong.  Refuses to look at
other ops: order and who writes what are for `validate_flow`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from compiler.checks.domains import domain, full
from compiler.loops import Access, Apply, Buffer, Index, IndexValue, Instruction, Load, LoopOp, OpKind, Role
from compiler.primitives import COMBINES, PRIMITIVES
from compiler.validate_index import form_fault, idle_loop, reach_fault

MOST_ITERATIONS = 1 << 62
CONTRACTIONS = (OpKind.MATMUL, OpKind.CONV)


def op_faults(op: LoopOp, buffers: Mapping[str, Buffer]) -> Iterator[str]:
    """What is wrong with an op, as ends of sentences; each rule relies on those before it, so only the first counts."""
    yield from _loop_faults(op)
    for access in op.accesses:
        if access.buffer not in buffers:
            verb = "writes" if access in op.writes else "reads"
            yield f"{verb} a buffer {access.buffer!r} that it does not have"
    yield from _kind_faults(op)
    yield from _body_faults(op)
    yield from _index_faults(op)
    if op.kind is not OpKind.OPAQUE:
        yield from _reach_faults(op, buffers)


def _loop_faults(op: LoopOp) -> Iterator[str]:
    names = [loop.name for loop in op.loops]
    for loop in op.loops:
        if not loop.name or names.count(loop.name) > 1:
            yield f"has two loops {loop.name!r}" if loop.name else "has a loop without a name"
        if loop.extent < (0 if _sums_nothing(op) and loop.role is Role.REDUCTION else 1):
            yield f"has a loop {loop.name} of {loop.extent} iterations"
    if math.prod(loop.extent for loop in op.loops) > MOST_ITERATIONS:
        yield "has more iterations than 64 bits can count"


def _sums_nothing(op: LoopOp) -> bool:
    """A product over a dim of size 0: what a capture makes of it loads nothing, and the planner refuses it by name."""
    return op.kind in CONTRACTIONS and any(loop.extent == 0 for loop in op.reduction_loops)


def _kind_faults(op: LoopOp) -> Iterator[str]:
    if op.kind is OpKind.OPAQUE:
        yield from _opaque_faults(op)
        return
    if op.call is not None:
        yield f"is {op.kind} and has a call"
    if len(op.writes) != 1:
        yield f"is {op.kind} and has {len(op.writes)} writes, not 1"
    if not op.body:
        yield f"is {op.kind} and has no body"
    allowed = {OpKind.POINTWISE: ("",), OpKind.REDUCTION: COMBINES}.get(op.kind, ("sum",))
    if op.combine not in allowed:
        yield f"is {op.kind} and combines by {op.combine!r}"
    if op.kind is OpKind.POINTWISE and op.reduction_loops:
        yield f"is pointwise and reduces {op.reduction_loops[0].name}"
    wanted = 2 if op.kind in CONTRACTIONS else 1
    if len(op.results) != wanted:
        yield f"is {op.kind} and has {len(op.results)} results, not {wanted}"
    if op.kind in CONTRACTIONS and len(op.reads) != 2 and not _sums_nothing(op):
        yield f"is {op.kind} and has {len(op.reads)} reads, not 2"


def _opaque_faults(op: LoopOp) -> Iterator[str]:
    if op.call is None:
        yield "is opaque and has no call"
    if op.body or op.results or op.loops or op.combine:
        yield "is opaque and has a body or loops"
    if not op.writes:
        yield "is opaque and writes nothing"
    if any(access.index != Index(0) for access in op.accesses):
        yield "is opaque and has an index"


def _body_faults(op: LoopOp) -> Iterator[str]:
    for place, step in enumerate(op.body):
        fault = _step_fault(op, place, step)
        if fault:
            yield f"has an instruction %{place} that {fault}"
    for result in op.results:
        if not 0 <= result < len(op.body):
            yield f"returns %{result} of {len(op.body)} instructions"
    if op.kind in CONTRACTIONS and not _sums_nothing(op):
        loads = [op.body[place] for place in op.results]
        if {step.read for step in loads if isinstance(step, Load)} != {0, 1}:
            yield f"is {op.kind} and does not multiply its two reads"


def _index_faults(op: LoopOp) -> Iterator[str]:
    for access in op.accesses:
        fault = form_fault(access.index, op.extents)
        if fault:
            yield f"has an index of {access.buffer} that {fault}"
        still = idle_loop(access.index, op.extents)
        if still:
            yield f"has an index of {access.buffer} that names {still} and does not move along it"
    if any(write.index.gathers for write in op.writes):
        yield f"writes {op.write.buffer} at places chosen by data"


def _step_fault(op: LoopOp, place: int, step: Instruction) -> str:
    """Why an instruction has no value; it may use what stands before it only."""
    uses: tuple[int, ...] = ()
    if isinstance(step, Apply):
        known = PRIMITIVES.get(step.primitive)
        if known is None:
            return f"applies {step.primitive!r}, which is not known"
        if len(step.args) != known.arity:
            return f"applies {step.primitive} to {len(step.args)} values, not {known.arity}"
        uses = step.args
    elif isinstance(step, IndexValue):
        fault = form_fault(step.index, op.extents)
        if fault:
            return fault
        uses = tuple(gather.value for gather in step.index.gathers)
    elif isinstance(step, Load):
        if not 0 <= step.read < len(op.reads):
            return f"loads read {step.read} of {len(op.reads)}"
        chosen = tuple(gather.value for gather in op.reads[step.read].index.gathers)
        uses = chosen if step.mask is None else (*chosen, step.mask)
    elif isinstance(step.value, int) and not -(1 << 63) <= step.value < 1 << 63:
        return "holds a number beyond 64 bits"
    late = [use for use in uses if not 0 <= use < place]
    return f"uses %{late[0]}, which does not stand before it" if late else ""


def _reach_faults(op: LoopOp, buffers: Mapping[str, Buffer]) -> Iterator[str]:
    for number, read in enumerate(op.reads):
        bounds = domain(op, number)
        for name in sorted(read.index.loop_names):
            if bounds[name][1] - bounds[name][0] == 1 < op.extents[name]:  # a capture writes the iteration itself
                yield f"reads {read.buffer} along {name}, of which its mask leaves one iteration"
        yield from _outside(read, bounds, buffers, "reads")
    yield from _outside(op.write, full(op), buffers, "writes")


def _outside(
    access: Access, bounds: Mapping[str, tuple[int, int]], buffers: Mapping[str, Buffer], verb: str
) -> Iterator[str]:
    fault = reach_fault(access.index, bounds, buffers[access.buffer].storage_elements)
    if fault:
        yield f"{verb} {access.buffer} with an index that {fault}"
