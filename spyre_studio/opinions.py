"""Opinions: what the cost model and the simulator say of the same plan, side by side, and why they part.

Owns the comparison of steps, kernels and the whole, and which differences are named.  Refuses to say who is right:
nothing here was measured on a card.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from compiler.compilation import Compilation
from compiler.division import Division
from simulator.timing.work import OpWork
from simulator.timing.work_of import work_of
from simulator.trace import PS_PER_US, Trace
from spyre_studio.opinion_accounts import LOADS, Account, Part, predicted, simulated, total
from spyre_studio.opinion_words import LEAST_US, NOTHING_US, Scope, because, clause, difference_of, rest_words, words_of
from spyre_studio.units import format_count, format_time

PARTING = 0.25
"""Two times part where they differ by more than this share of the predicted one."""
EXPLAINED, BEYOND = 0.75, 0.5
"""So much of a difference has to be named at least; what is named may tell no more than this beyond it."""
LEFT = 0.1
"""A larger share of a difference that is left after what was named is told of, too."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one part has of the difference, in us: `words` tell both sides and why they differ."""

    part: Part
    predicted_us: float
    simulated_us: float
    words: str

    @property
    def difference_us(self) -> float:
        """Above zero where the simulator takes longer."""
        return self.simulated_us - self.predicted_us


@dataclass(frozen=True, slots=True)
class Opinion:
    """Both times of a step, a kernel or the whole, in us; `contributions` add up to their difference, the largest
    first.  `named` are those that the `reason` tells of; both are empty where the times do not part."""

    name: str
    predicted_us: float
    simulated_us: float
    contributions: tuple[Contribution, ...]
    named: tuple[Contribution, ...] = ()
    reason: str = ""

    @property
    def difference_us(self) -> float:
        """Above zero where the simulator takes longer."""
        return self.simulated_us - self.predicted_us

    @property
    def ratio(self) -> float | None:
        """Simulated over predicted; None where nothing was predicted (a step that gets no share of its kernel)."""
        return self.simulated_us / self.predicted_us if self.predicted_us >= NOTHING_US else None

    @property
    def parts(self) -> bool:
        """True if the times differ by more than a quarter of the predicted one."""
        return parted(self.predicted_us, self.simulated_us)

    @property
    def told(self) -> tuple[tuple[float, str], ...]:
        """The difference in clauses (us, words): what is named, and the rest, unless that is little."""
        return _told(self.named, self.contributions, self.difference_us)


@dataclass(frozen=True, slots=True)
class Opinions:
    """Of the whole program, of every kernel and of every step, in order.

    A step's simulated time reaches from its first core's start to its last core's end, so that steps may overlap; a
    kernel counts each step for as long as it decides when the kernel ends.
    """

    model: str
    whole: Opinion
    kernels: tuple[Opinion, ...]
    steps: tuple[Opinion, ...]


def parted(predicted_us: float, simulated_us: float) -> bool:
    """True if two times differ by more than a quarter of the first.

    >>> [parted(*times) for times in ((100.0, 125.0), (100.0, 125.1), (100.0, 74.9), (0.0, 1.0), (0.0, 0.001))]
    [False, True, True, True, False]
    """
    return abs(simulated_us - predicted_us) > max(LEAST_US, PARTING * predicted_us)


def opinions(compilation: Compilation, trace: Trace) -> Opinions:
    """Both opinions on a plan; `trace` is the simulated run of its program.  ValueError for the trace of another."""
    work = work_of(compilation.program, compilation.problem.device)
    if tuple(one.name for one in work) != trace.steps:
        raise ValueError("the trace has to be one of the compilation's program")
    sides = Sides(compilation, trace, work)
    steps = tuple(sides.step(number) for number in range(len(work)))
    pairs = zip(compilation.cost.kernels, trace.kernels, strict=True)
    kernels = tuple(
        sides.group(run.name, cost.total_us, (run.end_ps - run.start_ps) / PS_PER_US, range(run.first, run.last))
        for cost, run in pairs
    )
    whole = sides.group(trace.model, compilation.cost.total_us, trace.total_us, range(len(work)))
    return Opinions(trace.model, whole, kernels, steps)


