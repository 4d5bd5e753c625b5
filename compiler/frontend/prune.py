"""Leaving out what a recorded body computes for nothing, and the reads that only that needed.

Owns the renumbering of instructions and reads.  Refuses to change what is computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from compiler.loops import Access, Apply, Index, Instruction, Load


@dataclass(frozen=True, slots=True)
class Body:
    """A body with what it reads, what it returns and where that is written."""

    steps: tuple[Instruction, ...]
    reads: tuple[Access, ...]
    results: tuple[int, ...]
    write: Index


def pruned(body: Body) -> Body:
    """The same without instructions and reads that no result depends on."""
    needed = _needed(body)
    steps = {old: new for new, old in enumerate(sorted(needed))}
    used = [number for number in range(len(body.reads)) if any(_reads(body.steps[old], number) for old in steps)]
    reads = {old: new for new, old in enumerate(used)}
    return Body(
        steps=tuple(_renumbered(body.steps[old], steps, reads) for old in steps),
        reads=tuple(replace(body.reads[old], index=_moved(body.reads[old].index, steps)) for old in reads),
        results=tuple(steps[result] for result in body.results),
        write=_moved(body.write, steps),
    )


def _needed(body: Body) -> set[int]:
    waiting = [*body.results, *(gather.value for gather in body.write.gathers)]
    needed: set[int] = set()
    while waiting:
        number = waiting.pop()
        if number not in needed:
            needed.add(number)
            waiting += _operands(body.steps[number], body.reads)
    return needed


def _operands(step: Instruction, reads: Sequence[Access]) -> list[int]:
    if isinstance(step, Apply):
        return list(step.args)
    if not isinstance(step, Load):
        return []
    mask = [] if step.mask is None else [step.mask]
    return [*mask, *(gather.value for gather in reads[step.read].index.gathers)]


def _reads(step: Instruction, read: int) -> bool:
    return isinstance(step, Load) and step.read == read


def _renumbered(step: Instruction, steps: Mapping[int, int], reads: Mapping[int, int]) -> Instruction:
    if isinstance(step, Apply):
        return replace(step, args=tuple(steps[arg] for arg in step.args))
    if isinstance(step, Load):
        return replace(step, read=reads[step.read], mask=None if step.mask is None else steps[step.mask])
    return step


def _moved(index: Index, steps: Mapping[int, int]) -> Index:
    gathers = tuple(replace(gather, value=steps[gather.value]) for gather in index.gathers)
    return replace(index, gathers=gathers)
