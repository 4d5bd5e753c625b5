"""Wants: what a buffer would ask of the scratchpad if it were pinned into it, and why a pin cannot bring it there.

Owns: its size on a core and its life in LX, what bars it for good, and what has to change first.  Refuses: Qt, and
saying how a re-solve ends: the passes say that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from compiler.compilation import Compilation
from compiler.coordinates import core_boxes
from compiler.copy_names import made_copies, source_of
from compiler.division import Division
from compiler.loops import OpKind
from compiler.pipelines import PIPELINES
from compiler.plan import ReasonCode, Slot, Spilled
from compiler.reasons import REASONS
from compiler.schedule import Schedule, Step
from spyre_studio.derived import Derived, buffers_of, schedule_of

_FOR_GOOD: Final = frozenset(
    {
        ReasonCode.OPAQUE_USER,
        ReasonCode.ACROSS_OPAQUE,
        ReasonCode.INDIRECT,
        ReasonCode.NOT_READ,
        ReasonCode.EMPTY,
        ReasonCode.ZERO_PADDED,
        ReasonCode.DEVICE_COPY,
        ReasonCode.CLONED_IN,
        ReasonCode.NO_CLONE,
    }
)
_BY_CLONES: Final = frozenset({ReasonCode.GRAPH_INPUT, ReasonCode.GRAPH_OUTPUT})
_AT_ONCE: Final = frozenset({ReasonCode.CAPACITY, ReasonCode.NOT_WORTH_IT, ReasonCode.UNWEIGHED, ReasonCode.AS_READ})
_ALSO: Final = "without the pin it would be there too: "


@dataclass(frozen=True, slots=True)
class Want:
    """`size`: bytes on each of `cores` cores, 0 where nothing tells; alive from step `first` to `last`.

    `barred`: why no pin can bring it into LX, '' if one may.  `doubt`: what has to change for that, '' for nothing.
    """

    buffer: str
    size: int
    first: int
    last: int
    cores: int
    barred: str = ""
    doubt: str = ""


def clones(pipeline: str) -> bool:
    """True if a pipeline, by name or spec, makes clones of inputs and outputs.

    >>> clones("staged"), clones("co-optimized"), clones("place-scratchpad{moves=yes}")
    (False, True, True)
    """
    return "moves=yes" in PIPELINES.get(pipeline, pipeline)


def bar_of(compilation: Compilation, buffer: str, pipeline: str) -> str:
    """Why no pin can bring a buffer into LX under a pipeline, '' if one may."""
    place = compilation.plan.placement.get(buffer)
    if place is None:
        return "this plan has no such buffer"
    if buffer in _copies_of(compilation):
        source = source_of(buffer, buffers_of(compilation))
        return f"the plan makes this copy by itself; pin {source or 'its source'} instead"
    if isinstance(place, Slot):
        return ""
    reason = REASONS[place.code]
    if place.code in _FOR_GOOD:
        return f"{reason.title}: {place.detail or reason.sentence.removesuffix('.')}"
    if place.code in _BY_CLONES and not clones(pipeline):
        return f"{reason.title}: it would need a clone, which the co-optimized pipeline makes, this one does not"
    return ""


def want_of(compilation: Compilation, buffer: str, pipeline: str) -> Want:
    """What a buffer asks for.  One that is in LX asks for what it has."""
    place, barred = compilation.plan.placement[buffer], bar_of(compilation, buffer, pipeline)
    if isinstance(place, Slot):
        boxes = next((one.boxes for one in compilation.program.tensors if one.name == buffer), ())
        return Want(buffer, place.size_bytes, place.first_step, place.last_step, max(len(boxes), 1), barred)
    users = _users(schedule_of(compilation), buffer)
    if not users:
        return Want(buffer, 0, 0, 0, 1, barred)
    writers = [step for step in users if any(write.buffer == buffer for write in step.op.writes)]
    sizes = [_bytes(compilation, step, buffer) for step in (writers or users)]
    cores = max(compilation.plan.divisions.get(step.name, Division()).cores for step in (writers or users))
    return Want(buffer, max(sizes), users[0].number, users[-1].number, cores, barred, _doubt(place))


@Derived
def _copies_of(compilation: Compilation) -> frozenset[str]:
    """Names of the copies that a plan makes by itself."""
    return made_copies(compilation.plan)


def _doubt(place: Spilled) -> str:
    """What stands in the way beside room, with its figures."""
    if place.code is ReasonCode.PINNED:
        also = place.detail.partition(_ALSO)[2]
        return "" if also.startswith("needs ") else also
    if place.code in _AT_ONCE:
        return ""
    return f"{REASONS[place.code].title}: {place.detail}"


def _users(schedule: Schedule, buffer: str) -> list[Step]:
    """Steps that read or write it, in order."""
    return [step for step in schedule.steps if any(access.buffer == buffer for access in step.op.accesses)]


def _bytes(compilation: Compilation, step: Step, buffer: str) -> int:
    """Bytes of the largest part of a buffer that a core writes, or reads where nothing writes it; 0 on the host."""
    if step.op.kind is OpKind.OPAQUE or buffer not in compilation.plan.layouts:
        return 0
    op, host = step.op, schedule_of(compilation).buffers[buffer]
    access = next(one for one in (*op.writes, *op.reads) if one.buffer == buffer)
    division = compilation.plan.divisions.get(step.name, Division())
    return int(core_boxes(op, access, host, compilation.plan.layouts[buffer], division).bytes.max())
