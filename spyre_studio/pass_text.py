"""The passes of a plan as a listing: each with its seconds, what it decided, and what it changed, op by op.

Owns: the words and lines, for the window and the command line alike. Refuses: finding out; `compiler.pass_replay` does.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from compiler.pass_story import INPUTS, Decision, PassStep, PassStory
from compiler.text.cursor import quote_name
from spyre_studio.units import format_count, format_us


def print_passes(story: PassStory) -> str:
    """The listing; indented lines belong to the one above, names in it are those of the plan."""
    seconds = format_us(sum(step.seconds for step in story.steps) * 1e6)
    lines = [f"passes of {quote_name(story.model)}  {format_count(len(story.steps), 'record')}  {seconds}"]
    lines += [f"  note {note}" for note in story.notes]
    for step in story.steps:
        lines += _lines_of(step)
    return "\n".join(lines) + "\n"


def _lines_of(step: PassStep) -> Iterator[str]:
    seconds = f"  {format_us(step.seconds * 1e6)}" if step.seconds else ""
    yield f"  pass {step.spec}{seconds}  {_sum(step)}".rstrip()
    for line in step.decided:
        yield f"    decided {line}"
    for op, changes in groupby(step.changes, key=lambda one: one.op):
        yield f"    {_head(op)}"
        for change in changes:
            yield from _signed(change)


def _sum(step: PassStep) -> str:
    """How much it changed, as far as that is known."""
    if not step.known:
        return ""
    if not step.changes:
        return "nothing changed"
    counts = ((step.added, "added"), (step.changed, "changed"), (step.removed, "removed"))
    return ", ".join(f"{count:,} {word}" for count, word in counts if count)


def _head(op: str) -> str:
    if op == INPUTS:
        return "inputs"
    return f"of {quote_name(op)}" if op else "whole plan"


def _signed(change: Decision) -> Iterator[str]:
    if change.before:
        yield f"      - {change.before}"
    if change.after:
        yield f"      + {change.after}"
