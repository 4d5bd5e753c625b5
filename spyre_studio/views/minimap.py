"""The whole graph in a corner in its colours, with the part on screen as a rectangle that can be dragged.

Owns: the small picture, cached, and the drag. Refuses: the graph itself; it draws the boxes it is given.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from spyre_studio.detail import widened
from spyre_studio.qt_theme import active_theme, px, qcolor
from spyre_studio.theme import GRID, RADIUS
from spyre_studio.viewport import Viewport2D
from spyre_studio.views.graph_canvas import GraphCanvas
from spyre_studio.views.graph_palette import far_palette
from spyre_studio.views.paint import RectBatch

_WIDTH, _HEIGHT = 12 * GRID, 16 * GRID
_PAD = GRID


class Minimap(QWidget):
    """Follows a canvas; hidden by its owner while everything is on screen anyway."""

    def __init__(self, canvas: GraphCanvas, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._canvas, self._picture = canvas, QPixmap()
        self._rects = RectBatch()
        self._grip: QPointF | None = None
        self.setAccessibleName("Overview of the graph")
        self.setFixedSize(px(_WIDTH), px(_HEIGHT))
        canvas.view_changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """As large as it always is."""
        return QSize(px(_WIDTH), px(_HEIGHT))

    def refresh(self) -> None:
        """Another graph."""
        self._picture = QPixmap()
        self.update()

    @property
    def is_useful(self) -> bool:
        """True if a part of the graph is off screen."""
        seen, bounds = self._canvas.viewport.visible(), self._canvas.bounds
        inside = seen.x0 <= bounds.x0 and seen.y0 <= bounds.y0 and bounds.x1 <= seen.x1 and bounds.y1 <= seen.y1
        return self._canvas.scene is not None and not inside

    def seen_rect(self) -> QRectF:
        """The part on screen, in pixels of this widget, cut to it."""
        seen = self._view().rect_to_px(self._canvas.viewport.visible())
        inner = QRectF(self.rect()).adjusted(2, 2, -2, -2)
        return QRectF(seen.x0, seen.y0, seen.width, seen.height).intersected(inner)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Ground, boxes, rectangle."""
        theme, painter = active_theme(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(qcolor(theme.line), 1))
        painter.setBrush(qcolor(theme.panel))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        if self._canvas.scene is not None:
            painter.drawPixmap(0, 0, self._cached())
            painter.setPen(QPen(qcolor(theme.accent), 1.5))
            painter.setBrush(qcolor(theme.accent, 0.06))
            painter.drawRoundedRect(self.seen_rect(), 2, 2)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Jump there, or take hold of the rectangle."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        seen = self.seen_rect()
        held = seen.contains(event.position())
        self._grip = event.position() - seen.center() if held else QPointF()
        self._go(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the rectangle."""
        if self._grip is not None:
            self._go(event.position())

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """Let go."""
        self._grip = None

    def changeEvent(self, event: QEvent) -> None:
        """Another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.refresh()

    def _go(self, pos: QPointF) -> None:
        at = pos - (self._grip or QPointF())
        self._canvas.set_viewport(self._canvas.viewport.centred(*self._view().to_world(at.x(), at.y())))

    def _view(self) -> Viewport2D:
        """The map of the plane onto this widget."""
        return Viewport2D(0, 0, 1, self.width(), self.height()).fitted(self._canvas.bounds, px(_PAD))

    def _cached(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        if self._picture.isNull() or self._picture.devicePixelRatio() != ratio:
            self._picture = QPixmap(round(self.width() * ratio), round(self.height() * ratio))
            self._picture.setDevicePixelRatio(ratio)
            self._picture.fill(Qt.GlobalColor.transparent)
            painter = QPainter(self._picture)
            self._draw_boxes(painter)
            painter.end()
        return self._picture

    def _draw_boxes(self, painter: QPainter) -> None:
        scene, theme = self._canvas.scene, active_theme()
        assert scene is not None
        corners = self._view().to_px(scene.layout.boxes.reshape(-1, 2)).reshape(-1, 4)
        painter.setPen(Qt.PenStyle.NoPen)
        palette = far_palette(scene, self._canvas.colouring, self._canvas.shade, theme)
        used, codes = np.unique(palette.codes, return_inverse=True)
        marks = [qcolor(palette.colours[code]) for code in used.tolist()]
        self._rects.draw_by_code(painter, widened(corners, 3, 2), codes, marks)
