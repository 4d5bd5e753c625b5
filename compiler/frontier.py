"""Frontiers: which buffers are still needed after every op of a program.

Owns liveness in the order of ops, and the places at which an op finds and leaves the layouts of live buffers.  Refuses
layouts themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

from compiler.loops import LoopOp, LoopProgram, OpKind

COPY_BITS = 20
"""A copy is (number of a buffer << COPY_BITS | number of a layout)."""


@dataclass(frozen=True, slots=True, eq=False)
class Frontier:
    """One op: the buffers it touches, where their layouts stand among the live ones before it (`sources`, -1: nowhere),
    and of every buffer live after it where its layout comes from: (place before, -) or (-1, operand).

    `begun`: operands that are live from here on.  `codes`: numbers of the buffers, moved up by COPY_BITS to make room
    for the number of a layout; `stale`: buffers written, whose copies are of no use any more.
    """

    number: int
    op: LoopOp
    buffers: tuple[str, ...]
    sources: tuple[int, ...]
    live: tuple[str, ...]
    keep: tuple[tuple[int, int], ...]
    begun: tuple[int, ...]
    codes: tuple[int, ...]
    stale: frozenset[int]


class Frontiers:
    """The frontiers of a program; buffers in `settled` have a layout from the start and are no part of them."""

    def __init__(self, program: LoopProgram, settled: frozenset[str]) -> None:
        self._uses: dict[str, list[int]] = {}
        self._writes: dict[str, list[int]] = {}
        self._reductions: dict[str, list[tuple[int, str]]] = {}
        for number, op in enumerate(program.ops):
            for name in dict.fromkeys(access.buffer for access in op.reads):
                self._uses.setdefault(name, []).append(number)
                if op.kind is OpKind.REDUCTION:
                    self._reductions.setdefault(name, []).append((number, op.name))
            for access in op.writes:
                self._writes.setdefault(access.buffer, []).append(number)
        self._last = {name: max(numbers) for name, numbers in self._uses.items()}
        for name, numbers in self._writes.items():
            self._last[name] = max(self._last.get(name, -1), *numbers)
        self._place = {buffer.name: place for place, buffer in enumerate(program.buffers)}
        self.last_use = [self._last.get(buffer.name, -1) for buffer in program.buffers]
        self.steps = self._walk(program, settled)

    def convertible(self, name: str, number: int, across: frozenset[str]) -> bool:
        """True if after op `number` a buffer is only read, and no reduction depends on its stick."""
        if self._writes.get(name, [-1])[-1] > number:
            return False
        return all(at <= number or op in across for at, op in self._reductions.get(name, ()))

    def reads_after(self, name: str, number: int) -> int:
        """Ops after `number` that read a buffer."""
        return sum(at > number for at in self._uses.get(name, ()))

    def _walk(self, program: LoopProgram, settled: frozenset[str]) -> tuple[Frontier, ...]:
        live: tuple[str, ...] = ()
        steps = []
        for number, op in enumerate(program.ops):
            names = op.touched
            before = {name: place for place, name in enumerate(live)}
            begun = [name for name in names if name not in before and name not in settled]
            after = tuple(name for name in (*live, *begun) if self._last[name] > number)
            steps.append(self._frontier(number, op, names, before, after))
            live = after
        return tuple(steps)

    def _frontier(
        self, number: int, op: LoopOp, names: tuple[str, ...], before: dict[str, int], after: tuple[str, ...]
    ) -> Frontier:
        begun = tuple(place for place, name in enumerate(names) if name in after and name not in before)
        return Frontier(
            number=number,
            op=op,
            buffers=names,
            sources=tuple(before.get(name, -1) for name in names),
            live=after,
            keep=tuple((before.get(name, -1), names.index(name) if name in names else -1) for name in after),
            begun=begun,
            codes=tuple(self._place[name] << COPY_BITS for name in names),
            stale=frozenset(self._place[access.buffer] for access in op.writes),
        )
