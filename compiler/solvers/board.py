"""Board: who lies where in the scratchpad, while a solver gives addresses.

Owns the bytes that are taken during a lifetime, the free gaps between them, and the place of a parent that dies.
Refuses to choose: which gap a buffer gets is for the solvers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from frozendict import frozendict

from compiler.solvers.request import Request, by_name, check_parents, may_replace


@dataclass(frozen=True, slots=True)
class Board:
    """Requests placed so far; `alive` lists those alive at every step.  Solvers fill it while they run."""

    by_name: dict[str, Request]
    placed: dict[str, int]
    alive: dict[int, list[str]]

    @classmethod
    def of(cls, requests: Sequence[Request], fixed: Mapping[str, int] | None = None) -> Board:
        """A board with the requests whose address is already decided; ValueError for bad names or parents."""
        board = cls(by_name(requests), {}, {})
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
