"""What a pin of a division is at the moment, in a word and a sentence: solved, being solved, or neither.

Owns: those words. Refuses: Qt, and changing a pin.
"""

from __future__ import annotations

from compiler.compilation import Compilation
from compiler.pins import Pins, PinState
from spyre_studio.theme import Tone

Note = tuple[str, Tone, str]
"""The word, its tone, and what became of the pin."""


def is_pinned(pins: Pins, op: str) -> bool:
    """True if the division of the op is fixed, by its factors or as that of another op."""
    return op in pins.division or op in pins.same


def pin_note(op: str, pins: Pins, compilation: Compilation | None, solving: bool) -> Note:
    """The pin of an op against the plan on screen; `solving`: a plan with it is being made."""
    solved = compilation.problem.pins if compilation else Pins()
    if (pins.division.get(op), pins.same.get(op)) != (solved.division.get(op), solved.same.get(op)):
        return _unsolved(is_pinned(pins, op), solving)
    status = compilation.plan.pins.get(f"{'same' if op in pins.same else 'division'}:{op}") if compilation else None
    if status is None:
        return "", "mute", ""
    match status.state:
        case PinState.HONOURED if op in pins.same:
            return "pinned to another", "accent", f"It has the division of {pins.same[op]}"
        case PinState.HONOURED:
            return "pinned", "accent", ""
        case PinState.ADJUSTED:
            return "pin adjusted", "warn", status.detail
        case PinState.REFUSED:
            return "pin refused", "bad", status.detail


def _unsolved(pinned: bool, solving: bool) -> Note:
    word = "pinned" if pinned else "unpinned"
    if solving:
        return f"{word}, solving…", "accent", f"{word.capitalize()}; the plan is being solved again"
    return "pin not solved yet" if pinned else "unpinned, not solved yet", "warn", ""