def describe_opinions(found: Opinions, most: int = 5) -> tuple[str, ...]:
    """Both times of every kernel and, where they part, why; then the steps that differ most, at most `most` of each.

    Lines have a title in the margin.  Steps that differ in the same way, as those of equal layers do, are told once.
    """
    kernels = sorted(found.kernels, key=lambda one: -abs(one.difference_us))[:most]
    told = [found.whole] if len(found.kernels) > 1 else []
    lines = [line for one in (*told, *(each for each in found.kernels if each in kernels)) for line in _lines(one)]
    parting = [step for step in found.steps if step.parts]
    if not parting:
        return _titled("compared", lines)
    alike: dict[tuple[str, str, str], list[Opinion]] = {}
    for step in sorted(parting, key=lambda one: -abs(one.difference_us)):
        alike.setdefault((format_time(step.predicted_us), format_time(step.simulated_us), step.reason), []).append(step)
    steps = [f"{len(parting)} of {format_count(len(found.steps), 'step')} by more than {100 * PARTING:.0f} %"]
    for first, *others in list(alike.values())[:most]:
        steps += _lines(first, f" and {len(others)} more like it" if others else "")
    return (*_titled("compared", lines), *_titled("apart", steps))


def _titled(title: str, lines: list[str]) -> tuple[str, ...]:
    return tuple(f"  {title if not place else '':<10} {line}" for place, line in enumerate(lines))


def opinions_document(found: Opinions) -> dict[str, object]:
    """The whole, kernels and steps for a JSON document; `ratio` is null where nothing was predicted."""
    return {
        "whole": _entry(found.whole),
        "kernels": [_entry(one) for one in found.kernels],
        "steps": [_entry(one) for one in found.steps],
    }


def _entry(one: Opinion) -> dict[str, object]:
    parts = {
        str(each.part): {"predicted_us": each.predicted_us, "simulated_us": each.simulated_us}
        for each in one.contributions
        if each.predicted_us or each.simulated_us
    }
    return {
        "name": one.name,
        "predicted_us": one.predicted_us,
        "simulated_us": one.simulated_us,
        "ratio": one.ratio,
        "parts": one.parts,
        "reason": one.reason,
        "contributions": parts,
    }


def _lines(one: Opinion, others: str = "") -> list[str]:
    """Both times, how far they are apart, and a line for each contribution that is named."""
    times = f"predicted {format_time(one.predicted_us)}, simulated {format_time(one.simulated_us)}"
    apart = f", {difference_of(one.predicted_us, one.simulated_us)}" if one.parts else ""
    return [
        f"{one.name}{others}: {times}{apart}",
        *(f"  {clause(size, words)}" for size, words in one.told),
    ]


class Sides:
    """Both accounts of every step."""

    def __init__(self, compilation: Compilation, trace: Trace, work: tuple[OpWork, ...]) -> None:
        self._work, self._device = work, compilation.problem.device
        self._ops = [step.op for kernel in compilation.program.kernels for step in kernel.ops]
        self._costs = {cost.step: cost for cost in compilation.cost.steps}
        self._divisions: Mapping[str, Division] = compilation.plan.divisions
        deciding = np.zeros(len(work))
        for link in trace.critical:
            deciding[link.step] += (link.end_ps - link.start_ps) / PS_PER_US
        self._runs = trace.runs
        self._again = _loaded_again(compilation, work)
        self._predicted = [self._price(one.name) for one in work]
        self._decided = [self._account(number, float(us)) for number, us in enumerate(deciding)]

    def step(self, number: int) -> Opinion:
        """Of one step."""
        work, took = self._work[number], self._took(number)
        cost = self._costs.get(work.name)
        times = (cost.total_us if cost else 0.0, took)
        return _opinion(work.name, times, self._predicted[number], self._account(number, took), self.scope([number]))

    def group(self, name: str, predicted_us: float, simulated_us: float, numbers: Iterable[int]) -> Opinion:
        """Of several steps that follow each other: each one's share of the time is what it decides of it."""
        every = list(numbers)
        expected, found = (total(accounts[number] for number in every) for accounts in (self._predicted, self._decided))
        return _opinion(name, (predicted_us, simulated_us), expected, found, self.scope(every))

    def _price(self, step: str) -> Account:
        cost = self._costs.get(step)
        if cost is None:
            return {}
        return predicted(cost, self._divisions.get(step, Division()).cores, self._device)

    def _account(self, number: int, microseconds: float) -> Account:
        return simulated(self._work[number], self._ops[number], microseconds, self._device)

    def _took(self, number: int) -> float:
        start, end = self._runs.start_ps[number], self._runs.end_ps[number]
        ran = start >= 0
        return float(end[ran].max() - start[ran].min()) / PS_PER_US if ran.any() else 0.0

    def scope(self, numbers: list[int]) -> Scope:
        """What words may say of these steps."""
        tiles = [int(self._work[number].tiles.max(initial=0)) for number in numbers]
        rate = self._device.number("hbm_one_way_bytes_per_ns")
        again = any(self._again[number] for number in numbers)
        return Scope(len(numbers), sum(count == 1 for count in tiles), rate, again, self._fill(numbers))

    def _fill(self, numbers: list[int]) -> float:
        """How much of the rows that pass the matrix units is filled, of all multiplications of these steps."""
        asked = [(self._ops[number], self._work[number].macs) for number in numbers]
        taken = sum(int(macs.sum()) for _, macs in asked if macs is not None)
        wanted = sum(math.prod(loop.extent for loop in op.loops) for op, macs in asked if macs is not None)
        return wanted / taken if taken else 1.0


