"""Stays: the stretches of steps that a buffer spends in the scratchpad where it may leave between two uses.

Owns what a stay saves, what dumps and reloads cost, and a bound for all answers.  Refuses to choose the stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from compiler.solvers.placement import PlacementProblem
from compiler.solvers.request import Request

Gap = tuple[str, int]
"""A buffer, and the number of the use after which it is given up."""


@dataclass(frozen=True, slots=True)
class Kept:
    """How a buffer may be given up: the bytes that each of its uses costs outside, and those of a dump or a reload.

    A use in `rewritten` writes the buffer without reading it, so that what was there before is not needed.
    `in_memory`: device memory has the same data anyway, and nothing need be dumped.
    """

    saves: tuple[int, ...]
    moved: int
    rewritten: frozenset[int] = frozenset()
    in_memory: bool = False


@dataclass(frozen=True, slots=True)
class Stay:
    """Some uses of a buffer in a row, by `numbers` and by step (`uses`); `worth` is the traffic that it saves, less
    that of its reload, and of its dump if what it wrote is read later.

    `moved` are the bytes of a dump or reload; `reloaded`: it begins with a use that reads.
    """

    name: str
    size: int
    numbers: tuple[int, ...]
    uses: tuple[int, ...]
    worth: int
    moved: int
    reloaded: bool
    pinned: bool

    @property
    def key(self) -> str:
        """The name of its request: that of the buffer for the first stay."""
        return f"{self.name}#{self.numbers[0]}" if self.numbers[0] else self.name

    @property
    def first(self) -> int:
        """First step."""
        return self.uses[0]

    @property
    def last(self) -> int:
        """Last step, included."""
        return self.uses[-1]


def stays_of(request: Request, kept: Kept | None, splits: frozenset[Gap]) -> tuple[Stay, ...]:
    """The stays of a buffer that is given up in these gaps.

    >>> asked = Request("a", 4, (0, 1, 5, 6), computed=True)
    >>> [(s.uses, s.worth) for s in stays_of(asked, Kept((4, 4, 4, 4), 4), frozenset({("a", 1)}))]
    [((0, 1), 4), ((5, 6), 4)]
    """
    if kept is None:
        return (_stay(request, Kept((), request.saves), tuple(range(len(request.uses))), request.saves),)
    groups: list[list[int]] = [[0]]
    for number in range(1, len(request.uses)):
        if (request.name, number - 1) in splits:
            groups.append([])
        groups[-1].append(number)
    return tuple(_stay(request, kept, tuple(group), _worth(request, kept, group)) for group in groups)


def _worth(request: Request, kept: Kept, group: list[int]) -> int:
    saved = sum(kept.saves[number] for number in group)
    after = group[-1] + 1
    lost = after < len(request.uses) and request.uses[after] not in kept.rewritten
    dirty = not _reads_first(request, kept, group[0]) and not kept.in_memory
    reload = kept.moved if group[0] and _reads_first(request, kept, group[0]) else 0
    return saved - reload - (kept.moved if dirty and lost else 0)


def _reads_first(request: Request, kept: Kept, number: int) -> bool:
    """True if a use reads what was there before."""
    return request.uses[number] not in kept.rewritten and not (number == 0 and request.computed)


def _stay(request: Request, kept: Kept, numbers: tuple[int, ...], worth: int) -> Stay:
    uses = tuple(request.uses[number] for number in numbers)
    reloaded = numbers[0] > 0 and _reads_first(request, kept, numbers[0])
    return Stay(request.name, request.size, numbers, uses, worth, kept.moved, reloaded, request.pinned)


def request_of(stay: Stay, request: Request, all_stays: Mapping[str, tuple[Stay, ...]]) -> Request:
    """The request of a stay; only a first stay takes over a place, and only that of a last stay."""
    parents = []
    for name in request.parents if stay.numbers[0] == 0 else ():
        last = all_stays[name][-1] if name in all_stays else None
        if last is not None and (len(last.uses) > 1 or last.reloaded):
            parents.append(last.key)
    computed = request.computed if stay.numbers[0] == 0 else not stay.reloaded
    return Request(stay.key, stay.size, stay.uses, tuple(parents), computed, max(0, stay.worth), stay.pinned)


def bytes_kept(stays: Iterable[Stay]) -> int:
    """Traffic that stays with a place save."""
    return sum(stay.worth for stay in stays)


def least_evicted(problem: PlacementProblem, kept: Mapping[str, Kept]) -> int:
    """Bytes that are lost in any case, whoever leaves when: of what is used at one step, all that is too much at once.

    A buffer larger than the scratchpad loses everything; one that may take over a place is not counted where it does.

    >>> asked = Request("a", 10, (0, 1)), Request("b", 10, (0, 1, 2))
    >>> least_evicted(PlacementProblem(asked, 15), {})
    10
    """
    lost = sum(one.saves for one in problem.requests if one.size > problem.capacity)
    fitting = [one for one in problem.requests if one.size <= problem.capacity]
    at: dict[int, list[tuple[int, int]]] = {}
    for one in fitting:
        saves = kept[one.name].saves if one.name in kept else _shares(one)
        for number, (use, worth) in enumerate(zip(one.uses, saves, strict=True)):
            if number or not problem.parents(one):
                at.setdefault(use, []).append((worth, problem.height(one.size)))
    return lost + sum(_least(here, problem.height(problem.capacity)) for here in at.values())


def _shares(one: Request) -> tuple[int, ...]:
    """What a request saves, spread over its uses; rounded down, so that a bound stays one."""
    return tuple(one.saves // len(one.uses) for _ in one.uses)


def _least(here: list[tuple[int, int]], capacity: int) -> int:
    excess, lost = sum(height for _, height in here) - capacity, 0
    for worth, height in sorted(here, key=lambda entry: entry[0] / entry[1]):
        if excess <= 0:
            break
        lost += worth if height <= excess else worth * excess // height
        excess -= height
    return lost
