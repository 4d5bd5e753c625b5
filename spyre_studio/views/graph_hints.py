"""Words about what is under the pointer in the graph, and the legend of each colouring.

Owns: tooltips as rich text. Refuses: Qt widgets and layout.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Final

from compiler.compilation import Compilation
from compiler.graph import TensorType
from compiler.loops import Buffer
from compiler.plan import Slot, Spilled
from compiler.reasons import REASONS
from spyre_studio.derived import buffers_of, ops_of
from spyre_studio.legend import FATES, KINDS, Entry
from spyre_studio.units import format_bytes, format_count, format_hex, format_us
from spyre_studio.views.graph_canvas import Hit
from spyre_studio.views.graph_model import HBM, LX, MOVE, UNKNOWN, Node
from spyre_studio.views.graph_palette import Colouring
from spyre_studio.views.graph_scene import Scene, range_text

LEGENDS: Final[Mapping[Colouring, tuple[Entry, ...]]] = {
    "fate": FATES,
    "kind": KINDS,
    "residency": (Entry("result in LX", "lx"), Entry("result in device memory", "hbm", "hatch")),
}
_FATES: Final = {
    LX: "stays in LX",
    MOVE: "moved to another stick layout or to other cores",
    HBM: "goes through device memory",
    UNKNOWN: "not planned yet",
}


def hint_of(scene: Scene, item: Hit, compilation: Compilation | None) -> str:
    """A few lines on what is there, the name first."""
    layout = scene.layout
    match item.kind:
        case "box":
            node = scene.node_of_box(item.row)
            return _of_group(scene, item.row) if node is None else _of_node(scene.model.nodes[node], compilation)
        case "stub":
            node = int(layout.stub_hub[item.row])
            return _of_node(scene.model.nodes[node], compilation)
        case "frame":
            group = int(layout.frame_group[item.row])
            size = format_count(layout.group_sizes[group], "op")
            return _lines(layout.group_paths[group], f"{size}. Double-click closes it.")
        case "link":
            return _of_link(scene, item.row, compilation)


def _of_group(scene: Scene, box: int) -> str:
    path = scene.group_of_box(box) or ""
    us = float(scene.us[box])
    blocks = scene.blocks_of_box(box)
    if blocks:
        return _of_blocks(scene, box, blocks)
    time = f" · {format_us(us)}" if us == us else ""
    return _lines(path, f"{scene.details[box]}{time}", "Double-click opens it.")


def _of_blocks(scene: Scene, box: int, blocks: tuple[str, ...]) -> str:
    """Of equal modules: what they cost together and each, and which are planned in another way than most."""
    size = format_count(len(scene.nodes_of[box]), "op")
    facts = scene.facts_of_box(box)
    lines = [f"{len(blocks)} equal modules, {size} together"]
    if facts is not None:
        low, high = facts.range_us
        lines.append(f"{format_us(facts.total_us)} together, {range_text(low, high)} each")
        lines.extend(facts.sentences() or ("All of them are planned alike.",))
    return _lines(scene.titles[box], *lines, "Double-click shows all of them, the menu any one.")


def _of_node(node: Node, compilation: Compilation | None) -> str:
    if not node.name:
        return _of_buffer(node.buffer, compilation, {"input": "Input", "output": "Result"}.get(node.kind, ""))
    lines = [f"{node.kind} · {node.detail}" if node.detail else node.kind]
    if node.us == node.us:
        lines[0] += f" · {format_us(node.us)}"
    op = ops_of(compilation).get(node.name) if compilation else None
    if op is not None and (op.origin.target or op.origin.source):
        lines.append(" · ".join(part for part in (op.origin.target, op.origin.source) if part))
    if compilation is not None:
        reason = compilation.plan.reasons.get(f"{'edit' if node.kind == 'move' else 'division'}:{node.name}")
        lines.extend([reason] if reason else [])
    return _lines(node.name, *lines)


def _of_link(scene: Scene, link: int, compilation: Compilation | None) -> str:
    buffers = scene.carried[link]
    if len(buffers) == 1:
        return _of_buffer(buffers[0], compilation, _FATES[int(scene.link_fates[link])])
    names = ", ".join(buffers[:4]) + (f" and {len(buffers) - 4} more" if len(buffers) > 4 else "")
    return _lines(format_count(len(buffers), "buffer"), names)


def _of_buffer(name: str, compilation: Compilation | None, what: str) -> str:
    if compilation is None:
        return _lines(name, what)
    buffer = _buffer(compilation, name)
    shape = str(TensorType(buffer.dtype, buffer.shape)) if buffer else ""
    layout = compilation.plan.layouts.get(name)
    size = f" · {format_bytes(layout.size_bytes)}" if layout else ""
    place = compilation.plan.placement.get(name)
    where = ""
    if isinstance(place, Slot):
        steps = f"steps {place.first_step}–{place.last_step}"
        where = f"LX {format_hex(place.address)}, {format_bytes(place.size_bytes)} a core, {steps}"
    elif isinstance(place, Spilled):
        where = f"Device memory: {REASONS[place.code].title}. {place.detail}"
    return _lines(name, f"{shape}{size}", where, what if what and not where else "")


def _buffer(compilation: Compilation, name: str) -> Buffer | None:
    sources = {edit.target: edit.source for edit in compilation.plan.edits}
    while name in sources:
        name = sources[name]
    return buffers_of(compilation).get(name)


def _lines(name: str, *lines: str) -> str:
    return "<br>".join([f"<b>{escape(name)}</b>", *(escape(line) for line in lines if line)])
