"""Ids of the provenance sidecar: which compilation, and which occurrence of a kernel in it (facts 5.3).

>>> first = ("sdsc_fused_linear_relu_0", "atqydvnuutl766na")
>>> compile_id([first, ("sdsc_fused_unknown_1", "vsancadvtjfcq6cv")])[:16]
'3acd1120e2323fa1'
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Final

from compiler.formats.opspec import DebugHandle, KernelSpec

LONGEST_NAME: Final = 128
"""Bytes of the profiler's field for the name of an event, `#<n>` of the step included."""
_ROOM: Final = 8


def compile_id(kernels: Sequence[tuple[str, str]]) -> str:
    """The id of a compilation with these kernels, given as name and key."""
    return _digest({"domain": "torch-spyre-compile-v1", "kernels": [list(pair) for pair in kernels]})


def occurrence_id(compilation: str, name: str, key: str) -> str:
    """The id of a kernel in a compilation."""
    content = {"domain": "torch-spyre-occurrence-v1", "compileId": compilation, "compilerKernelName": name}
    return _digest({**content, "identityKey": key})


def event_name(kernel: KernelSpec, key: str) -> str:
    """The name under which a profiler shows a kernel."""
    names = sorted({_packet(handle.aten_op) for handle in handles_of(kernel) if handle.aten_op})
    fused = "_".join(names) or "unknown"
    ends = f"_{key}"
    return f"spyre_kernel_v1_fused_{fused}"[: LONGEST_NAME - _ROOM - len(ends)] + ends


def handles_of(kernel: KernelSpec) -> Iterator[DebugHandle]:
    """Handles of the ops of a kernel, in their order."""
    return (op.handle for op in kernel.ops() if op.handle is not None)


def _packet(aten_op: str) -> str:
    """`linear` of `aten.linear.default`."""
    parts = aten_op.split(".")
    return parts[1] if len(parts) > 1 else aten_op


def _digest(content: dict[str, object]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
