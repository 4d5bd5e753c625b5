"""Text form of a LoopProgram: one `op` per loop nest with its body and origin on the lines below it."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from compiler.dtypes import DType
from compiler.loops import (
    Apply,
    Buffer,
    BufferKind,
    Const,
    IndexValue,
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
)
from compiler.text.cursor import Cursor, Lines, bracket, quote, quote_name
from compiler.text.index_text import print_access, print_index, read_access, read_index

E = TypeVar("E", bound=StrEnum)


def read_enum(cursor: Cursor, cls: type[E]) -> E:
    """A name that must be one of the enum's values."""
    known = ", ".join(member.value for member in cls)
    error = cursor.fail(f"one of {known}")
    name = cursor.name()
    if name not in {member.value for member in cls}:
        raise error
    return cls(name)


def print_loops(program: LoopProgram) -> str:
    """The listing of a LoopProgram."""
    lines = [f"program {quote_name(program.name)}  of {quote(program.source.spec)} {quote(program.source.digest)}"]
    lines += [print_buffer(buffer) for buffer in program.buffers]
    for op in program.ops:
        lines += print_op(op)
    lines += [print_output(output) for output in program.outputs]
    return "\n".join(lines) + "\n"


def read_loops(lines: Lines) -> LoopProgram:
    """Inverse of `print_loops`."""
    head = lines.cursor()
    head.expect("program")
    name = head.name()
    head.expect("of")
    source = ModelSource(head.string(), head.string())
    head.end()
    buffers: list[Buffer] = []
    ops: list[LoopOp] = []
    outputs: list[OutputView] = []
    while lines.starts("buffer"):
        buffers.append(read_buffer(lines.cursor()))
    while lines.starts("op"):
        ops.append(read_op(lines))
    while lines.starts("output"):
        outputs.append(read_output(lines.cursor()))
    return LoopProgram(name, source, tuple(buffers), tuple(ops), tuple(outputs))


def print_buffer(buffer: Buffer) -> str:
    """`buffer x  input  f16[512,1024]  strides [1024,1]`."""
    shape = f"{buffer.dtype}{bracket(buffer.shape)}"
    return f"  buffer {quote_name(buffer.name)}  {buffer.kind}  {shape}  strides {bracket(buffer.strides)}"


def read_buffer(cursor: Cursor) -> Buffer:
    """Inverse of `print_buffer`."""
    cursor.expect("buffer")
    name = cursor.name()
    kind = read_enum(cursor, BufferKind)
    dtype = read_enum(cursor, DType)
    shape = cursor.wholes()
    cursor.expect("strides")
    strides = cursor.wholes()
    cursor.end()
    return Buffer(name, dtype, shape, strides, kind)


def print_output(output: OutputView) -> str:
    """`output y = softmax/div[512,1024] strides [1024,1] offset 0`."""
    view = f"{quote_name(output.buffer)} {bracket(output.shape)}  strides {bracket(output.strides)}"
    return f"  output {quote_name(output.name)} = {view}  offset {output.offset}"


def read_output(cursor: Cursor) -> OutputView:
    """Inverse of `print_output`."""
    cursor.expect("output")
    name = cursor.name()
    cursor.expect("=")
    buffer = cursor.name()
    shape = cursor.wholes()
    cursor.expect("strides")
    strides = cursor.wholes()
    cursor.expect("offset")
    offset = cursor.whole()
    cursor.end()
    return OutputView(name, buffer, shape, strides, offset)


def print_op(op: LoopOp) -> list[str]:
    """The lines of one op."""
    loops = ", ".join(f"{loop.name}:{loop.extent}{' reduced' * (loop.role is Role.REDUCTION)}" for loop in op.loops)
    reads = ", ".join(map(print_access, op.reads))
    writes = ", ".join(map(print_access, op.writes))
    combine = f" {op.combine}" if op.combine else ""
    head = f"  op {quote_name(op.name)}  {op.kind}{combine}  ({loops})  {reads} -> {writes}"
    lines = [head]
    if op.body or op.results:
        steps = [f"%{number} {_print_instruction(step)}" for number, step in enumerate(op.body)]
        results = " ".join(f"%{result}" for result in op.results)
        lines.append("    body  " + "; ".join([*steps, f"return {results}".rstrip()]))
    if op.call is not None:
        lines.append("    call  " + _print_call(op.call))
    origin = op.origin
    nodes = ", ".join(map(quote_name, origin.nodes))
    lines.append(f"    from  {quote(origin.source)} {quote(origin.target)} {quote(origin.module)} ({nodes})")
    return lines


