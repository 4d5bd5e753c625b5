"""Which modules of the graph are open, and how the picture stays where it was when one is opened or closed.

Owns: the set of open groups of the model on screen, the wish for a layout, the anchor. Refuses: drawing.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from compiler.loops import LoopProgram
from spyre_studio.viewport import Rect
from spyre_studio.views.graph_canvas import GraphCanvas
from spyre_studio.views.graph_groups import GraphInput, first_opened
from spyre_studio.views.graph_layout import GraphLayout
from spyre_studio.views.graph_layouts import GraphLayouts
from spyre_studio.views.layered import Spacing


class GraphFold(QObject):
    """`laid_out` carries the layout, and True if it is the first one of a model."""

    laid_out = Signal(object, bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._layouts = GraphLayouts(self)
        self._layouts.ready.connect(self._deliver)
        self._graph: GraphInput | None = None
        self._program: LoopProgram | None = None
        self._spacing = Spacing()
        self._opened: frozenset[str] = frozenset()
        self._anchor = ""  # the group that must stay where it is on screen
        self._first = True
        self._awaited = False

    @property
    def awaited(self) -> bool:
        """True while the layout for what is open is being made."""
        return self._awaited

    @property
    def opened(self) -> frozenset[str]:
        """Paths of the open groups."""
        return self._opened

    def show(self, graph: GraphInput, program: LoopProgram, spacing: Spacing) -> None:
        """Another plan of the same model keeps what is open; another model begins anew."""
        if program is not self._program:
            self._layouts.forget()
            self._program, self._first = program, True
            self._opened = first_opened(graph)
        self._graph, self._spacing, self._anchor = graph, spacing, ""
        self._want()

    def keep_open(self, opened: frozenset[str]) -> None:
        """Have these groups open, as they were in a graph of the same model before."""
        if opened != self._opened:
            self._set(opened, "")

    def close(self) -> None:
        """No model."""
        self._layouts.forget()
        self._graph, self._program = None, None

    def toggle(self, group: str) -> None:
        """Open or close one group; it stays where it is on screen."""
        self._set(self._opened - {group} if group in self._opened else self._opened | {group}, group)

    def reveal(self, group: str) -> None:
        """Open a group and all around it."""
        parts = group.split(".") if group else []
        self._set(self._opened | {".".join(parts[: place + 1]) for place in range(len(parts))}, "")

    def open_all(self) -> None:
        """Everything open."""
        if self._graph is not None:
            self._set(frozenset(self._graph.tree.paths), "")

    def close_all(self) -> None:
        """Everything closed."""
        self._set(frozenset(), "")

    def show_group(self, canvas: GraphCanvas, group: str) -> None:
        """Bring a group into view, open if it is."""
        rect = _rect_of(canvas, group)
        if rect is not None:
            view = canvas.viewport
            canvas.set_viewport(view.fitted(rect, margin=64))

    def keep_place(self, canvas: GraphCanvas, layout: GraphLayout, show: Callable[[], None]) -> None:
        """Show the layout with `show`, then move the canvas so that the anchor is where it was."""
        before, self._anchor = self._anchor, ""
        old = _rect_of(canvas, before) if before else None
        at = canvas.viewport.rect_to_px(old) if old is not None else None
        show()
        new = _rect_of(canvas, before) if at is not None else None
        if new is not None and at is not None:
            canvas.keep_at(((new.x0 + new.x1) / 2, new.y0), ((at.x0 + at.x1) / 2, at.y0))

    def finish(self) -> None:
        """Wait for what runs, before the window goes."""
        self._layouts.finish()

    def _set(self, opened: frozenset[str], anchor: str) -> None:
        if opened != self._opened:
            self._opened, self._anchor = opened, anchor
            self._want()

    def _want(self) -> None:
        if self._graph is not None:
            self._awaited = True
            self._layouts.want(self._graph, self._opened, self._spacing)

    def _deliver(self, layout: GraphLayout) -> None:
        first, self._first = self._first, False
        self._awaited = False
        self.laid_out.emit(layout, first)


def _rect_of(canvas: GraphCanvas, group: str) -> Rect | None:
    """The box or frame of a group on screen, None where it is neither."""
    scene = canvas.scene
    if scene is None or group not in scene.layout.group_paths:
        return None
    layout, number = scene.layout, scene.layout.group_paths.index(group)
    for rects, numbers in ((layout.boxes, layout.box_item - scene.node_count), (layout.frames, layout.frame_group)):
        rows = (numbers == number).nonzero()[0]
        if len(rows):
            return Rect(*rects[rows[0]].tolist())
    return None
