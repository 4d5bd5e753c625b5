"""Imported: op specifications of files as a Compilation, so that every view, the simulator and comparisons work on it.

Owns the door: program, plan, device program, cost, verdicts of the checker and what was found on the way, in sentences.
Refuses to judge by other rules than those of our own plans: a file that breaks them is imported, and its verdicts say
what is wrong.  What no plan can hold ends as an InputError that names the op.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from compiler.check import check
from compiler.compilation import AS_READ, IMPORTED, Compilation, SolverStatus
from compiler.cost.model import price
from compiler.counts import counted
from compiler.device import Device
from compiler.emit.op_specs import owners_of
from compiler.errors import InputError
from compiler.formats.opspec import KernelSpec, OpSpec, TensorArg, WorkDivision
from compiler.graph import GraphInput, GraphNode, InputKind, ModelGraph, TensorType
from compiler.import_log import Disagreement, files_verdicts, import_log
from compiler.loops import Buffer, BufferKind, LoopProgram
from compiler.materialize import materialize
from compiler.problem import Problem
from compiler.program import Program
from compiler.read.import_coordinates import refactored
from compiler.read.import_flow import Flow
from compiler.read.import_plan import imported_plan
from compiler.read.import_program import ProgramMaker
from compiler.read.plain import REMEDY
from compiler.validate import buffer_faults
from compiler.validate_flow import flow_faults
from compiler.validate_ops import op_faults

_INPUT_KINDS = {BufferKind.PARAMETER: InputKind.PARAMETER, BufferKind.CONSTANT: InputKind.CONSTANT}


@dataclass(frozen=True, slots=True)
class Imported:
    """What files hold, and what in them is unknown, left out or contradicts itself, one sentence each."""

    compilation: Compilation
    findings: tuple[str, ...]


def imported(
    kernels: tuple[KernelSpec, ...],
    name: str,
    device: Device,
    results: tuple[str, ...] = (),
    found: tuple[str, ...] = (),
) -> Imported:
    """The compilation behind kernels, for a device; `name` is that of the model, `results` are names of the tensors
    that the host gets if that is known, `found` what the readers of the files have found.

    InputError, with the op, where the files hold what no program or plan can; LimitError if the tensors do not fit into
    device memory.
    """
    started = time.perf_counter()
    maker = _made(kernels, name, frozenset(results))
    flow = maker.flow
    problem = Problem(maker.program, device)
    plan = imported_plan(maker, kernels, device)
    program = materialize(problem, plan)
    cost = price(problem, plan)
    findings = (
        *flow.findings,
        *maker.forms.findings,
        *maker.findings,
        *_owner_findings(maker, program),
        *found,
    )
    seconds = time.perf_counter() - started
    log = import_log(_summary(kernels, maker), findings, seconds)
    status = SolverStatus(IMPORTED, AS_READ, cost.total_us, -1.0, -1.0, seconds)
    graph = _graph(maker.program)
    made = Compilation(graph, problem, plan, program, cost, check(problem, plan), log, status)
    made = replace(made, verdicts=(*made.verdicts, *files_verdicts(made)))
    return Imported(made, tuple(dict.fromkeys(findings)))


def _made(kernels: tuple[KernelSpec, ...], name: str, results: frozenset[str]) -> ProgramMaker:
    """The program, with tensors of which ops write only parts as results of calls."""
    torn = frozenset[str]()
    while True:
        flow = Flow(kernels, torn)
        if not flow.acts:
            raise InputError(name, "its kernels have no ops", REMEDY)
        maker = ProgramMaker(flow, name, results)
        _require_sound(maker.program)
        faults = list(flow_faults(maker.program))
        written = {tensor.name for tensor in flow.tensors if not tensor.given}
        named = {buffer for buffer in written for fault in faults if fault.startswith(f"buffer {buffer} ")}
        if not faults:
            return maker
        if named <= torn:
            raise InputError(name, faults[0], REMEDY)
        torn |= named


def _summary(kernels: tuple[KernelSpec, ...], maker: ProgramMaker) -> str:
    ops = sum(len(act.specs) for act in maker.flow.acts)
    moves = counted(len(maker.edits), "move")
    return f"{counted(len(kernels), 'kernel')} of {counted(ops, 'op')}: {counted(len(maker.steps), 'step')}, {moves}"


def _require_sound(program: LoopProgram) -> None:
    """InputError for what no view and no simulator could show."""
    for buffer in program.buffers:
        for fault in buffer_faults(buffer):
            raise InputError(program.name, f"tensor {buffer.name} {fault}", REMEDY)
    buffers = program.buffer_map
    for op in program.ops:
        for fault in op_faults(op, buffers):
            raise InputError(program.name, f"op {op.name} {fault}", REMEDY)


# Owner maps


def _owner_findings(maker: ProgramMaker, program: Program) -> Iterator[str]:
    """Where a file says of a tensor in LX that other cores hold it than those which have written it."""
    tensors = program.tensor_map
    for act in maker.flow.acts:
        spec = act.spec
        for tensor, arg in zip((*act.reads, act.write), spec.args, strict=False):
            held = tensors.get(tensor.name)
            if arg.division is None or held is None or not held.boxes:
                continue
            sizes = held.layout.device_size
            coordinates = refactored(arg.device_size, arg.coordinates, sizes, spec.extents)
            owners = owners_of(held, coordinates) if coordinates else None
            fault = _owner_fault(arg, spec, owners)
            if fault:
                yield Disagreement(f"{act.name} says of {tensor.name} that {fault}")


def _owner_fault(arg: TensorArg, spec: OpSpec, owners: WorkDivision | None) -> str:
    said = arg.division
    assert said is not None  # asked for arguments with owners only
    if owners is None:
        return ""
    if len(said.of_core) != len(owners.of_core):
        return f"it is held by {counted(len(said.of_core), 'core')}, but was written by {len(owners.of_core)}"
    cut = [dim.symbol for dim in spec.iteration if owners.slices.get(dim.symbol, 1) > 1]
    for core, (one, other) in enumerate(zip(said.of_core, owners.of_core, strict=True)):
        for name in cut:
            if one.get(name, 0) != other.get(name, 0):
                return f"core {core} holds slice {one.get(name, 0)} of {name}, it has written slice {other[name]}"
    return ""


# The graph


def _graph(program: LoopProgram) -> ModelGraph:
    """The ops as calls, so that what shows the traced model has something to show."""
    made: dict[str, str] = {}
    inputs = [_input(buffer) for buffer in program.buffers if buffer.kind is not BufferKind.COMPUTED]
    taken = {each.name for each in inputs}
    buffers, nodes = program.buffer_map, list[GraphNode]()
    for op in program.ops:
        if op.name in taken:
            continue
        taken.add(op.name)
        written = [buffers[access.buffer] for access in op.writes]
        known = dict.fromkeys(made.get(access.buffer, access.buffer) for access in op.reads)
        nodes.append(
            GraphNode(
                op.name,
                op.origin.target,
                tuple(name for name in known if name in taken),
                tuple(TensorType(buffer.dtype, buffer.shape) for buffer in written),
                (),
                "",
                op.origin.source,
            )
        )
        made.update((buffer.name, op.name) for buffer in written)
    outputs = dict.fromkeys(made.get(view.buffer, view.buffer) for view in program.outputs)
    return ModelGraph(program.name, tuple(inputs), tuple(nodes), tuple(name for name in outputs if name in taken))


def _input(buffer: Buffer) -> GraphInput:
    kind = _INPUT_KINDS.get(buffer.kind, InputKind.USER)
    return GraphInput(buffer.name, kind, TensorType(buffer.dtype, buffer.shape), buffer.name)
