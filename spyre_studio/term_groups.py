"""Cost terms in the few groups that a bar can show: compute, memory, moves between cores, and points of preference.

Owns: which term belongs to which group, and the words of the groups. Refuses: formulas; they come with the terms.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from compiler.price import CostTerm

Token = Literal["matmul", "reduction", "move", "mute"]


@dataclass(frozen=True, slots=True)
class Group:
    """`token` is the colour of the theme that stands for it."""

    title: str
    token: Token
    terms: frozenset[str]


COMPUTE: Final = Group(
    "compute", "matmul", frozenset({"compute", "dim order", "batch step", "split re-read", "fused reduction"})
)
MEMORY: Final = Group(
    "memory",
    "reduction",
    frozenset(
        {
            *("hbm", "device memory", "read/write turnaround", "reduction alone", "reduction across rows"),
            *("concatenation", "swap of outer dims", "stack", "row broadcast", "scalar or column broadcast"),
            *("replicated operand", "shared operand", "partitioned operand", "indirect store", "short bursts"),
        }
    ),
)
MOVES: Final = Group(
    "moves", "move", frozenset({"partial sums", "restickify", "copy requests", "load into LX", "relayout"})
)
PREFERENCE: Final = Group("points", "mute", frozenset())
GROUPS: Final = (COMPUTE, MEMORY, MOVES, PREFERENCE)


def group_of(term: str) -> Group:
    """The group of a term; what is no time of any unit is a preference."""
    return next((group for group in GROUPS if term in group.terms), PREFERENCE)


def summed(terms: Iterable[CostTerm]) -> tuple[tuple[Group, float], ...]:
    """Microseconds (or points) of each group that has any, in the order of GROUPS."""
    sums = dict.fromkeys((group.title for group in GROUPS), 0.0)
    for term in terms:
        sums[group_of(term.name).title] += term.microseconds
    return tuple((group, sums[group.title]) for group in GROUPS if sums[group.title] > 0)
