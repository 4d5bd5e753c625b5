"""Weighed: what a clone of an input in LX, or one of an output out of it, would have cost and saved in a joint answer.

Owns the reasons of what arrives in device memory or has to be there for the host, each with the figures of the best
copy that was offered, or with what stands in the way of one.  Refuses to decide.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from frozendict import frozendict

from compiler.counts import verb
from compiler.joint.arrivals import Arrivals
from compiler.joint.judge import LEAST_US, Judge, served_again
from compiler.joint.remedies import few, listed
from compiler.liveness import lifetimes
from compiler.plan import EditKind, Plan, ReasonCode, Spilled
from compiler.problem import Problem
from compiler.schedule import expand
from compiler.solvers.joint.faults import faults, loads, stays
from compiler.solvers.joint.price import Sums, closed, price_us, times
from compiler.solvers.joint.problem import DEVICE, HOME, Answer, Bill, Copy, JointProblem

LEAST_SHOWN_US = 0.005
PARTS = ("compute", "device memory", "beside them")


@dataclass(frozen=True, slots=True)
class Try:
    """A copy that serves `readers`, of which `anew` are divided in another way for that; `more_us` is what the plan
    would take more, `crowded` the tick at which there is no room (-1: there is)."""

    item: int
    copy: Copy
    readers: tuple[int, ...]
    anew: tuple[int, ...]
    answer: Answer
    more_us: float = 0.0
    crowded: int = -1


@dataclass(slots=True)
class Weighed:
    """Tells of inputs and outputs of the plan that a judge knows the answer of."""

    problem: Problem
    plan: Plan
    told: Judge
    arrivals: Arrivals = field(init=False)

    def __post_init__(self) -> None:
        names = (task.name for task in self.told.ground.problem.tasks)
        free = frozenset(name for name in names if name not in self.problem.pins.division)
        self.arrivals = Arrivals(self.problem, self.told.ground, free)

    # Inputs

    def arriving(self, name: str, base: str) -> Spilled:
        """Why a buffer that arrives in device memory is read there; `base` says what it is."""
        clones = [edit for edit in self.plan.edits if edit.source == name and edit.kind is EditKind.CLONE_IN]
        readers = [step.name for step in self.arrivals.readers(name)]
        if clones:
            said = [f"its clone {edit.target} is in LX for {listed(few(edit.readers))}" for edit in clones]
            return Spilled(ReasonCode.CLONED_IN, f"{base}; {', '.join(said)}")
        if not readers:
            return Spilled(ReasonCode.NOT_READ, f"{base}, and no step reads it")
        if not self.told.moves:
            return Spilled(ReasonCode.GRAPH_INPUT, f"{base}; this pipeline makes no clones")
        items = [number for number, one in enumerate(self.told.ground.subjects) if one.buffer == name]
        offered = [(number, place) for number in items for place in range(len(self._copies(number)))]
        if offered:
            return self._offered(offered, base)
        return self._not_offered(name, readers, base, len(items))

    def _not_offered(self, name: str, readers: Sequence[str], base: str, stretches: int) -> Spilled:
        """Why nothing was offered."""
        layout, device = self.told.ground.plan.layouts[name], self.problem.device
        barred = self.arrivals.barred(name)
        said = "".join(f"; {listed(few(names))} {why}" for why, names in barred.items())
        able = [reader for reader in readers if not any(reader in names for names in barred.values())]
        if not able:
            return Spilled(ReasonCode.NO_CLONE, f"{base}{said}")
        each, cores = -(-layout.size_bytes // device.cores), device.cores
        if each > device.lx_budget_bytes:
            spread = "1 core" if cores == 1 else f"each of {cores} cores"
            why = f"on {spread} a clone takes {each:,} B at least, and LX has {device.lx_budget_bytes:,} B"
            return Spilled(ReasonCode.NO_CLONE, f"{base}; {why}{said}")
        if len(able) == 1:
            why = f"only {able[0]} could read a clone in LX, and under no division would that spare more than its load"
            return Spilled(ReasonCode.NOT_WORTH_IT, f"{base}; {why}{said}")
        if stretches > 1:
            why = f"host ops, which LX does not outlive, run between its readers {listed(few(able))}"
            return Spilled(ReasonCode.NO_CLONE, f"{base}; {why}{said}")
        words = self.arrivals.in_words(name)
        why = words or f"no two of {listed(few(able))} read the same part of it on every core under any division"
        return Spilled(ReasonCode.NO_CLONE, f"{base}; {why}")

    def _offered(self, offered: Sequence[tuple[int, int]], base: str) -> Spilled:
        """The figures of the best clone that was offered."""
        tried = [one for number, place in offered for one in self._tries(number, place)]
        if not tried:
            return Spilled(ReasonCode.NOT_WORTH_IT, f"{base}; the quickest plan that was found makes no clone of it")
        best = min(tried, key=lambda one: (one.crowded >= 0, one.more_us, one.copy.foot_bytes))
        who = listed(few([self.told.ground.problem.tasks[reader].name for reader in best.readers]))
        head = f"{base}; a clone for {who} needs {best.copy.foot_bytes:,} B per core"
        if best.crowded >= 0:
            return Spilled(ReasonCode.CAPACITY, f"{head}; {self._crowd(best)}")
        load = self._alone_us(best.copy.bills[DEVICE])
        saved = round(load - best.more_us, 2)
        anew = [self.told.ground.problem.tasks[reader].name for reader in best.anew]
        means = f" with {listed(few(anew))} divided like that" if anew else ""
        gain = f"would save {saved:,.2f} µs" if saved > 0 else _nothing(-saved)
        late = "; a longer search may find that" if best.more_us < -LEAST_US else ""
        parts = self._parts(best) if saved < 0 else ""
        return Spilled(ReasonCode.NOT_WORTH_IT, f"{head}, takes {load:,.2f} µs to load and {gain}{means}{parts}{late}")

    def _parts(self, one: Try) -> str:
        """` (in all: compute +3.10 µs, device memory +66.67 µs, as mul leaves LX)`: what costs beside the load."""
        problem, before = self.told.ground.problem, self.told.answer
        pairs = zip(_spent(problem, before), _spent(problem, one.answer), strict=True)
        more = [(name, after - now) for name, (now, after) in zip(PARTS, pairs, strict=True)]
        said = [f"{name} {us:+,.2f} µs" for name, us in more if abs(us) >= LEAST_SHOWN_US]
        both = zip(before.resident, one.answer.resident, problem.items, strict=True)
        left = [item.name for here, still, item in both if here and not still]
        why = f", as {listed(few(left))} {verb(left, 'leave')} LX" if left else ""
        return f" (in all: {', '.join(said)}{why})" if said else ""

    def _tries(self, number: int, place: int) -> Iterator[Try]:
        """A clone for those readers that would find their part in it as things are, and one for all that it may
        serve."""
        copy = self._copies(number)[place]
        now = tuple(reader for reader in copy.readers if self._view(number, reader) == copy.view)
        for readers in dict.fromkeys((now, copy.readers)):
            if readers and self.told.left > 0:
                anew = tuple(reader for reader in readers if reader not in now)
                found = self._tried(Try(number, copy, readers, anew, self._with(number, place, readers, anew)))
                if found is not None:
                    yield found

    def _with(self, number: int, place: int, readers: Sequence[int], anew: Sequence[int]) -> Answer:
        problem, answer = self.told.ground.problem, self.told.answer
        copy, choices = problem.items[number].copies[place], list(answer.choices)
        for reader in anew:
            choices[reader] = problem.tasks[reader].menu.by_view[problem.places[reader][number]][copy.view][0]
        made = replace(answer, choices=tuple(choices))
        for item in dict.fromkeys(item for reader in anew for item in problem.tasks[reader].operands):
            made = served_again(problem, made, item)
        pairs = zip(problem.items[number].readers, made.served[number], strict=True)
        ways = tuple(place if reader in readers else way for reader, way in pairs)
        return replace(made, served=(*made.served[:number], ways, *made.served[number + 1 :]))

    def _tried(self, one: Try) -> Try | None:
        """The same with its figures; None if it is not allowed for another reason than room."""
        problem = self.told.ground.problem
        self.told.spend()
        if not faults(problem, one.answer):
            return replace(one, more_us=price_us(problem, one.answer) - self.told.total)
        taken, capacity = loads(problem, one.answer), problem.capacity // problem.alignment
        ticks = range(2 * one.copy.before, 2 * max(one.readers) + 2)
        worst = max(ticks, key=lambda tick: (taken.get(tick, 0), -tick))
        return replace(one, crowded=worst) if taken.get(worst, 0) > capacity else None

    def _crowd(self, one: Try) -> str:
        """How much is free where the room for a copy is gone, and who has the rest."""
        problem = self.told.ground.problem
        rest = [s for s in stays(problem, one.answer) if s.first <= one.crowded <= s.last and s.item != one.item]
        rest.sort(key=lambda stay: (-stay.foot_bytes, stay.key))
        names = [f"{problem.items[stay.item].name}{'' if stay.copy == HOME else ' (a copy)'}" for stay in rest]
        held = [f"{name} {stay.foot_bytes:,} B" for name, stay in zip(names, rest, strict=True)]
        free = problem.capacity - sum(problem.height(stay.foot_bytes) for stay in rest) * problem.alignment
        at = problem.tasks[min(one.crowded // 2, len(problem.tasks) - 1)].name
        beside = f" beside {listed(few(held))}" if held else ""
        return f"at {at} {max(0, free):,} B of {problem.capacity:,} B are free{beside}"

    def _copies(self, number: int) -> tuple[Copy, ...]:
        return self.told.ground.problem.items[number].copies

    def _view(self, number: int, reader: int) -> int:
        problem = self.told.ground.problem
        choice = problem.tasks[reader].menu.choices[self.told.answer.choices[reader]]
        return choice.views[problem.places[reader][number]]

    def _alone_us(self, bill: Bill) -> float:
        """What a copy takes by itself."""
        sums = Sums()
        sums.add(bill)
        return closed(self.told.ground.problem, sums).total_us()

    # Outputs

    def output(self, number: int) -> str:
        """What the clone of an output for the host would cost, and what its readers would save in LX; empty if that is
        not allowed as things are."""
        more = self.told.inside_us(number)
        if more is None:
            return ""
        out = self._alone_us(self.told.ground.problem.items[number].out)
        saved = round(out - more, 2)
        gain = f"would save {saved:,.2f} µs" if saved > 0 else _nothing(-saved)
        late = "; a longer search may find that" if more < -LEAST_US else ""
        return f"the host fetches it: a clone out of LX takes {out:,.2f} µs, and reading it there {gain}{late}"


def _spent(problem: JointProblem, answer: Answer) -> tuple[float, float, float]:
    """What all kernels take by PARTS."""
    found = times(problem, answer).values()
    return (
        math.fsum(one.compute_us for one in found),
        math.fsum(one.memory_us for one in found),
        math.fsum(one.serial_us for one in found),
    )


def _nothing(lost: float) -> str:
    return f"would cost {lost:,.2f} µs besides" if lost > 0 else "would save nothing"


def unweighed(problem: Problem, plan: Plan) -> Plan:
    """A plan made before the search, for when that has found none that is better."""
    schedule = expand(problem.program, plan)
    lives = lifetimes(schedule)
    found = dict(plan.placement)
    for name, place in plan.placement.items():
        if isinstance(place, Spilled) and place.code in (ReasonCode.GRAPH_INPUT, ReasonCode.GRAPH_OUTPUT):
            unread = not lives[name].reads
            code = ReasonCode.NOT_READ if unread else ReasonCode.UNWEIGHED
            found[name] = Spilled(code, place.detail + (", and no step reads it" if unread else ""))
    return replace(plan, placement=frozendict(found))
