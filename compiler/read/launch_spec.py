"""Launch specification: the arguments of a kernel out of `launch_spec.json`.

Owns version and keys (facts 6); unknown keys are ignored, as other readers do.  Refuses higher versions, naming both.
"""

from __future__ import annotations

from dataclasses import dataclass

from compiler.errors import InputError
from compiler.formats.opspec import KernelArgument
from compiler.read.plain import REMEDY, Node

VERSION = 1


@dataclass(frozen=True, slots=True)
class LaunchSpec:
    """Name, arguments in order, bytes of the pool that the caller passes."""

    kernel: str
    arguments: tuple[KernelArgument, ...]
    pool_bytes: int


def is_launch_spec(data: object) -> bool:
    """True for the content of a launch specification."""
    return isinstance(data, dict) and {"version", "kernel_name", "args"} <= set(data)


def read_launch_spec(data: object, origin: str) -> LaunchSpec:
    """The specification; InputError with one sentence for anything else."""
    node = Node.of(data, origin)
    version = node.integer("version", least=1)
    if version > VERSION:
        why = f"it is of version {version}, this program reads up to {VERSION}"
        raise InputError(origin, why, "write it with an older exporter, or take a newer program")
    arguments = tuple(_argument(each) for each in node.nodes("args"))
    numbers = [argument.number for argument in arguments]
    if len(set(numbers)) != len(numbers):
        raise InputError(origin, "two arguments have the same number", REMEDY)
    return LaunchSpec(node.text("kernel_name"), arguments, node.integer("pool_size", 0, 0))


def _argument(node: Node) -> KernelArgument:
    number = node.integer("arg_index", least=0)
    role = node.text("role")
    if role not in ("input", "output"):
        raise InputError(node.origin, f"{node.at('role')} is {role!r}, not input or output", REMEDY)
    shape = tuple(size if isinstance(size, int) and not isinstance(size, bool) else -1 for size in node.items("shape"))
    layout = node.node("layout") if node.has("layout") else None
    return KernelArgument(
        number,
        f"arg{number}",
        role == "input",
        shape,
        (),
        node.text("dtype"),
        layout.integers("device_size", 0) if layout else (),
        layout.integers("stride_map") if layout else (),
        layout.text("device_dtype") if layout else "",
        layout.text("element_arrangement", "STANDARD") if layout else "STANDARD",
    )
