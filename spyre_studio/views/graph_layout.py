"""The picture of a folded graph: boxes, frames around open modules, edges through their borders, stubs of hubs.

Owns: putting the laid out groups together, and the cache by structure that lays equal blocks out once. Refuses:
painting, Qt, cutting the graph into groups (graph_pieces.py) and the flat layout itself (layered.py).

An edge that crosses the border of an open group does so at a port: a point on the border that takes part in the layout
on both sides. One port serves one producer, so data leaves a group once, however many read it.
"""

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from frozendict import frozendict
from numpy.typing import NDArray

from spyre_studio.views.graph_groups import Folded, GraphInput, fold
from spyre_studio.views.graph_pieces import Pieces
from spyre_studio.views.layered import LayeredLayout, LayerProblem, Spacing, layered

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]

MAX_STUBS: Final = 2  # chips beside one box; the last one says how many more there are
_CACHE_LIMIT: Final = 2048

Stubs = tuple[Floats, Ints, Ints, Ints]


@dataclass(frozen=True, slots=True, eq=False)
class GraphLayout:
    """Everything to draw and to hit, in world units (pixels at 100 %), y downwards.

    Boxes: `boxes` (b, 4) as x0, y0, x1, y1; `box_item` (b,): node i, or n + g for the closed group g; `box_of` (n,):
    the box that shows each node, -1 for hubs; `group_paths[g]`, `group_sizes[g]`: path and number of nodes of group g;
    `blocks`: path of a box -> the equal modules that are folded in it.
    Frames of open groups: `frames` (f, 4), `frame_group` (f,), outer ones first.
    Edges: `links` (k, 2) boxes; points of link j are `points[starts[j]:starts[j + 1]]` in pairs, vertical within a
    pair, slanting from pair to pair; `turned` (k,): runs upwards somewhere; `link_of` (m,): link of each edge or -1.
    Stubs: `stubs` (s, 4), `stub_box` (s,), `stub_hub` (s,) node, `stub_more` (s,) hubs left out, drawn as '+n'.
    """

    boxes: Floats
    box_item: Ints
    box_of: Ints
    group_paths: tuple[str, ...]
    group_sizes: tuple[int, ...]
    blocks: frozendict[str, tuple[str, ...]]
    frames: Floats
    frame_group: Ints
    links: Ints
    points: Floats
    starts: Ints
    turned: Bools
    link_of: Ints
    stubs: Floats
    stub_box: Ints
    stub_hub: Ints
    stub_more: Ints
    bounds: tuple[float, float, float, float]
    crossings: int


@dataclass(slots=True)
class LayoutCache:
    """Flat layouts by structure; keep one per open model, so that unfolding one of 32 equal blocks costs nothing."""

    known: dict[bytes, LayeredLayout] = field(default_factory=dict)

    def get(self, problem: LayerProblem, spacing: Spacing) -> LayeredLayout:
        """The layout of this problem, computed at most once."""
        key = problem.signature() + repr(spacing).encode()
        if key not in self.known:
            if len(self.known) >= _CACHE_LIMIT:
                self.known.clear()
            self.known[key] = layered(problem, spacing)
        return self.known[key]


def layout_graph(
    graph: GraphInput, opened: frozenset[str], cache: LayoutCache | None = None, spacing: Spacing | None = None
) -> GraphLayout:
    """Lay out the graph with these groups open. Grouped graphs of 50,000 nodes take well under half a second."""
    room = spacing or Spacing()
    folded = fold(graph, opened)
    pieces = Pieces(graph, folded, room)
    crossings = pieces.lay_out(cache or LayoutCache())
    origins = _origins(graph, pieces, room)
    items, boxes = _boxes(graph, pieces, origins, room)
    tree = folded.tree
    place = np.full(graph.size + len(tree.paths), -1, np.intp)
    place[items] = np.arange(len(items))
    frame_group = np.array([group for group in pieces.by_group if group], np.intp)
    frames = _frames(pieces, origins, frame_group, room)
    points, starts, turned = _routes(pieces, origins)
    stubs, stub_box, stub_hub, stub_more = _stubs(folded, place, boxes, room)
    return GraphLayout(
        boxes=boxes,
        box_item=items,
        box_of=np.where(folded.stands_for >= 0, place[folded.stands_for], -1),
        group_paths=tree.paths,
        group_sizes=tuple(tree.sizes()),
        blocks=folded.blocks,
        frames=frames,
        frame_group=frame_group,
        links=place[folded.links],
        points=points,
        starts=starts,
        turned=turned,
        link_of=folded.link_of,
        stubs=stubs,
        stub_box=stub_box,
        stub_hub=stub_hub,
        stub_more=stub_more,
        bounds=_bounds(boxes, frames, stubs, points),
        crossings=crossings,
    )


