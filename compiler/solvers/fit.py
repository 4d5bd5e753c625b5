"""First fit and best fit: constant scratchpad addresses for buffers with known sizes and lifetimes.

Owns requests, their score and the search for a gap (facts 4.6).  Refuses moves: a buffer has one address for its whole
life, or none.  The greedy sweep over time stands in `compiler.solvers.greedy` and shares the request.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from frozendict import frozendict

IN_PLACE_BONUS = 0.25
WRITE_BONUS = 0.5


@dataclass(frozen=True, slots=True)
class Request:
    """A buffer that asks for `size` bytes from its first to its last use.

    `uses` are step numbers, strictly increasing.  `parents` are buffers whose address it may take over, best first.
    `computed` says that the first use is its write (a graph input's first use is a read).
    """

    name: str
    size: int
    uses: tuple[int, ...]
    parents: tuple[str, ...] = ()
    computed: bool = False

    def __post_init__(self) -> None:
        if self.size <= 0:
            raise ValueError(f"{self.name}: a size of {self.size} bytes cannot be placed")
        if not self.uses or any(later <= earlier for earlier, later in zip(self.uses, self.uses[1:], strict=False)):
            raise ValueError(f"{self.name}: uses {self.uses} do not increase strictly")

    @property
    def start(self) -> int:
        """First step of the lifetime."""
        return self.uses[0]

    @property
    def end(self) -> int:
        """First step after the lifetime."""
        return self.uses[-1] + 1

    @property
    def reads(self) -> int:
        """Number of uses that read: all but the write of a computed buffer.

        >>> Request("computed", 1, (3, 5, 8), computed=True).reads, Request("input", 1, (3, 5, 8)).reads
        (2, 3)
        """
        return len(self.uses) - self.computed

    def overlaps(self, other: Request) -> bool:
        """True if both are alive at some step."""
        return self.start < other.end and other.start < self.end


def order(requests: Sequence[Request]) -> tuple[Request, ...]:
    """Parents before children; among those free to go, smallest score first, then smallest span, then input order.

    >>> few, many = Request("few", 10, (0, 4)), Request("many", 10, (0, 1, 2, 3, 4))
    >>> [request.name for request in order([few, many])]
    ['many', 'few']
    """
    by_name = _by_name(requests)
    children: dict[str, list[str]] = {name: [] for name in by_name}
    waiting = dict.fromkeys(by_name, 0)
    for request in requests:
        for parent in dict.fromkeys(request.parents):
            if parent in by_name:
                children[parent].append(request.name)
                waiting[request.name] += 1
    rank = {request.name: index for index, request in enumerate(requests)}
    keys = {name: (_score(by_name[name], bool(children[name])), _span(by_name[name]), rank[name]) for name in by_name}
    ready = [(keys[name], name) for name in by_name if not waiting[name]]
    heapq.heapify(ready)
    result: list[Request] = []
    while ready:
        _, name = heapq.heappop(ready)
        result.append(by_name[name])
        for child in children[name]:
            waiting[child] -= 1
            if not waiting[child]:
                heapq.heappush(ready, (keys[child], child))
    return tuple(result)


def may_replace(child: Request, parent: Request) -> bool:
    """True if `child` may take over the address of `parent`: born at its last use, no larger, parent once read."""
    return parent.end == child.start + 1 and child.size <= parent.size and parent.reads > 0


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
    by_name = _by_name(requests)
    check_parents(by_name)
    placed = {name: address for name, address in (fixed or {}).items() if name in by_name}
    for request in order(requests):
        if request.name in placed:
            continue
        address = _address(request, by_name, placed, capacity, alignment, best)
        if address is not None:
            placed[request.name] = address
    return frozendict((request.name, placed[request.name]) for request in requests if request.name in placed)


def check_parents(by_name: Mapping[str, Request]) -> None:
    """ValueError for an in-place edge from a buffer that is only written: its child would destroy what nobody read."""
    for request in by_name.values():
        for name in request.parents:
            parent = by_name.get(name)
            if parent is not None and parent.end == request.start + 1 and parent.reads == 0:
                raise ValueError(f"{request.name} cannot take the place of {name}, which is only written")


def gaps(busy: Sequence[tuple[int, int]], capacity: int, alignment: int) -> tuple[tuple[int, int], ...]:
    """Free ranges `(start, end)` between busy ranges, starts aligned, ascending; empty ranges left out.

    >>> gaps([(0, 13), (40, 50)], 60, 10)
    ((20, 40), (50, 60))
    """
    result: list[tuple[int, int]] = []
    cursor = 0
    for low, high in (*sorted(busy), (capacity, capacity)):
        start = -(-cursor // alignment) * alignment
        if low > start:
            result.append((start, low))
        cursor = max(cursor, high)
    return tuple(result)


def busy_ranges(
    request: Request, by_name: Mapping[str, Request], placed: Mapping[str, int], ignore: frozenset[str] = frozenset()
) -> tuple[tuple[int, int], ...]:
    """Byte ranges that are taken at some step of the lifetime of `request`."""
    return tuple(
        (address, address + by_name[name].size)
        for name, address in placed.items()
        if name not in ignore and name != request.name and by_name[name].overlaps(request)
    )


def _address(
    request: Request,
    by_name: Mapping[str, Request],
    placed: Mapping[str, int],
    capacity: int,
    alignment: int,
    best: bool,
) -> int | None:
    for name in request.parents:
        if name in placed and may_replace(request, by_name[name]):
            low, high = placed[name], placed[name] + request.size
            busy = busy_ranges(request, by_name, placed, frozenset({name}))
            if all(high <= taken_low or taken_high <= low for taken_low, taken_high in busy):
                return low
    free = gaps(busy_ranges(request, by_name, placed), capacity, alignment)
    fitting = [(high - low, low) for low, high in free if high - low >= request.size]
    if not fitting:
        return None
    return min(fitting)[1] if best else min(low for _, low in fitting)


def _by_name(requests: Sequence[Request]) -> dict[str, Request]:
    by_name = {request.name: request for request in requests}
    if len(by_name) != len(requests):
        raise ValueError("two requests have the same name")
    return by_name


def _span(request: Request) -> int:
    return request.end - request.start


def _score(request: Request, has_child: bool) -> float:
    bonus = IN_PLACE_BONUS * has_child + IN_PLACE_BONUS * bool(request.parents)
    return (_span(request) - bonus) / (len(request.uses) + WRITE_BONUS * request.computed)
