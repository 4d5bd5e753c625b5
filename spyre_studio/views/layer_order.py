"""Order of the nodes within their layers, with few crossings. First half of the layered layout.

Owns: layers by longest path, dummy chains for long edges, and barycentre sweeps. Refuses: coordinates and Qt.
The number of sweeps is fixed, never a time limit, so the same graph always gives the same picture.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]

GLOBAL_SWEEPS: Final = 32  # all layers at once, odd and even ones in turn
LAYER_SWEEPS: Final = 12  # classic, one layer after the other
PATIENCE: Final = 4  # classic sweeps without a gain before giving up
ISOLATED_PER_ROW: Final = 8


@dataclass(frozen=True, slots=True, eq=False)
class Arcs:
    """Edges cut at every layer. Nodes n.. are dummies; edge e owns the dummies first[e] .. first[e] + count[e].

    `source`, `target`: (a,) nodes of each arc, in adjacent layers; `edge`: the edge it is a piece of;
    `source_at`, `target_at`: (a,) where it attaches, in pixels from the anchor of the node.
    """

    layer: Ints
    first: Ints
    count: Ints
    source: Ints
    target: Ints
    edge: Ints
    source_at: Floats
    target_at: Floats

    @property
    def size(self) -> int:
        """Number of nodes, dummies included."""
        return len(self.layer)

    @property
    def nodes(self) -> int:
        """Number of real nodes: the dummies come after them."""
        return len(self.layer) - int(self.count.sum())


def acyclic(count: int, edges: Ints) -> Bools:
    """Which edges to turn round so that no cycle is left; (m,) bool.

    Nodes that are not on a cycle or between two cycles keep all their edges; the others follow their numbers.
    """
    turned = np.zeros(len(edges), bool)
    alive = np.ones(count, bool)
    for ahead, behind in ((0, 1), (1, 0)):
        kept = alive[edges[:, 0]] & alive[edges[:, 1]]
        _peel(alive, edges[kept, ahead], edges[kept, behind])
    inside = alive[edges[:, 0]] & alive[edges[:, 1]]
    turned[inside] = edges[inside, 0] > edges[inside, 1]
    return turned


def layers_of(count: int, edges: Ints, top: Bools, bottom: Bools) -> Ints:
    """Layer of each node by longest path; nodes with more outputs than inputs move down to their consumers.

    `top` nodes (no inputs) share the first layer, `bottom` nodes (no outputs) the last, alone. Edges must be acyclic.
    """
    outputs: list[list[int]] = [[] for _ in range(count)]
    waiting = np.bincount(edges[:, 1], minlength=count).tolist()
    for source, target in edges.tolist():
        outputs[source].append(target)
    inputs = list(waiting)
    layer = [0] * count
    order = [node for node in range(count) if not waiting[node]]
    for node in order:
        for target in outputs[node]:
            layer[target] = max(layer[target], layer[node] + 1)
            waiting[target] -= 1
            if not waiting[target]:
                order.append(target)
    for node in reversed(order):
        if len(outputs[node]) > inputs[node]:
            layer[node] = min(layer[target] for target in outputs[node]) - 1
    result = np.array(layer, np.intp)
    _spread_isolated(result, np.array(inputs, np.intp) + np.array([len(out) for out in outputs], np.intp))
    return _with_borders(result, top, bottom)


def cut(edges: Ints, layer: Ints, source_at: Floats, target_at: Floats) -> Arcs:
    """Replace every edge by arcs between adjacent layers, with a chain of dummies where it is longer."""
    count = len(layer)
    span = layer[edges[:, 1]] - layer[edges[:, 0]]
    dummies = np.maximum(span - 1, 0)
    total = int(dummies.sum())
    first = count + np.concatenate([[0], np.cumsum(dummies)[:-1]]).astype(np.intp) if len(edges) else dummies
    owner = np.repeat(np.arange(len(edges)), dummies)
    place = np.arange(total) - np.repeat(first - count, dummies)
    levels = np.concatenate([layer, layer[edges[owner, 0]] + 1 + place])
    short, long = np.flatnonzero(span == 1), np.flatnonzero(span > 1)
    inner = np.flatnonzero(place < dummies[owner] - 1) if total else np.zeros(0, np.intp)
    last = first[long] + dummies[long] - 1
    zero_inner, zero_long = np.zeros(len(inner)), np.zeros(len(long))
    return Arcs(
        layer=levels,
        first=first,
        count=dummies,
        source=np.concatenate([edges[short, 0], edges[long, 0], last, count + inner]),
        target=np.concatenate([edges[short, 1], first[long], edges[long, 1], count + inner + 1]),
        edge=np.concatenate([short, long, long, owner[inner]]),
        source_at=np.concatenate([source_at[short], source_at[long], zero_long, zero_inner]),
        target_at=np.concatenate([target_at[short], zero_long, target_at[long], zero_inner]),
    )


def order_layers(arcs: Arcs, widths: Floats) -> tuple[Floats, int]:
    """Rank of each node within its layer (0, 1, ...) and the number of crossings of the arcs in that order."""
    # An arc that attaches at the left of a wide box counts as a little left of the box's rank.
    source_lean = np.clip(arcs.source_at / np.maximum(widths[arcs.source], 1), -0.49, 0.49)
    target_lean = np.clip(arcs.target_at / np.maximum(widths[arcs.target], 1), -0.49, 0.49)
    sweeper = _Sweeper(arcs, source_lean, target_lean)
    rank = ranked(arcs.layer, _depth_first(arcs))
    best, fewest = rank, sweeper.crossings(rank)
    for sweep in range(GLOBAL_SWEEPS):
        if not fewest:
            return best, 0
        rank = sweeper.all_layers(rank, sweep)
        if sweep % 4 == 3:
            crossings = sweeper.crossings(rank)
            best, fewest = (rank, crossings) if crossings < fewest else (best, fewest)
    rank, idle = best, 0
    for sweep in range(LAYER_SWEEPS):
        if not fewest or idle == PATIENCE:
            break
        rank = sweeper.layer_by_layer(rank, downwards=sweep % 2 == 0)
        crossings = sweeper.crossings(rank)
        idle = 0 if crossings < fewest else idle + 1
        best, fewest = (rank, crossings) if crossings < fewest else (best, fewest)
    return best, fewest


def ranked(layer: Ints, key: Floats) -> Floats:
    """Rank of each node among those of its layer by ascending `key`; equal keys keep the order of node numbers."""
    order = np.lexsort((key, layer))
    sorted_layers = layer[order]
    starts = np.flatnonzero(np.diff(sorted_layers, prepend=-1))
    rank = np.empty(len(layer))
    rank[order] = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    return rank


class _Sweeper:
    """The arcs of one graph, prepared for many sweeps."""

    def __init__(self, arcs: Arcs, source_lean: Floats, target_lean: Floats) -> None:
        self._arcs, self._source_lean, self._target_lean = arcs, source_lean, target_lean
        size = arcs.size
        self._outputs = np.bincount(arcs.source, minlength=size)
        self._inputs = np.bincount(arcs.target, minlength=size)
        self._odd = (arcs.layer & 1).astype(bool)
        levels = int(arcs.layer.max()) + 1 if size else 0
        self._nodes = np.argsort(arcs.layer, kind="stable")
        self._node_at = np.searchsorted(arcs.layer[self._nodes], np.arange(levels + 1))
        self._arc_order = np.argsort(arcs.layer[arcs.source], kind="stable")
        self._arc_at = np.searchsorted(arcs.layer[arcs.source][self._arc_order], np.arange(levels + 1))
        self._levels = levels

    def crossings(self, rank: Floats) -> int:
        """Number of pairs of arcs that cross, all layers together."""
        arcs = self._arcs
        from_rank = rank[arcs.source] + self._source_lean
        to_rank = rank[arcs.target] + self._target_lean
        level = arcs.layer[arcs.source]
        order = np.lexsort((to_rank, from_rank, level))
        # Layers never invert against each other if each has value range of its own.
        values = to_rank[order] + level[order] * (2.0 * arcs.size + 2.0)
        return _inversions(np.unique(values, return_inverse=True)[1])

    def all_layers(self, rank: Floats, sweep: int) -> Floats:
        """Every other layer ordered by the mean rank of its neighbours above (two sweeps) or below (two sweeps)."""
        arcs, size = self._arcs, self._arcs.size
        if sweep % 4 < 2:
            pull = np.bincount(arcs.target, rank[arcs.source] + self._source_lean - self._target_lean, size)
            number = self._inputs
        else:
            pull = np.bincount(arcs.source, rank[arcs.target] + self._target_lean - self._source_lean, size)
            number = self._outputs
        moves = (number > 0) & (self._odd == bool(sweep & 1))
        return ranked(arcs.layer, np.where(moves, pull / np.maximum(number, 1), rank))

    def layer_by_layer(self, rank: Floats, downwards: bool) -> Floats:
        """One pass through all layers, each ordered by the fresh ranks of the one before."""
        rank = rank.copy()
        for level in range(1, self._levels) if downwards else range(self._levels - 2, -1, -1):
            nodes = self._nodes[self._node_at[level] : self._node_at[level + 1]]
            if len(nodes) < 2:
                continue
            mean = self._means(nodes, rank, level - 1 if downwards else level, downwards)
            rank[nodes[np.lexsort((rank[nodes], mean))]] = np.arange(len(nodes))
        return rank

    def _means(self, nodes: Ints, rank: Floats, gap: int, downwards: bool) -> Floats:
        arcs = self._arcs
        here = self._arc_order[self._arc_at[gap] : self._arc_at[gap + 1]]
        if downwards:
            ends, values = arcs.target[here], rank[arcs.source[here]] + (self._source_lean - self._target_lean)[here]
        else:
            ends, values = arcs.source[here], rank[arcs.target[here]] + (self._target_lean - self._source_lean)[here]
        place = np.searchsorted(nodes, ends)
        number = np.bincount(place, minlength=len(nodes))
        means = np.bincount(place, values, len(nodes)) / np.maximum(number, 1)
        return np.where(number > 0, means, rank[nodes])


def _peel(alive: Bools, ahead: Ints, behind: Ints) -> None:
    """Clear `alive` for all nodes that an order reaches from the ends without a predecessor (in place)."""
    count = len(alive)
    waiting = np.bincount(behind, minlength=count).tolist()
    following: list[list[int]] = [[] for _ in range(count)]
    for one, other in zip(ahead.tolist(), behind.tolist(), strict=True):
        following[one].append(other)
    ready = [node for node in np.flatnonzero(alive).tolist() if not waiting[node]]
    for node in ready:
        alive[node] = False
        for other in following[node]:
            waiting[other] -= 1
            if not waiting[other]:
                ready.append(other)


def _spread_isolated(layer: Ints, degree: Ints) -> None:
    """Nodes without any edge in rows of eight instead of one endless row (in place)."""
    lonely = np.flatnonzero(degree == 0)
    layer[lonely] = (layer.min() if len(layer) else 0) + np.arange(len(lonely)) // ISOLATED_PER_ROW


def _with_borders(layer: Ints, top: Bools, bottom: Bools) -> Ints:
    inner = ~(top | bottom)
    if not inner.any():
        return np.where(bottom, 1, 0).astype(np.intp)
    result: Ints = layer - layer[inner].min() + int(top.any())
    result[top] = 0
    result[bottom] = result[inner].max() + 1
    return result


def _depth_first(arcs: Arcs) -> Floats:
    """Position of each node in a depth-first walk from the first layer down: neighbours start out together."""
    size = arcs.size
    order = np.argsort(arcs.source, kind="stable")
    starts = np.searchsorted(arcs.source[order], np.arange(size + 1)).tolist()
    outputs = arcs.target[order].tolist()
    key = np.full(size, -1.0)
    place = 0
    for root in np.argsort(arcs.layer, kind="stable").tolist():
        stack = [root]
        while stack:
            node = stack.pop()
            if key[node] >= 0:
                continue
            key[node] = place
            place += 1
            stack.extend(reversed(outputs[starts[node] : starts[node + 1]]))
    return key


def _inversions(values: Ints) -> int:
    """Number of pairs i < j with values[i] > values[j], by a merge sort whose merges are all done at once."""
    count, total, width = len(values), 0, 1
    index = np.arange(count)
    while width < count:
        block, right = index // (2 * width), (index // width) % 2 == 1
        order = np.lexsort((right, values, block))
        right, block = right[order], block[order]
        passed = np.cumsum(right)
        starts = np.flatnonzero(np.diff(block, prepend=-1))
        before = np.repeat(np.concatenate([[0], passed[starts[1:] - 1]]), np.diff(np.append(starts, count)))
        total += int((passed - before)[~right].sum())
        values = values[order]
        width *= 2
    return total
