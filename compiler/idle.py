"""Idle: how many cores a division leaves without work because nothing divides, and what would win them back.

Owns the question and its sentence, as functions of a space and factors alone.  Refuses to divide, and to count as lost
what has no parts left to give: a loop of two sticks on two of 32 cores loses none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from frozendict import frozendict

from compiler.loops import Role
from compiler.spaces import Axis, Space
from compiler.splits import entry_loops, largest_of

Factors = frozendict[str, int]


@dataclass(frozen=True, slots=True)
class Padding:
    """A longer loop: its new size in iterations or sticks, the same in words, and the cores that it would use."""

    loop: str
    size: int
    words: str
    cores: int


@dataclass(frozen=True, slots=True)
class Idle:
    """`used` of `cores` cores work; `stuck` are the loops, in words, that have parts left but no factor that fits.

    `fuller` is a legal division of the same loops that uses more cores, empty if there is none.  `padding` is the one
    that wins back most cores, then the least; None if nothing below twice a loop's size does better than `fuller`.
    """

    used: int
    cores: int
    stuck: tuple[str, ...]
    fuller: Factors
    padding: Padding | None

    def __str__(self) -> str:
        text = f"{self.used} of {self.cores} cores: "
        if self.fuller:
            split = " ".join(f"{loop} {factor}" for loop, factor in self.fuller.items())
            text += f"{split} would use {math.prod(self.fuller.values())}"
        else:
            *others, last = self.stuck
            stuck = f"{', '.join(others)} and {last}" if others else last
            text += f"{stuck} have no larger divisor that fits"
        return f"{text}; {self.padding.words} would use {self.padding.cores}" if self.padding else text


def idle_of(
    space: Space, factors: Mapping[str, int], cores: int, floors: Mapping[str, int] | None = None
) -> Idle | None:
    """What a division of a space loses; None if all cores work or no loop has parts left to give.

    `floors` are the factors that the limits of one core demand.

    >>> from compiler.loops import LoopOp, OpKind, Origin
    >>> op = LoopOp("op", OpKind.POINTWISE, "", (), (), (), (), (), Origin())
    >>> print(idle_of(Space(op, (Axis("rows", 33, Role.OUTPUT),)), {"rows": 11}, 32))
    11 of 32 cores: 33 iterations of rows have no larger divisor that fits; 64 iterations of rows would use 32
    >>> space = Space(op, (Axis("i", 100, Role.OUTPUT), Axis("j", 150, Role.OUTPUT, 64)))
    >>> print(idle_of(space, {"i": 25}, 32))
    25 of 32 cores: i 10 j 3 would use 30; 128 iterations of i would use 32
    >>> idle_of(Space(op, (Axis("i", 2, Role.OUTPUT),)), {"i": 2}, 32) is None
    True
    """
    if math.prod(factors.values()) >= cores:
        return None
    least = frozendict((name, factor) for name, factor in (floors or {}).items() if factor > 1)
    split = frozendict((name, factor) for name, factor in factors.items() if factor > 1)
    return _idle(space.axes, entry_loops(space), split, cores, least)


@lru_cache(maxsize=4096)
def _idle(
    axes: tuple[Axis, ...], entries: frozenset[str], factors: Factors, cores: int, floors: Factors
) -> Idle | None:
    """Models repeat their shapes, so that the answers are kept."""
    used = math.prod(factors.values())
    stuck = tuple(f"{axis.measure} of {axis.name}" for axis in axes if _has_parts(axis, axes, factors, floors))
    if not stuck:
        return None
    fuller = _fullest(axes, cores, floors)
    fuller = fuller if math.prod(fuller.values()) > used else Factors()
    padding = _padding(axes, entries, cores, floors, max(used, math.prod(fuller.values())))
    return Idle(used, cores, stuck, fuller, padding)


def _has_parts(axis: Axis, axes: tuple[Axis, ...], factors: Factors, floors: Factors) -> bool:
    """True if a core has several parts of a loop that could be divided further."""
    if not _free(axis, floors) or axis.size // factors.get(axis.name, 1) < 2:
        return False
    taken = any(one.role is Role.REDUCTION and one.name in factors and one is not axis for one in axes)
    return not (axis.role is Role.REDUCTION and taken)


def _free(axis: Axis, floors: Factors) -> bool:
    return not axis.blocked or (axis.floor_wins and axis.name in floors)


def _fullest(axes: tuple[Axis, ...], cores: int, floors: Factors) -> Factors:
    """A division that uses most cores, at most one reduced loop divided, no loop below its floor."""
    found: dict[tuple[int, bool], Factors] = {(1, False): Factors()}
    for axis in sorted(axes, key=lambda axis: -axis.size):
        least, before = floors.get(axis.name, 1), found
        legal = [factor for factor in axis.factors(cores, for_span=least > 1) if factor >= least] or [least]
        found = {}
        for (used, reduced), split in before.items():
            for factor in legal:
                folds = axis.role is Role.REDUCTION and factor > 1
                if used * factor <= cores and not (folds and reduced):
                    grown = split.set(axis.name, factor) if factor > 1 else split
                    found.setdefault((used * factor, reduced or folds), grown)
    best = max(found, key=lambda state: state[0], default=None)
    return Factors((axis.name, found[best][axis.name]) for axis in axes if best and axis.name in found[best])


def _padding(axes: tuple[Axis, ...], entries: frozenset[str], cores: int, floors: Factors, beat: int) -> Padding | None:
    """The padding of one loop after which the general rule uses most cores, more than `beat`; the least of equals."""
    best: tuple[int, float] = (beat, 0.0)
    found = None
    for place, axis in enumerate(axes):
        # Further on, the same factors divide again.
        end = min(2 * axis.size, axis.size + cores + 1) if _free(axis, floors) and beat < cores else 0
        for size in range(axis.size + 1, end):
            longer = replace(axis, extent=size * axis.lanes)
            split = largest_of((*axes[:place], longer, *axes[place + 1 :]), entries, cores, floors)
            used, growth = math.prod(split.values()), size / axis.size
            if used > beat and (used, -growth) > best:
                best = (used, -growth)
                found = Padding(axis.name, size, f"{longer.measure} of {axis.name}", used)
            if used == cores:
                break
    return found
