"""Kernel arguments: the tensors that a kernel is launched with, from its ops and from what is known about them.

Owns the merge of both, names of arguments in ops, and sentences about sizes that disagree.  Refuses to invent shapes:
an argument that only ops tell of has none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from frozendict import frozendict

from compiler.formats.element_types import FP8, FP16, FP32, INT32
from compiler.formats.opspec import KernelArgument, KernelSpec, LoopSpec, OpSpec, Room, TensorArg, true_sizes
from compiler.import_log import Disagreement

_HOST_TYPES: Final[frozendict[str, str]] = frozendict(
    {FP16: "float16", FP32: "float32", INT32: "int64", FP8: "float8_e4m3fn"}
)
"""The likeliest type on the host by format on the device."""


def with_arguments(
    kernel: KernelSpec, known: Mapping[int, KernelArgument], origin: str
) -> tuple[KernelSpec, tuple[str, ...]]:
    """The kernel with all its arguments, named in its ops, and what disagrees; `known` by number, from `origin`."""
    own = _from_ops(kernel)
    findings = [
        f"argument {number} is not described in {origin}" for number in sorted(own) if known and number not in known
    ]
    merged = dict(own)
    for number, argument in known.items():
        walked = own.get(number)
        if (
            walked is not None
            and argument.device_size
            and true_sizes(walked.device_size) != true_sizes(argument.device_size)
        ):
            sizes = f"{list(argument.device_size)}, its ops walk {list(walked.device_size)}"
            findings.append(Disagreement(f"argument {number} has the device size {sizes}"))
        merged[number] = _merged(argument, walked)
    names = {number: argument.name for number, argument in merged.items()}
    body = tuple(_named(part, names) for part in kernel.body)
    arguments = tuple(merged[number] for number in sorted(merged))
    return replace(kernel, body=body, arguments=arguments), tuple(findings)


def pool_bytes_of(kernel: KernelSpec) -> int:
    """Bytes of the pool that the ops of a kernel reach."""
    places = [arg for op in kernel.ops() for arg in op.args if arg.place.room is Room.POOL]
    return max((arg.place.at + arg.size_bytes for arg in places), default=0)


def _from_ops(kernel: KernelSpec) -> dict[int, KernelArgument]:
    used = [arg for arg in _tensors(kernel) if arg.place.room is Room.HBM and arg.argument >= 0]
    written = {arg.argument for arg in used if not arg.is_input}
    found: dict[int, KernelArgument] = {}
    for arg in used:
        before = found.get(arg.argument)
        if before is not None and math.prod(before.device_size) >= math.prod(arg.device_size):
            continue
        found[arg.argument] = KernelArgument(
            arg.argument,
            arg.name or f"arg{arg.argument}",
            arg.argument not in written,
            (),
            (),
            _HOST_TYPES.get(arg.device_dtype, arg.device_dtype),
            arg.device_size,
            (),
            arg.device_dtype,
            arg.arrangement,
        )
    return found


def _tensors(kernel: KernelSpec) -> Iterator[TensorArg]:
    for op in kernel.ops():
        yield from op.args


def _merged(argument: KernelArgument, walked: KernelArgument | None) -> KernelArgument:
    """What is known, and from the ops what is not."""
    if walked is None:
        return argument
    return replace(
        argument,
        dtype=argument.dtype or walked.dtype,
        is_input=walked.is_input,
        device_size=argument.device_size or walked.device_size,
        device_dtype=argument.device_dtype or walked.device_dtype,
    )


def _named(part: OpSpec | LoopSpec, names: Mapping[int, str]) -> OpSpec | LoopSpec:
    if isinstance(part, LoopSpec):
        return replace(part, body=tuple(_named(each, names) for each in part.body))
    args = tuple(
        replace(arg, name=names[arg.argument]) if arg.place.room is Room.HBM and arg.argument in names else arg
        for arg in part.args
    )
    return replace(part, args=args)
