"""Argument faults: where the arguments of a kernel, as its specifications describe them, cannot be what its ops use.

Owns the sentences about numbers that name nothing, sizes that are not walked, element types that nobody knows, and host
shapes that have no place on the device.  Refuses to repair any of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.formats.element_types import BYTES
from compiler.formats.opspec import KernelArgument, KernelSpec, Room
from compiler.import_log import Disagreement


def argument_faults(kernel: KernelSpec) -> Iterator[str]:
    """What is wrong, one sentence each."""
    known = {argument.number: argument for argument in kernel.arguments}
    if len(known) != len(kernel.arguments):
        yield Disagreement("two of its arguments have the same number")
    for argument in kernel.arguments:
        yield from map(Disagreement, _faults_of(argument))
    for number, spec in enumerate(kernel.ops()):
        who = f"op {number} ({spec.op})"
        for arg in spec.args:
            if arg.device_dtype not in BYTES:
                yield f"{who} has elements of {arg.device_dtype}, which nobody here knows: taken as {arg.word_bytes} B"
            if arg.place.room is not Room.HBM or not known:
                continue
            described = known.get(arg.place.at)
            if described is None:
                yield Disagreement(f"{who} uses argument {arg.place.at}, the kernel has {len(known)}")
            elif _true(described.device_size) != _true(arg.device_size):
                sizes = f"{list(arg.device_size)} on the device, the kernel has it as {list(described.device_size)}"
                yield Disagreement(f"{who} sees argument {arg.place.at} as {sizes}")


def _faults_of(argument: KernelArgument) -> Iterator[str]:
    """Of one that is described as a whole; parts of it may be missing in older files."""
    who = f"argument {argument.number} ({argument.name})"
    if argument.shape and len(argument.shape) != len(argument.strides):
        yield f"{who} has {len(argument.shape)} sizes and {len(argument.strides)} strides"
        return
    if not argument.device_size or len(argument.device_size) != len(argument.stride_map):
        return
    steps = [(size - 1) * stride for size, stride in zip(argument.device_size, argument.stride_map, strict=True)]
    pairs = zip(argument.shape, argument.strides, strict=True)
    last = sum((size - 1) * stride for size, stride in pairs) if all(argument.shape) else 0
    reached = sum(step for step in steps if step > 0)
    if last > reached:
        what = f"{last + 1:,} elements on the host and {reached + 1:,} on the device"
        yield f"{who} of shape {list(argument.shape)} has {what}"


def _true(sizes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(size for size in sizes if size > 1)
