"""Pictures of the graph as it is folded and unfolded: at once for a small one, beside the window for a large one.

Owns: the cache of the open model, and that the newest wish wins. Refuses: drawing, and choosing what is open.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QObject, QThreadPool, Signal

from spyre_studio.views.graph_groups import GraphInput
from spyre_studio.views.graph_layout import GraphLayout, LayoutCache, layout_graph
from spyre_studio.views.graph_scene import Scene
from spyre_studio.views.layered import Spacing

AT_ONCE: Final = 300  # nodes that are laid out in well under 50 ms


class GraphLayouts(QObject):
    """`ready` carries the scene for the newest wish; older ones are dropped."""

    ready = Signal(object)
    _made = Signal(int, object)  # emitted on a pool thread, received on the window's

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._cache = LayoutCache()
        self._wish = 0
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)  # the cache is not made for two
        self._made.connect(self._deliver)

    def want(
        self, graph: GraphInput, opened: frozenset[str], spacing: Spacing, dress: Callable[[GraphLayout], Scene]
    ) -> None:
        """Lay out the graph with these groups open, put words to it with `dress`, and tell."""
        self._wish += 1
        wish, cache = self._wish, self._cache
        if graph.size <= AT_ONCE and self._pool.activeThreadCount() == 0:
            self.ready.emit(dress(layout_graph(graph, opened, cache, spacing)))
            return
        self._pool.clear()
        self._pool.start(lambda: self._made.emit(wish, dress(layout_graph(graph, opened, cache, spacing))))

    def forget(self) -> None:
        """Another model: drop what runs and what is kept."""
        self._wish += 1
        self._pool.clear()
        self._cache = LayoutCache()

    def finish(self) -> None:
        """Wait for what runs, before the window goes."""
        self._pool.clear()
        self._pool.waitForDone()

    def _deliver(self, wish: int, scene: object) -> None:
        if wish == self._wish and isinstance(scene, Scene):
            self.ready.emit(scene)
