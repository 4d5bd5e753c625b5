"""The open groups of a folded graph, each as a flat layout problem of its own with ports on its border.

Owns: cutting links at group borders, local numbering, and laying the groups out from inside to outside.
Refuses: absolute positions (graph_layout.py) and the flat layout itself (layered.py).
"""

from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from spyre_studio.views.graph_groups import Folded, GraphInput
from spyre_studio.views.layered import LayeredLayout, LayerProblem, Spacing

Ints = NDArray[np.intp]

# Ends of local edges that are ports on the border of the group; children are items, so never negative.
PORT_IN: Final = -1
PORT_OUT: Final = -2

LocalEdge = tuple[int, int, int]  # from, to, producer: equal ends with another producer use another port


class Layouter(Protocol):
    """Gives the layout of a flat problem, from a cache or by computing it."""

    def get(self, problem: LayerProblem, spacing: Spacing) -> LayeredLayout:
        """The layout of this problem."""


@dataclass(slots=True, eq=False)
class Piece:
    """One open group: its children in schedule order, the edges inside it, and once laid out their places.

    Local nodes are the children, then the ports coming in, then the ports going out.
    """

    children: list[int] = field(default_factory=list)
    edges: dict[LocalEdge, int] = field(default_factory=dict)  # to the row of the edge in `layout`
    node_in: dict[int, int] = field(default_factory=dict)  # producer -> local node of its port
    node_out: dict[int, int] = field(default_factory=dict)
    layout: LayeredLayout | None = None

    @property
    def placed(self) -> LayeredLayout:
        """The layout, after `Pieces.lay_out`."""
        assert self.layout is not None
        return self.layout

    def number_nodes(self) -> dict[int, int]:
        """Give ports their local nodes, in the order of the children they serve; returns those of the children."""
        local = {item: place for place, item in enumerate(self.children)}
        first_reader: dict[int, int] = {}
        writer: dict[int, int] = {}
        for source, target, producer in self.edges:
            if source == PORT_IN:
                reader = local.get(target, len(local))
                first_reader[producer] = min(reader, first_reader.get(producer, reader))
            if target == PORT_OUT:
                writer[producer] = local.get(source, len(local))
        ports_in = sorted(first_reader, key=lambda producer: (first_reader[producer], producer))
        ports_out = sorted(writer, key=lambda producer: (writer[producer], producer))
        self.node_in = {producer: len(local) + place for place, producer in enumerate(ports_in)}
        self.node_out = {producer: len(local) + len(ports_in) + place for place, producer in enumerate(ports_out)}
        return local


