"""Export formats: what a checked plan can be written as, one row each.

Owns the table that menu, command line and documentation are made from, and the refusal to export a plan that a check
found fault with.  Refuses to decide anything: a format only spells out what the plan says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.emit.plan_json import plan_json
from compiler.emit.plan_listing import plan_listing
from compiler.emit.program_listing import program_listing
from compiler.errors import InputError


@dataclass(frozen=True, slots=True)
class Format:
    """A row: the name on the command line, a title for menus, the ending of its files, what makes the text."""

    name: str
    title: str
    suffix: str
    write: Callable[[Compilation], str]


_ROWS = (
    Format("plan-json", "Plan as JSON", ".json", plan_json),
    Format("plan-text", "Plan as a listing", ".txt", plan_listing),
    Format("program-text", "Device program as a listing", ".txt", program_listing),
)
FORMATS: frozendict[str, Format] = frozendict((row.name, row) for row in _ROWS)


def export(compilation: Compilation, name: str) -> str:
    """A plan in a format; InputError for an unknown format or a plan that a check found fault with."""
    if name not in FORMATS:
        raise InputError(f"format {name}", "there is no such format", f"use {', '.join(FORMATS)}")
    faults = [(verdict.check, why) for verdict in compilation.verdicts if not verdict.ok for why in verdict.violations]
    if not compilation.ok:
        check, why = faults[0] if faults else ("a check", "it gives no reason")
        what = f"the plan of {compilation.plan.model}"
        raise InputError(what, f"it failed the check '{check}' ({why})", "compile the model again before exporting")
    return FORMATS[name].write(compilation)
