"""Ties: pins of equal divisions as ties of a joint problem.

Owns which of these pins can be kept, as there is a way to cut all its ops alike, and the divisions to start from that
keep them.  Refuses to choose the best way: that is for the search.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from frozendict import frozendict

from compiler.device import Device
from compiler.division import Division
from compiler.division_menu import legal_divisions
from compiler.equal_divisions import Bonds, Cut, bonds_of, cut_of, differs, division_like
from compiler.joint.ground import Ground
from compiler.pinning import refused
from compiler.pins import PinStatus
from compiler.plan import Plan
from compiler.problem import Problem
from compiler.schedule import Schedule
from compiler.solvers.joint.problem import Tie


def tied(problem: Problem, plan: Plan, schedule: Schedule, free: frozenset[str]) -> tuple[Plan, Bonds]:
    """The plan with all ops that pins tie cut alike, and the pins that this keeps; steps of `free` may be divided anew.

    A group that is cut alike already stays so; of the others every op gets the cut of the one named last, if all can
    take it, else that of most cores.
    """
    if not problem.pins.same:
        return plan, Bonds((), frozendict())
    bonds = bonds_of(problem.pins.same, schedule)
    groups = _Groups(schedule, plan, problem.device, free)
    order = list(problem.pins.same)
    asked = sorted((*bonds.pairs, *bonds.closing), key=lambda pair: order.index(pair[0]))
    pairs = tuple(pair for pair in asked if groups.join(*pair))
    return replace(plan, divisions=plan.divisions | groups.divisions()), Bonds(pairs, bonds.refused | groups.refused)


@dataclass(slots=True)
class _Groups:
    """Ops that are tied so far, and the cuts that all of a group can take."""

    schedule: Schedule
    plan: Plan
    device: Device
    free: frozenset[str]
    members: dict[str, list[str]] = field(default_factory=dict)
    cuts: dict[str, dict[Cut, Division]] = field(default_factory=dict)
    refused: dict[str, PinStatus] = field(default_factory=dict)

    def join(self, name: str, other: str) -> bool:
        """Tie an op to another one; False if no cut suits all who are tied then."""
        for one in (name, other):
            if one not in self.cuts:
                self.cuts[one], self.members[one] = self._cuts(one), [one]
        both = list(dict.fromkeys((*self.members[name], *self.members[other])))
        if not self._common(both):
            self.refused[f"same:{name}"] = refused(self._why(name, other))
            return False
        for one in both:
            self.members[one] = both
        return True

    def divisions(self) -> dict[str, Division]:
        """A division for every op of a group."""
        found: dict[str, Division] = {}
        for name, group in self.members.items():
            if name in found or len(group) == 1:
                continue
            common = self._common(group)
            present = [self._cut(one, self._present(one)) for one in reversed(group)]
            cut = next((one for one in present if one in common and not isinstance(one, str)), common[0])
            found.update((one, self.cuts[one][cut]) for one in group)
        return found

    def _common(self, group: Iterable[str]) -> list[Cut]:
        """Cuts that all can take: those of most cores first, then the most even ones."""
        tables = [self.cuts[one] for one in group]
        found = [cut for cut in tables[0] if all(cut in table for table in tables)]
        return sorted(found, key=lambda cut: (-cut[0], sum(part**2 for part in cut[1]), cut))

    def _cuts(self, name: str) -> dict[Cut, Division]:
        """The cuts that an op can take, the present division being that of its own cut."""
        step, present = self.schedule.step_map[name], self._present(name)
        menu = legal_divisions(step, self.schedule, self.plan.layouts, self.device) if name in self.free else ()
        found: dict[Cut, Division] = {}
        for division in (present, *menu):
            cut = self._cut(name, division)
            if not isinstance(cut, str):
                found.setdefault(cut, division)
        return found

    def _cut(self, name: str, division: Division) -> Cut | str:
        return cut_of(self.schedule.step_map[name].op, division, self.schedule.buffers)

    def _why(self, name: str, other: str) -> str:
        mine, theirs = self._present(name), self._present(other)
        if name not in self.free and other not in self.free:
            return differs(name, mine, other, theirs)
        for one, lead, division in ((name, other, theirs), (other, name, mine)):
            if lead not in self.free:
                _, status = division_like(one, lead, division, self.schedule, self.plan.layouts, self.device)
                if status.detail:
                    return f"{lead} is pinned to {division}, and {one} cannot follow: {status.detail}"
        tied = [one for one in dict.fromkeys((*self.members[name], *self.members[other])) if one not in self.free]
        pinned = ", ".join(f"{one} is pinned to {self._present(one)}" for one in tied)
        return (
            f"no division cuts {' and '.join((name, other))} alike{f': {pinned}' if pinned else ''}; unpin one of them"
        )

    def _present(self, name: str) -> Division:
        return self.plan.divisions.get(name, Division())


def ties_of(pairs: Iterable[tuple[str, str]], ground: Ground) -> tuple[Tie, ...]:
    """The ties of a ground for pairs of ops that can be cut alike."""
    numbers = {task.name: number for number, task in enumerate(ground.problem.tasks)}
    group: dict[str, tuple[str, ...]] = {}
    for name, other in pairs:
        both = tuple(dict.fromkeys((*group.get(name, (name,)), *group.get(other, (other,)))))
        group.update(dict.fromkeys(both, both))
    return tuple(_tie(tuple(numbers[name] for name in names), ground) for names in dict.fromkeys(group.values()))


def _tie(tasks: tuple[int, ...], ground: Ground) -> Tie:
    known: dict[Cut | str, int] = {}
    rows = []
    for task in tasks:
        op = ground.schedule.steps[task].op
        cuts = [cut_of(op, division, ground.schedule.buffers) for division in ground.kinds[task].divisions]
        rows.append(tuple(known.setdefault(cut, len(known)) for cut in cuts))
    return Tie(tasks, tuple(rows))
