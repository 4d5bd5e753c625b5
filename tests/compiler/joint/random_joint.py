"""Random joint problems: small ones with everything in them that a rule or a price speaks of.

Owns their shapes: chains, branches that meet again, residual reads, inputs with several readers, outputs, take-overs,
relayouts that start from some views only, clone-ins and reloads, equal steps that share a menu, several kernels, ties.
Refuses solving.  A byte here takes a thousand times as long as on the device, so that LX of a few units matters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random

from frozendict import frozendict

from compiler.plan import EditKind
from compiler.solvers.joint.problem import (
    DEVICE,
    NOWHERE,
    Bill,
    Choice,
    Copy,
    Item,
    JointProblem,
    Load,
    Menu,
    Rates,
    Task,
)
from tests.compiler.joint.realistic_joint import realistic_joint

__all__ = ["random_joint", "realistic_joint"]

UNIT = 128
PARTS = (4, 4, 2, 1)  # cores that share a buffer, by view
SLOW = Rates(0.15, 5.74)
DEAR = 6.0
"""Microseconds that are more than any step saves by writing to LX, bytes apart."""

Kind = tuple[bool, int]
"""Of an operand: whether it is loaded from outside of the kernel, and its bytes."""


@dataclass(frozen=True, slots=True)
class Kinds:
    """What of a task decides its menu: its reads, the bytes it writes, and what it touches that never is in LX."""

    reads: tuple[Kind, ...]
    written: tuple[int, ...]
    loose: tuple[Kind, ...]


@dataclass(slots=True)
class Draft:
    """A program while it is drawn: what every task reads and writes, and what is known of the items.

    `loose` are items that never are in LX.  `plain`: moves cost what they cost in programs.
    """

    rng: Random
    kernels: list[int]
    plain: bool
    sizes: list[int] = field(default_factory=list)
    writers: list[int] = field(default_factory=list)
    loose: set[int] = field(default_factory=set)
    reads: list[tuple[int, ...]] = field(default_factory=list)
    written: list[int] = field(default_factory=list)
    menus: dict[Kinds, Menu] = field(default_factory=dict)

    def item(self, size: int, writer: int = -1, loose: bool = False) -> int:
        """Number of a new item."""
        self.sizes.append(size)
        self.writers.append(writer)
        number = len(self.sizes) - 1
        self.loose |= {number} if loose else set()
        return number

    def readers(self, item: int) -> tuple[int, ...]:
        """Tasks that read an item."""
        return tuple(number for number, read in enumerate(self.reads) if item in read)

    def outside(self, item: int, task: int) -> bool:
        """True if an item comes from outside of the kernel of a task."""
        return self.writers[item] < 0 or self.kernels[self.writers[item]] != self.kernels[task]

    def kinds(self, task: int) -> Kinds:
        """What decides the menu of a task."""
        tied = tuple((self.outside(item, task), self.sizes[item]) for item in self.tied(task))
        loose = tuple((self.outside(item, task), self.sizes[item]) for item in self.reads[task] if item in self.loose)
        written = self.written[task]
        return Kinds(tied, () if written in self.loose else (self.sizes[written],), loose)

    def tied(self, task: int) -> tuple[int, ...]:
        """What a task reads that may be in LX."""
        return tuple(item for item in self.reads[task] if item not in self.loose)


def random_joint(
    seed: int, tasks: int = 6, choices: int = 3, pins: float = 0.0, part: bool = False, plain: bool = False
) -> JointProblem:
    """A problem of so many tasks with up to `choices` divisions each; `pins` is the share of items that are pinned.

    Without pins the first division of each task with everything in device memory is allowed.  A `part` of a program has
    a base for its kernels, and others in LX.  `plain`: clone-ins share no load, and no clone-out is cheaper than to
    write to device memory at once.
    """
    rng = Random(f"joint {seed}")
    cuts = rng.choice((0, 0, 0, 1, 2))
    places = sorted(rng.randrange(1, max(2, tasks)) for _ in range(cuts))
    draft = Draft(rng, [sum(place <= number for place in places) for number in range(tasks)], plain)
    _program(draft, tasks)
    tasks_of = tuple(_task(draft, number, choices) for number in range(tasks))
    items = tuple(_item(draft, tasks_of, number, pins) for number in range(len(draft.sizes)))
    problem = JointProblem(tasks_of, items, _capacity(rng, items), UNIT, SLOW)
    return _part(rng, problem) if part else problem


def _part(rng: Random, problem: JointProblem) -> JointProblem:
    """The same with a rest of the program around it."""
    base = frozendict(
        (kernel, Bill(rng.uniform(0, 9), rng.choice((0.0, 1.5)), rng.uniform(0, 9), 0.5, rng.randrange(999), 500))
        for kernel in problem.kernels
    )
    reserved = tuple(rng.choice((0, 0, rng.randint(0, problem.capacity))) for _ in problem.tasks)
    return replace(problem, base=base, reserved=reserved)


def _program(draft: Draft, tasks: int) -> None:
    """Who reads and writes what."""
    rng = draft.rng
    sizes = [UNIT * rng.randint(1, 12) + rng.choice((0, 0, 0, -40)) for _ in range(rng.choice((1, 2, 2, 3)))]
    inputs = [draft.item(rng.choice(sizes), loose=rng.random() < 0.2) for _ in range(rng.randint(1, 2))]
    made: list[int] = []
    for number in range(tasks):
        found = [made[-1]] if made and rng.random() < 0.8 else [rng.choice(inputs)]
        if made and rng.random() < 0.45:
            found.append(rng.choice(made))
        if rng.random() < 0.3:
            found.append(rng.choice(inputs))
        draft.reads.append(tuple(dict.fromkeys(found)))
        draft.written.append(draft.item(rng.choice(sizes), number, rng.random() < 0.06))
        made.append(draft.written[-1])


def _task(draft: Draft, number: int, choices: int) -> Task:
    kinds = draft.kinds(number)
    if kinds not in draft.menus:
        draft.menus[kinds] = _menu(draft.rng, kinds, draft.rng.randint(1, choices))
    reads, written = draft.tied(number), draft.written[number]
    ends = () if written in draft.loose else (written,)
    loose = tuple(item for item in draft.reads[number] if item in draft.loose and draft.outside(item, number))
    place = len(reads) if ends else -1
    return Task(f"t{number}", (*reads, *ends), place, draft.menus[kinds], draft.kernels[number], loose)


def _menu(rng: Random, kinds: Kinds, count: int) -> Menu:
    coarse, work = rng.random() < 0.5, rng.randint(1, 12)
    return Menu(tuple(_choice(rng, kinds, coarse, work) for _ in range(count)))


def _choice(rng: Random, kinds: Kinds, coarse: bool, work: int) -> Choice:
    common, count = rng.randrange(len(PARTS)), len(kinds.reads) + len(kinds.written)
    views = tuple(_drawn_view(rng, common) for _ in range(count))
    fan = PARTS[common] if rng.random() < 0.7 else rng.choice(PARTS)
    alone = Bill(
        compute_us=_rounded(work * rng.choice((1, 2)) / fan, coarse),
        fused_us=_rounded(rng.uniform(0, 3), coarse) if rng.random() < 0.2 else 0.0,
        serial_us=_rounded(rng.uniform(0, 1), coarse) if rng.random() < 0.2 else 0.0,
        written_bytes=0 if kinds.written else UNIT * work,
    )
    place = count
    for outside, size in kinds.loose:
        alone = _plus(alone, _away(rng, (outside, size), place, coarse))
        place += outside
    extras = [(_away(rng, kind, place, coarse), _near(rng, coarse)) for place, kind in enumerate(kinds.reads)]
    for size in kinds.written:
        extras.append((Bill(memory_us=_sometimes(rng, coarse), written_bytes=size), _near(rng, coarse)))
    knot = _rounded(rng.uniform(0, 2), coarse) if rng.random() < 0.2 else 0.0
    return Choice(views, tuple(_bill(alone, extras, bits, knot) for bits in range(1 << count)))


def _drawn_view(rng: Random, common: int) -> int:
    drawn = rng.random()
    if drawn < 0.08:
        return NOWHERE
    return rng.randrange(len(PARTS)) if drawn < 0.25 else common


def _rounded(value: float, coarse: bool) -> float:
    return round(value * 2) / 2 if coarse else round(value, 3)


def _sometimes(rng: Random, coarse: bool) -> float:
    return _rounded(rng.uniform(0, 2), coarse) if rng.random() < 0.3 else 0.0


def _away(rng: Random, kind: Kind, place: int, coarse: bool) -> Bill:
    """What a read out of device memory adds."""
    outside, size = kind
    delivery, burst = _sometimes(rng, coarse), _sometimes(rng, coarse)
    if outside:
        return Bill(loads=(Load(place, size, delivery, burst, rng.choice((0.0, 0.0, 0.0, 0.1))),))
    return Bill(memory_us=delivery, serial_us=burst, read_bytes=size)


def _near(rng: Random, coarse: bool) -> Bill:
    """What an operand in LX adds."""
    return Bill(compute_us=_rounded(rng.uniform(0, 1), coarse) if rng.random() < 0.15 else 0.0)


def _bill(alone: Bill, extras: Sequence[tuple[Bill, Bill]], bits: int, knot: float) -> Bill:
    """The sum of what the operands add; `knot` comes on top where two or more are in LX, which is not a sum."""
    found = alone
    for place, pair in enumerate(extras):
        found = _plus(found, pair[bits >> place & 1])
    return _plus(found, Bill(compute_us=knot, memory_us=knot / 2)) if bits.bit_count() > 1 else found


def _plus(one: Bill, other: Bill) -> Bill:
    return Bill(
        one.compute_us + other.compute_us,
        max(one.fused_us, other.fused_us),
        one.memory_us + other.memory_us,
        one.serial_us + other.serial_us,
        one.read_bytes + other.read_bytes,
        one.written_bytes + other.written_bytes,
        one.loads + other.loads,
    )


def foot(size: int, view: int) -> int:
    """Bytes per core of a buffer under a view."""
    return -(-size // PARTS[view])


def _item(draft: Draft, tasks: tuple[Task, ...], number: int, pins: float) -> Item:
    rng, size, writer, readers = draft.rng, draft.sizes[number], draft.writers[number], draft.readers(number)
    if number in draft.loose:
        return Item(f"i{number}", size, writer, readers)
    feet: dict[int, int] = {}
    parents: tuple[int, ...] = ()
    if writer >= 0:
        feet = {view: foot(size, view) for view in _views(tasks[writer], number)} if rng.random() < 0.85 else {}
        near = [item for item in draft.tied(writer) if draft.sizes[item] == size]
        parents = tuple(item for item in near if rng.random() < 0.7)
    out = Bill(written_bytes=size, serial_us=rng.choice((0.0, 0.5)) + DEAR * draft.plain)
    copies = tuple(_copies(draft, tasks, number))
    found = Item(f"i{number}", size, writer, readers, frozendict(feet), False, out, copies, parents)
    ends = writer >= 0 and (not readers or rng.random() < 0.1)
    return replace(found, output=ends, pinned=rng.choice(("lx", "hbm")) if rng.random() < pins else "")


def _views(task: Task, item: int) -> tuple[int, ...]:
    """Views of an item in the menu of a task, NOWHERE left out."""
    place = task.operands.index(item)
    return tuple(sorted({choice.views[place] for choice in task.menu.choices} - {NOWHERE}))


def _copies(draft: Draft, tasks: tuple[Task, ...], number: int) -> list[Copy]:
    """Relayouts of what is computed, clone-ins of inputs, reloads of what was sent out."""
    rng, readers, writer = draft.rng, draft.readers(number), draft.writers[number]
    wanted = {view for reader in readers for view in _views(tasks[reader], number)}
    found: list[Copy] = []
    for view in sorted(wanted):
        served = tuple(reader for reader in readers if view in _views(tasks[reader], number))
        if writer >= 0 and rng.random() < 0.5:
            found += _relayout(draft, tasks[writer], number, view, served)
        loaded = served[rng.randrange(len(served)) :] if rng.random() < 0.3 or writer >= 0 else served
        if rng.random() < (0.7 if writer < 0 else 0.3):
            found.append(_clone(draft, number, view, loaded))
    return found


def _relayout(draft: Draft, writer: Task, number: int, view: int, served: tuple[int, ...]) -> list[Copy]:
    rng, size = draft.rng, draft.sizes[number]
    starts = [start for start in _views(writer, number) if start != view and rng.random() < 0.75]
    bills = frozendict((start, Bill(serial_us=rng.randint(1, 8) / 4)) for start in starts)
    later = served[-1:] if rng.random() < 0.2 else served
    return [Copy(EditKind.RELAYOUT, view, foot(size, view), later[0], later, bills)] if bills else []


def _clone(draft: Draft, number: int, view: int, served: tuple[int, ...]) -> Copy:
    rng, size = draft.rng, draft.sizes[number]
    load = Load(0, size, rng.choice((0.0, 0.5)), rng.choice((0.0, 0.0, 1.0)))
    shared = draft.outside(number, served[0]) and not draft.plain
    bill = Bill(loads=(load,)) if shared else Bill(read_bytes=size, serial_us=load.burst_us)
    return Copy(EditKind.CLONE_IN, view, foot(size, view), served[0], served, frozendict({DEVICE: bill}))


def _capacity(rng: Random, items: tuple[Item, ...]) -> int:
    """Room for one buffer, for a few, or for all."""
    heights = sorted(-(-size // UNIT) for item in items for size in item.feet.values()) or [1]
    middle, whole = heights[len(heights) // 2], sum(max(item.feet.values(), default=0) for item in items) // UNIT
    return UNIT * rng.choice((middle, heights[-1], 2 * middle, 2 * middle + 1, 3 * middle, max(1, whole)))
