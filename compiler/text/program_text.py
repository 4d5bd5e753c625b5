"""Text form of a Program: tensors with address and boxes, kernels with ops and the slice of every core."""

from __future__ import annotations

from compiler.dtypes import DType
from compiler.loops import BufferKind, OutputView
from compiler.program import CoreBox, CoreSlice, DeviceOp, DeviceTensor, Memory, Program, ProgramKernel
from compiler.text.cursor import Cursor, Lines, bracket, quote_name
from compiler.text.loops_text import print_op, print_output, read_enum, read_op, read_output
from compiler.text.plan_text import print_layout, read_layout


def print_program(program: Program) -> str:
    """The listing of a Program."""
    target = f"device {quote_name(program.device)}  cores {program.cores}"
    lines = [f"device-program {quote_name(program.model)}  {target}  hbm {program.hbm_bytes}  lx {program.lx_bytes}"]
    for tensor in program.tensors:
        lines += _print_tensor(tensor)
    for kernel in program.kernels:
        lines.append(f"  kernel {quote_name(kernel.name)}")
        for op in kernel.ops:
            lines += _print_device_op(op)
    lines += [print_output(output) for output in program.outputs]
    return "\n".join(lines) + "\n"


def read_program(lines: Lines) -> Program:
    """Inverse of `print_program`."""
    head = lines.cursor()
    head.expect("device-program")
    model = head.name()
    head.expect("device")
    device = head.name()
    head.expect("cores")
    cores = head.whole()
    head.expect("hbm")
    hbm_bytes = head.whole()
    head.expect("lx")
    lx_bytes = head.whole()
    head.end()
    tensors: list[DeviceTensor] = []
    kernels: list[ProgramKernel] = []
    outputs: list[OutputView] = []
    while lines.starts("tensor"):
        tensors.append(_read_tensor(lines))
    while lines.starts("kernel"):
        kernels.append(_read_kernel(lines))
    while lines.starts("output"):
        outputs.append(read_output(lines.cursor()))
    return Program(model, device, cores, tuple(tensors), tuple(kernels), tuple(outputs), hbm_bytes, lx_bytes)


def _print_tensor(tensor: DeviceTensor) -> list[str]:
    shape = f"{tensor.dtype}{bracket(tensor.shape)} strides {bracket(tensor.strides)}"
    lines = [f"  tensor {quote_name(tensor.name)}  {tensor.kind}  {shape}  {tensor.memory} {tensor.address}"]
    lines.append(f"    layout {print_layout(tensor.layout)}")
    lines += [f"    box core {box.core}  start {bracket(box.start)}  size {bracket(box.size)}" for box in tensor.boxes]
    return lines


def _read_tensor(lines: Lines) -> DeviceTensor:
    cursor = lines.cursor()
    cursor.expect("tensor")
    name = cursor.name()
    kind = read_enum(cursor, BufferKind)
    dtype = read_enum(cursor, DType)
    shape = cursor.wholes()
    cursor.expect("strides")
    strides = cursor.wholes()
    memory = read_enum(cursor, Memory)
    address = cursor.whole()
    cursor.end()
    below = lines.cursor()
    below.expect("layout")
    layout = read_layout(below)
    boxes: list[CoreBox] = []
    while lines.starts("box"):
        boxes.append(_read_box(lines.cursor()))
    return DeviceTensor(name, dtype, kind, shape, strides, layout, memory, address, tuple(boxes))


def _read_box(cursor: Cursor) -> CoreBox:
    cursor.expect("box")
    cursor.expect("core")
    core = cursor.whole()
    cursor.expect("start")
    start = cursor.wholes()
    cursor.expect("size")
    size = cursor.wholes()
    cursor.end()
    return CoreBox(core, start, size)


def _print_device_op(op: DeviceOp) -> list[str]:
    masked = f"  masked ({', '.join(map(quote_name, op.masked))})" if op.masked else ""
    ring = "  over the ring" if op.ring else ""
    lines = [f"  step {op.step} {quote_name(op.name)}{masked}{ring}", *print_op(op.op)]
    for part in op.slices:
        ranges = ", ".join(f"{low}..{high}" for low, high in part.ranges)
        passes = f"  pass to {part.pass_to}" if part.pass_to >= 0 else ""
        lines.append(f"    core {part.core}  ({ranges}){passes}")
    return lines


def _read_kernel(lines: Lines) -> ProgramKernel:
    cursor = lines.cursor()
    cursor.expect("kernel")
    name = cursor.name()
    cursor.end()
    ops: list[DeviceOp] = []
    while lines.starts("step"):
        ops.append(_read_device_op(lines))
    return ProgramKernel(name, tuple(ops))


def _read_device_op(lines: Lines) -> DeviceOp:
    cursor = lines.cursor()
    cursor.expect("step")
    step = cursor.whole()
    name = cursor.name()
    masked: tuple[str, ...] = ()
    if cursor.word("masked"):
        cursor.expect("(")
        masked = cursor.until(")", cursor.name)
    ring = cursor.word("over")
    if ring:
        cursor.expect("the")
        cursor.expect("ring")
    cursor.end()
    op = read_op(lines)
    slices: list[CoreSlice] = []
    while lines.starts("core"):
        slices.append(_read_slice(lines.cursor()))
    return DeviceOp(name, step, op, tuple(slices), masked, ring)


def _read_slice(cursor: Cursor) -> CoreSlice:
    cursor.expect("core")
    core = cursor.whole()
    cursor.expect("(")
    ranges = cursor.until(")", lambda: _read_range(cursor))
    pass_to = -1
    if cursor.word("pass"):
        cursor.expect("to")
        pass_to = cursor.whole()
    cursor.end()
    return CoreSlice(core, ranges, pass_to)


def _read_range(cursor: Cursor) -> tuple[int, int]:
    low = cursor.whole()
    cursor.expect("..")
    return low, cursor.whole()
