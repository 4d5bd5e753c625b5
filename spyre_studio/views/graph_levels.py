"""Opening and closing a folded graph level by level.

Owns: which modules are the outermost closed ones, and the innermost open ones. Refuses: Qt, and keeping what is open.
"""

from __future__ import annotations

from spyre_studio.repeats import Run
from spyre_studio.views.graph_groups import GraphInput
from spyre_studio.views.graph_runs import FoldedTree, folded_tree, sign_of


def deeper(graph: GraphInput, opened: frozenset[str]) -> frozenset[str]:
    """What is open when the outermost closed modules are opened too; the same if everything is open."""
    folded = folded_tree(graph.tree, graph.runs, opened)
    levels = _open_levels(folded, opened)
    closed = [
        group
        for group in range(1, len(folded.tree.paths))
        if levels[group] < 0 and levels[folded.tree.parent[group]] >= 0
    ]
    if not closed:
        return opened
    least = min(levels[folded.tree.parent[group]] for group in closed)
    new = set(opened)
    for group in closed:
        if levels[folded.tree.parent[group]] == least:
            new |= _opening(graph, folded, folded.tree.paths[group])
    return frozenset(new)


def shallower(graph: GraphInput, opened: frozenset[str]) -> frozenset[str]:
    """What is open when the innermost open modules are closed; runs whose blocks are all closed are folded first."""
    folded = folded_tree(graph.tree, graph.runs, opened)
    levels = _open_levels(folded, opened)
    deepest = max(levels)
    number = {path: group for group, path in enumerate(folded.tree.paths)}
    spread = [run for run in graph.runs if sign_of(run) in opened and levels[number[run.parent]] == deepest]
    if spread:
        return opened - {sign_of(run) for run in spread}
    if deepest <= 0:
        return opened
    return opened - {path for path, group in number.items() if levels[group] == deepest}


def _open_levels(folded: FoldedTree, opened: frozenset[str]) -> list[int]:
    """How deep each open group lies, 0 for the whole graph; -1 for what is closed or in something closed."""
    levels = [0] * len(folded.tree.paths)
    for group in range(1, len(folded.tree.paths)):
        path, outer = folded.tree.paths[group], levels[folded.tree.parent[group]]
        levels[group] = outer + 1 if outer >= 0 and path in opened and path not in folded.blocks else -1
    return levels


def _opening(graph: GraphInput, folded: FoldedTree, path: str) -> set[str]:
    """What must be open for a group to be so."""
    blocks = folded.blocks.get(path)
    if blocks is None:
        return {path}
    run = _run_of(graph, blocks[0])
    return {sign_of(run), run.parent} - {""}


def _run_of(graph: GraphInput, path: str) -> Run:
    return next(run for run in graph.runs if path in run.members)
