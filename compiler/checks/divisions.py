"""Divisions: whether the slots of a division cut the loops of an op into equal parts, and which part each core gets.

Owns well-formedness of a single division and the map from core to ranges.  Refuses to know sticks: that is `sticks`.
"""

from __future__ import annotations

import math

from frozendict import frozendict

from compiler.checks.domains import Domain
from compiler.checks.findings import whole
from compiler.counts import counted
from compiler.division import Division, Split
from compiler.loops import LoopOp, OpKind


def division_fault(op: LoopOp, division: object, cores: int) -> str:
    """Why this division cannot be that of this op, as the end of a sentence; '' if it can."""
    if not isinstance(division, Division) or not all(isinstance(split, Split) for split in division.splits):
        return "has no proper division"
    names = [split.loop for split in division.splits]
    if len(set(names)) < len(names):
        return f"splits a loop twice ({', '.join(names)})"
    for split in division.splits:
        fault = _split_fault(op, split)
        if fault:
            return fault
    used = math.prod(split.factor for split in division.splits)
    if used > cores:
        return f"uses {counted(used, 'core')}, the plan has {cores}"
    if op.kind is OpKind.OPAQUE and used > 1:
        return f"is opaque and cannot be divided over {used} cores"
    return ""


def _split_fault(op: LoopOp, split: Split) -> str:
    extents = op.extents
    if split.loop not in extents:
        return f"splits a loop {split.loop} that it does not have"
    if not whole(split.factor, 1) or not whole(split.step, 1):
        return f"splits {split.loop} by factor {split.factor} and step {split.step}"
    extent = extents[split.loop]
    if (split.factor - 1) * split.step >= extent:
        return (
            f"leaves slot {split.factor - 1} of {split.loop} empty: {split.factor} slots of {split.step} for {extent}"
        )
    if split.factor * split.step < extent:
        last = split.factor * split.step
        return f"leaves iterations {last} to {extent - 1} of {split.loop} to no core"
    return ""


def slices(op: LoopOp, division: Division) -> tuple[Domain, ...]:
    """Range of every loop on every core used, in core order: mixed radix, the first split fastest."""
    splits = {split.loop: split for split in division.splits}
    result = []
    for core in range(math.prod(split.factor for split in division.splits)):
        slots, rest = {}, core
        for split in division.splits:
            rest, slots[split.loop] = divmod(rest, split.factor)
        ranges = {}
        for loop in op.loops:
            step = splits[loop.name].step if loop.name in splits else loop.extent
            low = slots.get(loop.name, 0) * step
            ranges[loop.name] = (low, min(low + step, loop.extent))
        result.append(frozendict(ranges))
    return tuple(result)
