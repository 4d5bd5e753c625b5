"""Coordinates of an ordered layered graph. Second half of the layered layout.

Owns: x by repeated neighbour means with straight chains and kept distances, y by layers, and the routes of edges, which
slant only in the gaps between layers. Refuses: changing the order within a layer, and Qt.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from spyre_studio.views.layer_order import Arcs

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]

ROUNDS: Final = 60
STRAIGHTENING: Final = 3
CHAIN_WEIGHT: Final = 8.0  # pieces inside a long edge hold each other hardest: a long edge shall be straight
LONG_WEIGHT: Final = 0.25  # its ends hardly pull: the short edges make the spine, the long ones go round it
GAP_PER_SLANT: Final = 0.08  # a gap grows with the widest slant in it, so that edges do not lie flat
MAX_EXTRA_GAP: Final = 64.0


def place_across(arcs: Arcs, rank: Floats, left: Floats, right: Floats, gap: float, dummy_gap: float) -> Floats:
    """x of each node's anchor, dummies included; `left` and `right` are the extents around it, in pixels."""
    if not arcs.size:
        return np.zeros(0)
    spacing = _Spacing(arcs, rank, left, right, gap, dummy_gap)
    weights = _weights(arcs)
    segment, lean = _segments(arcs)
    sizes = np.maximum(np.bincount(segment, minlength=arcs.size), 1)
    above = np.bincount(arcs.target, weights, arcs.size)
    below = np.bincount(arcs.source, weights, arcs.size)
    shift = arcs.source_at - arcs.target_at
    x = spacing.start()
    for turn in range(ROUNDS):
        from_above = np.bincount(arcs.target, weights * (x[arcs.source] + shift), arcs.size)
        from_below = np.bincount(arcs.source, weights * (x[arcs.target] - shift), arcs.size)
        pull, weight = ((from_above, above), (from_below, below), (from_above + from_below, above + below))[turn % 3]
        wanted = np.where(weight > 0, pull / np.maximum(weight, 1e-9), x)
        wanted = (np.bincount(segment, wanted - lean, arcs.size) / sizes)[segment] + lean
        x = spacing.kept(wanted if turn > ROUNDS // 2 else (wanted + x) / 2)
    x = spacing.straightened(x, arcs.layer, segment, lean)
    settled: Floats = np.round(x - (x - left).min())
    return settled


def place_down(arcs: Arcs, x: Floats, height: Floats, gap: float, port_gap: float) -> tuple[Floats, Floats]:
    """Top and bottom of each layer, in pixels from the top; a gap with wide slants is higher.

    Next to a layer that holds nothing but ports and dummies `port_gap` is enough.
    """
    levels = int(arcs.layer.max()) + 1 if arcs.size else 0
    tallest = np.zeros(levels)
    np.maximum.at(tallest, arcs.layer, height)
    slant = np.zeros(levels)
    across = np.abs(x[arcs.source] + arcs.source_at - x[arcs.target] - arcs.target_at)
    np.maximum.at(slant, arcs.layer[arcs.source], across)
    flat = tallest == 0
    base = np.where(flat | np.append(flat[1:], False), port_gap, gap)
    gaps = base + np.minimum(GAP_PER_SLANT * slant, MAX_EXTRA_GAP)
    bottoms = np.cumsum(tallest) + np.concatenate([[0.0], np.cumsum(gaps)[:-1]]) if levels else np.zeros(0)
    bottoms = np.round(bottoms)
    return bottoms - tallest, bottoms


def routes(
    arcs: Arcs, edges: Ints, x: Floats, ends: tuple[Floats, Floats], tops: Floats, bottoms: Floats, height: Floats
) -> tuple[Floats, Ints]:
    """All edges as points (p, 2) and the index of the first point of each edge (m + 1).

    The points come in pairs: straight down (or nothing) within a pair, slanting through a gap from pair to pair.
    `ends` are the attachment offsets (m,) of source and target; `height` (n,) of the real nodes.
    """
    pairs = arcs.count + 2
    starts = np.concatenate([[0], np.cumsum(2 * pairs)]).astype(np.intp)
    points = np.empty((int(starts[-1]), 2))
    source, target = edges[:, 0], edges[:, 1]
    begin, end = starts[:-1], starts[1:]
    for offset, depth in ((0, tops[arcs.layer[source]] + height[source]), (1, bottoms[arcs.layer[source]])):
        points[begin + offset, 0], points[begin + offset, 1] = x[source] + ends[0], depth
    for offset in (2, 1):
        points[end - offset, 0], points[end - offset, 1] = x[target] + ends[1], tops[arcs.layer[target]]
    dummies = np.arange(arcs.nodes, arcs.size)
    if len(dummies):
        owner = np.repeat(np.arange(len(edges)), arcs.count)
        at = begin[owner] + 2 + 2 * (dummies - arcs.first[owner])
        for offset, depth in ((0, tops), (1, bottoms)):
            points[at + offset, 0], points[at + offset, 1] = x[dummies], depth[arcs.layer[dummies]]
    return points, starts


class _Spacing:
    """Least distances between neighbours of a layer, kept for all layers in one pass."""

    def __init__(self, arcs: Arcs, rank: Floats, left: Floats, right: Floats, gap: float, dummy_gap: float) -> None:
        order = np.lexsort((rank, arcs.layer))
        layer = arcs.layer[order]
        is_dummy = order >= arcs.nodes
        between = np.where(is_dummy[1:] | is_dummy[:-1], dummy_gap, gap)
        distance = np.concatenate([[0.0], right[order][:-1] + between + left[order][1:]])
        first = np.diff(layer, prepend=-1) != 0
        distance[first] = 0
        offset = np.cumsum(distance)
        starts = np.flatnonzero(first)
        lengths = np.diff(np.append(starts, arcs.size))
        self._order, self._offset = order, offset - np.repeat(offset[starts], lengths)
        self._distance = np.where(first, np.inf, distance)  # to the left neighbour, infinite without one
        self._half = np.repeat(self._offset[np.append(starts[1:], arcs.size) - 1] / 2, lengths)
        # Layers far apart on one line: a running maximum then never reaches from one into the next.
        self._far = float(self._offset.max()) * 4 + 1e5
        self._base = np.cumsum(first) * self._far

    def start(self) -> Floats:
        """Every layer packed and centred."""
        x = np.empty(len(self._order))
        x[self._order] = self._offset - self._half
        return x

    def kept(self, wanted: Floats) -> Floats:
        """The positions nearest to `wanted` (as a mean of pushing right and pushing left) that keep the distances."""
        slack = np.clip(wanted[self._order] - self._offset, -0.4 * self._far, 0.4 * self._far) + self._base
        pushed_right = np.maximum.accumulate(slack)
        pushed_left = np.minimum.accumulate(slack[::-1])[::-1]
        x = np.empty(len(self._order))
        x[self._order] = (pushed_right + pushed_left) / 2 - self._base + self._offset
        return x

    def straightened(self, x: Floats, layer: Ints, segment: Ints, lean: Floats) -> Floats:
        """Every segment on one vertical, nearest to where it is, if its neighbours leave room; longest ones first."""
        place = np.empty(len(x), np.intp)
        place[self._order] = np.arange(len(x))
        sizes = np.bincount(segment, minlength=len(x))
        members = np.split(np.lexsort((layer, segment)), np.cumsum(sizes)[:-1])
        long = [members[index] for index in np.argsort(-sizes, kind="stable").tolist() if sizes[index] > 1]
        # One more at either end: the neighbour of an outermost node is infinitely far away.
        row = np.concatenate([[0.0], x[self._order], [0.0]])
        distance = np.append(self._distance, np.inf)
        for _ in range(STRAIGHTENING):
            for nodes in long:
                self._straighten(row, distance, place[nodes], lean[nodes])
        result = np.empty(len(x))
        result[self._order] = row[1:-1]
        return result

    @staticmethod
    def _straighten(row: Floats, distance: Floats, at: Ints, aside: Floats) -> None:
        """Move one segment (nodes from top to bottom) onto one vertical, or onto as few as have room (in place)."""
        while len(at):
            left, right = distance[at], distance[at + 1]
            lowest = np.maximum.accumulate(np.where(np.isfinite(left), row[at] + left - aside, -np.inf))
            highest = np.minimum.accumulate(np.where(np.isfinite(right), row[at + 2] - right - aside, np.inf))
            blocked = np.flatnonzero(lowest > highest)
            run = int(blocked[0]) if len(blocked) else len(at)
            if run:
                mean = float((row[at[:run] + 1] - aside[:run]).mean())
                row[at[:run] + 1] = min(max(mean, float(lowest[run - 1])), float(highest[run - 1])) + aside[:run]
            at, aside = at[max(run, 1) :], aside[max(run, 1) :]


def _alone(arcs: Arcs, counted: Bools) -> Bools:
    """Arcs that are the only one out of their source and the only one into their target, among those counted."""
    outputs = np.bincount(arcs.source[counted], minlength=arcs.size)
    inputs = np.bincount(arcs.target[counted], minlength=arcs.size)
    alone: Bools = counted & (outputs[arcs.source] == 1) & (inputs[arcs.target] == 1)
    return alone


def _weights(arcs: Arcs) -> Floats:
    from_dummy, to_dummy = arcs.source >= arcs.nodes, arcs.target >= arcs.nodes
    return np.where(from_dummy & to_dummy, CHAIN_WEIGHT, np.where(from_dummy | to_dummy, LONG_WEIGHT, 1.0))


def _segments(arcs: Arcs) -> tuple[Ints, Floats]:
    """Nodes whose joining arcs shall be exactly vertical, and how far each node then stands beside the first of them.

    These are the inner chains of long edges, and the spine: runs of nodes with one output and one input, where long
    edges do not count if there is a short one (a residual goes round its block, not through the middle).
    """
    short = (arcs.source < arcs.nodes) & (arcs.target < arcs.nodes)
    inner = (arcs.source >= arcs.nodes) & (arcs.target >= arcs.nodes)
    rigid = np.flatnonzero(inner | _alone(arcs, np.ones(len(short), bool)) | _alone(arcs, short))
    rigid = rigid[np.argsort(arcs.layer[arcs.source[rigid]], kind="stable")]
    segment, lean = list(range(arcs.size)), [0.0] * arcs.size
    shift = (arcs.source_at - arcs.target_at)[rigid].tolist()
    for source, target, aside in zip(arcs.source[rigid].tolist(), arcs.target[rigid].tolist(), shift, strict=True):
        segment[target], lean[target] = segment[source], lean[source] + aside
    return np.array(segment, np.intp), np.array(lean)
