"""Meetings: does a walk meet every element of the hull it spans?

Owns the count of elements that a range of loops meets, dims that share no loop each by themselves.  Refuses device
dims: a hull is one of host coordinates.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from compiler.walks import TABLE_LIMIT, Part, Walk

_Ints = NDArray[np.int64]
_Bools = NDArray[np.bool_]
Bounds = tuple[_Ints, _Ints]


def all_met(walk: Walk, bounds: list[Bounds], low: _Ints, high: _Ints) -> _Bools:
    """Per core: does the walk meet every element of its hull?  Dims that share no part are independent."""
    cores = len(low)
    if walk.masked or walk.gathers:
        return np.zeros(cores, bool)
    exact = np.ones(cores, bool)
    sizes = high - low + 1
    moved: set[int] = set()
    for places, dims in _components(walk):
        moved.update(dims)
        parts = [walk.parts[place] for place in places]
        around = [bounds[place] for place in places]
        if len(dims) == 1 and all(part.table is None for part in parts):
            count = _run_length(dims[0], parts, around)
        else:
            count = _count(walk, parts, around)
        exact &= count == sizes[:, list(dims)].prod(axis=1)
    still = [dim for dim in range(len(walk.shape)) if dim not in moved]
    return np.asarray(exact & (sizes[:, still] == 1).all(axis=1), bool)


@lru_cache(maxsize=1 << 14)
def _components(walk: Walk) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    """Parts (by place) and host dims that hang together."""
    found: list[tuple[tuple[int, ...], frozenset[int]]] = []
    for place, part in enumerate(walk.parts):
        dims = frozenset(dim for dim in range(len(walk.shape)) if moves_dim(part, dim))
        if not dims:
            continue
        places: tuple[int, ...] = (place,)
        apart = []
        for others, their in found:
            if their & dims:
                places, dims = others + places, dims | their
            else:
                apart.append((others, their))
        found = [*apart, (places, dims)]
    return tuple((places, tuple(sorted(dims))) for places, dims in found)


def moves_dim(part: Part, dim: int) -> bool:
    """True if the loops of a part change this host coordinate."""
    if part.table is None:
        return part.steps[dim] != 0
    return bool(np.any(part.table[dim] != part.table[dim].flat[0]))


def _run_length(dim: int, parts: list[Part], bounds: list[Bounds]) -> _Ints:
    """Number of consecutive coordinates that sums of arithmetic progressions fill, 0 where they leave gaps."""
    length = np.ones(bounds[0][0].shape[1], dtype=np.int64)
    whole = np.ones(len(length), bool)
    for place in sorted(range(len(parts)), key=lambda k: abs(parts[k].steps[dim])):
        step = abs(parts[place].steps[dim])
        first, end = bounds[place]
        more = end[0] - first[0] - 1
        whole &= (more == 0) | (step <= length)
        length = length + step * more
    return np.where(whole, length, 0)


def _count(walk: Walk, parts: list[Part], bounds: list[Bounds]) -> _Ints:
    """Number of distinct elements met, 0 where counting would take too large a table."""
    columns = np.concatenate([side for bound in bounds for side in bound])
    distinct, where = np.unique(columns, axis=1, return_inverse=True)
    counts = np.array([_count_once(walk, parts, [int(value) for value in column]) for column in distinct.T])
    return np.asarray(counts[np.ravel(where)], dtype=np.int64)


def _count_once(walk: Walk, parts: list[Part], limits: list[int]) -> int:
    total = np.zeros(1, dtype=np.int64)
    for part in parts:
        axes = len(part.loops)
        here, limits = limits[: 2 * axes], limits[2 * axes :]
        chosen = {name: (here[axis], here[axes + axis]) for axis, name in enumerate(part.loops)}
        flat = _numbered(walk, part, chosen)
        if total.size * flat.size > TABLE_LIMIT // 4:
            return 0
        total = np.unique(np.add.outer(total, flat))
    return int(total.size)


def _numbered(walk: Walk, part: Part, chosen: dict[str, tuple[int, int]]) -> _Ints:
    """A part's summand as one number per element, row major over the host dims."""
    number = np.zeros(1, dtype=np.int64)
    for dim, size in enumerate(walk.shape):
        number = number * size + part.values(dim, chosen).ravel()
    return number