def _origins(graph: GraphInput, pieces: Pieces, room: Spacing) -> dict[int, tuple[float, float]]:
    """Where the inner layout of each open group begins; outer groups come first in `by_group`."""
    origins = {0: (0.0, 0.0)}
    for group, piece in pieces.by_group.items():
        x0, y0 = origins[group]
        for local, item in enumerate(piece.children):
            inner = item - graph.size
            if inner not in pieces.by_group:
                continue
            left = x0 + float(piece.placed.x[local]) - pieces.size(inner)[0] / 2
            origins[inner] = (left + room.group_pad, y0 + float(piece.placed.y[local]) + room.group_header)
    return origins


def _boxes(
    graph: GraphInput, pieces: Pieces, origins: dict[int, tuple[float, float]], room: Spacing
) -> tuple[Ints, Floats]:
    """Items that are drawn as boxes, and their rectangles."""
    items: list[int] = []
    parts: list[Floats] = [np.zeros((0, 4))]
    for group, piece in pieces.by_group.items():
        shown = [place for place, item in enumerate(piece.children) if item - graph.size not in pieces.by_group]
        items.extend(piece.children[place] for place in shown)
        x = piece.placed.x[shown] + origins[group][0]
        y = piece.placed.y[shown] + origins[group][1]
        half = room.node_width / 2
        parts.append(np.stack([x - half, y, x + half, y + room.node_height], axis=1))
    return np.array(items, np.intp), np.concatenate(parts)


def _frames(pieces: Pieces, origins: dict[int, tuple[float, float]], groups: Ints, room: Spacing) -> Floats:
    frames = np.zeros((len(groups), 4))
    for row, group in enumerate(groups.tolist()):
        x0, y0 = origins[group][0] - room.group_pad, origins[group][1] - room.group_header
        width, height = pieces.size(group)
        frames[row] = x0, y0, x0 + width, y0 + height
    return frames


def _routes(pieces: Pieces, origins: dict[int, tuple[float, float]]) -> tuple[Floats, Ints, Bools]:
    """Points of all links, their starts, and which run upwards."""
    parts: list[Floats] = [np.zeros((0, 2))]
    lengths = [0]
    turned = np.zeros(len(pieces.steps), bool)
    moved = {group: piece.placed.points + np.array(origins[group]) for group, piece in pieces.by_group.items()}
    for link, steps in enumerate(pieces.steps):
        length = 0
        for place, (group, edge) in enumerate(steps):
            piece = pieces.by_group[group]
            row = piece.edges[edge]
            begin, end = int(piece.placed.starts[row]), int(piece.placed.starts[row + 1])
            # At a border two vertical pairs meet: the point on the border goes, and they become one pair.
            part = moved[group][begin + (place > 0) : end - (place < len(steps) - 1)]
            parts.append(part)
            length += len(part)
            turned[link] |= piece.placed.turned[row]
        lengths.append(length)
    return np.concatenate(parts), np.cumsum(lengths).astype(np.intp), turned


def _stubs(folded: Folded, place: Ints, boxes: Floats, room: Spacing) -> Stubs:
    """Chips at the left of the boxes that read hubs, at most MAX_STUBS each; the last one stands for the rest."""
    by_box: dict[int, list[int]] = {}
    for hub, item in folded.stubs.tolist():
        by_box.setdefault(int(place[item]), []).append(hub)
    rects: list[tuple[float, float, float, float]] = []
    rows: list[tuple[int, int, int]] = []
    for box, hubs in by_box.items():
        shown = hubs[:MAX_STUBS]
        pitch = room.stub_height + 2
        right = float(boxes[box, 0]) - room.stub_gap
        y = float(boxes[box, 1] + boxes[box, 3]) / 2 - (len(shown) * pitch - 2) / 2
        for row, hub in enumerate(shown):
            rects.append((right - room.stub_width, y + row * pitch, right, y + row * pitch + room.stub_height))
            rows.append((box, hub, len(hubs) - len(shown) if row == len(shown) - 1 else 0))
    table = np.array(rows, np.intp).reshape(-1, 3)
    return np.array(rects, np.float64).reshape(-1, 4), table[:, 0], table[:, 1], table[:, 2]


def _bounds(boxes: Floats, frames: Floats, stubs: Floats, points: Floats) -> tuple[float, float, float, float]:
    """The smallest rectangle around everything; (0, 0, 0, 0) for an empty graph."""
    corners = np.concatenate([*(part.reshape(-1, 2) for part in (boxes, frames, stubs)), points])
    if not len(corners):
        return 0.0, 0.0, 0.0, 0.0
    (x0, y0), (x1, y1) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    return x0, y0, x1, y1
