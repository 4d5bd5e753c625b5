"""Validation of documents: whether a value read from a file is one that the compiler could have written.

Owns the rules that a LoopProgram, a ModelGraph and the parts of a Compilation keep, each broken one as one sentence.
Refuses nothing that a capture makes; whether a device can run a program is for the passes to say.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from compiler.captured import Captured
from compiler.compilation import Compilation
from compiler.counts import counted
from compiler.device import Device
from compiler.errors import InputError
from compiler.graph import ModelGraph
from compiler.loops import Buffer, LoopProgram, OutputView
from compiler.plan import EditKind
from compiler.problem import Problem
from compiler.validate_device import validate_device
from compiler.validate_flow import flow_faults
from compiler.validate_ops import op_faults

MOST_ELEMENTS = 1 << 53
_REPLICATING = (EditKind.RELAYOUT, EditKind.CLONE_IN)


def validate_value(value: object, origin: str) -> None:
    """The rules of any value with a document of its own; InputError for the first one that is broken."""
    if isinstance(value, LoopProgram):
        validate(value, origin)
    elif isinstance(value, ModelGraph):
        validate_graph(value, origin)
    elif isinstance(value, Device):
        validate_device(value, f"the device in {origin}")
    elif isinstance(value, Captured):
        validate_value(value.graph, origin)
        validate_value(value.program, origin)
    elif isinstance(value, Problem):
        validate_value(value.program, origin)
        validate_value(value.device, origin)
    elif isinstance(value, Compilation):
        validate_value(value.graph, origin)
        validate_value(value.problem, origin)
        validate_compilation(value, origin)


def validate(program: LoopProgram, origin: str) -> None:
    """InputError that names op or buffer and fault, if no capture could have made this program."""
    _refuse(program_faults(program), origin, "capture the model again")


def validate_graph(graph: ModelGraph, origin: str) -> None:
    """InputError if a call of the traced graph reads what does not exist."""
    _refuse(graph_faults(graph), origin, "capture the model again")


def validate_compilation(compilation: Compilation, origin: str) -> None:
    """InputError if problem, plan and device program are not of one model, device and number of cores."""
    _refuse(compilation_faults(compilation), origin, "compile the model again")


def _refuse(faults: Iterator[str], origin: str, remedy: str) -> None:
    fault = next(faults, "")
    if fault:
        raise InputError(origin, fault, remedy)


def program_faults(program: LoopProgram) -> Iterator[str]:
    """What is wrong with a program; each rule relies on those before it, so only the first one counts."""
    for what, names in (
        ("buffers", [buffer.name for buffer in program.buffers]),
        ("ops", [op.name for op in program.ops]),
        ("outputs", [output.name for output in program.outputs]),
    ):
        for name in _repeated(names):
            yield f"it has two {what} {name!r}" if name else f"one of its {what} has no name"
    for buffer in program.buffers:
        for fault in buffer_faults(buffer):
            yield f"buffer {buffer.name} {fault}"
    buffers = program.buffer_map
    for op in program.ops:
        for fault in op_faults(op, buffers):
            yield f"op {op.name} {fault}"
    yield from flow_faults(program)
    for output in program.outputs:
        for fault in _output_faults(output, buffers.get(output.buffer)):
            yield f"output {output.name} {fault}"


def _repeated(names: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for name in names:
        if name in seen or not name:
            yield name
        seen.add(name)


def buffer_faults(buffer: Buffer) -> Iterator[str]:
    """What is wrong with a buffer, as ends of sentences: its strides must be those of dense storage in some order."""
    if len(buffer.shape) != len(buffer.strides):
        yield f"has {len(buffer.shape)} dims and {len(buffer.strides)} strides"
    if any(size < 0 for size in buffer.shape):
        yield f"has the shape {list(buffer.shape)}"
    if any(stride < 0 or stride > MOST_ELEMENTS for stride in buffer.strides):
        yield f"has the strides {list(buffer.strides)}"
    if math.prod(max(size, 1) for size in buffer.shape) > MOST_ELEMENTS:
        yield "has more elements than any memory holds"
    if buffer.elements == 0:
        return
    expected = 1
    for stride, size in sorted(zip(buffer.strides, buffer.shape, strict=True)):
        if size > 1 and stride != expected:
            yield f"has the strides {list(buffer.strides)}, which leave gaps or overlap in {list(buffer.shape)}"
        expected *= size


def _output_faults(output: OutputView, buffer: Buffer | None) -> Iterator[str]:
    if buffer is None:
        yield f"is a view of a buffer {output.buffer!r} that it does not have"
        return
    if len(output.shape) != len(output.strides):
        yield f"has {len(output.shape)} dims and {len(output.strides)} strides"
    if any(size < 0 for size in output.shape) or output.offset < 0:
        yield f"has the shape {list(output.shape)} at offset {output.offset}"
    ends = [(size - 1) * stride for size, stride in zip(output.shape, output.strides, strict=True)]
    low = output.offset + sum(min(end, 0) for end in ends)
    high = output.offset + sum(max(end, 0) for end in ends)
    if math.prod(output.shape) and (low < 0 or high >= buffer.storage_elements):
        yield f"is a view that leaves {buffer.name}"
    if math.prod(max(size, 1) for size in output.shape) > MOST_ELEMENTS:
        yield "has more elements than any memory holds"


def graph_faults(graph: ModelGraph) -> Iterator[str]:
    """What is wrong with a traced graph, as clauses."""
    known: set[str] = set()
    for given in graph.inputs:
        if given.name in known or not given.name:
            yield f"its graph has two inputs {given.name!r}" if given.name else "an input of its graph has no name"
        known.add(given.name)
    for node in graph.nodes:
        for name in node.inputs:
            if name not in known:
                yield f"call {node.name} of its graph reads {name!r}, which does not stand before it"
        known.add(node.name)
    for name in graph.outputs:
        if name not in known:
            yield f"its graph returns {name!r}, which does not exist"
    types = (kind for place in (*graph.nodes,) for kind in place.types)
    for kind in (*(given.type for given in graph.inputs), *types):
        if any(size < 0 for size in kind.shape) or math.prod(max(size, 1) for size in kind.shape) > MOST_ELEMENTS:
            yield f"its graph has a tensor of the shape {list(kind.shape)}"


def compilation_faults(compilation: Compilation) -> Iterator[str]:
    """Where plan and device program do not belong to the problem, as clauses."""
    problem = compilation.problem
    for what, part in (("plan", compilation.plan), ("device program", compilation.program)):
        if part.model != problem.program.name:
            yield f"its {what} is for the model {part.model!r} and its problem for {problem.program.name!r}"
        if part.device != problem.device.name:
            yield f"its {what} is for the device {part.device!r} and its problem for {problem.device.name!r}"
        if part.cores != problem.device.cores:
            yield f"its {what} is for {counted(part.cores, 'core')} and its problem for {problem.device.cores}"
    for edit in compilation.plan.edits:
        if edit.replicas < 1:
            yield f"its {edit.kind} {edit.name} has {edit.replicas} replicas, and the least is 1"
        elif edit.replicas > 1 and edit.kind not in _REPLICATING:
            yield f"its {edit.kind} {edit.name} has {edit.replicas} replicas, which only a move into LX can have"
        elif edit.replicas > problem.device.cores:
            yield f"its {edit.kind} {edit.name} has {edit.replicas} replicas for {problem.device.cores} cores"
