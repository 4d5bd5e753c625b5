"""Mend: an answer brought to do what pins ask for, in the way of another one that does.

Owns which tasks and items are taken over from there, as few as needed, and what goes out of LX because of that.
Refuses to make room: that is `demote`.
"""

from __future__ import annotations

from dataclasses import replace

from compiler.plan import EditKind
from compiler.solvers.joint.faults import pin_faults
from compiler.solvers.joint.price import written_view
from compiler.solvers.joint.problem import DEVICE, HOME, NOWHERE, Answer, JointProblem


def mended(problem: JointProblem, answer: Answer, guide: Answer) -> Answer:
    """The answer with what it does not do for pins done as in the `guide`, an answer without faults."""
    items, tasks = set[int](), set[int]()
    while problem.asking or problem.ties:
        made = _over(problem, answer, guide, items, tasks) if items or tasks else answer
        wanting = {number for number in problem.asking if any(pin_faults(problem, made, number))}
        broken = {task for tie in problem.ties if _broken(made, tie.tasks, tie.cuts) for task in tie.tasks}
        if wanting <= items and broken <= tasks:
            return made
        items |= wanting
        tasks |= broken.union(*(_ends(problem, number) for number in wanting if problem.items[number].held))
        tasks |= {other for task in list(tasks) if task in problem.tied for other in problem.tied[task][0].tasks}
    return answer


def _broken(answer: Answer, tasks: tuple[int, ...], cuts: tuple[tuple[int, ...], ...]) -> bool:
    return len({row[answer.choices[task]] for task, row in zip(tasks, cuts, strict=True)}) > 1


def _ends(problem: JointProblem, number: int) -> set[int]:
    item = problem.items[number]
    return {*item.readers, *((item.writer,) if item.writer >= 0 else ())}


def _over(problem: JointProblem, answer: Answer, guide: Answer, items: set[int], tasks: set[int]) -> Answer:
    """The answer with some items and tasks as in the guide; of the others what still holds."""
    choices = tuple(guide.choices[task] if task in tasks else choice for task, choice in enumerate(answer.choices))
    made = replace(answer, choices=choices)
    resident, out, served = list(answer.resident), list(answer.out), list(answer.served)
    for number, item in enumerate(problem.items):
        if number in items:
            resident[number], out[number], served[number] = (
                guide.resident[number],
                guide.out[number],
                guide.served[number],
            )
            continue
        if not (item.feet or item.copies):
            continue
        left = written_view(problem, made, number) if resident[number] else NOWHERE
        inside = left in item.feet
        ways = tuple(
            _way(problem, made, number, reader, way, left if inside else NOWHERE)
            for reader, way in zip(item.readers, served[number], strict=True)
        )
        near = [way == HOME or (way >= 0 and item.copies[way].kind is EditKind.RELAYOUT) for way in ways]
        inside = inside and (any(near) or not item.readers)
        resident[number], served[number] = inside, ways
        out[number] = inside and (item.output or not all(near))
    return Answer(choices, tuple(resident), tuple(out), tuple(served))


def _way(problem: JointProblem, made: Answer, number: int, reader: int, way: int, left: int) -> int:
    """The way of a reader if it still is one, else device memory."""
    place = problem.places[reader].get(number)
    if way == DEVICE or place is None:
        return DEVICE
    view = problem.tasks[reader].menu.choices[made.choices[reader]].views[place]
    if way == HOME:
        return HOME if left == view != NOWHERE else DEVICE
    copy = problem.items[number].copies[way]
    fits = copy.view == view and (copy.kind is not EditKind.RELAYOUT or left in copy.bills)
    return way if fits else DEVICE
