"""Runs of equal modules while a graph is folded: which of them stand as one box, and which are shown by themselves.

Owns: the tree of modules with a box of its own for each stretch of blocks that is folded, and the sign by which all
blocks of a run are shown. Refuses: finding runs (repeats.py), positions and Qt.

A block that is open is shown by itself; closing it puts it back among the others. The sign of a run, in the same set as
the paths of open modules, shows all of its blocks. A run that is all there is in a module is shown in place of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from frozendict import frozendict
from numpy.typing import NDArray

from spyre_studio.repeats import Run

Ints = NDArray[np.intp]
_SIGN: Final = "="
_FEWEST: Final = 2  # neighbours that are folded; one alone is a closed module


@dataclass(frozen=True, slots=True, eq=False)
class ModuleTree:
    """`paths[g]`: full path of group g, '' for group 0; `parent[g]` (its own number for group 0); `of_node` (n,)."""

    paths: tuple[str, ...]
    parent: tuple[int, ...]
    of_node: Ints

    @classmethod
    def of(cls, modules: tuple[str, ...]) -> ModuleTree:
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

    def holding(self, stretches: Sequence[tuple[str, ...]]) -> ModuleTree:
        """The same tree with a group around each of these stretches of siblings; see `stretch_path`."""
        around = {path: stretch for stretch in stretches for path in stretch}
        paths: list[str] = []
        parent: list[int] = []
        moved: list[int] = []
        holder: dict[tuple[str, ...], int] = {}
        for group, path in enumerate(self.paths):
            outer = moved[self.parent[group]] if group else 0
            stretch = around.get(path)
            if stretch is not None:
                if stretch not in holder:
                    holder[stretch] = len(paths)
                    paths.append(stretch_path(stretch))
                    parent.append(outer)
                outer = holder[stretch]
            moved.append(len(paths))
            paths.append(path)
            parent.append(outer)
        return ModuleTree(tuple(paths), tuple(parent), np.array(moved, np.intp)[self.of_node])


@dataclass(frozen=True, slots=True, eq=False)
class FoldedTree:
    """The tree to draw; `blocks`: path of a group that is closed in any case -> the equal modules it stands for."""

    tree: ModuleTree
    blocks: frozendict[str, tuple[str, ...]]


def sign_of(run: Run) -> str:
    """The sign that shows all blocks of a run."""
    return _SIGN + run.key


def stretch_path(stretch: tuple[str, ...]) -> str:
    """The name of a folded stretch among the paths of modules. Example: 'layers.0–layers.16'."""
    return f"{stretch[0]}–{stretch[-1]}"


def stretches_of(run: Run, opened: frozenset[str]) -> tuple[tuple[str, ...], ...]:
    """The neighbours that are folded, as long as these modules are open."""
    if sign_of(run) in opened:
        return ()
    found: list[list[str]] = [[]]
    for path in run.members:
        if path in opened:
            found.append([])
        else:
            found[-1].append(path)
    return tuple(tuple(stretch) for stretch in found if len(stretch) >= _FEWEST)


def folded_tree(tree: ModuleTree, runs: Sequence[Run], opened: frozenset[str]) -> FoldedTree:
    """The tree while some modules are open, with its runs folded as far as they are."""
    inner: list[tuple[str, ...]] = []
    blocks: dict[str, tuple[str, ...]] = {}
    alone = sole_runs(tree, runs)
    for run in runs:
        stretches = stretches_of(run, opened)
        if run.parent in alone and (stretches == (run.members,) or run.parent not in opened):
            blocks[run.parent] = run.members
            continue
        inner.extend(stretches)
        blocks.update({stretch_path(stretch): stretch for stretch in stretches})
    return FoldedTree(tree.holding(inner) if inner else tree, frozendict(blocks))


def sole_runs(tree: ModuleTree, runs: Sequence[Run]) -> frozenset[str]:
    """Modules, other than the whole model, in which there is nothing but one run."""
    direct = np.bincount(tree.of_node, minlength=len(tree.paths)).tolist()
    children = [0] * len(tree.paths)
    for group in range(1, len(tree.paths)):
        children[tree.parent[group]] += 1
    number = {path: group for group, path in enumerate(tree.paths)}
    return frozenset(
        run.parent
        for run in runs
        if run.parent and not direct[number[run.parent]] and children[number[run.parent]] == len(run.members)
    )
