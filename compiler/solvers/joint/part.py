"""Parts: some tasks of a JointProblem as a problem of their own.

Owns the two ways of cutting.  `window` keeps all that lies outside as it is decided: items that reach outside are
settled, and what they take of LX is reserved.  `block` lets all that lies outside be anything: what it asks and takes
is left out, so that no answer of the whole costs the block less than its own optimum.  Refuses to solve.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from frozendict import frozendict

from compiler.plan import EditKind
from compiler.solvers.joint.faults import Stay
from compiler.solvers.joint.price import written_view
from compiler.solvers.joint.problem import DEVICE, HOME, Answer, Bill, Choice, Item, JointProblem, Menu, Task, Tie

Settled = tuple[tuple[int, int | None], ...]
"""Per operand: -1 if it is open, else its bit, and the view that it has to have (None: any)."""
OPEN = -1
MOST_OUTSIDE = 8
"""Tasks outside a window that an item may have to do with and still be decided in it."""


@dataclass(slots=True)
class Menus:
    """Menus cut down, kept so that equal cuts of equal menus are one object."""

    _known: dict[tuple[int, object], tuple[Menu, Menu, tuple[int, ...]]] = field(default_factory=dict)

    def settled(
        self, menu: Menu, how: Settled, dropped: frozenset[int], only: tuple[int, ...] | None = None
    ) -> tuple[Menu, tuple[int, ...]]:
        """A menu with some operands settled, without loads of `dropped` places; and the choices that are left, of some
        `only` if they are given."""
        key = (id(menu), (how, dropped, only))
        if key not in self._known:
            numbers = range(len(menu.choices)) if only is None else only
            kept = [n for n in numbers if _fits(menu.choices[n], how)]
            made = Menu(tuple(_settled(menu.choices[n], how, dropped) for n in kept))
            self._known[key] = menu, made, tuple(kept)
        return self._known[key][1:]

    def source(self, views: tuple[int, ...]) -> Menu:
        """What writes an item under any of these views, for nothing."""
        key = (0, views)
        if key not in self._known:
            made = Menu(tuple(Choice((view,), (Bill(), Bill())) for view in views))
            self._known[key] = made, made, ()
        return self._known[key][1]


def _fits(choice: Choice, how: Settled) -> bool:
    return all(view is None or choice.views[place] == view for place, (bit, view) in enumerate(how) if bit != OPEN)


def _settled(choice: Choice, how: Settled, dropped: frozenset[int]) -> Choice:
    free = [place for place, (bit, _) in enumerate(how) if bit == OPEN]
    gone = [place for place, (bit, _) in enumerate(how) if bit != OPEN]
    fixed = sum(bit << place for place, (bit, _) in enumerate(how) if bit > 0)
    bills = []
    for mask in range(1 << len(free)):
        whole = fixed | sum((mask >> order & 1) << place for order, place in enumerate(free))
        bills.append(_moved(choice.bills[whole], len(how), free, gone, dropped))
    return Choice(tuple(choice.views[place] for place in free), tuple(bills))


def _moved(bill: Bill, operands: int, free: list[int], gone: list[int], dropped: frozenset[int]) -> Bill:
    """A bill whose loads count the operands that are left, then those that are settled, then the inputs."""
    order = {place: number for number, place in enumerate((*free, *gone))}
    loads = tuple(
        replace(load, operand=order.get(load.operand, load.operand))
        for load in bill.loads
        if load.operand not in dropped
    )
    assert operands == len(order)
    return replace(bill, loads=loads)


@dataclass(frozen=True, eq=False)
class Part:
    """A problem cut out of another one: where its tasks (-1: made up) and items come from, and per task the choices of
    the whole that its choices stand for.  `constant_us` is what was left out of it."""

    problem: JointProblem
    tasks: tuple[int, ...]
    items: tuple[int, ...]
    choices: tuple[tuple[int, ...], ...]
    copies: tuple[tuple[int, ...], ...]

    def narrowed(self, answer: Answer) -> Answer:
        """What an answer of the whole says of this part; made-up tasks have their first choice, and of settled items
        nothing is said."""
        choices = tuple(
            kept.index(answer.choices[task]) if task >= 0 else 0
            for task, kept in zip(self.tasks, self.choices, strict=True)
        )
        mine = [self.open(number) for number in range(len(self.items))]
        resident = tuple(answer.resident[item] and here for item, here in zip(self.items, mine, strict=True))
        out = tuple(answer.out[item] and here for item, here in zip(self.items, mine, strict=True))
        served = []
        for number, item in enumerate(self.items):
            if not mine[number]:
                served.append((DEVICE,) * len(self.problem.items[number].readers))
                continue
            order = {old: new for new, old in enumerate(self.copies[number])}
            ways = dict(zip(self._readers[item], answer.served[item], strict=True))
            wanted = (ways[self.tasks[reader]] for reader in self.problem.items[number].readers)
            served.append(tuple(order.get(way, way) for way in wanted))
        return Answer(choices, resident, out, tuple(served))

    _readers: frozendict[int, tuple[int, ...]] = field(default_factory=frozendict)

    def widened(self, answer: Answer, part: Answer) -> Answer:
        """The answer of the whole with this part decided anew."""
        choices, resident, out = list(answer.choices), list(answer.resident), list(answer.out)
        served = list(answer.served)
        for task, kept, choice in zip(self.tasks, self.choices, part.choices, strict=True):
            if task >= 0:
                choices[task] = kept[choice]
        for number, item in enumerate(self.items):
            if not self.open(number):
                continue
            resident[item], out[item] = part.resident[number], part.out[number]
            ways = part.served[number]
            served[item] = tuple(self.copies[number][way] if way >= 0 else way for way in ways)
        return Answer(tuple(choices), tuple(resident), tuple(out), tuple(served))

    def open(self, number: int) -> bool:
        """True if an item of the part is decided there."""
        return bool(self.problem.items[number].feet or self.problem.items[number].copies)


def window(problem: JointProblem, answer: Answer, first: int, last: int, stays: tuple[Stay, ...], menus: Menus) -> Part:
    """Tasks from `first` to before `last`, all else being as the answer says.

    Items that reach outside are decided as well, unless that would take many tasks outside, which keep their choice.
    """
    touched = sorted({item for task in problem.tasks[first:last] for item in task.touched})
    opened = _without_kin({item for item in touched if _near(problem.items[item], first, last)}, stays)
    tasks = sorted({*range(first, last), *(end for item in opened for end in _ends(problem.items[item]))})
    at = {task: place for place, task in enumerate(tasks)}
    touched = sorted({item for task in tasks for item in problem.tasks[task].touched})
    numbers = {item: number for number, item in enumerate(touched)}
    made, choices = [], []
    for number in tasks:
        only = _only(problem, answer, number, first, last)
        task, kept = _cut_task(problem, answer, number, opened, menus, only, at, numbers)
        made.append(task)
        choices.append(kept)
    items = tuple(_item(problem, item, at, opened, numbers) for item in touched)
    reserved = _reserved(stays, opened, tasks, problem.alignment)
    within = {number: at[number] for number in range(first, last)}
    ties = _ties(problem, within, dict(zip(tasks, choices, strict=True)))
    cut = replace(problem, tasks=tuple(made), items=items, reserved=reserved, base=frozendict(), ties=ties)
    copies = tuple(tuple(range(len(item.copies))) for item in items)
    readers = frozendict((item, problem.items[item].readers) for item in touched)
    return Part(cut, tuple(tasks), tuple(touched), tuple(choices), copies, readers)


def _cut_task(
    problem: JointProblem,
    answer: Answer,
    number: int,
    opened: set[int],
    menus: Menus,
    only: tuple[int, ...] | None,
    at: dict[int, int],
    numbers: dict[int, int],
) -> tuple[Task, tuple[int, ...]]:
    """A task with its settled operands taken out, and the choices it is left with."""
    task = problem.tasks[number]
    how = tuple(_how(problem, answer, number, place, item in opened) for place, item in enumerate(task.operands))
    dropped = frozenset(
        place
        for place, item in enumerate(task.touched)
        if any(reader not in at for reader in problem.items[item].readers)
    )
    menu, kept = menus.settled(task.menu, how, dropped, only)
    free = [item for item in task.operands if item in opened]
    gone = [item for item in task.operands if item not in opened]
    operands = tuple(numbers[item] for item in free)
    writes = len(free) - 1 if task.writes >= 0 and task.operands[task.writes] in opened else -1
    inputs = tuple(numbers[item] for item in (*gone, *task.inputs))
    return Task(task.name, operands, writes, menu, task.kernel, inputs), kept


def _only(problem: JointProblem, answer: Answer, number: int, first: int, last: int) -> tuple[int, ...] | None:
    """The choices of a task that a window may look at: all of its own tasks, but for ties that reach outside."""
    present = answer.choices[number]
    if not first <= number < last:
        return (present,)
    tie, cuts = problem.tied.get(number, (None, ()))
    if tie is None or all(first <= task < last for task in tie.tasks):
        return None
    return tuple(choice for choice, cut in enumerate(cuts) if cut == cuts[present])


def _ties(problem: JointProblem, at: dict[int, int], kept: dict[int, tuple[int, ...]]) -> tuple[Tie, ...]:
    """The ties between tasks of a part; of those that reach outside nothing is left here."""
    return tuple(
        Tie(
            tuple(at[task] for task in tie.tasks),
            tuple(tuple(cuts[c] for c in kept[task]) for task, cuts in zip(tie.tasks, tie.cuts, strict=True)),
        )
        for tie in problem.ties
        if all(task in at for task in tie.tasks)
    )


def _ends(item: Item) -> tuple[int, ...]:
    """Tasks that have to do with an item; an input in device memory has no writer."""
    return (*((item.writer,) if item.writer >= 0 else ()), *item.readers, *(copy.before for copy in item.copies))


def _near(item: Item, first: int, last: int) -> bool:
    """True if an item can be decided in a window: few of its ends are outside, and not far."""
    outside = [end for end in _ends(item) if not first <= end < last]
    far = last - first
    near = all(first - far <= end < last + far for end in outside)
    return bool(item.feet or item.copies) and len(set(outside)) <= MOST_OUTSIDE and near


def _without_kin(items: set[int], stays: tuple[Stay, ...]) -> set[int]:
    """Without those that take over a place from outside, or give it there."""
    pairs = [(one.item, one.parent[0]) for one in stays if one.parent is not None]
    while True:
        left = {item for item in items if all((a in items) == (b in items) for a, b in pairs if item in (a, b))}
        if left == items:
            return left
        items = left


def _how(problem: JointProblem, answer: Answer, number: int, place: int, free: bool) -> tuple[int, int | None]:
    """How an operand is settled."""
    if free:
        return OPEN, None
    task = problem.tasks[number]
    item = task.operands[place]
    if place == task.writes:
        return (1, written_view(problem, answer, item)) if answer.resident[item] else (0, None)
    way = answer.served[item][problem.items[item].readers.index(number)]
    if way == DEVICE:
        return 0, None
    return 1, written_view(problem, answer, item) if way == HOME else problem.items[item].copies[way].view


def _item(problem: JointProblem, number: int, at: dict[int, int], opened: set[int], numbers: dict[int, int]) -> Item:
    item = problem.items[number]
    readers = tuple(at[reader] for reader in item.readers if reader in at)
    writer = at.get(item.writer, -1)
    if number not in opened:
        return Item(item.name, item.size_bytes, writer, readers)
    parents = tuple(numbers[parent] for parent in item.parents if parent in opened)
    copies = tuple(
        replace(copy, before=at[copy.before], readers=tuple(at[reader] for reader in copy.readers))
        for copy in item.copies
    )
    return replace(item, writer=writer, readers=readers, copies=copies, parents=parents)


def _reserved(stays: tuple[Stay, ...], opened: set[int], tasks: list[int], alignment: int) -> tuple[int, ...]:
    """Bytes that stays of other items take between each task and the one before it, at the worst tick."""
    first = 2 * tasks[0]
    taken = [0] * (2 * tasks[-1] + 2 - first)
    for one in stays:
        if one.item in opened:
            continue
        height = -(-one.foot_bytes // alignment) * alignment
        start = one.first + (one.parent is not None)
        for tick in range(max(start, first), min(one.last, first + len(taken) - 1) + 1):
            taken[tick - first] += height
    found, start = [], first
    for task in tasks:
        found.append(max(taken[start - first : 2 * task + 2 - first]))
        start = 2 * task + 2
    return tuple(found)


def block(problem: JointProblem, first: int, last: int, menus: Menus) -> Part:
    """Tasks from `first` to before `last`, all else being free to be anything and free of charge."""
    touched = sorted({item for task in problem.tasks[first:last] for item in task.touched})
    outside = [item for item in touched if problem.items[item].feet and not first <= problem.items[item].writer < last]
    shift = len(outside) - first
    numbers = {item: number for number, item in enumerate(touched)}
    tasks = [
        Task(
            "", (numbers[item],), 0, menus.source(tuple(sorted(problem.items[item].feet))), problem.tasks[first].kernel
        )
        for item in outside
    ]
    choices: list[tuple[int, ...]] = [() for _ in outside]
    for number in range(first, last):
        task = problem.tasks[number]
        dropped = frozenset(
            place
            for place, item in enumerate(task.touched)
            if any(not first <= r < last for r in problem.items[item].readers)
        )
        menu, kept = menus.settled(task.menu, ((OPEN, None),) * len(task.operands), dropped)
        operands, inputs = (tuple(numbers[item] for item in table) for table in (task.operands, task.inputs))
        tasks.append(Task(task.name, operands, task.writes, menu, task.kernel, inputs))
        choices.append(kept)
    items, copies = [], []
    for item in touched:
        made, kept_copies = _loose(problem.items[item], first, last, shift, numbers)
        items.append(replace(made, writer=outside.index(item)) if item in outside else made)
        copies.append(kept_copies)
    at = {number: number + shift for number in range(first, last)}
    ties = _ties(problem, at, {number: choices[place] for number, place in at.items()})
    cut = replace(problem, tasks=tuple(tasks), items=tuple(items), base=frozendict(), reserved=(), ties=ties)
    origin = (*(-1 for _ in outside), *range(first, last))
    readers = frozendict((item, problem.items[item].readers) for item in touched)
    return Part(cut, origin, tuple(touched), tuple(choices), tuple(copies), readers)


def _loose(item: Item, first: int, last: int, shift: int, numbers: dict[int, int]) -> tuple[Item, tuple[int, ...]]:
    """An item as a block sees it: what others do with it costs nothing and asks for nothing; pins hold only within."""
    mine = first <= item.writer < last
    whole = all(first <= end < last for end in _ends(item))
    readers = tuple(reader + shift for reader in item.readers if first <= reader < last)
    shared = item.writer < 0 and len(readers) < len(item.readers)  # loaded once for all blocks, clones or not
    copies, kept = [], []
    for number, copy in enumerate(item.copies):
        served = tuple(reader + shift for reader in copy.readers if first <= reader < last)
        if not served:
            continue
        here = replace(copy, before=max(copy.before, first) + shift, readers=served)
        if copy.before < first:  # made long ago: what it was made from may have left LX since
            here = replace(here, kind=EditKind.CLONE_IN, bills=frozendict({DEVICE: Bill()}))
        elif shared:
            here = replace(here, bills=frozendict((view, Bill()) for view in copy.bills))
        copies.append(here)
        kept.append(number)
    parents = tuple(numbers[parent] for parent in item.parents if parent in numbers) if mine else ()
    made = replace(
        item,
        writer=item.writer + shift if mine else -1,
        readers=readers,
        output=item.output and mine,
        out=item.out if mine else Bill(),
        copies=tuple(copies),
        parents=parents,
        pinned=item.pinned if whole or item.pinned == "hbm" else "",
        ring=item.ring and whole,
    )
    return made, tuple(kept)
