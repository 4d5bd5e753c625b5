"""Conflicts: pins of a place that a plan could not keep, who is in the way, by how much, and what would help.

Owns: telling them from the plan's own verdict on each pin, and the nearest remedies as things that can be done.
Refuses: Qt, doing any of it, and another verdict than the plan's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from compiler.compilation import Compilation
from compiler.pins import PinState, PinStatus
from compiler.plan import EditKind, ReasonCode, Spilled
from compiler.reasons import NO_REMEDY, REASONS
from spyre_studio.derived import schedule_of
from spyre_studio.lx_room import Fit, fit_of
from spyre_studio.lx_want import Want, clones, want_of
from spyre_studio.occupancy import Occupancy, occupancy_of
from spyre_studio.units import format_bytes

Deed = Literal["unpin", "evict", "buffer", "op", "step", "apart", "clones"]
_NAMED = 3  # buffers in the way that are named
_OFFERED = 2  # buffers that are offered to leave
_APART = (ReasonCode.DIVISION_MISMATCH, ReasonCode.PARTIAL_SUMS)
_CLONED = (ReasonCode.GRAPH_INPUT, ReasonCode.GRAPH_OUTPUT)


@dataclass(frozen=True, slots=True)
class Remedy:
    """Something to do about a conflict: what, with which op, buffer or step, in words, and more words on hover."""

    deed: Deed
    target: str
    words: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A pin of `buffer` to `where` that was adjusted or refused.  `blockers` are in the way at `step` (-1: no step)."""

    buffer: str
    where: str
    state: PinState
    sentence: str
    blockers: tuple[str, ...]
    step: int
    remedies: tuple[Remedy, ...]


def conflicts_of(compilation: Compilation) -> tuple[Conflict, ...]:
    """Pins of a place that this plan did not keep as they are, in the order of the pins."""
    pins, told = compilation.problem.pins, compilation.plan.pins
    missed = ((name, where, told.get(f"placement:{name}")) for name, where in pins.placement.items())
    return tuple(
        _conflict(compilation, name, where, status)
        for name, where, status in missed
        if status is not None and status.state is not PinState.HONOURED
    )


def room_sentence(fit: Fit, need_known: bool = True) -> str:
    """Why there is no room: 'needs 64 KiB on each core in steps 3 to 7; at step 5 the largest hole has 40 KiB, 24 KiB
    too few; there lie a (32 KiB), b (8 KiB)'."""
    if not need_known or not fit.lacking:
        return ""
    life = f"in step {fit.first}" if fit.first == fit.last else f"in steps {fit.first} to {fit.last}"
    head = f"needs {format_bytes(fit.need)} on each core {life}"
    if fit.largest >= fit.need:
        most = max((hole.size for hole in fit.holes), default=0)
        lack = f"no hole stays free all that time: the largest that does has {format_bytes(most)}"
    else:
        short = format_bytes(fit.need - fit.largest)
        lack = f"at step {fit.step} the largest hole has {format_bytes(fit.largest)}, {short} too few"
    named = ", ".join(f"{one.name} ({format_bytes(one.size)})" for one in fit.blockers[:_NAMED])
    more = f" and {len(fit.blockers) - _NAMED} more" if len(fit.blockers) > _NAMED else ""
    return f"{head}; {lack}" + (f"; there lie {named}{more}" if named else "")


def _conflict(compilation: Compilation, name: str, where: str, status: PinStatus) -> Conflict:
    place = compilation.plan.placement.get(name)
    if place is None:  # a pin of a buffer that the model does not have, or not any more
        return Conflict(name, where, status.state, status.detail, (), -1, (_unpin(name),))
    code = place.code if isinstance(place, Spilled) else None
    if code is ReasonCode.CAPACITY and where == "lx":
        return _crowded(compilation, name, status)
    remedies = [*_other_ways(compilation, name, code), _unpin(name)]
    return Conflict(name, where, status.state, status.detail, (), -1, tuple(remedies))


def _crowded(compilation: Compilation, name: str, status: PinStatus) -> Conflict:
    """No room: who is there, and who could leave."""
    data, want = occupancy_of(compilation), want_of(compilation, name, compilation.plan.pipeline)
    fit = fit_of(data, name, want.size, (want.first, want.last), want.cores)
    sentence = room_sentence(fit, want.size > 0)
    if not sentence or want.size > data.budget:
        ways = [*_writer(compilation, name, "Divide"), _unpin(name)]
        return Conflict(name, "lx", status.state, status.detail, (), -1, tuple(ways))
    ways = [*_leaving(compilation, data, want, fit), *_writer(compilation, name, "Spread")]
    step = Remedy("step", str(fit.step), f"Go to step {fit.step}", "Where the room is least")
    named = tuple(one.name for one in fit.blockers[:_NAMED])
    return Conflict(name, "lx", status.state, sentence, named, fit.step, (*ways, step, _unpin(name)))


def _leaving(compilation: Compilation, data: Occupancy, want: Want, fit: Fit) -> Iterator[Remedy]:
    """Buffers each of which makes room by leaving alone: those that a pin holds there first, then the smallest."""
    pinned = compilation.problem.pins.placement
    life = (want.first, want.last)
    alone = [
        one for one in fit.blockers if not fit_of(data, want.buffer, want.size, life, want.cores, {one.name}).lacking
    ]
    ordered = sorted(alone, key=lambda one: (pinned.get(one.name) != "lx", one.size))
    for one in ordered[:_OFFERED]:
        hint = f"{format_bytes(one.size)} on each core that would be free in its place"
        if pinned.get(one.name) == "lx":
            yield Remedy("unpin", one.name, f"Unpin {one.name}", hint)
        else:
            yield Remedy("evict", one.name, f"Keep {one.name} in device memory", hint)


def _other_ways(compilation: Compilation, name: str, code: ReasonCode | None) -> Iterator[Remedy]:
    """What helps where room is not what lacks."""
    for edit in compilation.plan.edits:
        if edit.source == name and edit.kind is EditKind.CLONE_IN:
            yield Remedy("buffer", edit.target, f"Go to its clone {edit.target}")
    if code is None:
        return
    if code in _APART:
        yield Remedy("apart", name, "Who holds what", "Which core holds and which needs which part")
    if code in _CLONED and not clones(compilation.plan.pipeline):
        yield Remedy("clones", "co-optimized", "Plan with co-optimized", "The pipeline that weighs clones")
    if not REASONS[code].remedy.startswith(NO_REMEDY):
        yield from _writer(compilation, name, "Go to")


def _writer(compilation: Compilation, name: str, verb: str) -> Iterator[Remedy]:
    """The op that makes the buffer, where it can be divided otherwise."""
    steps = schedule_of(compilation).steps
    writer = next((step.name for step in steps if any(write.buffer == name for write in step.op.writes)), "")
    if writer:
        hint = "Spread it over more cores, and each holds less" if verb != "Go to" else "The op that makes it"
        yield Remedy("op", writer, f"{verb} {writer}", hint)


def _unpin(name: str) -> Remedy:
    return Remedy("unpin", name, f"Unpin {name}", "Let the compiler decide where it lies")
