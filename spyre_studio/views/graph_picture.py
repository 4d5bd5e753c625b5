"""The graph as a picture to give away: all of it or what is in view, with a line that says what it is and a legend.

Owns: what the picture holds and how large it is. Refuses: files and the clipboard (picture.py), and drawing the graph
in another way than on screen.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QRegion
from PySide6.QtWidgets import QWidget

from spyre_studio.detail import overlapping
from spyre_studio.picture import Picture
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.theme import GRID
from spyre_studio.viewport import Rect, Viewport2D
from spyre_studio.views.graph_canvas import GraphCanvas

_MARGIN: Final = 3 * GRID
_STRIP: Final = 5 * GRID
_REMEDY: Final = "fold modules, or take what is in view"


def graph_picture(canvas: GraphCanvas, legend: QWidget, title: str, in_view: bool) -> Picture | None:
    """The picture; `legend` is painted into its last line. None while there is no graph."""
    scene = canvas.scene
    if scene is None:
        return None
    seen = canvas.viewport.visible()
    if in_view:
        area, zoom = Rect(seen.x0, seen.y0, seen.x1, seen.y1), canvas.viewport.zoom
    else:
        bounds, room = canvas.bounds, px(_MARGIN)
        area, zoom = Rect(bounds.x0 - room, bounds.y0 - room, bounds.x1 + room, bounds.y1 + room), 1.0
    strip = px(_STRIP)
    width = max(area.width * zoom, legend.sizeHint().width() + 2 * px(_MARGIN))
    height = area.height * zoom
    left = area.x0 - (width / zoom - area.width) / 2  # the graph in the middle, where the legend is wider

    def paint(painter: QPainter, scale: float) -> None:
        view = Viewport2D(left, area.y0, zoom * scale, width * scale, height * scale)
        canvas.paint_picture(painter, view)
        painter.save()
        painter.scale(scale, scale)
        _paint_strip(painter, QRectF(0, height, width, strip), legend, title)
        painter.restore()

    boxes = overlapping(scene.layout.boxes, area.x0, area.y0, area.x1, area.y1)
    links = overlapping(scene.link_bounds, area.x0, area.y0, area.x1, area.y1)
    remedy = _REMEDY if not in_view else "zoom in"
    return Picture(title, width, height + strip, len(boxes) + len(links), remedy, paint)


def _paint_strip(painter: QPainter, where: QRectF, legend: QWidget, title: str) -> None:
    """The legend at the left and the title at the right, as far as there is room."""
    theme = active_theme()
    painter.fillRect(where, qcolor(theme.panel))
    painter.setPen(QPen(qcolor(theme.line), 1))
    painter.drawLine(where.topLeft(), where.topRight())
    size = legend.sizeHint()
    at = QPoint(px(_MARGIN), round(where.center().y() - size.height() / 2))
    painter.save()
    painter.translate(at)
    legend.render(painter, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
    painter.restore()
    painter.setFont(font("label"))
    painter.setPen(qcolor(theme.mute))
    room = where.adjusted(at.x() + size.width() + px(2 * GRID), 0, -px(_MARGIN), 0)
    words = painter.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, max(0, int(room.width())))
    painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, words)
