"""A folded graph ready to be drawn: for every box and edge on the plane its words, numbers and codes, as arrays.

Owns: summing up closed groups, bounds of edges for culling, and the flattened lines for hit tests and small zooms.
Refuses: Qt, colours, and the layout itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from spyre_studio.repeat_facts import RunFacts
from spyre_studio.repeats import title_of
from spyre_studio.units import format_count, format_us
from spyre_studio.views.curves import as_lines, flattened
from spyre_studio.views.graph_layout import GraphLayout
from spyre_studio.views.graph_model import HBM, LX, NODE_KINDS, UNKNOWN, GraphModel
from spyre_studio.views.graph_names import group_title

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
PARTLY = 1  # residency of a box: LX, PARTLY, HBM or UNKNOWN


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Boxes (b,): `titles`, `details`, `numbers` (time as text), `kinds` (index into NODE_KINDS), `us`, `residency`.

    `badges[b]`: how many of the equal blocks of a box are planned in another way than most, '' for none.
    `nodes_of[b]`: the nodes a box stands for. Links (k,): `link_fates`, `link_bounds` (k, 4), `carried[k]` buffers;
    `lines` (n, 4), `line_link` (n,), `line_starts` (k + 1,): the same edges as straight pieces.
    """

    model: GraphModel
    layout: GraphLayout
    titles: tuple[str, ...]
    details: tuple[str, ...]
    numbers: tuple[str, ...]
    kinds: Ints
    us: Floats
    residency: Ints
    badges: tuple[str, ...]
    nodes_of: tuple[Ints, ...]
    link_fates: Ints
    link_bounds: Floats
    carried: tuple[tuple[str, ...], ...]
    lines: Floats
    line_link: Ints
    line_starts: Ints

    @property
    def node_count(self) -> int:
        """Nodes of the whole graph; items from there on are groups."""
        return len(self.model.nodes)

    def node_of_box(self, box: int) -> int | None:
        """The node a box shows, None for a closed group."""
        item = int(self.layout.box_item[box])
        return item if item < self.node_count else None

    def group_of_box(self, box: int) -> str | None:
        """Path of the closed group a box shows, None for a node."""
        item = int(self.layout.box_item[box])
        return None if item < self.node_count else self.layout.group_paths[item - self.node_count]

    def blocks_of_box(self, box: int) -> tuple[str, ...]:
        """Paths of the equal modules that are folded in a box; none for other boxes."""
        return self.layout.blocks.get(self.group_of_box(box) or "", ())

    def facts_of_box(self, box: int) -> RunFacts | None:
        """What the plan makes of the equal modules in a box, None for other boxes and before there is a plan."""
        return _facts_of(self.model, self.blocks_of_box(box))

    def box_of_op(self, name: str | None) -> int:
        """The box that shows an op or move, itself or in a closed group; -1 for none."""
        node = self.model.of_op.get(name) if name is not None else None
        return -1 if node is None else int(self.layout.box_of[node])

    def links_of_buffer(self, name: str | None) -> list[int]:
        """The edges that carry a buffer."""
        edges = self.model.edges_of.get(name, ()) if name is not None else ()
        return sorted({int(self.layout.link_of[edge]) for edge in edges} - {-1})


