"""Pictures of the graph as it is folded and unfolded: at once for a small one, beside the window for a large one.

Owns: the cache of the open model, and that the newest wish wins. Refuses: drawing, and choosing what is open.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QObject, Signal

from spyre_studio.background import Background
from spyre_studio.views.graph_groups import GraphInput
from spyre_studio.views.graph_layout import GraphLayout, LayoutCache, layout_graph
from spyre_studio.views.graph_scene import Scene
from spyre_studio.views.layered import Spacing

AT_ONCE: Final = 300  # nodes that are laid out in well under 50 ms


class GraphLayouts(QObject):
    """`ready` carries the scene for the newest wish; older ones are dropped."""

    ready = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._cache = LayoutCache()
        self._background = Background(self)  # one at a time: the cache is not made for two

    def want(
        self, graph: GraphInput, opened: frozenset[str], spacing: Spacing, dress: Callable[[GraphLayout], Scene]
    ) -> None:
        """Lay out the graph with these groups open, put words to it with `dress`, and tell."""
        cache = self._cache
        if graph.size <= AT_ONCE and not self._background.running:
            self._background.cancel()
            self.ready.emit(dress(layout_graph(graph, opened, cache, spacing)))
        else:
            self._background.run(lambda: dress(layout_graph(graph, opened, cache, spacing)), self.ready.emit)

    def forget(self) -> None:
        """Another model: drop what runs and what is kept."""
        self._background.cancel()
        self._cache = LayoutCache()

    def finish(self) -> None:
        """Wait for what runs, before the window goes."""
        self._background.finish()
