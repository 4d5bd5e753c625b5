"""Eligibility: whether a buffer may live in the scratchpad at all, and the first reason why not (facts 4.2).

Owns the rules and their order, one function per reason, each with figures in its sentence.  A buffer is judged among
the steps that a plan has, moves included: a relayout reads it from any core, a clone-out where it lies.  Refuses to
judge capacity: that is known only when addresses are given.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from frozendict import frozendict

from compiler.counts import counted
from compiler.liveness import Lifetime, lifetimes
from compiler.loops import Apply, Buffer, BufferKind, IndexValue, Load, LoopProgram, OpKind
from compiler.ownership import Holding, gap, holding, mismatch, partial_read, partial_sums
from compiler.plan import EditKind, Plan, ReasonCode, Spilled
from compiler.schedule import Schedule, Step, expand


@dataclass(frozen=True, slots=True)
class Scene:
    """What the rules look at: the program, its plan so far, the steps and when each buffer is alive.

    With `moves`, copies to another layout read LX like any step where each core holds what it reads.
    """

    program: LoopProgram
    plan: Plan
    schedule: Schedule
    lives: frozendict[str, Lifetime]
    outputs: frozenset[str]
    opaque_steps: tuple[int, ...]
    moves: bool = False

    def readers(self, buffer: str) -> tuple[Step, ...]:
        """Steps that read a buffer."""
        return tuple(self.schedule.steps[number] for number in self.lives[buffer].reads)

    def users(self, buffer: str) -> tuple[Step, ...]:
        """Steps that read or write a buffer."""
        return tuple(self.schedule.steps[number] for number in self.lives[buffer].uses)


@dataclass(frozen=True, slots=True)
class Subject:
    """One buffer under examination; `held` is there once an ordinary step is known to write it."""

    buffer: Buffer
    held: Holding | None = None


Rule = Callable[[Scene, Subject], str]
_COPYING = frozendict(
    {
        EditKind.RESTICKIFY: "copies it to other sticks",
        EditKind.REORDER: "copies it to another order of dims",
        EditKind.PAD: "copies it to fill it up with zeros",
    }
)


def scene_of(program: LoopProgram, plan: Plan, moves: bool = False) -> Scene:
    """The scene of a plan whose layouts and divisions are decided."""
    schedule = expand(program, plan)
    opaque = tuple(step.number for step in schedule.steps if step.op.kind is OpKind.OPAQUE)
    outputs = frozenset(output.buffer for output in schedule.outputs)
    return Scene(program, plan, schedule, lifetimes(schedule), outputs, opaque, moves)


def judge(scene: Scene, name: str) -> Holding | Spilled:
    """What the cores hold of a buffer that may be resident, or the first reason why it may not."""
    subject = Subject(scene.schedule.buffers[name])
    for code, rule in BEFORE_OWNERSHIP:
        detail = rule(scene, subject)
        if detail:
            return Spilled(code, detail)
    writer = scene.schedule.steps[scene.lives[name].writes[0]]
    held = holding(writer, name, scene.schedule, scene.plan)
    for code, rule in OWNERSHIP:
        detail = rule(scene, Subject(subject.buffer, held))
        if detail:
            return Spilled(code, detail)
    return held


def _device_copy(scene: Scene, subject: Subject) -> str:
    for number in scene.lives[subject.buffer.name].writes:
        edit = scene.schedule.steps[number].edit
        if edit is not None and edit.kind is EditKind.CLONE_OUT:
            return (
                f"{_bytes(scene, subject)}: the clone of {edit.source} at step {number}, for what needs device memory"
            )
    return ""


def _graph_input(scene: Scene, subject: Subject) -> str:
    if subject.buffer.kind is BufferKind.COMPUTED and scene.lives[subject.buffer.name].computed:
        return ""
    kind = "buffer no step writes" if subject.buffer.kind is BufferKind.COMPUTED else subject.buffer.kind.value
    return f"{_bytes(scene, subject)}: {_article(kind)} {kind}, it arrives in device memory"


def _empty(_scene: Scene, subject: Subject) -> str:
    return f"its shape {list(subject.buffer.shape)} has no elements" if subject.buffer.elements == 0 else ""


def _zero_padded(scene: Scene, subject: Subject) -> str:
    layout = scene.plan.layouts.get(subject.buffer.name)
    padding = layout.padding if layout else ()
    grown = [f"dim {dim} of {subject.buffer.shape[dim]} is filled up to {size}" for dim, size in padding]
    return f"{' and '.join(grown)} with zeros" if grown else ""


def _restickify_reader(scene: Scene, subject: Subject) -> str:
    for reader in scene.readers(subject.buffer.name):
        if reader.edit is not None and reader.edit.kind in _COPYING and not scene.moves:
            return f"{reader.name} at step {reader.number} {_COPYING[reader.edit.kind]}"
    return ""


def _opaque_user(scene: Scene, subject: Subject) -> str:
    user = next((step for step in scene.users(subject.buffer.name) if step.op.kind is OpKind.OPAQUE), None)
    return f"{user.name} at step {user.number} runs on the host and uses device memory only" if user else ""


def _across_opaque(scene: Scene, subject: Subject) -> str:
    life = scene.lives[subject.buffer.name]
    crossed = next((number for number in scene.opaque_steps if life.first < number < life.last), None)
    if crossed is None:
        return ""
    return f"alive from step {life.first} to {life.last}, across {scene.schedule.steps[crossed].name} at step {crossed}"


def _indirect(scene: Scene, subject: Subject) -> str:
    name = subject.buffer.name
    for step in scene.users(name):
        for access in step.op.accesses:
            if access.buffer == name and access.index.gathers:
                return f"{step.name} at step {step.number} chooses its elements by a value read from memory"
        if name in index_buffers(step):
            return f"{step.name} at step {step.number} uses it as an index"
    return ""


def _graph_output(scene: Scene, subject: Subject) -> str:
    if subject.buffer.name not in scene.outputs:
        return ""
    return f"{_bytes(scene, subject)}: the host fetches it from device memory"


def _filled_in_parts(scene: Scene, subject: Subject) -> str:
    steps = [scene.schedule.steps[number] for number in scene.lives[subject.buffer.name].writes]
    if len(steps) == 1:
        return ""
    return f"{len(steps)} steps fill it, {steps[0].name} to {steps[-1].name}, each with gaps for the others"


def _partial_read(scene: Scene, subject: Subject) -> str:
    assert subject.held is not None
    whys = (partial_read(subject.held, reader, scene.schedule) for reader in scene.readers(subject.buffer.name))
    return next((why for why in whys if why), "")


def _partial_sums(_scene: Scene, subject: Subject) -> str:
    assert subject.held is not None
    return partial_sums(subject.held)


def _mismatch(scene: Scene, subject: Subject) -> str:
    assert subject.held is not None
    readers = (reader for reader in scene.readers(subject.buffer.name) if not _reads_anywhere(reader))
    whys = (mismatch(subject.held, reader, scene.schedule, scene.plan) for reader in readers)
    return next((why for why in whys if why), "")


def _reads_anywhere(reader: Step) -> bool:
    """A relayout finds its parts on other cores, a clone-in in device memory."""
    return reader.edit is not None and reader.edit.kind in (EditKind.RELAYOUT, EditKind.CLONE_IN)


def _loaded(scene: Scene, subject: Subject) -> str:
    for reader in scene.readers(subject.buffer.name):
        if reader.edit is not None and reader.edit.kind is EditKind.CLONE_IN:
            return f"{reader.name} at step {reader.number} loads it from device memory"
    return ""


def _not_read(scene: Scene, subject: Subject) -> str:
    life = scene.lives[subject.buffer.name]
    return "" if life.reads else f"written at step {life.first} and read by no step"


def _gap(_scene: Scene, subject: Subject) -> str:
    assert subject.held is not None
    return gap(subject.held)


BEFORE_OWNERSHIP: tuple[tuple[ReasonCode, Rule], ...] = (
    (ReasonCode.DEVICE_COPY, _device_copy),
    (ReasonCode.GRAPH_INPUT, _graph_input),
    (ReasonCode.EMPTY, _empty),
    (ReasonCode.ZERO_PADDED, _zero_padded),
    (ReasonCode.RESTICKIFY_READER, _restickify_reader),
    (ReasonCode.OPAQUE_USER, _opaque_user),
    (ReasonCode.ACROSS_OPAQUE, _across_opaque),
    (ReasonCode.INDIRECT, _indirect),
    (ReasonCode.GRAPH_OUTPUT, _graph_output),
    (ReasonCode.LX_GAP, _filled_in_parts),
)
OWNERSHIP: tuple[tuple[ReasonCode, Rule], ...] = (
    (ReasonCode.PARTIAL_READ, _partial_read),
    (ReasonCode.PARTIAL_SUMS, _partial_sums),
    (ReasonCode.DIVISION_MISMATCH, _mismatch),
    (ReasonCode.NOT_READ, _not_read),
    (ReasonCode.LX_GAP, _gap),
    (ReasonCode.NOT_WORTH_IT, _loaded),
)


def _bytes(scene: Scene, subject: Subject) -> str:
    layout = scene.plan.layouts.get(subject.buffer.name)
    return f"{layout.size_bytes:,} B" if layout else counted(subject.buffer.elements, "element")


def _article(noun: str) -> str:
    return "an" if noun[0] in "aeiou" else "a"


def index_buffers(step: Step) -> frozenset[str]:
    """Buffers whose values choose elements in a step, directly or through arithmetic."""
    waiting = [gather.value for access in step.op.accesses for gather in access.index.gathers]
    found: set[str] = set()
    seen: set[int] = set()
    while waiting:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        instruction = step.op.body[value]
        if isinstance(instruction, Load):
            found.add(step.op.reads[instruction.read].buffer)
            waiting.extend(gather.value for gather in step.op.reads[instruction.read].index.gathers)
        elif isinstance(instruction, IndexValue):
            waiting.extend(gather.value for gather in instruction.index.gathers)
        elif isinstance(instruction, Apply):
            waiting.extend(instruction.args)
    return frozenset(found)
