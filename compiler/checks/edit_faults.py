"""Edit faults: whether the inserted moves name what exists, make something new, and re-point whom they claim.

Owns the well-formedness of the list of edits, before they become steps.  Refuses to know layouts: what a move may do to
sticks is judged in `sticks`.
"""

from __future__ import annotations

from compiler.loops import LoopProgram
from compiler.plan import Edit, EditKind, Plan


def edit_faults(program: LoopProgram, plan: Plan) -> dict[int, str]:
    """Sentence for every edit, by its place in the plan, that cannot be carried out."""
    faults: dict[int, str] = {}
    made: dict[str, Edit] = {}
    taken = {op.name for op in program.ops}
    moved: set[tuple[str, str]] = set()
    order = {op.name: number for number, op in enumerate(program.ops)}
    known = set(program.buffer_map)
    reads = {op.name: {access.buffer for access in op.reads} for op in program.ops}
    for number, edit in enumerate(plan.edits):
        fault = (
            _name_fault(edit, taken, known | set(made), order)
            or _order_fault(edit, made, order)
            or _reader_fault(edit, order, reads, moved)
        )
        if fault:
            faults[number] = f"edit {edit.name} of {edit.source}: {fault}"
            continue
        taken.add(edit.name)
        made[edit.target] = edit
        moved |= {(reader, edit.source) for reader in edit.readers}
    return faults


def _name_fault(edit: Edit, taken: set[str], buffers: set[str], order: dict[str, int]) -> str:
    if edit.kind not in tuple(EditKind):
        return f"it is of the unknown kind {edit.kind}"
    if edit.name in taken:
        return "another step has its name"
    if edit.target in buffers:
        return f"its target {edit.target} exists already, it would be written twice"
    if edit.source not in buffers:
        return "there is no such buffer"
    return "" if edit.before in order else f"it stands before {edit.before}, which is no op"


def _order_fault(edit: Edit, made: dict[str, Edit], order: dict[str, int]) -> str:
    """The copy of a copy must run after it."""
    earlier = made.get(edit.source)
    if earlier and order[earlier.before] > order[edit.before]:
        return f"it runs before edit {earlier.name}, which makes its source"
    return ""


def _reader_fault(edit: Edit, order: dict[str, int], reads: dict[str, set[str]], moved: set[tuple[str, str]]) -> str:
    for reader in edit.readers:
        if reader not in order:
            return f"its reader {reader} is no op"
        if order[reader] < order[edit.before]:
            return f"its reader {reader} runs before it"
        if edit.source not in reads[reader]:
            return f"its reader {reader} does not read the source"
        if (reader, edit.source) in moved:
            return f"its reader {reader} is already sent to another copy"
    return "" if edit.readers else "it has no reader"
