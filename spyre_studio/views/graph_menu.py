"""The menu on a place of the graph: what can be done with the op, the buffer or the module that is there.

Owns: which entries make sense. Refuses: doing more than asking the session, the selection or the fold.
"""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from spyre_studio.pin_menu import add_buffer, add_op, add_unpin
from spyre_studio.session import Session
from spyre_studio.views.graph_canvas import Hit
from spyre_studio.views.graph_fold import GraphFold
from spyre_studio.views.graph_scene import Scene


def graph_menu(scene: Scene, item: Hit | None, session: Session, fold: GraphFold, parent: QWidget) -> QMenu:
    """A menu for what is under the pointer; on the background, for the whole graph."""
    menu = QMenu(parent)
    group, op, buffers = _meant(scene, item)
    if group is not None:
        menu.addAction("Close module" if group in fold.opened else "Open module", lambda: fold.toggle(group))
    if op:
        menu.addAction("Copy the name of the op", lambda: QGuiApplication.clipboard().setText(op))
        add_op(menu, op, session, parent.window())
    several = len(buffers) > 1
    for buffer in buffers:
        add_buffer(menu.addMenu(buffer) if several else menu, buffer, session, named=not several)
    add_unpin(menu, (op, *buffers), session)
    if menu.isEmpty():
        menu.addAction("Open all modules", fold.open_all)
        menu.addAction("Close all modules", fold.close_all)
    return menu


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
