"""Where one is in the window, as a project remembers it: what is in front, selected, open, and how panels lie.

Owns: reading it off the window and putting it back. Refuses: names that the plan no longer has; they are passed over.
"""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QObject

from spyre_studio.project import ProjectView
from spyre_studio.viewport import MAX_ZOOM, MIN_ZOOM, Viewport2D
from spyre_studio.views.compare import CompareView

if TYPE_CHECKING:
    from spyre_studio.main_window import MainWindow
    from spyre_studio.views.graph import GraphView


def view_of(window: MainWindow) -> ProjectView:
    """What is remembered of a window that shows a plan."""
    bench, place = window.workbench, window.selection.place
    viewport, compare = bench.graph.canvas.viewport, bench.views["compare"]
    return ProjectView(
        front=bench.current_view,
        op=place.op or "",
        buffer=place.buffer or "",
        core=place.core,
        layout=base64.b64encode(bench.saved_layout().data()).decode("ascii"),
        opened=tuple(sorted(bench.graph.fold.opened)),
        zoom=0.0 if bench.graph.canvas.at_start else viewport.zoom,
        x=viewport.x,
        y=viewport.y,
        sides=compare.sides.names if isinstance(compare, CompareView) else ("", ""),
    )


def put_view(window: MainWindow, view: ProjectView) -> None:
    """Show a window as it was; the project's plan is on screen."""
    bench, selection, compare = window.workbench, window.selection, window.workbench.views["compare"]
    try:
        layout = base64.b64decode(view.layout, validate=True)
    except (binascii.Error, ValueError):
        layout = b""
    if layout:
        bench.restore_layout(QByteArray(layout))
    if isinstance(compare, CompareView) and any(view.sides):
        compare.choose(*view.sides)
    if view.front and view.front != "graph":
        bench.show_view(view.front)
    selection.select(op=view.op or None, buffer=view.buffer or None, core=view.core)
    _put_graph(bench.graph, view)


def _put_graph(graph: GraphView, view: ProjectView) -> None:
    """Open modules, and the part of the graph that was on screen: as soon as the graph is laid out."""
    graph.fold.keep_open(frozenset(view.opened))
    if not view.zoom:
        return
    if graph.fold.awaited:
        _Later(graph, view)
    else:
        _zoom(graph, view)


def _zoom(graph: GraphView, view: ProjectView) -> None:
    zoom = min(max(view.zoom, MIN_ZOOM), MAX_ZOOM)
    graph.canvas.set_viewport(Viewport2D(view.x, view.y, zoom, graph.canvas.width(), graph.canvas.height()))


class _Later(QObject):
    """Large graphs are laid out on a thread."""

    def __init__(self, graph: GraphView, view: ProjectView) -> None:
        super().__init__(graph)
        self._graph, self._view = graph, view
        graph.fold.laid_out.connect(self._laid_out)

    def _laid_out(self, _layout: object, _first: bool) -> None:
        self._graph.fold.laid_out.disconnect(self._laid_out)
        _zoom(self._graph, self._view)
        self.deleteLater()
