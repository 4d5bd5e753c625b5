"""Words: why a plan has each of its moves, in a sentence with figures.

Owns the reasons of moved buffers' edits, layouts and divisions.  Refuses to decide.
"""

from __future__ import annotations

from collections.abc import Mapping

from frozendict import frozendict

from compiler.counts import verb
from compiler.moves.value import Moves
from compiler.plan import OUTPUT_READER, Edit, EditKind
from compiler.price import Cost, StepCost


def reasons_of(moves: Mapping[str, Moves], saved_us: Mapping[str, float], cost: Cost) -> frozendict[str, str]:
    """Reasons by `edit:NAME`, `layout:BUFFER` and `division:NAME`."""
    steps = {step.step: step for step in cost.steps}
    found: dict[str, str] = {}
    for one in moves.values():
        for move in one.made:
            edit = move.edit
            what = _what(edit, one.layout.size_bytes, steps[edit.name])
            found[f"edit:{edit.name}"] = f"{what}; {_gain(one, saved_us.get(one.buffer, 0.0))}"
            found[f"layout:{edit.target}"] = f"that of {edit.source}"
            held = edit.kind is EditKind.CLONE_OUT
            whose = "its source is held" if held else f"{_listed(edit)} {verb(edit.readers, 'read')} it"
            found[f"division:{edit.name}"] = f"as {whose}"
    return frozendict(found)


def _what(edit: Edit, size: int, cost: StepCost) -> str:
    if edit.kind is EditKind.RELAYOUT:
        found = f"{_listed(edit)} {verb(edit.readers, 'read')} it on other cores"
        return f"{found}: {size:,} B over the ring in {cost.total_us:.4g} µs"
    if edit.kind is EditKind.CLONE_IN:
        return f"one load of {size:,} B in {cost.total_us:.4g} µs for {_listed(edit)}"
    return f"{size:,} B written once for {_listed(edit)}, the others find it in LX"


def _listed(edit: Edit) -> str:
    names = [_who(reader) for reader in edit.readers]
    more = f" and {len(names) - 2} more" if len(names) > 2 else ""
    return (" and " if not more else ", ").join(names[:2]) + more


def _who(reader: str) -> str:
    return f"output {reader.removeprefix(OUTPUT_READER)}" if reader.startswith(OUTPUT_READER) else reader


def _gain(one: Moves, saved: float) -> str:
    alone = len(one.made) == 1
    moves, many = ("this move", "s") if alone else (f"these {len(one.made)} moves", "")
    if saved <= 0:
        return f"a pin asks for {moves} of {one.buffer}, which cost{many} the plan {-saved:.4g} µs"
    return f"{moves} of {one.buffer} save{many} the plan {saved:.4g} µs"
