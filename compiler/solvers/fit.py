"""First fit and best fit: constant scratchpad addresses for buffers with known sizes and lifetimes.

Owns the order in which buffers are placed and the choice of a gap (facts 4.6).  Refuses moves: a buffer has one
address for its whole life, or none.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence

from frozendict import frozendict

from compiler.solvers.board import Board, gaps
from compiler.solvers.request import Request, by_name

IN_PLACE_BONUS = 0.25
WRITE_BONUS = 0.5


def order(requests: Sequence[Request]) -> tuple[Request, ...]:
    """Parents before children; among those free to go, smallest score first, then smallest span, then input order.

    >>> few, many = Request("few", 10, (0, 4)), Request("many", 10, (0, 1, 2, 3, 4))
    >>> [request.name for request in order([few, many])]
    ['many', 'few']
    """
    named = by_name(requests)
    children: dict[str, list[str]] = {name: [] for name in named}
    waiting = dict.fromkeys(named, 0)
    for request in requests:
        for parent in dict.fromkeys(request.parents):
            if parent in named:
                children[parent].append(request.name)
                waiting[request.name] += 1
    rank = {request.name: index for index, request in enumerate(requests)}
    keys = {name: (_score(named[name], bool(children[name])), named[name].span, rank[name]) for name in named}
    ready = [(keys[name], name) for name in named if not waiting[name]]
    heapq.heapify(ready)
    result: list[Request] = []
    while ready:
        _, name = heapq.heappop(ready)
        result.append(named[name])
        for child in children[name]:
            waiting[child] -= 1
            if not waiting[child]:
                heapq.heappush(ready, (keys[child], child))
    return tuple(result)


def fit(
    requests: Sequence[Request],
    capacity: int,
    alignment: int,
    best: bool = True,
    fixed: Mapping[str, int] | None = None,
) -> frozendict[str, int]:
    """Address (bytes) of every request that finds a place; best fit, or first fit with `best=False`.

    `fixed` gives addresses that are already decided.  ValueError if an in-place parent is only ever written.

    >>> dict(fit([Request("a", 7, (0, 1)), Request("b", 4, (0, 1)), Request("c", 3, (0, 1))], 10, 1))
    {'a': 0, 'c': 7}
    """
    board = Board.of(requests, fixed)
    for request in order(requests):
        if request.name in board.placed:
            continue
        address = board.in_place(request)
        if address is None:
            address = _gap(request, board, capacity, alignment, best)
        if address is not None:
            board.put(request, address)
    return board.addresses(requests)


def _gap(request: Request, board: Board, capacity: int, alignment: int, best: bool) -> int | None:
    free = gaps(board.busy(request), capacity, alignment)
    fitting = [(high - low, low) for low, high in free if high - low >= request.size]
    if not fitting:
        return None
    return min(fitting)[1] if best else min(low for _, low in fitting)


def _score(request: Request, has_child: bool) -> float:
    bonus = IN_PLACE_BONUS * has_child + IN_PLACE_BONUS * bool(request.parents)
    return (request.span - bonus) / (len(request.uses) + WRITE_BONUS * request.computed)
