"""The rows of the module tree: modules with their ops, and how much time each takes with all that is in it.

Owns: nesting ops into modules. Refuses Qt: a large tree is made where the plan is read, not on the window's thread.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from compiler.compilation import Compilation
from spyre_studio.derived import Derived
from spyre_studio.views.graph_model import GraphModel, planned
from spyre_studio.views.module_runs import RowWords, RunRows


@dataclass(slots=True, eq=False)
class Item:
    """A row: a module (`group`) or an op (`op`); `us` is 0 where there is no time yet; `hint` is its tooltip."""

    title: str
    group: str = ""
    op: str = ""
    us: float = 0.0
    hint: str = ""
    row: int = 0
    parent: Item | None = None
    children: list[Item] = field(default_factory=list)

    def add(self, child: Item) -> Item:
        """Append a child."""
        child.parent, child.row = self, len(self.children)
        self.children.append(child)
        return child


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """A tree looked through once: its root, all rows top down, those that hold others, and the row of each op.

    `us` are the times that rows have, each once: equal blocks have equal times.
    """

    root: Item
    every: tuple[Item, ...]
    holders: tuple[Item, ...]
    by_op: Mapping[str, Item]
    us: frozenset[float]


def tree_of(model: GraphModel | None, name: str) -> Rows:
    """The only row in the root is the model itself."""
    root = Item("")
    if model is not None:
        _fill(root, model, name)
    return listed(root)


def listed(root: Item) -> Rows:
    """A tree that is complete, looked through."""
    every = tuple(walk(root))
    return Rows(
        root,
        every,
        holders=tuple(item for item in every if item.children and item.parent is not None),
        by_op={item.op: item for item in every if item.op},
        us=frozenset(item.us for item in every),
    )


def _fill(root: Item, model: GraphModel, name: str) -> None:
    groups, rows = {"": root.add(Item(name))}, RunRows(model)
    for node in model.nodes:
        if not node.name:
            continue
        holder = _group(groups, rows, node.group)
        us = node.us if node.us == node.us else 0.0
        holder.add(Item(node.title, op=node.name, us=us))
        above: Item | None = holder
        while above is not None:
            above.us += us
            above = above.parent


def _group(groups: dict[str, Item], rows: RunRows, path: str) -> Item:
    if path in groups:
        return groups[path]
    outer = _group(groups, rows, path.rpartition(".")[0])
    between = rows.between(path)
    if between is not None:
        if between.group not in groups:
            groups[between.group] = outer.add(_item(between))
        outer = groups[between.group]
    groups[path] = outer.add(_item(rows.module(path)))
    return groups[path]


def _item(words: RowWords) -> Item:
    return Item(words.title, group=words.group, hint=words.hint)


def walk(item: Item) -> list[Item]:
    """The row and all below it, top down."""
    found = [item]
    for each in found:
        found.extend(each.children)
    return found


@Derived
def rows_of(compilation: Compilation) -> Rows:
    """The tree of a plan."""
    return tree_of(planned(compilation), compilation.graph.name)
