"""Graph place: which part of the graph was on screen, as it means the same after all boxes got another size.

Owns: taking it from a graph and putting it back as soon as the new graph is laid out.  Refuses: which modules are open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer

from spyre_studio.viewport import MAX_ZOOM, MIN_ZOOM

if TYPE_CHECKING:
    from spyre_studio.views.graph import GraphView


@dataclass(frozen=True, slots=True)
class GraphPlace:
    """The zoom, and where the middle of the view lies in the extent of the graph, in parts of that."""

    zoom: float
    across: float
    down: float


def place_of(graph: GraphView) -> GraphPlace | None:
    """Where one is; None while nobody has moved, so that a new graph begins as it does."""
    canvas = graph.canvas
    if canvas.at_start:
        return None
    (x, y), bounds = canvas.viewport.visible().centre, canvas.bounds
    across = (x - bounds.x0) / max(bounds.width, 1.0)
    return GraphPlace(canvas.viewport.zoom, across, (y - bounds.y0) / max(bounds.height, 1.0))


def put_place(graph: GraphView, place: GraphPlace | None) -> None:
    """Be there again, once the graph is laid out and the window has given it its room."""
    if place is not None:
        _Later(graph, place)


class _Later(QObject):
    """Large graphs are laid out on a thread, and rooms are shared out in turns of their own: the middle stays in the
    middle until somebody moves."""

    def __init__(self, graph: GraphView, place: GraphPlace) -> None:
        super().__init__(graph)
        self._graph, self._place = graph, place
        self._put_at: tuple[float, float, float] | None = None
        graph.fold.laid_out.connect(self._soon)
        graph.canvas.installEventFilter(self)
        self._soon()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Another room for the graph."""
        if event.type() == QEvent.Type.Resize and self._put_at is not None:
            self._soon()
        return super().eventFilter(watched, event)

    def _soon(self) -> None:
        QTimer.singleShot(0, self, self._put)

    def _put(self) -> None:
        graph, place, canvas = self._graph, self._place, self._graph.canvas
        if graph.fold.awaited or canvas.scene is None:
            return
        if self._put_at is not None and self._put_at != _corner(graph):
            canvas.removeEventFilter(self)
            self.deleteLater()
            return
        bounds, zoom = canvas.bounds, min(max(place.zoom, MIN_ZOOM), MAX_ZOOM)
        view = canvas.viewport.resized(canvas.width(), canvas.height())
        middle = bounds.x0 + place.across * bounds.width, bounds.y0 + place.down * bounds.height
        canvas.set_viewport(view.zoomed(zoom / view.zoom, 0, 0).centred(*middle))
        self._put_at = _corner(graph)


def _corner(graph: GraphView) -> tuple[float, float, float]:
    view = graph.canvas.viewport
    return view.x, view.y, view.zoom
