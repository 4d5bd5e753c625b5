"""Debug handles out of JSON: where an op comes from, with the handles that it was fused from (facts 5.1).

Owns the object form that op specifications and SuperDSC files share.  Refuses handles made of handles more
than `DEEPEST_HANDLE` levels deep.
"""

from __future__ import annotations

from typing import Final

from compiler.errors import InputError
from compiler.formats.opspec import DebugHandle, Source
from compiler.read.plain import REMEDY, Node

DEEPEST_HANDLE: Final = 20


def read_handle(node: Node, depth: int = 0) -> DebugHandle:
    """The handle of an object; its id is not looked at, as it follows from the rest."""
    if depth > DEEPEST_HANDLE:
        why = f"{node.where} is made of handles more than {DEEPEST_HANDLE} levels deep"
        raise InputError(node.origin, why, REMEDY)
    aten = node.text("aten_op") if node.has("aten_op") else None
    chain = node.texts("ir_chain") if node.has("ir_chain") else ()
    parts = node.nodes("fused_from") if node.has("fused_from") else ()
    return DebugHandle(read_source(node), aten, chain, tuple(read_handle(each, depth + 1) for each in parts))


def read_source(node: Node) -> Source | None:
    """The place in a source file that stands under `source`; None for null."""
    if not node.has("source"):
        return None
    place = node.node("source")
    lines = [place.integer(key, 0, 0) for key in ("start_line", "start_col", "end_line", "end_col")]
    return Source(place.text("file"), lines[0], lines[1], lines[2], lines[3])
