"""Greedy placement: one sweep over time, never looking ahead (facts 4.6).

Owns the four rules by which a starting buffer gets its address.  Refuses to be clever: it is the yardstick the others
are measured with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from frozendict import frozendict

from compiler.solvers.fit import Request, busy_ranges, check_parents, gaps, may_replace


def greedy(
    requests: Sequence[Request], capacity: int, alignment: int, fixed: Mapping[str, int] | None = None
) -> frozendict[str, int]:
    """Address (bytes) of every request that finds a place.

    A starting buffer takes the address of a parent that ends now, else address 0 if nothing lies there, else the bytes
    above the highest live buffer, else the lowest gap.

    >>> dict(greedy([Request("a", 4, (0, 1)), Request("b", 4, (0, 3)), Request("c", 3, (2, 3))], 10, 1))
    {'a': 0, 'b': 4, 'c': 0}
    """
    by_name = {request.name: request for request in requests}
    check_parents(by_name)
    placed = {name: address for name, address in (fixed or {}).items() if name in by_name}
    for request in sorted(requests, key=lambda one: one.start):
        if request.name in placed:
            continue
        address = _address(request, by_name, placed, capacity, alignment)
        if address is not None:
            placed[request.name] = address
    return frozendict((request.name, placed[request.name]) for request in requests if request.name in placed)


def _address(
    request: Request, by_name: Mapping[str, Request], placed: Mapping[str, int], capacity: int, alignment: int
) -> int | None:
    busy = busy_ranges(request, by_name, placed)
    for name in request.parents:
        if name in placed and may_replace(request, by_name[name]):
            others = busy_ranges(request, by_name, placed, frozenset({name}))
            low, high = placed[name], placed[name] + request.size
            if all(high <= taken_low or taken_high <= low for taken_low, taken_high in others):
                return low
    lowest, highest = min((low for low, _ in busy), default=capacity), max((high for _, high in busy), default=0)
    above = -(-highest // alignment) * alignment
    if lowest >= request.size:
        return 0
    if above + request.size <= capacity:
        return above
    return next((low for low, high in gaps(busy, capacity, alignment) if high - low >= request.size), None)
