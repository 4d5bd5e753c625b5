"""Ground: a program whose layouts are decided, as a JointProblem, and the way back from its numbers to names.

Owns the tasks, items and in-place pairs of a plan with divisions to start from.  Host ops are tasks without operands.
Refuses to search and to decide.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from frozendict import frozendict

from compiler.copy_cuts import copy_cut
from compiler.cost.setting import kernels
from compiler.joint.bills import Surroundings
from compiler.joint.gains import least_us, turning
from compiler.joint.kept import kept_of
from compiler.joint.kinds import Kind, Role, rates_of
from compiler.joint.offers import Offer, Offered, Offers
from compiler.joint.subjects import MOST_READ, Subject, subjects
from compiler.joint.views import Views
from compiler.loops import OpKind
from compiler.ownership import may_take_over
from compiler.plan import Plan
from compiler.problem import Problem
from compiler.schedule import Schedule
from compiler.solvers.joint.problem import NOWHERE, Item, JointProblem, Menu, Task

T = TypeVar("T")
LONG, MUCH = 40, 0.01
"""Steps of a long program, and the share of its time that a load into LX for a single reader has to be able to save."""


@dataclass(frozen=True, eq=False)
class Ground:
    """A joint problem and what its numbers stand for: `kinds` by task, `subjects` and `offers` by item, `views`.

    `whole`: all moves are on offer that may gain something, of the forms that `compiler.joint.offers` knows.
    """

    problem: JointProblem
    plan: Plan
    schedule: Schedule
    kinds: tuple[Kind, ...]
    subjects: tuple[Subject, ...]
    offers: tuple[tuple[Offer, ...], ...]
    views: Views
    whole: bool = True


Pause = Callable[[], None]
"""Called again and again while tables are made; may raise to end that."""


def ground_of(
    problem: Problem, plan: Plan, free: frozenset[str], moves: bool = True, pause: Pause = lambda: None
) -> Ground:
    """The ground of a plan with layouts, edits and divisions; steps of `free` may be divided anew.

    Placement, kernels and moves that the plan may have are not looked at.  Of the pins, those to device memory hold;
    what others ask for is added by `compiler.joint.conflict`.  Raises what `pause` raises.
    """
    maker = _Maker(problem, plan, free, moves, pause)
    return maker.ground()


class _Maker:
    def __init__(self, problem: Problem, plan: Plan, free: frozenset[str], moves: bool, pause: Pause) -> None:
        self.problem, self.plan, self.moves, self.pause = problem, plan, moves, pause
        self.kept = kept_of(problem, plan)
        self.feet: dict[Menu, frozendict[int, int]] = {}
        self.schedule, self.setting = self.kept.setting.schedule, self.kept.setting
        same = problem.pins.same
        self.kinds = self.kept.kinds(plan, free, frozenset({*same, *same.values()}))
        self.kernel: dict[str, tuple[int, Surroundings]] = {}
        for number, (_, run) in enumerate(kernels(plan, self.schedule)):
            around = Surroundings(self.setting.written(run), len(run) == 1)
            self.kernel.update((name, (number, around)) for name in run)
        found = subjects(plan, self.schedule)
        self.shared = frozenset(number for number, one in enumerate(found) if self._shared(one))
        self.subjects = found

    def _shared(self, one: Subject) -> bool:
        """True for an input from outside that several steps of a kernel read."""
        if one.writer >= 0 or len(one.readers) < 2:
            return False
        return one.buffer not in self.kernel[self.schedule.steps[one.readers[0]].name][1].inside

    def ground(self) -> Ground:
        """Roles, menus, offers and items."""
        tied = [self._tied(one) for one in self.subjects]
        tasks, kinds, maker = self._made(tied)
        offers = self._offers(tied, tasks, kinds, maker)
        kept = [
            here and (one.writer >= 0 or bool(own.offers))
            for here, one, own in zip(tied, self.subjects, offers, strict=True)
        ]
        whole = self._looked_at_all() and all(own.whole for own in offers)
        if kept != tied:  # each operand doubles the bills of its readers: without those of which no load gains anything
            tied = kept
            tasks, kinds, maker = self._made(tied)
            offers = self._offers(tied, tasks, kinds, maker)
        items = tuple(
            self._item(one, tasks, kinds, found.offers, maker) if tied[number] else self._bare(one)
            for number, (one, found) in enumerate(self._each(zip(self.subjects, offers, strict=True)))
        )
        device = self.problem.device
        joint = JointProblem(tasks, items, device.lx_budget_bytes, device.stick_bytes, rates_of(device))
        whole, made = whole and all(own.whole for own in offers), tuple(own.offers for own in offers)
        return Ground(joint, self.plan, self.schedule, kinds, self.subjects, made, self.kinds.views, whole)

    def _looked_at_all(self) -> bool:
        """True if no step reads so much that not all of it may be in LX."""
        return all(len({read.buffer for read in step.op.reads}) <= MOST_READ for step in self.schedule.steps)

    def _each(self, parts: Iterable[T]) -> Iterator[T]:
        """These, with a pause before each."""
        for one in parts:
            self.pause()
            yield one

    def _made(self, tied: list[bool]) -> tuple[tuple[Task, ...], tuple[Kind, ...], Offers]:
        """Tasks with their kinds where these subjects may be in LX, and what makes offers for them."""
        roles, numbers = self._roles(tied)
        operands = tuple(role.operands for role in roles)
        pairs = self._each(zip(self.schedule.steps, roles, strict=True))
        kinds = tuple(self.kinds.kind(step, role, self.kernel[step.name][1]) for step, role in pairs)
        tasks = tuple(
            Task(step.name, own, role.writes, kind.menu, self.kernel[step.name][0], other)
            for step, role, kind, (own, other) in zip(self.schedule.steps, roles, kinds, numbers, strict=True)
        )
        maker = self.kept.offers(self.kinds, self.moves, operands, self.problem.pins)
        lone = frozenset(one.buffer for one in self.subjects if one.writer < 0 and len(one.readers) == 1)
        return tasks, kinds, replace(maker, lone=lone, spared=self._spared(tied, tasks, maker))

    def _spared(self, tied: list[bool], tasks: tuple[Task, ...], maker: Offers) -> frozendict[tuple[str, int], int]:
        """Of inputs, by name and first reader, the bytes at most that their kernel may read less than it writes: in
        long programs with that one alone in LX beside what can stay there."""
        inputs = {(one.buffer, one.readers[0]): one for one in self.subjects if one.writer < 0}
        if len(tasks) > LONG:
            ahead = self._ahead(tied)
            most = {
                key: ahead[tasks[key[1]].kernel] + self.plan.layouts[one.buffer].size_bytes
                for key, one in inputs.items()
            }
            return frozendict((key, max(0, size)) for key, size in most.items())
        out = defaultdict[int, int](int)
        for here, one in zip(tied, self.subjects, strict=True):
            if here and one.writer >= 0:
                out[tasks[one.writer].kernel] += maker.out(one).written_bytes
        turned = turning(tasks, out)
        return frozendict((key, turned.get(tasks[key[1]].kernel, 0)) for key in inputs)

    def _ahead(self, tied: list[bool]) -> dict[int, int]:
        """By how many bytes each kernel writes more than it reads, with in LX what can stay there and nothing else."""
        pairs = list(zip(tied, self.subjects, strict=True))
        stays = frozenset(one.buffer for here, one in pairs if here and one.writer >= 0 and not one.output)
        found = defaultdict[int, int](int)
        for step in self.schedule.steps:
            written = dict.fromkeys(access.buffer for access in step.op.writes)
            for name in written if step.name in self.kernel else ():
                size = self.plan.layouts[name].size_bytes if name in self.plan.layouts and name not in stays else 0
                found[self.kernel[step.name][0]] += size
        for one in self.subjects:
            if one.writer < 0:
                size = self.plan.layouts[one.buffer].size_bytes
                found[self.kernel[self.schedule.steps[one.readers[0]].name][0]] -= size
        return found

    def _offers(
        self, tied: list[bool], tasks: tuple[Task, ...], kinds: tuple[Kind, ...], maker: Offers
    ) -> tuple[Offered, ...]:
        """The offers for every subject; in long programs without those that gain little, so that of inputs they are
        never known to be all."""
        pairs = self._each(zip(tied, self.subjects, strict=True))
        found = tuple(maker.of(one, tasks, kinds) if here else Offered() for here, one in pairs)
        if len(tasks) <= LONG:
            return found
        least = MUCH * least_us(tasks, rates_of(self.problem.device))
        return tuple(
            Offered(tuple(offer for offer in own.offers if offer.gain_us >= least), own.whole and one.writer >= 0)
            if here
            else own
            for here, one, own in zip(tied, self.subjects, found, strict=True)
        )

    def _tied(self, one: Subject) -> bool:
        """True if a subject may be in LX at all: as written, or by a load into LX."""
        if one.loose:
            return False
        device = self.problem.device
        fits = self.plan.layouts[one.buffer].size_bytes <= device.lx_budget_bytes * device.cores
        return fits and (one.writer >= 0 or self.moves)

    def _roles(self, tied: list[bool]) -> tuple[list[Role], list[tuple[tuple[int, ...], tuple[int, ...]]]]:
        """Roles of all steps, and the items behind their names."""
        reads: dict[int, list[int]] = {}
        inputs: dict[int, list[int]] = {}
        writes: dict[int, int] = {}
        for number, one in enumerate(self.subjects):
            for reader in one.readers:
                if tied[number]:
                    reads.setdefault(reader, []).append(number)
                elif number in self.shared:
                    inputs.setdefault(reader, []).append(number)
            if one.writer >= 0 and tied[number]:
                writes[one.writer] = number
        roles, items = [], []
        for number in range(len(self.schedule.steps)):
            own = (*reads.get(number, ()), *((writes[number],) if number in writes else ()))
            other = tuple(inputs.get(number, ()))
            names = tuple(self.subjects[item].buffer for item in own)
            further = tuple(self.subjects[item].buffer for item in other)
            shared = frozenset(self.subjects[item].buffer for item in (*own, *other) if item in self.shared)
            roles.append(Role(names, len(own) - 1 if number in writes else -1, further, shared))
            items.append((own, other))
        return roles, items

    def _bare(self, one: Subject) -> Item:
        """An item that stays in device memory."""
        return Item(one.buffer, self.plan.layouts[one.buffer].size_bytes, one.writer, one.readers)

    def _item(
        self, one: Subject, tasks: tuple[Task, ...], kinds: tuple[Kind, ...], offers: tuple[Offer, ...], maker: Offers
    ) -> Item:
        made = self._bare(one)
        copies = tuple(offer.copy for offer in offers)
        pinned = "hbm" if self.problem.pins.placement.get(one.buffer) == "hbm" else ""
        if one.writer < 0:
            return replace(made, copies=copies, pinned=pinned)
        task = tasks[one.writer]
        if task.menu not in self.feet:
            self.feet[task.menu] = self._feet(one, kinds[one.writer])
        feet, parents = self.feet[task.menu], self._parents(one, task)
        return replace(
            made, feet=feet, output=one.output, out=maker.out(one), copies=copies, parents=parents, pinned=pinned
        )

    def _feet(self, one: Subject, kind: Kind) -> frozendict[int, int]:
        """Bytes per core by view as written, of views that fit and that a clone-out can carry away."""
        step, place = self.schedule.steps[one.writer], len(kind.menu.choices[0].views) - 1
        buffer, layout = self.schedule.buffers[one.buffer], self.plan.layouts[one.buffer]
        budget, found = self.problem.device.lx_budget_bytes, dict[int, int]()
        for choice, division in zip(kind.menu.choices, kind.divisions, strict=True):
            view = choice.views[place]
            if view == NOWHERE or view in found or self.kinds.views.bytes_per_core(view) > budget:
                continue
            if copy_cut(step.op, step.op.write, buffer, layout, division, replicated=False) is not None:
                found[view] = self.kinds.views.bytes_per_core(view)
        return frozendict(found)

    def _parents(self, one: Subject, task: Task) -> tuple[int, ...]:
        """Items that the writing step reads and whose place the result may take."""
        step = self.schedule.steps[one.writer]
        if step.op.kind is not OpKind.POINTWISE:
            return ()
        return tuple(
            item
            for place, item in enumerate(task.operands)
            if place != task.writes and may_take_over(step, self.subjects[item].buffer, self.schedule, self.plan)
        )
