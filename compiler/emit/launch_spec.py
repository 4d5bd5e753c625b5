"""Launch specification: shape, type and layout of every argument of a kernel, as `launch_spec.json` (facts 6).

Owns its keys, with the name of every argument beside those that others know: readers pass over what they do not.
Refuses pools: bundles of ours allocate their own.
"""

from __future__ import annotations

import json

from compiler.formats.json_value import Json
from compiler.formats.opspec import KernelArgument, KernelSpec

VERSION = 1


def launch_spec_text(kernel: KernelSpec) -> str:
    """The text of the file for a kernel."""
    return json.dumps(launch_spec(kernel), indent=2) + "\n"


def launch_spec(kernel: KernelSpec) -> dict[str, Json]:
    """The content of the file for a kernel."""
    return {
        "version": VERSION,
        "kernel_name": kernel.name,
        "pool_size": 0,
        "bundle_symbolic_args": True,
        "args": [_argument(argument) for argument in kernel.arguments],
    }


def _argument(argument: KernelArgument) -> dict[str, Json]:
    return {
        "arg_index": argument.number,
        "name": argument.name,
        "role": "input" if argument.is_input else "output",
        "shape": list(argument.shape),
        "dtype": argument.dtype,
        "layout": {
            "device_size": list(argument.device_size),
            "stride_map": list(argument.stride_map),
            "device_dtype": argument.device_dtype,
            "element_arrangement": argument.arrangement,
        },
    }
