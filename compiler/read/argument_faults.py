"""Argument faults: where the arguments of a kernel, as its specifications describe them, cannot be what its ops use.

Owns the sentences about numbers that name nothing, sizes that are not walked, element types that nobody knows, and host
shapes that have no place on the device.  Refuses to repair any of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from compiler.dtypes import BY_TORCH_NAME
from compiler.formats.element_types import BYTES
from compiler.formats.opspec import KernelArgument, KernelSpec, OpSpec, Room, TensorArg, true_sizes
from compiler.formats.simplify import bounds
from compiler.import_log import Disagreement


def argument_faults(kernel: KernelSpec, *, whole: bool = True) -> Iterator[str]:
    """What is wrong, one sentence each.  Descriptions that are not `whole` leave out what other files may say, and are
    held against the ops elsewhere."""
    known = {argument.number: argument for argument in kernel.arguments}
    if len(known) != len(kernel.arguments):
        yield Disagreement("two of its arguments have the same number")
    for argument in kernel.arguments:
        yield from map(Disagreement, (*_type_faults(argument), *(_faults_of(argument) if whole else ())))
    written = {arg.place.at for spec in kernel.ops() for arg in spec.args if _leaves(arg) and not arg.is_input}
    for argument in kernel.arguments:
        yield from map(Disagreement, _role_faults(argument, written))
    for number, spec in enumerate(kernel.ops()):
        who = f"op {number} ({spec.op})"
        for arg in spec.args:
            if arg.device_dtype not in BYTES:
                yield f"{who} has elements of {arg.device_dtype}, which nobody here knows: taken as {arg.word_bytes} B"
            beyond = _beyond(spec, arg)
            if beyond:
                yield Disagreement(f"{who} {beyond}")
            if whole and known and _leaves(arg):
                yield from (Disagreement(f"{who} {why}") for why in _apart(arg, known))


def _leaves(arg: TensorArg) -> bool:
    return arg.place.room is Room.HBM


def _role_faults(argument: KernelArgument, written: set[int]) -> Iterator[str]:
    who = f"argument {argument.number} ({argument.name})"
    if argument.is_input and argument.number in written:
        yield f"{who} is an input, and an op writes it"
    if not argument.is_input and argument.number not in written:
        yield f"{who} is an output, and no op writes it"


def _beyond(spec: OpSpec, arg: TensorArg) -> str:
    """Words about the first device dim that an op walks beyond its end."""
    for place, (size, coordinate) in enumerate(zip(arg.device_size, arg.coordinates, strict=True)):
        edges = bounds(coordinate, spec.extents)
        if edges is not None and (edges[0] < 0 or edges[1] >= size):
            name = arg.name or "a tensor"
            return f"walks places {edges[0]:,} to {edges[1]:,} of device dim {place} of {name}, which has {size:,}"
    return ""


def _apart(arg: TensorArg, known: Mapping[int, KernelArgument]) -> Iterator[str]:
    """What an op says of a kernel argument and its description does not."""
    at = arg.place.at
    described = known.get(at)
    if described is None:
        yield f"uses argument {at}, the kernel has {len(known)}"
        return
    if arg.argument not in (-1, at):
        yield f"calls the argument at {at} number {arg.argument}"
    if arg.name and described.name and arg.name != described.name:
        yield f"calls argument {at} {arg.name}, the kernel calls it {described.name}"
    if described.device_dtype and arg.device_dtype != described.device_dtype:
        yield f"has argument {at} in {arg.device_dtype}, the kernel has it in {described.device_dtype}"
    if described.device_size and true_sizes(described.device_size) != true_sizes(arg.device_size):
        sizes = f"{list(arg.device_size)} on the device, the kernel has it as {list(described.device_size)}"
        yield f"sees argument {at} as {sizes}"


def _type_faults(argument: KernelArgument) -> Iterator[str]:
    if argument.dtype and argument.dtype.removeprefix("torch.") not in BY_TORCH_NAME:
        who = f"argument {argument.number} ({argument.name})"
        yield f"{who} has elements of {argument.dtype} on the host, which no model here has"


def _faults_of(argument: KernelArgument) -> Iterator[str]:
    """Of one that is described as a whole; parts of it may be missing in older files."""
    who = f"argument {argument.number} ({argument.name})"
    if len(argument.shape) != len(argument.strides):
        yield f"{who} has {len(argument.shape)} sizes and {len(argument.strides)} strides"
        return
    if min(argument.strides, default=0) < 0:
        yield f"{who} has a stride below 0"
        return
    if not argument.device_size:
        return
    if len(argument.device_size) != len(argument.stride_map):
        yield f"{who} has {len(argument.device_size)} device dims and {len(argument.stride_map)} strides for them"
        return
    steps = [(size - 1) * stride for size, stride in zip(argument.device_size, argument.stride_map, strict=True)]
    pairs = zip(argument.shape, argument.strides, strict=True)
    last = sum((size - 1) * stride for size, stride in pairs) if all(argument.shape) else 0
    reached = sum(step for step in steps if step > 0)
    if last > reached:
        what = f"{last + 1:,} elements on the host and {reached + 1:,} on the device"
        yield f"{who} of shape {list(argument.shape)} has {what}"
