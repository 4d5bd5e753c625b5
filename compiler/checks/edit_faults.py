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
    moved: set[tuple[str, int]] = set()
    order = {op.name: number for number, op in enumerate(program.ops)}
    known = set(program.buffer_map)
    reads = {op.name: [access.buffer for access in op.reads] for op in program.ops}
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
        for reader in edit.readers:
            moved |= _reads_of(reader, edit.source, reads)
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


def _reads_of(reader: str, source: str, reads: dict[str, list[str]]) -> set[tuple[str, int]]:
    """Reads that a reader, an op or `OP#NUMBER`, stands for: those of the source."""
    op, _, number = reader.rpartition("#")
    wanted = number if reader not in reads and op in reads else ""
    name = op if wanted else reader
    found = [(name, place) for place, buffer in enumerate(reads.get(name, ())) if buffer == source]
    return {read for read in found if not wanted or wanted == str(read[1])}


def _reader_fault(edit: Edit, order: dict[str, int], reads: dict[str, list[str]], moved: set[tuple[str, int]]) -> str:
    for reader in edit.readers:
        op = reader if reader in order else reader.rpartition("#")[0]
        if op not in order:
            return f"its reader {reader} is no op"
        if order[op] < order[edit.before]:
            return f"its reader {reader} runs before it"
        found = _reads_of(reader, edit.source, reads)
        if not found:
            return f"its reader {reader} does not read the source"
        if found & moved:
            return f"its reader {reader} is already sent to another copy"
        if len(edit.readers) != len(set(edit.readers)):
            return "it names a reader twice"
    return "" if edit.readers else "it has no reader"
