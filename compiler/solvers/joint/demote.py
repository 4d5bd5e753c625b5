"""Demote: an answer that asks for too much room made to fit, by giving up what is worth least.

Owns the choice of who leaves LX.  Refuses to improve anything else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from compiler.plan import EditKind
from compiler.solvers.joint.faults import Stay, faults, loads, stays
from compiler.solvers.joint.problem import DEVICE, HOME, Answer, JointProblem


def fitting(problem: JointProblem, answer: Answer, among: Iterable[tuple[int, int]] | None = None) -> Answer | None:
    """The answer with as many stays given up as its faults demand; with `among`, one of these at least.

    None if what is left is not allowed, say by a pin.
    """
    if among is not None:
        wanted = set(among)
        crowd = [one for one in stays(problem, answer) if one.key in wanted and not problem.items[one.item].held]
        if not crowd:
            return None
        answer = without(problem, answer, _least(problem, crowd))
    while True:
        tick = _worst(problem, answer)
        if tick is None:
            return None if faults(problem, answer) else answer
        crowd = [one for one in stays(problem, answer) if one.first <= tick <= one.last]
        crowd = [one for one in crowd if not problem.items[one.item].held]
        if not crowd:
            return None
        answer = without(problem, answer, _least(problem, crowd))


def _worst(problem: JointProblem, answer: Answer) -> int | None:
    capacity = problem.capacity // problem.alignment
    over = [(-taken, tick) for tick, taken in loads(problem, answer).items() if taken > capacity]
    return min(over)[1] if over else None


def _least(problem: JointProblem, crowd: list[Stay]) -> Stay:
    """Who is worth least for the room and the time that it takes."""

    def worth(one: Stay) -> tuple[float, int, int]:
        item = problem.items[one.item]
        room = max(1, one.foot_bytes) * (one.last - one.first + 1)
        return item.size_bytes * (1 + len(item.readers)) / room, one.item, one.copy

    return min(crowd, key=worth)


def without(problem: JointProblem, answer: Answer, one: Stay) -> Answer:
    """The answer without a stay: its readers go to device memory, and with an item its relayouts go as well."""
    item = problem.items[one.item]
    gone = {one.copy}
    if one.copy == HOME:
        gone |= {place for place, copy in enumerate(item.copies) if copy.kind is EditKind.RELAYOUT}
    ways = tuple(DEVICE if way in gone else way for way in answer.served[one.item])
    inside = answer.resident[one.item] and one.copy != HOME
    out = inside and (answer.out[one.item] or DEVICE in ways)
    return replace(
        answer,
        resident=_put(answer.resident, one.item, inside),
        out=_put(answer.out, one.item, out),
        served=(*answer.served[: one.item], ways, *answer.served[one.item + 1 :]),
    )


def _put(values: tuple[bool, ...], place: int, value: bool) -> tuple[bool, ...]:
    return (*values[:place], value, *values[place + 1 :])
