"""Floors: the least factors that bring loops and the spans of tensors within the limits of one core (facts 3.2).

Owns the search for floors.  Refuses to report: what stays beyond a limit is for
`compiler.limits`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import product

from frozendict import frozendict

from compiler.device import Device
from compiler.spaces import Space
from compiler.spans import Reach


def floors_of(
    space: Space, reaches: tuple[Reach, ...], device: Device, start: Mapping[str, int] | None = None
) -> frozendict[str, int]:
    """Factors above 1 that the limits demand: long loops first, then tensors in the order inputs, result.

    Where nothing suffices they are the best that can be done.  Loops named in `start` keep exactly that factor; all
    others may be raised.
    """
    limit = device.span_limit_bytes
    fixed = frozendict(start or {})
    floors = _shortened(space, fixed, device)
    for reach in reaches:
        for dim in range(reach.dims):
            if reach.span(space.division(floors)) <= limit:
                break
            floors = _raise(space, reach, dim, floors, fixed, device)
            if reach.walked(space.division(floors))[dim] > 1:
                break
    return frozendict((name, factor) for name, factor in floors.items() if factor > 1)


def _shortened(space: Space, fixed: Mapping[str, int], device: Device) -> dict[str, int]:
    """Least factors of loops that turn too often, as far as the cores go."""
    floors, limit = dict(fixed), device.count("loop_trip_limit")
    for axis in space.axes:
        if axis.size <= limit or axis.name in fixed:
            continue
        for factor in axis.factors(device.cores, for_span=True):
            choice = {**floors, axis.name: factor}
            if math.prod(choice.values()) > device.cores or len(space.split_reductions(choice)) > 1:
                break
            floors = choice
            if axis.size // factor <= limit:
                break
    return floors


def _raise(
    space: Space, reach: Reach, dim: int, floors: dict[str, int], fixed: Mapping[str, int], device: Device
) -> dict[str, int]:
    """Factors for the loops of one device dim: fewest cores, then largest span; smallest span if none suffices."""
    choices = list(_choices(space, reach.loops(dim), floors, fixed, device.cores))
    spans = [reach.span(space.division(choice)) for choice in choices]
    within = [index for index, span in enumerate(spans) if span <= device.span_limit_bytes]
    if within:
        best = min(within, key=lambda index: (math.prod(choices[index].values()), -spans[index]))
    else:
        best = min(range(len(choices)), key=lambda index: spans[index])
    return choices[best]


def _choices(
    space: Space, loops: tuple[str, ...], floors: Mapping[str, int], fixed: Mapping[str, int], cores: int
) -> Iterator[dict[str, int]]:
    menus = []
    for name in loops:
        axis = space.axis_map[name]
        least = floors.get(name, 1)
        factors = (least,) if name in fixed else axis.factors(cores, for_span=True)
        menus.append([(name, factor) for factor in factors if factor >= least] or [(name, least)])
    for chosen in product(*menus):
        choice = {**floors, **dict(chosen)}
        if math.prod(choice.values()) <= cores and len(space.split_reductions(choice)) <= 1:
            yield choice
