"""A folded graph ready to be drawn: for every box and edge on the plane its words, numbers and codes, as arrays.

Owns: summing up closed groups, bounds of edges for culling, and the flattened lines for hit tests and small zooms.
Refuses: Qt, colours, and the layout itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import NDArray

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

    `nodes_of[b]`: the nodes a box stands for. Links (k,): `link_fates`, `link_bounds` (k, 4), `carried[k]` buffers;
    `lines` (n, 4) and `line_link` (n,): the same edges as straight pieces.
    """

    model: GraphModel
    layout: GraphLayout
    titles: tuple[str, ...]
    details: tuple[str, ...]
    numbers: tuple[str, ...]
    kinds: Ints
    us: Floats
    residency: Ints
    nodes_of: tuple[Ints, ...]
    link_fates: Ints
    link_bounds: Floats
    carried: tuple[tuple[str, ...], ...]
    lines: Floats
    line_link: Ints

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

    def box_of_op(self, name: str | None) -> int:
        """The box that shows an op or move, itself or in a closed group; -1 for none."""
        node = self.model.of_op.get(name) if name is not None else None
        return -1 if node is None else int(self.layout.box_of[node])

    def links_of_buffer(self, name: str | None) -> list[int]:
        """The edges that carry a buffer."""
        edges = [edge for edge, buffer in enumerate(self.model.carried) if buffer == name]
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
        nodes_of=members,
        link_fates=fates,
        link_bounds=_bounds(layout),
        carried=tuple(tuple(buffers) for buffers in carried),
        lines=lines,
        line_link=line_link,
    )


@dataclass(frozen=True, slots=True)
class _Box:
    title: str
    detail: str
    kind: int
    us: float
    residency: int


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
    return _Box(
        group_title(layout.group_paths[item - len(model.nodes)]),
        detail,
        NODE_KINDS.index(heaviest.kind),
        sum(times) if times else float("nan"),
        _of_fates({node.fate for node in inside}),
    )


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
