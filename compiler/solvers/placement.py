"""Placement: the question every scratchpad solver is asked, and the answer it gives.

Owns the problem, the result, what a set of addresses costs and a bound that holds for any solver.  Refuses to search.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby

from frozendict import frozendict

from compiler.solvers.request import Request, by_name, check_parents, may_replace


class Status(StrEnum):
    """How far a solver came."""

    OPTIMAL = "optimal"
    HEURISTIC = "heuristic"
    LIMIT = "limit"
    CLOCK = "clock"


@dataclass(frozen=True, slots=True)
class PlacementProblem:
    """Which of these buffers get which bytes of a scratchpad of `capacity` bytes.

    Addresses are multiples of `alignment`.  Raises ValueError for two buffers of one name and for an in-place parent
    that is only ever written.
    """

    requests: tuple[Request, ...]
    capacity: int
    alignment: int = 1

    def __post_init__(self) -> None:
        check_parents(by_name(self.requests))

    @property
    def total(self) -> int:
        """Bytes saved if every buffer had a place."""
        return sum(request.saves for request in self.requests)

    @property
    def pin_weight(self) -> int:
        """What a pinned buffer weighs beside its own bytes: more than all bytes together."""
        return self.total + 1

    def height(self, size: int) -> int:
        """Units of `alignment` that `size` bytes take."""
        return -(-size // self.alignment)

    def parents(self, child: Request) -> tuple[str, ...]:
        """Those whose place a buffer may take, of this problem, best first."""
        named = {request.name: request for request in self.requests} if child.parents else {}
        return tuple(
            name
            for name in dict.fromkeys(child.parents)
            if name in named and name != child.name and may_replace(child, named[name])
        )

    def among(self, names: Iterable[str]) -> PlacementProblem:
        """The same question for some of the buffers."""
        wanted = frozenset(names)
        return replace(self, requests=tuple(request for request in self.requests if request.name in wanted))


@dataclass(frozen=True, slots=True)
class Placed:
    """An answer: the address (bytes) of every buffer that has a place.

    `objective` is the traffic to device memory (bytes) that buffers without a place cause, `bound` what no answer goes
    below; both are equal where the optimum is proved.  `states` counts what was looked at: placements, or branches.
    """

    addresses: frozendict[str, int]
    objective: int
    bound: int
    status: Status
    states: int


@dataclass(frozen=True, slots=True)
class Effort:
    """How long and along which random numbers to search; `seconds` are measured by counted work, not by the clock."""

    seed: int = 0
    seconds: float = 5.0


def answer(problem: PlacementProblem, addresses: Mapping[str, int], states: int) -> Placed:
    """Addresses with what they cost and what is certain about the best cost without a search."""
    lost, least = bytes_lost(problem, addresses), least_lost(problem)
    kept = frozendict((one.name, addresses[one.name]) for one in problem.requests if one.name in addresses)
    pins = all(one.name in kept or one.size > problem.capacity for one in problem.requests if one.pinned)
    proved = lost == least and pins
    return Placed(kept, lost, least, Status.OPTIMAL if proved else Status.HEURISTIC, states)


def bytes_lost(problem: PlacementProblem, addresses: Mapping[str, int]) -> int:
    """Traffic to device memory (bytes) of the buffers without an address.

    >>> question = PlacementProblem((Request("a", 4, (0, 1)), Request("b", 3, (0, 2, 3))), 4)
    >>> bytes_lost(question, {"a": 0})
    9
    """
    return sum(request.saves for request in problem.requests if request.name not in addresses)


def weight_lost(problem: PlacementProblem, addresses: Mapping[str, int]) -> int:
    """The same with pinned buffers weighing more than all others: what solvers make least."""
    pins = sum(request.pinned for request in problem.requests if request.name not in addresses)
    return bytes_lost(problem, addresses) + pins * problem.pin_weight


def least_lost(problem: PlacementProblem) -> int:
    """Bytes that are lost in any case: what is larger than the scratchpad, and in each region what is too much at its
    worst step.

    At a step, bytes are given up where they save least traffic, a part of a buffer if need be.  A buffer that may take
    over another's place counts from the step after the one they share.

    >>> least_lost(PlacementProblem((Request("a", 10, (0, 1)), Request("b", 10, (0, 1, 2))), 15))
    10
    """
    large = sum(one.saves for one in problem.requests if one.size > problem.capacity)
    return large + sum(_worst_step(part) for part in cut(problem) if part.requests[0].size <= problem.capacity)


def cut(problem: PlacementProblem) -> tuple[PlacementProblem, ...]:
    """The problem in pieces that share no step; what can never fit stands alone and cuts nothing.

    >>> asked = Request("a", 4, (0, 2)), Request("b", 4, (2, 3)), Request("c", 4, (4, 5)), Request("d", 9, (0, 5))
    >>> [[one.name for one in part.requests] for part in cut(PlacementProblem(asked, 8))]
    [['d'], ['a', 'b'], ['c']]
    """
    groups: list[list[str]] = [[one.name] for one in problem.requests if one.size > problem.capacity]
    end = None
    for one in sorted((one for one in problem.requests if one.size <= problem.capacity), key=_start):
        if end is None or one.start >= end:
            groups.append([])
        groups[-1].append(one.name)
        end = one.end if end is None else max(end, one.end)
    return tuple(problem.among(names) for names in groups)


def _start(request: Request) -> int:
    return request.start


def _worst_step(part: PlacementProblem) -> int:
    """Least bytes lost at the step of a region that has most too much."""
    begins = {one.name: one.start + bool(part.parents(one)) for one in part.requests}
    worst, alive = 0, list[Request]()
    for step, fresh in groupby(
        sorted(part.requests, key=lambda one: begins[one.name]), key=lambda one: begins[one.name]
    ):
        alive = [one for one in (*alive, *fresh) if step < one.end]
        worst = max(worst, _least_at_once(part, alive))
    return worst


def _least_at_once(problem: PlacementProblem, alive: list[Request]) -> int:
    """Least bytes lost among buffers that need the scratchpad at the same step."""
    excess = sum(problem.height(one.size) for one in alive) - problem.height(problem.capacity)
    lost = 0
    for one in sorted(alive, key=lambda one: one.saves / problem.height(one.size)):
        if excess <= 0:
            break
        height = problem.height(one.size)
        lost += one.saves if height <= excess else -(-one.saves * excess // height)
        excess -= height
    return lost
