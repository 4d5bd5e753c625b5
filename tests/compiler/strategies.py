"""Hypothesis strategies for every value, by type; names are any text, loop names are identifiers."""

from __future__ import annotations

from dataclasses import replace

import hypothesis.strategies as st
from frozendict import frozendict

from compiler.captured import Captured
from compiler.compilation import Compilation, PassRecord, SolverStatus, Verdict
from compiler.device import Device, load_device
from compiler.division import Division, Split
from compiler.dtypes import DType
from compiler.graph import GraphInput, GraphNode, InputKind, ModelGraph, TensorType
from compiler.layout import Arrangement, StickLayout
from compiler.loops import (
    Access,
    Apply,
    BufferKind,
    Const,
    Gather,
    Index,
    IndexValue,
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
from compiler.pins import Pins, PinState, PinStatus
from compiler.plan import Edit, EditKind, Kernel, Plan, ReasonCode, Slot, Spilled
from compiler.price import Cost, CostTerm, KernelCost, StepCost
from compiler.primitives import COMBINES, PRIMITIVES
from compiler.problem import Problem
from compiler.program import CoreBox, CoreSlice, DeviceOp, DeviceTensor, Memory, Program, ProgramKernel
from tests.random_programs import TINY, random_program

texts = st.text(max_size=12)
names = st.one_of(
    st.from_regex(r"[a-z_]{1,4}(\.[a-z0-9]{1,3})?(/[a-z]{1,3})?", fullmatch=True), st.text(min_size=1, max_size=6)
)
loop_names = st.from_regex(r"[a-z][a-z0-9_]{0,2}", fullmatch=True)
wholes = st.integers(-(2**40), 2**40)
counts = st.integers(0, 2**20)
reals = st.floats(allow_nan=False, allow_infinity=False)
enums = st.sampled_from


def some(item: st.SearchStrategy, most: int = 3) -> st.SearchStrategy:
    return st.lists(item, max_size=most).map(tuple)


def table(key: st.SearchStrategy, item: st.SearchStrategy) -> st.SearchStrategy:
    return st.dictionaries(key, item, max_size=3).map(frozendict)


types = st.builds(TensorType, enums(DType), some(st.integers(0, 2**17)))


@st.composite
def graphs_of(draw: st.DrawFn) -> ModelGraph:
    """A traced graph whose calls read inputs and earlier calls."""
    known = draw(st.lists(names, min_size=1, max_size=6, unique=True))
    count = draw(st.integers(1, len(known)))
    inputs = tuple(GraphInput(name, draw(enums(InputKind)), draw(types), draw(texts)) for name in known[:count])
    nodes = tuple(
        GraphNode(
            name,
            draw(names),
            draw(some(enums(known[:place]))),
            draw(some(types)),
            draw(some(st.tuples(names, texts))),
            draw(texts),
            draw(texts),
        )
        for place, name in enumerate(known[count:], count)
    )
    return ModelGraph(draw(names), inputs, nodes, draw(some(enums(known))))


graphs = graphs_of()
terms = st.one_of(
    st.builds(Term, wholes, st.tuples(st.tuples(loop_names, st.just(1)))),
    st.builds(
        Term,
        wholes,
        some(st.tuples(loop_names, wholes)),
        wholes,
        st.integers(1, 512),
        st.integers(0, 512),
    ),
)
indices = st.builds(Index, wholes, some(terms), some(st.builds(Gather, wholes, counts, counts)))
accesses = st.builds(Access, names, indices)
scalars = st.one_of(st.booleans(), wholes, st.floats(allow_nan=False))
instructions = st.one_of(
    st.builds(Load, counts, enums(DType), st.none() | counts),
    st.builds(Const, scalars, enums(DType)),
    st.builds(IndexValue, indices, enums(DType)),
    st.builds(Apply, enums(sorted(PRIMITIVES)), some(counts), enums(DType)),
)
origins = st.builds(Origin, some(names), texts, texts, texts)
calls = st.builds(OpaqueCall, texts, some(texts), some(st.tuples(names, texts)))
loops = st.builds(Loop, loop_names, counts, enums(Role))
ops = st.builds(
    LoopOp,
    names,
    enums(OpKind),
    enums(["", *COMBINES]),
    some(loops),
    some(accesses),
    st.lists(accesses, min_size=1, max_size=2).map(tuple),
    some(instructions),
    some(counts, 2),
    origins,
    st.none() | calls,
)
outputs = st.builds(OutputView, names, names, some(counts), some(counts), counts)


@st.composite
def sound_programs(draw: st.DrawFn) -> LoopProgram:
    """A random program under names that may be any text."""
    program = random_program(draw(st.integers(0, 10_000)), draw(st.integers(1, 3)), TINY)
    count = len(program.buffers) + len(program.ops)
    drawn = draw(st.lists(names, min_size=count, max_size=count, unique=True))
    renamed = dict(zip((buffer.name for buffer in program.buffers), drawn, strict=False))

    def access(old: Access) -> Access:
        return replace(old, buffer=renamed[old.buffer])

    sound = tuple(
        replace(
            op,
            name=name,
            reads=tuple(map(access, op.reads)),
            writes=tuple(map(access, op.writes)),
            origin=draw(origins),
            call=op.call and draw(calls),
        )
        for name, op in zip(drawn[len(program.buffers) :], program.ops, strict=True)
    )
    return replace(
        program,
        name=draw(names),
        source=draw(st.builds(ModelSource, texts, texts)),
        buffers=tuple(replace(buffer, name=renamed[buffer.name]) for buffer in program.buffers),
        ops=sound,
        outputs=tuple(replace(view, buffer=renamed[view.buffer]) for view in program.outputs),
    )


programs = sound_programs()
layouts = st.builds(
    StickLayout,
    st.lists(counts, min_size=1, max_size=4).map(tuple),
    some(wholes),
    some(st.integers(-1, 5)),
    enums(Arrangement),
)
divisions = st.builds(Division, some(st.builds(Split, loop_names, counts, counts)))
placements = st.one_of(
    st.builds(Slot, counts, counts, counts, counts, st.just("") | names), st.builds(Spilled, enums(ReasonCode), texts)
)
statuses = st.builds(PinStatus, enums(PinState), texts)
plans = st.builds(
    Plan,
    names,
    names,
    counts,
    texts,
    table(names, layouts),
    some(st.builds(Edit, names, enums(EditKind), names, names, st.just("") | names, some(names), st.integers(1, 8))),
    table(names, divisions),
    table(names, placements),
    some(st.builds(Kernel, names, some(names))),
    table(texts, texts),
    table(texts, statuses),
)
pins = st.builds(
    Pins,
    table(names, table(loop_names, wholes)),
    table(names, wholes),
    table(names, names),
    table(names, table(loop_names, wholes)),
)
devices: st.SearchStrategy[Device] = st.builds(
    lambda name, cores: load_device(name).with_cores(cores), enums(["spyre", "sample"]), st.integers(1, 4)
)
problems = st.builds(Problem, programs, devices, pins)
boxes = st.builds(CoreBox, counts, some(counts), some(counts))
tensors = st.builds(
    DeviceTensor,
    names,
    enums(DType),
    enums(BufferKind),
    some(counts),
    some(counts),
    layouts,
    enums(Memory),
    counts,
    some(boxes),
)
slices = st.builds(CoreSlice, counts, some(st.tuples(counts, counts)), st.integers(-1, 31))
device_ops = st.builds(DeviceOp, names, counts, ops, some(slices), some(names), st.booleans())
device_programs = st.builds(
    Program,
    names,
    names,
    counts,
    some(tensors, 2),
    some(st.builds(ProgramKernel, names, some(device_ops, 2)), 2),
    some(outputs),
    counts,
    counts,
)
terms_of_cost = st.builds(CostTerm, names, reals, texts, texts, some(names))
costs = st.builds(
    Cost,
    reals,
    reals,
    reals,
    reals,
    counts,
    reals,
    reals,
    counts,
    some(st.builds(StepCost, names, reals, reals, reals, reals, counts, counts, some(terms_of_cost))),
    some(st.builds(KernelCost, names, reals, some(names))),
)
verdicts = some(st.builds(Verdict, names, st.booleans(), some(texts)))
solvers = st.builds(SolverStatus, texts, texts, reals, reals, reals, reals)
# The parts that have strategies of their own are fixed here: a draw of everything at once would be too large.
SMALL = Problem(LoopProgram("m", ModelSource("m.pt2"), (), (), ()), load_device("spyre"), Pins())
compilations = st.builds(
    Compilation,
    st.just(ModelGraph("m", (), (), ())),
    st.just(SMALL),
    st.builds(Plan, st.just("m"), st.just("spyre"), st.just(32), texts),
    st.just(Program("m", "spyre", 32, (), (), (), 0, 0)),
    costs,
    verdicts,
    some(st.builds(PassRecord, texts, reals, some(texts))),
    solvers,
)
VALUES: dict[str, st.SearchStrategy] = {
    "model": st.builds(Captured, graphs, programs),
    "graph": graphs,
    "loops": programs,
    "device": devices,
    "pins": pins,
    "plan": plans,
    "problem": problems,
    "program": device_programs,
    "compilation": compilations,
}
