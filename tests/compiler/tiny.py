"""Tiny programs and plans written by hand, for tests that must know every number.

Owns a short way to write loop nests (`"ij"` walks a buffer's dims with loops i and j) and a planner without any idea:
default layouts, one division for all, everything in device memory.  Refuses to be clever: what a test is about it sets
itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from frozendict import frozendict

from compiler.compilation import Verdict
from compiler.device import Device, load_device
from compiler.division import Division, Split
from compiler.dtypes import DType
from compiler.layout import StickLayout, stick_layout
from compiler.loops import (
    Access,
    Apply,
    Buffer,
    BufferKind,
    Index,
    Instruction,
    Load,
    Loop,
    LoopOp,
    LoopProgram,
    ModelSource,
    OpaqueCall,
    OpKind,
    Origin,
    OutputView,
    Role,
    Term,
)
from compiler.plan import Edit, EditKind, Kernel, Placement, Plan, ReasonCode, Slot, Spilled
from compiler.problem import Problem
from compiler.schedule import expand, kernels_of
from tests.random_draft import dense

HBM = Spilled(ReasonCode.CAPACITY, "not tried")
COMPUTED = BufferKind.COMPUTED


def buffer(name: str, *shape: int, dtype: DType = DType.F16, kind: BufferKind = COMPUTED) -> Buffer:
    """A row-major buffer."""
    return Buffer(name, dtype, shape, dense(shape), kind)


def graph_input(name: str, *shape: int, dtype: DType = DType.F16) -> Buffer:
    """A row-major input."""
    return buffer(name, *shape, dtype=dtype, kind=BufferKind.INPUT)


def walk(target: Buffer, loops: str, offset: int = 0) -> Access:
    """Dim k of the buffer walked by the loop named by letter k; '.' leaves the dim at 0."""
    pairs = zip(loops, target.strides, strict=True)
    return Access(target.name, Index(offset, tuple(Term(step, ((name, 1),)) for name, step in pairs if name != ".")))


def op(
    name: str,
    loops: str,
    extents: dict[str, int],
    reads: Iterable[tuple[Buffer, str]],
    write: tuple[Buffer, str],
    kind: OpKind = OpKind.POINTWISE,
    combine: str = "",
) -> LoopOp:
    """Loops by letter, reduced ones in capitals; the body adds up or, for a contraction, multiplies its loads."""
    nest = tuple(
        Loop(letter.lower(), extents[letter.lower()], Role.REDUCTION if letter.isupper() else Role.OUTPUT)
        for letter in loops
    )
    accesses = tuple(walk(source, letters) for source, letters in reads)
    dtypes = [source.dtype for source, _ in reads]
    body: tuple[Instruction, ...] = tuple(Load(number, dtype) for number, dtype in enumerate(dtypes))
    results: tuple[int, ...] = (0, 1)
    if kind not in (OpKind.MATMUL, OpKind.CONV):
        target = write[0].dtype
        if len(body) == 2:
            body = (*body, Apply("add", (0, 1), target))
        elif len(body) == 1:
            body = (*body, Apply("neg" if dtypes[0] is target else "cast", (0,), target))
        results = (len(body) - 1,)
    return LoopOp(name, kind, combine, nest, accesses, (walk(*write),), body, results, Origin())


def opaque(name: str, source: Buffer, target: Buffer) -> LoopOp:
    """A call on whole buffers."""
    call = OpaqueCall("aten.cumsum.default", ('{"read": 0}', "0"))
    reads, writes = (Access(source.name, Index(0)),), (Access(target.name, Index(0)),)
    return LoopOp(name, OpKind.OPAQUE, "", (), reads, writes, (), (), Origin(), call)


def program(buffers: Iterable[Buffer], ops: Iterable[LoopOp], *outputs: Buffer) -> LoopProgram:
    """A program with the given buffers as whole outputs."""
    views = tuple(OutputView(f"out{number}", out.name, out.shape, out.strides) for number, out in enumerate(outputs))
    return LoopProgram("tiny", ModelSource("tiny"), tuple(buffers), tuple(ops), views)


@cache
def spyre(cores: int = 32) -> Device:
    """The bundled device with fewer cores."""
    return load_device("spyre").with_cores(cores)


def layout_of(target: Buffer, order: tuple[int, ...] | None = None, lanes: int = 0) -> StickLayout:
    """The default layout, or that of a dim order."""
    return stick_layout(target.shape, target.strides, lanes or spyre().lanes(target.dtype), order)


def split(**steps: tuple[int, int]) -> Division:
    """`split(i=(4, 16))`: loop i in 4 slots of 16; the first one named is fastest."""
    return Division(tuple(Split(loop, factor, step) for loop, (factor, step) in steps.items()))


def copy(name: str, source: str, target: str, before: str, *readers: str) -> Edit:
    """A restickify."""
    return Edit(name, EditKind.RESTICKIFY, source, target, before, readers or (before,))


def naive_plan(
    problem: Problem,
    division: Division | None = None,
    layouts: dict[str, StickLayout] | None = None,
    edits: tuple[Edit, ...] = (),
) -> Plan:
    """Default layouts but for those given, the same division for every op that has its loops, all in device memory."""
    loop_program, device = problem.program, problem.device
    plan = Plan(loop_program.name, device.name, device.cores, "by hand", edits=edits)
    schedule = expand(loop_program, plan)
    given = layouts or {}
    chosen = {name: given.get(name) or layout_of(target) for name, target in schedule.buffers.items()}
    divisions = {}
    for step in schedule.steps:
        names = {loop.name for loop in step.op.loops}
        fits = division is not None and all(one.loop in names for one in division.splits)
        divisions[step.name] = division if fits and division is not None else Division()
    kernels = tuple(Kernel(f"k{number}", steps) for number, steps in enumerate(kernels_of(schedule)))
    return replace(
        plan,
        layouts=frozendict(chosen),
        divisions=frozendict(divisions),
        placement=frozendict((name, HBM) for name in schedule.buffers),
        kernels=kernels,
    )


def placed(plan: Plan, **slots: Placement) -> Plan:
    """The plan with some buffers placed otherwise."""
    return replace(plan, placement=frozendict({**plan.placement, **slots}))


def divided(plan: Plan, **divisions: Division) -> Plan:
    """The plan with some ops divided otherwise."""
    return replace(plan, divisions=frozendict({**plan.divisions, **divisions}))


def laid_out(plan: Plan, **layouts: StickLayout) -> Plan:
    """The plan with some buffers laid out otherwise."""
    return replace(plan, layouts=frozendict({**plan.layouts, **layouts}))


def slot(address: int, size: int, first: int, last: int, in_place_of: str = "") -> Slot:
    """A place in LX."""
    return Slot(address, size, first, last, in_place_of)


def failed(verdicts: tuple[Verdict, ...]) -> dict[str, str]:
    """Name and sentences of every verdict that is not ok."""
    return {verdict.check: " / ".join(verdict.violations) for verdict in verdicts if not verdict.ok}
