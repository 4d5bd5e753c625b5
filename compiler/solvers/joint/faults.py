"""Faults: what is wrong with an answer to a JointProblem, and the room that it takes.

Owns the rules of residence, of moves and of take-overs, and the load of LX at every tick.  Refuses addresses: an answer
without faults may still not pack, which `pack` finds out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from compiler.plan import EditKind
from compiler.solvers.joint.price import written_view
from compiler.solvers.joint.problem import DEVICE, HOME, NOWHERE, Answer, JointProblem


@dataclass(frozen=True, slots=True)
class Stay:
    """Something in LX: an item as written (`copy` HOME) or a copy of it; ticks from first to last, both included.

    `parent` is the stay whose place it takes over at its first tick: (item, copy).
    """

    item: int
    copy: int
    view: int
    foot_bytes: int
    first: int
    last: int
    parent: tuple[int, int] | None = None

    @property
    def key(self) -> tuple[int, int]:
        """Item and copy."""
        return self.item, self.copy


def faults(problem: JointProblem, answer: Answer) -> list[str]:
    """Sentences on what is not allowed; empty if the answer is."""
    found = [fault for number in range(len(problem.items)) for fault in _item_faults(problem, answer, number)]
    return [*_untied(problem, answer), *found] or list(_overfull(problem, answer))


def _untied(problem: JointProblem, answer: Answer) -> Iterator[str]:
    for tie in problem.ties:
        cut = [cuts[answer.choices[task]] for task, cuts in zip(tie.tasks, tie.cuts, strict=True)]
        for task, one in zip(tie.tasks, cut, strict=True):
            if one != cut[0]:
                yield f"{problem.tasks[task].name} is not cut like {problem.tasks[tie.tasks[0]].name}"


def _item_faults(problem: JointProblem, answer: Answer, number: int) -> Iterator[str]:
    item, inside = problem.items[number], answer.resident[number]
    if inside and (item.writer < 0 or not item.feet or written_view(problem, answer, number) not in item.feet):
        yield f"{item.name} cannot be in LX as it is written"
        return
    if answer.out[number] and not inside:
        yield f"{item.name} is cloned out of LX, where it is not"
    if item.output and inside and not answer.out[number]:
        yield f"{item.name} is an output in LX without a clone in device memory"
    yield from pin_faults(problem, answer, number)
    for reader, way in zip(item.readers, answer.served[number], strict=True):
        fault = _reader_fault(problem, answer, number, reader, way)
        if fault:
            yield f"{item.name} in {problem.tasks[reader].name}: {fault}"
    for place in answer.copies(number):
        copy = item.copies[place]
        if copy.kind is EditKind.RELAYOUT and (not inside or written_view(problem, answer, number) not in copy.bills):
            yield f"{item.name} cannot be relaid to view {copy.view} from where it is"


def pin_faults(problem: JointProblem, answer: Answer, number: int) -> Iterator[str]:
    """Pins of an item that an answer does not keep."""
    item, inside = problem.items[number], answer.resident[number]
    used = any(way != DEVICE for way in answer.served[number])
    if item.pinned == "hbm" and (inside or used):
        yield f"{item.name} is pinned to device memory"
    if item.pinned == "lx" and not (used or (inside and not item.readers)):
        yield f"{item.name} is pinned to LX"
    if item.ring and not any(item.copies[place].kind is EditKind.RELAYOUT for place in answer.copies(number)):
        yield f"{item.name} is pinned to go over the ring"


def _reader_fault(problem: JointProblem, answer: Answer, number: int, reader: int, way: int) -> str:
    item, inside = problem.items[number], answer.resident[number]
    abroad = not inside or answer.out[number]
    if way == DEVICE:
        return "" if abroad else "it is not in device memory"
    if number not in problem.places[reader]:
        return "it is loaded from device memory only"
    needed = problem.tasks[reader].menu.choices[answer.choices[reader]].views[problem.places[reader][number]]
    if way == HOME:
        meets = inside and needed != NOWHERE and needed == written_view(problem, answer, number)
        return "" if meets else "it is not at home"
    copy = item.copies[way]
    if copy.view != needed or reader not in copy.readers:
        return "the copy does not serve it"
    return "" if abroad or copy.kind is EditKind.RELAYOUT else "the copy has nothing in device memory to load"


def stays(problem: JointProblem, answer: Answer) -> tuple[Stay, ...]:
    """Everything in LX, with who takes over whose place."""
    found = {}
    for number, item in enumerate(problem.items):
        for one in (*_written(problem, answer, number), *_copied(problem, answer, number)):
            found[one.key] = one
        assert item.name
    return tuple(_with_parent(problem, answer, found, one) for one in found.values())


def _written(problem: JointProblem, answer: Answer, number: int) -> Iterator[Stay]:
    item = problem.items[number]
    if not answer.resident[number]:
        return
    first = 2 * item.writer + 1
    ends = [2 * reader + 1 for reader, way in zip(item.readers, answer.served[number], strict=True) if way == HOME]
    ends += [2 * item.copies[k].before for k in answer.copies(number) if item.copies[k].kind is EditKind.RELAYOUT]
    ends += [first + 1] if answer.out[number] else []
    view = written_view(problem, answer, number)
    yield Stay(number, HOME, view, item.feet[view], first, max(ends, default=first))


def _copied(problem: JointProblem, answer: Answer, number: int) -> Iterator[Stay]:
    item = problem.items[number]
    for place in answer.copies(number):
        copy = item.copies[place]
        last = max(reader for reader, way in zip(item.readers, answer.served[number], strict=True) if way == place)
        yield Stay(number, place, copy.view, copy.foot_bytes, 2 * copy.before, 2 * last + 1)


def _with_parent(problem: JointProblem, answer: Answer, found: dict[tuple[int, int], Stay], one: Stay) -> Stay:
    """A stay with the dying one whose place it takes over, if there is one."""
    for dying in leaving(problem, answer, found, one):
        return replace(one, parent=dying.key)
    return one


def leaving(problem: JointProblem, answer: Answer, found: Mapping[tuple[int, int], Stay], one: Stay) -> Iterator[Stay]:
    """Of the stays found, by key, those whose place another one may take over: they end in the step that writes it."""
    if one.copy != HOME:
        return
    task = problem.items[one.item].writer
    for parent in problem.items[one.item].parents:
        way = answer.served[parent][problem.items[parent].readers.index(task)]
        dying = found.get((parent, way))
        if dying is None or dying.last != one.first or dying.first >= one.first:
            continue
        if (dying.view, dying.foot_bytes) == (one.view, one.foot_bytes):
            yield dying


def loads(problem: JointProblem, answer: Answer) -> dict[int, int]:
    """Units of LX taken at every tick at which something is there; a place taken over counts once."""
    taken: dict[int, int] = {}
    for number, size in enumerate(problem.reserved):
        taken |= dict.fromkeys((2 * number, 2 * number + 1), problem.height(size))
    for one in stays(problem, answer):
        height = problem.height(one.foot_bytes)
        for tick in range(one.first + (one.parent is not None), one.last + 1):
            taken[tick] = taken.get(tick, 0) + height
    return taken


def _overfull(problem: JointProblem, answer: Answer) -> Iterator[str]:
    capacity = problem.capacity // problem.alignment
    for tick, taken in sorted(loads(problem, answer).items()):
        if taken > capacity:
            task = problem.tasks[min(tick // 2, len(problem.tasks) - 1)].name
            yield f"at {task} {taken * problem.alignment:,} B are in LX, which has {problem.capacity:,}"
            return
