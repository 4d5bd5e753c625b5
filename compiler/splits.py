"""Splits: the factors the two dividing rules choose, as functions of a space and a device alone.

Owns the enumeration of matmul splits with its tie rule (facts 3.3, 3.4) and largest-loop-first (facts 3.5).  Refuses
plans: the passes and the list of candidates put the factors to use.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from frozendict import frozendict

from compiler.contractions import Roles, contraction_of, roles_of
from compiler.cost.matmul import Contraction, Cut, ranking
from compiler.device import Device
from compiler.layout import StickLayout
from compiler.loops import OpKind, Role
from compiler.spaces import Axis, Space

TIE_US = 1e-9
Menu = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A split of a matmul with its ranking (microseconds plus preference points)."""

    factors: frozendict[str, int]
    points: float


def matmul_roles(space: Space) -> Roles | None:
    """Roles of a matmul that the ranking applies to, else None.

    It needs one loop along the stick of the result, a row loop that one operand only has, and exactly one reduced loop.
    """
    if space.op.kind is not OpKind.MATMUL:
        return None
    roles = roles_of(space)
    return roles if roles.columns and roles.rows and len(roles.inner) == 1 else None


def rank_matmul(space: Space, roles: Roles, layouts: Mapping[str, StickLayout], device: Device) -> tuple[Ranked, ...]:
    """Every split of a matmul, best first; of equals the one enumerated first (loop order B, M, N, K, ascending)."""
    work = contraction_of(space, roles, layouts)
    names = (*roles.batch, *roles.rows, roles.columns, *roles.inner)
    menus = tuple(space.axis_map[name].factors(device.cores) for name in names)
    letters = "".join(roles.letter(name) for name in names)
    return tuple(
        Ranked(frozendict(zip(names, factors, strict=True)), points)
        for points, factors in _ranked(work, menus, letters, device)
    )


@lru_cache(maxsize=256)
def _ranked(work: Contraction, menus: Menu, letters: str, device: Device) -> tuple[tuple[float, tuple[int, ...]], ...]:
    """Points and factors, best first; models repeat their matmuls, so that the answers are kept."""
    found = []
    for factors in product(*menus):
        if math.prod(factors) > device.cores:
            continue
        found.append((ranking(device, work, _cut(letters, factors)), factors))
    least = min(points for points, _ in found)
    best = next(item for item in found if item[0] <= least + TIE_US)
    return (best, *sorted((item for item in found if item is not best), key=lambda item: item[0]))


def _cut(letters: str, factors: tuple[int, ...]) -> Cut:
    by_role = {"B": 1, "M": 1, "N": 1, "K": 1}
    for letter, factor in zip(letters, factors, strict=True):
        by_role[letter] *= factor
    return Cut(*by_role.values())


def largest_first(space: Space, cores: int, floors: Mapping[str, int] | None = None) -> frozendict[str, int]:
    """Factors of every loop: result loops by decreasing size, then one reduced loop, take what cores remain.

    Loops that only choose the entries of a gather come first.

    >>> from compiler.loops import LoopOp, Origin
    >>> op = LoopOp("op", OpKind.REDUCTION, "sum", (), (), (), (), (), Origin())
    >>> axes = (Axis("o0", 4, Role.OUTPUT), Axis("r", 8, Role.REDUCTION))
    >>> dict(largest_first(Space(op, axes), 32))
    {'o0': 4, 'r': 8}
    """
    return largest_of(space.axes, entry_loops(space), cores, floors)


def largest_of(
    axes: tuple[Axis, ...], entries: frozenset[str], cores: int, floors: Mapping[str, int] | None = None
) -> frozendict[str, int]:
    """Largest loop first over bare axes; the loops of `entries` come before all others."""
    factors = {axis.name: (floors or {}).get(axis.name, 1) for axis in axes}
    outputs = [axis for axis in axes if axis.role is Role.OUTPUT]
    for axis in sorted(outputs, key=lambda axis: (axis.name not in entries, -axis.size)):
        factors[axis.name] = _grown(axis, factors, cores)
    reductions = [axis for axis in axes if axis.role is Role.REDUCTION]
    split = [axis for axis in reductions if factors[axis.name] > 1]
    grown = [(_grown(axis, factors, cores), axis) for axis in split or reductions]
    if grown:
        factor, axis = max(grown, key=lambda item: item[0])
        factors[axis.name] = factor
    return frozendict(factors)


def _grown(axis: Axis, factors: Mapping[str, int], cores: int) -> int:
    """The largest legal factor of one loop that the cores left over by the others allow.

    A floor lifts the block that a span may overrule, and with it the loop may grow like any other (facts 3.6).
    """
    own = factors[axis.name]
    room = cores // (math.prod(factors.values()) // own)
    return max((factor for factor in axis.factors(room, for_span=own > 1) if factor >= own), default=own)


def entry_loops(space: Space) -> frozenset[str]:
    """Loops that choose the entries of gathers and do not run inside the gathered tables."""
    gathered = [read for read in space.op.reads if read.index.gathers]
    inside = frozenset[str]().union(*(read.index.loop_names for read in gathered))
    plain = [read for read in space.op.reads if not read.index.gathers]
    return frozenset[str]().union(*(read.index.loop_names for read in plain)) - inside if gathered else frozenset()
