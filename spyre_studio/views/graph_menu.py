"""The menu on a place of the graph: what can be done with the op, the buffer or the module that is there.

Owns: which entries make sense. Refuses: doing more than asking the session, the selection or the fold.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from spyre_studio.pin_menu import add_buffer, add_op, add_unpin
from spyre_studio.program_entry import add_show_in_program
from spyre_studio.session import Session
from spyre_studio.views.graph_canvas import Hit
from spyre_studio.views.graph_fold import GraphFold
from spyre_studio.views.graph_names import group_title
from spyre_studio.views.graph_scene import Scene

_LISTED: Final = 40  # equal modules in a menu


def graph_menu(scene: Scene, item: Hit | None, session: Session, fold: GraphFold, parent: QWidget) -> QMenu:
    """A menu for what is under the pointer; on the background, for the whole graph."""
    menu = QMenu(parent)
    group, op, buffers = _meant(scene, item)
    if group is not None:
        _add_folds(menu, group, fold, scene)
    if op:
        menu.addAction("Copy the name of the op", lambda: QGuiApplication.clipboard().setText(op))
        add_op(menu, op, session, parent.window())
        add_show_in_program(menu, parent.window(), op)
    several = len(buffers) > 1
    for buffer in buffers:
        place = menu.addMenu(buffer) if several else menu
        add_buffer(place, buffer, session, named=not several)
        if not op:
            add_show_in_program(place, parent.window(), buffer=buffer)
    add_unpin(menu, (op, *buffers), session)
    if menu.isEmpty():
        menu.addAction("Open all modules", fold.open_all)
        menu.addAction("Close all modules", fold.close_all)
    return menu


def _add_folds(menu: QMenu, group: str, fold: GraphFold, scene: Scene) -> None:
    """Open, close; of equal modules all, one, or all in one box again."""
    blocks = fold.blocks_in(group)
    if blocks:
        menu.addAction(f"Show all {len(blocks)} modules", lambda: fold.toggle(group))
        different = _different(scene, blocks)
        if different:
            _add_blocks(menu.addMenu("Show one that is planned differently"), different, group, fold)
        _add_blocks(menu.addMenu("Show one of them"), blocks, group, fold)
        return
    menu.addAction("Close module" if group in fold.opened else "Open module", lambda: fold.toggle(group))
    run = fold.unfolded_run(group)
    if run is not None:
        menu.addAction(f"Fold {run.title} into one", lambda: fold.fold_run(run))


def _different(scene: Scene, blocks: tuple[str, ...]) -> tuple[str, ...]:
    found = next((facts for facts in scene.model.run_facts.values() if blocks[0] in facts.run.members), None)
    return found.of(blocks).different if found is not None else ()


def _add_blocks(menu: QMenu, blocks: tuple[str, ...], group: str, fold: GraphFold) -> None:
    for path in blocks[:_LISTED]:
        menu.addAction(group_title(path), partial(fold.show_block, path, group))
    if len(blocks) > _LISTED:
        more = menu.addAction(f"{len(blocks) - _LISTED} more: choose in the tree at the left, or find it (Ctrl+F)")
        more.setEnabled(False)


def _meant(scene: Scene, item: Hit | None) -> tuple[str | None, str, tuple[str, ...]]:
    """Path of the module, name of the op, names of the buffers that a place stands for."""
    layout = scene.layout
    match item:
        case Hit("frame", row):
            return layout.group_paths[int(layout.frame_group[row])], "", ()
        case Hit("link", row):
            return None, "", scene.carried[row]
        case Hit("stub", row):
            return None, "", (scene.model.nodes[int(layout.stub_hub[row])].buffer,)
        case Hit("box", row):
            node = scene.node_of_box(row)
            if node is None:
                return scene.group_of_box(row), "", ()
            found = scene.model.nodes[node]
            return None, found.name, (found.buffer,) if found.buffer else ()
        case _:
            return None, "", ()
