"""Around and over the lanes of a timeline: ruler, names, scroll thumb, cross hair, the moment that is played.

Owns: how these look and where they stand.  Refuses: lanes, data and events.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QPolygonF

from simulator.trace import CARD
from spyre_studio.colour import mix
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.scales import LinearScale, Ticks, thin
from spyre_studio.theme import GRID, RADIUS_SMALL
from spyre_studio.timeline_axis import format_moment
from spyre_studio.timeline_data import TimelineData
from spyre_studio.timeline_lanes import Lane, lane_name
from spyre_studio.views.plot_canvas import Margins

MARGINS: Final = Margins(left=112, top=26, right=16, bottom=4)
_LEFT: Final = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT: Final = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_CENTRE: Final = Qt.AlignmentFlag.AlignCenter
_SEEN: Final = 0.7  # of the height of a lane; with less of it in view its name would be cut
_CHEVRON: Final = 16  # px before the name of a core


def paint_grid(painter: QPainter, rect: QRectF, axis: LinearScale, ticks: Ticks) -> None:
    """A line from top to bottom at every tick."""
    theme = active_theme()
    colour = qcolor(mix(theme.bg, theme.line, 0.6))
    for value in ticks.values:
        painter.fillRect(QRectF(round(axis.to_px(value)), rect.top(), 1, rect.height()), colour)


def paint_ruler(painter: QPainter, rect: QRectF, axis: LinearScale, ticks: Ticks) -> None:
    """Times above the lanes, and their unit once, before them."""
    theme, face = active_theme(), font("micro", mono=True)
    metrics = QFontMetricsF(face)
    painter.setFont(face)
    painter.setPen(qcolor(theme.mute))
    line = QRectF(0, 0, 0, rect.top() - px(GRID / 2))
    places = [float(axis.to_px(value)) for value in ticks.values]
    widest = max((metrics.horizontalAdvance(label) for label in ticks.labels), default=0.0)
    for place in thin(places, widest + px(GRID)):
        width = metrics.horizontalAdvance(ticks.labels[place]) + 2
        left = min(max(places[place] - width / 2, rect.left()), rect.right() - width)
        painter.drawText(line.translated(left, 0).adjusted(0, 0, width, 0), _CENTRE, ticks.labels[place])
    painter.setFont(font("micro"))
    painter.drawText(QRectF(0, 0, rect.left() - px(GRID), line.height()), _RIGHT, ticks.unit)
    painter.setPen(QPen(qcolor(theme.line), 1))
    painter.drawLine(QPointF(rect.left(), rect.top() - 0.5), QPointF(rect.right(), rect.top() - 0.5))


def paint_extent(painter: QPainter, rect: QRectF, axis: LinearScale, ends: tuple[float, float]) -> None:
    """When the selected step runs, as a bar under the ruler that is never too short to be seen."""
    left, right = axis.to_px(ends[0]), axis.to_px(ends[1])
    if right < rect.left() or left > rect.right():
        return
    left = max(left, rect.left())
    painter.fillRect(
        QRectF(left, rect.top() - px(3), max(min(right, rect.right()) - left, px(3)), px(3)),
        qcolor(active_theme().accent),
    )


def paint_names(
    painter: QPainter, rects: tuple[QRectF, QRectF], data: TimelineData, lanes: Sequence[Lane], core: int
) -> None:
    """Names left of the lanes: those of cores with a chevron, the selected one strong, those of units indented.
    `rects`: the plot, and the part of it in which lanes of cores scroll."""
    theme, half, indents = active_theme(), px(GRID / 2), (px(GRID), px(GRID) + px(_CHEVRON))
    faces = (font("label"), font("label", bold=True))
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for lane in lanes:
        rect = rects[lane.core != CARD]
        painter.setClipRect(QRectF(0, rect.top(), rect.left(), rect.height()))
        row = QRectF(0, lane.top, rect.left(), lane.height)
        if min(row.bottom(), rect.bottom()) - max(row.top(), rect.top()) < _SEEN * lane.height:
            continue
        selected = lane.core == core and lane.is_head
        if selected:
            painter.fillRect(row.adjusted(half, 1, -half, -1), qcolor(theme.selection))
        painter.setFont(faces[selected])
        painter.setPen(qcolor(theme.text if lane.is_head or lane.core == CARD else theme.mute))
        indent = indents[lane.core != CARD] + (half if lane.inner else 0)
        painter.drawText(row.adjusted(indent, 0, 0, 0), _LEFT, lane_name(data, lane))
        if lane.is_head:
            _paint_chevron(painter, QPointF(sum(indents) / 2, row.center().y()), lane.opened)
    painter.restore()


def _paint_chevron(painter: QPainter, at: QPointF, opened: bool) -> None:
    half = px(3)
    points = ((-half, -half / 2), (0, half / 2), (half, -half / 2))
    turned = points if opened else tuple((y, x) for x, y in points)
    painter.setPen(QPen(qcolor(active_theme().mute), 1.4))
    painter.drawPolyline(QPolygonF([QPointF(at.x() + x, at.y() + y) for x, y in turned]))


def paint_thumb(painter: QPainter, rect: QRectF, scrolled: tuple[float, float]) -> None:
    """How much of the lanes is in view and where, at the right edge; nothing where all are."""
    begin, end = scrolled
    if end - begin >= 1:
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(qcolor(active_theme().faint))
    height = max((end - begin) * rect.height(), px(2 * GRID))
    top = rect.top() + min(begin * rect.height(), rect.height() - height)
    painter.drawRoundedRect(QRectF(rect.right() + px(6), top, px(4), height), 2, 2)
    painter.restore()


def paint_outline(painter: QPainter, rect: QRectF, box: QRectF | None) -> None:
    """Round the box under the pointer."""
    if box is None:
        return
    painter.save()
    painter.setClipRect(rect)
    painter.setPen(QPen(qcolor(active_theme().text), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    left, right = max(box.left(), rect.left() - 2), min(box.right(), rect.right() + 2)
    painter.drawRect(QRectF(left, box.top() + 1.5, max(right - left, 1) - 1, box.height() - 3))
    painter.restore()


def paint_core(painter: QPainter, rect: QRectF, lanes: Sequence[Lane], core: int) -> None:
    """Round the lanes of the core that is pointed at in any view; `rect`: where lanes of cores scroll."""
    own = [lane for lane in lanes if lane.core == core]
    if core < 0 or not own:
        return
    painter.save()
    painter.setClipRect(QRectF(0, rect.top(), rect.right() + 1, rect.height()))
    painter.setPen(QPen(qcolor(active_theme().accent), 1.5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    top, bottom = own[0].top, own[-1].bottom
    painter.drawRect(QRectF(px(GRID / 4), top + 0.75, rect.right() - px(GRID / 4), bottom - top - 1.5))
    painter.restore()


def paint_crosshair(painter: QPainter, rect: QRectF, axis: LinearScale, x: float) -> None:
    """A line under the pointer and the time there on the ruler."""
    theme = active_theme()
    painter.setPen(QPen(qcolor(theme.mute, 0.7), 1))
    painter.drawLine(QPointF(round(x) + 0.5, rect.top()), QPointF(round(x) + 0.5, rect.bottom()))
    _paint_tag(painter, rect, x, format_moment(axis.to_value(x), axis), (theme.raised, theme.text))


def paint_moment(painter: QPainter, rect: QRectF, axis: LinearScale, time_ps: float) -> None:
    """The moment that is played: a line through all lanes and its time on the ruler."""
    x, theme = axis.to_px(time_ps), active_theme()
    if not rect.left() - 1 <= x <= rect.right() + 1:
        return
    painter.setPen(QPen(qcolor(theme.accent), 1.5))
    painter.drawLine(QPointF(x, rect.top() - px(GRID / 2)), QPointF(x, rect.bottom()))
    _paint_tag(painter, rect, x, format_moment(time_ps, axis), (theme.accent, theme.on_accent))


def _paint_tag(painter: QPainter, rect: QRectF, x: float, text: str, colours: tuple[str, str]) -> None:
    ground, ink = colours
    face = font("micro", mono=True)
    metrics = QFontMetricsF(face)
    width, height = metrics.horizontalAdvance(text) + px(1.5 * GRID), metrics.height() + px(3)
    left = min(max(x - width / 2, rect.left()), rect.right() - width)
    tag = QRectF(left, (rect.top() - px(GRID / 2) - height) / 2, width, height)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(qcolor(ground))
    painter.drawRoundedRect(tag, RADIUS_SMALL, RADIUS_SMALL)
    painter.setFont(face)
    painter.setPen(qcolor(ink))
    painter.drawText(tag, _CENTRE, text)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
