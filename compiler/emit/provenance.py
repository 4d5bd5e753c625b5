"""Provenance: which source line and operator every op of every kernel comes from, as `spyre_provenance.json`.

Owns the sidecar of schema version 1 (facts 5.3), whose maps to other stages are empty: nobody collected them.  Refuses
unknown keys, as the schema does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from compiler.formats.handles import handle_fields, handle_id
from compiler.formats.json_value import Json
from compiler.formats.kernel_key import kernel_key
from compiler.formats.opspec import DebugHandle, KernelSpec
from compiler.formats.provenance_ids import compile_id, event_name, handles_of, occurrence_id

SCHEMA = 1
_PRODUCER = "spyre-studio"


def provenance_text(kernels: Sequence[KernelSpec]) -> str:
    """The text of the sidecar."""
    return json.dumps(provenance(kernels), indent=2, sort_keys=True) + "\n"


def provenance(kernels: Sequence[KernelSpec]) -> dict[str, Json]:
    """The content of the sidecar."""
    keys = [(kernel.name, kernel_key(kernel)) for kernel in kernels]
    whole = compile_id(keys)
    pairs = list(zip(kernels, (key for _, key in keys), strict=True))
    return {
        "schemaVersion": SCHEMA,
        "eventKey": {
            "version": 1,
            "algorithm": "sha256-prefix-80-base32-lower",
            "width": 16,
            "stepAttribution": "bundle",
        },
        "mergeGeneration": 1,
        "status": "partial",
        "handles": {
            handle_id(handle): handle_fields(handle, [handle_id(one) for one in handle.fused_from])
            for kernel in kernels
            for handle in _every(kernel)
        },
        "kernelIdentities": {key: _identity(kernel, key) for kernel, key in pairs},
        "kernelOccurrences": _occurrences(keys, whole),
        "upstreamProjections": {whole: _projection(keys)},
    }


def _every(kernel: KernelSpec) -> Iterator[DebugHandle]:
    waiting = list(handles_of(kernel))
    while waiting:
        handle = waiting.pop(0)
        yield handle
        waiting += handle.fused_from


def _identity(kernel: KernelSpec, key: str) -> dict[str, Json]:
    bound = [(place, handle_id(op.handle)) for place, op in enumerate(kernel.ops()) if op.handle is not None]
    return {
        "directHandleIds": list(dict.fromkeys(handle for _, handle in bound)),
        "specHandleBindings": [{"specPath": [place], "handleId": handle} for place, handle in bound],
        "atenOps": sorted({handle.aten_op for handle in handles_of(kernel) if handle.aten_op}),
        "eventNameBase": event_name(kernel, key),
    }


def _occurrences(keys: Sequence[tuple[str, str]], whole: str) -> dict[str, Json]:
    return {
        occurrence_id(whole, name, key): {
            "identityKey": key,
            "compileId": whole,
            "compilerKernelName": name,
            "registrations": [{"ordinal": place, "alias": f"{name}:{place}"}],
        }
        for place, (name, key) in enumerate(keys, 1)
    }


def _projection(keys: Sequence[tuple[str, str]]) -> dict[str, Json]:
    return {
        "source": _PRODUCER,
        "version": 2.0,
        "producer": {"torchSpyreVersion": _PRODUCER, "torchVersion": _PRODUCER},
        "settings": {"provenanceTrackingLevel": 0, "structuredTracing": False},
        "kernels": [{"compilerKernelName": name, "identityKey": key} for name, key in keys],
        "uncollectedKernels": [],
        "upstreamProjectionFailed": False,
        "upstreamJoin": "unavailable-provenance-level-0",
        **{name: {} for name in ("preToPost", "postToPre", "cppCodeToPost", "postToCppCode", "kernelStackTraces")},
    }
