"""Placement problems for tests: rows, random ones, and what a legal and a best answer is, from the rules alone.

Owns the pairwise rule of legality and the enumeration of all placements.  Shares no code with the solvers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from compiler.solvers.eviction import Evicted
from compiler.solvers.placement import PlacementProblem
from compiler.solvers.request import Request
from compiler.solvers.stays import Stay

Best = tuple[int, int]


def rows(*sizes_and_uses: tuple[int, tuple[int, ...]]) -> tuple[Request, ...]:
    """Requests r0, r1, ... by size and uses."""
    return tuple(Request(f"r{number}", size, uses) for number, (size, uses) in enumerate(sizes_and_uses))


def faults(problem: PlacementProblem, addresses: Mapping[str, int]) -> list[str]:
    """What is wrong with a placement: bytes outside, starts off the alignment, two buffers in the same bytes."""
    found = []
    placed = [one for one in problem.requests if one.name in addresses]
    for number, one in enumerate(placed):
        at = addresses[one.name]
        if at < 0 or at + one.size > problem.capacity or at % problem.alignment:
            found.append(f"{one.name} at {at}")
        found += [
            f"{one.name} and {other.name}"
            for other in placed[number + 1 :]
            if not may_lie(one, at, other, addresses[other.name])
        ]
    heirs = takeovers([(one, addresses[one.name]) for one in placed])
    return found + [f"{parent} and {child}" for parent, child in heirs if not _single(heirs, parent, child)]


def stay_faults(problem: PlacementProblem, found: Evicted) -> list[str]:
    """The same for stays: buffers of their own, of which a first one may lie where a last one does."""
    asked = {one.name: one for one in problem.requests}
    stays = [stay for stay, _ in found.stays]
    requests = []
    for stay in stays:
        whole = asked[stay.name]
        last = {p: max(one.numbers[-1] for one in stays if one.name == p) for p in {one.name for one in stays}}
        dying = [one.key for one in stays if one.name in whole.parents and one.numbers[-1] == last[one.name]]
        parents = tuple(dying) if stay.numbers[0] == 0 else ()
        computed = whole.computed if stay.numbers[0] == 0 else not stay.reloaded
        requests.append(Request(stay.key, stay.size, stay.uses, parents, computed))
    question = PlacementProblem(tuple(requests), problem.capacity, problem.alignment)
    twice = [f"{one.name} at {step}" for one in stays for step in one.uses if _stays_at(stays, one.name, step) > 1]
    return twice + faults(question, {stay.key: at for stay, at in found.stays})


def _stays_at(stays: Sequence[Stay], name: str, step: int) -> int:
    return sum(stay.name == name and stay.first <= step <= stay.last for stay in stays)


def takeovers(placed: Sequence[tuple[Request, int]]) -> list[tuple[str, str]]:
    """Parent and child of every place that was taken over."""
    return [
        (parent.name, child.name)
        for parent, parent_at in placed
        for child, child_at in placed
        if parent is not child and parent_at == child_at and _inherits(child, parent)
    ]


def _single(heirs: Sequence[tuple[str, str]], parent: str, child: str) -> bool:
    """One child per parent, one parent per child."""
    return sum(one == parent for one, _ in heirs) == 1 and sum(other == child for _, other in heirs) == 1


def may_lie(one: Request, at: int, other: Request, other_at: int) -> bool:
    """True if two buffers may have these addresses at once."""
    together = one.uses[0] <= other.uses[-1] and other.uses[0] <= one.uses[-1]
    apart = at + one.size <= other_at or other_at + other.size <= at
    same = at == other_at and (_inherits(one, other) or _inherits(other, one))
    return not together or apart or same


def _inherits(child: Request, parent: Request) -> bool:
    """Declared, born when the parent is read for the last time, no larger, and the parent is not only written."""
    read = len(parent.uses) > 1 or not parent.computed
    return parent.name in child.parents and parent.uses[-1] == child.uses[0] and child.size <= parent.size and read


def best_of_all(problem: PlacementProblem) -> Best:
    """Fewest pinned buffers left out and, of those placements, fewest bytes lost: by trying every address of each."""
    asked = sorted(problem.requests, key=lambda one: -one.size)
    best = [(len(asked) + 1, 0)]

    def descend(number: int, lost: Best, placed: list[tuple[Request, int]]) -> None:
        if lost >= best[0]:
            return
        if number == len(asked):
            heirs = takeovers(placed)
            best[0] = lost if all(_single(heirs, *pair) for pair in heirs) else best[0]
            return
        one = asked[number]
        for at in range(0, problem.capacity - one.size + 1, problem.alignment):
            if all(may_lie(one, at, other, other_at) for other, other_at in placed):
                descend(number + 1, lost, [*placed, (one, at)])
        descend(number + 1, (lost[0] + one.pinned, lost[1] + one.saves), placed)

    descend(0, (0, 0), [])
    return best[0]


def lost_by(problem: PlacementProblem, addresses: Mapping[str, int]) -> Best:
    """Pinned buffers left out and bytes lost by a placement."""
    out = [one for one in problem.requests if one.name not in addresses]
    return sum(one.pinned for one in out), sum(one.saves for one in out)


def random_problem(rng: Random, most: int, steps: int, sizes: int, pins: float = 0.0) -> PlacementProblem:
    """Up to `most` buffers over some steps, mostly computed ones, often with parents whose place they may take."""
    asked: list[Request] = []
    for number in range(rng.randint(most // 2, most)):
        uses = tuple(sorted(rng.sample(range(steps), rng.randint(1, min(4, steps)))))
        computed = len(uses) > 1 and rng.random() < 0.7
        ending = [one.name for one in asked if one.uses[-1] == uses[0]]
        parents = tuple(rng.sample(ending, min(len(ending), rng.choice((0, 1, 2, 2)))))
        worth = rng.choice((None, None, rng.randint(0, 3 * sizes)))
        pinned = rng.random() < pins
        asked.append(Request(f"r{number}", rng.randint(1, sizes), uses, parents, computed, worth, pinned))
    rng.shuffle(asked)
    return PlacementProblem(tuple(asked), rng.randint(sizes // 2, 2 * sizes), rng.choice((1, 1, 2, 3)))


def crowded_problem(rng: Random, count: int, steps: int, capacity: int) -> PlacementProblem:
    """Computed buffers of up to a third of the scratchpad, alive for up to ten steps: far more than fits."""
    asked: list[Request] = []
    for number in range(count):
        start = rng.randrange(steps)
        end = start + 1 + rng.randrange(10)
        uses = tuple(sorted({start, *rng.sample(range(start, end), min(2, end - start)), end}))
        ending = [one.name for one in asked if one.uses[-1] == start]
        parents = (rng.choice(ending),) if ending and rng.random() < 0.4 else ()
        asked.append(Request(f"r{number}", rng.randint(1, capacity // 3), uses, parents, computed=True))
    return PlacementProblem(tuple(asked), capacity)