class Pieces:
    """All open groups of one folded graph; `by_group` has the outer ones before the inner ones."""

    def __init__(self, graph: GraphInput, folded: Folded, spacing: Spacing) -> None:
        self._tree, self._count, self._spacing = folded.tree, graph.size, spacing
        self._folded = folded
        self._with_stub = frozenset(folded.stubs[:, 1].tolist())
        self._chains: dict[int, tuple[int, ...]] = {}
        self.by_group = self._collect()
        self.steps = [self._cut(source, target) for source, target in folded.links.tolist()]

    def lay_out(self, cache: Layouter) -> int:
        """Lay out every group, inner ones first because outer ones need their sizes; returns the crossings."""
        crossings = 0
        for piece in reversed(self.by_group.values()):
            piece.layout = cache.get(self._problem(piece), self._spacing)
            crossings += piece.placed.crossings
        return crossings

    def size(self, group: int) -> tuple[float, float]:
        """Width and height of an open group with its border and heading."""
        layout, room = self.by_group[group].placed, self._spacing
        return layout.width + 2 * room.group_pad, layout.height + room.group_header + room.group_pad

    def _collect(self) -> dict[int, Piece]:
        """The open groups that hold anything visible, with their children in schedule order."""
        # The first occurrence in schedule order decides where an item or an open group comes.
        items, first = np.unique(self._folded.stands_for, return_index=True)
        order = np.argsort(first, kind="stable")
        children: dict[int, list[int]] = {0: []}
        for item in items[order].tolist():
            child = item
            while child >= 0 and child != self._count:  # hubs are -1, the whole graph is the item `count`
                group = self.outer(child)
                known = group in children
                children.setdefault(group, []).append(child)
                child = -1 if known else self._count + group
        return {group: Piece(children[group]) for group in sorted(children)}

    def outer(self, item: int) -> int:
        """The group that an item lies in."""
        return int(self._tree.of_node[item]) if item < self._count else self._tree.parent[item - self._count]

    def _chain(self, item: int) -> tuple[int, ...]:
        group = self.outer(item)
        if group not in self._chains:
            self._chains[group] = self._tree.chain(group)
        return self._chains[group]

    def _cut(self, source: int, target: int) -> list[tuple[int, LocalEdge]]:
        """The link from `source` to `target` as (group, local edge) in the direction of the data; registers them."""
        up, down = self._chain(source), self._chain(target)
        shared = set(up) & set(down)
        steps: list[tuple[int, LocalEdge]] = []
        inside = source
        for group in up:
            if group in shared:
                break
            steps.append((group, (inside, PORT_OUT, source)))
            inside = self._count + group
        below: list[tuple[int, LocalEdge]] = []
        outside = target
        for group in down:
            if group in shared:
                below.append((group, (inside, outside, source)))
                break
            below.append((group, (PORT_IN, outside, source)))
            outside = self._count + group
        steps.extend(reversed(below))
        for group, edge in steps:
            self.by_group[group].edges.setdefault(edge, -1)
        return steps

    def _problem(self, piece: Piece) -> LayerProblem:
        """The flat problem of one group; fills in the rows of its edges."""
        local = piece.number_nodes()
        ports = len(piece.node_in) + len(piece.node_out)
        extents = [self._extent(item) for item in piece.children]
        port = self._spacing.dummy_width / 2
        extents.extend([(port, port, 0.0)] * ports)
        left, right, height = np.array(extents, np.float64).reshape(-1, 3).T
        rows = sorted(piece.edges, key=lambda edge: (*self._ends(piece, local, edge), edge[2]))
        piece.edges.update({edge: row for row, edge in enumerate(rows)})
        top, bottom = np.zeros(len(left), bool), np.zeros(len(left), bool)
        top[list(piece.node_in.values())] = True
        bottom[list(piece.node_out.values())] = True
        return LayerProblem(
            left=left,
            right=right,
            height=height,
            edges=np.array([self._ends(piece, local, edge) for edge in rows], np.intp).reshape(-1, 2),
            source_at=np.array([self._port_at(edge[0], edge[2], leaving=True) for edge in rows], np.float64),
            target_at=np.array([self._port_at(edge[1], edge[2], leaving=False) for edge in rows], np.float64),
            top=top,
            bottom=bottom,
        )

    def _extent(self, item: int) -> tuple[float, float, float]:
        room = self._spacing
        if item - self._count in self.by_group:
            width, height = self.size(item - self._count)
            return width / 2, width / 2, height
        stub = room.stub_gap + room.stub_width if item in self._with_stub else 0.0
        return room.node_width / 2 + stub, room.node_width / 2, room.node_height

    def _ends(self, piece: Piece, local: dict[int, int], edge: LocalEdge) -> tuple[int, int]:
        source, target, producer = edge
        one = piece.node_in[producer] if source == PORT_IN else local[source]
        other = piece.node_out[producer] if target == PORT_OUT else local[target]
        return one, other

    def _port_at(self, item: int, producer: int, leaving: bool) -> float:
        """Where an edge meets the border of an open group, from its middle; 0 for anything else."""
        inner = self.by_group.get(item - self._count)
        if item < 0 or inner is None:
            return 0.0
        node = inner.node_out[producer] if leaving else inner.node_in[producer]
        return float(inner.placed.x[node]) - inner.placed.width / 2
