"""Clashes: why pins cannot be kept together, in words: who, how many bytes, at which step, and what would help.

Owns the two kinds of clash: there is no room, or no core finds its part.  Remedies are tried before they are named
(`compiler.joint.remedies`).  Refuses to say that something is impossible without saying what stands in its way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from compiler.division import Division
from compiler.division_ground import OPEN
from compiler.division_menu import legal_divisions
from compiler.eligibility import Scene, judge, scene_of
from compiler.joint.arrivals import Arrivals, arrives
from compiler.joint.ground import Ground
from compiler.joint.pins import with_remedy
from compiler.joint.remedies import NAMED, Remedies, cores_for, few, listed, tiles
from compiler.joint.subjects import Subject
from compiler.liveness import lifetimes
from compiler.loops import BufferKind
from compiler.plan import ReasonCode, Spilled
from compiler.problem import Problem
from compiler.relayouts import edge_fault, is_product, ring_fault
from compiler.solvers.joint.demands import Asked, Demand, asked_of
from compiler.solvers.joint.faults import Stay, loads, stays
from compiler.solvers.joint.pack import Clash
from compiler.solvers.joint.problem import HOME, NOWHERE, Answer
from compiler.solvers.joint.seating import Seating

AT_HOME = "every reader finds its part at home already"


@dataclass(slots=True)
class Clashes:
    """Words on the pins of a ground; steps of `free` are divided by no pin."""

    problem: Problem
    ground: Ground
    free: frozenset[str]
    moves: bool
    _scene: Scene | None = None

    def sentence(self, wants: Mapping[str, Demand], crowd: Sequence[str], late: str) -> str:
        """Why a pin cannot be kept beside a crowd of others, none of which can be left out of that."""
        keys = [*crowd, late]
        asked = asked_of(self.ground.problem, [wants[key] for key in keys])
        least = Seating(asked).least(range(len(keys)))
        if least and least[0] * asked.problem.alignment <= asked.problem.capacity:
            return f"no way was found to keep {late} beside the pins before it" + (
                f"; unpin {crowd[-1]}" if crowd else ""
            )
        why = self._crowded(asked, *least) if least else self._apart(asked, crowd, late)
        remedies = Remedies(self.problem, self.ground, self.free, self.moves, asked)
        advice = remedies.found(keys, room=least is not None)
        return f"{why}. {advice}" if advice else why

    # Room

    def _crowded(self, asked: Asked, units: int, answer: Answer) -> str:
        """Who is in LX at the fullest tick, with how many bytes."""
        part = asked.problem
        taken = loads(part, answer)
        worst = max(taken, key=lambda tick: (taken[tick], -tick))
        there = [one for one in stays(part, answer) if one.first + (one.parent is not None) <= worst <= one.last]
        there.sort(key=lambda one: (-one.foot_bytes, one.key))
        said = [f"{self._name(asked, one)} {one.foot_bytes:,} B" for one in there[:NAMED]]
        if len(there) > NAMED:
            rest = sum(one.foot_bytes for one in there[NAMED:])
            said.append(f"{len(there) - NAMED} more buffers {rest:,} B")
        lack = (units - part.capacity // part.alignment) * part.alignment
        at = part.tasks[min(worst // 2, len(part.tasks) - 1)].name
        pinned = self._pinned([asked.tasks[part.items[one.item].writer] for one in there if one.copy == HOME])
        because = f" ({listed(pinned)})" if pinned else ""
        need = "need" if len(said) > 1 else "needs"
        return (
            f"{listed(said)} per core {need} to be in LX at {at}{because}: "
            f"{lack:,} B are lacking, as it has {part.capacity:,} B"
        )

    def absent(self, name: str) -> str:
        """Why a buffer that a pin wants in LX is in no way of any step to be there; empty if rules say that."""
        if name not in self.ground.schedule.buffers:
            return ""
        if arrives(self.ground.schedule, name):
            return Arrivals(self.problem, self.ground, self.free).refusal(name, self.moves)
        return self.too_large(name) or self._barred(name)

    def too_large(self, name: str) -> str:
        """How many bytes a computed buffer takes that has no room in LX even alone; empty if that is not the reason."""
        items, subjects = self.ground.problem.items, enumerate(self.ground.subjects)
        mine = [number for number, one in subjects if one.buffer == name and one.writer >= 0 and not one.loose]
        if not mine or items[mine[0]].feet:
            return ""
        writer, capacity = self.ground.subjects[mine[0]].writer, self.ground.problem.capacity
        least = self._least(writer, name)
        if least <= capacity:
            return ""
        pinned = self._pinned([writer])
        because = f" ({listed(pinned)})" if pinned else ""
        asked = asked_of(self.ground.problem, [Demand(mine[0])])
        advice = Remedies(self.problem, self.ground, self.free, self.moves, asked).found([""], room=True)
        if not advice and not self._is_fixed(writer):
            advice = cores_for(self.problem, self.ground, writer, name)
        advice = advice or tiles(self.problem.device, [self.ground.schedule.steps[writer].name])
        why = f"{name} takes {least:,} B per core at least{because}: {least - capacity:,} B are lacking"
        return f"{why}, as LX has {capacity:,} B. {advice}"

    def _least(self, writer: int, name: str) -> int:
        """The fewest bytes per core that a step leaves of a buffer, under the divisions that it may have."""
        step, layout = self.ground.schedule.steps[writer], self.ground.plan.layouts[name]
        buffer, views, device = self.ground.schedule.buffers[name], self.ground.views, self.problem.device
        divisions = self.ground.kinds[writer].divisions
        if not self._is_fixed(writer):
            divisions = legal_divisions(step, self.ground.schedule, self.ground.plan.layouts, device)
        seen = [views.written(step.op, step.op.write, buffer, layout, division) for division in divisions]
        sizes = [views.bytes_per_core(view) for view in seen if view != NOWHERE]
        return min(sizes, default=-(-layout.size_bytes // device.cores))

    def _name(self, asked: Asked, one: Stay) -> str:
        name = asked.problem.items[one.item].name
        if one.copy == HOME:
            return name
        return (
            f"the copy of {name} for {asked.problem.tasks[asked.problem.items[one.item].copies[one.copy].before].name}"
        )

    def no_addresses(self, clash: Clash, late: str) -> str:
        """Bytes that fit but lie in each other's way."""
        items = self.ground.problem.items
        names = list(dict.fromkeys(items[one.item].name for one in clash.stays))
        tasks = self.ground.problem.tasks
        first, last = (tasks[min(tick // 2, len(tasks) - 1)].name for tick in (clash.first, clash.last))
        when = f"at {first}" if first == last else f"from {first} to {last}"
        others = [f"placement:{name}" for name in names if f"placement:{name}" != late]
        return (
            f"{listed(few(names))} {when}: their {clash.asked_bytes:,} B per core are no more than the "
            f"{clash.capacity:,} B of LX, and yet there are no addresses at which none has to move. "
            f"Unpin {listed(few(others or [late]), 'or')}"
        )

    # Views

    def _apart(self, asked: Asked, crowd: Sequence[str], late: str) -> str:
        """Whose divisions do not go together."""
        part = asked.problem
        demand = asked.demands[-1]
        pinned = self._pinned(asked.tasks)
        if demand.tie is not None or crowd:
            names = [self._wish(asked, one) for one in asked.demands]
            shared = self._shared(asked)
            between = f" of {listed(few(shared), 'or')}" if shared else ""
            because = f"{listed(pinned)}, and " if pinned else ""
            return f"{because}no division{between} suits {listed(names)} at the same time"
        item = part.items[demand.item]
        able = [reader for reader in item.readers if demand.item in part.places[reader]]
        readers = listed(few([part.tasks[reader].name for reader in able]), "or")
        if not pinned or not able or not item.feet:
            return self._barred(item.name)
        lead = f"{listed(pinned)}: "
        if (
            item.writer >= 0
            and self._is_fixed(asked.tasks[item.writer])
            and all(self._is_fixed(asked.tasks[r]) for r in able)
        ):
            return f"{lead}no core of {readers} finds its part of {item.name} at home"
        return f"{lead}no division of the other side lets a core of {readers} find its part of {item.name} at home"

    def _wish(self, asked: Asked, demand: Demand) -> str:
        part = asked.problem
        if demand.tie is not None:
            one, other = (part.tasks[task].name for task in demand.tie.tasks)
            return f"{one} divided like {other}"
        name = part.items[demand.item].name
        return f"{name} over the ring" if demand.ring else f"{name} in LX"

    def _shared(self, asked: Asked) -> list[str]:
        """Steps that several of the demands have to do with."""
        seen: dict[int, int] = {}
        for demand in asked.demands:
            tasks = demand.tie.tasks if demand.tie is not None else _ends(asked, demand.item)
            for task in set(tasks):
                seen[task] = seen.get(task, 0) + 1
        return [asked.problem.tasks[task].name for task in sorted(seen) if seen[task] > 1]

    def _barred(self, name: str) -> str:
        """Why a buffer cannot be in LX whatever is pinned."""
        if arrives(self.ground.schedule, name):
            return Arrivals(self.problem, self.ground, self.free).refusal(name, self.moves)
        self._scene = self._scene or scene_of(self.problem.program, self.ground.plan)
        verdict = rule_against(self._scene, name)
        if verdict is not None and verdict.code is ReasonCode.NOT_READ:
            return self._unread(name)
        if verdict is not None and verdict.code not in OPEN:
            return with_remedy(verdict)
        schedule = self.ground.schedule
        readers = [step.name for step in schedule.steps if any(read.buffer == name for read in step.op.reads)]
        return f"under no division does a core of {listed(few(readers), 'or')} find its part of {name} at home"

    def _unread(self, name: str) -> str:
        """That nobody would find a buffer in LX."""
        writer = lifetimes(self.ground.schedule)[name].writes[0]
        division = self._division(writer)
        step, layout = self.ground.schedule.steps[writer], self.ground.plan.layouts[name]
        view = self.ground.views.written(step.op, step.op.write, self.ground.schedule.buffers[name], layout, division)
        size = f" ({self.ground.views.bytes_per_core(view):,} B per core under {division})" if view != NOWHERE else ""
        host = any(output.buffer == name for output in self.ground.schedule.outputs)
        goal = "in device memory for the host, and " if host else ""
        return f"{step.name} writes {name}{size} {goal}no step reads it, so that in LX it would serve nobody"

    # Divisions

    def _is_fixed(self, task: int) -> bool:
        return self.ground.problem.tasks[task].name not in self.free

    def _pinned(self, tasks: Sequence[int]) -> list[str]:
        """`a is pinned to m 8`, `b to n 8`."""
        fixed = [task for task in dict.fromkeys(tasks) if self._is_fixed(task)]
        said = [f"{self.ground.problem.tasks[task].name} {{}} {self._division(task)}" for task in fixed]
        return [one.format("is pinned to" if number == 0 else "to") for number, one in enumerate(said)]

    def _division(self, task: int) -> Division:
        return self.ground.kinds[task].divisions[0]


def rule_against(scene: Scene, name: str) -> Spilled | None:
    """The rule that keeps a computed buffer out of LX, whether the host fetches it or not: a clone can go out."""
    verdict = judge(replace(scene, outputs=frozenset()), name)
    return verdict if isinstance(verdict, Spilled) else None


def _ends(asked: Asked, number: int) -> tuple[int, ...]:
    item = asked.problem.items[number]
    return (*((item.writer,) if item.writer >= 0 else ()), *item.readers)


def no_ring(problem: Problem, ground: Ground, name: str, moves: bool) -> str:
    """Why nothing can move a buffer over the ring."""
    if problem.pins.placement.get(name) == "hbm":
        return f"{name} is pinned to device memory, and the ring moves only what is in LX"
    if not moves:
        return "this pipeline makes no moves; use co-optimize with moves=yes"
    found = [one for one in ground.subjects if one.buffer == name and one.writer >= 0]
    if not found:
        buffer = ground.schedule.buffers[name]
        if buffer.kind is not BufferKind.COMPUTED:
            return f"{name} arrives in device memory, and the ring moves only what is in LX"
        verdict = rule_against(scene_of(problem.program, ground.plan), name)
        return with_remedy(verdict) if verdict is not None else f"no step reads {name} where its writer could leave it"
    faults = list(dict.fromkeys(_ring_faults(problem, ground, found[0])))
    return next((fault for fault in faults if fault != AT_HOME), AT_HOME)


def _ring_faults(problem: Problem, ground: Ground, one: Subject) -> list[str]:
    """What the gates say to every reader: on the edge, else for the first divisions that differ."""
    device, layout, found = problem.device, ground.plan.layouts[one.buffer], []
    number = ground.subjects.index(one)
    left = _views(ground, one.writer, number)
    for reader in one.readers:
        ends = ground.schedule.steps[one.writer], ground.schedule.steps[reader]
        fault = edge_fault(device, layout, one.buffer, ends, ground.schedule.buffers)
        if fault:
            found.append(fault)
            continue
        boxes, product = ground.views.boxes, is_product(ends[1])
        pairs = [(a, b) for a in left[:NAMED] for b in _views(ground, reader, number)[:NAMED] if a != b]
        said = [ring_fault(device, layout, boxes[a], boxes[b], product) for a, b in pairs]
        found.append(next((text for text in said if text), AT_HOME))
    return found


def _views(ground: Ground, task: int, item: int) -> list[int]:
    """The views that a task can have of an item."""
    place = ground.problem.places[task].get(item)
    if place is None:
        return []
    return [view for view in ground.problem.tasks[task].menu.by_view[place] if view != NOWHERE]
