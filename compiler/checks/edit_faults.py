"""Edit faults: whether the inserted moves name what exists, make something new, and re-point whom they claim.

Owns the well-formedness of the list of edits, before they become steps.  Refuses to know layouts and places: what a
move may do to sticks is judged in `sticks`, where it may lead in `moves`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from compiler.checks.findings import whole
from compiler.loops import LoopProgram
from compiler.plan import HOMEWARD, OUTPUT_READER, Edit, EditKind, Plan

REPLICATED = frozenset({EditKind.RELAYOUT, EditKind.CLONE_IN})
HOST = "host"
Read = tuple[str, str]  # who reads, and the number of the read; HOST for an output


def edit_faults(program: LoopProgram, plan: Plan) -> dict[int, str]:
    """Sentence for every edit, by its place in the plan, that cannot be carried out."""
    faults: dict[int, str] = {}
    ledger = _Ledger.of(program)
    for number, edit in enumerate(plan.edits):
        fault = (
            _kind_fault(edit)
            or ledger.name_fault(edit)
            or ledger.order_fault(edit)
            or next((why for why in (ledger.reader_fault(edit, reader) for reader in edit.readers) if why), "")
            or ("" if edit.readers else "it has no reader")
            or ("it names a reader twice" if len(edit.readers) != len(set(edit.readers)) else "")
        )
        if fault:
            faults[number] = f"edit {edit.name} of {edit.source}: {fault}"
        else:
            ledger.carry_out(edit)
    return faults


def _kind_fault(edit: Edit) -> str:
    if edit.kind not in tuple(EditKind):
        return f"it is of the unknown kind {edit.kind}"
    if not whole(edit.replicas, 1):
        return f"it makes {edit.replicas} replicas"
    if edit.replicas > 1 and edit.kind not in REPLICATED:
        return f"it makes {edit.replicas} replicas, and a {edit.kind} makes but one"
    return ""


@dataclass
class _Ledger:
    """What exists and what every reader reads, edit by edit.

    `order` places an op, '' is the end of the program; `reads` are those of the ops and of the host, by who reads;
    `left` are reads and what they read before.
    """

    order: dict[str, int]
    taken: set[str]
    buffers: set[str]
    reads: dict[str, dict[Read, str]]
    made: dict[str, Edit] = field(default_factory=dict)
    left: set[tuple[Read, str]] = field(default_factory=set)

    @classmethod
    def of(cls, program: LoopProgram) -> _Ledger:
        """Before the first edit."""
        order = {op.name: number for number, op in enumerate(program.ops)}
        reads: dict[str, dict[Read, str]] = {op.name: {} for op in program.ops}
        for op in program.ops:
            reads[op.name] |= {(op.name, str(place)): read.buffer for place, read in enumerate(op.reads)}
        for output in program.outputs:
            name = f"{OUTPUT_READER}{output.name}"
            reads.setdefault(name, {})[name, HOST] = output.buffer
        return cls({**order, "": len(order)}, set(order), set(program.buffer_map), reads)

    def name_fault(self, edit: Edit) -> str:
        """New names for the step and its target, known ones for the rest."""
        if edit.name in self.taken:
            return "another step has its name"
        if edit.target in self.buffers:
            return f"its target {edit.target} exists already, it would be written twice"
        if edit.source not in self.buffers:
            return "there is no such buffer"
        return "" if edit.before in self.order else f"it stands before {edit.before}, which is no op"

    def order_fault(self, edit: Edit) -> str:
        """The copy of a copy must run after it."""
        earlier = self.made.get(edit.source)
        if earlier and self.order[earlier.before] > self.order[edit.before]:
            return f"it runs before edit {earlier.name}, which makes its source"
        return ""

    def reader_fault(self, edit: Edit, reader: str) -> str:
        """It runs later, reads the source as earlier edits have left it, and all of it still does."""
        op = reader if reader in self.reads else reader.rpartition("#")[0]
        if op not in self.reads:
            return f"its reader {reader} is no {'output' if reader.startswith(OUTPUT_READER) else 'op'}"
        if op in self.order and self.order[op] < self.order[edit.before]:
            return f"its reader {reader} runs before it"
        found = self._named(reader)
        if edit.kind not in HOMEWARD and any(place == HOST for _, place in found):
            return f"its reader {reader} is the host, which only moves that keep the layout serve"
        if any((read, edit.source) in self.left for read in found):
            return f"its reader {reader} is already sent to another copy"
        if edit.source not in found.values():
            return f"its reader {reader} does not read the source"
        return ""

    def carry_out(self, edit: Edit) -> None:
        """The target exists, and its readers read it from now on."""
        self.taken.add(edit.name)
        self.buffers.add(edit.target)
        self.made[edit.target] = edit
        for reader in edit.readers:
            for read, buffer in self._named(reader).items():
                if buffer == edit.source:
                    self.reads[read[0]][read] = edit.target
                    self.left.add((read, edit.source))

    def _named(self, reader: str) -> dict[Read, str]:
        """Every read that a reader, an op, `OP#NUMBER` or `output:NAME`, stands for, and what it reads now."""
        found = dict(self.reads.get(reader, {}))
        op, _, number = reader.rpartition("#")
        one = (op, number)
        if one in self.reads.get(op, {}):
            found[one] = self.reads[op][one]
        return found
