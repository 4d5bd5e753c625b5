"""Facts of ops and buffers in the words of the window: where data lies, why, and what would change that.

Owns: short phrases made of a plan. Refuses: Qt and any fact that the plan does not state.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from compiler.compilation import Compilation
from compiler.graph import TensorType
from compiler.layout import Arrangement, StickLayout
from compiler.loops import BufferKind
from compiler.pins import PinStatus
from compiler.plan import Edit, Placement, Slot
from compiler.reasons import REASONS
from compiler.schedule import Schedule, Step
from spyre_studio.edit_words import keeps_place, target_text, word
from spyre_studio.units import format_bytes, format_hex, format_shape

Fate = Literal["lx", "hbm", "move"]


@dataclass(frozen=True, slots=True)
class AccessFact:
    """A read or a write of a step: the buffer, what it is, where it lies ('lx', 'hbm', or a 'move' made it)."""

    buffer: str
    shape: str
    fate: Fate
    where: str
    note: str


def subline(compilation: Compilation, step: Step) -> str:
    """'aten.bmm · model.py:88 · kernel0 · step 38'."""
    origin = step.op.origin
    kernel = next((one.name for one in compilation.plan.kernels if step.name in one.steps), "")
    what = word(step.edit.kind) if step.edit is not None else origin.target or str(step.op.kind)
    return " · ".join(part for part in (what, origin.source, kernel, f"step {step.number}") if part)


def accesses(compilation: Compilation, schedule: Schedule, step: Step) -> tuple[tuple[AccessFact, ...], ...]:
    """The reads and the writes of a step, a buffer once in each."""
    moves = {edit.target: edit for edit in compilation.plan.edits}
    reads = tuple(dict.fromkeys(access.buffer for access in step.op.reads))
    writes = tuple(dict.fromkeys(access.buffer for access in step.op.writes))
    return tuple(
        tuple(_access(compilation, schedule, name, moves.get(name)) for name in names) for names in (reads, writes)
    )


def _access(compilation: Compilation, schedule: Schedule, name: str, move: Edit | None) -> AccessFact:
    place, buffer = compilation.plan.placement[name], schedule.buffers[name]
    moved = move is not None and not keeps_place(move.kind)
    fate: Fate = "lx" if isinstance(place, Slot) else "move" if moved else "hbm"
    where = f"LX {format_hex(place.address)}" if isinstance(place, Slot) else "device memory"
    note = place_note(place) if move is None else target_text(move)
    return AccessFact(name, f"{buffer.dtype} {format_shape(buffer.shape)}", fate, where, note)


def place_note(place: Placement) -> str:
    """'in place of q', 'steps 3 to 7', 'divided differently'."""
    if not isinstance(place, Slot):
        return REASONS[place.code].title
    return f"in place of {place.in_place_of}" if place.in_place_of else f"steps {place.first_step} to {place.last_step}"


def place_sentence(place: Placement) -> str:
    """One sentence on where a buffer lies, with the reason if it is not LX."""
    if isinstance(place, Slot):
        end = place.address + place.size_bytes - 1
        size = f"{format_bytes(place.size_bytes)} on every owning core"
        span = f"{format_hex(place.address)} to {format_hex(end)}"
        return f"In LX, {span}: {size}, steps {place.first_step} to {place.last_step}."
    reason = REASONS[place.code]
    figures = f" ({place.detail})" if place.detail else ""
    return f"In device memory: {reason.title}. {reason.sentence.removesuffix('.')}{figures}."


def remedy(place: Placement) -> str:
    """What would make it resident, '' for a buffer that is."""
    return "" if isinstance(place, Slot) else REASONS[place.code].remedy


def tensor_text(schedule: Schedule, name: str) -> str:
    """'f16[4,512,64] · computed'."""
    buffer = schedule.buffers[name]
    kind = "" if buffer.kind is BufferKind.COMPUTED else f" · {buffer.kind}"
    return f"{TensorType(buffer.dtype, buffer.shape)}{kind}"


def layout_sentence(layout: StickLayout, shape: tuple[int, ...]) -> str:
    """How the tensor is cut: '16 × 512 sticks of 64 along dim 2; padding 0 B'."""
    if layout.sparse:
        cut = f"every element alone in a stick of {layout.elements_per_stick}"
    else:
        cut = f"sticks of {layout.elements_per_stick} along dim {layout.stick_dim}, {shape[layout.stick_dim]:,} long"
    arranged = "" if layout.arrangement is Arrangement.STANDARD else f", {layout.arrangement} order"
    return f"{cut}{arranged}"


def pin_sentence(status: PinStatus | None, solved: bool) -> str:
    """What became of a pin: 'Pinned.', 'Pin adjusted: …', 'Pin refused: …', 'Pin not solved yet.'."""
    if not solved or status is None:
        return "Pin not solved yet."
    if not status.detail:
        return f"Pin {status.state}."
    return f"Pin {status.state}: {status.detail}."
