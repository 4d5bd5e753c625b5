"""Cost terms in the few groups that a bar can show, and which of them hide behind each other.

Owns: which term belongs to which group, the words and colours of the groups, and their side: compute and memory run at
the same time, the rest before or after.  Refuses: formulas; they come with the terms.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from compiler.price import CostTerm

Token = Literal["matmul", "reduction", "pointwise", "move", "hbm", "mute"]
Side = Literal["compute", "memory", "alone", "none"]


@dataclass(frozen=True, slots=True)
class Group:
    """`token` is the colour of the theme that stands for it; what is on no `side` is no time."""

    title: str
    token: Token
    side: Side
    terms: frozenset[str]


COMPUTE: Final = Group(
    "compute", "matmul", "compute", frozenset({"compute", "batch step", "split re-read", "fused reduction"})
)
ORDER: Final = Group("dim order", "pointwise", "compute", frozenset({"dim order"}))
SUMS: Final = Group("partial sums", "move", "compute", frozenset({"partial sums"}))
MEMORY: Final = Group(
    "memory",
    "reduction",
    "memory",
    frozenset(
        {
            *("hbm", "device memory", "read/write turnaround", "reduction alone", "reduction across rows"),
            *("concatenation", "swap of outer dims", "stack", "row broadcast", "scalar or column broadcast"),
        }
    ),
)
TURNS: Final = Group("restickify", "move", "memory", frozenset({"restickify"}))
DELIVERY: Final = Group(
    "delivery",
    "hbm",
    "memory",
    frozenset({"replicated operand", "shared operand", "partitioned operand", "indirect store"}),
)
ALONE: Final = Group(
    "not hidden", "mute", "alone", frozenset({"short bursts", "copy requests", "load into LX", "relayout"})
)
PREFERENCE: Final = Group("points", "mute", "none", frozenset())
GROUPS: Final = (COMPUTE, ORDER, SUMS, MEMORY, TURNS, DELIVERY, ALONE, PREFERENCE)


def group_of(term: str) -> Group:
    """The group of a term; what is no time of any unit is a preference."""
    return next((group for group in GROUPS if term in group.terms), PREFERENCE)


def summed(terms: Iterable[CostTerm]) -> tuple[tuple[Group, float], ...]:
    """Microseconds (or points) of each group that has any, in the order of GROUPS."""
    sums = dict.fromkeys((group.title for group in GROUPS), 0.0)
    for term in terms:
        sums[group_of(term.name).title] += term.microseconds
    return tuple((group, sums[group.title]) for group in GROUPS if sums[group.title] > 0)


def side_us(terms: Iterable[CostTerm], side: Side) -> float:
    """Microseconds of the terms on one side."""
    return sum(term.microseconds for term in terms if group_of(term.name).side == side)
