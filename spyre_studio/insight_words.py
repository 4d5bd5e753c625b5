"""Insight words: what an insight costs and what a remedy saves, in lines, in cells, and in a JSON document.

Owns the wording and the names of the document's fields.  Refuses Qt and figures of its own.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Final

from compiler.compilation import Compilation
from compiler.text.pins_text import print_pins
from spyre_studio.insight import LEAST_US, Basis, Insight, Remedy, Saving
from spyre_studio.insight_weighed import Weighed
from spyre_studio.insights import KINDS, best
from spyre_studio.theme import Tone
from spyre_studio.units import format_bytes, format_count, format_percent, format_us

NOTHING: Final = "Nothing stands out: no step, buffer or copy takes enough of the time to be told of."
WORTH: Final = "Savings are differences of predicted times: with each remedy the plan was made again."
_WIDTH: Final = 110


def cost_text(insight: Insight, total_us: float) -> str:
    """Example: '51.2 µs, 17 % of the plan', 'about 83.9 µs, 28 % of the plan'; '' where no time goes to it."""
    if insight.cost_us <= 0:
        return ""
    about = "about " if insight.rough else ""
    share = f", {format_percent(insight.cost_us / total_us)} of the plan" if total_us > 0 else ""
    return f"{about}{format_us(insight.cost_us)}{share}"


def saving_text(remedy: Remedy) -> str:
    """What is known of it, in a clause. Examples: 'saves 19.2 µs', 'takes 56.5 µs more', 'not possible: the pin was
    refused'; '' for what changes nothing."""
    saving = remedy.saving
    if not remedy.changes:
        return ""
    if not saving.known:
        return "not worked out"
    if saving.refused:
        return f"not possible: {saving.note}"
    return f"{_change(saving)}{f' ({saving.note})' if saving.note else ''}"


def _change(saving: Saving) -> str:
    if abs(saving.us) <= LEAST_US:
        return "changes nothing"
    if saving.us < 0:
        return f"takes {format_us(-saving.us)} more"
    searched = (
        ", as a short search found; a longer one may find more or other" if saving.basis is Basis.SEARCHED else ""
    )
    return f"saves {format_us(saving.us)}{searched}"


def saving_tone(remedy: Remedy) -> Tone:
    """How that is to be taken."""
    saving = remedy.saving
    if not saving.known:
        return "mute"
    return "ok" if saving.helps else "warn" if saving.refused or saving.us < -LEAST_US else "mute"


def saved_us(insight: Insight) -> float | None:
    """What its nearest remedy saves, None if that is not known."""
    nearest = insight.nearest
    return nearest.saving.us if nearest is not None and nearest.saving.known else None


def headline(found: Sequence[Insight], weighed: Weighed) -> str:
    """How many there are, and the remedy that saves most. Example: '14 insights · most is saved by: Pin a to m 8, saves
    19.2 µs'."""
    count = format_count(len(found), "insight")
    top = best(found)
    if top is not None and top.nearest is not None:
        return f"{count} · most is saved by: {top.nearest.words}, {saving_text(top.nearest)}"
    return f"{count} · no remedy that was tried saves time" if weighed.trials else count


def short_headline(found: Sequence[Insight], weighed: Weighed) -> str:
    """The same in a few words. Example: '14 insights · the best remedy saves 19.2 µs'."""
    top, count = best(found), format_count(len(found), "insight")
    if top is not None and top.nearest is not None:
        return f"{count} · the best remedy saves {format_us(top.nearest.saving.us)} ({top.name})"
    return headline(found, weighed)


def describe(compilation: Compilation, found: Sequence[Insight], weighed: Weighed) -> tuple[str, ...]:
    """The whole list in lines for people."""
    plan, total = compilation.plan, compilation.cost.total_us
    head = f"{plan.model} on {plan.device}, {format_count(plan.cores, 'core')}: {format_us(total)} predicted"
    lines = [f"{head}; {headline(found, weighed)}"]
    if not found:
        return (*lines, NOTHING)
    for number, insight in enumerate(found, 1):
        lines += _lines(number, insight, total)
    left = weighed.left_out
    note = f" {format_count(left, 'remedy was', 'remedies were')} not tried, to save time." if left else ""
    return (*lines, "", f"{WORTH}{note}" if weighed.trials else "What remedies save was not worked out.")


def _lines(number: int, insight: Insight, total_us: float) -> list[str]:
    cost = cost_text(insight, total_us)
    title = f"{number:>3}  {KINDS[insight.kind].title}: {insight.name}{f'  ({cost})' if cost else ''}"
    lines = ["", title, *_wrapped(insight.sentence, 5)]
    nearest = insight.nearest
    for remedy in insight.remedies:
        said = saving_text(remedy)
        mark = "*" if remedy is nearest and remedy.saving.helps else "-"
        lines += _wrapped(f"{mark} {remedy.words}{f': {said}' if said else ''}", 7)
    return lines


def _wrapped(text: str, margin: int) -> list[str]:
    space = " " * margin
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=space,
        subsequent_indent=space + ("  " if text[:2] in ("- ", "* ") else ""),
        break_long_words=False,
        break_on_hyphens=False,
    )


def document(compilation: Compilation, found: Sequence[Insight], weighed: Weighed) -> dict[str, object]:
    """The list for other programs; `saves_us` is null where it was not worked out, `basis` says how it was."""
    return {
        "model": compilation.plan.model,
        "device": compilation.plan.device,
        "cores": compilation.plan.cores,
        "pipeline": compilation.plan.pipeline,
        "total_us": compilation.cost.total_us,
        "insights": [_entry(insight) for insight in found],
        "not_tried": weighed.left_out,
    }


def _entry(insight: Insight) -> dict[str, object]:
    nearest = insight.nearest
    return {
        "kind": insight.kind,
        "name": insight.name,
        "sentence": insight.sentence,
        "cost_us": insight.cost_us,
        "cost_is_rough": insight.rough,
        "cost_bytes": insight.cost_bytes,
        "urgent": insight.urgent,
        "steps": list(insight.evidence.steps),
        "buffers": list(insight.evidence.buffers),
        "view": insight.evidence.view,
        "nearest": insight.remedies.index(nearest) if nearest is not None else None,
        "remedies": [_remedy(remedy) for remedy in insight.remedies],
    }


def _remedy(remedy: Remedy) -> dict[str, object]:
    saving = remedy.saving
    return {
        "words": remedy.words,
        "pins": print_pins(remedy.more) if remedy.more else "",
        "unpin": list(remedy.less),
        "pipeline": remedy.pipeline,
        "view": remedy.view,
        "saves_us": saving.us if saving.known and not saving.refused else None,
        "basis": saving.basis,
        "refused": saving.refused,
        "note": saving.note,
    }


def moved_text(size: float) -> str:
    """Bytes of a cell, '' for none."""
    return format_bytes(size) if size else ""
