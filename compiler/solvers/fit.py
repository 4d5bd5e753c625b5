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


@dataclass(frozen=True, slots=True)
class Board:
    """Requests placed so far; `alive` lists those alive at every step.  Solvers fill it while they run."""

    by_name: dict[str, Request]
    placed: dict[str, int]
    alive: dict[int, list[str]]

    @classmethod
    def of(cls, requests: Sequence[Request], fixed: Mapping[str, int] | None = None) -> Board:
        """A board with the requests whose address is already decided; ValueError for bad names or parents."""
        board = cls(_by_name(requests), {}, {})
        check_parents(board.by_name)
        for name, address in (fixed or {}).items():
            if name in board.by_name:
                board.put(board.by_name[name], address)
        return board

    def put(self, request: Request, address: int) -> None:
        """Place a request."""
        self.placed[request.name] = address
        for step in range(request.start, request.end):
            self.alive.setdefault(step, []).append(request.name)

    def busy(self, request: Request, ignore: str = "") -> tuple[tuple[int, int], ...]:
        """Byte ranges taken at some step of the lifetime of `request`, but for those of `ignore`."""
        names = dict.fromkeys(name for step in range(request.start, request.end) for name in self.alive.get(step, ()))
        spans = ((self.placed[name], self.placed[name] + self.by_name[name].size) for name in names if name != ignore)
        return tuple(spans)

    def in_place(self, request: Request) -> int | None:
        """The address of a parent that `request` may take over now, if there is one."""
        for name in request.parents:
            if name not in self.placed or not may_replace(request, self.by_name[name]):
                continue
            low, high = self.placed[name], self.placed[name] + request.size
            if all(high <= taken_low or taken_high <= low for taken_low, taken_high in self.busy(request, name)):
                return low
        return None

    def addresses(self, requests: Sequence[Request]) -> frozendict[str, int]:
        """What was placed, in the order of the requests."""
        names = (request.name for request in requests)
        return frozendict((name, self.placed[name]) for name in names if name in self.placed)


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


def _gap(request: Request, board: Board, capacity: int, alignment: int, best: bool) -> int | None:
    free = gaps(board.busy(request), capacity, alignment)
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