def _loaded_again(compilation: Compilation, work: tuple[OpWork, ...]) -> list[bool]:
    """Of every step, whether it loads what a step of its kernel before it has loaded."""
    found, known = [], set[str]()
    kernels = [kernel.name for kernel in compilation.program.kernels for _ in kernel.ops]
    for number, one in enumerate(work):
        if number == 0 or kernels[number] != kernels[number - 1]:
            known.clear()
        loaded = {each.tensor for each in one.operands if not each.write and each.way in LOADS}
        found.append(not loaded.isdisjoint(known))
        known |= loaded
    return found


def _opinion(name: str, times: tuple[float, float], expected: Account, found: Account, scope: Scope) -> Opinion:
    """The opinion with its contributions; what the times leave open of them goes to waits (a launch, say)."""
    predicted_us, simulated_us = times
    rest = simulated_us - predicted_us - sum(found.values()) + sum(expected.values())
    contributions = []
    for part in Part:
        one, other = expected.get(part, 0.0), found.get(part, 0.0) + (rest if part is Part.WAITS else 0.0)
        contributions.append(Contribution(part, one, other, words_of(part, one, other, scope)))
    contributions.sort(key=lambda each: -abs(each.difference_us))
    ordered = tuple(contributions)
    if not parted(predicted_us, simulated_us):
        return Opinion(name, predicted_us, simulated_us, ordered)
    named = _named(ordered, simulated_us - predicted_us)
    reason = because(predicted_us, simulated_us, _told(named, ordered, simulated_us - predicted_us))
    return Opinion(name, predicted_us, simulated_us, ordered, named, reason)


def _named(contributions: tuple[Contribution, ...], difference: float) -> tuple[Contribution, ...]:
    """The largest ones with the sign of the difference, until most of it is told; then the largest against it, if
    those together tell far too much."""
    along = [one for one in contributions if one.difference_us * difference > 0]
    against = [one for one in contributions if one.difference_us * difference < 0]
    told: list[Contribution] = []
    while along and abs(sum(one.difference_us for one in told)) < EXPLAINED * abs(difference):
        told.append(along.pop(0))
    beyond = abs(sum(one.difference_us for one in told)) - abs(difference)
    return (*told, *against[:1]) if beyond > BEYOND * abs(difference) else tuple(told)


def _told(
    named: tuple[Contribution, ...], contributions: tuple[Contribution, ...], difference: float
) -> tuple[tuple[float, str], ...]:
    """Clauses of what is named, and of what is left after it."""
    clauses = tuple((one.difference_us, one.words) for one in named)
    rest = difference - sum(size for size, _ in clauses)
    others = [one for one in contributions if one not in named and abs(one.difference_us) > LEAST_US]
    if not named or not others or abs(rest) <= max(LEAST_US, LEFT * abs(difference)):
        return clauses
    return (*clauses, (rest, rest_words(len(others))))
