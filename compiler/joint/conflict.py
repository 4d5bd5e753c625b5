"""Conflict: which pins of a joint problem can be kept together, the first ones first, before anything is searched.

Owns what a pin asks of the problem, the ground in which only those ask that can be kept, an answer that keeps them all,
and who is told why not.  The words for that are `compiler.joint.clashes`.  Refuses to look for a good answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from frozendict import frozendict

from compiler.division_ground import free_steps
from compiler.equal_divisions import Bonds
from compiler.joint.clashes import Clashes, no_ring
from compiler.joint.ground import Ground, Pause, ground_of
from compiler.joint.kept import kept_of
from compiler.joint.ties import tied, ties_of
from compiler.plan import EditKind, Plan
from compiler.problem import Problem
from compiler.solvers.joint.demands import Asked, Demand, asked_of
from compiler.solvers.joint.judge import trivial
from compiler.solvers.joint.keeping import Keeping
from compiler.solvers.joint.mend import mended
from compiler.solvers.joint.pack import Clash, pack
from compiler.solvers.joint.problem import Answer, JointProblem
from compiler.solvers.joint.seating import Seating

Wants = dict[str, Demand]
"""Keys of pins and what they ask for, in the order in which they come first."""


@dataclass(frozen=True, slots=True)
class Settled:
    """A ground whose pins can all be kept, a sentence by key on each of the others, and an answer that keeps them."""

    ground: Ground
    refused: frozendict[str, str]
    guide: Answer

    def starts(self, answers: Iterable[Answer]) -> list[Answer]:
        """Answers that do what pins ask for: the given ones, as far as they can be brought to that, and the guide."""
        made = [mended(self.ground.problem, one, self.guide) for one in answers]
        return list(dict.fromkeys([*made, self.guide]))


def settled(problem: Problem, plan: Plan, moves: bool = True, pause: Pause = lambda: None) -> Settled:
    """The ground of a plan with layouts, edits and divisions, and what became of its pins.  Raises what `pause`
    raises."""
    schedule = kept_of(problem, plan).setting.schedule
    free = free_steps(plan, schedule.steps)
    seed, bonds = tied(problem, plan, schedule, free)
    return settle(problem, ground_of(problem, seed, free, moves, pause), free, bonds, moves)


def settle(problem: Problem, ground: Ground, free: frozenset[str], bonds: Bonds, moves: bool = True) -> Settled:
    """What of the pins of a ground can be kept.  `free` are steps that no pin divides, `bonds` equal divisions that can
    be kept by themselves."""
    refused = {key: status.detail for key, status in bonds.refused.items()}
    clashes = Clashes(problem, ground, free, moves)
    wants: Wants = {f"placement:{name}": demand for name, demand in _inside(problem, ground)}
    absent = [
        name for name, place in problem.pins.placement.items() if place == "lx" and f"placement:{name}" not in wants
    ]
    refused |= {f"placement:{name}": why for name in absent if (why := clashes.absent(name))}
    for pair in bonds.pairs:
        wants[f"same:{pair[0]}"] = Demand(tie=ties_of([pair], ground)[0])
    for name, way in problem.pins.relayout.items():
        if name not in ground.schedule.buffers:
            continue
        item = _ring_item(ground, name)
        if way == "ring" and item >= 0 and not ground.problem.items[item].pinned:
            wants[f"relayout:{name}"] = Demand(item, ring=True)
        elif way == "ring":
            refused[f"relayout:{name}"] = no_ring(problem, ground, name, moves)
    while True:
        kept, found, told = _kept(ground.problem, wants, clashes)
        made = _with_pins(ground, [wants[key] for key in kept], bonds, kept)
        guide = _guide(ground.problem, found)
        packed = pack(made.problem, guide)
        refused |= told
        if not isinstance(packed, Clash):
            return Settled(made, frozendict(refused), guide)
        late = _latest(packed, {key: wants[key] for key in kept})
        refused[late] = clashes.no_addresses(packed, late)
        wants = {key: wants[key] for key in kept if key != late}


Found = tuple[Asked, Answer] | None


def _kept(problem: JointProblem, wants: Wants, clashes: Clashes) -> tuple[list[str], Found, dict[str, str]]:
    """The keys of the pins that are kept, the answer of the part that they are about, and sentences on the others."""
    if not wants:
        return [], None, {}
    keys = list(wants)
    asked = asked_of(problem, list(wants.values()))
    keeping = Keeping(asked)
    taken, answer = keeping.kept()
    told = {
        keys[late]: clashes.sentence(wants, [keys[one] for one in crowd], keys[late])
        for late, crowd in keeping.clashes.items()
    }
    return [keys[one] for one in taken], (asked, answer), told


def _guide(problem: JointProblem, found: Found) -> Answer:
    return trivial(problem) if found is None else found[0].widened(found[1], trivial(problem))


def _inside(problem: Problem, ground: Ground) -> Iterable[tuple[str, Demand]]:
    """Of every buffer pinned to LX the item that is asked for: the first that can be there in some way."""
    for name, place in problem.pins.placement.items():
        if place != "lx":
            continue
        able = [number for number, one in enumerate(ground.subjects) if one.buffer == name]
        able = [number for number in able if ground.problem.items[number].feet or ground.problem.items[number].copies]
        seated = (number for number in able if _has_seat(ground.problem, number))
        if able:
            yield name, Demand(next(seated, able[0]))


def _has_seat(problem: JointProblem, item: int) -> bool:
    return bool(Seating(asked_of(problem, [Demand(item)])).seats(0, ring=False))


def _ring_item(ground: Ground, name: str) -> int:
    """The item of a buffer that a relayout may move, -1 if there is none."""
    for number, one in enumerate(ground.subjects):
        copies = ground.problem.items[number].copies
        if one.buffer == name and any(copy.kind is EditKind.RELAYOUT for copy in copies):
            return number
    return -1


def _with_pins(ground: Ground, demands: list[Demand], bonds: Bonds, kept: list[str]) -> Ground:
    """The ground with what these demands ask for."""
    items = list(ground.problem.items)
    for demand in demands:
        if demand.tie is None:
            one = items[demand.item]
            items[demand.item] = replace(one, ring=True) if demand.ring else replace(one, pinned="lx")
    pairs = [pair for pair in bonds.pairs if f"same:{pair[0]}" in kept]
    return replace(ground, problem=replace(ground.problem, items=tuple(items), ties=ties_of(pairs, ground)))


def _latest(clash: Clash, wants: Wants) -> str:
    """The last one of the pins whose items have no addresses."""
    items = {stay.item for stay in clash.stays}
    return [key for key, demand in wants.items() if demand.item in items][-1]
