"""Launch specification: the arguments of a kernel out of `launch_spec.json`.

Owns version and keys (facts 6); unknown keys are kept.  Refuses higher versions, naming both, and layouts that do not
hold the elements of their shape.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from frozendict import frozendict

from compiler.errors import InputError
from compiler.formats.opspec import KernelArgument
from compiler.read.plain import MOST_DIMS, REMEDY, Node, integer

VERSION = 1
_KNOWN = ("bundle_symbolic_args", "emitter", "symbol_kinds", "symbols")


@dataclass(frozen=True, slots=True)
class LaunchSpec:
    """Name, arguments in order, bytes of the pool that the caller passes."""

    kernel: str
    arguments: tuple[KernelArgument, ...]
    pool_bytes: int
    findings: tuple[str, ...] = ()
    extra: frozendict[str, str] = field(default_factory=frozendict)


def read_launch_spec(data: object, origin: str) -> LaunchSpec:
    """The specification; InputError with one sentence for anything else."""
    node = Node.of(data, origin)
    version = node.integer("version", least=1)
    if version > VERSION:
        why = f"it is of version {version}, this program reads up to {VERSION}"
        raise InputError(origin, why, "write it with an older exporter, or take a newer program")
    arguments = tuple(_argument(each) for each in node.nodes("args"))
    symbolic = [argument for argument in arguments if -1 in argument.shape]
    numbers = [argument.number for argument in arguments]
    if len(set(numbers)) != len(numbers):
        raise InputError(origin, "two arguments have the same number", REMEDY)
    findings = [f"argument {argument.number} has sizes that are known only at launch" for argument in symbolic]
    for key in _KNOWN:
        node.taken.add(key)
    kernel, pool = node.text("kernel_name"), node.integer("pool_size", 0, 0)
    return LaunchSpec(kernel, arguments, pool, tuple(findings), node.extra())


def _argument(node: Node) -> KernelArgument:
    number = node.integer("arg_index", least=0)
    role = node.text("role")
    if role not in ("input", "output"):
        raise InputError(node.origin, f"{node.at('role')} is {role!r}, not input or output", REMEDY)
    if len(node.items("shape")) > MOST_DIMS:
        raise InputError(node.origin, f"argument {number} has more than {MOST_DIMS} dims", REMEDY)
    shape = tuple(
        -1 if isinstance(size, str) and size.isidentifier() else integer(size, node.origin, node.at("shape"), 0)
        for size in node.items("shape")
    )
    layout = node.node("layout") if node.has("layout") else None
    if layout and -1 not in shape and math.prod(layout.sizes("device_size", 0)) < math.prod(shape):
        why = f"argument {number} has {math.prod(shape):,} elements, its device size holds fewer"
        raise InputError(node.origin, why, REMEDY)
    return KernelArgument(
        number,
        node.text("name", "") or f"arg{number}",
        role == "input",
        shape,
        _contiguous(shape),
        node.text("dtype"),
        layout.sizes("device_size", 0) if layout else (),
        layout.sizes("stride_map") if layout else (),
        layout.text("device_dtype") if layout else "",
        layout.text("element_arrangement", "STANDARD") if layout else "STANDARD",
    )


def _contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides of a tensor without holes: the file has none; none for sizes that are not known."""
    if -1 in shape:
        return ()
    return tuple(math.prod(shape[place + 1 :]) for place in range(len(shape)))
