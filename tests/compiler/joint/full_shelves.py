"""Joint problems whose only question is where things lie, LX being full to the brim most of the time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from frozendict import frozendict

from compiler.plan import EditKind
from compiler.solvers.joint.problem import (
    DEVICE,
    HOME,
    Answer,
    Bill,
    Choice,
    Copy,
    Item,
    JointProblem,
    Menu,
    Rates,
    Task,
)

UNIT = 128


@dataclass(frozen=True, slots=True)
class Span:
    """Units in LX from before step `first` to step `last`; `made`: written by step `first`, and may take over any place
    of something made that this step reads."""

    units: int
    first: int
    last: int
    made: bool = False


def shelf_problem(spans: Sequence[Span], units: int) -> tuple[JointProblem, Answer]:
    """A problem with an LX of so many units and the answer that has all spans in it: inputs cloned in, and what steps
    make, of which there is one per step at most."""
    steps = 1 + max(span.last for span in spans)
    reads = [[n for n, span in enumerate(spans) if span.last == step > span.first * span.made] for step in range(steps)]
    writes = {span.first: number for number, span in enumerate(spans) if span.made}
    tasks = []
    for step in range(steps):
        operands = (*reads[step], *((writes[step],) if step in writes else ()))
        menu = Menu((Choice((0,) * len(operands), (Bill(),) * (1 << len(operands))),))
        tasks.append(Task(f"t{step}", operands, len(operands) - 1 if step in writes else -1, menu))
    items, served = [], []
    for number, span in enumerate(spans):
        size, readers = span.units * UNIT, (span.last,) if number in reads[span.last] else ()
        served.append((HOME if span.made else 0,) * len(readers))
        if span.made:
            kin = tuple(reads[span.first])
            items.append(Item(f"i{number}", size, span.first, readers, frozendict({0: size}), parents=kin))
            continue
        copy = Copy(EditKind.CLONE_IN, 0, size, span.first, readers, frozendict({DEVICE: Bill()}))
        items.append(Item(f"i{number}", size, -1, readers, copies=(copy,)))
    made = tuple(span.made for span in spans)
    answer = Answer((0,) * steps, made, (False,) * len(spans), tuple(served))
    return JointProblem(tuple(tasks), tuple(items), units * UNIT, UNIT, Rates(1.0, 1.0)), answer


def tiled(rng: Random, steps: int, units: int, parts: int) -> list[Span]:
    """Spans that fill an LX of so many units over so many steps without a gap, cut out of it along straight lines."""
    found = [(0, steps - 1, units)]
    while len(found) < parts:
        place = max(range(len(found)), key=lambda n: ((found[n][1] - found[n][0] + 1) * found[n][2], rng.random()))
        first, last, high = found.pop(place)
        found += rng.choice(list(_cuts(first, last, high)) or [((first, last, high),)])
        if all(first == last and high == 1 for first, last, high in found):
            break
    rng.shuffle(found)
    return [Span(high, first, last) for first, last, high in found]


def _cuts(first: int, last: int, high: int) -> Iterator[tuple[tuple[int, int, int], ...]]:
    for middle in range(first, last):
        yield (first, middle, high), (middle + 1, last, high)
    for low in range(1, high):
        yield (first, last, low), (first, last, high - low)


def scrambled(rng: Random, spans: Sequence[Span], times: int) -> list[Span]:
    """The same load at every step by other spans: two of equal units swap their ends where both last on."""
    found = list(spans)
    for _ in range(times):
        one, other = rng.sample(range(len(found)), 2)
        a, b = found[one], found[other]
        if a.units == b.units and a.first <= b.last and b.first <= a.last:
            found[one], found[other] = Span(a.units, a.first, b.last), Span(b.units, b.first, a.last)
    return found
