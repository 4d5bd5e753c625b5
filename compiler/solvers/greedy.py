"""Greedy placement: one sweep over time, never looking ahead (facts 4.6).

Owns the four rules by which a starting buffer gets its address.  Refuses to be clever: it is the yardstick the others
are measured with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from frozendict import frozendict

from compiler.solvers.board import Board, gaps
from compiler.solvers.request import Request


def greedy(
    requests: Sequence[Request], capacity: int, alignment: int, fixed: Mapping[str, int] | None = None
) -> frozendict[str, int]:
    """Address (bytes) of every request that finds a place.

    A starting buffer takes the address of a parent that ends now, else address 0 if nothing lies there, else the bytes
    above the highest live buffer, else the lowest gap.

    >>> dict(greedy([Request("a", 4, (0, 1)), Request("b", 4, (0, 3)), Request("c", 3, (2, 3))], 10, 1))
    {'a': 0, 'b': 4, 'c': 0}
    """
    board = Board.of(requests, fixed)
    for request in sorted(requests, key=lambda one: one.start):
        if request.name in board.placed:
            continue
        address = board.in_place(request)
        if address is None:
            address = _somewhere(request, board.busy(request), capacity, alignment)
        if address is not None:
            board.put(request, address)
    return board.addresses(requests)


def _somewhere(request: Request, busy: tuple[tuple[int, int], ...], capacity: int, alignment: int) -> int | None:
    lowest, highest = min((low for low, _ in busy), default=capacity), max((high for _, high in busy), default=0)
    above = -(-highest // alignment) * alignment
    if lowest >= request.size:
        return 0
    if above + request.size <= capacity:
        return above
    return next((low for low, high in gaps(busy, capacity, alignment) if high - low >= request.size), None)
