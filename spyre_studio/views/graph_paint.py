"""How the graph looks: boxes, frames, edges and stubs at every zoom, in any of the colourings.

Owns: levels of detail and the drawing itself. Refuses: state, events and what a box means; `Scene` says what to draw.
Near, everything is drawn in world units under the painter's scale; further out titles keep a readable size; far out
boxes are plain rectangles and edges straight lines.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from spyre_studio.colour import mix
from spyre_studio.detail import clipped, overlapping
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.theme import Fate, Theme
from spyre_studio.viewport import Rect, Viewport2D
from spyre_studio.views.graph_measures import Shade
from spyre_studio.views.graph_model import HBM, LX, MOVE, NODE_KINDS, UNKNOWN
from spyre_studio.views.graph_names import group_title
from spyre_studio.views.graph_palette import Colouring, Palette, far_palette, is_measure, near_palette
from spyre_studio.views.graph_scene import Floats, Ints, Scene
from spyre_studio.views.graph_trace import Trace
from spyre_studio.views.paint import Labels, LineBatch, RectBatch, draw_arrows, fate_pen, hatch, route_path

NEAR: Final = 0.8  # from this zoom on, texts are drawn at their scaled size
MIDDLE: Final = 0.4  # from this zoom on, boxes have titles
CURVES: Final = 600  # edges in view up to which they are curves
_FATES: Final[dict[int, Fate]] = {LX: "lx", MOVE: "move", HBM: "hbm"}
MOST_LINES: Final = 10_000  # straight pieces in a frame; more would be a carpet
_SPECK: Final = 1.5  # px; what is smaller is not drawn
_PAD: Final = 12  # from the edge of a box to its text
_STRIPE: Final = 5


@dataclass(slots=True)
class Fonts:
    """Laid out texts; one per canvas and theme."""

    title: Labels
    detail: Labels
    number: Labels
    small_title: Labels
    small: Labels
    micro: Labels

    @classmethod
    def make(cls) -> Fonts:
        """With the fonts of the theme."""
        return cls(
            Labels(font("body", bold=True)),
            Labels(font("label")),
            Labels(font("label", mono=True)),
            Labels(font("micro", bold=True)),
            Labels(font("micro")),
            Labels(font("micro", mono=True)),
        )


@dataclass(slots=True)
class GraphPainter:
    """Draws one scene. `shade` has the numbers of a colouring by a measure; `pinned` holds the nodes with a pin."""

    scene: Scene
    colouring: Colouring
    shade: Shade | None
    pinned: frozenset[int]
    fonts: Fonts
    rects: RectBatch
    lines: LineBatch
    paths: dict[int, QPainterPath]
    near: Palette = field(init=False)
    far: Palette | None = None
    curves: int = CURVES

    def __post_init__(self) -> None:
        self.near = near_palette(self.scene, self.colouring, self.shade, active_theme())

    def draw(self, painter: QPainter, view: Viewport2D, ratio: float, only: Trace | None = None) -> None:
        """Everything in view; with `only`, the boxes and edges that belong to it, and no frames."""
        seen = view.visible()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.save()
        painter.scale(view.zoom, view.zoom)
        painter.translate(-view.x, -view.y)
        if only is None:
            self._frames(painter, seen, view.zoom)
        links = self._links_in(seen, only)
        if len(links) <= self.curves and view.zoom >= MIDDLE / 2:
            self._curves(painter, links)
            links = links[:0]
        if view.zoom >= MIDDLE and only is None:
            self._frame_titles(painter, seen)
        boxes = self._boxes_in(seen, only)
        if view.zoom >= MIDDLE:
            self._boxes(painter, boxes, view.zoom, ratio)
            self._stubs(painter, seen, only)
        painter.restore()
        self._straight(painter, links, view)
        if view.zoom < MIDDLE:
            self._plain_boxes(painter, view, only)
        elif view.zoom < NEAR:
            self._small_texts(painter, boxes, view)

    def _links_in(self, seen: Rect, only: Trace | None) -> Ints:
        found = overlapping(self.scene.link_bounds, seen.x0, seen.y0, seen.x1, seen.y1)
        return found if only is None else found[only.links[found]]

    def _boxes_in(self, seen: Rect, only: Trace | None) -> Ints:
        found = overlapping(self.scene.layout.boxes, seen.x0, seen.y0, seen.x1, seen.y1)
        return found if only is None else found[only.boxes[found]]

    def path(self, link: int) -> QPainterPath:
        """The curve of an edge in world units."""
        if link not in self.paths:
            starts = self.scene.layout.starts
            self.paths[link] = route_path(self.scene.layout.points[starts[link] : starts[link + 1]])
        return self.paths[link]

    def _frames(self, painter: QPainter, seen: Rect, zoom: float) -> None:
        layout, theme = self.scene.layout, active_theme()
        rows = overlapping(layout.frames, seen.x0, seen.y0, seen.x1, seen.y1)
        painter.setPen(QPen(qcolor(theme.line), 1))
        painter.setBrush(qcolor(_frame_ground(theme)))
        if zoom < MIDDLE:  # corners too small to be round, and so many that Qt must get them at once
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            shown = layout.frames[rows]
            self.rects.draw(painter, shown[(shown[:, 2] - shown[:, 0]) * zoom >= _SPECK])
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            return
        for row in rows.tolist():
            painter.drawRoundedRect(_rect(layout.frames[row]), px(8), px(8))

    def _frame_titles(self, painter: QPainter, seen: Rect) -> None:
        """Over the edges, on the ground of the frame: an edge that enters at the corner must not strike them out."""
        theme, layout, face = active_theme(), self.scene.layout, self.fonts.detail
        for row in overlapping(layout.frames, seen.x0, seen.y0, seen.x1, seen.y1).tolist():
            rect = _rect(layout.frames[row])
            title = "▾ " + group_title(layout.group_paths[layout.frame_group[row]])
            left, top, room = rect.left() + px(10), rect.top() + px(7), rect.width() - px(20)
            behind = QRectF(left - px(2), top, min(face.width(title), room) + px(4), face.height)
            painter.fillRect(behind, qcolor(_frame_ground(theme)))
            painter.setPen(qcolor(theme.mute))
            face.draw(painter, left, top, title, room)

    def _curves(self, painter: QPainter, links: Ints) -> None:
        layout, fates = self.scene.layout, self.scene.link_fates
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for link in links.tolist():
            painter.setPen(self.link_pen(int(fates[link])))
            painter.drawPath(self.path(link))
        painter.setPen(Qt.PenStyle.NoPen)
        for fate in np.unique(fates[links]).tolist():
            rows = links[fates[links] == fate]
            painter.setBrush(self._link_colour(fate))
            draw_arrows(painter, layout.points[layout.starts[rows + 1] - 1], layout.turned[rows], px(8))

    def link_pen(self, fate: int, width: float = 2.0) -> QPen:
        """The line of an edge: its dashes say what happens to the data, its colour too unless boxes are coloured."""
        pen = fate_pen(_FATES.get(fate, "lx"), width)
        pen.setColor(self._link_colour(fate))
        return pen

    def _link_colour(self, fate: int) -> QColor:
        theme = active_theme()
        if fate == UNKNOWN or self.colouring != "fate":
            return qcolor(mix(theme.bg, theme.mute, 0.7))
        return qcolor(theme.fate(_FATES[fate]))

    def _straight(self, painter: QPainter, links: Ints, view: Viewport2D) -> None:
        if not len(links):
            return
        rows = self._worth_drawing(links, view.zoom)
        if not len(rows):
            return
        ends = view.to_px(self.scene.lines[rows].reshape(-1, 2)).reshape(-1, 4)
        fates = self.scene.link_fates[self.scene.line_link[rows]]
        pens = [QPen(self._link_colour(fate), 1) for fate in range(UNKNOWN + 1)]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        self.lines.draw_by_code(painter, ends, fates, pens)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def _worth_drawing(self, links: Ints, zoom: float) -> Ints:
        """Rows of the lines of these edges, the longest first to be kept where there are too many: an edge that is
        hardly longer than a pixel is behind the boxes at its ends."""
        scene = self.scene
        bounds = scene.link_bounds[links]
        reach = np.maximum(bounds[:, 2] - bounds[:, 0], bounds[:, 3] - bounds[:, 1]) * zoom
        links, reach = links[reach >= _SPECK], reach[reach >= _SPECK]
        number = scene.line_starts[links + 1] - scene.line_starts[links]
        if int(number.sum()) > MOST_LINES:
            order = np.argsort(-reach, kind="stable")
            kept = order[np.cumsum(number[order]) <= MOST_LINES]
            links, number = links[kept], number[kept]
        first = np.repeat(scene.line_starts[links], number)
        rows: Ints = first + np.arange(len(first)) - np.repeat(np.cumsum(number) - number, number)
        return rows

    def _boxes(self, painter: QPainter, boxes: Ints, zoom: float, ratio: float) -> None:
        theme = active_theme()
        for box in boxes.tolist():
            rect = _rect(self.scene.layout.boxes[box])
            ground = self.near.colour(box)
            kind = NODE_KINDS[self.scene.kinds[box]]
            is_data = kind in {"input", "output"}
            radius = rect.height() / 2 if is_data else px(5)
            if self.scene.blocks_of_box(box):
                self._cards_behind(painter, rect)
            painter.setPen(_border(theme, kind, self.scene.group_of_box(box) is None))
            painter.setBrush(qcolor(ground))
            painter.drawRoundedRect(rect, radius, radius)
            if self.colouring == "residency" and self.scene.residency[box] == HBM and not is_data:
                painter.setBrush(hatch(mix(ground, theme.hbm, 0.35), None, ratio))
                painter.drawRoundedRect(rect, radius, radius)
            if not is_data:
                self._stripe(painter, rect, theme.kind(kind))
            self._pin_dot(painter, box, rect)
            if zoom >= NEAR:
                self._texts(painter, box, rect, ground, is_data)

    def _cards_behind(self, painter: QPainter, rect: QRectF) -> None:
        """Two more cards, as of a pile: the box stands for several equal ones."""
        theme = active_theme()
        painter.setPen(QPen(qcolor(mix(theme.line, theme.mute, 0.4)), 1))
        painter.setBrush(qcolor(theme.panel))
        for shift in (px(6), px(3)):
            painter.drawRoundedRect(rect.translated(shift, shift), px(5), px(5))

    def _stripe(self, painter: QPainter, rect: QRectF, colour: str) -> None:
        """The left end of the rounded box, as a shape of its own: viewers of drawings often know no clipping."""
        corner, wide = float(px(5)), float(px(_STRIPE))
        path = QPainterPath(QPointF(rect.left() + corner, rect.top()))
        path.arcTo(QRectF(rect.left(), rect.top(), 2 * corner, 2 * corner), 90, 90)
        path.arcTo(QRectF(rect.left(), rect.bottom() - 2 * corner, 2 * corner, 2 * corner), 180, 90)
        path.lineTo(rect.left() + max(wide, corner), rect.bottom())
        path.lineTo(rect.left() + max(wide, corner), rect.top())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(qcolor(colour))
        painter.drawPath(path)

    def _pin_dot(self, painter: QPainter, box: int, rect: QRectF) -> None:
        if self.pinned.intersection(self.scene.nodes_of[box].tolist()):
            painter.setPen(QPen(qcolor(active_theme().panel), 1))
            painter.setBrush(qcolor(active_theme().accent))
            painter.drawEllipse(QPointF(rect.right() - px(10), rect.top() + px(10)), px(4), px(4))

    def _texts(self, painter: QPainter, box: int, rect: QRectF, ground: str, is_data: bool) -> None:
        theme, scene, fonts = active_theme(), self.scene, self.fonts
        ink, quiet = (theme.text, theme.mute) if not is_measure(self.colouring) else (theme.text_on(ground),) * 2
        left = rect.left() + (px(20) if is_data else px(_STRIPE + _PAD - 2))
        right = rect.right() - (px(20) if is_data else px(10))
        gap = (rect.height() - fonts.title.height - fonts.detail.height) / 2
        dot = px(12) if self.pinned.intersection(scene.nodes_of[box].tolist()) else 0
        badge = scene.badges[box]
        if badge:
            painter.setPen(qcolor(theme.warn_text if ground == theme.panel else ink))
            fonts.number.draw_right(painter, right - dot, rect.top() + gap, badge)
            dot += round(fonts.number.width(badge)) + px(6)
        painter.setPen(qcolor(ink))
        mark = "" if scene.group_of_box(box) is None else "▸ "
        fonts.title.draw(painter, left, rect.top() + gap, mark + scene.titles[box], right - left - dot)
        second = rect.top() + gap + fonts.title.height
        number = self.number(box)
        room = right - left - (fonts.number.width(number) + px(8) if number else 0)
        painter.setPen(qcolor(quiet))
        fonts.detail.draw(painter, left, second, scene.details[box], room)
        if number:
            fonts.number.draw_right(painter, right, second, number)

    def number(self, box: int) -> str:
        """What stands on a box: its number in the colouring, else its time."""
        if is_measure(self.colouring):
            return self.shade.text(box) if self.shade is not None else ""
        return self.scene.numbers[box]

    def _small_texts(self, painter: QPainter, boxes: Ints, view: Viewport2D) -> None:
        """Titles, and times where there is room, at a size that stays readable."""
        theme, scene, fonts = active_theme(), self.scene, self.fonts
        corners = view.to_px(scene.layout.boxes.reshape(-1, 2)).reshape(-1, 4)
        for box in boxes.tolist():
            rect, ground = _rect(corners[box]), self.near.colour(box)
            coloured = is_measure(self.colouring)
            two = rect.height() >= fonts.small_title.height + fonts.small.height + 2
            used = fonts.small_title.height + (fonts.small.height if two else 0)
            left, top = rect.left() + px(8), rect.center().y() - used / 2
            room = rect.width() - px(12)
            painter.setPen(qcolor(theme.text_on(ground) if coloured else theme.text))
            mark = "" if scene.group_of_box(box) is None else "▸ "
            fonts.small_title.draw(painter, left, top, mark + scene.titles[box], room)
            if two:
                painter.setPen(qcolor(theme.text_on(ground) if coloured else theme.mute))
                below = top + fonts.small_title.height
                number = self.number(box)
                if number:
                    fonts.micro.draw_right(painter, left + room, below, number)
                taken = fonts.micro.width(number) + px(6) if number else 0
                fonts.small.draw(painter, left, below, scene.details[box], room - taken)

    def _plain_boxes(self, painter: QPainter, view: Viewport2D, only: Trace | None) -> None:
        """Rectangles in the strong colours of the colouring, one call of Qt for each colour."""
        corners = view.to_px(self.scene.layout.boxes.reshape(-1, 2)).reshape(-1, 4)
        index, cut = clipped(corners, 0, 0, view.width, view.height)
        if only is not None:
            index, cut = index[only.boxes[index]], cut[only.boxes[index]]
        if self.far is None:
            self.far = far_palette(self.scene, self.colouring, self.shade, active_theme())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(Qt.PenStyle.NoPen)
        used, codes = np.unique(self.far.codes[index], return_inverse=True)
        self.rects.draw_by_code(painter, cut, codes, [qcolor(self.far.colours[code]) for code in used.tolist()])

    def _stubs(self, painter: QPainter, seen: Rect, only: Trace | None) -> None:
        """Chips with the names of what many ops read."""
        theme, layout, nodes = active_theme(), self.scene.layout, self.scene.model.nodes
        for row in overlapping(layout.stubs, seen.x0, seen.y0, seen.x1, seen.y1).tolist():
            if only is not None and not only.boxes[layout.stub_box[row]]:
                continue
            rect = _rect(layout.stubs[row])
            painter.setPen(QPen(qcolor(theme.line), 1))
            painter.setBrush(qcolor(theme.raised))
            painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2)
            painter.setPen(qcolor(theme.mute))
            more = int(layout.stub_more[row])
            text = nodes[int(layout.stub_hub[row])].title + (f" +{more}" if more else "")
            top = rect.center().y() - self.fonts.small.height / 2
            wide = min(self.fonts.small.width(text) + 1, rect.width() - px(12))
            self.fonts.small.draw(painter, rect.center().x() - wide / 2, top, text, wide)


def _rect(corners: Floats) -> QRectF:
    x0, y0, x1, y1 = corners.tolist()
    return QRectF(x0, y0, x1 - x0, y1 - y0)


def _border(theme: Theme, kind: str, is_node: bool) -> QPen:
    """The line around a box; dashed for a move that the compiler has put in."""
    if kind != "move" or not is_node:
        return QPen(qcolor(theme.line), 1)
    pen = QPen(qcolor(theme.move), 1)
    pen.setDashPattern([4, 3])
    return pen


def _frame_ground(theme: Theme) -> str:
    return mix(theme.bg, theme.panel, 0.6 if theme.name == "dark" else 0.35)
