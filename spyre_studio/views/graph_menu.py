"""The menu on a place of the graph: what can be done with the op, the buffer or the module that is there.

Owns: which entries make sense. Refuses: doing more than asking the session, the selection or the fold.
"""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from spyre_studio.pin_change import without
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
    for buffer in buffers:
        _add_buffer(menu, buffer, session, several=len(buffers) > 1)
    pinned = [key for key in session.pins.keys if key.partition(":")[2] in {op, *buffers}]
    if pinned:
        menu.addSeparator()
        menu.addAction("Unpin", lambda: _unpin(session, pinned))
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


def _add_buffer(menu: QMenu, buffer: str, session: Session, several: bool) -> None:
    """Where the buffer shall lie, as pins; buffers of one edge in a menu each."""
    place = menu.addMenu(buffer) if several else menu
    current = session.pins.placement.get(buffer)
    for where, words in (("lx", "Keep in LX"), ("hbm", "Keep in device memory")):
        entry = place.addAction(words if several else f"{words}: {buffer}")
        entry.setCheckable(True)
        entry.setChecked(current == where)
        entry.triggered.connect(lambda _checked=False, where=where: session.pin_placement(buffer, where))


def _unpin(session: Session, keys: list[str]) -> None:
    pins = session.pins
    for key in keys:
        pins = without(pins, key)
    session.set_pins(pins)
