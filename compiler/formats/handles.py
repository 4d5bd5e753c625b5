"""Debug handles: their number and their JSON form (facts 5.1).

>>> from compiler.formats.opspec import DebugHandle
>>> handle_id(DebugHandle(None, "aten.mm.default", ("mm", "buf0")))
'1868503139818264839'
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from compiler.formats.json_value import Json
from compiler.formats.opspec import DebugHandle, Source

_VERSION = 2


def handle_id(handle: DebugHandle) -> str:
    """The first 63 bits of the digest of what a handle says, as decimal text."""
    content = {
        "version": _VERSION,
        "source": plain_source(handle.source),
        "aten_op": handle.aten_op,
        "ir_chain": list(handle.ir_chain),
        "fused_from": [handle_id(one) for one in handle.fused_from],
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return str(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1)


def plain_source(source: Source | None) -> Json:
    """A place in a source file as JSON data."""
    if source is None:
        return None
    return {
        "file": source.file,
        "start_line": source.start_line,
        "start_col": source.start_col,
        "end_line": source.end_line,
        "end_col": source.end_col,
    }


def plain_handle(handle: DebugHandle) -> dict[str, Json]:
    """A handle with those that it is made of."""
    return handle_fields(handle, [plain_handle(one) for one in handle.fused_from])


def handle_fields(handle: DebugHandle, fused_from: Sequence[Json]) -> dict[str, Json]:
    """A handle, with what stands for those that it is made of."""
    return {
        "id": handle_id(handle),
        "source": plain_source(handle.source),
        "aten_op": handle.aten_op,
        "ir_chain": list(handle.ir_chain),
        "fused_from": fused_from,
        "transform_history": [],
    }
