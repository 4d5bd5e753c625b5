"""Meter: which sticks the accesses of a running program touch.

Owns the sets of sticks of the step that runs and the bytes they come to.  Refuses to look at values, and at the
program: it counts what the memories are really asked for.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from compiler.layout import STICK_BYTES
from simulator.functional.block import Block, Strided
from simulator.traffic import StepTraffic, Way

Sticks = NDArray[np.int64]
PARTIAL_BYTES = 4
"""Bytes of one element of a partial result on its way to the next core."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What is counted together: one access of one step, one way."""

    step: str
    buffer: str
    operand: int
    way: Way
    write: bool


class Meter:
    """Counts one run; `close` after every step."""

    def __init__(self) -> None:
        self._sticks: dict[Entry, dict[tuple[int, int], list[Sticks]]] = defaultdict(lambda: defaultdict(list))
        self._partial: dict[Entry, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        self._rows: list[StepTraffic] = []

    def take(self, entry: Entry, core: int, memory: int, sticks: Sticks) -> None:
        """A core touches sticks of the memory with this number (that of its core; -1 for device memory)."""
        self._sticks[entry][core, memory].append(sticks)

    def passed(self, step: str, buffer: str, receiver: int, elements: int) -> None:
        """A partial result goes to a core over the ring."""
        sticks = -(-elements * PARTIAL_BYTES // STICK_BYTES)
        self._partial[Entry(step, buffer, -1, Way.RING, True)][receiver] += sticks * STICK_BYTES

    def close(self) -> None:
        """The step is over."""
        self._rows += [_row(entry, touched) for entry, touched in self._sticks.items()]
        for entry, received in self._partial.items():
            total = sum(received.values())
            self._rows.append(_filled(entry, total, total, received))
        self._sticks.clear()
        self._partial.clear()

    @property
    def traffic(self) -> tuple[StepTraffic, ...]:
        """All steps so far, in order."""
        return tuple(self._rows)


def _row(entry: Entry, touched: dict[tuple[int, int], list[Sticks]]) -> StepTraffic:
    by_core: dict[int, int] = defaultdict(int)
    by_memory: dict[int, list[Sticks]] = defaultdict(list)
    for (core, memory), found in touched.items():
        sticks = _together(found)
        by_core[core] += len(sticks) * STICK_BYTES
        by_memory[memory].append(sticks)
    distinct = sum(len(_together(found)) for found in by_memory.values()) * STICK_BYTES
    return _filled(entry, sum(by_core.values()), distinct, by_core)


def _filled(entry: Entry, delivered: int, distinct: int, by_core: dict[int, int]) -> StepTraffic:
    place = (entry.step, entry.buffer, entry.operand, entry.way, entry.write)
    return StepTraffic(*place, delivered, distinct, tuple(sorted(by_core.items())))


def _together(found: list[Sticks]) -> Sticks:
    return found[0] if len(found) == 1 else np.unique(np.concatenate(found))


def sticks_of(block: Block, lanes: int) -> Sticks:
    """The distinct sticks of a block, in order, counted from the start of its memory; `lanes` elements are a stick."""
    if isinstance(block, Strided):
        return _strided(block, lanes)
    return np.unique(block.positions.numpy() // lanes)


def _strided(block: Strided, lanes: int) -> Sticks:
    """Steps by whole sticks move all sticks alike; only the others are walked element by element."""
    pairs = [pair for steps in block.steps for pair in steps if pair[1] and pair[0] > 1]
    places = np.array([block.offset], dtype=np.int64)
    for size, stride in (pair for pair in pairs if pair[1] % lanes):
        places = np.add.outer(places, np.arange(size, dtype=np.int64) * stride).reshape(-1)
    sticks = np.unique(places // lanes)
    for size, stride in (pair for pair in pairs if not pair[1] % lanes):
        sticks = np.add.outer(sticks, np.arange(size, dtype=np.int64) * (stride // lanes)).reshape(-1)
    return np.unique(sticks)
