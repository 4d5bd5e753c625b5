"""Layered layout of one flat graph, top to bottom: layers, order, coordinates, routes.

Owns: the steps in their order, and cycles, whose edges are laid out turned round and handed back upwards. Refuses:
groups, hubs (graph_layout.py) and Qt. Deterministic: equal problems give equal layouts, bit by bit.
"""

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from spyre_studio.views.layer_order import acyclic, cut, layers_of, order_layers
from spyre_studio.views.layer_place import place_across, place_down, routes

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Spacing:
    """Sizes and distances in world units (pixels at 100 %)."""

    node_width: float = 180.0
    node_height: float = 44.0
    node_gap: float = 24.0
    layer_gap: float = 28.0
    port_gap: float = 16.0
    dummy_width: float = 8.0
    dummy_gap: float = 10.0
    group_pad: float = 12.0
    group_header: float = 28.0
    stub_width: float = 68.0
    stub_height: float = 20.0
    stub_gap: float = 8.0


@dataclass(frozen=True, slots=True, eq=False)
class LayerProblem:
    """A flat graph of n nodes and m edges. `left`, `right` (n,) extents around a node's anchor, `height` (n,), pixels.

    `edges` (m, 2) node numbers, where smaller numbers come earlier in the schedule; `source_at`, `target_at` (m,) where
    an edge attaches, relative to the anchor. `top` nodes go into the first layer alone, `bottom` nodes into the last.
    """

    left: Floats
    right: Floats
    height: Floats
    edges: Ints
    source_at: Floats
    target_at: Floats
    top: Bools
    bottom: Bools

    def signature(self) -> bytes:
        """Equal for problems with equal layouts: the key of the structure cache."""
        digest = blake2b(digest_size=16)
        for part in (self.left, self.right, self.height, self.source_at, self.target_at):
            digest.update(np.ascontiguousarray(part, np.float64).tobytes() + b"|")
        digest.update(np.ascontiguousarray(self.edges, np.int64).tobytes() + b"|")
        digest.update(self.top.tobytes() + b"|" + self.bottom.tobytes())
        return digest.digest()


@dataclass(frozen=True, slots=True, eq=False)
class LayeredLayout:
    """`x`, `y` (n,): anchor and top of each node, all extents in [0, width] x [0, height]; `layer` (n,).

    Edge e runs through `points[starts[e]:starts[e + 1]]`; the points come in pairs, vertical within a pair and slanting
    from pair to pair. `turned` (m,): the edge closes a cycle and runs upwards. `crossings` counts those of the order.
    """

    x: Floats
    y: Floats
    layer: Ints
    points: Floats
    starts: Ints
    turned: Bools
    width: float
    height: float
    crossings: int


def layered(problem: LayerProblem, spacing: Spacing) -> LayeredLayout:
    """Lay out one flat graph. Time grows with nodes plus dummies: 2,000 nodes take a fraction of a second."""
    count = len(problem.left)
    turned = acyclic(count, problem.edges)
    flip = turned[:, None]
    edges = np.where(flip, problem.edges[:, ::-1], problem.edges)
    source_at = np.where(turned, problem.target_at, problem.source_at)
    target_at = np.where(turned, problem.source_at, problem.target_at)
    arcs = cut(edges, layers_of(count, edges, problem.top, problem.bottom), source_at, target_at)
    dummies = np.full(arcs.size - count, spacing.dummy_width / 2)
    left, right = np.concatenate([problem.left, dummies]), np.concatenate([problem.right, dummies])
    height = np.concatenate([problem.height, np.zeros(len(dummies))])
    rank, crossings = order_layers(arcs, left + right)
    x = place_across(arcs, rank, left, right, spacing.node_gap, spacing.dummy_gap)
    tops, bottoms = place_down(arcs, x, height, spacing.layer_gap, spacing.port_gap)
    points, starts = routes(arcs, edges, x, (source_at, target_at), tops, bottoms, problem.height)
    return LayeredLayout(
        x=x[:count],
        y=tops[arcs.layer[:count]],
        layer=arcs.layer[:count],
        points=_turned_back(points, starts, turned),
        starts=starts,
        turned=turned,
        width=float((x + right).max()) if arcs.size else 0.0,
        height=float(bottoms[-1]) if len(bottoms) else 0.0,
        crossings=crossings,
    )


def _turned_back(points: Floats, starts: Ints, turned: Bools) -> Floats:
    """The points of turned edges in the direction of the data: from the source, upwards."""
    for edge in np.flatnonzero(turned).tolist():
        part = slice(int(starts[edge]), int(starts[edge + 1]))
        points[part] = points[part][::-1].copy()
    return points
