"""Reuse: whether a buffer in LX may be written over another one that is read in the same step.

Owns the conditions of an in-place pair.  Refuses to look at pairs that do not claim it.
"""

from __future__ import annotations

from compiler.checks.case import Case
from compiler.checks.domains import full
from compiler.checks.elements import same
from compiler.counts import counted
from compiler.loops import Index, LoopOp, OpKind
from compiler.plan import EditKind, Slot
from compiler.schedule import Step


def replaces(case: Case, slots: dict[str, Slot], one: str, other: str) -> bool:
    """True if one of the two legally takes the place of the other."""
    pairs = ((one, other), (other, one))
    return any(slots[child].in_place_of == parent and not place_fault(case, slots, child) for child, parent in pairs)


def place_fault(case: Case, slots: dict[str, Slot], name: str) -> str:
    """Why a buffer may not be written over the one it claims to replace, as a clause; '' if it may."""
    child, parent = slots[name], slots.get(slots[name].in_place_of)
    if parent is None:
        return "that is not in LX"
    if (child.address, child.size_bytes) != (parent.address, parent.size_bytes):
        return f"it has {child.size_bytes} bytes at {child.address}, not {parent.size_bytes} at {parent.address}"
    if parent.last_step != child.first_step:
        return f"that ends in step {parent.last_step}, it begins in step {child.first_step}"
    mine, theirs = case.layouts.get(name), case.layouts.get(child.in_place_of)
    if mine is None or theirs is None:
        return "a layout is missing"
    if (mine.device_size, mine.stride_map, mine.arrangement) != (
        theirs.device_size,
        theirs.stride_map,
        theirs.arrangement,
    ):
        return "their layouts differ"
    writers, origins = case.writers(name), case.writers(child.in_place_of)
    if len(writers) != 1 or len(origins) != 1 or writers[0].number != child.first_step:
        return "it is not written in one step, its first"
    edit = writers[0].edit
    if edit is not None and edit.kind is EditKind.RELAYOUT:
        return f"{edit.name} writes it while other cores may still fetch from that"
    return _index_fault(writers[0].op, child.in_place_of) or _core_fault(case, writers[0], origins[0])


def _index_fault(op: LoopOp, parent: str) -> str:
    """The step must read each element only where it writes it."""
    if op.kind is not OpKind.POINTWISE:
        return f"{op.name} is no pointwise op"
    reads = [read for read in op.reads if read.buffer == parent]
    if not reads:
        return f"{op.name} does not read it"
    written = canonical(op, op.write.index)
    if any(canonical(op, read.index) != written for read in reads):
        return f"{op.name} reads it at another index than it writes"
    return ""


Canonical = tuple[int, frozenset[tuple[str, int]], frozenset[tuple[object, ...]]]


def canonical(op: LoopOp, index: Index) -> Canonical:
    """An index as a function of the loops: constant, steps per loop, and whatever else it has."""
    extents, steps = op.extents, dict[str, int]()
    other: list[tuple[object, ...]] = [("gather", gather) for gather in index.gathers]
    for number, term in enumerate(index.terms):
        if not term.plain:
            other.append((number, term))
        elif extents[term.loops[0][0]] > 1:
            name = term.loops[0][0]
            steps[name] = steps.get(name, 0) + term.coefficient
    return index.offset, frozenset(item for item in steps.items() if item[1]), frozenset(other)


def _core_fault(case: Case, writer: Step, origin: Step) -> str:
    """On every core both must be the same elements."""
    if writer.name not in case.divisions or origin.name not in case.divisions:
        return "a division is missing"
    child = case.elements(writer, writer.op.write.index, full(writer.op))
    parent = case.elements(origin, origin.op.write.index, full(origin.op))
    if child is None or parent is None:
        return "their elements per core are too many pieces to compare"
    if len(child) != len(parent):
        return f"{origin.name} wrote it on {counted(len(parent), 'core')}, {writer.name} runs on {len(child)}"
    for core, (mine, theirs) in enumerate(zip(child, parent, strict=True)):
        if not same(mine, theirs):
            return f"core {core} holds other elements of the one than of the other"
    return ""