def read_op(lines: Lines) -> LoopOp:
    """Inverse of `print_op`."""
    cursor = lines.cursor()
    cursor.expect("op")
    name = cursor.name()
    kind = read_enum(cursor, OpKind)
    combine = "" if cursor.sees("(") else cursor.name()
    cursor.expect("(")
    loops = cursor.until(")", lambda: _read_loop(cursor))
    reads = cursor.until("->", lambda: read_access(cursor))
    writes = [read_access(cursor)]
    while cursor.take(","):
        writes.append(read_access(cursor))
    cursor.end()
    body: tuple[Instruction, ...] = ()
    results: tuple[int, ...] = ()
    if lines.starts("body"):
        body, results = _read_body(lines.cursor())
    call = _read_call(lines.cursor()) if lines.starts("call") else None
    origin = _read_origin(lines.cursor())
    return LoopOp(name, kind, combine, loops, reads, tuple(writes), body, results, origin, call)


def _read_loop(cursor: Cursor) -> Loop:
    name = cursor.name()
    cursor.expect(":")
    extent = cursor.whole()
    return Loop(name, extent, Role.REDUCTION if cursor.word("reduced") else Role.OUTPUT)


def _print_instruction(step: Instruction) -> str:
    if isinstance(step, Load):
        mask = "" if step.mask is None else f" mask %{step.mask}"
        return f"load {step.read} {step.dtype}{mask}"
    if isinstance(step, Const):
        return f"const {_print_scalar(step.value)} {step.dtype}"
    if isinstance(step, IndexValue):
        return f"index [{print_index(step.index)}] {step.dtype}"
    args = "".join(f" %{arg}" for arg in step.args)
    return f"{step.primitive}{args} {step.dtype}"


def _print_scalar(value: float | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _read_body(cursor: Cursor) -> tuple[tuple[Instruction, ...], tuple[int, ...]]:
    cursor.expect("body")
    body: list[Instruction] = []
    while not cursor.word("return"):
        cursor.expect(f"%{len(body)}")
        body.append(_read_instruction(cursor))
        cursor.expect(";")
    results: list[int] = []
    while not cursor.done():
        results.append(_read_reference(cursor))
    return tuple(body), tuple(results)


def _read_reference(cursor: Cursor) -> int:
    cursor.expect("%")
    return cursor.whole()


def _read_instruction(cursor: Cursor) -> Instruction:
    if cursor.word("load"):
        read, dtype = cursor.whole(), read_enum(cursor, DType)
        return Load(read, dtype, _read_reference(cursor) if cursor.word("mask") else None)
    if cursor.word("const"):
        return Const(_read_scalar(cursor), read_enum(cursor, DType))
    if cursor.word("index"):
        cursor.expect("[")
        index = read_index(cursor)
        cursor.expect("]")
        return IndexValue(index, read_enum(cursor, DType))
    primitive = cursor.name()
    args: list[int] = []
    while cursor.sees("%"):
        args.append(_read_reference(cursor))
    return Apply(primitive, tuple(args), read_enum(cursor, DType))


def _read_scalar(cursor: Cursor) -> float | int | bool:
    if cursor.word("true"):
        return True
    if cursor.word("false"):
        return False
    return cursor.number()


def _print_call(call: OpaqueCall) -> str:
    arguments = ", ".join(map(quote, call.arguments))
    keywords = ", ".join(f"{quote_name(key)} = {quote(value)}" for key, value in call.keywords)
    return f"{quote(call.target)} ({arguments}) {{{keywords}}}"


def _read_call(cursor: Cursor) -> OpaqueCall:
    cursor.expect("call")
    target = cursor.string()
    cursor.expect("(")
    arguments = cursor.until(")", cursor.string)
    cursor.expect("{")
    keywords = cursor.until("}", lambda: _read_keyword(cursor))
    cursor.end()
    return OpaqueCall(target, arguments, keywords)


def _read_keyword(cursor: Cursor) -> tuple[str, str]:
    key = cursor.name()
    cursor.expect("=")
    return key, cursor.string()


def _read_origin(cursor: Cursor) -> Origin:
    cursor.expect("from")
    source, target, module = cursor.string(), cursor.string(), cursor.string()
    cursor.expect("(")
    nodes = cursor.until(")", cursor.name)
    cursor.end()
    return Origin(nodes, module, source, target)
