"""Schedule: the steps a plan runs, ops and inserted moves in order.

Owns the one definition of what an Edit means as a loop nest and which ops read its target.  Refuses decisions: it
only spells out what program and plan already say.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from frozendict import frozendict

from compiler.errors import InputError
from compiler.loops import (
    Access,
    Buffer,
    BufferKind,
    Index,
    Load,
    Loop,
    LoopOp,
    LoopProgram,
    OpKind,
    Origin,
    OutputView,
    Term,
)
from compiler.plan import OUTPUT_READER, Edit, Plan

REPLICA = "replica"
"""The loop of a copy that runs over the cores which hold the same part of its target."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step: its number, the loop nest with reads re-pointed at edit targets, and the edit it comes from."""

    number: int
    op: LoopOp
    edit: Edit | None = None

    @property
    def name(self) -> str:
        """Name of the op or edit."""
        return self.op.name


@dataclass(frozen=True, slots=True)
class Schedule:
    """Steps in order and all buffers, those made by edits included; `step_map` finds a step by its name.

    `outputs` are those of the program, pointed at the buffers that the host reads them from.
    """

    steps: tuple[Step, ...]
    buffers: frozendict[str, Buffer]
    outputs: tuple[OutputView, ...] = ()
    step_map: frozendict[str, Step] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "step_map", frozendict((step.name, step) for step in self.steps))


def expand(program: LoopProgram, plan: Plan) -> Schedule:
    """Interleave the plan's edits with the program's ops."""
    buffers = dict(program.buffer_map)
    known = {op.name for op in program.ops}
    renames: dict[str, dict[str, str]] = {}
    before: dict[str, list[Edit]] = {}
    for edit in plan.edits:
        if edit.source not in buffers or edit.before not in known | {""}:
            raise InputError(
                f"edit {edit.name}", "it names a buffer or op that the program does not have", "compile again"
            )
        buffers[edit.target] = replace(buffers[edit.source], name=edit.target, kind=BufferKind.COMPUTED)
        before.setdefault(edit.before, []).append(edit)
        for reader in edit.readers:
            renames.setdefault(reader, {})[edit.source] = edit.target
    steps: list[Step] = []
    for op in program.ops:
        for edit in before.get(op.name, ()):
            steps.append(Step(len(steps), copy_op(edit, buffers[edit.source], op.origin), edit))
        steps.append(Step(len(steps), _repoint(op, renames)))
    for edit in before.get("", ()):
        origin = program.ops[-1].origin if program.ops else Origin()
        steps.append(Step(len(steps), copy_op(edit, buffers[edit.source], origin), edit))
    outputs = tuple(_read_back(view, renames) for view in program.outputs)
    return Schedule(tuple(steps), frozendict(buffers), outputs)


def _read_back(view: OutputView, renames: dict[str, dict[str, str]]) -> OutputView:
    """An output read from the clone of its buffer, if it has one."""
    buffer = _latest(view.buffer, renames.get(f"{OUTPUT_READER}{view.name}", {}))
    return view if buffer == view.buffer else replace(view, buffer=buffer)


def _latest(buffer: str, moved: dict[str, str]) -> str:
    """The buffer, or the end of the chain of its copies that all name the same reader."""
    passed: set[str] = set()
    while buffer in moved and buffer not in passed:
        passed.add(buffer)
        buffer = moved[buffer]
    return buffer


def copy_op(edit: Edit, source: Buffer, origin: Origin) -> LoopOp:
    """The loop nest of a copy: one loop per host dim of size > 1, named d0, d1, .., and one over its replicas."""
    loops = tuple(Loop(f"d{dim}", size) for dim, size in enumerate(source.shape) if size != 1)
    loops += (Loop(REPLICA, edit.replicas),) if edit.replicas > 1 else ()
    terms = tuple(
        Term(stride, ((f"d{dim}", 1),))
        for dim, (size, stride) in enumerate(zip(source.shape, source.strides, strict=True))
        if size != 1
    )
    index = Index(0, terms)
    return LoopOp(
        name=edit.name,
        kind=OpKind.POINTWISE,
        combine="",
        loops=loops,
        reads=(Access(edit.source, index),),
        writes=(Access(edit.target, index),),
        body=(Load(0, source.dtype),),
        results=(0,),
        origin=origin,
    )


def _repoint(op: LoopOp, renames: dict[str, dict[str, str]]) -> LoopOp:
    """The op with its reads sent to copies: all reads of a buffer under the op's name, one read under `OP#NUMBER`."""
    for_all = renames.get(op.name, {})
    for_one = [renames.get(f"{op.name}#{number}", {}) for number in range(len(op.reads))]
    if not for_all and not any(for_one):
        return op
    reads = tuple(
        replace(read, buffer=_latest(read.buffer, {**for_all, **mine}))
        for read, mine in zip(op.reads, for_one, strict=True)
    )
    return replace(op, reads=reads)


def kernels_of(schedule: Schedule) -> tuple[tuple[str, ...], ...]:
    """Maximal runs of consecutive device steps; every opaque op stands alone (the fusion rule of facts 6)."""
    runs: list[list[str]] = []
    open_run = False
    for step in schedule.steps:
        opaque = step.op.kind is OpKind.OPAQUE
        if opaque or not open_run:
            runs.append([])
        runs[-1].append(step.name)
        open_run = not opaque
    return tuple(tuple(run) for run in runs)
