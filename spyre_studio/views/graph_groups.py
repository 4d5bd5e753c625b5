"""Which boxes a folded graph shows, and which of its edges: modules, open and closed, and hubs drawn as stubs.

Owns: the tree of modules, the visible item that stands for each node, and the choice of what to open first.
Refuses: positions and Qt. Items: a node is its number i < n; group g is the item n + g; group 0 is the whole graph.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]

HUB_CONSUMERS: Final = 4  # a constant read by this many nodes is a stub beside each of them


@dataclass(frozen=True, slots=True, eq=False)
class ModuleTree:
    """`paths[g]`: full path of group g, '' for group 0; `parent[g]` (its own number for group 0); `of_node` (n,)."""

    paths: tuple[str, ...]
    parent: tuple[int, ...]
    of_node: Ints

    @classmethod
    def of(cls, modules: tuple[str, ...]) -> "ModuleTree":
        """All modules and the modules around them; parents come before their children."""
        known, paths, parent = {"": 0}, [""], [0]

        def group(path: str) -> int:
            if path not in known:
                outer = group(path.rpartition(".")[0])
                known[path] = len(paths)
                paths.append(path)
                parent.append(outer)
            return known[path]

        of_node = np.fromiter((group(path) for path in modules), np.intp, len(modules))
        return cls(tuple(paths), tuple(parent), of_node)

    def chain(self, group: int) -> tuple[int, ...]:
        """The group and all around it, innermost first, group 0 last."""
        found = [group]
        while found[-1]:
            found.append(self.parent[found[-1]])
        return tuple(found)

    def sizes(self) -> list[int]:
        """Number of nodes in each group, those of inner groups included."""
        sizes: list[int] = np.bincount(self.of_node, minlength=len(self.paths)).tolist()
        for group in range(len(self.paths) - 1, 0, -1):
            sizes[self.parent[group]] += sizes[group]
        return sizes


@dataclass(frozen=True, slots=True, eq=False)
class GraphInput:
    """A graph of n nodes in schedule order; make one with `of`.

    `edges` (m, 2): producer and consumer; `tree`: the modules; `hubs` (n,) bool: constants drawn as stubs.
    """

    edges: Ints
    tree: ModuleTree
    hubs: Bools

    @classmethod
    def of(cls, modules: Sequence[str], edges: Ints, constants: Bools) -> "GraphInput":
        """`modules`: dotted path of each node's module ('' for none); `edges` (m, 2) nodes; `constants` (n,) bool.

        A constant is a node that reads nothing (mask, rope table); if HUB_CONSUMERS or more nodes read it, it is a hub.
        Raises ValueError where the parts do not fit together.
        """
        count = len(modules)
        if edges.ndim != 2 or edges.shape[1] != 2:
            raise ValueError(f"edges are pairs of node numbers, not an array of shape {edges.shape}")
        if len(edges) and not (edges.min() >= 0 and edges.max() < count):
            raise ValueError(f"an edge names a node outside 0..{count - 1}")
        if constants.shape != (count,):
            raise ValueError(f"constants need one flag for each of {count} nodes, not shape {constants.shape}")
        if constants[edges[:, 1]].any():
            raise ValueError("a constant reads nothing, but an edge leads to one")
        readers = np.bincount(_distinct(edges, count)[0][:, 0], minlength=count)
        return cls(edges, ModuleTree.of(tuple(modules)), constants & (readers >= HUB_CONSUMERS))

    @property
    def size(self) -> int:
        """Number of nodes."""
        return len(self.hubs)


@dataclass(frozen=True, slots=True, eq=False)
class Folded:
    """What is visible while some groups are open.

    `stands_for` (n,): the item shown for each node (itself or a closed group), -1 for hubs. `opened`: bool by group.
    `links` (k, 2): visible edges between different items, each once. `link_of` (m,): the link that shows an edge,
    -1 for edges inside one item or from a hub. `stubs` (s, 2): hub node and the item beside which it is drawn.
    """

    stands_for: Ints
    opened: tuple[bool, ...]
    links: Ints
    link_of: Ints
    stubs: Ints


def fold(graph: GraphInput, opened: frozenset[str]) -> Folded:
    """The visible graph while the groups with these paths are open (and all groups around them; others are closed)."""
    tree, count = graph.tree, graph.size
    is_open = [True] * len(tree.paths)
    closed_by = [-1] * len(tree.paths)  # the outermost closed group around each group, itself included
    for group in range(1, len(tree.paths)):
        outer = tree.parent[group]
        is_open[group] = is_open[outer] and tree.paths[group] in opened
        closed_by[group] = closed_by[outer] if not is_open[outer] else -1 if is_open[group] else group
    closed = np.array(closed_by, np.intp)[tree.of_node]
    stands_for = np.where(closed >= 0, count + closed, np.arange(count))
    stands_for[graph.hubs] = -1
    from_hub = graph.hubs[graph.edges[:, 0]]
    ends = stands_for[graph.edges]
    shown = ~from_hub & (ends[:, 0] != ends[:, 1]) & (ends[:, 1] >= 0)
    links, back = _distinct(ends[shown], count + len(tree.paths))
    link_of = np.full(len(graph.edges), -1, np.intp)
    link_of[shown] = back
    beside = from_hub & (ends[:, 1] >= 0)
    stubs, _ = _distinct(np.stack([graph.edges[beside, 0], ends[beside, 1]], axis=1), count + len(tree.paths))
    return Folded(stands_for, tuple(is_open), links, link_of, stubs)


def first_opened(graph: GraphInput, limit: int = 40) -> frozenset[str]:
    """Groups to open at first: level by level from outside, as long as no more than `limit` boxes are on screen."""
    tree = graph.tree
    children: list[list[int]] = [[] for _ in tree.paths]
    for group in range(1, len(tree.paths)):
        children[tree.parent[group]].append(group)
    boxes = np.bincount(tree.of_node, minlength=len(tree.paths)).tolist()
    shown = boxes[0] + len(children[0])
    opened: set[str] = set()
    level = children[0]
    while level:
        gain = sum(boxes[group] + len(children[group]) - 1 for group in level)
        if shown + gain > limit:
            break
        opened.update(tree.paths[group] for group in level)
        shown += gain
        level = [child for group in level for child in children[group]]
    return frozenset(opened)


def _distinct(pairs: Ints, limit: int) -> tuple[Ints, Ints]:
    """Each pair of numbers below `limit` once, ascending, and the row of each input pair among them."""
    keys, back = np.unique(pairs[:, 0] * limit + pairs[:, 1], return_inverse=True)
    return np.stack([keys // limit, keys % limit], axis=1), back.ravel()
