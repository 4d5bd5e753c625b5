"""Last change: what the plan on screen costs beside the one before, why, and what became of the pins.

Owns the two lines and their words; the figures are those of Compare.  Refuses Qt, and to compare by itself.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final

from compiler.compilation import Compilation
from compiler.diff import ChangeKind, CostChange, PlanDiff, diff
from compiler.pins import PinState
from spyre_studio.edit_words import EDITS
from spyre_studio.short_names import short_names
from spyre_studio.theme import Tone
from spyre_studio.units import MINUS, format_count, format_number, format_percent, format_us

_NOISE_US: Final = 5e-3  # what rounds to nothing
_CAUSES: Final = 2
_NO_DECISION: Final = (ChangeKind.PIN, ChangeKind.SETTING, ChangeKind.ADDRESS)
_BLOCK: Final = re.compile(r"(?:[^./]+\.)*?[^./]+\.\d+(?=[./])")
_SHORT_US: Final = 10.0
_NAMED: Final = 3  # pins that were not kept


@dataclass(frozen=True, slots=True)
class LastChange:
    """`saving` is one line about time and causes, '' if the plans are the same; `pins` one about what
    became of all pins, '' if there are none; `details` has a line for every pin that was not kept as it is."""

    saving: str
    pins: str = ""
    tone: Tone = "mute"
    details: tuple[str, ...] = ()


def last_change(before: Compilation, after: Compilation) -> LastChange:
    """What happened between two plans of a model."""
    found = diff(before, after)
    pins, tone, details = _pins(after)
    return LastChange(_saving(found, after), pins, tone, details)


def _saving(found: PlanDiff, after: Compilation) -> str:
    """Example: '−12.3 µs (−4.0 %): gate_proj 51.2 → 40.1; +1 relayout'."""
    if found.same:
        return "the same plan"
    total = found.total
    causes = [*_steps(found, after), *_moves(found)]
    head = "same time"
    if abs(total.delta_us) >= _NOISE_US:
        share = abs(total.delta_us) / total.before_us if total.before_us else 0.0
        head = (
            f"{format_us(total.delta_us, signed=True)} ({'+' if total.delta_us > 0 else MINUS}{format_percent(share)})"
        )
    if not causes:
        many = sum(one.kind not in _NO_DECISION for one in found.changes)
        causes = [format_count(many, "decision differs", "decisions differ")] if many else []
    return f"{head}: {'; '.join(causes)}" if causes else head


def _steps(found: PlanDiff, after: Compilation) -> list[str]:
    """The steps whose time changed most, in words; inserted moves are counted apart."""
    moves = {entry.edit.name for entry in found.edits}
    changed = [one for one in found.costs if one.name not in moves and abs(one.delta_us) >= _NOISE_US]
    more = len(changed) - _CAUSES
    told = [_step(_title(one.name, after), one) for one in changed[:_CAUSES]]
    if more > 0:
        rest = sum(one.delta_us for one in changed[_CAUSES:])
        told.append(f"{format_count(more, 'other step')} {format_us(rest, signed=True)}")
    return told


def _title(step: str, plan: Compilation) -> str:
    """The short name of a step; with what tells it apart before it, where others have the same.

    Examples: 'gate_proj', 'layers.2 gate_proj', 'self_attn.sdpa/matmul'.
    """
    names = short_names(plan)
    short = names.step(step)
    if sum(other == short for other in names.steps.values()) < 2:
        return short
    block = _BLOCK.match(step)
    return f"{block[0]} {short}" if block else step


def _step(name: str, one: CostChange) -> str:
    """Example: 'gate_proj 51.2 → 40.1'; short times have more digits."""
    digits = 2 if max(one.before_us, one.after_us) < _SHORT_US else 1
    return f"{name} {format_number(one.before_us, digits)} → {format_number(one.after_us, digits)}"


def _moves(found: PlanDiff) -> list[str]:
    counts: Counter[tuple[bool, str]] = Counter()
    for entry in found.edits:
        counts[entry.added, entry.edit.kind] += 1
    told = []
    for (added, kind), count in sorted(counts.items(), key=lambda one: (not one[0][0], one[0][1])):
        words = next(words for key, words in EDITS.items() if key == kind)
        told.append(f"{'+' if added else MINUS}{format_count(count, words.one, words.many)}")
    return told


def _pins(after: Compilation) -> tuple[str, Tone, tuple[str, ...]]:
    """What became of all pins: '40 pins: 38 honoured, 2 adjusted', with the count that stands wherever pins are
    counted."""
    known = after.plan.pins
    if not known:
        return "", "mute", ()
    counts = Counter(one.state for one in known.values())
    parts = ", ".join(f"{counts[state]} {state}" for state in PinState if counts[state])
    unkept = {key: one for key, one in known.items() if one.state is not PinState.HONOURED}
    details = tuple(f"{key.partition(':')[2]} {one.state}: {one.detail}" for key, one in unkept.items())
    words = f"{format_count(len(known), 'pin')}: {parts}"
    if details:
        more = len(details) - _NAMED
        named = ", ".join(key.partition(":")[2] for key in list(unkept)[:_NAMED])
        words += f" ({named}{f' and {more} more' if more > 0 else ''})"
    tone: Tone = "bad" if counts[PinState.REFUSED] else "warn" if counts[PinState.ADJUSTED] else "ok"
    return words, tone, details
