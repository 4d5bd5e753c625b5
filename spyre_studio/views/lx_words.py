"""Words of the scratchpad view: tooltips of boxes and steps, and the line about the selected buffer.

Owns: the sentences. Refuses: Qt widgets, and facts that neither the occupancy nor the plan states.
"""

from __future__ import annotations

from html import escape
from typing import Final

from compiler.plan import ReasonCode
from compiler.reasons import REASONS
from spyre_studio.conflict_model import room_sentence
from spyre_studio.lx_room import Fit, StepRoom
from spyre_studio.lx_want import Want
from spyre_studio.occupancy import Occupancy, Outside, Resident
from spyre_studio.units import format_address, format_bytes, format_count, format_hex, format_percent

APART: Final = (ReasonCode.DIVISION_MISMATCH, ReasonCode.PARTIAL_SUMS)
_SHOW_APART: Final = "Who holds what, and what it costs"
FRAGMENTATION: Final = "1 − largest hole / free bytes: 0 % where all that is free lies together"


def box_hint(data: Occupancy, one: Resident) -> str:
    """Where, how large, how long, whose, for whom."""
    end = one.address + one.size - 1
    lines = [
        f"<b>{escape(one.name)}</b>",
        f"LX {escape(format_address(one.address, data.stick_bytes))} to {format_hex(end)}",
        f"{format_count(one.size)} B on each of {format_count(one.cores, 'core')}",
        f"steps {one.first} to {one.last}",
    ]
    if one.in_place_of:
        lines.append(f"in place of {escape(one.in_place_of)}")
    if one.producer:
        lines.append(f"made by {escape(one.producer)}")
    if one.consumers:
        more = f" and {len(one.consumers) - 6} more" if len(one.consumers) > 6 else ""
        lines.append("read by " + escape(", ".join(one.consumers[:6])) + more)
    return "<br>".join(lines)


def step_hint(data: Occupancy, core: int, step: int, room: StepRoom | None) -> str:
    """What is in use, and how what is free lies."""
    within = f" · kernel{data.kernel(step)}" if data.kernels else ""
    head = f"<b>step {step} · {escape(data.steps[step])}</b>{within}"
    used = f"{format_bytes(int(data.fill[core, step]))} in use on core {core}"
    if room is None:
        hole = data.largest_hole(core, step)
        return "<br>".join((head, used, f"largest hole {format_bytes(hole.size)} at {format_hex(hole.start)}"))
    free, share = int(room.free[step]), float(room.fragmentation[step])
    lines = (
        head,
        used,
        f"{format_bytes(free)} free in {format_count(int(room.holes[step]), 'hole')}",
        f"largest hole {format_bytes(int(room.largest[step]))} at {format_hex(int(room.start[step]))}",
        f"fragmentation {format_percent(share)} ({FRAGMENTATION})",
    )
    return "<br>".join(lines)


def carry_sentence(want: Want, fit: Fit | None, out: bool) -> str:
    """What dropping a buffer would do, in one line."""
    if out:
        return "Drop it outside the map to keep it in device memory"
    if want.barred:
        return f"No pin brings it into LX. {want.barred[:1].upper()}{want.barred[1:]}"
    if want.doubt:
        return f"It may be refused. {want.doubt[:1].upper()}{want.doubt[1:]}"
    if fit is None or not want.size:
        return "Drop it on the map to keep it in LX"
    lack = room_sentence(fit)
    if lack:
        return f"No room as things lie: {lack}"
    place = format_count(len(fit.fitting), "hole is", "holes are")
    return f"Drop it on the map to keep it in LX: {place} large enough"


def buffer_line(data: Occupancy, buffer: str) -> str:
    """One or two sentences about the selected buffer, in rich text."""
    if buffer in data.resident_map:
        return _resident_line(data.residents[data.resident_map[buffer]])
    if buffer in data.outside_map:
        return _outside_line(data.outside[data.outside_map[buffer]])
    count = format_count(len(data.residents), "buffer")
    return f"{count} in LX, {format_count(len(data.outside))} in device memory. Select one to follow it."


def _resident_line(one: Resident) -> str:
    taken = f", in place of {escape(one.in_place_of)}" if one.in_place_of else ""
    size = f"{format_bytes(one.size)} on each of {format_count(one.cores, 'core')}"
    where = f"<b>{escape(one.name)}</b> stays in LX at {format_hex(one.address)}"
    return f"{where}: {size}, steps {one.first} to {one.last}{taken}."


def _outside_line(one: Outside) -> str:
    reason = REASONS[ReasonCode(one.code)] if one.code else None
    if reason is None:
        return f"<b>{escape(one.name)}</b> lies in device memory."
    figures = f" ({escape(one.detail)})" if one.detail else ""
    why = escape(reason.sentence.removesuffix("."))
    link = f' <a href="apart">{_SHOW_APART}</a>' if reason.code in APART else ""
    return (
        f"<b>{escape(one.name)}</b> is in device memory: {escape(reason.title)}. {why}{figures}. "
        f"<b>To change:</b> {escape(reason.remedy)}{link}"
    )
