"""The layouts a buffer could have, as people read them: rows, what may be pinned and why not, what became of a pin.

Owns: the words of the list of candidate layouts and the pins that choosing one makes.  Refuses: Qt, and finding
candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compiler.compilation import Compilation
from compiler.layout import SPARSE, Arrangement
from compiler.layout_candidate import UNKNOWN, LayoutCandidate
from compiler.loops import BufferKind, LoopProgram
from compiler.pins import Pins, PinState, PinStatus
from spyre_studio.buffer_facts import pin_sentence
from spyre_studio.pin_change import with_layout, with_order, without
from spyre_studio.theme import Tone
from spyre_studio.units import UNKNOWN as DASH
from spyre_studio.units import format_bytes, format_count, format_percent, format_shape, format_us_below

_WORDS: dict[PinState, tuple[str, Tone]] = {
    PinState.HONOURED: ("pinned", "accent"),
    PinState.ADJUSTED: ("pin adjusted", "warn"),
    PinState.REFUSED: ("pin refused", "bad"),
}


@dataclass(frozen=True, slots=True)
class PinNote:
    """What became of the pins of a buffer's layout: a word with its tone, and a sentence; all '' without a pin."""

    word: str = ""
    tone: Tone = "mute"
    sentence: str = ""


def title_of(one: LayoutCandidate) -> str:
    """'dim 1', 'sparse'; 'dim 1 ab' where a cast wove sticks together, which the picture calls a and b."""
    layout = one.layout
    if layout.sparse:
        return "sparse" if layout.dim_order else "one value"
    return f"dim {layout.stick_dim}" + (" ab" if layout.arrangement is not Arrangement.STANDARD else "")


def elements_text(count: object) -> str:
    """Restickified elements, a dash where nobody worked them out."""
    return format_count(count) if isinstance(count, int) and count != UNKNOWN else DASH


def us_text(microseconds: object) -> str:
    """Their time in a column headed µs."""
    if isinstance(microseconds, int | float) and microseconds != UNKNOWN:
        return format_us_below(microseconds)
    return DASH


def bytes_text(count: object) -> str:
    """A size in a cell."""
    return format_bytes(count) if isinstance(count, int) else DASH


def share_text(share: object) -> str:
    """A share in a cell."""
    return format_percent(share) if isinstance(share, float) else DASH


def detail_of(one: LayoutCandidate) -> str:
    """One candidate in full: device size and dim order, why it is not possible or what the graph then moves."""
    layout = one.layout
    head = f"Device size {format_shape(layout.device_size)}, dim order {format_shape(layout.dim_order)}"
    if not one.legal:
        return f"{head}. Not possible: {one.why_not}."
    moved = _moved(one.alone_elements, one.alone_us)
    then = _moved(one.follow_elements, one.follow_us)
    if one.chosen:
        return f"{head}. Chosen: the graph moves {moved}."
    parts = [f"If only this changes, the graph moves {moved}"] if moved else []
    parts += [f"if everything follows, {then}"] if then else []
    return f"{head}. {'; '.join(parts)}." if parts else f"{head}."


def _moved(elements: int, microseconds: float) -> str:
    if elements == UNKNOWN:
        return ""
    if not elements:
        return "nothing"
    return f"{format_count(elements, 'element')} in {format_us_below(microseconds)} µs".replace(" ms µs", " ms")


# Pins


def pin_objection(program: LoopProgram, name: str) -> str:
    """Why the layout of a buffer cannot be pinned at all; '' if it can."""
    buffer = program.buffer_map.get(name)
    if buffer is None:
        return f"{name} is a copy that the compiler inserts; pin what it is made from, or the result of its reader"
    if buffer.kind is BufferKind.COMPUTED:
        return ""
    if buffer.kind is BufferKind.INPUT:
        return "the host fills an input at every run, in its default layout; pin what is computed from it"
    writer = next((op.name for op in program.ops for access in op.writes if access.buffer == name), "")
    if writer:
        return f"{writer} writes this {buffer.kind}, so the host must find it in its default layout"
    if any(output.buffer == name for output in program.outputs):
        return f"the model returns this {buffer.kind}, so the host must find it in its default layout"
    return ""


def objection_to(one: LayoutCandidate, found: Sequence[LayoutCandidate], program: LoopProgram, name: str) -> str:
    """Why one of the layouts found for a buffer cannot be pinned; '' if it can."""
    why = pin_objection(program, name)
    if why:
        return why
    if not one.legal:
        return one.why_not
    if one.layout.stick_dim == SPARSE:
        return "one value per stick is what its op leaves; only a dim to be cut into sticks can be pinned"
    chosen = next((other.layout for other in found if other.chosen), one.layout)
    if one.layout.dim_order == chosen.dim_order and one.layout.arrangement is not chosen.arrangement:
        return "the order of elements within sticks follows from its op; a pin names the dim that is cut"
    return ""


def pins_for(pins: Pins, name: str, one: LayoutCandidate, found: Sequence[LayoutCandidate]) -> Pins:
    """Pins with this candidate of a buffer: its stick dim, and its dim order where others share the stick dim."""
    fresh = with_layout(without(pins, f"order:{name}"), name, one.layout.stick_dim)
    orders = {other.layout.dim_order for other in found if other.layout.stick_dim == one.layout.stick_dim}
    return with_order(fresh, name, one.layout.dim_order) if len(orders) > 1 else fresh


def without_pins(pins: Pins, name: str) -> Pins:
    """Pins without those of a buffer's layout."""
    return without(pins, f"layout:{name}", f"order:{name}")


def pinned_one(found: Sequence[LayoutCandidate], pins: Pins, name: str) -> LayoutCandidate | None:
    """The candidate that the pins of a buffer ask for; of several that fit the one that was chosen."""
    order = pins.order.get(name)
    wanted = pins.layout.get(name, order[-1] if order else None)
    if wanted is None:
        return None
    fits = [one for one in found if one.layout.stick_dim == wanted and order in (None, one.layout.dim_order)]
    return next((one for one in fits if one.chosen), fits[0] if fits else None)


def pin_note(compilation: Compilation, pins: Pins, name: str) -> PinNote:
    """What became of the pins of a buffer's layout, the worst of them if there are two."""
    solved = compilation.problem.pins
    notes = [
        _note(compilation.plan.pins.get(f"{kind}:{name}"), wanted == found)
        for kind, wanted, found in (
            ("layout", pins.layout.get(name), solved.layout.get(name)),
            ("order", pins.order.get(name), solved.order.get(name)),
        )
        if wanted is not None
    ]
    return max(notes, key=lambda note: ("mute", "accent", "warn", "bad").index(note.tone), default=PinNote())


def _note(status: PinStatus | None, solved: bool) -> PinNote:
    if not solved or status is None:
        return PinNote("not solved", "warn", "Pin not solved yet.")
    word, tone = _WORDS[status.state]
    return PinNote(word, tone, pin_sentence(status, solved) if status.detail else "")
