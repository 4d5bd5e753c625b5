"""The op graph on a plane: what is under the pointer, what is marked, and how the arrow keys walk along the data.

Owns: hits, outlines of selection and hover, the view at the start, and steps by keyboard. Refuses: deciding what a
click means (graph.py does), layout, and the drawing of boxes and edges (graph_paint.py).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from spyre_studio.detail import hit
from spyre_studio.qt_theme import active_theme, px, qcolor
from spyre_studio.viewport import Rect, Viewport2D
from spyre_studio.views.curves import nearest
from spyre_studio.views.graph_measures import Shade
from spyre_studio.views.graph_model import NODE_KINDS
from spyre_studio.views.graph_paint import CURVES, Fonts, GraphPainter
from spyre_studio.views.graph_palette import Colouring
from spyre_studio.views.graph_scene import Scene
from spyre_studio.views.graph_trace import Trace, trace_of
from spyre_studio.views.paint import LineBatch, RectBatch
from spyre_studio.views.viewport_canvas import ViewportCanvas

_NEAR_LINK: Final = 6.0  # px around an edge that count as on it
_START_ZOOM: Final = 0.75  # below this, the whole graph is too small to read: show its beginning at 100 % instead
_TOP: Final = 56  # px that the controls over the canvas take at its top
_VEIL: Final = 0.76  # of the ground over what does not belong to a trace
_MOST_LINKS: Final = 200  # edges of the selected box that are accented; more would be a carpet


@dataclass(frozen=True, slots=True)
class Hit:
    """What is at a place: a box, the header of an open group, a stub or an edge, by its row in the layout."""

    kind: Literal["box", "frame", "stub", "link"]
    row: int


class GraphCanvas(ViewportCanvas):
    """Draws a Scene. `walked` carries the box to which an arrow key went."""

    walked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Graph of ops", parent)
        self._scene: Scene | None = None
        self._painter: GraphPainter | None = None
        self._colouring: Colouring = "fate"
        self._shade: Shade | None = None
        self._trace: Trace | None = None
        self._clear = (0.0, 0.0, 0.0)
        self._near: Trace | None = None
        self._pinned: frozenset[int] = frozenset()
        self._rects, self._lines = RectBatch(), LineBatch()
        self._fonts: Fonts | None = None
        self._box, self._links = -1, frozenset[int]()
        self._at_start = True
        self._hints: Callable[[Hit], str] = _no_hint

    @property
    def scene(self) -> Scene | None:
        """What is drawn."""
        return self._scene

    @property
    def at_start(self) -> bool:
        """True until the user moves."""
        return self._at_start

    @property
    def marked_box(self) -> int:
        """The box of the selected op, -1 for none."""
        return self._box

    @property
    def marked_links(self) -> frozenset[int]:
        """The edges of the selected buffer."""
        return self._links

    def show_scene(self, scene: Scene | None, start: bool) -> None:
        """Draw this graph; `start` shows its beginning, otherwise the view stays where it is."""
        self.forget_pointer()
        self._scene, self._painter = scene, None
        self._box, self._links = -1, frozenset()
        self._shade = self._trace = self._near = None
        if scene is None:
            self.invalidate()
            return
        at_start = self._at_start or start
        self.set_bounds(Rect(*scene.layout.bounds))
        if at_start:
            self.show_start()

    def set_colouring(self, colouring: Colouring, shade: Shade | None = None) -> None:
        """Colour by fate of data, by kind, by residency, or by a measure whose numbers are in `shade`."""
        self._colouring, self._shade, self._painter = colouring, shade, None
        self.invalidate()

    @property
    def colouring(self) -> Colouring:
        """What colours the boxes."""
        return self._colouring

    @property
    def shade(self) -> Shade | None:
        """The numbers of the boxes, where they are coloured by some."""
        return self._shade

    @property
    def trace(self) -> Trace | None:
        """What stands out, None while everything does."""
        return self._trace

    def set_trace(self, trace: Trace | None) -> None:
        """Let these boxes and edges stand out, and the rest step back."""
        if trace is not self._trace:
            self._trace = trace
            self.invalidate()

    def set_hints(self, hints: Callable[[Hit], str]) -> None:
        """Where the words for tooltips come from."""
        self._hints = hints

    def set_pinned(self, nodes: frozenset[int]) -> None:
        """These nodes carry a pin."""
        if nodes != self._pinned:
            self._pinned, self._painter = nodes, None
            self.invalidate()

    def mark(self, box: int, links: frozenset[int]) -> None:
        """Outline the box of the selected op and the edges of the selected buffer."""
        if (box, links) != (self._box, self._links):
            self._box, self._links = box, links
            self._near = self._neighbours()
            self.update()

    def show_start(self) -> None:
        """All of a small graph; of a larger one the beginning, or the selected box, at 100 %."""
        view = self.viewport.resized(self.width(), self.height())
        whole = view.fitted(self.bounds, margin=px(_TOP))
        if whole.zoom < _START_ZOOM:
            left = self._start_middle(view.width) - view.width / 2
            whole = self._with_marked(Viewport2D(left, self.bounds.y0 - px(_TOP), 1, view.width, view.height))
        self.set_viewport(whole)
        self._at_start = True

    def _start_middle(self, width: float) -> float:
        """The middle of the graph; where nothing begins there, as in one that is opened far, that of its first box."""
        middle = self.bounds.centre[0]
        if self._scene is None or not len(self._scene.layout.boxes):
            return middle
        boxes = self._scene.layout.boxes
        left, _, right, _ = boxes[int(boxes[:, 1].argmin())].tolist()
        inside = left >= middle - width / 2 and right <= middle + width / 2
        return middle if inside else (left + right) / 2

    def _with_marked(self, view: Viewport2D) -> Viewport2D:
        """The same view, moved only if the selected box would be out of sight."""
        marked = self.selection_bounds() if self._box >= 0 else None
        if marked is None or view.revealed(marked) == view:
            return view
        lowest = self.bounds.y1 + px(_TOP) - view.height  # no further than to the end of the graph
        return replace(view, y=min(marked.centre[1] - view.height / 2, lowest)).revealed(marked)

    def set_viewport(self, viewport: Viewport2D) -> None:
        """The user moves: the view is no longer that of the start."""
        before = self.viewport
        super().set_viewport(viewport)
        self._at_start = self._at_start and self.viewport == before

    def fit_all(self) -> None:
        """Everything in view is asked for: that is no longer the view of the start."""
        self._at_start = False
        super().fit_all()

    def keep_at(self, world: tuple[float, float], at: tuple[float, float]) -> None:
        """Move so that a point of the plane lies at a pixel: what was toggled stays under the pointer."""
        zoom = self.viewport.zoom
        x, y = world[0] - at[0] / zoom, world[1] - at[1] / zoom
        self.set_viewport(Viewport2D(x, y, zoom, self.width(), self.height()))

    # What Canvas asks for

    def paint_content(self, painter: QPainter, rect: QRectF) -> None:
        """The graph."""
        if self._scene is not None:
            self._draw(painter, self._pen(), self.viewport.resized(rect.width(), rect.height()))

    def paint_picture(self, painter: QPainter, view: Viewport2D) -> None:
        """The graph for a file or the clipboard: as on screen, but every edge is a curve, and with the selection."""
        if self._scene is None:
            return
        pen = self._pen()
        pen.curves = len(self._scene.layout.links)
        try:
            painter.fillRect(QRectF(0, 0, view.width, view.height), qcolor(active_theme().bg))
            self._draw(painter, pen, view)
            painter.save()
            self._paint_marks(painter, view, None)
            painter.restore()
        finally:
            pen.curves = CURVES

    def _draw(self, painter: QPainter, pen: GraphPainter, view: Viewport2D) -> None:
        ratio = self.devicePixelRatioF()
        pen.draw(painter, view, ratio)
        if self._trace is not None:
            painter.fillRect(QRectF(0, 0, view.width, view.height), qcolor(active_theme().bg, _VEIL))
            pen.draw(painter, view, ratio, self._trace)

    def paint_overlay(self, painter: QPainter, _rect: QRectF) -> None:
        """Outlines of what is selected and what is under the pointer."""
        if self._scene is not None:
            self._paint_marks(painter, self.viewport, self.hover_item)

    def _paint_marks(self, painter: QPainter, view: Viewport2D, hovered: Hashable | None) -> None:
        theme = active_theme()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(view.zoom, view.zoom)
        painter.translate(-view.x, -view.y)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        self._paint_near(painter, view)
        for link in self._links:
            painter.setPen(QPen(qcolor(theme.accent), 3.5 / max(view.zoom, 0.5)))
            painter.drawPath(self._pen().path(link))
        if isinstance(hovered, Hit) and hovered.kind == "link":
            painter.setPen(QPen(qcolor(theme.text), 2.5))
            painter.drawPath(self._pen().path(hovered.row))
        if isinstance(hovered, Hit) and hovered.kind == "box" and hovered.row != self._box:
            self._outline(painter, view, hovered.row, theme.mute, 1)
        if self._box >= 0:
            self._outline(painter, view, self._box, theme.accent, 2)

    def _paint_near(self, painter: QPainter, view: Viewport2D) -> None:
        """The edges of the selected box, and the boxes that make what it reads or read what it makes."""
        near, theme = self._near, active_theme()
        if near is None or self._trace is not None:
            return
        # A broad, clear line around each edge: what happens to its data can still be seen.
        painter.setPen(QPen(qcolor(theme.accent, 0.35), 6 / max(view.zoom, 0.5)))
        for link in np.flatnonzero(near.links)[:_MOST_LINKS].tolist():
            painter.drawPath(self._pen().path(link))
        for box in np.flatnonzero(near.boxes)[:_MOST_LINKS].tolist():
            if box != self._box:
                self._outline(painter, view, box, theme.accent, 1)

    def _neighbours(self) -> Trace | None:
        if self._scene is None or self._box < 0:
            return None
        layout = self._scene.layout
        return trace_of(layout.links, len(layout.boxes), self._box, "near")

    def item_at(self, pos: QPointF) -> Hashable | None:
        """Boxes lie over stubs, headers of groups and edges."""
        scene = self._scene
        if scene is None:
            return None
        x, y = self.viewport.to_world(pos.x(), pos.y())
        box = hit(scene.layout.boxes, x, y)
        if box >= 0:
            return Hit("box", box)
        stub = hit(scene.layout.stubs, x, y)
        if stub >= 0:
            return Hit("stub", stub)
        headers = scene.layout.frames.copy()
        headers[:, 3] = np.minimum(headers[:, 1] + px(24), headers[:, 3])
        frame = hit(headers, x, y)
        if frame >= 0:
            return Hit("frame", frame)
        link = nearest(scene.lines, scene.line_link, x, y, _NEAR_LINK / self.viewport.zoom)
        return Hit("link", link) if link >= 0 else None

    def tooltip_for(self, item: Hashable) -> str:
        """What the owner says about it."""
        return self._hints(item) if isinstance(item, Hit) else ""

    def current_item(self) -> Hashable | None:
        """The selected box."""
        return Hit("box", self._box) if self._box >= 0 else None

    def selection_bounds(self) -> Rect | None:
        """The selected box, or the edges of the selected buffer."""
        if self._scene is None or (self._box < 0 and not self._links):
            return None
        rows = self._scene.layout.boxes[[self._box]] if self._box >= 0 else self._scene.link_bounds[list(self._links)]
        return Rect(*rows[:, :2].min(axis=0).tolist(), *rows[:, 2:].max(axis=0).tolist())

    def step(self, dx: int, dy: int) -> bool:
        """Up and down along the data, left and right to the nearest box at the side."""
        if self._scene is None or self._box < 0:
            return False
        target = self._along(dy) if dy else self._beside(dx)
        if target >= 0:
            self.walked.emit(target)
        return True

    def keep_clear(self, left: float, right: float, below: float) -> None:
        """Remarks stand between these in the row at the top, or from so many pixels on: controls lie elsewhere."""
        if (left, right, below) != self._clear:
            self._clear = (left, right, below)
            self.update()

    def badge_place(self, width: float) -> QPointF:
        """Between the controls, where there is room; else below them."""
        left, right, below = self._clear
        free = right - left - width
        if free >= 0:
            return QPointF(left + free / 2, px(16))
        return QPointF((self.width() - width) / 2, below)

    def theme_changed(self) -> None:
        """Texts are laid out in fonts and drawn in colours of the theme."""
        self._fonts, self._painter = None, None

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The beginning stays the beginning."""
        was_at_start = self._at_start
        super().resizeEvent(event)
        if was_at_start and self._scene is not None:
            self.show_start()

    def _pen(self) -> GraphPainter:
        """The painter of the scene, with everything it keeps."""
        assert self._scene is not None
        if self._fonts is None:
            self._fonts = Fonts.make()
        if self._painter is None:
            self._painter = GraphPainter(
                self._scene,
                self._colouring,
                self._shade,
                self._pinned,
                self._fonts,
                self._rects,
                self._lines,
                {},
            )
        return self._painter

    def _outline(self, painter: QPainter, view: Viewport2D, box: int, colour: str, width: float) -> None:
        assert self._scene is not None
        x0, y0, x1, y1 = self._scene.layout.boxes[box].tolist()
        painter.setPen(QPen(qcolor(colour), width / min(view.zoom, 1.0)))
        is_data = NODE_KINDS[self._scene.kinds[box]] in {"input", "output"}
        radius = (y1 - y0) / 2 if is_data else px(5)
        painter.drawRoundedRect(QRectF(x0, y0, x1 - x0, y1 - y0), radius, radius)

    def _along(self, dy: int) -> int:
        """The first box that an edge leads to (down) or comes from (up), -1 for none."""
        assert self._scene is not None
        links = self._scene.layout.links
        mine, other = (0, 1) if dy > 0 else (1, 0)
        found = links[links[:, mine] == self._box, other]
        return int(found[0]) if len(found) else -1

    def _beside(self, dx: int) -> int:
        """The nearest box to the left or right; boxes far above or below count as further away."""
        assert self._scene is not None
        boxes = self._scene.layout.boxes
        middles = (boxes[:, :2] + boxes[:, 2:]) / 2
        away = (middles - middles[self._box]) * np.array([dx, 1])
        distance = np.where(away[:, 0] > 1, away[:, 0] + 4 * np.abs(away[:, 1]), np.inf)
        nearest_box = int(distance.argmin())
        return nearest_box if np.isfinite(distance[nearest_box]) else -1


def _no_hint(_item: Hit) -> str:
    return ""