def scene_of(model: GraphModel, layout: GraphLayout) -> Scene:
    """Put words and numbers to a layout of the model."""
    members = _members(layout)
    rows = [_box(model, layout, box, nodes) for box, nodes in enumerate(members)]
    fates = np.full(len(layout.links), -1, np.intp)
    shown = layout.link_of >= 0
    np.maximum.at(fates, layout.link_of[shown], model.fates[shown])
    carried: list[dict[str, None]] = [{} for _ in range(len(layout.links))]
    for edge in np.flatnonzero(shown).tolist():
        carried[int(layout.link_of[edge])][model.carried[edge]] = None
    points, starts = flattened(layout.points, layout.starts)
    lines, line_link = as_lines(points, starts)
    return Scene(
        model=model,
        layout=layout,
        titles=tuple(row.title for row in rows),
        details=tuple(row.detail for row in rows),
        numbers=tuple(format_us(row.us) if isfinite(row.us) else "" for row in rows),
        kinds=np.array([row.kind for row in rows], np.intp),
        us=np.array([row.us for row in rows], np.float64),
        residency=np.array([row.residency for row in rows], np.intp),
        badges=tuple(row.badge for row in rows),
        nodes_of=members,
        link_fates=fates,
        link_bounds=_bounds(layout),
        carried=tuple(tuple(buffers) for buffers in carried),
        lines=lines,
        line_link=line_link,
        line_starts=np.searchsorted(line_link, np.arange(len(layout.links) + 1)),
    )


@dataclass(frozen=True, slots=True)
class _Box:
    title: str
    detail: str
    kind: int
    us: float
    residency: int
    badge: str = ""


def _members(layout: GraphLayout) -> tuple[Ints, ...]:
    """Nodes of each box, in schedule order."""
    order = np.argsort(layout.box_of, kind="stable")
    ends = np.searchsorted(layout.box_of[order], np.arange(len(layout.boxes) + 1))
    return tuple(order[ends[box] : ends[box + 1]] for box in range(len(layout.boxes)))


def _box(model: GraphModel, layout: GraphLayout, box: int, nodes: Ints) -> _Box:
    item = int(layout.box_item[box])
    if item < len(model.nodes):
        node = model.nodes[item]
        return _Box(node.title, node.detail, NODE_KINDS.index(node.kind), node.us, _of_fates({node.fate}))
    inside = [model.nodes[node] for node in nodes.tolist()]
    times = [node.us for node in inside if isfinite(node.us)]
    heaviest = max(inside, key=lambda node: node.us if isfinite(node.us) else -1.0)
    moves = sum(node.kind == "move" for node in inside)
    detail = format_count(len(inside) - moves, "op") + (f" · {format_count(moves, 'move')}" if moves else "")
    path = layout.group_paths[item - len(model.nodes)]
    blocks = layout.blocks.get(path, ())
    facts = _facts_of(model, blocks)
    return _Box(
        f"{title_of(blocks)} × {len(blocks)}" if blocks else group_title(path),
        _each(*facts.range_us) if facts else detail,
        NODE_KINDS.index(heaviest.kind),
        sum(times) if times else float("nan"),
        _of_fates({node.fate for node in inside}),
        f"≠ {len(facts.different)}" if facts and facts.different else "",
    )


def _facts_of(model: GraphModel, blocks: tuple[str, ...]) -> RunFacts | None:
    for facts in model.run_facts.values() if blocks else ():
        if blocks[0] in facts.run.members:
            return facts.of(blocks)
    return None


def _each(low: float, high: float) -> str:
    """What one block takes, in as few letters as a box has room for."""
    text = range_text(low, high)
    return text if "–" in text else f"{text} each"


def range_text(low: float, high: float) -> str:
    """From one time to another, once where both read the same. Examples: '5.71–5.74 ms', '0.9 µs–1.02 ms'."""
    first, last = format_us(low), format_us(high)
    if first == last:
        return last
    number, _, unit = first.partition(" ")
    return f"{number}–{last}" if last.endswith(f" {unit}") else f"{first}–{last}"


def _of_fates(fates: set[int]) -> int:
    if fates <= {LX, HBM}:
        return PARTLY if len(fates) > 1 else fates.pop()
    return UNKNOWN


def _bounds(layout: GraphLayout) -> Floats:
    """The rectangle around each link."""
    if not len(layout.links):
        return np.zeros((0, 4))
    starts = layout.starts[:-1]
    low = np.minimum.reduceat(layout.points, starts)
    high = np.maximum.reduceat(layout.points, starts)
    return np.concatenate([low, high], axis=1)
