"""Which boxes a folded graph shows, and which of its edges: modules, open and closed, and hubs drawn as stubs.

Owns: the visible item that stands for each node, and the choice of what to open first.
Refuses: positions and Qt. Items: a node is its number i < n; group g is the item n + g; group 0 is the whole graph.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from frozendict import frozendict
from numpy.typing import NDArray

from spyre_studio.repeats import Run
from spyre_studio.views.graph_runs import ModuleTree, folded_tree, sign_of

Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]

HUB_CONSUMERS: Final = 4  # a constant read by this many nodes is a stub beside each of them


@dataclass(frozen=True, slots=True, eq=False)
class GraphInput:
    """A graph of n nodes in schedule order; make one with `of`.

    `edges` (m, 2): producer and consumer; `tree`: the modules; `hubs` (n,) bool: constants drawn as stubs; `runs`: the
    modules that are equal.
    """

    edges: Ints
    tree: ModuleTree
    hubs: Bools
    runs: tuple[Run, ...] = ()

    @classmethod
    def of(cls, modules: Sequence[str], edges: Ints, constants: Bools, runs: tuple[Run, ...] = ()) -> "GraphInput":
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
        return cls(edges, ModuleTree.of(tuple(modules)), constants & (readers >= HUB_CONSUMERS), runs)

    @property
    def size(self) -> int:
        """Number of nodes."""
        return len(self.hubs)


@dataclass(frozen=True, slots=True, eq=False)
class Folded:
    """What is visible while some groups are open, in a `tree` of its own.

    `blocks`: closed group -> the equal modules it stands for. `stands_for` (n,): the item shown for each node (itself
    or a closed group), -1 for hubs. `opened`: bool by group. `links` (k, 2): visible edges between different items,
    each once. `link_of` (m,): the link that shows an edge, -1 for edges inside one item or from a hub. `stubs` (s, 2):
    hub node and the item beside which it is drawn.
    """

    tree: ModuleTree
    blocks: frozendict[str, tuple[str, ...]]
    stands_for: Ints
    opened: tuple[bool, ...]
    links: Ints
    link_of: Ints
    stubs: Ints


def fold(graph: GraphInput, opened: frozenset[str]) -> Folded:
    """The visible graph while the groups with these paths are open (and all groups around them; others are closed)."""
    folded, count = folded_tree(graph.tree, graph.runs, opened), graph.size
    tree = folded.tree
    is_open = [True] * len(tree.paths)
    closed_by = [-1] * len(tree.paths)  # the outermost closed group around each group, itself included
    for group in range(1, len(tree.paths)):
        outer = tree.parent[group]
        is_open[group] = is_open[outer] and tree.paths[group] in opened and tree.paths[group] not in folded.blocks
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
    return Folded(tree, folded.blocks, stands_for, tuple(is_open), links, link_of, stubs)


def first_opened(graph: GraphInput, limit: int = 40) -> frozenset[str]:
    """Groups to open at first: level by level from outside, as long as no more than `limit` boxes are on screen.

    Equal modules are folded, except in a graph that is small enough to be seen as a whole.
    """
    if graph.size <= limit:
        return everything(graph)
    folded = folded_tree(graph.tree, graph.runs, frozenset(graph.tree.paths) - _members(graph))
    tree = folded.tree
    children: list[list[int]] = [[] for _ in tree.paths]
    for group in range(1, len(tree.paths)):
        children[tree.parent[group]].append(group)
    boxes = np.bincount(tree.of_node, minlength=len(tree.paths)).tolist()
    shown = boxes[0] + len(children[0])
    opened: set[str] = set()
    level = [group for group in children[0] if tree.paths[group] not in folded.blocks]
    while level:
        gain = sum(boxes[group] + len(children[group]) - 1 for group in level)
        if shown + gain > limit:
            break
        opened.update(tree.paths[group] for group in level)
        shown += gain
        inner = (child for group in level for child in children[group])
        level = [child for child in inner if tree.paths[child] not in folded.blocks]
    return frozenset(opened)


def everything(graph: GraphInput) -> frozenset[str]:
    """What is open when all modules are, with every block of every run."""
    return frozenset(graph.tree.paths[1:]) | {sign_of(run) for run in graph.runs}


def _members(graph: GraphInput) -> frozenset[str]:
    return frozenset(path for run in graph.runs for path in run.members)


def _distinct(pairs: Ints, limit: int) -> tuple[Ints, Ints]:
    """Each pair of numbers below `limit` once, ascending, and the row of each input pair among them."""
    keys, back = np.unique(pairs[:, 0] * limit + pairs[:, 1], return_inverse=True)
    return np.stack([keys // limit, keys % limit], axis=1), back.ravel()
